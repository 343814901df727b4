//! Projects that aos did not make: checked by what they are, adopted without losing a byte.

use std::path::PathBuf;

use super::disk::{self, Entry};
use super::sandbox::Sandbox;

/// A hand-made connector: the tree of a generated one without anything that aos keeps.
fn hand_made(sandbox: &Sandbox) -> PathBuf {
    let project = sandbox.connector("acme");
    std::fs::remove_file(project.join("aos.toml")).unwrap();
    std::fs::remove_dir_all(project.join(".agent")).unwrap();
    std::fs::remove_dir_all(project.join("contract")).unwrap();
    std::fs::remove_file(project.join("agent-harness/aos_acme/contract_gen.py")).unwrap();
    std::fs::remove_file(project.join("agent-harness/tests/contract_cases.py")).unwrap();
    sandbox.write("aos-acme/notes.txt", "mine\n");
    project
}

#[test]
fn a_connector_without_a_record_is_checked_by_its_manifest_and_told_how_to_be_adopted() {
    let sandbox = Sandbox::new();
    let project = hand_made(&sandbox);
    let error = sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
    let report = &error["details"]["projects"][0];
    assert_eq!((&report["family"], &report["trust"]), (&"harness".into(), &"none".into()));
    let findings = report["findings"].as_array().unwrap();
    let adopt = findings.iter().find(|finding| finding["rule"] == "project/not-adopted").unwrap();
    assert_eq!(adopt["fix"], "run `aos sync-spec` to adopt the project");
    assert!(adopt["message"].as_str().unwrap().contains("connector.json"), "{adopt}");
    disk::edit(&project.join("connector.json"), "\"readonly\"", "\"root\"");
    let error = sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
    assert!(error["details"]["summary"]["by_rule"].as_array().unwrap().len() > 1, "{error}");
}

#[test]
fn adoption_adds_what_is_missing_and_keeps_every_file_that_was_there() {
    let sandbox = Sandbox::new();
    let project = hand_made(&sandbox);
    let before = disk::state(&project);
    let identities = disk::identities(&project);
    let preview = sandbox.aos_in(&project, &["sync-spec", "--dry-run"]).data();
    assert!(disk::state(&project) == before);
    let actions: Vec<_> = preview["preview"]["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["action"].as_str().unwrap())
        .collect();
    assert!(actions.iter().all(|action| *action == "create"), "{actions:?}");
    let data = sandbox.aos_in(&project, &["sync-spec"]).data();
    assert_eq!(data["status"], "adopted");
    assert!(data["notes"].to_string().contains("agent-harness/aos_acme"), "{data}");
    let after = disk::state(&project);
    for (path, entry) in &before {
        assert_eq!(after.get(path), Some(entry), "{path}");
    }
    for (path, identity) in identities {
        assert_eq!(disk::identities(&project).get(&path), Some(&identity), "{path}");
    }
    let verdict = sandbox.aos_in(&project, &["check"]).data();
    assert_eq!(verdict["projects"][0]["trust"], "embedded");
    assert_eq!(sandbox.aos_in(&project, &["sync-spec"]).data()["status"], "unchanged");
}

#[test]
fn a_file_of_the_author_where_aos_writes_is_shown_before_it_is_replaced() {
    let sandbox = Sandbox::new();
    let project = hand_made(&sandbox);
    let mine = "{\"commands\": {}, \"mine\": true}\n";
    std::fs::write(project.join("agent-harness/permissions.json"), mine).unwrap();
    sandbox.write("aos-acme/contract/contract.json", "{\"mine\": 1}\n");
    let before = disk::state(&project);
    let error = sandbox.aos_in(&project, &["sync-spec"]).error("E_CONFIRMATION_REQUIRED", 5);
    let lost = serde_json::json!(["agent-harness/permissions.json", "contract/contract.json"]);
    assert_eq!(error["details"]["would_lose"], lost);
    assert!(disk::state(&project) == before);
    let token = error["details"]["confirm_token"].as_str().unwrap();
    assert_eq!(
        sandbox.aos_in(&project, &["sync-spec", "--confirm", token]).data()["status"],
        "adopted"
    );
    sandbox.aos_in(&project, &["check"]).data();
}

#[test]
fn the_module_goes_to_the_package_that_the_script_starts_and_to_no_stray_one() {
    let sandbox = Sandbox::new();
    let project = hand_made(&sandbox);
    sandbox.write("aos-acme/agent-harness/a/__init__.py", "");
    sandbox.write("aos-acme/agent-harness/tests/__init__.py", "");
    sandbox.aos_in(&project, &["sync-spec"]).data();
    assert!(project.join("agent-harness/aos_acme/contract_gen.py").exists());
    assert!(!project.join("agent-harness/a/contract_gen.py").exists());
    assert!(!project.join("agent-harness/tests/contract_gen.py").exists());
}

#[test]
fn adoption_at_the_older_tag_and_a_kill_in_the_middle_of_it() {
    let sandbox = Sandbox::new();
    let without_permissions = || {
        let project = hand_made(&sandbox);
        std::fs::remove_file(project.join("agent-harness/permissions.json")).unwrap();
        project
    };
    let project = without_permissions();
    let before = disk::state(&project);
    for point in ["apply:staged", "apply:before-edit-0", "apply:before-edit-3", "apply:edited"] {
        let mut command = sandbox.command(&["sync-spec", "--to", "v1.0.0"]);
        let killed =
            super::sandbox::run(command.current_dir(&project).env("AOS_TEST_KILL_AT", point));
        assert_eq!(killed.exit, None, "{point}");
        let data = sandbox.aos_in(&project, &["sync-spec", "--to", "v1.0.0"]).data();
        assert_eq!(
            (&data["status"], &data["tag"]),
            (&"adopted".into(), &"v1.0.0".into()),
            "{point}"
        );
        sandbox.aos_in(&project, &["check"]).data();
        std::fs::remove_dir_all(&project).unwrap();
        without_permissions();
        assert!(disk::state(&project) == before);
    }
}

#[test]
fn a_record_that_was_deleted_is_made_again_with_every_output() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let record = disk::read(&project.join("aos.toml"));
    let outputs = |text: &str| text.split("[outputs]").nth(1).unwrap().to_owned();
    std::fs::remove_file(project.join("aos.toml")).unwrap();
    assert_eq!(sandbox.aos_in(&project, &["sync-spec"]).data()["status"], "adopted");
    assert_eq!(outputs(&disk::read(&project.join("aos.toml"))), outputs(&record));
    sandbox.aos_in(&project, &["check"]).data();
}

#[test]
fn a_tool_that_vendors_a_cli_contract_is_adopted_as_one() {
    let sandbox = Sandbox::new();
    let project = sandbox.work().join("tool");
    let contract = concat!(env!("CARGO_MANIFEST_DIR"), "/contract/agent-cli/v1.0.0/contract.json");
    sandbox.write("tool/contract/contract.json", &disk::read(contract.as_ref()));
    sandbox.write("tool/main.go", "package main\n");
    let error = sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
    assert_eq!(error["details"]["projects"][0]["family"], "agent-cli");
    let data = sandbox.aos_in(&project, &["sync-spec", "--to", "v1.0.0"]).data();
    assert_eq!(data["status"], "adopted");
    assert!(
        matches!(&disk::state(&project)["main.go"], Entry::File { bytes, .. } if bytes == b"package main\n")
    );
    sandbox.aos_in(&project, &["check"]).data();
    assert_eq!(
        sandbox.aos_in(&project, &["sync-spec", "--to", "v1.1.0"]).data()["status"],
        "moved"
    );
    sandbox.aos_in(&project, &["check"]).data();
}
