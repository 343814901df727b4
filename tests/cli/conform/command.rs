//! The command itself: choosing probes, waivers, reports, faulty arguments.

use super::super::sandbox::Sandbox;
use super::{connector, with_verdict};

#[test]
fn a_waiver_accepts_a_failure_and_is_shown() {
    let sandbox = Sandbox::new();
    let path = connector(&sandbox, "meta");
    let record = |more: &str| {
        sandbox.write("aos-good/aos.toml", &format!("family = \"harness\"\n\n[[conform.waive]]\nprobe = \"harness.meta\"\nreason = \"until the next release\"\n{more}"));
    };
    record("");
    let data = sandbox.aos_in(&path, &["conform", "--probe", "harness.meta"]).data();
    assert_eq!(with_verdict(&data, "waived"), ["harness.meta"]);
    assert_eq!(data["results"][0]["waiver"]["reason"], "until the next release");
    record("expires = \"2020-01-01\"\n");
    let error =
        sandbox.aos_in(&path, &["conform", "--probe", "harness.meta"]).error("E_NONCONFORMANT", 6);
    assert_eq!(error["details"]["waiver_faults"][0]["message"], "the waiver ended on 2020-01-01");
}

#[test]
fn an_unknown_probe_in_a_waiver_is_a_fault() {
    let sandbox = Sandbox::new();
    let path = connector(&sandbox, "");
    sandbox.write(
        "aos-good/aos.toml",
        "family = \"harness\"\n\n[[conform.waive]]\nprobe = \"harness.metta\"\nreason = \"x\"\n",
    );
    let error =
        sandbox.aos_in(&path, &["conform", "--probe", "harness.meta"]).error("E_NONCONFORMANT", 6);
    assert!(
        error["details"]["waiver_faults"][0]["message"].as_str().unwrap().contains("harness.meta")
    );
}

#[test]
fn reports_are_written_and_replaced() {
    let sandbox = Sandbox::new();
    let path = connector(&sandbox, "meta");
    for _ in 0..2 {
        sandbox
            .aos_in(
                &path,
                &[
                    "conform",
                    "--probe",
                    "harness.meta",
                    "--report",
                    "junit=r.xml",
                    "--report",
                    "sarif=r.sarif",
                ],
            )
            .error("E_NONCONFORMANT", 6);
    }
    let xml = std::fs::read_to_string(path.join("r.xml")).unwrap();
    assert!(xml.contains("<failure message=") && xml.contains("failures=\"1\""), "{xml}");
    let sarif = std::fs::read_to_string(path.join("r.sarif")).unwrap();
    let sarif: serde_json::Value = serde_json::from_str(&sarif).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "harness.meta");
}

#[test]
fn a_command_is_run_without_a_project_and_manifest_probes_are_blocked() {
    let sandbox = Sandbox::new();
    let path = connector(&sandbox, "");
    let mut arguments = vec!["conform", "--family", "harness", "--tag", "v1.1.0"];
    arguments.extend(["--fixture", "conform.toml", "--", "agent-harness/bin/aos-good"]);
    let error = sandbox.aos_in(&path, &arguments).error("E_NONCONFORMANT", 6);
    let details = &error["details"];
    assert_eq!(with_verdict(details, "fail"), Vec::<&str>::new());
    assert!(with_verdict(details, "blocked").contains(&"harness.permissions-file"));
}

#[test]
fn a_run_that_cannot_start_is_refused_with_the_reason() {
    let sandbox = Sandbox::new();
    connector(&sandbox, "");
    std::fs::remove_file(sandbox.work().join("aos-good/agent-harness/bin/aos-good")).unwrap();
    let error = sandbox.aos(&["conform", "aos-good"]).error("E_NOT_FOUND", 3);
    assert!(error["details"]["looked_for"].as_array().unwrap().len() > 3);
    sandbox.aos(&["conform", "--jobs", "0"]).error("E_VALIDATION", 2);
    sandbox.aos(&["conform", "--explain", "harness.nothing"]).error("E_VALIDATION", 2);
    sandbox.aos(&["conform", "--report", "pdf=x"]).error("E_VALIDATION", 2);
    sandbox.aos(&["conform", "--", "true"]).error("E_USAGE", 2);
    let data = sandbox.aos(&["conform", "--explain", "harness.gate"]).data();
    assert_eq!(data["probes"][0]["section"], "§6");
}

#[test]
fn first_arguments_of_a_command_precede_those_of_each_call() {
    let sandbox = Sandbox::new();
    let path = connector(&sandbox, "");
    let arguments = [
        "conform",
        "--family",
        "harness",
        "--probe",
        "harness.meta",
        "--",
        "env",
        "agent-harness/bin/aos-good",
    ];
    let data = sandbox.aos_in(&path, &arguments).data();
    assert_eq!(with_verdict(&data, "pass"), ["harness.meta"]);
}

#[test]
fn a_fixture_cannot_undo_the_sandbox() {
    let sandbox = Sandbox::new();
    let path = connector(&sandbox, "");
    for text in [
        "base_url_env = \"HOME\"",
        "secrets = [\"PATH\"]",
        "[environment]\nHTTPS_PROXY = \"http://127.0.0.1:1\"",
        "[environment]\nno_proxy = \"*\"",
        "[environment]\nLD_PRELOAD = \"x.so\"",
        "[environment]\nXDG_CONFIG_HOME = \"/etc\"",
    ] {
        sandbox.write("aos-good/conform.toml", &format!("version = 1\n{text}\n"));
        let error = sandbox.aos_in(&path, &["conform"]).error("E_VALIDATION", 2);
        assert!(error["message"].as_str().unwrap().contains("cannot be set here"), "{error}");
    }
}

#[test]
fn the_text_report_steers_no_terminal() {
    let sandbox = Sandbox::new();
    let path = connector(&sandbox, "meta");
    sandbox.write("aos-good/aos.toml", "family = \"harness\"\n\n[[conform.waive]]\nprobe = \"harness.meta\"\nreason = \"r \\u001b[31mRED\\u0007 \\u202e\"\n");
    let answer = sandbox.aos_in(&path, &["conform", "--probe", "harness.meta", "--format", "text"]);
    assert!(answer.stdout.contains("RED"), "{answer:?}");
    assert!(!answer.stdout.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{answer:?}");
}
