//! The text report and what a failing run offers: what is wrong first, each once, and a command that works.

use serde_json::Value;

use super::super::sandbox::{Answer, Sandbox};
use super::{connector, executable, with_verdict};

/// A tool that answers `reference` and `context`, and fails everything else with a coloured line.
const HALF: &str = r#"#!/bin/sh
case "$1" in
reference) echo '{"ok": true, "schema_version": "1.0", "data": {"commands": [{"path": "list"}]}, "meta": {"duration_ms": 0}}' ;;
context) echo '{"ok": true, "schema_version": "1.0", "data": {}, "meta": {"duration_ms": 0}}' ;;
*) printf 'first\nError: \033[31mnothing works\n' >&2; exit 3 ;;
esac
"#;

fn half(sandbox: &Sandbox, format: &str) -> Answer {
    executable(&sandbox.write("a tool", HALF));
    sandbox.aos(&[
        "--format",
        format,
        "conform",
        "--all",
        "--family",
        "agent-cli",
        "--",
        "./a tool",
    ])
}

#[test]
fn the_text_report_fits_a_screen_and_shows_what_proves_each_failure() {
    let sandbox = Sandbox::new();
    let answer = half(&sandbox, "text");
    let lines: Vec<&str> = answer.stdout.trim_end().lines().collect();
    assert!(lines.len() <= 74, "{}", answer.stdout);
    assert!(lines.iter().all(|line| line.chars().count() < 320), "{}", answer.stdout);
    let first = |start: &str| lines.iter().position(|line| line.starts_with(start));
    assert!(first("fail ") < first("blocked "), "{}", answer.stdout);
    assert!(lines.last().is_some_and(|line| line.starts_with("FAILED ")), "{}", answer.stdout);
    // Eight with everything, the others in one line each.
    let fixes = lines.iter().filter(|line| line.starts_with("  fix: ")).count();
    let failed = lines.iter().filter(|line| line.starts_with("fail ")).count();
    assert!(fixes == 8 && failed > 8, "{}", answer.stdout);
    // The proof is the end of stderr, without what steers a terminal.
    assert!(answer.stdout.contains("  stderr: Error: \\u{1b}[31mnothing works\n"), "{answer:?}");
    assert!(!answer.stdout.contains("first"), "{}", answer.stdout);
    // One line for a reason, whatever number of probes has it.
    let reason = "conform.toml has no [[agent_cli.command]] with the role `get`";
    assert_eq!(answer.stdout.matches(reason).count(), 1, "{}", answer.stdout);
    assert!(answer.stdout.contains("cli.http-statuses, "), "{}", answer.stdout);
}

#[test]
fn no_message_has_a_hole_where_the_tool_has_nothing() {
    let error = half(&Sandbox::new(), "json").error("E_NONCONFORMANT", 6);
    let results = error["details"]["results"].as_array().expect("results");
    for result in results {
        let message = result["message"].as_str().expect("a message");
        assert!(!message.contains("``") && !message.ends_with(' '), "{message}");
    }
    let of = |id: &str| results.iter().find(|result| result["probe"] == id).expect("a probe");
    let level = of("cli.readiness")["message"].as_str().expect("a message");
    assert!(level.contains("`release_readiness.level` is (absent)"), "{level}");
    let version = of("cli.version-and-help")["message"].as_str().expect("a message");
    assert!(version.contains("(absent)"), "{version}");
}

/// The command between backticks at the end of the next step, run by a shell.
#[track_caller]
fn follow(sandbox: &Sandbox, directory: &std::path::Path, error: &Value) -> Value {
    let step = error["details"]["fix"].as_str().expect("a next step");
    let command = step.rsplit("run `").next().and_then(|rest| rest.strip_suffix('`'));
    let command = command.unwrap_or_else(|| panic!("no command in {step}"));
    let rest = command.strip_prefix("aos ").unwrap_or_else(|| panic!("{command}"));
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &format!("exec '{}' --json {rest}", env!("CARGO_BIN_EXE_aos"))]);
    shell.current_dir(directory).env("HOME", sandbox.home());
    super::super::sandbox::run(&mut shell).error("E_NONCONFORMANT", 6)
}

#[test]
fn the_next_step_is_a_command_that_looks_at_the_same_tool_again() {
    let sandbox = Sandbox::new();
    let error = half(&sandbox, "json").error("E_NONCONFORMANT", 6);
    let again = follow(&sandbox, &sandbox.work(), &error);
    assert_eq!(with_verdict(&again["details"], "fail"), ["cli.one-document"]);

    connector(&sandbox, "meta");
    for arguments in [
        ["conform", "aos-good", "--probe", "harness.meta"].as_slice(),
        &["-C", "aos-good", "conform", "--tag", "v1.1.0", "--probe", "harness.meta"],
        &[
            "-C",
            ".",
            "conform",
            "aos-good",
            "--probe",
            "harness.meta",
            "--fixture",
            "aos-good/conform.toml",
        ],
    ] {
        let error = sandbox.aos(arguments).error("E_NONCONFORMANT", 6);
        let again = follow(&sandbox, &sandbox.work(), &error);
        assert_eq!(with_verdict(&again["details"], "fail"), ["harness.meta"], "{arguments:?}");
    }
}

#[test]
fn fields_choose_the_same_of_a_failing_run_as_of_a_good_one() {
    let sandbox = Sandbox::new();
    let narrowed = |fault: &str, fields: &str| {
        let path = connector(&sandbox, fault);
        let arguments = ["conform", "--probe", "harness.meta", "--fields", fields];
        sandbox.aos_in(&path, &arguments)
    };
    let names = |value: &Value| -> Vec<String> {
        value.as_object().expect("members").keys().cloned().collect()
    };
    let good = narrowed("", "summary.fail,results.probe").data();
    assert_eq!(good["summary"], serde_json::json!({"fail": 0}));
    let error = narrowed("meta", "summary.fail,results.probe").error("E_NONCONFORMANT", 6);
    let details = &error["details"];
    assert_eq!(details["summary"], serde_json::json!({"fail": 1}));
    assert_eq!(names(&details["results"][0]), names(&good["results"][0]));
    assert_eq!(names(&details["results"][0]), ["probe"]);
    assert!(details["network"].is_null() && details["fix"].is_string(), "{details}");
    for fault in ["", "meta"] {
        let error = narrowed(fault, "sumary").error("E_VALIDATION", 2);
        assert!(error["message"].as_str().expect("a message").contains("sumary"), "{error}");
        let error = narrowed(fault, "summary.failed").error("E_VALIDATION", 2);
        assert!(error["details"]["known_fields"].is_array(), "{error}");
    }
}
