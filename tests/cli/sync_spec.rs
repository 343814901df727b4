//! `aos sync-spec`: moves between tags, says what it did, and leaves alone what is not its own.

use serde_json::Value;

use super::disk;
use super::sandbox::Sandbox;

/// Files of a connector that belong to its author.
fn own_files(project: &std::path::Path) -> Vec<(String, (u64, i64, i64))> {
    let managed =
        [".agent/", "contract/", "contract_gen.py", "permissions.json", "contract_cases.py"];
    disk::identities(project)
        .into_iter()
        .filter(|(path, _)| !managed.iter().any(|part| path.contains(part)))
        .collect()
}

#[test]
fn moving_to_the_older_tag_and_back_gives_the_same_bytes() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let before = disk::state(&project);
    let preview = sandbox.aos_in(&project, &["sync-spec", "--to", "v1.0.0", "--dry-run"]).data();
    assert_eq!((&preview["previous_tag"], &preview["tag"]), (&"v1.1.0".into(), &"v1.0.0".into()));
    let data = sandbox.aos_in(&project, &["sync-spec", "--to", "v1.0.0"]).data();
    assert_eq!(data["status"], "moved");
    assert_eq!((&data["previous_tag"], &data["tag"]), (&"v1.1.0".into(), &"v1.0.0".into()));
    assert_eq!(data["newer_tag"], "v1.1.0");
    assert_eq!(disk::read(&project.join(".agent/SPEC_VERSION")), "v1.0.0\n");
    let old = disk::state(&project);
    assert_ne!(old, before);
    sandbox.aos_in(&project, &["check"]).data();
    let data = sandbox.aos_in(&project, &["sync-spec", "--to", "latest"]).data();
    assert_eq!((&data["status"], &data["newer_tag"]), (&"moved".into(), &Value::Null));
    assert_eq!(disk::state(&project), before);
    sandbox.aos_in(&project, &["sync-spec", "--to", "v1.0.0"]).data();
    assert_eq!(disk::state(&project), old);
}

#[test]
fn a_moved_project_is_the_one_that_new_makes_at_that_tag() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    sandbox.aos_in(&project, &["sync-spec", "--to", "v1.0.0"]).data();
    std::fs::create_dir(sandbox.work().join("fresh")).unwrap();
    sandbox.aos(&["new", "acme", "--no-git", "--spec", "v1.0.0", "--dir", "fresh"]).data();
    let fresh = sandbox.work().join("fresh/aos-acme");
    for path in [
        ".agent/CONNECTOR-SPEC.md",
        ".agent/spec.lock",
        "contract/contract.json",
        "agent-harness/permissions.json",
        "agent-harness/aos_acme/contract_gen.py",
        "agent-harness/tests/contract_cases.py",
    ] {
        assert_eq!(disk::read(&project.join(path)), disk::read(&fresh.join(path)), "{path}");
    }
}

#[test]
fn the_report_lists_exactly_what_changed_on_disk() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let before = disk::identities(&project);
    let data = sandbox.aos_in(&project, &["sync-spec", "--to", "v1.0.0"]).data();
    let after = disk::identities(&project);
    let changed: Vec<_> =
        after.iter().filter(|(path, now)| before.get(*path) != Some(now)).collect();
    let changed: Vec<_> = changed.into_iter().map(|(path, _)| path.as_str()).collect();
    let reported: Vec<_> = data["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["id"].as_str().unwrap())
        .collect();
    assert_eq!(changed, reported);
    assert_eq!(before.len(), after.len());
}

#[test]
fn files_of_the_author_are_not_touched() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    disk::append(&project.join("README.md"), "my notes\n");
    sandbox.write("aos-acme/agent-harness/aos_acme/extra.py", "x = 1\n");
    disk::append(&project.join("aos.toml"), "# my comment\n");
    let before = own_files(&project);
    assert!(before.len() > 30);
    sandbox.aos_in(&project, &["sync-spec", "--to", "v1.0.0"]).data();
    assert_eq!(own_files(&project), before);
}

#[test]
fn a_run_with_nothing_to_do_says_unchanged_and_writes_nothing() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let before = (disk::state(&project), disk::identities(&project));
    for arguments in [&["sync-spec"][..], &["sync-spec", "--to", "v1.1.0"], &["gen"]] {
        let data = sandbox.aos_in(&project, arguments).data();
        assert_eq!(data["status"], "unchanged", "{arguments:?}");
        assert_eq!(data["changes"], serde_json::json!([]));
    }
    assert_eq!((disk::state(&project), disk::identities(&project)), before);
    // `aos new` kept its staging directory in the ledger for as long as that was there.
    assert_eq!(
        disk::names(&sandbox.home().join(".aos")),
        ["audit.jsonl", "writes"],
        "no secret for nothing"
    );
    assert!(disk::names(&sandbox.home().join(".aos/writes")).is_empty());
}

#[test]
fn a_project_in_order_can_be_synced_where_nothing_may_be_written() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    for directory in [".agent", "contract", "."] {
        disk::set_mode(&project.join(directory), 0o555);
    }
    assert_eq!(sandbox.aos_in(&project, &["sync-spec"]).data()["status"], "unchanged");
    disk::set_mode(&project, 0o755);
}

#[test]
fn a_bare_sync_follows_an_edited_pin() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    std::fs::write(project.join(".agent/SPEC_VERSION"), "v1.0.0\n").unwrap();
    let drift = sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
    assert_eq!(drift["details"]["projects"][0]["findings"][0]["rule"], "pin/moved");
    let data = sandbox.aos_in(&project, &["sync-spec"]).data();
    assert_eq!((&data["status"], &data["tag"]), (&"moved".into(), &"v1.0.0".into()));
    sandbox.aos_in(&project, &["check"]).data();
}

#[test]
fn a_missing_managed_file_is_restored_and_the_status_is_renewed() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let before = disk::state(&project);
    for path in [
        "contract/contract.json",
        ".agent/CONNECTOR-SPEC.md",
        ".agent/SPEC_VERSION",
        ".agent/spec.lock",
        "agent-harness/permissions.json",
    ] {
        std::fs::remove_file(project.join(path)).unwrap();
        let data = sandbox.aos_in(&project, &["sync-spec"]).data();
        assert_eq!(data["status"], "renewed", "{path}");
        assert_eq!(data["changes"][0]["id"], path);
        assert_eq!(disk::state(&project), before, "{path}");
    }
}

#[test]
fn an_unknown_tag_names_the_nearest_one_and_changes_nothing() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let before = disk::state(&project);
    let error = sandbox.aos_in(&project, &["sync-spec", "--to", "v1.1.1"]).error("E_NOT_FOUND", 3);
    assert_eq!(error["details"]["known_tags"], serde_json::json!(["v1.0.0", "v1.1.0"]));
    assert!(error["details"]["fix"].as_str().unwrap().contains("--to v1.1.0"), "{error}");
    for bad in ["main", "../../x", "v1.1#", "v1.4?x=", "", "--version", "v1", "v1.1.0\n", "v01.1.0"]
    {
        let to = format!("--to={bad}");
        sandbox.aos_in(&project, &["sync-spec", &to]).error("E_VALIDATION", 2);
    }
    assert_eq!(disk::state(&project), before);
}

#[test]
fn an_unwanted_output_is_removed_only_if_aos_wrote_its_bytes() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let line = "test_cases = [\"agent-harness/tests/contract_cases.py\"]\n";
    let cases = project.join("agent-harness/tests/contract_cases.py");
    let record = disk::read(&project.join("aos.toml"));
    disk::edit(&project.join("aos.toml"), line, "");
    let data = sandbox.aos_in(&project, &["sync-spec"]).data();
    assert_eq!(data["changes"].as_array().unwrap().len(), 2, "{data}");
    assert!(!cases.exists());
    std::fs::write(project.join("aos.toml"), record).unwrap();
    sandbox.aos_in(&project, &["sync-spec"]).data();
    disk::append(&cases, "# mine\n");
    disk::edit(&project.join("aos.toml"), line, "");
    sandbox.aos_in(&project, &["sync-spec"]).data();
    assert!(disk::read(&cases).ends_with("# mine\n"));
}

#[test]
fn a_path_can_be_given_in_any_form() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let absolute = project.to_str().unwrap();
    for (tag, place, path) in [
        ("v1.0.0", sandbox.work(), "aos-acme"),
        ("v1.1.0", sandbox.work(), absolute),
        ("v1.0.0", project.join("agent-harness/tests"), "."),
        ("v1.1.0", project.join("contract"), "../agent-harness"),
    ] {
        let data = sandbox.aos_in(&place, &["sync-spec", path, "--to", tag]).data();
        assert_eq!(data["status"], "moved", "{path}");
    }
    let data = sandbox.aos(&["-C", "aos-acme", "sync-spec", "--to", "v1.0.0"]).data();
    assert_eq!(data["status"], "moved");
}

#[test]
fn a_directory_that_is_not_a_project_is_reported() {
    let sandbox = Sandbox::new();
    for command in ["sync-spec", "gen", "check"] {
        let error = sandbox.aos(&[command]).error("E_NOT_FOUND", 3);
        assert!(error["details"]["fix"].as_str().unwrap().contains("aos new"), "{error}");
        sandbox.aos(&[command, "absent"]).error("E_NOT_FOUND", 3);
    }
    assert_eq!(disk::names(&sandbox.work()), Vec::<String>::new());
}

#[test]
fn a_person_gets_a_summary_of_a_few_lines() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let answer = sandbox.aos_in(&project, &["sync-spec", "--to", "v1.0.0", "--format", "text"]);
    let first = answer.stdout.lines().next().unwrap();
    assert_eq!(first, "moved harness v1.1.0 -> v1.0.0 (5 replaced)");
    assert!(
        answer.stdout.ends_with("v1.1.0 is available: aos sync-spec --to latest\n"),
        "{answer:?}"
    );
}
