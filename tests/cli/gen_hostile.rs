//! No text of a manifest becomes code: the generated modules hold exactly its values, and nothing but constants.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::disk;
use super::sandbox::Sandbox;

/// Every assignment must be a literal, or one made read-only; the manifest inside must equal the manifest on disk.
const SCRIPT: &str = r#"
import ast, json, pathlib, sys
root = pathlib.Path(sys.argv[1])
text = (root / sys.argv[2]).read_bytes()
tree = ast.parse(text)
values = {}
class Bare(ast.NodeTransformer):
    def visit_Call(self, node):
        assert node.func.id in ("_read_only", "MappingProxyType"), ast.dump(node)
        assert len(node.args) == 1 and not node.keywords
        return self.visit(node.args[0])
for node in tree.body[1:]:
    if isinstance(node, ast.ImportFrom):
        assert ast.unparse(node) == "from types import MappingProxyType"
    elif isinstance(node, ast.FunctionDef):
        assert node.name in ("_read_only", "plain") and len(node.body) == 4, ast.dump(node)
    else:
        assert isinstance(node, ast.Assign), ast.dump(node)
        values[node.targets[0].id] = ast.literal_eval(Bare().visit(node.value))
print(json.dumps(values))
"#;

const HOSTILE: [&str; 22] = [
    "\"",
    "'",
    "\"\"\"",
    "'''",
    "\\",
    "\\\"",
    "ends with a backslash\\",
    "two\nlines",
    "\r\n",
    "\u{2028}\u{2029}\u{85}",
    "\u{0}",
    "\u{1b}[31m",
    "\u{7f}\u{9f}",
    "__import__('os').system('touch pwned')",
    "\"\"\"\nimport os\nos.system('touch pwned')\n\"\"\"",
    "\" + __import__('os').getcwd() + \"",
    "{= tool =} {% raw %} {{ x }} ${{ y }} %s {0}",
    "\\N{DIGIT ONE} \\x41 \\u0041 \\101",
    "# -*- coding: latin-1 -*-",
    "\u{202e}right to left\u{202c}",
    "é 日本 😀 \u{10ffff}",
    "\u{feff}bom",
];

fn literals(project: &Path, module: &str) -> Value {
    let output = Command::new("python3")
        .args(["-I", "-c", SCRIPT])
        .arg(project)
        .arg(module)
        .output()
        .expect("python3 is needed for this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The manifest with `text` in every place that takes free text.
fn with_text(manifest: &Value, text: &str) -> Value {
    let mut manifest = manifest.clone();
    manifest["backend"] = text.into();
    manifest["connector"]["label"] = text.into();
    manifest["auth"]["interactive_setup"] = json!([text, text]);
    manifest[text] = json!({ text: [text, 1, -2.5, true, null, {"x": text}] });
    for command in manifest["commands"].as_array_mut().unwrap() {
        command["summary"] = text.into();
        command["action_class"] = text.into();
    }
    for field in manifest["scope"]["fields"].as_array_mut().unwrap() {
        field["description"] = text.into();
        // Connectors that had `help` may keep it.
        field["help"] = "older".into();
        field["label"] = text.into();
        // A default of another type is refused, so only texts can be hostile.
        if matches!(field["type"].as_str(), Some("string" | "richtext" | "select")) {
            field["default"] = text.into();
        }
        if field.get("options").is_some() {
            field["options"] = json!([text, {"label": text, "value": text}]);
        }
    }
    manifest
}

#[test]
fn every_hostile_text_arrives_as_the_value_it_is() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let path = project.join("connector.json");
    let manifest: Value = serde_json::from_str(&disk::read(&path)).unwrap();
    for text in HOSTILE {
        let hostile = with_text(&manifest, text);
        std::fs::write(&path, hostile.to_string()).unwrap();
        sandbox.aos_in(&project, &["gen"]).data();
        let values = literals(&project, "agent-harness/aos_acme/contract_gen.py");
        assert_eq!(values["MANIFEST"], hostile, "{text:?}");
        assert_eq!(values["BACKEND"], text);
        assert_eq!(values["COMMANDS"]["item.list"]["summary"], text);
        assert_eq!(values["FIELDS"]["item_id"]["help"], text);
        assert_eq!(values["FIELDS"]["item_id"]["default"], text);
        literals(&project, "agent-harness/tests/contract_cases.py");
        let permissions = disk::read(&project.join("agent-harness/permissions.json"));
        serde_json::from_str::<Value>(&permissions).unwrap();
        let module = disk::read(&project.join("agent-harness/aos_acme/contract_gen.py"));
        let odd = module.chars().find(|symbol| !matches!(symbol, '\n' | ' '..='~'));
        assert_eq!(odd, None, "a generated module is plain ASCII");
        assert_eq!(sandbox.aos_in(&project, &["gen", "--check"]).data()["status"], "unchanged");
    }
    assert!(!project.join("pwned").exists() && !sandbox.work().join("pwned").exists());
}

#[test]
fn hostile_ids_do_not_reach_any_module() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let path = project.join("connector.json");
    let manifest: Value = serde_json::from_str(&disk::read(&path)).unwrap();
    let before = disk::state(&project);
    for text in HOSTILE {
        for pointer in [
            "/commands/0/id",
            "/commands/0/required_mode",
            "/scope/fields/0/id",
            "/auth/service_keys/0",
            "/tool",
        ] {
            let mut hostile = manifest.clone();
            *hostile.pointer_mut(pointer).expect(pointer) = text.into();
            std::fs::write(&path, hostile.to_string()).unwrap();
            sandbox.aos_in(&project, &["gen"]).error("E_VALIDATION", 2);
        }
    }
    std::fs::write(&path, format!("{manifest:#}\n")).unwrap();
    assert_eq!(disk::state(&project), before);
}

#[test]
fn numbers_keep_their_value() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let path = project.join("connector.json");
    let mut manifest: Value = serde_json::from_str(&disk::read(&path)).unwrap();
    let numbers = "[0, -0.0, 1e2, 1.5e-7, 1e15, 9007199254740993, 18446744073709551615, -9223372036854775808]";
    manifest["numbers"] = serde_json::from_str(numbers).unwrap();
    std::fs::write(&path, manifest.to_string()).unwrap();
    sandbox.aos_in(&project, &["gen"]).data();
    let values = literals(&project, "agent-harness/aos_acme/contract_gen.py");
    assert_eq!(values["MANIFEST"]["numbers"], manifest["numbers"]);
    let text = manifest.to_string().replace("18446744073709551615", "18446744073709551616");
    std::fs::write(&path, text).unwrap();
    sandbox.aos_in(&project, &["gen"]).error("E_VALIDATION", 2);
}

#[test]
fn a_default_that_its_option_would_refuse_and_a_number_that_cannot_be_kept_are_refused() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let path = project.join("connector.json");
    let original = std::fs::read_to_string(&path).expect("a manifest");
    assert!(original.contains("\"default\": 30"));
    for default in ["\"abc\"", "[[]]", "{}", "1.5", "true", "1000000000000000000000000000000"] {
        let edited = original.replace("\"default\": 30", &format!("\"default\": {default}"));
        std::fs::write(&path, edited).expect("a manifest");
        sandbox.aos_in(&project, &["gen"]).error("E_VALIDATION", 2);
        sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
    }
}
