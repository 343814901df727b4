//! A signed release is found, verified, vendored, and everybody is told who signed it.

use serde_json::{Value, json};

use crate::disk;
use crate::sandbox::run;
use crate::spec_release::scene::{
    Entry, Release, SOURCE, SPEC_TEXT, Scene, contract, latest, page, signer, tagged,
};
use crate::spec_release::server::Reply;

#[test]
fn a_signed_release_is_vendored_and_the_answer_says_who_signed_it() {
    let scene = Scene::new();
    scene.publish(&Release::new("v1.2.0"));
    let data = scene.sync(&["--to", "v1.2.0"]).data();
    assert_eq!(data["status"], "moved");
    assert_eq!((&data["tag"], &data["previous_tag"]), (&json!("v1.2.0"), &json!("v1.1.0")));
    assert_eq!(data["source"], SOURCE);
    assert_eq!(data["trust"], "signed");
    assert_eq!(data["signer"], signer("v1.2.0"));
    assert_eq!(data["release_url"], page("v1.2.0"));
    assert_eq!(data["newer_tag"], Value::Null);
    let vendored = std::fs::read(scene.project.join("contract/contract.json")).unwrap();
    assert_eq!(vendored, contract("v1.2.0", |_| {}));
    let text = std::fs::read(scene.project.join(".agent/CONNECTOR-SPEC.md")).unwrap();
    assert_eq!(text, SPEC_TEXT);
    assert_eq!(disk::read(&scene.project.join(".agent/SPEC_VERSION")), "v1.2.0\n");
    let lock = disk::read(&scene.project.join(".agent/spec.lock"));
    assert!(lock.contains(&format!("source = \"{SOURCE}\"\n")), "{lock}");
    let verdict = scene.check().data();
    let project = &verdict["projects"][0];
    assert_eq!((&project["trust"], &project["source"]), (&json!("signed"), &json!(SOURCE)));
    assert_eq!(project["signer"], signer("v1.2.0"));
    assert_eq!(run(&mut scene.trusting(&["gen", "--check"])).data()["trust"], "signed");
}

#[test]
fn a_person_is_told_who_signed_it() {
    let scene = Scene::new();
    scene.publish(&Release::new("v1.2.0"));
    let text = scene.sync(&["--to", "v1.2.0", "--format", "text"]).stdout;
    assert!(text.contains(&format!("signed by {}", signer("v1.2.0"))), "{text}");
    let text = run(&mut scene.trusting(&["check", "--format", "text"])).stdout;
    assert!(text.contains(&format!("signed by {SOURCE}")), "{text}");
}

#[test]
fn the_newest_release_is_the_one_that_the_host_names() {
    let scene = Scene::new();
    scene.publish(&Release::new("v1.2.0"));
    scene.publish(&Release::new("v1.3.0"));
    let data = scene.sync(&["--to", "latest"]).data();
    assert_eq!((&data["tag"], &data["trust"]), (&json!("v1.3.0"), &json!("signed")));
    assert_eq!(scene.sync(&["--to", "latest"]).data()["status"], "unchanged");
    assert_eq!(scene.sync(&["--to", "v1.2.0"]).data()["status"], "moved");
    assert_eq!(scene.sync(&[]).data()["tag"], "v1.2.0");
}

#[test]
fn a_host_that_falls_behind_moves_no_pin() {
    let scene = Scene::new();
    scene.publish(&Release::new("v1.2.0"));
    scene.publish(&Release::new("v1.3.0"));
    scene.sync(&["--to", "latest"]).data();
    let before = disk::state(&scene.project);
    scene.server.set(&latest(), scene.server.reply(&tagged("v1.2.0")));
    let data = scene.sync(&["--to", "latest"]).data();
    assert_eq!((&data["status"], &data["tag"]), (&json!("unchanged"), &json!("v1.3.0")));
    assert!(data["notes"][0].as_str().unwrap().contains("older than the pin"), "{data}");
    assert!(disk::state(&scene.project) == before);
}

#[test]
fn a_contract_is_found_wherever_a_directory_may_hold_it() {
    for place in ["harness/v1.2.0/", "contract/harness/v1.2.0/", "v1.2.0/", ""] {
        let scene = Scene::new();
        let file = |name: &str, bytes: &[u8]| {
            Entry::File(format!("contract-v1.2.0/{place}{name}"), bytes.to_vec())
        };
        scene.publish(&Release::packing(
            "v1.2.0",
            &[
                file("contract.json", &contract("v1.2.0", |_| {})),
                file("CONNECTOR-SPEC.md", SPEC_TEXT),
                Entry::File("contract-v1.2.0/agent-cli/v1.2.0/contract.json".into(), b"{}".into()),
            ],
        ));
        assert_eq!(scene.sync(&["--to", "v1.2.0"]).data()["tag"], "v1.2.0", "{place}");
    }
}

#[test]
fn the_record_can_name_another_directory_of_the_contract() {
    let scene = Scene::new();
    let place =
        "prefix = \"specs/agents\"\nfiles = { contract = \"rules.json\", spec = \"text/SPEC.md\" }";
    scene.record(&format!("\"{SOURCE}\""), &format!("\"{SOURCE}\"\n{place}"));
    let file = |name: &str, bytes: &[u8]| {
        Entry::File(format!("contract-v1.2.0/specs/agents/{name}"), bytes.to_vec())
    };
    scene.publish(&Release::packing(
        "v1.2.0",
        &[
            file("rules.json", &contract("v1.2.0", |_| {})),
            file("text/SPEC.md", SPEC_TEXT),
            Entry::File("contract-v1.2.0/rules.json".into(), b"not this one".into()),
        ],
    ));
    let record = disk::read(&scene.project.join("aos.toml"));
    scene.sync(&["--to", "v1.2.0"]).data();
    assert_eq!(disk::read(&scene.project.join("aos.toml")), record);
    assert!(scene.project.join("contract/contract.json").exists());
    assert!(scene.project.join(".agent/CONNECTOR-SPEC.md").exists());
    scene.check().data();
}

#[test]
fn the_other_family_follows_a_source_as_well() {
    let scene = Scene::new();
    let tool = scene.sandbox.work().join("tool");
    let released =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("contract/agent-cli/v1.2.0");
    let text = disk::read(&released.join("contract.json")).replace("\"v1.2.0\"", "\"v1.4\"");
    scene.sandbox.write(
        "tool/aos.toml",
        &format!("family = \"agent-cli\"\n[spec]\nsource = \"{SOURCE}\"\n"),
    );
    let top = "contract-v1.4/agent-cli/v1.4";
    scene.publish(&Release::packing(
        "v1.4",
        &[
            Entry::File(format!("{top}/contract.json"), text.into_bytes()),
            Entry::File(format!("{top}/CLI-SPEC.md"), b"# Text\n".to_vec()),
        ],
    ));
    // A tag of two numbers, and no pin yet: the newest release it is.
    let data = run(scene.trusting(&["sync-spec"]).current_dir(&tool)).data();
    assert_eq!((&data["tag"], &data["trust"]), (&json!("v1.4"), &json!("signed")));
    run(scene.trusting(&["check"]).current_dir(&tool)).data();
}

#[test]
fn a_tag_that_the_program_carries_needs_no_host_to_be_checked() {
    let scene = Scene::new();
    let released = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("contract/harness/v1.1.0");
    let file = |name: &str| {
        let bytes = std::fs::read(released.join(name)).unwrap();
        Entry::File(format!("contract-v1.1.0/harness/v1.1.0/{name}"), bytes)
    };
    scene.publish(&Release::packing("v1.1.0", &[file("contract.json"), file("CONNECTOR-SPEC.md")]));
    let data = scene.sync(&[]).data();
    assert_eq!((&data["source"], &data["trust"]), (&json!(SOURCE), &json!("signed")));
    scene.forget();
    let verdict = scene.offline(&["check"]).data();
    assert_eq!(verdict["projects"][0]["trust"], "embedded");
    scene.offline(&["gen", "--check"]).data();
}

#[test]
fn a_dry_run_says_the_same_and_keeps_the_project() {
    let scene = Scene::new();
    scene.publish(&Release::new("v1.2.0"));
    let before = disk::state(&scene.project);
    let data = scene.sync(&["--to", "v1.2.0", "--dry-run"]).data();
    assert_eq!((&data["source"], &data["trust"]), (&json!(SOURCE), &json!("signed")));
    assert_eq!((&data["signer"], &data["tag"]), (&json!(signer("v1.2.0")), &json!("v1.2.0")));
    assert!(disk::state(&scene.project) == before);
    let token = data["confirm_token"].as_str().unwrap();
    let data = scene.sync(&["--to", "v1.2.0", "--confirm", token]).data();
    assert_eq!(data["status"], "moved");
    scene.check().data();
}

#[test]
fn work_that_would_be_lost_needs_a_confirm_token() {
    let scene = Scene::new();
    scene.publish(&Release::new("v1.2.0"));
    disk::append(&scene.project.join("contract/contract.json"), " ");
    let before = disk::state(&scene.project);
    let error = scene.sync(&["--to", "v1.2.0"]).error("E_CONFIRMATION_REQUIRED", 5);
    assert_eq!(error["details"]["signer"], signer("v1.2.0"));
    assert!(disk::state(&scene.project) == before);
    let token = error["details"]["confirm_token"].as_str().unwrap();
    scene.sync(&["--to", "v1.2.0", "--confirm", token]).data();
    scene.check().data();
}

#[test]
fn a_directory_replaces_the_source_only_if_the_user_names_it() {
    let scene = Scene::at_the_release();
    let specs = crate::sync_source::next_tag(&scene.sandbox, |_| {});
    let from = specs.to_str().unwrap();
    let data = scene.sync(&["--from", from]).data();
    assert_eq!((&data["source"], &data["trust"]), (&json!("directory"), &json!("lock")));
    assert!(data["notes"][0].as_str().unwrap().contains(SOURCE), "{data}");
    let record = disk::read(&scene.project.join("aos.toml"));
    assert!(record.contains("source = \"directory\"") && !record.contains(SOURCE), "{record}");
    scene.check().data();
}

#[test]
fn spec_text_that_is_not_utf8_is_vendored_byte_for_byte() {
    let scene = Scene::new();
    let top = "contract-v1.2.0/v1.2.0";
    let text = b"# \xff\xfe\r\n";
    scene.publish(&Release::packing(
        "v1.2.0",
        &[
            Entry::File(format!("{top}/contract.json"), contract("v1.2.0", |_| {})),
            Entry::File(format!("{top}/CONNECTOR-SPEC.md"), text.to_vec()),
        ],
    ));
    scene.sync(&["--to", "v1.2.0"]).data();
    let vendored = scene.project.join(".agent/CONNECTOR-SPEC.md");
    assert_eq!(std::fs::read(&vendored).unwrap(), text);
    std::fs::write(&vendored, b"# \xfd\xfe\r\n").unwrap();
    scene.check().error("E_DRIFT", 6);
}

#[test]
fn a_project_without_its_record_is_adopted_with_the_source_of_its_lock() {
    let scene = Scene::at_the_release();
    std::fs::remove_file(scene.project.join("aos.toml")).unwrap();
    scene.check().error("E_DRIFT", 6);
    let data = scene.sync(&[]).data();
    assert_eq!((&data["status"], &data["source"]), (&json!("adopted"), &json!(SOURCE)));
    assert_eq!(data["trust"], "signed");
    assert!(data["notes"].to_string().contains(SOURCE), "{data}");
    scene.check().data();
}

#[test]
fn a_subdirectory_is_as_good_as_the_root() {
    let scene = Scene::at_the_release();
    let inside = scene.project.join("agent-harness");
    run(scene.trusting(&["check"]).current_dir(&inside)).data();
    run(scene.trusting(&["sync-spec"]).current_dir(&inside)).data();
}

#[test]
fn the_token_goes_to_nobody_but_the_host_it_is_for() {
    let scene = Scene::new();
    scene.publish(&Release::new("v1.2.0"));
    run(scene.trusting(&["sync-spec", "--to", "v1.2.0"]).env("GITHUB_TOKEN", "sentinel")).data();
    let asked = scene.server.asked();
    assert_eq!(asked.len(), 4, "{asked:?}");
    assert!(asked.iter().all(|asked| asked.authorization.is_none()), "{asked:?}");
}

#[test]
fn a_source_that_is_not_a_repository_is_refused_with_the_member() {
    for source in ["github:acme", "github:acme/../x", "github:acme/specs@main", "git:acme/specs"] {
        let scene = Scene::new();
        scene.record(SOURCE, source);
        let error = scene.sync(&["--to", "v1.2.0"]).error("E_CONFIG", 4);
        assert!(error["message"].as_str().unwrap().contains("spec.source"), "{error}");
        let error = scene.check().error("E_DRIFT", 6);
        assert!(error.to_string().contains("spec.source"), "{error}");
        assert!(scene.server.asked().is_empty(), "{source}");
    }
}

#[test]
fn text_that_is_not_a_tag_never_reaches_the_host() {
    let scene = Scene::at_the_release();
    for tag in ["main", "../../other/repo", "v1.2.0#", "v1.2.0?x=1", "--from", ""] {
        let answer = scene.sync(&[&format!("--to={tag}")]);
        assert!([Some(2)].contains(&answer.exit), "{tag}: {answer:?}");
        std::fs::write(scene.project.join(".agent/SPEC_VERSION"), format!("{tag}\n")).unwrap();
        assert_ne!(scene.sync(&[]).exit, Some(0), "{tag}");
        assert_ne!(scene.check().exit, Some(0), "{tag}");
    }
    assert!(scene.server.asked().is_empty());
}

#[test]
fn a_release_description_may_not_name_another_tag_or_repeat_itself() {
    let scene = Scene::new();
    scene.publish(&Release::new("v1.2.0"));
    scene.publish(&Release::new("v1.3.0"));
    scene.server.set(&tagged("v1.2.0"), scene.server.reply(&tagged("v1.3.0")));
    let error = scene.sync(&["--to", "v1.2.0"]).error("E_INTEGRITY", 1);
    assert_eq!(error["details"]["cause"], "other_release");
    for body in [
        json!({"assets": []}),
        json!({"tag_name": "main", "assets": []}),
        json!({"tag_name": "v1.3.0", "draft": true, "assets": []}),
        json!({"tag_name": "v1.3.0"}),
    ] {
        scene.server.set(&latest(), Reply::json(&body));
        let error = scene.sync(&["--to", "latest"]).error("E_INTEGRITY", 1);
        assert_eq!(error["details"]["cause"], "malformed_release", "{body}");
    }
}
