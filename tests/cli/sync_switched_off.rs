//! `aos sync-spec` never switches a working connector off: both keys of `permissions.json` at every tag, and a move
//! that would deny calls is refused before anything is written.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::disk;
use super::sandbox::Sandbox;

/// An edit of `permissions.json` by hand.
type Change = fn(&mut Value);

const PERMISSIONS: &str = "agent-harness/permissions.json";

fn permissions(project: &Path) -> Value {
    serde_json::from_str(&disk::read(&project.join(PERMISSIONS))).expect("JSON")
}

/// A connector whose own gate reads `permissions`, as nearly all of the fleet do; aos never saw it.
fn hand_made(sandbox: &Sandbox) -> PathBuf {
    let project = sandbox.connector("acme");
    for path in ["aos.toml", "agent-harness/aos_acme/contract_gen.py"] {
        std::fs::remove_file(project.join(path)).expect("a file");
    }
    for path in [".agent", "contract"] {
        std::fs::remove_dir_all(project.join(path)).expect("a directory");
    }
    let mut document = permissions(&project);
    document.as_object_mut().expect("an object").remove("commands");
    write(&project, &document);
    project
}

fn write(project: &Path, document: &Value) {
    std::fs::write(project.join(PERMISSIONS), format!("{document:#}\n")).expect("a file");
}

/// Refused with and without a preview; nothing changes.
fn refused(sandbox: &Sandbox, project: &Path, arguments: &[&str]) -> Value {
    let before = disk::state(project);
    let error = sandbox.aos_in(project, arguments).error("E_VALIDATION", 2);
    let preview = sandbox.aos_in(project, &[arguments, &["--dry-run"]].concat());
    assert_eq!(preview.error("E_VALIDATION", 2)["message"], error["message"]);
    assert!(disk::state(project) == before, "a refused move wrote something");
    error
}

#[test]
fn every_tag_has_both_keys_and_they_are_equal() {
    let sandbox = Sandbox::new();
    for tag in ["v1.0.0", "v1.1.0"] {
        std::fs::create_dir(sandbox.work().join(tag)).expect("a directory");
        sandbox.aos(&["new", "acme", "--no-git", "--spec", tag, "--dir", tag]).data();
        let project = sandbox.work().join(tag).join("aos-acme");
        let made = permissions(&project);
        assert!(made["permissions"].as_object().is_some_and(|map| map.len() > 5), "{made}");
        assert_eq!(made["permissions"], made["commands"], "{tag}");
        sandbox.aos_in(&project, &["check"]).data();
    }
}

#[test]
fn a_move_to_the_older_tag_keeps_what_the_host_and_the_gate_read() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let before = permissions(&project);
    sandbox.aos_in(&project, &["sync-spec", "--to", "v1.0.0"]).data();
    assert_eq!(permissions(&project), before);
    let table = disk::read(&project.join("agent-harness/aos_acme/contract_gen.py"));
    assert!(table.contains("SPEC_TAG = \"v1.0.0\""), "the project moved");
    assert!(table.contains("MODE_ENV = \"AOS_MODE\""), "the workflow runner passes no --mode");
    assert!(table.contains("HEALTH_ENVELOPE_KEYS = (\"status\", \"runtime_ready\""), "{table}");
}

#[test]
fn check_names_the_key_that_is_missing_at_every_tag() {
    let sandbox = Sandbox::new();
    for tag in ["v1.0.0", "v1.1.0"] {
        std::fs::create_dir(sandbox.work().join(tag)).expect("a directory");
        sandbox.aos(&["new", "acme", "--no-git", "--spec", tag, "--dir", tag]).data();
        let project = sandbox.work().join(tag).join("aos-acme");
        for key in ["permissions", "commands"] {
            let whole = permissions(&project);
            let mut document = whole.clone();
            document.as_object_mut().expect("an object").remove(key);
            write(&project, &document);
            let error = sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6).to_string();
            assert!(error.contains("permissions/key-missing"), "{tag}: {error}");
            sandbox.aos_in(&project, &["sync-spec"]).error("E_CONFIRMATION_REQUIRED", 5);
            write(&project, &whole);
        }
    }
}

#[test]
fn an_adopted_connector_keeps_the_key_that_its_gate_reads() {
    let sandbox = Sandbox::new();
    for tag in ["v1.0.0", "v1.1.0"] {
        let project = hand_made(&sandbox);
        let before = permissions(&project);
        let error = sandbox.aos_in(&project, &["sync-spec", "--to", tag]);
        let error = error.error("E_CONFIRMATION_REQUIRED", 5);
        let token = error["details"]["confirm_token"].as_str().expect("a token").to_owned();
        sandbox.aos_in(&project, &["sync-spec", "--to", tag, "--confirm", &token]).data();
        assert_eq!(permissions(&project)["permissions"], before["permissions"], "{tag}");
        assert_eq!(permissions(&project)["commands"], before["permissions"], "{tag}");
        std::fs::remove_dir_all(&project).expect("a directory");
    }
}

#[test]
fn an_adoption_that_would_deny_calls_is_refused() {
    let sandbox = Sandbox::new();
    let changes: [(&str, Change, &str, Value); 4] = [
        (
            "a command that only the gate knows",
            |document| document["permissions"]["item.export"] = json!("readonly"),
            "item.export",
            json!([{"loss": "command", "command": "item.export"}]),
        ),
        (
            "a mode that is lower than that of the manifest",
            |document| document["permissions"]["item.delete"] = json!("write"),
            "item.delete",
            json!([{"loss": "mode", "command": "item.delete", "mode": "write", "mode_after": "admin"}]),
        ),
        (
            "a mode that the contract does not know, which the host takes for the lowest",
            |document| document["permissions"]["item.create"] = json!("anyone"),
            "item.create",
            json!([{"loss": "mode", "command": "item.create", "mode": "anyone", "mode_after": "write"}]),
        ),
        (
            "a key of its own",
            |document| document["tiers"] = json!({"item.get": "readonly"}),
            "tiers",
            json!([{"loss": "key", "key": "tiers"}]),
        ),
    ];
    for (name, change, word, denied) in changes {
        let project = hand_made(&sandbox);
        let mut document = permissions(&project);
        change(&mut document);
        write(&project, &document);
        for arguments in [&["sync-spec"][..], &["sync-spec", "--to", "v1.0.0"]] {
            let error = refused(&sandbox, &project, arguments);
            assert_eq!(error["details"]["denied"], denied, "{name}");
            assert!(error["message"].as_str().is_some_and(|text| text.contains(word)), "{error}");
            assert!(error["details"]["fix"].is_string(), "{error}");
        }
        std::fs::remove_dir_all(&project).expect("a directory");
    }
}

#[test]
fn a_move_of_a_manifest_that_takes_commands_away_is_refused_until_gen_has_run() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    disk::edit(
        &project.join("connector.json"),
        "\"required_mode\": \"write\"",
        "\"required_mode\": \"full\"",
    );
    let error = refused(&sandbox, &project, &["sync-spec", "--to", "v1.0.0"]);
    assert!(error["details"]["fix"].as_str().is_some_and(|hint| hint.contains("aos gen")));
    sandbox.aos_in(&project, &["gen"]).data();
    sandbox.aos_in(&project, &["sync-spec", "--to", "v1.0.0"]).data();
}

#[test]
fn a_contract_under_which_the_grant_of_the_operator_counts_for_nothing_is_refused() {
    let sandbox = Sandbox::new();
    let released = Path::new(env!("CARGO_MANIFEST_DIR")).join("contract/harness/v1.1.0");
    let text = disk::read(&released.join("contract.json"));
    let other = text.replace("\"v1.1.0\"", "\"v7.0.0\"").replace("AOS_MODE", "AOS_TIER");
    sandbox.write("other/harness/v7.0.0/contract.json", &other);
    let spec = disk::read(&released.join("CONNECTOR-SPEC.md"));
    sandbox.write("other/harness/v7.0.0/CONNECTOR-SPEC.md", &spec);
    let directory = sandbox.work().join("other");
    let from = directory.to_str().expect("UTF-8");
    let project = sandbox.connector("acme");
    let before = disk::state(&project);
    for extra in [&[][..], &["--dry-run"]] {
        let arguments = [&["sync-spec", "--from", from, "--to", "v7.0.0"], extra].concat();
        let error = sandbox.aos_in(&project, &arguments).error("E_INTEGRITY", 1);
        assert!(error["message"].as_str().is_some_and(|text| text.contains("mode_env")), "{error}");
    }
    assert!(disk::state(&project) == before);
}

#[test]
fn permissions_that_were_loosened_by_hand_are_drift_and_no_reason_to_refuse() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let good = permissions(&project);
    let mut document = good.clone();
    document["permissions"]["item.delete"] = json!("readonly");
    write(&project, &document);
    let error = sandbox.aos_in(&project, &["sync-spec", "--to", "v1.0.0"]);
    let error = error.error("E_CONFIRMATION_REQUIRED", 5);
    let token = error["details"]["confirm_token"].as_str().expect("a token").to_owned();
    sandbox.aos_in(&project, &["sync-spec", "--to", "v1.0.0", "--confirm", &token]).data();
    assert_eq!(permissions(&project), good);
}
