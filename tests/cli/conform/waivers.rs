//! Waivers that contradict each other are faults; unnecessary waivers, and those that end soon, are notes. Every
//! format says so.

use serde_json::Value;

use super::super::sandbox::Sandbox;
use super::{connector, with_verdict};

const PROBES: [&str; 7] = [
    "conform",
    "--probe",
    "harness.meta",
    "--probe",
    "harness.success-keys",
    "--report=junit=r.xml",
    "--report=sarif=r.sarif",
];

/// Messages about waivers in all four formats: a note or fault must be in each.
#[track_caller]
fn said_everywhere(sandbox: &Sandbox, fault: &str, waivers: &str, wanted: &str, member: &str) {
    let path = connector(sandbox, fault);
    sandbox.write("aos-good/aos.toml", &format!("family = \"harness\"\n{waivers}"));
    let answer = sandbox.aos_in(&path, &PROBES);
    let document = answer.json();
    let data = document.get("data").unwrap_or(&document["error"]["details"]);
    let messages = data[member].as_array().expect("a list");
    let holds = |message: &Value| {
        message["message"].as_str().is_some_and(|message| message.contains(wanted))
    };
    assert!(messages.iter().any(holds), "{wanted}: {document:#}");
    assert_eq!(document["ok"], member == "waiver_notes", "{document:#}");
    let mut text = PROBES.to_vec();
    text.extend(["--format", "text"]);
    let mut all = vec![sandbox.aos_in(&path, &text).stdout];
    for report in ["r.xml", "r.sarif"] {
        all.push(std::fs::read_to_string(path.join(report)).expect("a report"));
    }
    for text in all {
        assert!(text.contains(wanted), "`{wanted}` is missing in {text}");
    }
}

fn waiver(probe: &str, more: &str) -> String {
    format!("[[conform.waive]]\nprobe = \"{probe}\"\nreason = \"because\"\n{more}\n")
}

#[test]
fn a_waiver_of_another_family_or_a_second_one_is_a_fault() {
    let sandbox = Sandbox::new();
    let other = waiver("cli.usage", "");
    let wanted = "the probe belongs to the family agent-cli, but this tool follows harness";
    said_everywhere(&sandbox, "", &other, wanted, "waiver_faults");
    let twice = waiver("harness.meta", "") + &waiver("harness.meta", "");
    said_everywhere(&sandbox, "meta", &twice, "another waiver above this one", "waiver_faults");
}

#[test]
fn a_waiver_that_nothing_needs_or_that_ends_soon_is_a_note() {
    let sandbox = Sandbox::new();
    let needless = waiver("harness.meta", "");
    said_everywhere(&sandbox, "", &needless, "it is no longer needed", "waiver_notes");
    let output = std::process::Command::new("date").args(["-u", "-d", "+5 days", "+%F"]).output();
    let Ok(day) = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    else {
        return;
    };
    let soon = waiver("harness.meta", &format!("expires = \"{day}\""));
    said_everywhere(&sandbox, "meta", &soon, "it ends in 5 days, on ", "waiver_notes");
    let far = waiver("harness.meta", "expires = \"2999-01-01\"");
    let path = connector(&sandbox, "meta");
    sandbox.write("aos-good/aos.toml", &format!("family = \"harness\"\n{far}"));
    let data = sandbox.aos_in(&path, &["conform", "--probe", "harness.meta"]).data();
    assert_eq!(with_verdict(&data, "waived"), ["harness.meta"]);
    assert_eq!(data["waiver_notes"], serde_json::json!([]));
}
