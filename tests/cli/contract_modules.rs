//! Contract modules in four languages: compiled, executed and formatted by the real toolchains, on hostile input too.
//!
//! The expected content of a module is computed here from the contract itself, so no generator judges itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde_json::{Map, Value, json};

use super::disk;
use super::sandbox::Sandbox;
use super::toolchain::{node_tools, program, python_tools, succeed};

/// Ends literals and comments of every language and holds what none of them prints.
const HOSTILE: &str =
    "q\" ' ` \\ */ // \"\"\" ''' ${x} {= x =} %s \n\r\t\u{0}\u{7f} é \u{2028}\u{202e}\u{feff} 😀";

const RECORD: &str = r#"family = "agent-cli"

[outputs]
go = ["internal/contract/contract_gen.go", { path = "odd-place/gen.go", package = "odd" }]
python = ["acme/contract_gen.py"]
rust = ["src/contract_gen.rs"]
typescript = ["src/contract_gen.ts"]
"#;

/// The text of the modules of a tool, by what the tool must say: it is the same in every language.
static TEXTS: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

fn texts(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// A tool with modules in every language.
struct Tool {
    sandbox: Sandbox,
    root: PathBuf,
    contract: Value,
    extension: Value,
}

impl Tool {
    /// A tool at a released tag with the codes of `extension`.
    fn released(extension: Value) -> Self {
        let tag = concat!(env!("CARGO_MANIFEST_DIR"), "/contract/agent-cli/v1.2.0/contract.json");
        let contract = serde_json::from_str(&disk::read(tag.as_ref())).unwrap();
        Self::new(contract, extension, &["sync-spec"])
    }

    fn new(contract: Value, extension: Value, sync: &[&str]) -> Self {
        let sandbox = Sandbox::new();
        let root = sandbox.work().join("tool");
        sandbox.write("tool/aos.toml", RECORD);
        let text = json!({"error_codes": &extension}).to_string();
        sandbox.write("tool/contract/contract-ext.json", &text);
        sandbox.write("specs/contract.json", &contract.to_string());
        sandbox.write("specs/CLI-SPEC.md", "# text\n");
        sandbox.aos_in(&root, sync).data();
        sandbox.aos_in(&root, &["check"]).data();
        Self { sandbox, root, contract, extension }
    }

    /// A tag of a directory: every text that a later contract can choose is hostile.
    fn hostile() -> Self {
        let tag = concat!(env!("CARGO_MANIFEST_DIR"), "/contract/agent-cli/v1.2.0/contract.json");
        let mut contract: Value = serde_json::from_str(&disk::read(tag.as_ref())).unwrap();
        contract["tag"] = "v1.9.0".into();
        for exit in ["30", "31", "125"] {
            contract["exit_codes"]["table"][exit] = HOSTILE.into();
        }
        contract["self_description"]["update"]["odd-member.name"] = json!(["a.b", "c-d", "_e"]);
        Self::new(contract, json!({}), &["sync-spec", "--from", "../specs", "--to", "v1.9.0"])
    }

    /// As many codes as a tool may have, the longest that is allowed, and names that languages keep for themselves.
    fn huge() -> Self {
        let mut codes = Map::new();
        for name in ["SELF", "TYPE", "NONE", "CLASS", "2FA_REQUIRED", "CONSTRUCTOR", "X"] {
            let exit = if name == "2FA_REQUIRED" { 9 } else { 1 };
            codes.insert(format!("E_{name}"), json!({"exit": exit, "retryable": false}));
        }
        for number in 0..493 {
            let exit = [1, 2, 3, 4, 6, 7, 8][number % 7];
            let name = format!("E_{number:03}{}", "X".repeat(number % 34));
            codes.insert(name, json!({"exit": exit, "retryable": exit >= 7}));
        }
        assert_eq!(codes.len(), 500);
        Self::released(codes.into())
    }

    fn all() -> [Self; 3] {
        let codes = json!({"E_RUNTIME": {"exit": 1, "retryable": false}, "E_SLOW": {"exit": 8, "retryable": true}});
        [Self::released(codes), Self::hostile(), Self::huge()]
    }

    /// The values that the module of every language must have.
    fn expected(&self) -> Value {
        let core = self.contract["error_codes"]["core"].as_object().unwrap();
        let own = self.extension.as_object().unwrap();
        let mut rows: Vec<_> = core
            .iter()
            .map(|(name, spec)| (false, name, spec))
            .chain(own.iter().map(|(name, spec)| (true, name, spec)))
            .collect();
        rows.sort_by_key(|(own, name, spec)| (*own, spec["exit"].as_u64(), (*name).clone()));
        let codes: Map<_, _> = rows
            .into_iter()
            .map(|(own, name, spec)| {
                let row = json!([spec["exit"], spec["retryable"], !own]);
                (name.clone(), row)
            })
            .collect();
        let codes_of_text = codes
            .iter()
            .map(|(name, row)| format!("code {name} {} {} {}", row[0], row[1], row[2]))
            .collect();
        let described = &self.contract["self_description"];
        json!({
            "tag": self.contract["tag"],
            "schema_version": self.contract["envelope"]["schema_version_value"],
            "codes": codes,
            "unknown": [1, false],
            "exits": self.contract["exit_codes"]["table"],
            "statuses": self.contract["http_status"],
            "code_for_status": ["E_NOT_FOUND", "E_SERVER", "E_SERVER", null, null],
            "human_exit": 9,
            "human_codes": self.contract["extension"]["human_action_codes"],
            "naming": self.contract["naming"]["convention"],
            "untrusted": self.contract["untrusted_key"],
            "success": self.contract["envelope"]["success_keys"],
            "error_object": self.contract["envelope"]["error_object_keys"],
            "meta_optional": self.contract["envelope"]["meta_optional_keys"],
            "cursor_page": self.contract["pagination"]["cursor_keys"],
            "batch_total": self.contract["batch"]["total_of"],
            "policies": self.contract["write"]["confirm_policies"],
            "notice_types": self.contract["notices"]["types"],
            "stages": described["update"]["stages"],
            "failure": described["update"]["failure_detail_keys"],
            "statuses_of_doctor": described["doctor"]["statuses"],
            "types": self.contract["commands"]["types"].as_object().unwrap().keys().collect::<Vec<_>>(),
            "capabilities":
                self.contract["capabilities"].as_object().unwrap().keys().collect::<Vec<_>>(),
            "time_names": ["*_at"],
            "lines": self.lines(codes_of_text),
        })
    }

    /// The lines of the text of a module (agent-cli §3.1) that do not come from its lists, in order.
    fn lines(&self, codes: Vec<String>) -> Value {
        let statuses = self.contract["http_status"].as_object().unwrap();
        let statuses = statuses
            .iter()
            .map(|(status, code)| format!("status {status} {}", code.as_str().unwrap()));
        let mut lines: Vec<String> = codes.into_iter().chain(statuses).collect();
        lines.push("human_action_exit 9".to_owned());
        lines.push(format!("tag {}", self.contract["tag"].as_str().unwrap()));
        lines.push("schema_version 1.0".to_owned());
        lines.push("list UPDATE_STAGES discover,download,verify_signature,verify_checksum,replace,skill_sync".to_owned());
        lines.push("list ID_FIELD_NAMES id,*_id".to_owned());
        lines.push("word UNTRUSTED_KEY _untrusted".to_owned());
        lines.sort();
        json!(lines)
    }

    #[track_caller]
    fn said(&self, language: &str, text: &str) {
        let said: Value =
            serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let expected = self.expected();
        for (member, value) in expected.as_object().unwrap() {
            if member == "lines" {
                continue;
            }
            assert_eq!(&said[member], value, "{language}: {member}");
        }
        let text = said["text"].as_str().unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.is_sorted() && text.ends_with('\n'), "{language}: {text}");
        for line in texts(&expected["lines"]) {
            assert!(lines.contains(&line.as_str()), "{language}: no line `{line}`\n{text}");
        }
        let is_listed = |line: &&&str| line.starts_with("list ") || line.starts_with("word ");
        let values = lines.iter().filter(|line| !is_listed(line)).count();
        let known =
            texts(&expected["lines"]).iter().filter(|line| !is_listed(&&line.as_str())).count();
        assert_eq!(values, known, "{language}: {text}");
        let mut all = TEXTS.lock().unwrap();
        let other = all.entry(self.expected().to_string()).or_insert_with(|| text.to_owned());
        assert_eq!(other, text, "{language} says other values than another language");
    }
}

const GO: &str = r#"package main

import (
	"encoding/json"
	"os"

	"example.com/acme/internal/contract"
	odd "example.com/acme/odd-place"
)

func main() {
	codes := map[string][]any{}
	for code, spec := range contract.Codes {
		codes[code] = []any{contract.ExitFor(code), contract.Retryable(code), spec.Core}
		if odd.Codes[code].Exit != spec.Exit {
			os.Exit(3)
		}
	}
	found := []any{}
	for _, status := range []int{404, 503, 599, 418, 600} {
		if code, known := contract.CodeForStatus(status); known {
			found = append(found, code)
		} else {
			found = append(found, nil)
		}
	}
	err := json.NewEncoder(os.Stdout).Encode(map[string]any{
		"tag": contract.SpecTag, "schema_version": contract.SchemaVersion, "codes": codes,
		"unknown": []any{contract.ExitFor("E_NOPE"), contract.Retryable("E_NOPE")},
		"exits":   contract.ExitCodes, "statuses": contract.HTTPStatusCodes, "code_for_status": found,
		"human_exit": contract.HumanActionExit, "human_codes": contract.HumanActionCodes,
		"naming": contract.NamingConvention, "untrusted": contract.UntrustedKey,
		"success": contract.SuccessEnvelopeKeys, "error_object": contract.ErrorObjectKeys,
		"meta_optional": contract.MetaOptionalKeys, "cursor_page": contract.CursorPageKeys,
		"batch_total": contract.BatchTotalOf, "policies": contract.ConfirmPolicies,
		"notice_types": contract.NoticeTypes, "stages": contract.UpdateStages,
		"failure": contract.UpdateFailureDetailKeys, "statuses_of_doctor": contract.DoctorStatuses,
		"types": contract.CommandTypes, "capabilities": contract.Capabilities,
		"time_names": contract.TimeFieldNames, "text": contract.Text(),
	})
	if err != nil {
		os.Exit(4)
	}
}
"#;

#[test]
fn go_modules_compile_agree_with_the_contract_and_pass_gofmt_and_vet() {
    let test = "go_modules_compile_agree_with_the_contract_and_pass_gofmt_and_vet";
    let (Some(go), Some(gofmt)) = (program(test, "go"), program(test, "gofmt")) else { return };
    for tool in Tool::all() {
        tool.sandbox.write("tool/go.mod", "module example.com/acme\n\ngo 1.21\n");
        tool.sandbox.write("tool/main.go", GO);
        let generated = ["internal/contract/contract_gen.go", "odd-place/gen.go"];
        assert_eq!(succeed(&gofmt, &[&["-l"][..], &generated].concat(), &tool.root), "");
        assert_eq!(succeed(&gofmt, &[&["-s", "-l"][..], &generated].concat(), &tool.root), "");
        succeed(&go, &["vet", "./..."], &tool.root);
        tool.said("go", &succeed(&go, &["run", "."], &tool.root));
    }
}

const PYTHON: &str = r#"import json
import sys

from acme import contract_gen as c

codes = {
    code: [c.exit_for(code), c.retryable(code), spec["core"]]
    for code, spec in c.CODES.items()
}
document = {
    "tag": c.SPEC_TAG, "schema_version": c.SCHEMA_VERSION, "codes": codes,
    "unknown": [c.exit_for("E_NOPE"), c.retryable("E_NOPE")],
    "exits": c.EXIT_CODES, "statuses": c.HTTP_STATUS_CODES,
    "code_for_status": [c.code_for_status(status) for status in (404, 503, 599, 418, 600)],
    "human_exit": c.HUMAN_ACTION_EXIT, "human_codes": c.HUMAN_ACTION_CODES,
    "naming": c.NAMING_CONVENTION, "untrusted": c.UNTRUSTED_KEY,
    "success": c.SUCCESS_ENVELOPE_KEYS, "error_object": c.ERROR_OBJECT_KEYS,
    "meta_optional": c.META_OPTIONAL_KEYS, "cursor_page": c.CURSOR_PAGE_KEYS,
    "batch_total": c.BATCH_TOTAL_OF, "policies": c.CONFIRM_POLICIES,
    "notice_types": c.NOTICE_TYPES, "stages": c.UPDATE_STAGES,
    "failure": c.UPDATE_FAILURE_DETAIL_KEYS, "statuses_of_doctor": c.DOCTOR_STATUSES,
    "types": c.COMMAND_TYPES, "capabilities": c.CAPABILITIES,
    "time_names": c.TIME_FIELD_NAMES, "text": c.contract_text(),
}
assert list(c.CODES)[0] == "E_INTEGRITY"
assert all(type(spec["exit"]) is int and type(spec["retryable"]) is bool for spec in c.CODES.values())
json.dump(document, sys.stdout, default=dict)
"#;

#[test]
fn python_modules_agree_with_the_contract() {
    let test = "python_modules_agree_with_the_contract";
    let Some(python) = program(test, "python3") else { return };
    for tool in Tool::all() {
        tool.sandbox.write("tool/acme/__init__.py", "");
        tool.sandbox.write("tool/say.py", PYTHON);
        tool.said("python", &succeed(&python, &["-W", "error", "say.py"], &tool.root));
    }
}

#[test]
fn python_modules_please_ruff_and_mypy_of_any_configuration() {
    let test = "python_modules_please_ruff_and_mypy_of_any_configuration";
    let Some(tools) = python_tools(test) else { return };
    let configurations = [
        "",
        "line-length = 40\n[format]\nquote-style = \"single\"\nindent-style = \"tab\"\n",
        "line-length = 300\npreview = true\n[format]\nskip-magic-trailing-comma = true\ndocstring-code-format = true\n",
        "[lint]\nselect = [\"ALL\"]\n[format]\nquote-style = \"preserve\"\n",
    ];
    for tool in Tool::all() {
        tool.sandbox.write("tool/acme/__init__.py", "");
        for configuration in configurations {
            tool.sandbox.write("tool/ruff.toml", configuration);
            for arguments in [&["check"][..], &["format", "--check", "--diff"]] {
                let arguments = [arguments, &["acme/contract_gen.py"]].concat();
                succeed(tools.join("ruff"), &arguments, &tool.root);
            }
        }
        let strict = ["--strict", "--cache-dir=/dev/null", "acme/contract_gen.py"];
        succeed(tools.join("mypy"), &strict, &tool.root);
    }
}

const TYPESCRIPT: &str = r#"import * as c from "./contract_gen";

const codes: Record<string, unknown> = {};
for (const [code, spec] of Object.entries(c.CODES)) {
  codes[code] = [c.exitFor(code), c.retryable(code), spec.core];
}
for (const trap of ["__proto__", "constructor", "toString", "hasOwnProperty", ""]) {
  if (c.exitFor(trap) !== 1 || c.retryable(trap) || c.isErrorCode(trap)) {
    throw new Error(trap);
  }
}
const code: c.ErrorCode = "E_IO";
const found = [404, 503, 599, 418, 600].map((status) => c.codeForStatus(status) ?? null);
console.log(
  JSON.stringify({
    tag: c.SPEC_TAG, schema_version: c.SCHEMA_VERSION, codes,
    unknown: [c.exitFor("E_NOPE"), c.retryable("E_NOPE")], exit: c.CODES[code].exit,
    exits: c.EXIT_CODES, statuses: c.HTTP_STATUS_CODES, code_for_status: found,
    human_exit: c.HUMAN_ACTION_EXIT, human_codes: c.HUMAN_ACTION_CODES,
    naming: c.NAMING_CONVENTION, untrusted: c.UNTRUSTED_KEY,
    success: c.SUCCESS_ENVELOPE_KEYS, error_object: c.ERROR_OBJECT_KEYS,
    meta_optional: c.META_OPTIONAL_KEYS, cursor_page: c.CURSOR_PAGE_KEYS,
    batch_total: c.BATCH_TOTAL_OF, policies: c.CONFIRM_POLICIES,
    notice_types: c.NOTICE_TYPES, stages: c.UPDATE_STAGES,
    failure: c.UPDATE_FAILURE_DETAIL_KEYS, statuses_of_doctor: c.DOCTOR_STATUSES,
    types: c.COMMAND_TYPES, capabilities: c.CAPABILITIES,
    time_names: c.TIME_FIELD_NAMES, text: c.contractText(),
  }),
);
"#;

/// Compiler options that refuse most.
const STRICT: [&str; 13] = [
    "--strict",
    "--exactOptionalPropertyTypes",
    "--noUncheckedIndexedAccess",
    "--noImplicitReturns",
    "--noPropertyAccessFromIndexSignature",
    "--isolatedModules",
    "--isolatedDeclarations",
    "--declaration",
    "--erasableSyntaxOnly",
    "--lib",
    "es2020,dom",
    "--target",
    "es2020",
];

#[test]
fn typescript_modules_compile_strictly_and_agree_with_the_contract() {
    let test = "typescript_modules_compile_strictly_and_agree_with_the_contract";
    let Some(node) = program(test, "node") else { return };
    let Some(tools) = node_tools(test) else { return };
    for tool in Tool::all() {
        tool.sandbox.write("tool/src/say.ts", TYPESCRIPT);
        let files =
            ["--module", "commonjs", "--moduleResolution", "node", "--outDir", "out", "src/say.ts"];
        succeed(tools.join("tsc"), &[&STRICT[..], &files].concat(), &tool.root);
        tool.said("typescript", &succeed(&node, &["out/say.js"], &tool.root));
        // An engine that strips types needs nothing else to run the module.
        let module = ["--module", "esnext", "--outDir", "esm", "src/contract_gen.ts"];
        succeed(tools.join("tsc"), &[&STRICT[..], &module].concat(), &tool.root);
    }
}

#[test]
fn typescript_modules_are_left_alone_by_prettier_of_any_configuration() {
    let test = "typescript_modules_are_left_alone_by_prettier_of_any_configuration";
    let Some(tools) = node_tools(test) else { return };
    for tool in Tool::all() {
        for options in [
            &[][..],
            &["--single-quote", "--no-semi", "--use-tabs", "--print-width", "40"],
            &["--trailing-comma", "none", "--no-bracket-spacing", "--tab-width", "8"],
            &["--print-width", "300", "--quote-props", "as-needed", "--arrow-parens", "avoid"],
        ] {
            let arguments = [options, &["--no-config", "--check", "src/contract_gen.ts"]].concat();
            succeed(tools.join("prettier"), &arguments, &tool.root);
        }
    }
}

const RUST: &str = r#"mod contract_gen;

use contract_gen::*;

fn quoted(text: &str) -> String {
    let symbols = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
    format!("\"{}\"", symbols.collect::<String>())
}

fn list(items: &[&str]) -> String {
    format!("[{}]", items.iter().map(|item| quoted(item)).collect::<Vec<_>>().join(","))
}

fn object(rows: Vec<(String, String)>) -> String {
    let rows: Vec<_> = rows.iter().map(|(key, value)| format!("{}:{value}", quoted(key))).collect();
    format!("{{{}}}", rows.join(","))
}

fn main() {
    let codes = ErrorCode::ALL.iter().map(|code| {
        assert_eq!(ErrorCode::from_name(code.as_str()), Some(*code));
        let name = code.as_str();
        let row = format!("[{},{},{}]", exit_for(name), retryable(name), code.is_core());
        (name.to_owned(), row)
    });
    let found = [404, 503, 599, 418, 600].map(|status| {
        code_for_status(status).map_or("null".to_owned(), |code| quoted(code.as_str()))
    });
    let members = vec![
        ("tag", quoted(SPEC_TAG)),
        ("schema_version", quoted(SCHEMA_VERSION)),
        ("codes", object(codes.collect())),
        ("unknown", format!("[{},{}]", exit_for("E_NOPE"), retryable("E_NOPE"))),
        ("exits", object(EXIT_CODES.iter().map(|(exit, text)| (exit.to_string(), quoted(text))).collect())),
        (
            "statuses",
            object(
                HTTP_STATUS_CODES.iter().map(|(status, code)| (status.to_string(), quoted(code.as_str()))).collect(),
            ),
        ),
        ("code_for_status", format!("[{}]", found.join(","))),
        ("human_exit", HUMAN_ACTION_EXIT.to_string()),
        ("human_codes", list(&HUMAN_ACTION_CODES)),
        ("naming", quoted(NAMING_CONVENTION)),
        ("untrusted", quoted(UNTRUSTED_KEY)),
        ("success", list(&SUCCESS_ENVELOPE_KEYS)),
        ("error_object", list(&ERROR_OBJECT_KEYS)),
        ("meta_optional", list(&META_OPTIONAL_KEYS)),
        ("cursor_page", list(&CURSOR_PAGE_KEYS)),
        ("batch_total", list(&BATCH_TOTAL_OF)),
        ("policies", list(&CONFIRM_POLICIES)),
        ("notice_types", list(&NOTICE_TYPES)),
        ("stages", list(&UPDATE_STAGES)),
        ("failure", list(&UPDATE_FAILURE_DETAIL_KEYS)),
        ("statuses_of_doctor", list(&DOCTOR_STATUSES)),
        ("types", list(&COMMAND_TYPES)),
        ("capabilities", list(&CAPABILITIES)),
        ("time_names", list(&TIME_FIELD_NAMES)),
        ("text", quoted(&contract_text())),
    ];
    let members = members.into_iter().map(|(name, value)| (name.to_owned(), value));
    println!("{}", object(members.collect()));
}
"#;

#[test]
fn rust_modules_compile_without_a_warning_and_agree_with_the_contract() {
    let test = "rust_modules_compile_without_a_warning_and_agree_with_the_contract";
    let Some(rustc) = program(test, "rustc") else { return };
    for tool in Tool::all() {
        tool.sandbox.write("tool/src/main.rs", RUST);
        let arguments = ["--edition", "2021", "-D", "warnings", "-o", "say", "src/main.rs"];
        succeed(&rustc, &arguments, &tool.root);
        tool.said("rust", &succeed(tool.root.join("say"), &[], &tool.root));
    }
}

#[test]
fn rust_modules_are_left_alone_by_rustfmt_of_any_configuration() {
    let test = "rust_modules_are_left_alone_by_rustfmt_of_any_configuration";
    let Some(rustfmt) = program(test, "rustfmt") else { return };
    for tool in Tool::all() {
        for options in [
            &[][..],
            &["--config", "hard_tabs=true,max_width=50"],
            &["--config", "max_width=300,use_small_heuristics=Max,tab_spaces=2"],
        ] {
            let arguments =
                [options, &["--check", "--edition", "2024", "src/contract_gen.rs"]].concat();
            succeed(&rustfmt, &arguments, &tool.root);
        }
    }
}

fn bytes(root: &Path) -> Vec<String> {
    [
        "internal/contract/contract_gen.go",
        "acme/contract_gen.py",
        "src/contract_gen.rs",
        "src/contract_gen.ts",
    ]
    .map(|path| disk::read(&root.join(path)))
    .to_vec()
}

#[test]
fn modules_and_verdict_do_not_depend_on_the_tools_of_the_machine() {
    let tool = Tool::huge();
    let before = bytes(&tool.root);
    for path in &before {
        assert!(
            path.is_ascii()
                && !path.contains('\r')
                && path.ends_with('\n')
                && !path.ends_with("\n\n")
        );
    }
    std::fs::remove_file(tool.root.join("acme/contract_gen.py")).unwrap();
    let bare = |arguments: &[&str]| {
        let mut command = tool.sandbox.command(arguments);
        super::sandbox::run(command.current_dir(&tool.root).env("PATH", "/nonexistent"))
    };
    bare(&["check"]).error("E_DRIFT", 6);
    bare(&["gen"]).data();
    bare(&["check"]).data();
    assert!(bytes(&tool.root) == before);
}

#[test]
fn the_layout_of_the_extension_does_not_reach_the_modules() {
    let tool = Tool::released(json!({
        "E_B_CODE": {"exit": 1, "retryable": false}, "E_A_CODE": {"exit": 1, "retryable": false}, "E_Z_CODE": {"exit": 1, "retryable": false},
    }));
    let before = bytes(&tool.root);
    let other = "{\r\n\t\"note\": \"why\",\n \"error_codes\": {\n\"E_Z_CODE\": {\"retryable\":false, \"exit\":1},\n\
                 \"E_A_CODE\":{\"exit\":1,\"retryable\":false,\"note\":\"x\"}, \"E_B_CODE\": {\"exit\": 1, \"retryable\": false}}}";
    tool.sandbox.write("tool/contract/contract-ext.json", other);
    assert_eq!(tool.sandbox.aos_in(&tool.root, &["gen"]).data()["status"], "unchanged");
    assert!(bytes(&tool.root) == before);
}

#[test]
fn names_that_would_become_code_are_refused_before_anything_is_generated() {
    let tag = concat!(env!("CARGO_MANIFEST_DIR"), "/contract/agent-cli/v1.2.0/contract.json");
    let released: Value = serde_json::from_str(&disk::read(tag.as_ref())).unwrap();
    let long = format!("E_{}", "X".repeat(37));
    type Change<'a> = &'a dyn Fn(&mut Value);
    let changes: [(&str, Change<'_>); 9] = [
        ("an exit that is an expression", &|c| {
            c["error_codes"]["core"]["E_IO"]["exit"] = "__import__('os')".into();
        }),
        ("a truth value as text", &|c| {
            c["error_codes"]["core"]["E_IO"]["retryable"] = "false".into();
        }),
        ("a schema version with code", &|c| {
            c["envelope"]["schema_version_value"] = "1.0\"; import os".into();
        }),
        ("no schema version", &|c| c["envelope"]["schema_version_value"] = Value::Null),
        ("a key with a quote", &|c| c["envelope"]["success_keys"] = json!(["ok\""])),
        ("a list with a number", &|c| c["envelope"]["success_keys"] = json!([true])),
        ("a text for a list", &|c| c["envelope"]["success_keys"] = "ok".into()),
        ("a code longer than gofmt aligns", &|c| {
            c["error_codes"]["core"][&long] = json!({"exit": 1, "retryable": false});
        }),
        ("two members with one name", &|c| {
            c["self_description"]["update"]["some-keys"] = json!(["a"]);
            c["self_description"]["update"]["some_keys"] = json!(["b"]);
        }),
    ];
    for (name, change) in changes {
        let sandbox = Sandbox::new();
        let mut contract = released.clone();
        contract["tag"] = "v1.9.0".into();
        change(&mut contract);
        sandbox.write("tool/aos.toml", RECORD);
        sandbox.write("specs/contract.json", &contract.to_string());
        sandbox.write("specs/CLI-SPEC.md", "# text\n");
        let root = sandbox.work().join("tool");
        let before = disk::state(&root);
        let arguments = ["sync-spec", "--from", "../specs", "--to", "v1.9.0"];
        let answer = sandbox.aos_in(&root, &arguments).json();
        assert_eq!(answer["ok"], false, "{name}");
        assert!(disk::state(&root) == before, "{name}");
    }
}

#[test]
fn outputs_that_no_program_would_contain_are_refused_with_a_reason() {
    let sandbox = Sandbox::new();
    let root = sandbox.work().join("tool");
    for (outputs, reason) in [
        ("go = [\"contract_gen.go\"]", "package"),
        ("go = [\"my-contract/contract_gen.go\"]", "package"),
        ("go = [\"contract/contract_gen_test.go\"]", "tests only"),
        ("go = [{ path = \"a/b.go\", package = \"x; func init() {}\" }]", "identifier"),
        ("go = [{ path = \"a/b.go\", package = \"func\" }]", "identifier"),
        ("go = [{ package = \"a\" }]", "path"),
        ("python = [\"acme/contract_gen.go\"]", ".py"),
        ("python = [{ path = \"acme/contract_gen.py\", package = \"acme\" }]", "outputs.go"),
        ("typescript = [\"src/contract_gen.d.ts\"]", "only types"),
        ("rust = [\"../contract_gen.rs\"]", ".."),
        ("java = [\"Contract.java\"]", "go, python, rust, typescript"),
        ("python = [\"a/x.py\", \"a/x.py\"]", "a/x.py"),
    ] {
        sandbox
            .write("tool/aos.toml", &format!("family = \"agent-cli\"\n\n[outputs]\n{outputs}\n"));
        let before = disk::state(&root);
        let answer = sandbox.aos_in(&root, &["sync-spec"]).json();
        assert_eq!(answer["ok"], false, "{outputs}");
        assert!(answer["error"].to_string().contains(reason), "{outputs}: {answer}");
        assert!(disk::state(&root) == before, "{outputs}");
    }
}
