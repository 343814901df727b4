//! The report of `aos doctor` on aos itself and on the programs that it uses.

use std::path::Path;

use serde_json::Value;

use super::host::Reply;
use super::setup::{LATEST, NEWER, RUNNING, Release, Setup, run};

fn checks(setup: &Setup) -> Value {
    run(&mut setup.command(&["doctor"])).data()
}

fn check(data: &Value, name: &str) -> Value {
    let all = data["checks"].as_array().expect("checks");
    all.iter().find(|check| check["check"] == name).unwrap_or_else(|| panic!("no {name}")).clone()
}

#[test]
fn a_newer_release_is_a_warning_and_a_notice() {
    let setup = Setup::new();
    let data = checks(&setup);
    let found = check(&data, "update");
    assert_eq!(found["status"], "warn");
    assert_eq!(found["fix"], "run `aos update`");
    assert_eq!(data["notices"][0]["latest_version"], NEWER);
    assert_eq!(setup.host.paths(), [LATEST], "one question");
    // From now on every command knows.
    let context = run(&mut setup.command(&["context"])).json();
    assert_eq!(context["meta"]["notices"][0]["latest_version"], NEWER);
    setup.publish(&Release::new(RUNNING));
    let data = checks(&setup);
    assert_eq!(check(&data, "update")["status"], "pass");
    assert!(data.get("notices").is_none());
}

// A check that does not read the changelog keeps what an earlier `--check` learned from it.
#[test]
fn a_look_keeps_how_urgent_an_update_is() {
    let setup = Setup::empty();
    let mut release = Release::new("0.9.0");
    release.changelog = Some("## [0.9.0] - 2026-11-28\n\n### Security\n\n- x\n".to_owned());
    setup.publish(&release);
    setup.update(&["--check"]).data();
    assert_eq!(checks(&setup)["notices"][0]["severity"], "warning");
}

// agent-cli §14: a network that is not there does not make doctor fail, and is not waited for.
#[test]
fn an_unreachable_host_is_not_a_failure_of_doctor() {
    let setup = Setup::new();
    setup.impatient();
    for reply in [
        Reply::wire(b"").then_stall(),
        Reply::wire(b"").then_reset(),
        Reply::status(500),
        Reply::status(403),
        Reply::html(),
        Reply::bytes(b"{"),
    ] {
        setup.host.set(LATEST, reply);
        let found = check(&checks(&setup), "update");
        assert_eq!(found["status"], "warn", "{found}");
        assert!(found["fix"].as_str().is_some_and(|fix| !fix.is_empty()), "{found}");
    }
}

#[test]
fn a_skill_that_is_not_of_this_version_is_a_failure() {
    let setup = Setup::new();
    assert_eq!(check(&checks(&setup), "skill_current")["status"], "warn");
    let place = setup.sandbox.home().join(".agents/skills/aos");
    std::fs::create_dir_all(&place).expect("a place");
    for name in ["SKILL.md", "test-prompts.json"] {
        let source = format!("{}/skills/aos/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::copy(source, place.join(name)).expect("the Skill");
    }
    let data = checks(&setup);
    assert_eq!(check(&data, "skill_current")["status"], "pass");
    assert_eq!(check(&data, "min_version")["status"], "pass");
    // A Skill for a version that does not run here.
    let text = std::fs::read_to_string(place.join("SKILL.md")).expect("the Skill");
    let newer = text.replace(&format!("min_version: \"{RUNNING}\""), "min_version: \"99.0.0\"");
    assert_ne!(newer, text);
    std::fs::write(place.join("SKILL.md"), newer).expect("a Skill");
    let data = checks(&setup);
    let found = check(&data, "skill_current");
    assert_eq!(found["status"], "fail");
    assert!(!found.to_string().contains("npx"), "{found}");
    let version = check(&data, "min_version");
    assert_eq!(version["status"], "fail");
    assert!(version["message"].as_str().is_some_and(|found| found.contains("99.0.0")), "{version}");
}

#[cfg(unix)]
#[test]
fn every_difference_of_an_installed_skill_is_a_failure() {
    use std::os::unix::fs::PermissionsExt as _;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("skills/aos");
    let changes: [&dyn Fn(&Path); 5] = [
        &|place| std::fs::write(place.join("x.md"), "x").expect("a file"),
        &|place| std::fs::remove_file(place.join("test-prompts.json")).expect("a file"),
        &|place| std::fs::write(place.join("SKILL.md"), "x").expect("a file"),
        &|place| {
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(place.join("SKILL.md"), mode).expect("a mode");
        },
        &|place| {
            let state = place.ancestors().nth(3).expect("a home").join(".aos");
            std::fs::create_dir_all(&state).expect("a directory");
            std::fs::write(state.join("skill-sync.json"), "{\"places\":[]}").expect("a journal");
        },
    ];
    for (number, change) in changes.iter().enumerate() {
        let setup = Setup::new();
        let place = setup.sandbox.home().join(".agents/skills/aos");
        std::fs::create_dir_all(&place).expect("a place");
        for name in ["SKILL.md", "test-prompts.json"] {
            std::fs::copy(source.join(name), place.join(name)).expect("the Skill");
        }
        assert_eq!(check(&checks(&setup), "skill_current")["status"], "pass");
        change(&place);
        assert_eq!(check(&checks(&setup), "skill_current")["status"], "fail", "{number}");
    }
}

#[cfg(unix)]
#[test]
fn programs_that_are_missing_broken_or_too_old_come_with_a_fix() {
    let setup = Setup::new();
    setup.shim("git", "echo git version 2.39.5\n");
    setup.shim("python3", "echo Python 3.9.18\n");
    setup.shim("node", "exit 3\n");
    let mut command = setup.command(&["doctor"]);
    command.env("PATH", setup.place("shims"));
    let data = run(&mut command).data();
    assert_eq!(check(&data, "git")["status"], "pass");
    for name in ["python3", "node", "go"] {
        let found = check(&data, name);
        assert_eq!(found["status"], "warn", "{found}");
        assert!(found["fix"].as_str().is_some_and(|fix| fix.starts_with("install ")), "{found}");
    }
}

#[test]
fn a_git_that_knows_nobody_is_a_warning_with_the_two_commands() {
    let setup = Setup::new();
    let asked = |who: &[(&str, &str)]| {
        let mut command = setup.command(&["doctor"]);
        for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "EMAIL"] {
            command.env_remove(name);
        }
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        command.env("GIT_CONFIG_COUNT", "0").envs(who.iter().copied());
        check(&run(&mut command).data(), "git_identity")
    };
    let nobody = asked(&[]);
    assert_eq!(nobody["status"], "warn", "{nobody}");
    let fix = nobody["fix"].as_str().expect("a fix");
    assert!(fix.contains("user.name") && fix.contains("user.email"), "{fix}");
    let ann = [("GIT_AUTHOR_NAME", "Ann"), ("GIT_AUTHOR_EMAIL", "ann@example.com")];
    let known = asked(&ann);
    assert_eq!(known["status"], "pass", "{known}");
    assert!(!known.to_string().contains("Ann"), "{known}");
}
