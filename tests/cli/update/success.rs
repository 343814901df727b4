//! The whole way: find, verify, replace, sync; and nothing to do.

use serde_json::Value;

use super::host::Reply;
use super::setup::{
    BUNDLE, CHECKSUMS, LATEST, NEWER, REPOSITORY, RUNNING, Release, Setup, archive_name,
    as_version, asset, run, skill, tagged,
};

fn version(setup: &Setup) -> String {
    run(&mut setup.command(&["--version"])).stdout.trim().to_owned()
}

#[test]
fn one_call_goes_the_whole_way() {
    let setup = Setup::empty();
    setup.good_npx(NEWER);
    let release = Release::of(NEWER, &as_version(NEWER));
    setup.publish(&release);
    let answer = setup.update(&[]);
    let data = answer.data();
    for (member, expected) in [
        ("status", "updated"),
        ("previous_version", RUNNING),
        ("current_version", NEWER),
        ("target_version", NEWER),
        ("install_method", "standalone"),
        ("signature_status", "verified"),
        ("skill_sync_status", "synced"),
    ] {
        assert_eq!(data[member], expected, "{member}");
    }
    for (member, expected) in [
        ("update_available", false),
        ("signature_verified", true),
        ("checksum_verified", true),
        ("binary_replaced", true),
    ] {
        assert_eq!(data[member], expected, "{member}");
    }
    let signer =
        format!("https://github.com/{REPOSITORY}/.github/workflows/release.yml@refs/tags/v{NEWER}");
    assert_eq!(data["signer_identity"], signer);
    assert_eq!(data["archive_sha256"].as_str().map(str::len), Some(64));
    assert!(data["tlog_index"].as_str().is_some_and(|index| index.parse::<u64>().is_ok()));
    assert!(
        data["next_step"]
            .as_str()
            .is_some_and(|next| next.contains(&format!("aos changelog --since {RUNNING}")))
    );
    assert!(answer.json()["meta"].get("notices").is_none(), "the update is done");
    assert_eq!(answer.stderr, "");
    assert_eq!(version(&setup), format!("aos {NEWER}"));
    setup.is_clean();
    let installed = setup.sandbox.home().join(".agents/skills/aos/SKILL.md");
    assert_eq!(std::fs::read_to_string(installed).expect("a Skill"), skill(NEWER));
    let expected = [
        LATEST.to_owned(),
        asset(NEWER, CHECKSUMS),
        asset(NEWER, BUNDLE),
        asset(NEWER, &archive_name(NEWER)),
    ];
    assert_eq!(setup.host.paths(), expected);
    // The new program knows that it is the newest. Its own Skill is the one of this build, so it is put in place.
    let again = setup.update(&[]);
    assert_eq!(again.data()["current_version"], NEWER);
    let own = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/skills/aos/SKILL.md"));
    let installed = setup.sandbox.home().join(".agents/skills/aos/SKILL.md");
    assert!(std::fs::read(installed).expect("a Skill") == own.expect("the Skill"));
}

// A release as it is: the archive has the Skill of the program in it.
#[cfg(unix)]
#[test]
fn a_second_update_has_nothing_to_do() {
    let setup = Setup::empty();
    copy_skill(&setup.place("release"));
    let from = setup.place("release/aos");
    setup.npx(
        "good",
        &format!(
            "mkdir -p \"$HOME/.agents/skills\" && cp -r '{}' \"$HOME/.agents/skills/\"\n",
            from.display()
        ),
    );
    let mut entries = super::setup::entries(NEWER, &as_version(NEWER));
    entries.pop();
    for name in ["SKILL.md", "test-prompts.json"] {
        let path = format!("{}/skills/aos/{name}", super::setup::top(NEWER));
        entries.push(super::setup::file(&path, &std::fs::read(from.join(name)).expect("a file")));
    }
    let archive = super::setup::gzip(&super::setup::tree(&entries));
    setup.publish(&Release::new(NEWER).archive(archive));
    let first = setup.update(&[]).data();
    let npx = || std::fs::read_to_string(setup.place("npx.log")).unwrap_or_default();
    let (installed, ran) = (std::fs::read(setup.program()).expect("a program"), npx());
    setup.host.forget();
    let second = setup.update(&[]).data();
    let keys = |data: &Value| data.as_object().expect("data").keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&first), keys(&second), "the same members for both");
    assert_eq!((&first["status"], &second["status"]), (&"updated".into(), &"current".into()));
    for member in ["current_version", "target_version", "skill_digest", "update_available"] {
        assert_eq!(first[member], second[member], "{member}");
    }
    assert_eq!(second["binary_replaced"], false);
    assert_eq!(second["skill_sync_status"], "current");
    assert!(installed == std::fs::read(setup.program()).expect("a program"), "it was replaced");
    assert_eq!((npx(), setup.host.paths()), (ran, vec![LATEST.to_owned()]));
    setup.is_clean();
}

#[test]
fn an_update_without_a_newer_release_starts_no_program() {
    let setup = Setup::empty();
    setup.publish(&Release::new(RUNNING));
    let home = setup.sandbox.home().join(".agents/skills");
    copy_skill(&home);
    for trap in ["npx", "npm", "cargo", "brew", "git"] {
        setup.shim(trap, &format!("echo {trap} >>'{}'\n", setup.place("trap.log").display()));
    }
    for arguments in [&[][..], &["--target-version", RUNNING], &["--check"], &["--dry-run"]] {
        let data = setup.update(arguments).data();
        assert_eq!(data["status"], "current", "{arguments:?}");
        assert_eq!(data["current_version"], RUNNING);
        assert_eq!(data["target_version"], RUNNING);
        assert_eq!(data["update_available"], false);
        assert_eq!(data["skill_sync_status"], "current");
        assert_eq!(data["signature_status"], "not_checked");
        assert_eq!(data["signature_verified"], false);
        assert_eq!(data["binary_replaced"], false);
    }
    assert!(!setup.place("trap.log").exists());
    setup.is_untouched();
    setup.is_clean();
}

/// The Skill of this build, as it would be installed.
fn copy_skill(into: &std::path::Path) {
    let from = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/skills/aos"));
    let to = into.join("aos");
    std::fs::create_dir_all(&to).expect("directories");
    for entry in std::fs::read_dir(from).expect("the Skill") {
        let entry = entry.expect("an entry");
        std::fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
    }
}

#[test]
fn looking_changes_nothing_but_the_notice() {
    let setup = Setup::new();
    let plan = setup.update(&["--dry-run"]).data();
    assert_eq!(plan["status"], "planned");
    assert!(plan.get("confirm_token").is_none() && plan.get("expires_at").is_none());
    assert!(plan["plan"].as_array().is_some_and(|steps| steps.len() >= 4));
    assert!(!setup.sandbox.home().join(".aos").exists(), "a dry run writes nothing at all");
    let data = setup.update(&["--check"]).data();
    assert_eq!(data["status"], "available");
    assert_eq!(data["current_version"], RUNNING);
    assert_eq!(data["target_version"], NEWER);
    assert_eq!(data["update_available"], true);
    assert_eq!(data["command"], "aos update");
    assert_eq!(data["signature_status"], "verified");
    for drift in ["manager_command", "recommended_command", "latest_version"] {
        assert!(data.get(drift).is_none(), "{drift}");
    }
    let notice = &setup.sandbox.aos(&["context"]).json()["meta"]["notices"][0];
    assert_eq!(notice["latest_version"], NEWER);
    assert_eq!(notice["severity"], "warning", "0.x to 1.x is another major version");
    let state: Vec<_> = std::fs::read_dir(setup.sandbox.home().join(".aos"))
        .expect("a state directory")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(state, ["update-notice.json"]);
    assert!(!setup.host.paths().contains(&asset(NEWER, &archive_name(NEWER))));
    assert!(!setup.place("npx.log").exists());
    setup.is_untouched();
    setup.is_clean();
}

// A minor release is news; one with a security entry is a warning, unless the heading is empty.
#[test]
fn the_verified_changelog_decides_how_urgent_an_update_is() {
    for (section, expected) in [
        ("Added\n\n- x", "info"),
        ("Security\n\n- x", "warning"),
        ("Security\n\n### Fixed\n\n- x", "info"),
    ] {
        let setup = Setup::empty();
        let mut release = Release::new("0.9.0");
        release.changelog =
            Some(format!("# Changelog\n\n## [0.9.0] - 2026-11-28\n\n### {section}\n"));
        setup.publish(&release);
        let data = setup.update(&["--check"]).data();
        assert_eq!(data["severity"], expected, "{section}");
        assert_eq!(data["notices"][0]["severity"], expected);
        // A changelog that is not the signed one has no say: the release is refused.
        let other = format!("# Changelog\n\n## [0.9.0] - 2026-11-27\n\n### {section}\n");
        setup.host.set(&asset("0.9.0", "CHANGELOG.md"), Reply::bytes(other.as_bytes()));
        let error = setup.update(&["--check"]).error("E_INTEGRITY", 1);
        assert_eq!(error["details"]["stage"], "verify_checksum");
    }
}

#[test]
fn a_version_by_name_is_installed_older_ones_when_allowed() {
    let setup = Setup::empty();
    for version in ["0.0.9", NEWER, "2.0.0"] {
        setup.publish(&Release::of(version, &as_version(version)));
    }
    setup.good_npx(NEWER);
    let data = setup.update(&["--target-version", "v1.2.3"]).data();
    assert_eq!(data["current_version"], NEWER);
    assert_eq!(setup.host.paths()[0], tagged(NEWER));
    setup.good_npx("0.0.9");
    let data = setup.update(&["--target-version", "0.0.9", "--allow-downgrade"]).data();
    assert_eq!(data["status"], "updated");
    assert_eq!(data["previous_version"], NEWER);
    assert_eq!(data["current_version"], "0.0.9");
    assert_eq!(version(&setup), "aos 0.0.9");
}

#[test]
fn an_update_takes_no_token_and_has_no_commands_below_it() {
    let setup = Setup::new();
    setup.update(&["--confirm", "ct_x"]).error("E_USAGE", 2);
    setup.update(&["--check", "--dry-run"]).error("E_USAGE", 2);
    setup.update(&["--allow-downgrade"]).error("E_USAGE", 2);
    setup.update(&["now"]).error("E_USAGE", 2);
    assert_eq!(setup.host.paths(), [""; 0]);
}

#[test]
fn a_person_reads_what_happened() {
    let setup = Setup::new();
    setup.good_npx(NEWER);
    let check = setup.update(&["--check", "--format", "text"]);
    assert!(
        check.stdout.starts_with(&format!("available {RUNNING} -> {NEWER}")),
        "{}",
        check.stdout
    );
    let done = setup.update(&["--format", "text"]);
    assert!(done.stdout.starts_with(&format!("updated {RUNNING} -> {NEWER}\n")), "{}", done.stdout);
    assert!(done.stdout.contains("signed by"), "{}", done.stdout);
    assert!(done.stdout.contains(&format!("aos changelog --since {RUNNING}")));
    assert_eq!(done.stderr, "", "progress is for terminals");
}

// The reader of stdout is gone; the update is made nevertheless.
#[cfg(unix)]
#[test]
fn a_closed_stdout_does_not_undo_anything() {
    let setup = Setup::empty();
    setup.good_npx(NEWER);
    setup.publish(&Release::of(NEWER, &as_version(NEWER)));
    let mut command = setup.update_command(&[]);
    command.stdout(std::process::Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    drop(child.stdout.take());
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(0), "what is done is done");
    assert_eq!(version(&setup), format!("aos {NEWER}"));
    setup.is_clean();
}

// The disk to which stdout is written is full.
#[cfg(target_os = "linux")]
#[test]
fn a_full_stdout_does_not_undo_anything() {
    let setup = Setup::new();
    setup.good_npx(NEWER);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
    let mut command = setup.update_command(&[]);
    let ended = command.stdout(full).stderr(std::process::Stdio::piped()).output();
    assert_eq!(ended.expect("it ends").status.code(), Some(0));
    assert_eq!(version(&setup), format!("aos {NEWER}"));
    setup.is_clean();
}

// No response contains a secret of the environment.
#[test]
fn secrets_of_the_environment_stay_there() {
    let setup = Setup::new();
    setup.npx("talkative", "env; echo \"ECONNREFUSED $GITHUB_TOKEN\" >&2; exit 1\n");
    let mut command = setup.update_command(&[]);
    command.env("GITHUB_TOKEN", "ghp_canary0123").env("NPM_TOKEN", "npm_canary4567");
    command.env("HTTPS_PROXY", "http://user:canary89@127.0.0.1:9");
    let answer = run(&mut command);
    let error = answer.error("E_SKILL_SYNC", 7);
    assert!(
        error["details"]["installer_output"].as_str().is_some_and(|output| output.contains("HOME"))
    );
    assert!(
        !answer.stdout.contains("canary") && !answer.stderr.contains("canary"),
        "{}",
        answer.stdout
    );
    assert_ne!(error["details"]["installer_output"], Value::Null);
}
