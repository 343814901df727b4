//! `contract-ext.json` of an agent-cli tool: which codes it may add, and that none of them becomes code.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::disk;
use super::sandbox::Sandbox;

struct Tool {
    sandbox: Sandbox,
    project: PathBuf,
}

impl Tool {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let project = sandbox.work().join("tool");
        sandbox.write(
            "tool/aos.toml",
            "family = \"agent-cli\"\n\n[outputs]\nrust = [\"src/contract_gen.rs\"]\n",
        );
        sandbox.aos_in(&project, &["sync-spec"]).data();
        sandbox.aos_in(&project, &["check"]).data();
        Self { sandbox, project }
    }

    fn extend(&self, text: &str) {
        self.sandbox.write("tool/contract/contract-ext.json", text);
    }

    fn module(&self) -> String {
        disk::read(&self.project.join("src/contract_gen.rs"))
    }
}

fn code(exit: impl Into<Value>, retryable: impl Into<Value>) -> Value {
    json!({"exit": exit.into(), "retryable": retryable.into()})
}

#[test]
fn good_codes_are_generated_and_checked() {
    let tool = Tool::new();
    for (name, exit, retryable) in [
        ("E_RUNTIME", 1, false),
        ("E_UNSUPPORTED", 2, false),
        ("E_GONE_FOR_GOOD", 3, false),
        ("E_BACKEND_UNAVAILABLE", 4, false),
        ("E_OUTCOME_UNKNOWN", 6, false),
        ("E_SKILL_SYNC", 7, true),
        ("E_UPSTREAM_SLOW", 8, true),
        ("E_HUMAN_REQUIRED", 9, false),
        ("E_2FA_REQUIRED", 9, false),
    ] {
        tool.extend(
            &json!({"error_codes": {name: code(exit, retryable)}, "note": "why"}).to_string(),
        );
        tool.sandbox.aos_in(&tool.project, &["check"]).error("E_DRIFT", 6);
        tool.sandbox.aos_in(&tool.project, &["gen"]).data();
        assert!(tool.module().contains(&format!("    /// `{name}`: exit {exit}.\n")), "{name}");
        tool.sandbox.aos_in(&tool.project, &["check"]).data();
    }
}

#[test]
fn each_bad_code_is_refused_by_name_and_changes_nothing() {
    let tool = Tool::new();
    let module = tool.module();
    let long = format!("E_{}", "X".repeat(37));
    let one = |name: &str, value: Value| json!({"error_codes": {name: value}}).to_string();
    let table: Vec<(String, &str)> = vec![
        (one("E_NEW", code(9, false)), "reserved for human-action codes"),
        (one("E_HUMAN_REQUIRED", code(4, false)), "must have exit 9"),
        (one("E_NEW", code(0, false)), "from 1 to 9, or 130"),
        (one("E_NEW", code(10, false)), "from 1 to 9, or 130"),
        (one("E_NEW", code(256, false)), "from 1 to 9, or 130"),
        (one("E_NEW", code(-1, false)), "from 1 to 9, or 130"),
        (one("E_NEW", code("4", false)), "from 1 to 9, or 130"),
        (one("E_NEW", code(4.0, false)), "from 1 to 9, or 130"),
        (one("E_NEW", code(Value::Null, false)), "from 1 to 9, or 130"),
        ("{\"error_codes\": {\"E_NEW\": {\"exit\": 13e1, \"retryable\": false}}}".into(), "from 1 to 9, or 130"),
        ("{\"error_codes\": {\"E_NEW\": {\"exit\": -0, \"retryable\": false}}}".into(), "from 1 to 9, or 130"),
        ("{\"error_codes\": {\"E_NEW\": {\"exit\": 04, \"retryable\": false}}}".into(), ""),
        (one("E_NEW", code(5, false)), "exit 5"),
        (one("E_NEW", code(130, true)), "exit 130"),
        (one("E_NEW", code(7, false)), "must be true"),
        (one("E_NEW", code(8, false)), "must be true"),
        (one("E_NEW", code(2, true)), "must be false"),
        (one("E_NEW", code(1, true)), "must be false"),
        (one("E_NEW", code(4, "false")), "true or false"),
        (one("E_NEW", code(4, 0)), "true or false"),
        (one("E_NEW", json!({"exit": 4})), "true or false"),
        (one("E_NEW", json!({"exit": 4, "retryable": false, "retriable": true})), "unknown member"),
        (one("E_NEW", json!(4)), "must be an object"),
        (one("E_NOT_FOUND", code(4, false)), "frozen"),
        (one("E_NOT_FOUND", code(3, false)), "frozen"),
        (one("E_RATE_LIMIT", code(7, true)), "E_RATE_LIMITED"),
        (one("E_VALIDATON", code(2, false)), "E_VALIDATION"),
        (one("NEW", code(4, false)), "E_[A-Z0-9_]+"),
        (one("E_", code(4, false)), "E_[A-Z0-9_]+"),
        (one("E_new", code(4, false)), "E_[A-Z0-9_]+"),
        (one("E_X\", \"y", code(4, false)), "E_[A-Z0-9_]+"),
        (one("E_X\nfn main() {}", code(4, false)), "E_[A-Z0-9_]+"),
        (one("__proto__", code(4, false)), "E_[A-Z0-9_]+"),
        (one(&long, code(4, false)), "38"),
        (json!({"error_code": {}}).to_string(), "error_code"),
        (json!({"error_codes": null}).to_string(), "error_codes"),
        (json!({"error_codes": []}).to_string(), "error_codes"),
        (json!({}).to_string(), "error_codes"),
        (json!([]).to_string(), "object"),
        ("null".into(), "object"),
        ("".into(), ""),
        ("{\"error_codes\": {}, \"error_codes\": {}}".into(), "error_codes"),
        ("{\"error_codes\": {\"E_A\": {\"exit\": 1, \"retryable\": false}, \"E_A\": {\"exit\": 2, \"retryable\": false}}}".into(), "E_A"),
        ("\u{feff}{\"error_codes\": {}}".into(), "byte order mark"),
    ];
    for (text, words) in table {
        tool.extend(&text);
        let before = disk::state(&tool.project);
        for command in [&["gen"][..], &["sync-spec", "--to", "v1.0.0"]] {
            let error = tool.sandbox.aos_in(&tool.project, command).error("E_VALIDATION", 2);
            let message = error["message"].as_str().unwrap();
            assert!(
                message.contains("contract-ext.json") && message.contains(words),
                "{text}: {message}"
            );
            assert!(!message.chars().any(char::is_control), "{message:?}");
        }
        let drift = tool.sandbox.aos_in(&tool.project, &["check"]).error("E_DRIFT", 6);
        assert!(drift.to_string().contains("drift/cannot-generate"), "{text}: {drift}");
        assert!(disk::state(&tool.project) == before, "{text}");
    }
    assert_eq!(tool.module(), module);
}

#[test]
fn a_code_that_a_later_tag_makes_core_is_refused_when_moving_there() {
    let tool = Tool::new();
    tool.sandbox.aos_in(&tool.project, &["sync-spec", "--to", "v1.0.0"]).data();
    tool.extend(&json!({"error_codes": {"E_UNKNOWN": code(1, false)}}).to_string());
    tool.sandbox.aos_in(&tool.project, &["gen"]).data();
    tool.sandbox.aos_in(&tool.project, &["check"]).data();
    let before = disk::state(&tool.project);
    let error = tool
        .sandbox
        .aos_in(&tool.project, &["sync-spec", "--to", "v1.1.0"])
        .error("E_VALIDATION", 2);
    assert!(error["message"].as_str().unwrap().contains("E_UNKNOWN"), "{error}");
    assert!(disk::state(&tool.project) == before);
}

#[test]
fn two_codes_with_one_name_in_the_module_are_refused() {
    let tool = Tool::new();
    let codes = json!({"error_codes": {"E_A_B": code(1, false), "E_A__B": code(2, false)}});
    tool.extend(&codes.to_string());
    let error = tool.sandbox.aos_in(&tool.project, &["gen"]).error("E_VALIDATION", 2);
    assert!(error["message"].as_str().unwrap().contains("E_A__B"), "{error}");
}

#[test]
fn the_extensions_of_public_tools_are_judged_as_the_contract_says() {
    let tool = Tool::new();
    let human = json!({"error_codes": {"E_HUMAN_REQUIRED": code(9, false)}});
    let sets = [
        ("archery", json!({"error_codes": {"E_2FA_REQUIRED": code(9, false)}}), None),
        ("auto-bug-fix", json!({"error_codes": {"E_RUNTIME": code(1, false)}}), None),
        ("caixin", human.clone(), None),
        ("cnstock", human.clone(), None),
        ("dedao", human, None),
        (
            "creo",
            json!({"error_codes": {
                "E_BACKEND_UNAVAILABLE": code(4, false), "E_UNSUPPORTED": code(2, false),
                "E_PROTOCOL": code(1, false), "E_NATIVE_FAILURE": code(1, false),
                "E_OUTCOME_UNKNOWN": code(6, false), "E_VERIFY_FAILED": code(1, false),
            }, "note": "pending"}),
            None,
        ),
        (
            "xpedition",
            json!({"error_codes": {
                "E_BACKEND_UNAVAILABLE": code(4, false), "E_CHANGESET_INVALID": code(2, false),
                "E_PROJECT_INVALID": code(2, false),
            }}),
            None,
        ),
        // Exit 5 asks an agent for a confirm token; after a cancelled job there is none to give.
        ("gitlab", json!({"error_codes": {"E_CANCELLED": code(5, false)}}), Some("exit 5")),
    ];
    for (name, extension, refused) in sets {
        tool.extend(&extension.to_string());
        let answer = tool.sandbox.aos_in(&tool.project, &["gen"]);
        match refused {
            None => {
                answer.data();
                tool.sandbox.aos_in(&tool.project, &["check"]).data();
            }
            Some(reason) => {
                let error = answer.error("E_VALIDATION", 2);
                assert!(error["message"].as_str().unwrap().contains(reason), "{name}: {error}");
            }
        }
    }
}

#[test]
fn a_new_tag_that_changes_a_released_core_code_is_an_integrity_error() {
    let tool = Tool::new();
    let newest = concat!(env!("CARGO_MANIFEST_DIR"), "/contract/agent-cli/v1.2.0/");
    let contract: Value =
        serde_json::from_str(&disk::read(format!("{newest}contract.json").as_ref())).unwrap();
    let before = disk::state(&tool.project);
    type Change = fn(&mut Value);
    let changes: [Change; 3] = [
        |c| c["error_codes"]["core"]["E_INTEGRITY"]["retryable"] = true.into(),
        |c| c["error_codes"]["core"]["E_NOT_FOUND"]["exit"] = 4.into(),
        |c| drop(c["error_codes"]["core"].as_object_mut().unwrap().remove("E_TIMEOUT")),
    ];
    for change in changes {
        let mut changed = contract.clone();
        changed["tag"] = "v1.9.0".into();
        changed["http_status"].as_object_mut().unwrap().remove("408");
        change(&mut changed);
        tool.sandbox.write("specs/contract.json", &changed.to_string());
        tool.sandbox.write("specs/CLI-SPEC.md", "# text\n");
        let arguments = ["sync-spec", "--from", "../specs", "--to", "v1.9.0"];
        let error = tool.sandbox.aos_in(&tool.project, &arguments).error("E_INTEGRITY", 1);
        assert!(error["message"].as_str().unwrap().contains("must not change since"), "{error}");
        assert!(disk::state(&tool.project) == before);
    }
}

#[test]
fn the_generated_module_compiles() {
    let tool = Tool::new();
    tool.extend(&json!({"error_codes": {"E_2FA_REQUIRED": code(9, false), "E_SELF": code(1, false), "E_TYPE": code(1, false)}}).to_string());
    tool.sandbox.aos_in(&tool.project, &["gen"]).data();
    let output = std::process::Command::new("rustc")
        .args([
            "--edition",
            "2024",
            "--crate-type",
            "lib",
            "--emit",
            "metadata",
            "-D",
            "warnings",
            "-o",
        ])
        .arg(tool.sandbox.work().join("module.rmeta"))
        .arg(tool.project.join("src/contract_gen.rs"))
        .output()
        .expect("rustc is needed for this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
