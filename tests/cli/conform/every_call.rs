//! Rules that hold for every call are judged on every call of a run, also on those that no sample looks at.

use serde_json::Value;

use crate::toolchain::python_of_connectors;

use super::super::conform_agent_cli::{asking, conform_with, of_verdict, probes_of_commands, tool};
use super::super::sandbox::Sandbox;
use super::{conform, connector, result, with_verdict};

/// The calls that prove a failure, each with what is wrong.
fn proofs(result: &Value) -> Vec<(String, String)> {
    let evidence = result["evidence"].as_array().expect("evidence").iter();
    let words = |value: &Value| {
        let words = value.as_array().expect("words").iter();
        words.map(|word| word.as_str().expect("a word")).collect::<Vec<_>>().join(" ")
    };
    let note = |each: &Value| each["note"].as_str().expect("a note").to_owned();
    evidence.map(|each| (words(&each["argv"]), note(each))).collect()
}

/// Every call is judged, or excluded for a reason.
fn all_calls_are_counted(data: &Value) {
    let calls = &data["calls"];
    let number = |value: &Value| value.as_u64().expect("a number");
    let mut excluded = 0;
    for each in calls["excluded"].as_array().expect("reasons") {
        assert!(each["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{each}");
        excluded += number(&each["calls"]);
    }
    assert_eq!(number(&calls["finished"]), number(&calls["judged"]) + excluded, "{calls}");
    assert!(number(&calls["judged"]) > 0, "{calls}");
}

#[test]
fn a_fault_of_one_command_or_one_code_fails_the_probe_of_its_rule_and_no_other() {
    let sandbox = Sandbox::new();
    let faults = ["rare-meta", "rare-error", "rare-secret", "rare-usage", "rare-id"];
    let wanted =
        ["cli.envelope-keys", "cli.error-keys", "cli.usage", "cli.ids-and-times", "cli.secrets"];
    let probes = probes_of_commands(&sandbox);
    let asked = asking(&probes);
    let tool = tool(&sandbox, "rare", &faults);
    let answer = conform_with(&sandbox, &tool, python_of_connectors(), &asked);
    let failed: Vec<_> = of_verdict(&answer, "fail").into_iter().map(|(id, _)| id).collect();
    assert_eq!(failed, wanted, "{:#?}", of_verdict(&answer, "fail"));
    let error = answer.error("E_NONCONFORMANT", 6);
    let data = &error["details"];
    all_calls_are_counted(data);
    for (probe, call, note, codes) in [
        // Without an id, with one that is unknown, and with a good one.
        ("cli.envelope-keys", "report result", "meta, ok, schema_version", 3),
        ("cli.usage", "report status", "the envelope of E_USAGE is on stderr", 1),
        ("cli.ids-and-times", "note update", "`id` is 2, which is not a string", 1),
        ("cli.secrets", "shelf overview", "LEDGER_TOKEN is printed in full", 2),
    ] {
        let proofs = proofs(result(data, probe));
        for (line, why) in &proofs {
            assert!(line.contains(call) && why.contains(note), "{probe}: {line}: {why}");
        }
        assert_eq!(proofs.len(), codes, "one proof for a command and a code: {proofs:#?}");
    }
    let errors = proofs(result(data, "cli.error-keys"));
    assert!(errors.iter().all(|(_, why)| why.contains("hint")), "{errors:#?}");
    let texts = result(data, "cli.error-keys")["evidence"].to_string();
    assert!(texts.contains("E_CONFLICT") && texts.contains("E_NOT_FOUND"), "{texts}");
    let judged = data["calls"]["judged"].as_u64().expect("a number");
    let targets = result(data, "cli.envelope-keys")["targets"].as_u64().expect("a number");
    assert!(targets > 300 && targets <= judged, "{targets} of {judged}");
    // The secret of the call is in no proof of it.
    assert!(!answer.stdout.contains("Qz7x"), "a report shows a secret");
}

/// An audit that one command or one option leaves out, and a secret in the text for people alone.
#[test]
fn the_audit_of_every_write_is_seen_and_secrets_are_sought_in_text_too() {
    let sandbox = Sandbox::new();
    let only = ["--probe", "cli.audit", "--probe", "cli.secrets"];
    for (fault, probe, call) in [
        ("rare-audit", "cli.audit", "note delete"),
        ("rare-compact", "cli.audit", "--compact"),
        ("rare-text", "cli.secrets", "--format text"),
    ] {
        let tool = tool(&sandbox, fault, &[fault]);
        let answer = conform_with(&sandbox, &tool, python_of_connectors(), &only);
        let failed: Vec<_> = of_verdict(&answer, "fail").into_iter().map(|(id, _)| id).collect();
        assert_eq!(failed, [probe], "{fault}: {:#?}", of_verdict(&answer, "fail"));
        let error = answer.error("E_NONCONFORMANT", 6);
        let proofs = proofs(result(&error["details"], probe));
        assert!(proofs.iter().any(|(line, _)| line.contains(call)), "{fault}: {proofs:#?}");
    }
}

/// Promises that one command, one role or one format alone breaks.
#[test]
fn a_promise_is_tested_for_every_write_every_list_and_every_format() {
    let sandbox = Sandbox::new();
    let run = |name: &str, broken: &[(&str, &str)]| {
        let faults: Vec<&str> = broken.iter().map(|(fault, _)| *fault).collect();
        let probes = broken.iter().flat_map(|(_, probe)| ["--probe", *probe]);
        let probes: Vec<&str> = probes.collect();
        let tool = tool(&sandbox, name, &faults);
        let answer = conform_with(&sandbox, &tool, python_of_connectors(), &probes);
        let failed: Vec<_> = of_verdict(&answer, "fail").into_iter().map(|(id, _)| id).collect();
        let mut wanted: Vec<_> = broken.iter().map(|(_, probe)| (*probe).to_owned()).collect();
        let mut found = failed;
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted, "{:#?}", of_verdict(&answer, "fail"));
    };
    run(
        "rare-promises",
        &[
            ("rare-once", "cli.token-once"),
            ("rare-missing", "cli.dry-run-validates"),
            ("rare-credentials", "cli.no-credentials"),
            ("rare-status", "cli.http-statuses"),
            ("rare-wide", "cli.formats"),
            ("rare-quiet", "cli.quiet"),
            ("rare-poll", "cli.jobs"),
            ("rare-item", "cli.batch-result"),
            ("rare-preview", "cli.gate-bare"),
            ("rare-raw", "cli.format-raw"),
            ("rare-doctor", "cli.doctor"),
        ],
    );
    run(
        "rare-account",
        &[("rare-account", "cli.token-account"), ("rare-refusal", "cli.http-statuses")],
    );
    run("rare-forged", &[("rare-forged", "cli.token-forged"), ("rare-default", "cli.paging")]);
    run("rare-plain", &[("rare-plain", "cli.formats"), ("rare-short", "cli.paging")]);
    run(
        "rare-filter",
        &[
            ("rare-state", "cli.paging"),
            ("rare-mark", "cli.untrusted"),
            ("rare-entry", "cli.batch-result"),
        ],
    );
    run("rare-text-filter", &[("rare-query", "cli.paging"), ("rare-delete", "cli.token-once")]);
    run("rare-body", &[("rare-body", "cli.token-once"), ("rare-wait", "cli.rate-limited-403")]);
}

#[test]
fn a_confirmed_write_that_asks_a_person_fails_the_probe_about_prompts() {
    let sandbox = Sandbox::new();
    let project = tool(&sandbox, "asks", &["rare-prompt"]);
    let path = project.join("conform.toml");
    let text = std::fs::read_to_string(&path).expect("a fixture");
    // Of the writes, only those that the test is about.
    let kept = ["note create", "note delete"].map(|path| format!("path = \"{path}\""));
    let parts: Vec<&str> = text.split("[[agent_cli.command]]").collect();
    let wanted = |part: &&&str| kept.iter().any(|path| part.contains(path.as_str()));
    let samples = parts[1..].iter().filter(wanted);
    let text =
        samples.fold(parts[0].to_owned(), |text, part| text + "[[agent_cli.command]]" + part);
    std::fs::write(&path, text).expect("a fixture");
    let probes = ["--probe", "cli.no-prompt", "--probe", "cli.token-once"];
    let answer = conform_with(&sandbox, &project, python_of_connectors(), &probes);
    let failed = of_verdict(&answer, "fail");
    assert_eq!(failed.len(), 1, "{failed:#?}");
    assert_eq!(failed[0].0, "cli.no-prompt");
    assert!(failed[0].1.contains("note delete"), "{failed:#?}");
    assert!(of_verdict(&answer, "blocked")[0].1.contains("does not end"), "{answer:?}");
}

#[test]
fn a_fault_of_one_command_of_a_connector_fails_the_probe_of_its_rule_at_both_tags() {
    for tag in ["v1.0.0", "v1.1.0"] {
        let sandbox = Sandbox::new();
        let path = connector(&sandbox, "rare");
        if tag == "v1.0.0" {
            // Keys of health that this tag does not know yet.
            let source = path.join("agent-harness/aos_good/cli.py");
            let text = std::fs::read_to_string(&source).expect("a source");
            let (from, to) = ("\"first-tag\" in FAULTS", "\"rare\" in FAULTS");
            assert!(text.contains(from));
            std::fs::write(&source, text.replace(from, to)).expect("a source");
        }
        sandbox.write("aos-good/.agent/SPEC_VERSION", &format!("{tag}\n"));
        let error = conform(&sandbox, &path, &[]).error("E_NONCONFORMANT", 6);
        let data = &error["details"];
        assert_eq!(data["tool"]["tag"], tag);
        let wanted = ["harness.error-keys", "harness.meta", "harness.command-secrets"];
        let failed = with_verdict(data, "fail");
        assert_eq!(failed, wanted, "{tag}: {data:#}");
        all_calls_are_counted(data);
        for (probe, words, note) in [
            ("harness.error-keys", "item delete", "in `error`: `hint` is not a key of it"),
            ("harness.meta", "item create", "`timestamp` is not an ISO 8601 time in UTC"),
            ("harness.command-secrets", "--cursor", "GOOD_TOKEN is printed in full"),
        ] {
            let proofs = proofs(result(data, probe));
            assert!(!proofs.is_empty(), "{probe}");
            for (line, why) in &proofs {
                assert!(line.contains(words) && why.contains(note), "{probe}: {line}: {why}");
            }
        }
    }
}

#[test]
fn the_requests_of_an_option_are_compared_with_those_of_its_words() {
    for (fault, probe, says) in [
        ("no-means-yes", "harness.workflow-boolean", "`--dry false` sends the requests of `--dry`"),
        ("empty-is-sent", "harness.workflow-empty", "an empty value changes the request"),
    ] {
        let sandbox = Sandbox::new();
        let path = connector(&sandbox, fault);
        let error = conform(&sandbox, &path, &["--probe", probe]).error("E_NONCONFORMANT", 6);
        let data = &error["details"];
        assert_eq!(with_verdict(data, "fail"), [probe], "{data:#}");
        let proofs = proofs(result(data, probe));
        assert!(proofs.iter().any(|(_, why)| why.contains(says)), "{proofs:#?}");
    }
}

#[test]
fn every_report_says_how_many_calls_were_judged() {
    let sandbox = Sandbox::new();
    let path = connector(&sandbox, "");
    let probes = ["--probe", "harness.meta", "--probe", "harness.version-flag"];
    let files = ["--report", "junit=r.xml", "--report", "sarif=r.sarif"];
    let data = conform(&sandbox, &path, &[&probes[..], &files].concat()).data();
    all_calls_are_counted(&data);
    let reasons = data["calls"]["excluded"].as_array().expect("reasons");
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    assert_eq!(reasons[0]["calls"], 1, "the call of --version: {reasons:?}");
    let judged = &data["calls"]["judged"];
    assert_eq!(&result(&data, "harness.meta")["targets"], judged);
    let read = |name: &str| std::fs::read_to_string(path.join(name)).expect("a report");
    let xml = read("r.xml");
    let property =
        |name: &str, value: &Value| format!("<property name=\"{name}\" value=\"{value}\"/>");
    assert!(xml.contains(&property("calls_judged", judged)), "{xml}");
    assert!(xml.contains(&property("calls_excluded", &1.into())), "{xml}");
    let sarif: Value = serde_json::from_str(&read("r.sarif")).expect("JSON");
    let invocation = &sarif["runs"][0]["invocations"][0]["properties"];
    assert_eq!(invocation["calls"], data["calls"]);
    let text = conform(&sandbox, &path, &[&probes[..], &["--format", "text"]].concat());
    let line = format!("{judged} of {} calls were judged (1: ", data["calls"]["finished"]);
    assert!(text.stdout.contains(&line), "{}", text.stdout);
}
