//! Programs that belong to a package manager: recognised by where they lie, updated by who owns them, believed by
//! what they say afterwards.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::setup::{
    NEWER, RUNNING, Release, Setup, as_version, executable, install, original, run,
};
use crate::sandbox::Answer;

/// Puts the program at `place` below the work directory, with the files around it.
fn layout(setup: &Setup, place: &str, files: &[(&str, &str)]) -> PathBuf {
    let path = setup.place(place);
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
    install(&path);
    for (name, text) in files {
        let file = setup.place(name);
        std::fs::create_dir_all(file.parent().expect("a parent")).expect("directories");
        std::fs::write(file, text).expect("a file");
    }
    path
}

fn ask(setup: &Setup, program: &Path, arguments: &[&str]) -> Answer {
    let mut command = setup.command_of(program, &["update", "--trusted-root", "trusted_root.json"]);
    run(command.args(arguments))
}

fn method(setup: &Setup, program: &Path) -> Value {
    ask(setup, program, &["--check"]).data()["install_method"].clone()
}

const NPM: &str = "npm/lib/node_modules/@argentaios/aos/node_modules/@argentaios/aos-linux-x64-gnu";
const OURS: &str = "{\"name\": \"@argentaios/aos-linux-x64-gnu\", \"version\": \"0.1.0\"}";

fn npm(setup: &Setup) -> PathBuf {
    layout(setup, &format!("{NPM}/bin/aos"), &[(&format!("{NPM}/package.json"), OURS)])
}

fn crates(source: &str) -> String {
    serde_json::json!({"installs": {format!("aos 0.1.0 ({source})"): {"bins": ["aos"]}}})
        .to_string()
}

const GIT: &str =
    "git+https://github.com/ArgentAIOS/aos?tag=v0.1.0#0123456789abcdef0123456789abcdef01234567";
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

#[test]
fn the_owner_of_the_program_is_recognised_by_its_place() {
    let setup = Setup::new();
    let other = "{\"name\": \"something-else\"}";
    type Files<'a> = Vec<(&'a str, String)>;
    let cases: [(&str, Files<'_>, &str); 15] = [
        ("bin2/aos", vec![], "standalone"),
        (
            "hoisted/lib/node_modules/@argentaios/aos-linux-x64-musl/bin/aos",
            vec![(
                "hoisted/lib/node_modules/@argentaios/aos-linux-x64-musl/package.json",
                OURS.replace("gnu", "musl"),
            )],
            "npm",
        ),
        // Neither a directory of that name nor a prefix of npm alone proves an installation.
        (
            "node_modules/tool/bin/aos",
            vec![("node_modules/tool/package.json", other.to_owned())],
            "standalone",
        ),
        ("node_modules/bare/aos", vec![], "standalone"),
        (
            "project/node_modules/@argentaios/aos-linux-x64-gnu/bin/aos",
            vec![
                (
                    "project/node_modules/@argentaios/aos-linux-x64-gnu/package.json",
                    OURS.to_owned(),
                ),
                ("project/package.json", "{}".to_owned()),
            ],
            "npm-project",
        ),
        (
            "cache/_npx/0123/node_modules/@argentaios/aos-linux-x64-gnu/bin/aos",
            vec![(
                "cache/_npx/0123/node_modules/@argentaios/aos-linux-x64-gnu/package.json",
                OURS.to_owned(),
            )],
            "npx",
        ),
        (
            "pnpm/global/5/.pnpm/x/node_modules/@argentaios/aos-linux-x64-gnu/bin/aos",
            vec![(
                "pnpm/global/5/.pnpm/x/node_modules/@argentaios/aos-linux-x64-gnu/package.json",
                OURS.to_owned(),
            )],
            "pnpm",
        ),
        ("brew/Cellar/aos/0.1.0/bin/aos", vec![], "homebrew"),
        ("nix/store/0123-aos-0.1.0/bin/aos", vec![], "nix"),
        ("mise/installs/aos/0.1.0/bin/aos", vec![], "mise"),
        ("scoop/apps/aos/current/aos", vec![], "scoop"),
        ("git/bin/aos", vec![("git/.crates2.json", crates(GIT))], "cargo"),
        ("registry/bin/aos", vec![("registry/.crates2.json", crates(REGISTRY))], "cargo"),
        (
            "path/bin/aos",
            vec![("path/.crates2.json", crates("path+file:///src/aos"))],
            "cargo-path",
        ),
        // A record of other programs says nothing about this one.
        (
            "others/bin/aos",
            vec![(
                "others/.crates2.json",
                "{\"installs\": {\"ripgrep 14.0.0 (x)\": {\"bins\": [\"rg\"]}}}".to_owned(),
            )],
            "standalone",
        ),
    ];
    for (place, files, expected) in cases {
        let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let program = layout(&setup, place, &files);
        assert_eq!(method(&setup, &program), expected, "{place}");
    }
    // The owner is that of the file behind the link.
    let link = setup.place("link");
    std::os::unix::fs::symlink(npm(&setup), &link).expect("a link");
    assert_eq!(method(&setup, &link), "npm");
}

// A record or package file that is broken, huge or a pipe proves nothing and stops nothing.
#[test]
fn a_broken_record_proves_nothing() {
    let setup = Setup::new();
    for text in [
        "",
        "[]",
        "{\"installs\": []}",
        "{\"installs\": {\"aos 1 (git+x)\": {\"bins\": \"aos\"}}}",
        "\u{0}",
    ] {
        let program = layout(&setup, "broken/bin/aos", &[("broken/.crates2.json", text)]);
        assert_eq!(method(&setup, &program), "standalone", "{text}");
        std::fs::remove_file(program).expect("a program");
    }
}

/// A manager on PATH that writes its words to a file and does as `script` says.
fn manager(setup: &Setup, name: &str, script: &str) {
    let log = setup.place("manager.log");
    setup.shim(
        name,
        &format!("printf '%s ' {name} \"$@\" >>'{0}'; echo >>'{0}'\n{script}", log.display()),
    );
}

fn told(setup: &Setup) -> String {
    std::fs::read_to_string(setup.place("manager.log")).unwrap_or_default()
}

/// A script that puts another version in the place of `program`. What the new one says about its Skill is that of a
/// real one, whose Skill is current.
fn installs(program: &Path, version: &str) -> String {
    format!(
        "rm -f '{0}'; cat >'{0}' <<'END'\n#!/bin/sh\ncase \"$*\" in --version) echo 'aos {version}';; *) echo '{{\"ok\":true,\"data\":{{\"skill_sync_status\":\"current\"}}}}';; esac\nEND\nchmod 755 '{0}'\n",
        program.display()
    )
}

#[test]
fn npm_is_told_the_exact_version_and_the_prefix_of_this_program() {
    let setup = Setup::new();
    let program = npm(&setup);
    manager(&setup, "npm", &installs(&program, NEWER));
    let check = ask(&setup, &program, &["--dry-run"]).data();
    let prefix = std::fs::canonicalize(setup.place("npm")).expect("a prefix").display().to_string();
    let command = format!("npm install --global --prefix {prefix} @argentaios/aos@{NEWER}");
    assert!(check["plan"][0].as_str().is_some_and(|step| step.contains(&command)), "{check}");
    assert_eq!(told(&setup), "", "a plan starts nothing");
    let data = ask(&setup, &program, &[]).data();
    assert_eq!(told(&setup).trim(), command);
    for (member, expected) in [
        ("status", "updated"),
        ("install_method", "npm"),
        ("previous_version", RUNNING),
        ("current_version", NEWER),
        ("target_version", NEWER),
        ("signature_status", "not_checked"),
        ("skill_sync_status", "current"),
    ] {
        assert_eq!(data[member], expected, "{member}");
    }
    assert_eq!(data["signature_verified"], false);
    assert_eq!(data["binary_replaced"], true);
}

// Not a script that plays it: the real program has to understand how the old one asks it for its Skill.
fn npm_with_the_real_program(setup: &Setup) -> PathBuf {
    let program = npm(setup);
    let newer = setup.place("newer");
    std::fs::write(&newer, as_version(NEWER)).expect("a program");
    executable(&newer);
    let script = format!("rm -f '{0}'; cp '{1}' '{0}'\n", program.display(), newer.display());
    manager(setup, "npm", &script);
    program
}

#[test]
fn the_program_that_npm_has_installed_syncs_its_own_skill() {
    let setup = Setup::new();
    let program = npm_with_the_real_program(&setup);
    let skill = Path::new(env!("CARGO_MANIFEST_DIR")).join("skills/aos");
    setup.npx(
        "good",
        &format!(
            "mkdir -p \"$HOME/.agents/skills\" && cp -R '{}' \"$HOME/.agents/skills/\"\n",
            skill.display()
        ),
    );
    let data = ask(&setup, &program, &[]).data();
    assert_eq!(data["current_version"], NEWER);
    assert_eq!(data["skill_sync_status"], "synced");
}

// The npm beside the program is the one that owns it.
#[test]
fn the_npm_of_the_same_prefix_is_preferred() {
    let setup = Setup::new();
    let program = npm(&setup);
    manager(&setup, "npm", "exit 1\n");
    let own = setup.place("npm/bin/npm");
    std::fs::create_dir_all(own.parent().expect("a parent")).expect("a directory");
    std::fs::write(&own, format!("#!/bin/sh\n{}", installs(&program, NEWER))).expect("an npm");
    executable(&own);
    assert_eq!(ask(&setup, &program, &[]).data()["current_version"], NEWER);
    assert_eq!(told(&setup), "");
}

#[test]
fn cargo_is_told_the_tag_or_the_version() {
    for (source, words) in [
        (GIT, format!("--git https://github.com/ArgentAIOS/aos --tag v{NEWER} aos")),
        (REGISTRY, format!("--version ={NEWER} aos")),
    ] {
        let setup = Setup::new();
        let program = layout(&setup, "cargo/bin/aos", &[("cargo/.crates2.json", &crates(source))]);
        manager(&setup, "cargo", &installs(&program, NEWER));
        let data = ask(&setup, &program, &[]).data();
        assert_eq!(data["install_method"], "cargo");
        let root =
            std::fs::canonicalize(setup.place("cargo")).expect("a root").display().to_string();
        assert_eq!(told(&setup).trim(), format!("cargo install --locked --root {root} {words}"));
    }
}

#[test]
fn homebrew_learns_what_is_new_before_it_upgrades() {
    let setup = Setup::new();
    let program = layout(&setup, "brew/Cellar/aos/0.1.0/bin/aos", &[]);
    let link = setup.place("brew/bin/aos");
    std::fs::create_dir_all(link.parent().expect("a parent")).expect("a directory");
    std::os::unix::fs::symlink(&program, &link).expect("a link");
    manager(&setup, "brew", &installs(&link, NEWER));
    let data = ask(&setup, &link, &[]).data();
    assert_eq!(data["install_method"], "homebrew");
    assert_eq!(data["current_version"], NEWER);
    assert_eq!(told(&setup), "brew update \nbrew upgrade --formula aos \n");
}

#[test]
fn a_failing_manager_is_reported_with_its_message() {
    for (script, code, exit, cause) in [
        ("echo 'npm error code EACCES' >&2; exit 243\n", "E_FORBIDDEN", 4, "manager_failed"),
        ("echo 'npm error code ENOTFOUND' >&2; exit 1\n", "E_NETWORK", 7, "manager_failed"),
        ("echo 'npm error code E404' >&2; exit 1\n", "E_IO", 1, "manager_failed"),
        ("kill -9 $$\n", "E_IO", 1, "manager_failed"),
        ("sleep 30\n", "E_TIMEOUT", 8, "manager_timed_out"),
    ] {
        let setup = Setup::new();
        let program = npm(&setup);
        manager(&setup, "npm", script);
        let mut command =
            setup.command_of(&program, &["update", "--trusted-root", "trusted_root.json"]);
        command.env("AOS_TEST_MANAGER_LIMIT_MS", "700");
        let error = run(&mut command).error(code, exit);
        let details = &error["details"];
        assert_eq!(details["cause"], cause, "{script}");
        assert_eq!(details["stage"], "replace");
        assert_eq!(details["binary_replaced"], false);
        assert_eq!(details["current_version"], RUNNING);
        assert!(
            details["command"]
                .as_str()
                .is_some_and(|text| text.starts_with("npm install --global"))
        );
        assert!(details["fix"].as_str().is_some_and(|text| text.contains("npm install --global")));
    }
}

// The program then reports its own version.
#[test]
fn a_manager_that_fails_after_the_update_is_judged_by_the_installed_program() {
    for (end, code, exit) in [
        ("exit 1\n", "E_IO", 1),
        ("echo ECONNRESET >&2; exit 1\n", "E_NETWORK", 7),
        ("sleep 30\n", "E_TIMEOUT", 8),
    ] {
        let setup = Setup::new();
        let program = npm(&setup);
        manager(&setup, "npm", &format!("{}{end}", installs(&program, NEWER)));
        let mut command =
            setup.command_of(&program, &["update", "--trusted-root", "trusted_root.json"]);
        command.env("AOS_TEST_MANAGER_LIMIT_MS", "1500");
        let error = run(&mut command).error(code, exit);
        assert_eq!(error["details"]["binary_replaced"], true, "{end}");
        assert_eq!(error["details"]["current_version"], NEWER, "{end}");
        let message = error["message"].as_str().expect("a message");
        assert!(message.starts_with(&format!("aos is at {NEWER} now")), "{message}");
    }
}

// The manager leaves no program that works.
#[test]
fn a_program_that_a_manager_has_broken_is_not_called_the_old_one() {
    for script in [
        "rm 'PROGRAM'\n",
        "rm 'PROGRAM'; exit 1\n",
        "echo broken >'PROGRAM.new'; mv 'PROGRAM.new' 'PROGRAM'\n",
    ] {
        let setup = Setup::new();
        let program = npm(&setup);
        let script = script.replace("PROGRAM", &program.display().to_string());
        manager(&setup, "npm", &script);
        let answer = ask(&setup, &program, &[]);
        let error = &answer.json()["error"];
        assert_eq!(error["details"]["binary_replaced"], Value::Null, "{error:#}");
        assert_eq!(error["details"]["current_version"], Value::Null, "{error:#}");
        let message = error["message"].as_str().expect("a message");
        assert!(!message.contains("no change"), "{message}");
    }
}

// A planted setting in the directory for temporary files is none of a manager's business.
#[test]
fn a_manager_does_not_run_where_everybody_may_leave_settings() {
    let setup = Setup::new();
    let program = npm(&setup);
    let log = setup.place("where.log");
    let script = format!("pwd >'{}'\n{}", log.display(), installs(&program, NEWER));
    manager(&setup, "npm", &script);
    assert_eq!(ask(&setup, &program, &[]).data()["status"], "updated");
    assert_eq!(std::fs::read_to_string(log).expect("a place").trim(), "/");
}

// There is no package manager.
#[test]
fn a_manager_that_is_not_there_is_a_configuration_fault() {
    let setup = Setup::new();
    let program = layout(&setup, "brew/Cellar/aos/0.1.0/bin/aos", &[]);
    let mut command =
        setup.command_of(&program, &["update", "--trusted-root", "trusted_root.json"]);
    command.env("PATH", setup.place("shims"));
    let error = run(&mut command).error("E_CONFIG", 4);
    assert_eq!(error["details"]["cause"], "manager_missing");
}

#[test]
fn a_false_success_of_a_manager_is_not_believed() {
    let setup = Setup::new();
    let program = npm(&setup);
    manager(&setup, "npm", "exit 0\n");
    let error = ask(&setup, &program, &[]).error("E_CONFLICT", 6);
    assert_eq!(error["details"]["observed_version"], RUNNING);
    assert_eq!(error["details"]["binary_replaced"], false);
    manager(&setup, "npm", &installs(&program, "9.9.9"));
    let error = ask(&setup, &program, &[]).error("E_CONFLICT", 6);
    assert_eq!(error["details"]["observed_version"], "9.9.9");
}

#[test]
fn a_change_that_a_package_manager_cannot_make_is_refused_with_its_command() {
    let setup = Setup::new();
    let program = layout(&setup, "brew/Cellar/aos/0.1.0/bin/aos", &[]);
    let error = ask(&setup, &program, &["--target-version", NEWER]).error("E_CONFIG", 4);
    assert_eq!(error["details"]["cause"], "newest_only");
    let program = layout(&setup, "nix/store/0123-aos/bin/aos", &[]);
    let error = ask(&setup, &program, &[]).error("E_CONFIG", 4);
    assert_eq!(error["details"]["cause"], "foreign_manager");
    assert_eq!(error["details"]["command"], "nix profile upgrade aos");
    assert_eq!(ask(&setup, &program, &["--check"]).data()["command"], "nix profile upgrade aos");
    assert_eq!(
        std::fs::read(&program).expect("a program"),
        std::fs::read(original()).expect("a program")
    );
}

// The release is published before its package; a package manager does not need the archive of the platform.
#[test]
fn a_managed_program_needs_no_archive_for_its_platform() {
    let setup = Setup::empty();
    let mut release = Release::new(NEWER);
    release.unlisted = vec!["checksums.txt", "checksums.txt.sigstore.json"];
    setup.publish(&release);
    let program = npm(&setup);
    manager(&setup, "npm", &installs(&program, NEWER));
    assert_eq!(ask(&setup, &program, &["--check"]).data()["signature_status"], "not_checked");
    assert_eq!(ask(&setup, &program, &[]).data()["status"], "updated");
}

// The new program knows its Skill; why it could not be synced is passed on.
#[test]
fn a_skill_that_the_new_program_cannot_sync_is_a_partial_success() {
    let setup = Setup::new();
    let program = npm(&setup);
    let script = installs(&program, NEWER).replace(
        "{\"ok\":true,\"data\":{\"skill_sync_status\":\"current\"}}",
        "{\"ok\":false,\"error\":{\"details\":{\"cause\":\"npx_missing\",\"skill_sync_command\":\"npx skills x\"}}}",
    );
    manager(&setup, "npm", &script);
    let error = ask(&setup, &program, &[]).error("E_CONFIG", 4);
    let details = &error["details"];
    assert_eq!(details["cause"], "npx_missing");
    // A command of its own is not repeated to anybody.
    assert_eq!(details["skill_sync_command"], format!("aos update --target-version {NEWER}"));
    assert_eq!(details["binary_replaced"], true);
    assert_eq!(details["current_version"], NEWER);
}

// aos believes the report of the new program about its Skill only in a successful response.
#[test]
fn a_false_report_of_a_program_about_its_skill_is_not_believed() {
    for said in [
        "{\"ok\":true,\"data\":{\"skill_sync_status\":\"failed\"}}",
        "{\"ok\":true,\"data\":{\"skill_sync_status\":\"\\u001b[2Jevil\"}}",
        "{\"ok\":true,\"data\":{}}",
        "nonsense",
    ] {
        let setup = Setup::new();
        let program = npm(&setup);
        let script = installs(&program, NEWER)
            .replace("{\"ok\":true,\"data\":{\"skill_sync_status\":\"current\"}}", said);
        manager(&setup, "npm", &script);
        let answer = ask(&setup, &program, &[]);
        let error = answer.error("E_SKILL_SYNC", 7);
        assert_eq!(error["details"]["skill_sync_status"], "failed", "{said}");
        assert!(!answer.stdout.contains("evil"), "{said}");
    }
    // Notes of a launcher around the response are ignored.
    let setup = Setup::new();
    let program = npm(&setup);
    let script =
        installs(&program, NEWER).replace("*) echo '", "*) echo 'a warning of node' >&2; echo '");
    manager(&setup, "npm", &script);
    assert_eq!(ask(&setup, &program, &[]).data()["skill_sync_status"], "current");
}

// The old program reports the reason that the new program gives for the failure.
#[test]
fn the_program_that_npm_has_installed_says_why_its_skill_is_not_synced() {
    let setup = Setup::new();
    let program = npm_with_the_real_program(&setup);
    setup.npx("dead", "echo 'npm error code ECONNREFUSED' >&2; exit 1\n");
    let error = ask(&setup, &program, &[]).error("E_SKILL_SYNC", 7);
    let details = &error["details"];
    assert_eq!(details["cause"], "network", "{details}");
    assert_eq!(details["current_version"], NEWER);
    assert_eq!(details["binary_replaced"], true);
}

// The same for files that are not the signed ones, which is not retryable.
#[test]
fn foreign_files_below_a_manager_are_not_retryable() {
    let setup = Setup::new();
    let program = npm_with_the_real_program(&setup);
    setup.npx(
        "moved",
        "mkdir -p \"$HOME/.agents/skills/aos\"; echo evil >\"$HOME/.agents/skills/aos/SKILL.md\"\n",
    );
    let error = ask(&setup, &program, &[]).error("E_INTEGRITY", 1);
    assert_eq!(error["details"]["skill_live"], "verified", "{error:#}");
    let installed = setup.sandbox.home().join(".agents/skills/aos/SKILL.md");
    let own = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/skills/aos/SKILL.md"));
    assert!(std::fs::read(installed).expect("a Skill") == own.expect("the Skill"));
}
