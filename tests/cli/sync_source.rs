//! `aos sync-spec --from DIR`: contracts that this binary does not carry, validated before a byte is written.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::disk;
use super::sandbox::Sandbox;

/// The contracts of this repository, which the binary carries too.
fn released() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("contract")
}

/// `v1.2.0` of the harness contract in `work/specs`, made from v1.1.0 by `change`.
pub fn next_tag(sandbox: &Sandbox, change: impl Fn(&mut Value)) -> PathBuf {
    let newest = released().join("harness/v1.1.0");
    let mut contract: Value =
        serde_json::from_str(&disk::read(&newest.join("contract.json"))).unwrap();
    contract["tag"] = "v1.2.0".into();
    change(&mut contract);
    sandbox.write("specs/harness/v1.2.0/contract.json", &format!("{contract:#}\n"));
    sandbox.write("specs/harness/v1.2.0/CONNECTOR-SPEC.md", "# A later text\n");
    sandbox.work().join("specs")
}

fn sync_from<'a>(directory: &'a Path, tag: &'a str) -> [&'a str; 5] {
    ["sync-spec", "--from", directory.to_str().unwrap(), "--to", tag]
}

#[test]
fn an_identical_copy_of_a_released_tag_counts_as_embedded() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let record = disk::read(&project.join("aos.toml"));
    for directory in [released(), released().join("harness"), released().join("harness/v1.0.0")] {
        let data = sandbox.aos_in(&project, &sync_from(&directory, "v1.0.0")).data();
        assert_eq!((&data["source"], &data["status"]), (&"embedded".into(), &"moved".into()));
        assert_eq!(disk::read(&project.join("aos.toml")), record);
        sandbox.aos_in(&project, &["sync-spec", "--to", "v1.1.0"]).data();
    }
}

#[test]
fn a_new_tag_is_vendored_and_the_verdict_says_that_only_the_lock_is_trusted() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let before = disk::state(&project);
    let specs = next_tag(&sandbox, |_| {});
    let data = sandbox.aos_in(&project, &sync_from(&specs, "v1.2.0")).data();
    assert_eq!((&data["source"], &data["tag"]), (&"directory".into(), &"v1.2.0".into()));
    let verdict = sandbox.aos_in(&project, &["check"]).data();
    assert_eq!(verdict["projects"][0]["trust"], "lock");
    assert_eq!(verdict["projects"][0]["tag"], "v1.2.0");
    let text = sandbox.aos_in(&project, &["check", "--format", "text"]).stdout;
    assert!(text.contains("trusted by its lock only"), "{text}");
    std::fs::remove_dir_all(specs).unwrap();
    assert_eq!(sandbox.aos_in(&project, &["sync-spec"]).data()["status"], "unchanged");
    assert_eq!(sandbox.aos_in(&project, &["gen"]).data()["status"], "unchanged");
    sandbox.aos_in(&project, &["sync-spec", "--to", "v1.1.0"]).data();
    assert!(disk::state(&project) == before, "back at the embedded tag, with the record as it was");
}

#[test]
fn a_copy_that_only_the_lock_vouches_for_is_still_guarded() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let specs = next_tag(&sandbox, |_| {});
    sandbox.aos_in(&project, &sync_from(&specs, "v1.2.0")).data();
    let rules = |words: &str| {
        let drift = sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
        assert!(drift.to_string().contains(words), "{words}: {drift}");
    };
    let contract = project.join("contract/contract.json");
    let text = disk::read(&contract);
    disk::append(&contract, " ");
    rules("drift/modified");
    assert_ne!(sandbox.aos_in(&project, &["gen", "--check"]).exit, Some(0));
    std::fs::remove_file(&contract).unwrap();
    rules("contract/contract.json");
    std::fs::write(&contract, text).unwrap();
    sandbox.aos_in(&project, &["check"]).data();
    let lock = disk::read(&project.join(".agent/spec.lock"));
    std::fs::write(project.join(".agent/spec.lock"), lock.replace("\"directory\"", "\"embedded\""))
        .unwrap();
    rules("pin/unknown");
    std::fs::write(project.join(".agent/spec.lock"), lock).unwrap();
    disk::edit(&project.join("aos.toml"), "trust = \"lock\"\n", "");
    rules("spec/source-unavailable");
}

#[test]
fn a_changed_copy_of_a_released_tag_is_an_integrity_error() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    for file in ["contract.json", "CONNECTOR-SPEC.md"] {
        let place = format!("altered-{file}");
        for name in ["contract.json", "CONNECTOR-SPEC.md"] {
            let text = disk::read(&released().join("harness/v1.0.0").join(name));
            let text = if name == file { format!("{text}\n") } else { text };
            sandbox.write(&format!("{place}/{name}"), &text);
        }
        let before = disk::state(&project);
        let directory = sandbox.work().join(place);
        let error =
            sandbox.aos_in(&project, &sync_from(&directory, "v1.0.0")).error("E_INTEGRITY", 1);
        assert!(error["message"].as_str().unwrap().contains("never changes"), "{error}");
        assert!(disk::state(&project) == before);
    }
}

#[test]
fn a_tag_or_directory_that_is_not_there_is_not_found() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let specs = next_tag(&sandbox, |_| {});
    let before = disk::state(&project);
    sandbox.aos_in(&project, &sync_from(&specs, "v1.3.0")).error("E_NOT_FOUND", 3);
    sandbox
        .aos_in(&project, &sync_from(&specs.join("harness/v1.2.0"), "v1.3.0"))
        .error("E_NOT_FOUND", 3);
    sandbox
        .aos_in(&project, &sync_from(Path::new("/nonexistent"), "v1.2.0"))
        .error("E_NOT_FOUND", 3);
    sandbox.aos_in(&project, &["sync-spec", "--from", "/nonexistent"]).error("E_NOT_FOUND", 3);
    sandbox.aos_in(&project, &["sync-spec", "--from", ""]).error("E_USAGE", 2);
    std::fs::remove_file(specs.join("harness/v1.2.0/CONNECTOR-SPEC.md")).unwrap();
    assert_ne!(sandbox.aos_in(&project, &sync_from(&specs, "v1.2.0")).exit, Some(0));
    assert!(disk::state(&project) == before);
}

#[test]
fn a_contract_of_another_family_is_refused() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let before = disk::state(&project);
    let other = released().join("agent-cli/v1.1.0");
    assert_ne!(sandbox.aos_in(&project, &sync_from(&other, "v1.1.0")).exit, Some(0));
    let specs = next_tag(&sandbox, |contract| contract["contract"] = "agent-cli".into());
    let error = sandbox.aos_in(&project, &sync_from(&specs, "v1.2.0")).error("E_VALIDATION", 2);
    assert!(error["message"].as_str().unwrap().contains("agent-cli"), "{error}");
    assert!(disk::state(&project) == before);
}

#[test]
fn spec_text_that_is_not_utf8_is_vendored_byte_for_byte() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let specs = next_tag(&sandbox, |_| {});
    let text = specs.join("harness/v1.2.0/CONNECTOR-SPEC.md");
    std::fs::write(&text, b"# \xff\xfe\n").unwrap();
    sandbox.aos_in(&project, &sync_from(&specs, "v1.2.0")).data();
    let vendored = project.join(".agent/CONNECTOR-SPEC.md");
    assert_eq!(std::fs::read(&vendored).unwrap(), b"# \xff\xfe\n");
    std::fs::write(&vendored, b"# \xfd\xfe\n").unwrap();
    sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
}

#[test]
fn generated_code_follows_a_new_tag() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let specs = next_tag(&sandbox, |contract| {
        let code = serde_json::json!({"exit": 5, "retryable": true, "details": []});
        contract["error_codes"]["RATE_LIMITED"] = code;
    });
    sandbox.aos_in(&project, &sync_from(&specs, "v1.2.0")).data();
    let module = disk::read(&project.join("agent-harness/aos_acme/contract_gen.py"));
    assert!(module.contains("\"RATE_LIMITED\": {\"exit\": 5, \"retryable\": True},"), "{module}");
    sandbox.aos_in(&project, &["check"]).data();
}

#[test]
fn a_new_tag_that_changes_a_released_code_is_an_integrity_error() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let before = disk::state(&project);
    type Change = fn(&mut Value);
    let changes: [Change; 4] = [
        |c| c["error_codes"]["PERMISSION_DENIED"]["exit"] = 4.into(),
        |c| c["error_codes"]["BACKEND_UNAVAILABLE"]["retryable"] = false.into(),
        |c| drop(c["error_codes"].as_object_mut().unwrap().remove("NOT_FOUND")),
        |c| c["exit_codes"][0]["name"] = "fine".into(),
    ];
    for change in changes {
        let specs = next_tag(&sandbox, change);
        let error = sandbox.aos_in(&project, &sync_from(&specs, "v1.2.0")).error("E_INTEGRITY", 1);
        assert!(error["message"].as_str().unwrap().contains("must not change since"), "{error}");
        assert!(disk::state(&project) == before);
    }
}

#[test]
fn a_contract_that_would_open_the_gate_is_refused() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let before = disk::state(&project);
    let changes: [fn(&mut Value); 5] = [
        |contract| contract["modes"].as_array_mut().unwrap().reverse(),
        |contract| contract["default_mode"] = "admin".into(),
        |contract| contract["mode_env"] = "PATH".into(),
        |contract| contract["required_commands"] = serde_json::json!([]),
        |contract| contract["admin_mode"] = "readonly".into(),
    ];
    for change in changes {
        let specs = next_tag(&sandbox, change);
        let answer = sandbox.aos_in(&project, &sync_from(&specs, "v1.2.0"));
        let code = answer.json()["error"]["code"].clone();
        assert!(code == "E_INTEGRITY" || code == "E_VALIDATION", "{}", answer.stdout);
        assert!(disk::state(&project) == before);
    }
}
