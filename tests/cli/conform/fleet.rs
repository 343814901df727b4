//! `aos conform --recursive`: each tool is run on its own, and one answer sums up.

use std::path::Path;

use super::connector;
use crate::sandbox::Sandbox;

/// A fleet of a tool that conforms, one that does not, and one that is not there.
fn fleet(sandbox: &Sandbox) {
    for (name, faults) in [("a-good", ""), ("b-chatty", "one-document"), ("c-good", "")] {
        let made = connector(sandbox, faults);
        let place = sandbox.work().join("fleet").join(name);
        std::fs::create_dir_all(place.parent().expect("a parent")).expect("a directory");
        std::fs::rename(made, place).expect("a directory");
    }
    let absent = sandbox.work().join("fleet/d-absent");
    copied(&sandbox.work().join("fleet/c-good/connector.json"), &absent.join("connector.json"));
}

fn copied(from: &Path, to: &Path) {
    std::fs::create_dir_all(to.parent().expect("a parent")).expect("a directory");
    std::fs::copy(from, to).expect("a copy");
}

#[test]
fn each_tool_of_a_fleet_is_run_and_one_answer_sums_up() {
    let sandbox = Sandbox::new();
    fleet(&sandbox);
    let words = ["conform", "--recursive", "fleet", "--probe", "harness.one-document"];
    let error = sandbox.aos(&words).error("E_NONCONFORMANT", 6);
    let report = &error["details"];
    let summary = &report["summary"];
    let counts: Vec<_> = ["projects", "conformant", "nonconformant", "failed", "pending"]
        .iter()
        .map(|name| summary[name].as_u64().expect("a number"))
        .collect();
    assert_eq!(counts, [4, 2, 1, 1, 0], "{report}");
    // Those that conform are only counted.
    let rows = report["projects"].as_array().expect("projects");
    let seen: Vec<_> =
        rows.iter().map(|row| (row["path"].clone(), row["status"].clone())).collect();
    let wanted = [("fleet/b-chatty", "nonconformant"), ("fleet/d-absent", "failed")];
    assert_eq!(seen, wanted.map(|(path, status)| (path.into(), status.into())));
    assert_eq!(rows[0]["probes"][0], "harness.one-document");
    assert_eq!(rows[1]["code"], "E_NOT_FOUND");

    // An interrupted run goes on where it ended.
    let words = [
        "conform",
        "--recursive",
        "fleet",
        "--from",
        "fleet/c-good",
        "--probe",
        "harness.one-document",
    ];
    let error = sandbox.aos(&words).error("E_NOT_FOUND", 3);
    assert_eq!(error["details"]["summary"]["projects"], 2);
    let words = ["conform", "--recursive", "fleet", "--from", "fleet", "--jobs", "1"];
    sandbox.aos(&words).error("E_NOT_FOUND", 3);
    sandbox.aos(&["conform", "--recursive", "nothing"]).error("E_NOT_FOUND", 3);
    // A wrong option is one error, not one for each project.
    for wrong in [&["--jobs", "0"][..], &["--probe", "harness.nothing"], &["--family", "x"]] {
        let error = sandbox.aos(&[&["conform", "--recursive", "fleet"], wrong].concat());
        let error = error.error("E_VALIDATION", 2);
        assert_eq!(error["details"]["projects"], serde_json::Value::Null, "{error}");
    }
    // Where no project has the probe, nothing was shown.
    let words = ["conform", "--recursive", "fleet", "--probe", "cli.one-document"];
    let error = sandbox.aos(&words).error("E_NOT_FOUND", 3);
    assert_eq!(error["details"]["summary"]["passed_over"], 4, "{error}");
}

#[test]
fn a_fleet_that_conforms_is_a_success() {
    let sandbox = Sandbox::new();
    connector(&sandbox, "");
    let words = ["conform", "--recursive", ".", "--probe", "harness.one-document"];
    let data = sandbox.aos(&words).data();
    assert_eq!(data["summary"]["conformant"], 1, "{data}");
    assert_eq!(data["projects"], serde_json::json!([]));
    let text = sandbox.aos(&[&words[..], &["--format", "text"]].concat()).stdout;
    assert!(text.ends_with("1 of 1 tools conform\n"), "{text}");
}
