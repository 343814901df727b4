//! SARIF 2.1.0: one rule per probe, one result per probe that did not pass.

use serde_json::{Value, json};

use crate::conform::ProbeVerdict;
use crate::conform::runner::ProbeResult;

use super::{Conformance, evidence};
use crate::visible::Visible;

/// The document.
#[must_use]
pub fn render(conformance: &Conformance) -> String {
    let results = &conformance.verdicts.results;
    let rules: Vec<_> = results.iter().map(rule).collect();
    let mut found: Vec<_> =
        results.iter().enumerate().map(|(index, result)| entry(index, result)).collect();
    let faults = conformance.waiver_faults.iter().map(|fault| ("error", fault));
    let notes = conformance.waiver_notes.iter().map(|note| ("note", note));
    found.extend(faults.chain(notes).map(|(level, waiver)| {
        json!({
            "ruleId": "conform.waiver",
            "level": level,
            "kind": "fail",
            "message": {"text": format!("waiver of {}: {}", waiver.probe, waiver.message)},
            "locations": [location("aos.toml")],
        })
    }));
    let notifications: Vec<_> = conformance
        .notes
        .iter()
        .map(|note| json!({"level": "note", "message": {"text": note}}))
        .collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "aos conform",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules,
            }},
            "results": found,
            "invocations": [{
                "executionSuccessful": true,
                "properties": {
                    "targets": conformance.targets(),
                    "calls": super::calls(&conformance.verdicts.monitored),
                },
                "toolExecutionNotifications": notifications,
            }],
        }],
    });
    Visible::json(&format!("{document:#}\n")).into_string()
}

fn rule(result: &ProbeResult) -> Value {
    let probe = result.probe;
    json!({
        "id": probe.id,
        "shortDescription": {"text": probe.title},
        "fullDescription": {"text": probe.why},
        "help": {"text": format!("{} {}: {}", probe.family, probe.section, probe.fix)},
    })
}

fn entry(index: usize, result: &ProbeResult) -> Value {
    let (level, kind) = match result.finding.verdict() {
        ProbeVerdict::Pass => ("none", "pass"),
        ProbeVerdict::Fail => ("error", "fail"),
        ProbeVerdict::NotApplicable => ("none", "notApplicable"),
        // A blocked probe needs a person to look at it, because it did not pass.
        ProbeVerdict::Blocked => ("none", "open"),
        ProbeVerdict::Waived => ("error", "fail"),
        ProbeVerdict::Advised => ("note", "fail"),
    };
    let text = match result.finding.message.as_str() {
        "" => result.probe.title,
        message => message,
    };
    let mut entry = json!({
        "ruleId": result.probe.id,
        "ruleIndex": index,
        "level": level,
        "kind": kind,
        "message": {"text": text},
        "locations": [location("aos.toml")],
        "properties": {
            "verdict": result.finding.verdict().name(),
            "targets": result.finding.targets(),
            "targetsOf": result.finding.unit(),
            "evidence": result.finding.evidence.iter().map(evidence).collect::<Vec<_>>(),
        },
    });
    if let Some(waiver) = &result.waiver {
        entry["suppressions"] = json!([{"kind": "external", "justification": waiver.reason}]);
    }
    entry
}

/// A running tool has no line, so the location is the record of its project.
fn location(path: &str) -> Value {
    json!({"physicalLocation": {"artifactLocation": {"uri": path}}})
}
