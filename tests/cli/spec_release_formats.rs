//! Contracts in another format than ours: the member is named, and so is what to do.

use serde_json::json;

use crate::disk;
use crate::sandbox::run;
use crate::spec_release::scene::{Entry, SOURCE, Scene};

/// A contract as repositories published it before there was a format with family and tag in it.
fn older() -> Vec<u8> {
    let document = json!({
        "contract_version": "1.0",
        "envelope": {"schema_version_value": "1.0", "success_keys": ["ok", "data"]},
        "error_codes": {"core": {"E_USAGE": {"exit": 2, "retryable": false}}},
        "extension": {"file": "contract-ext.json", "note": "own codes"},
    });
    document.to_string().into_bytes()
}

fn tool(scene: &Scene) -> std::path::PathBuf {
    let record = format!(
        "family = \"agent-cli\"\n[spec]\nsource = \"{SOURCE}\"\ntrust = \"lock\"\n\
         files = {{ contract = \"contract/contract.json\", spec = \".agent/CLI-SPEC.md\" }}\n"
    );
    scene.sandbox.write("tool/aos.toml", &record);
    scene.sandbox.work().join("tool")
}

fn published(contract: Vec<u8>) -> Vec<Entry> {
    vec![
        Entry::File("acme-specs-1/contract/contract.json".into(), contract),
        Entry::File("acme-specs-1/.agent/CLI-SPEC.md".into(), b"# Text\n".to_vec()),
    ]
}

#[test]
fn a_contract_of_an_older_format_is_named_with_what_is_expected() {
    let scene = Scene::without_source();
    let tool = tool(&scene);
    scene.pack("v1.6.2", &published(older()));
    let before = disk::state(&tool);
    let answer = run(scene.trusting(&["sync-spec", "--to", "v1.6.2"]).current_dir(&tool));
    let error = answer.error("E_VALIDATION", 2);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("member `contract`: it does not exist"), "{message}");
    assert!(message.contains("contract/contract.json in v1.6.2 of github:acme/specs"), "{message}");
    assert_eq!(error["details"]["member"], "contract");
    let hint = error["details"]["fix"].as_str().unwrap();
    assert!(hint.contains("contract.schema.json") && hint.contains("new tag"), "{hint}");
    assert!(disk::state(&tool) == before);
}

#[test]
fn a_member_that_the_format_does_not_have_is_named() {
    let scene = Scene::without_source();
    let tool = tool(&scene);
    let released =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("contract/agent-cli/v1.1.0");
    let text = disk::read(&released.join("contract.json")).replace("\"v1.1.0\"", "\"v1.6.2\"");
    let mut contract: serde_json::Value = serde_json::from_str(&text).unwrap();
    contract["self_description"]["update"]["note"] = "text".into();
    scene.pack("v1.6.2", &published(contract.to_string().into_bytes()));
    let answer = run(scene.trusting(&["sync-spec", "--to", "v1.6.2"]).current_dir(&tool));
    let error = answer.error("E_VALIDATION", 2);
    assert!(
        error["details"]["member"].as_str().unwrap().contains("self_description.update"),
        "{error}"
    );
}

#[test]
fn a_directory_in_an_older_format_gets_the_same_answer() {
    let scene = Scene::without_source();
    scene.sandbox.write("old/contract.json", std::str::from_utf8(&older()).unwrap());
    scene.sandbox.write("old/CLI-SPEC.md", "# Text\n");
    let tool = tool(&scene);
    let from = scene.sandbox.work().join("old");
    let arguments = ["sync-spec", "--from", from.to_str().unwrap()];
    let error = run(scene.trusting(&arguments).current_dir(tool)).error("E_VALIDATION", 2);
    assert_eq!(error["details"]["member"], "contract");
}

#[test]
fn a_contract_that_lacks_a_promise_of_released_tags_is_refused() {
    let scene = Scene::without_source();
    let tool = tool(&scene);
    let released =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("contract/agent-cli/v1.2.0");
    let text = disk::read(&released.join("contract.json")).replace("\"v1.2.0\"", "\"v1.6.2\"");
    let fork = |place: &str, value: serde_json::Value| {
        let mut contract: serde_json::Value = serde_json::from_str(&text).unwrap();
        *contract.pointer_mut(place).unwrap() = value;
        published(contract.to_string().into_bytes())
    };
    for (place, value, named) in [
        ("/exit_codes/table/5", json!("success"), "exit_codes.table.5"),
        ("/http_status/401", json!("E_SERVER"), "http_status.401"),
        ("/envelope/meta_required_keys", json!([]), "envelope.meta_required_keys"),
        ("/envelope/error_object_keys", json!(["code"]), "envelope.error_object_keys"),
        ("/write/dry_run_keys", json!(["preview"]), "write.dry_run_keys"),
        ("/untrusted_key", json!("trusted"), "untrusted_key"),
        ("/extension/human_action_exit", json!(1), "extension.human_action_exit"),
        (
            "/self_description/reference/required_keys",
            json!(["tool", "version"]),
            "self_description.reference.required_keys",
        ),
    ] {
        scene.pack("v1.6.2", &fork(place, value));
        let answer = run(scene.trusting(&["sync-spec", "--to", "v1.6.2"]).current_dir(&tool));
        let error = answer.error("E_INTEGRITY", 1);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(named), "{place}: {message}");
    }
    scene.pack("v1.6.2", &fork("/write/confirm_policies", json!(["always"])));
    run(scene.trusting(&["sync-spec", "--to", "v1.6.2"]).current_dir(&tool)).data();
}

#[test]
fn a_contract_that_grew_from_an_older_tag_learns_which_tag_it_can_have() {
    let scene = Scene::without_source();
    let tool = tool(&scene);
    let released =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("contract/agent-cli/v1.1.0");
    let text = disk::read(&released.join("contract.json"));
    let grown = |tag: &str| {
        let mut contract: serde_json::Value = serde_json::from_str(&text).unwrap();
        contract["tag"] = tag.into();
        let keys = &mut contract["self_description"]["reference"]["command_keys"];
        keys.as_array_mut().unwrap().push("owner".into());
        published(contract.to_string().into_bytes())
    };
    // Tags have one order, so a later one keeps what v1.2.0 promises, whatever it grew from.
    scene.pack("v1.6.2", &grown("v1.6.2"));
    let answer = run(scene.trusting(&["sync-spec", "--to", "v1.6.2"]).current_dir(&tool));
    let error = answer.error("E_INTEGRITY", 1);
    let message = error["message"].as_str().unwrap();
    let hint = error["details"]["fix"].as_str().unwrap();
    for word in ["`self_description.reference.", "without", "since `v1.2.0`"] {
        assert!(message.contains(word), "{word}: {message}");
    }
    for word in ["`v1.1.0`", "`v1.2.0`", "`v1.1.1`"] {
        assert!(hint.contains(word), "{word}: {hint}");
    }
    scene.pack("v1.1.1", &grown("v1.1.1"));
    run(scene.trusting(&["sync-spec", "--to", "v1.1.1"]).current_dir(&tool)).data();
}
