//! The Skill after the swap: whatever goes wrong with it is a partial success, never a success, never a lie.

use serde_json::Value;

use super::setup::{NEWER, RUNNING, Release, Setup, original, run, skill};

const LIMIT: (&str, &str) = ("AOS_TEST_SKILL_LIMIT_MS", "1500");

/// The program is new, the Skill is not.
#[track_caller]
fn is_partial(setup: &Setup, error: &Value, cause: &str) {
    let details = &error["details"];
    assert_eq!(details["stage"], "skill_sync", "{error:#}");
    assert_eq!(details["cause"], cause, "{error:#}");
    assert_eq!(details["binary_replaced"], true);
    assert_eq!(details["current_version"], NEWER);
    assert_eq!(details["target_version"], NEWER);
    assert_eq!(details["update_available"], false);
    assert_eq!(details["skill_sync_status"], "failed");
    assert_eq!(error["retryable"], true);
    let command = details["skill_sync_command"].as_str().expect("a command");
    // Verified: a command of the installer would not be.
    assert_eq!(command, format!("aos update --target-version {NEWER}"));
    assert!(!error.to_string().contains("npx --yes") && !error.to_string().contains("skills add"));
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains(&format!("aos is at {NEWER} now")), "{message}");
    let hint = details["fix"].as_str().expect("a hint");
    assert!(
        hint.contains(command) && hint.contains(&format!("aos changelog --since {RUNNING}")),
        "{hint}"
    );
    assert!(
        std::fs::read(setup.program()).expect("a program")
            != std::fs::read(original()).expect("a program")
    );
    setup.is_clean();
}

#[cfg(unix)]
#[test]
fn without_a_usable_npx_a_machine_without_the_skill_stays_without_it() {
    for (path, cause) in [(Some("empty"), "npx missing"), (None, "node too old")] {
        let setup = Setup::new();
        setup.npx("unused", "exit 9\n");
        setup.shim("node", "echo v18.20.0\n");
        let mut command = setup.update_command(&[]);
        if let Some(path) = path {
            command.env("PATH", setup.place(path));
        }
        let answer = run(&mut command);
        let data = answer.data();
        assert_eq!(data["status"], "updated", "{cause}");
        assert_eq!(data["current_version"], NEWER);
        assert_eq!(data["skill_sync_status"], "not_installed", "{data:#}");
        let notes = data["notes"].to_string();
        assert!(notes.contains("never installed here") && notes.contains("Node 22.20"), "{notes}");
        assert!(!setup.sandbox.home().join(".agents").exists());
        setup.is_clean();
    }
}

#[cfg(unix)]
#[test]
fn an_installed_skill_is_updated_without_npx() {
    let setup = Setup::new();
    let place = setup.sandbox.home().join(".agents/skills/aos");
    std::fs::create_dir_all(&place).expect("a place");
    for name in ["SKILL.md", "test-prompts.json"] {
        let source = format!("{}/skills/aos/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::copy(source, place.join(name)).expect("the Skill");
    }
    let mut command = setup.update_command(&[]);
    command.env("PATH", setup.place("empty"));
    let data = run(&mut command).data();
    assert_eq!(data["skill_sync_status"], "synced", "{data:#}");
    assert_eq!(std::fs::read_to_string(place.join("SKILL.md")).expect("a Skill"), skill(NEWER));
    assert!(!place.join("test-prompts.json").exists());
    setup.is_clean();
}

// The tag was moved after the release, so npx installs unsigned files.
#[cfg(unix)]
#[test]
fn a_skill_that_nobody_signed_does_not_stay() {
    for has_skill in [false, true] {
        let setup = Setup::new();
        let place = setup.sandbox.home().join(".agents/skills/aos");
        if has_skill {
            std::fs::create_dir_all(&place).expect("a place");
            let source = concat!(env!("CARGO_MANIFEST_DIR"), "/skills/aos/SKILL.md");
            std::fs::copy(source, place.join("SKILL.md")).expect("the Skill");
        }
        setup.npx(
            "moved",
            "mkdir -p \"$HOME/.agents/skills/aos\"; echo evil >\"$HOME/.agents/skills/aos/SKILL.md\"\n",
        );
        let error = setup.update(&[]).error("E_INTEGRITY", 1);
        assert_eq!(error["retryable"], false);
        let details = &error["details"];
        assert_eq!(details["stage"], "skill_sync", "{error:#}");
        assert_eq!(details["cause"], "verify_mismatch");
        assert_eq!(details["binary_replaced"], true);
        assert_eq!(details["current_version"], NEWER);
        assert_eq!(details["skill_live"], "verified");
        let repair = &details["skill_repairs"][0];
        assert_eq!(repair["live"], "verified");
        assert_eq!(repair["path"], place.display().to_string());
        let evil = std::path::Path::new(repair["quarantine"].as_str().expect("a path"));
        assert_eq!(std::fs::read_to_string(evil.join("SKILL.md")).expect("evidence"), "evil\n");
        let message = error["message"].as_str().expect("a message");
        assert!(
            message.contains("do NOT retry")
                && message.contains("was replaced with the signed files")
        );
        let all = error.to_string();
        assert!(
            !all.contains("npx --yes") && !all.contains("skills add") && !all.contains("tree/v"),
            "{all}"
        );
        assert_eq!(std::fs::read_to_string(place.join("SKILL.md")).expect("a Skill"), skill(NEWER));
        setup.is_clean();
    }
}

// Without a home there is no directory for the Skill, and a retry does not help.
#[cfg(unix)]
#[test]
fn without_a_home_the_skill_is_a_fault_of_the_settings() {
    let setup = Setup::new();
    setup.good_npx(NEWER);
    let mut command = setup.update_command(&[]);
    command.env_remove("HOME").env("AOS_HOME", setup.sandbox.home().join(".aos"));
    let error = run(&mut command).error("E_CONFIG", 4);
    assert_eq!(error["details"]["cause"], "no_home");
    assert_eq!(error["details"]["binary_replaced"], true);
    assert!(error["details"]["fix"].as_str().is_some_and(|hint| hint.starts_with("set HOME")));
}

// A copy in a directory where no installer writes belongs to the user.
#[cfg(unix)]
#[test]
fn a_copy_of_the_user_stays_and_is_not_retryable() {
    let setup = Setup::new();
    setup.good_npx(NEWER);
    let own = setup.sandbox.home().join(".cursor/skills/aos");
    std::fs::create_dir_all(&own).expect("a place");
    std::fs::write(own.join("SKILL.md"), "mine\n").expect("a Skill");
    let error = setup.update(&[]).error("E_CONFIG", 4);
    assert_eq!(error["details"]["cause"], "unmanaged_copy");
    assert_eq!(error["retryable"], false);
    assert_eq!(std::fs::read_to_string(own.join("SKILL.md")).expect("a Skill"), "mine\n");
}

#[cfg(unix)]
#[test]
fn a_registry_that_is_not_there_is_a_network_fault_of_the_skill() {
    let setup = Setup::new();
    setup.npx("dead", "echo 'npm error code ECONNREFUSED' >&2; exit 1\n");
    is_partial(&setup, &setup.update(&[]).error("E_SKILL_SYNC", 7), "network");
}

#[cfg(unix)]
#[test]
fn an_installer_that_hangs_is_ended_with_all_it_started() {
    let setup = Setup::new();
    let mark = format!("{}.7", 1000 + std::process::id());
    setup.npx("hang", &format!("sleep {mark} & sleep {mark} & sleep {mark}\n"));
    let mut command = setup.update_command(&[]);
    command.env(LIMIT.0, LIMIT.1);
    let error = run(&mut command).error("E_TIMEOUT", 8);
    is_partial(&setup, &error, "timed_out");
    let listed = std::process::Command::new("ps").args(["-eo", "args"]).output();
    let Ok(listed) = listed else {
        crate::sandbox::skipped("an_installer_that_hangs", "`ps` is not installed");
        return;
    };
    assert!(!String::from_utf8_lossy(&listed.stdout).contains(&mark), "something survived");
}

#[cfg(unix)]
#[test]
fn a_false_success_of_the_installer_is_not_believed() {
    let installed = |setup: &Setup| {
        let place = setup.sandbox.home().join(".agents/skills/aos/SKILL.md");
        std::fs::read_to_string(place).expect("a Skill")
    };
    let setup = Setup::new();
    setup.npx("content", "exit 0\n");
    assert_eq!(setup.update(&[]).data()["skill_sync_status"], "synced");
    assert_eq!(installed(&setup), skill(NEWER));
    for script in [
        "mkdir -p \"$HOME/.agents/skills/aos\"\n",
        "mkdir -p \"$HOME/.agents/skills/aos\"; echo old >\"$HOME/.agents/skills/aos/SKILL.md\"\n",
    ] {
        let setup = Setup::new();
        setup.npx("content", script);
        let error = setup.update(&[]).error("E_INTEGRITY", 1);
        assert_eq!(error["details"]["cause"], "verify_mismatch");
        assert_eq!(installed(&setup), skill(NEWER));
    }
}

#[cfg(unix)]
#[test]
fn a_false_failure_of_the_installer_is_not_believed() {
    let setup = Setup::new();
    setup.good_npx(NEWER);
    let script = std::fs::read_to_string(setup.place("shims/npx")).expect("a shim");
    setup.shim("npx", &format!("{script}exit 1\n"));
    let data = setup.update(&[]).data();
    assert_eq!(data["skill_sync_status"], "synced");
}

// The no-op syncs a Skill that is old, and says so when it cannot.
#[cfg(unix)]
#[test]
fn an_up_to_date_program_with_an_old_skill_syncs_it() {
    let setup = Setup::empty();
    setup.publish(&Release::new(RUNNING));
    setup.npx("dead", "echo 'npm error code ECONNREFUSED' >&2; exit 1\n");
    let error = setup.update(&[]).error("E_SKILL_SYNC", 7);
    let details = &error["details"];
    assert_eq!(details["stage"], "skill_sync");
    assert_eq!(details["binary_replaced"], false);
    assert_eq!(details["current_version"], RUNNING);
    assert_eq!(details["skill_sync_command"], format!("aos update --target-version {RUNNING}"));
    // With a copy that is installed, the network is not needed.
    let place = setup.sandbox.home().join(".agents/skills/aos");
    std::fs::create_dir_all(&place).expect("a place");
    std::fs::write(place.join("SKILL.md"), "old\n").expect("a Skill");
    let data = setup.update(&[]).data();
    assert_eq!(data["status"], "current");
    assert_eq!(data["skill_sync_status"], "synced");
    let own = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/skills/aos/SKILL.md"));
    assert!(std::fs::read(place.join("SKILL.md")).expect("a Skill") == own.expect("the Skill"));
    setup.is_untouched();
}

// Changes of the user in an installed Skill are kept.
#[cfg(unix)]
#[test]
fn a_changed_skill_is_kept_before_it_is_replaced() {
    let setup = Setup::new();
    setup.good_npx(NEWER);
    let place = setup.sandbox.home().join(".agents/skills/aos");
    std::fs::create_dir_all(&place).expect("a place");
    std::fs::write(place.join("SKILL.md"), "my own words\n").expect("a Skill");
    let data = setup.update(&[]).data();
    let backup = data["skill_backups"][0]["backup"].as_str().expect("a backup");
    let kept = std::fs::read_to_string(std::path::Path::new(backup).join("SKILL.md"));
    assert_eq!(kept.expect("the kept file"), "my own words\n");
}
