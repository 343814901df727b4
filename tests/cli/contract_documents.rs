//! Malformed and hostile contract documents: refused with the member named, before anything is written.

use serde_json::{Value, json};

use super::disk;
use super::sandbox::Sandbox;
use super::sync_source::next_tag;

type Change = fn(&mut Value);

/// A change of v1.1.0, and a word that the verdict must hold.
const REFUSED: [(&str, Change, &str); 33] = [
    ("an unknown member", |c| c["surprise"] = 1.into(), "surprise"),
    ("an unknown inner member", |c| c["envelope"]["x"] = 1.into(), "envelope"),
    ("a prototype", |c| c["error_codes"]["__proto__"] = json!({"exit": 2}), "__proto__"),
    ("a missing member", |c| drop(c.as_object_mut().unwrap().remove("modes")), "modes"),
    ("no tag", |c| drop(c.as_object_mut().unwrap().remove("tag")), "tag"),
    ("a tag that is a number", |c| c["tag"] = 1.into(), "tag"),
    ("a tag that is a path", |c| c["tag"] = "../../x".into(), "tag"),
    ("a tag that is code", |c| c["tag"] = "v1.2.0\"+x".into(), "tag"),
    (
        "an exit that is code",
        |c| c["error_codes"]["NOT_FOUND"]["exit"] = "__import__('os')".into(),
        "exit",
    ),
    ("an exit that is a text", |c| c["error_codes"]["NOT_FOUND"]["exit"] = "6".into(), "exit"),
    ("an exit with a fraction", |c| c["error_codes"]["NOT_FOUND"]["exit"] = 6.5.into(), "exit"),
    ("a negative exit", |c| c["error_codes"]["NOT_FOUND"]["exit"] = (-1).into(), "exit"),
    ("an exit above a byte", |c| c["error_codes"]["NOT_FOUND"]["exit"] = 256.into(), "exit"),
    ("an exit that is not listed", |c| c["error_codes"]["NOT_FOUND"]["exit"] = 42.into(), "42"),
    ("an error with exit 0", |c| c["error_codes"]["NOT_FOUND"]["exit"] = 0.into(), "exit 0"),
    (
        "retryable as a text",
        |c| c["error_codes"]["NOT_FOUND"]["retryable"] = "false".into(),
        "retryable",
    ),
    (
        "retryable as a number",
        |c| c["error_codes"]["NOT_FOUND"]["retryable"] = 0.into(),
        "retryable",
    ),
    (
        "a code that is code",
        |c| {
            c["error_codes"]["X\": exec('1'), \"Y"] =
                json!({"exit": 2, "retryable": false, "details": []})
        },
        "error_codes",
    ),
    (
        "a code in lower case",
        |c| c["error_codes"]["not_found"] = json!({"exit": 2, "retryable": false, "details": []}),
        "not_found",
    ),
    (
        "a code with a line break",
        |c| c["error_codes"]["X\nY"] = json!({"exit": 2, "retryable": false, "details": []}),
        "error_codes",
    ),
    ("a text where a list belongs", |c| c["modes"] = "readonly".into(), "modes"),
    ("a list with a boolean", |c| c["modes"] = json!(["readonly", true]), "modes"),
    ("a list with null", |c| c["envelope"]["success_keys"] = json!(["ok", null]), "success_keys"),
    ("a key that is code", |c| c["envelope"]["meta_keys"] = json!(["a\" + x + \""]), "meta_keys"),
    (
        "a schema version as a number",
        |c| c["envelope"]["schema_version"] = 1.into(),
        "schema_version",
    ),
    (
        "a schema version that is an object",
        |c| c["envelope"]["schema_version"] = json!({}),
        "schema_version",
    ),
    (
        "a schema version that is code",
        |c| c["envelope"]["schema_version"] = "1.1\"; import os #".into(),
        "schema_version",
    ),
    ("a mode variable that is code", |c| c["mode_env"] = "A B".into(), "mode_env"),
    ("an unknown default mode", |c| c["default_mode"] = "root".into(), "default_mode"),
    (
        "a success without data",
        |c| c["envelope"]["success_keys"] = json!(["ok", "meta"]),
        "success_keys",
    ),
    ("two exits of one number", |c| c["exit_codes"][1]["code"] = 0.into(), "twice"),
    ("a flag that is none", |c| c["global_flags"] = json!(["json"]), "global_flags"),
    (
        "an unknown flag position",
        |c| c["global_flags_position"] = "before".into(),
        "global_flags_position",
    ),
];

#[test]
fn each_malformed_contract_is_refused_by_name_and_changes_nothing() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let before = disk::state(&project);
    for (what, change, word) in REFUSED {
        let specs = next_tag(&sandbox, change);
        let specs = specs.to_str().unwrap();
        for arguments in [
            &["sync-spec", "--from", specs, "--to", "v1.2.0"][..],
            &["sync-spec", "--from", specs, "--to", "v1.2.0", "--dry-run"],
        ] {
            let answer = sandbox.aos_in(&project, arguments);
            assert_eq!(answer.exit, Some(2), "{what}: {answer:?}");
            let error = answer.error("E_VALIDATION", 2);
            let message = error["message"].as_str().unwrap();
            assert!(message.contains(word), "{what}: {message}");
            assert!(!message.chars().any(char::is_control), "{what}: {message:?}");
            assert!(message.chars().count() < 500, "{what}: {message}");
        }
        assert!(disk::state(&project) == before, "{what}");
    }
}

#[test]
fn a_document_that_is_not_strict_json_is_refused() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let before = disk::state(&project);
    let specs = next_tag(&sandbox, |_| {});
    let place = specs.join("harness/v1.2.0/contract.json");
    let good = disk::read(&place);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let twice = good.replacen("\"tag\"", "\"tag\": \"v1.2.0\", \"tag\"", 1);
    let inner =
        good.replacen("\"retryable\": false", "\"retryable\": false, \"retryable\": true", 1);
    assert!(twice != good && inner != good);
    let documents: [(&str, Vec<u8>); 10] = [
        ("empty", Vec::new()),
        ("cut off", good[..good.len() / 2].into()),
        ("followed by more", format!("{good}{{}}").into_bytes()),
        ("a duplicate member", twice.into_bytes()),
        ("a duplicate member inside", inner.into_bytes()),
        ("a byte order mark", [b"\xef\xbb\xbf", good.as_bytes()].concat()),
        ("not UTF-8", [good.as_bytes(), b"\xff"].concat()),
        ("a list", b"[]".to_vec()),
        ("deeply nested", deep.into_bytes()),
        ("a comment", format!("// x\n{good}").into_bytes()),
    ];
    for (what, bytes) in documents {
        std::fs::write(&place, bytes).unwrap();
        let arguments = ["sync-spec", "--from", specs.to_str().unwrap(), "--to", "v1.2.0"];
        let answer = sandbox.aos_in(&project, &arguments);
        assert_eq!(answer.exit, Some(2), "{what}: {answer:?}");
        answer.error("E_VALIDATION", 2);
        assert!(disk::state(&project) == before, "{what}");
    }
    std::fs::write(&place, vec![b' '; 3 * 1024 * 1024]).unwrap();
    let arguments = ["sync-spec", "--from", specs.to_str().unwrap(), "--to", "v1.2.0"];
    assert_ne!(sandbox.aos_in(&project, &arguments).exit, Some(0), "too large");
    assert!(disk::state(&project) == before);
}

#[test]
fn a_contract_that_is_a_link_or_a_pipe_is_not_read() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let specs = next_tag(&sandbox, |_| {});
    let place = specs.join("harness/v1.2.0/contract.json");
    std::fs::remove_file(&place).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&place).status().expect("mkfifo");
    assert!(made.success());
    let arguments = ["sync-spec", "--from", specs.to_str().unwrap(), "--to", "v1.2.0"];
    assert_ne!(sandbox.aos_in(&project, &arguments).exit, Some(0));
}
