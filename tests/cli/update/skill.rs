//! The Skill after the swap: whatever goes wrong with it is a partial success, never a success, never a lie.

use serde_json::Value;

use super::setup::{NEWER, RUNNING, Release, Setup, original, run};

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
    assert!(command.contains("npx --yes skills@"), "{command}");
    assert!(
        command.contains(&format!("https://github.com/ArgentAIOS/aos/tree/v{NEWER} -y -g")),
        "{command}"
    );
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains(&format!("aos is at {NEWER} now")), "{message}");
    let hint = details["hint"].as_str().expect("a hint");
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

// K1, K2.
#[cfg(unix)]
#[test]
fn without_a_usable_npx_the_skill_is_not_synced() {
    let setup = Setup::new();
    let mut command = setup.update_command(&[]);
    command.env("PATH", setup.place("empty"));
    let error = run(&mut command).error("E_SKILL_SYNC", 7);
    is_partial(&setup, &error, "npx_missing");
    let setup = Setup::new();
    setup.shim("node", "echo v18.20.0\n");
    is_partial(&setup, &setup.update(&[]).error("E_SKILL_SYNC", 7), "node_too_old");
}

// K3.
#[cfg(unix)]
#[test]
fn a_registry_that_is_not_there_is_a_network_fault_of_the_skill() {
    let setup = Setup::new();
    setup.npx("dead", "echo 'npm error code ECONNREFUSED' >&2; exit 1\n");
    is_partial(&setup, &setup.update(&[]).error("E_SKILL_SYNC", 7), "network");
}

// K4.
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

// K5.
#[cfg(unix)]
#[test]
fn an_installer_that_is_content_without_reason_is_not_believed() {
    for script in [
        "exit 0\n",
        "mkdir -p \"$HOME/.agents/skills/aos\"\n",
        "mkdir -p \"$HOME/.agents/skills/aos\"; echo old >\"$HOME/.agents/skills/aos/SKILL.md\"\n",
    ] {
        let setup = Setup::new();
        setup.npx("content", script);
        is_partial(&setup, &setup.update(&[]).error("E_SKILL_SYNC", 7), "verify_mismatch");
    }
}

// K6.
#[cfg(unix)]
#[test]
fn an_installer_that_complains_without_reason_is_not_believed_either() {
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
    let error = setup.update(&[]).error("E_SKILL_SYNC", 7);
    let details = &error["details"];
    assert_eq!(details["stage"], "skill_sync");
    assert_eq!(details["binary_replaced"], false);
    assert_eq!(details["current_version"], RUNNING);
    assert!(
        details["skill_sync_command"]
            .as_str()
            .is_some_and(|text| text.contains(&format!("tree/v{RUNNING} ")))
    );
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/skills/aos");
    setup.npx(
        "good",
        &format!(
            "mkdir -p \"$HOME/.agents/skills\" && cp -r '{source}' \"$HOME/.agents/skills/\"\n"
        ),
    );
    let data = setup.update(&[]).data();
    assert_eq!(data["status"], "current");
    assert_eq!(data["skill_sync_status"], "synced");
    setup.is_untouched();
}

// What somebody changed in an installed Skill is kept.
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
