//! `aos check` on many projects, from anywhere, and inside GitHub Actions.

use std::path::Path;

use serde_json::Value;

use super::disk;
use super::sandbox::{Sandbox, kept, run};

/// `fleet/` with four connectors at different depths; the second is broken.
fn fleet() -> Sandbox {
    let sandbox = Sandbox::new();
    for (directory, name) in
        [("fleet", "alpha"), ("fleet/b", "beta"), ("fleet/b/deep", "gamma"), ("fleet", "zeta")]
    {
        std::fs::create_dir_all(sandbox.work().join(directory)).unwrap();
        sandbox.aos(&["new", name, "--no-git", "--dir", directory]).data();
    }
    std::fs::remove_file(sandbox.work().join("fleet/b/aos-beta/contract/contract.json")).unwrap();
    sandbox
}

fn paths(report: &Value) -> Vec<&str> {
    report["projects"].as_array().unwrap().iter().map(|p| p["path"].as_str().unwrap()).collect()
}

#[test]
fn a_fleet_is_checked_in_a_stable_order_with_one_summary() {
    let sandbox = fleet();
    let mut last = None;
    for _ in 0..3 {
        let error = sandbox.aos(&["check", "--recursive", "fleet"]).error("E_DRIFT", 6);
        let mut details = error["details"].clone();
        assert_eq!(
            paths(&details),
            ["fleet/b/aos-beta", "fleet/aos-alpha", "fleet/aos-zeta", "fleet/b/deep/aos-gamma"],
            "what failed comes first"
        );
        let summary = &details["summary"];
        assert_eq!(
            (&summary["projects"], &summary["ok"], &summary["failed"]),
            (&4.into(), &3.into(), &1.into())
        );
        assert_eq!(summary["by_rule"][0], serde_json::json!({"rule": "drift/missing", "count": 1}));
        assert!(error["message"].as_str().unwrap().starts_with("1 of 4 projects"), "{error}");
        details["summary"]["duration_ms"] = Value::Null;
        assert!(last.is_none_or(|last| last == details));
        last = Some(details);
    }
}

#[test]
fn a_broken_project_does_not_stop_the_others() {
    let sandbox = fleet();
    let broken = sandbox.work().join("fleet/aos-alpha");
    std::fs::write(broken.join("aos.toml"), b"\xff\xfe [").unwrap();
    std::fs::write(broken.join("connector.json"), "{").unwrap();
    std::fs::remove_dir_all(sandbox.work().join("fleet/aos-zeta/.agent")).unwrap();
    let error = sandbox.aos(&["check", "--recursive", "fleet"]).error("E_DRIFT", 6);
    assert_eq!(error["details"]["summary"]["projects"], 4);
    assert_eq!(error["details"]["summary"]["failed"], 3);
    let gamma = &error["details"]["projects"][3];
    assert_eq!((&gamma["status"], &gamma["findings"]), (&"ok".into(), &serde_json::json!([])));
}

#[test]
fn a_fleet_without_a_project_is_an_error() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.work().join("fleet/node_modules/aos-x")).unwrap();
    sandbox.write("fleet/node_modules/aos-x/connector.json", "{}");
    let error = sandbox.aos(&["check", "--recursive", "fleet"]).error("E_NOT_FOUND", 3);
    assert!(error["message"].as_str().unwrap().contains("no project"), "{error}");
    let absent = sandbox.aos(&["check", "--recursive", "absent"]);
    assert_eq!(absent.json()["ok"], false);
}

#[test]
fn a_healthy_fleet_is_ok_and_says_how_much_was_compared() {
    let sandbox = fleet();
    sandbox.aos(&["sync-spec", "fleet/b/aos-beta"]).data();
    let data = sandbox.aos(&["check", "--recursive", "fleet"]).data();
    let compared = 4 * kept(&sandbox.work().join("fleet/b/aos-beta"));
    assert_eq!(data["summary"]["compared"], compared);
    let text = sandbox.aos(&["check", "--recursive", "fleet", "--format", "text"]).stdout;
    assert!(
        text.ends_with(&format!(
            "OK 4 projects, 0 failed, {compared} files compared, 0 errors, 0 warnings\n"
        )),
        "{text}"
    );
    let data = sandbox.aos(&["check", "fleet/aos-zeta", "fleet/aos-alpha"]).data();
    assert_eq!(paths(&data), ["fleet/aos-zeta", "fleet/aos-alpha"], "in the order given");
}

#[test]
fn a_link_to_a_directory_is_not_searched_twice() {
    let sandbox = fleet();
    std::os::unix::fs::symlink("..", sandbox.work().join("fleet/b/up")).unwrap();
    let error = sandbox.aos(&["check", "--recursive", "fleet"]).error("E_DRIFT", 6);
    assert_eq!(error["details"]["summary"]["projects"], 4);
}

#[test]
fn a_project_is_found_from_any_directory_and_by_any_path() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let deep = project.join("agent-harness/aos_acme/commands");
    let file = project.join("connector.json");
    let absolute = project.to_str().unwrap();
    let up = format!("{absolute}/../aos-acme/./contract");
    for (place, arguments) in [
        (&project, &["check"][..]),
        (&deep, &["check"]),
        (&deep, &["check", "../../.."]),
        (&sandbox.work(), &["check", "aos-acme"]),
        (&sandbox.work(), &["check", "aos-acme/"]),
        (&sandbox.home(), &["check", absolute]),
        (&sandbox.home(), &["check", &up]),
        (&sandbox.home(), &["check", file.to_str().unwrap()]),
        (&sandbox.home(), &["-C", absolute, "check"]),
        (&sandbox.work(), &["check", "-C", "aos-acme/contract"]),
        (&std::path::PathBuf::from("/"), &["check", absolute]),
    ] {
        let data = sandbox.aos_in(place, arguments).data();
        assert_eq!(data["summary"]["compared"], kept(&project), "{arguments:?}");
    }
    disk::append(&project.join("contract/contract.json"), " ");
    for place in [&project, &deep] {
        sandbox.aos_in(place, &["check"]).error("E_DRIFT", 6);
    }
}

#[test]
fn a_bare_container_is_enough() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let mut command = sandbox.command(&["check"]);
    let data = run(command.current_dir(&project).env_clear()).data();
    assert_eq!(data["summary"]["ok"], 1);
    disk::append(&project.join("contract/contract.json"), " ");
    let mut command = sandbox.command(&["check"]);
    run(command.current_dir(&project).env_clear()).error("E_DRIFT", 6);
}

#[test]
fn a_check_needs_no_writable_place_and_leaves_no_trace() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    // `aos new` leaves its list of writes there.
    let _ = std::fs::remove_dir_all(sandbox.home().join(".aos"));
    let before = (disk::state(&sandbox.work()), disk::identities(&sandbox.work()));
    sandbox.aos_in(&project, &["check"]).data();
    sandbox.aos(&["check", "--recursive", "."]).data();
    assert_eq!((disk::state(&sandbox.work()), disk::identities(&sandbox.work())), before);
    assert_eq!(disk::names(&sandbox.home()), Vec::<String>::new());
}

#[test]
fn a_project_reached_through_a_link_is_named_as_the_host_sees_it() {
    let sandbox = Sandbox::new();
    sandbox.connector("acme");
    std::os::unix::fs::symlink("aos-acme", sandbox.work().join("aos-other")).unwrap();
    let answer = sandbox.aos(&["check", "aos-other"]);
    assert!(answer.stdout.contains("aos-other"), "{}", answer.stdout);
}

#[test]
fn in_github_actions_each_finding_is_an_annotation_on_stderr() {
    let sandbox = fleet();
    let in_actions = |arguments: &[&str], place: &Path| {
        run(sandbox.command(arguments).current_dir(place).env("GITHUB_ACTIONS", "true"))
    };
    let answer = in_actions(&["check", "--recursive", "fleet"], &sandbox.work());
    let findings = answer.error("E_DRIFT", 6)["details"]["projects"][0]["findings"].clone();
    let lines: Vec<_> = answer.stderr.lines().collect();
    assert_eq!(lines.len(), findings.as_array().unwrap().len(), "{}", answer.stderr);
    let start = "::error file=fleet/b/aos-beta/contract/contract.json,title=drift/missing::";
    assert!(lines.iter().any(|line| line.starts_with(start)), "{lines:?}");
    let answer = in_actions(&["check"], &sandbox.work().join("fleet/b/aos-beta"));
    assert!(answer.stderr.contains("::error file=contract/contract.json,"), "{}", answer.stderr);
    let calm = sandbox.aos(&["check", "--recursive", "fleet"]);
    assert_eq!(calm.stderr, "", "outside of Actions there is none");
}

#[test]
fn a_name_from_the_tree_starts_no_workflow_command() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    std::fs::write(project.join(".agent/x\n::warning::owned"), "x").unwrap();
    let mut command = sandbox.command(&["check"]);
    let answer = run(command.current_dir(&project).env("GITHUB_ACTIONS", "true"));
    answer.error("E_DRIFT", 6);
    assert!(answer.stderr.lines().all(|line| line.starts_with("::error ")), "{}", answer.stderr);
}

#[test]
fn a_person_sees_place_rule_diff_and_fix() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    disk::append(&project.join(".agent/CONNECTOR-SPEC.md"), "my own rule\n");
    let answer = sandbox.aos_in(&project, &["check", "--format", "text"]);
    assert_eq!(answer.exit, Some(6));
    for words in [
        "FAILED aos-acme (",
        "error .agent/CONNECTOR-SPEC.md drift/modified",
        "    -my own rule\n",
        "  fix: run `aos sync-spec`\n",
    ] {
        assert!(answer.stdout.contains(words), "{words}: {}", answer.stdout);
    }
    assert!(answer.stderr.lines().count() <= 4, "{}", answer.stderr);
    assert!(answer.stderr.starts_with("error[E_DRIFT]: "), "{}", answer.stderr);
    assert!(!answer.stdout.contains('\u{1b}') && !answer.stderr.contains('\u{1b}'));
}

#[cfg(unix)]
#[test]
fn a_connector_behind_a_link_is_reported_because_hosts_pass_over_links() {
    let sandbox = Sandbox::new();
    let connector = sandbox.connector("acme");
    let fleet = sandbox.work().join("fleet");
    std::fs::create_dir(&fleet).expect("a directory");
    std::os::unix::fs::symlink(&connector, fleet.join("aos-acme")).expect("a link");
    let error = sandbox.aos(&["check", "--recursive", "fleet"]).error("E_DRIFT", 6);
    let findings = error["details"]["projects"][0]["findings"].as_array().expect("findings");
    assert!(
        findings.iter().any(|finding| finding["rule"] == "layout/directory-symlink"),
        "{findings:?}"
    );
}

#[test]
fn a_directory_that_is_too_deep_to_search_fails_the_fleet_and_the_others_are_still_checked() {
    let sandbox = Sandbox::new();
    sandbox.connector("acme");
    let deep = (0..14).fold(sandbox.work(), |path, level| path.join(format!("d{level}")));
    std::fs::create_dir_all(&deep).expect("directories");
    let error = sandbox.aos(&["check", "--recursive", "."]).error("E_DRIFT", 6);
    let summary = &error["details"]["summary"];
    assert_eq!(summary["ok"], 1, "{summary}");
    assert_eq!(summary["unsearched"].as_array().map(Vec::len), Some(1), "{summary}");
}
