//! No probe passes without a target, whatever words and shapes a tool uses, and every report says how many there were.

use serde_json::Value;

use crate::toolchain::python_of_connectors;

use super::super::conform_agent_cli::{conform_with, of_verdict, tool};
use super::super::sandbox::{Answer, Sandbox};
use super::{connector, executable, with_verdict};

/// Runs these probes on the project.
fn probe(sandbox: &Sandbox, project: &std::path::Path, probes: &[&str]) -> Answer {
    let options: Vec<_> = probes.iter().flat_map(|probe| ["--probe", *probe]).collect();
    conform_with(sandbox, project, python_of_connectors(), &options)
}

/// The good tool, with faults, whose `reference` uses other words for types.
fn with_types(sandbox: &Sandbox, faults: &[&str], words: [&str; 2]) -> std::path::PathBuf {
    let project = tool(sandbox, "ledger", faults);
    let path = project.join("commands.py");
    let text = std::fs::read_to_string(&path).expect("commands");
    let from = "for each in COMMANDS]\n    exits";
    assert!(text.contains(from));
    let [reads, writes] = words;
    let to = format!(
        "for each in COMMANDS]\n    commands = [{{**each, \"type\": \"{reads}\" if each[\"type\"] == \"query\" else \"{writes}\"}} for each in commands]\n    exits"
    );
    std::fs::write(&path, text.replace(from, &to)).expect("commands");
    project
}

const BY_TYPE: [&str; 6] = [
    "cli.no-prompt",
    "cli.gate-bare",
    "cli.gate-examples",
    "cli.examples-parse",
    "cli.jobs",
    "cli.reference-commands",
];

#[test]
fn usual_words_for_types_find_the_same_targets() {
    let sandbox = Sandbox::new();
    let counts = |words| {
        let answer = probe(&sandbox, &with_types(&sandbox, &[], words), &BY_TYPE);
        let data = answer.data();
        let results = data["results"].as_array().expect("results").clone();
        results.iter().map(|each| each["targets"].as_u64().expect("a number")).collect::<Vec<_>>()
    };
    let plain = counts(["read", "write"]);
    assert!(plain.iter().all(|count| *count >= 1), "{plain:?}");
    assert_eq!(counts(["query", "mutation"]), plain);
    let broken = with_types(&sandbox, &["no-prompt"], ["query", "mutation"]);
    let answer = probe(&sandbox, &broken, &["cli.no-prompt"]);
    assert_eq!(of_verdict(&answer, "fail").len(), 1, "{answer:?}");
}

#[test]
fn a_word_that_nobody_knows_blocks_what_depends_on_it() {
    let sandbox = Sandbox::new();
    let answer = probe(&sandbox, &with_types(&sandbox, &[], ["thing", "deed"]), &BY_TYPE);
    let blocked = of_verdict(&answer, "blocked");
    assert_eq!(blocked.len(), BY_TYPE.len(), "{:?}", answer.json());
    for (id, message) in blocked {
        assert!(message.contains("does not show whether it reads or writes"), "{id}: {message}");
    }
}

/// The tool, with another change of the target of `note update` in conform.toml.
fn with_change(sandbox: &Sandbox, name: &str, faults: &[&str], change: &str) -> Answer {
    let project = tool(sandbox, name, faults);
    let path = project.join("conform.toml");
    let text = std::fs::read_to_string(&path).expect("a fixture");
    let from = "changed = [\"--id\", \"2\", \"--title\", \"Worse\"]";
    assert!(text.contains(from), "{text}");
    std::fs::write(&path, text.replace(from, change)).expect("a fixture");
    probe(sandbox, &project, &["cli.token-version"])
}

#[test]
fn a_change_of_another_target_blames_the_fixture_and_any_call_can_change_one() {
    let sandbox = Sandbox::new();
    let other = "changed = [\"--id\", \"3\", \"--title\", \"Worse\"]";
    let blocked = of_verdict(&with_change(&sandbox, "other", &[], other), "blocked");
    assert!(blocked[0].1.contains("conform.toml names another target"), "{blocked:?}");
    let by = "changed_by = [\"note\", \"update\", \"--id\", \"2\", \"--title\", \"Worse\"]";
    with_change(&sandbox, "by", &[], by).data();
    let broken = with_change(&sandbox, "broken", &["token-version"], by);
    assert_eq!(of_verdict(&broken, "fail").len(), 1, "{broken:?}");
    let error = broken.error("E_NONCONFORMANT", 6);
    let shown = error["details"]["results"][0]["evidence"].as_array().expect("evidence").len();
    assert!(shown > 2, "the calls before the last one are shown: {shown}");
}

/// A tool that answers `reference` with this data, and everything else with an empty success.
fn answering(sandbox: &Sandbox, name: &str, data: &str) -> Answer {
    let script = format!(
        "#!/bin/sh\nd='{{}}'\n[ \"$1\" = reference ] && d='{data}'\nprintf '{{\"ok\": true, \"schema_version\": \"1.0\", \"data\": %s, \"meta\": {{\"duration_ms\": 0}}}}\\n' \"$d\"\n"
    );
    let path = sandbox.write(name, &script);
    executable(&path);
    sandbox.aos(&[
        "conform",
        "--all",
        "--family",
        "agent-cli",
        "--",
        path.to_str().expect("a path"),
    ])
}

#[test]
fn from_a_strange_reference_nothing_passes_and_nothing_is_found_absent() {
    let sandbox = Sandbox::new();
    let shapes = [
        ("none", "{}"),
        ("empty", r#"{"commands": []}"#),
        ("bare", r#"{"tool": "t", "commands": [{"path": "list"}]}"#),
        (
            "nested",
            r#"{"tool": "t", "commands": [{"path": "item", "params": [], "type": "read", "commands": [{"name": "delete", "flags": []}]}]}"#,
        ),
        ("flags", r#"{"tool": "t", "commands": [{"path": "list", "type": "read", "flags": []}]}"#),
        (
            "untyped",
            r#"{"tool": "t", "commands": [{"path": "list", "params": [], "output_schema": "s"}], "schemas": {"s": {"fields": ["a"]}}, "error_codes": {"E_USAGE": {}}}"#,
        ),
    ];
    for (name, data) in shapes {
        let error = answering(&sandbox, name, data).error("E_NONCONFORMANT", 6);
        let details = &error["details"];
        for id in [
            "cli.no-prompt",
            "cli.gate-bare",
            "cli.token-once",
            "cli.audit",
            "cli.jobs",
            "cli.stream",
            "cli.update-check",
        ] {
            for verdict in ["pass", "not_applicable"] {
                let found = with_verdict(details, verdict);
                let is_read = id == "cli.no-prompt" && ["bare", "nested", "flags"].contains(&name);
                assert!(is_read || !found.contains(&id), "{name}: {id} is {verdict}");
            }
        }
        every_pass_has_targets(details);
    }
}

#[test]
fn a_usual_form_of_reference_is_one_finding_and_its_commands_are_judged() {
    let sandbox = Sandbox::new();
    let data = r#"{"tool": "t", "commands": [{"name": "t list", "flags": [], "permission": "read", "output_schema": "s"}], "schemas": {"s": {"fields": ["a"]}}, "error_codes": {"E_USAGE": {}}}"#;
    let error = answering(&sandbox, "named", data).error("E_NONCONFORMANT", 6);
    let results = error["details"]["results"].as_array().expect("results");
    let of = |id: &str| results.iter().find(|result| result["probe"] == id).expect("a probe");
    let finding = of("cli.reference-commands");
    let message = finding["message"].as_str().expect("a message");
    for part in ["the name of the tool", "called `name`", "called `flags`", "called `permission`"] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(finding["verdict"], "fail");
    // The one command is known by its path, and nothing but it is missing from help.
    assert_eq!(of("cli.no-prompt")["verdict"], "pass", "{}", of("cli.no-prompt"));
    assert_eq!(of("cli.gate-bare")["verdict"], "not_applicable", "{}", of("cli.gate-bare"));
}

fn every_pass_has_targets(data: &Value) {
    let results = data["results"].as_array().expect("results");
    let mut sum = 0;
    for result in results {
        let targets = result["targets"].as_u64().expect("a number of targets");
        assert!(result["verdict"] != "pass" || targets > 0, "{result}");
        assert!(result["targets_of"].as_str().is_some_and(|unit| !unit.is_empty()), "{result}");
        sum += targets;
    }
    assert_eq!(data["summary"]["targets"], sum);
}

#[test]
fn modes_that_nobody_knows_and_an_unreadable_list_of_commands_block_the_gate() {
    for (from, to) in [
        ("\"required_mode\":\"admin\"", "\"required_mode\":\"Administrator\""),
        ("\"id\":\"item.delete\"", "\"name\":\"item.delete\""),
        ("\"id\":\"item.delete\"", "\"id\":\"item delete\""),
    ] {
        let sandbox = Sandbox::new();
        let path = connector(&sandbox, "");
        let manifest = std::fs::read_to_string(path.join("connector.json")).expect("a manifest");
        assert!(manifest.contains(from), "{manifest}");
        std::fs::write(path.join("connector.json"), manifest.replace(from, to))
            .expect("a manifest");
        let probes = ["--probe", "harness.gate", "--probe", "harness.commands-exist"];
        let answer = super::conform(&sandbox, &path, &probes);
        let error = answer.error("E_NONCONFORMANT", 6);
        let blocked = with_verdict(&error["details"], "blocked");
        assert_eq!(blocked, ["harness.commands-exist", "harness.gate"], "{to}");
    }
}

#[test]
fn every_report_says_how_many_targets_there_were() {
    let sandbox = Sandbox::new();
    let path = connector(&sandbox, "");
    let probes = ["--probe", "harness.flags-before", "--probe", "harness.commands-exist"];
    let files = ["--report", "junit=r.xml", "--report", "sarif=r.sarif"];
    let data = super::conform(&sandbox, &path, &[&probes[..], &files].concat()).data();
    every_pass_has_targets(&data);
    let total = data["summary"]["targets"].as_u64().expect("a number");
    let read = |name: &str| std::fs::read_to_string(path.join(name)).expect("a report");
    let xml = read("r.xml");
    assert!(xml.contains(&format!("<property name=\"targets\" value=\"{total}\"/>")), "{xml}");
    assert!(xml.contains("<property name=\"targets_of\" value=\"commands\"/>"), "{xml}");
    let sarif: Value = serde_json::from_str(&read("r.sarif")).expect("JSON");
    let of = &sarif["runs"][0]["results"][1]["properties"];
    assert_eq!((&of["targets"], &of["targetsOf"]), (&6.into(), &"commands".into()));
    let text = super::conform(&sandbox, &path, &[&probes[..], &["--format", "text"]].concat());
    assert!(text.stdout.contains("commands-exist 6 commands"), "{}", text.stdout);
    assert!(text.stdout.contains(&format!("{total} targets")), "{}", text.stdout);
}
