//! `aos gen`: generated files follow their sources, and only good sources.

use serde_json::{Value, json};

use super::disk;
use super::sandbox::Sandbox;

struct Scene {
    sandbox: Sandbox,
    project: std::path::PathBuf,
    manifest: Value,
}

impl Scene {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let project = sandbox.connector("acme");
        let manifest = serde_json::from_str(&disk::read(&project.join("connector.json"))).unwrap();
        Self { sandbox, project, manifest }
    }

    fn write(&self, manifest: &Value) {
        std::fs::write(self.project.join("connector.json"), format!("{manifest:#}\n")).unwrap();
    }
}

#[test]
fn an_edited_manifest_makes_check_fail_until_gen_has_run() {
    let scene = Scene::new();
    let mut manifest = scene.manifest.clone();
    manifest["commands"][0]["summary"] = "Another summary".into();
    scene.write(&manifest);
    let drift = scene.sandbox.aos_in(&scene.project, &["check", "--diff"]).error("E_DRIFT", 6);
    let finding = &drift["details"]["projects"][0]["findings"][0];
    assert_eq!(finding["rule"], "drift/stale");
    assert_eq!(finding["fix"], "run `aos gen`");
    assert!(finding["diff"].as_str().unwrap().contains("Another summary"), "{finding}");
    let data = scene.sandbox.aos_in(&scene.project, &["gen"]).data();
    assert_eq!(data["status"], "generated");
    let module = disk::read(&scene.project.join("agent-harness/aos_acme/contract_gen.py"));
    assert!(module.contains("\"Another summary\""));
    scene.sandbox.aos_in(&scene.project, &["check"]).data();
}

#[test]
fn gen_check_finds_what_gen_would_change_and_writes_nothing() {
    let scene = Scene::new();
    scene.sandbox.aos_in(&scene.project, &["gen", "--check"]).data();
    let mut manifest = scene.manifest.clone();
    manifest["connector"]["label"] = "Other".into();
    scene.write(&manifest);
    let before = disk::state(&scene.project);
    let error = scene.sandbox.aos_in(&scene.project, &["gen", "--check"]).error("E_DRIFT", 6);
    let paths: Vec<_> = error["details"]["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["agent-harness/aos_acme/contract_gen.py"]);
    assert_eq!(disk::state(&scene.project), before);
}

#[test]
fn gen_touches_only_generated_files_and_the_lock() {
    let scene = Scene::new();
    std::fs::remove_file(scene.project.join("agent-harness/permissions.json")).unwrap();
    std::fs::remove_file(scene.project.join("contract/contract.json")).unwrap();
    scene.sandbox.aos_in(&scene.project, &["gen"]).data();
    assert!(scene.project.join("agent-harness/permissions.json").exists());
    assert!(!scene.project.join("contract/contract.json").exists(), "that is for sync-spec");
    scene.sandbox.aos_in(&scene.project, &["check"]).error("E_DRIFT", 6);
}

#[test]
fn gen_with_a_moved_pin_names_the_command_that_follows_it() {
    let scene = Scene::new();
    std::fs::write(scene.project.join(".agent/SPEC_VERSION"), "v1.0.0\n").unwrap();
    let before = disk::state(&scene.project);
    for arguments in [&["gen"][..], &["gen", "--check"]] {
        let error = scene.sandbox.aos_in(&scene.project, arguments).error("E_CONFLICT", 6);
        assert!(error["details"]["fix"].as_str().unwrap().contains("aos sync-spec"), "{error}");
    }
    assert_eq!(disk::state(&scene.project), before);
}

#[test]
fn an_edited_generated_file_is_not_replaced_without_a_look() {
    let scene = Scene::new();
    let module = scene.project.join("agent-harness/aos_acme/contract_gen.py");
    let before = disk::state(&scene.project);
    disk::append(&module, "MINE = 1\n");
    let error = scene.sandbox.aos_in(&scene.project, &["gen"]).error("E_CONFIRMATION_REQUIRED", 5);
    assert!(disk::read(&module).ends_with("MINE = 1\n"));
    let token = error["details"]["confirm_token"].as_str().unwrap();
    scene.sandbox.aos_in(&scene.project, &["gen", "--confirm", token]).data();
    assert_eq!(disk::state(&scene.project), before);
}

#[test]
fn without_its_records_gen_names_what_is_missing() {
    for (path, hint) in [
        ("aos.toml", "sync-spec"),
        (".agent/SPEC_VERSION", "sync-spec"),
        (".agent/spec.lock", "sync-spec"),
    ] {
        let scene = Scene::new();
        std::fs::remove_file(scene.project.join(path)).unwrap();
        let error = scene.sandbox.aos_in(&scene.project, &["gen"]).error("E_CONFIG", 4);
        assert!(error["message"].as_str().unwrap().contains(path), "{error}");
        assert!(error["details"]["fix"].as_str().unwrap().contains(hint), "{error}");
    }
}

type Change = fn(&mut Value);

/// A change of a good manifest, and a word that the verdict must hold.
const REFUSED: [(&str, Change, &str); 24] = [
    ("a list", |m| *m = json!([]), "connector.json"),
    ("null", |m| *m = Value::Null, "connector.json"),
    ("an empty object", |m| *m = json!({}), "tool"),
    ("no commands", |m| drop(m.as_object_mut().unwrap().remove("commands")), "commands"),
    ("commands as a text", |m| m["commands"] = "x".into(), "commands"),
    ("commands as an object", |m| m["commands"] = json!({}), "commands"),
    ("a command that is a number", |m| m["commands"][0] = 1.into(), "commands[0]"),
    ("a tool that is a number", |m| m["tool"] = 1.into(), "tool"),
    ("a tool without aos-", |m| m["tool"] = "acme".into(), "tool"),
    ("a tool that is a path", |m| m["tool"] = "aos-../x".into(), "tool"),
    ("a tool that is code", |m| m["tool"] = "aos-x\"\"\"\nimport os".into(), "tool"),
    ("a backend that is a list", |m| m["backend"] = json!([]), "backend"),
    ("no auth", |m| drop(m.as_object_mut().unwrap().remove("auth")), "auth"),
    ("a key that is no variable", |m| m["auth"]["service_keys"] = json!(["a b"]), "service_keys"),
    ("keys as a text", |m| m["auth"]["service_keys"] = "KEY".into(), "service_keys"),
    ("an id in upper case", |m| m["commands"][0]["id"] = "Item.List".into(), "commands[0].id"),
    ("an id that is code", |m| m["commands"][0]["id"] = "x\": 1, \"y".into(), "commands[0].id"),
    (
        "an id that is used twice",
        |m| m["commands"][1]["id"] = m["commands"][0]["id"].clone(),
        "twice",
    ),
    ("a part that begins with a digit", |m| m["commands"][0]["id"] = "item.1st".into(), "letter"),
    (
        "an unknown mode",
        |m| m["commands"][0]["required_mode"] = "root".into(),
        "readonly, write, full, admin",
    ),
    (
        "a field that is an option of all",
        |m| m["scope"]["fields"][0]["id"] = "json".into(),
        "scope.fields[json]",
    ),
    ("a field with a dash", |m| m["scope"]["fields"][0]["id"] = "a-b".into(), "snake_case"),
    (
        "a field of an unknown command",
        |m| m["scope"]["fields"][0]["applies_to"] = json!(["no.such"]),
        "no.such",
    ),
    (
        "an unknown required field",
        |m| m["commands"][0]["required_fields"] = json!(["nope"]),
        "nope",
    ),
];

#[test]
fn each_malformed_manifest_is_refused_by_name_and_changes_nothing() {
    let scene = Scene::new();
    for (what, change, word) in REFUSED {
        let mut manifest = scene.manifest.clone();
        change(&mut manifest);
        scene.write(&manifest);
        let before = disk::state(&scene.project);
        for arguments in [
            &["gen"][..],
            &["gen", "--check"],
            &["gen", "--dry-run"],
            &["sync-spec", "--to", "v1.0.0"],
        ] {
            let error = scene.sandbox.aos_in(&scene.project, arguments).error("E_VALIDATION", 2);
            let message = error["message"].as_str().unwrap();
            assert!(message.contains(word), "{what}: {message}");
            assert!(!message.chars().any(char::is_control), "{what}: {message:?}");
        }
        let drift = scene.sandbox.aos_in(&scene.project, &["check"]).error("E_DRIFT", 6);
        assert!(drift.to_string().contains("drift/cannot-generate"), "{what}: {drift}");
        assert_eq!(disk::state(&scene.project), before, "{what}");
    }
}

#[test]
fn a_manifest_that_is_not_strict_json_is_refused() {
    let scene = Scene::new();
    let good = format!("{:#}\n", scene.manifest);
    let path = scene.project.join("connector.json");
    let twice = good.replacen("\"tool\"", "\"tool\": \"aos-acme\", \"tool\"", 1);
    let documents: [(&str, Vec<u8>); 9] = [
        ("empty", Vec::new()),
        ("cut off", good[..good.len() / 3].into()),
        ("a duplicate member", twice.into_bytes()),
        ("a byte order mark", [b"\xef\xbb\xbf", good.as_bytes()].concat()),
        ("not UTF-8", [good.as_bytes(), b"\xff"].concat()),
        ("UTF-16", good.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("followed by more", format!("{good}x").into_bytes()),
        ("half a character", good.replacen("\"Acme\"", "\"\\ud800\"", 1).into_bytes()),
        ("deeply nested", "[".repeat(200_000).into_bytes()),
    ];
    for (what, bytes) in documents {
        std::fs::write(&path, bytes).unwrap();
        let before = disk::state(&scene.project);
        let answer = scene.sandbox.aos_in(&scene.project, &["gen"]);
        assert_eq!(answer.exit, Some(2), "{what}: {answer:?}");
        answer.error("E_VALIDATION", 2);
        scene.sandbox.aos_in(&scene.project, &["check"]).error("E_DRIFT", 6);
        assert_eq!(disk::state(&scene.project), before, "{what}");
    }
    std::fs::remove_file(&path).unwrap();
    scene.sandbox.aos_in(&scene.project, &["gen"]).error("E_VALIDATION", 2);
    scene.sandbox.aos_in(&scene.project, &["check"]).error("E_DRIFT", 6);
}

#[test]
fn an_unknown_generator_is_named_with_those_that_exist() {
    let scene = Scene::new();
    disk::edit(&scene.project.join("aos.toml"), "[outputs]\n", "[outputs]\nrust = [\"x.rs\"]\n");
    let error = scene.sandbox.aos_in(&scene.project, &["gen"]).error("E_VALIDATION", 2);
    assert!(
        error["message"].as_str().unwrap().contains("permissions, python, test_cases"),
        "{error}"
    );
    scene.sandbox.aos_in(&scene.project, &["check"]).error("E_DRIFT", 6);
}
