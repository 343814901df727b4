//! SARIF 2.1.0: a result per finding, with the rules that fired; waived findings are suppressed results.

use serde::Serialize;

use super::place;
use crate::report::answers::check::{CheckReport, RuleDescription};
use crate::report::answers::findings::ReportedFinding;
use crate::report::answers::value;
use crate::visible::Visible;

#[derive(Serialize)]
struct SarifLog {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [SarifRun; 1],
}

#[derive(Serialize)]
struct SarifRun {
    tool: SarifTool,
    results: Vec<SarifResult>,
    invocations: [SarifInvocation; 1],
}

#[derive(Serialize)]
struct SarifTool {
    driver: SarifDriver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifDriver {
    name: &'static str,
    version: &'static str,
    information_uri: &'static str,
    rules: Vec<SarifRule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRule {
    id: &'static str,
    short_description: SarifText,
    full_description: SarifText,
    help: SarifText,
    default_configuration: SarifLevel,
}

#[derive(Serialize)]
struct SarifLevel {
    level: String,
}

#[derive(Serialize)]
struct SarifText {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: String,
    message: SarifText,
    locations: [SarifLocation; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressions: Vec<SarifSuppression>,
}

#[derive(Serialize)]
struct SarifSuppression {
    kind: &'static str,
    justification: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifLocation {
    physical_location: SarifPhysical,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifPhysical {
    artifact_location: SarifArtifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<SarifRegion>,
}

#[derive(Serialize)]
struct SarifArtifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRegion {
    start_line: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifInvocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<SarifNotification>,
}

#[derive(Serialize)]
struct SarifNotification {
    level: &'static str,
    message: SarifText,
}

/// The document.
pub fn render(report: &CheckReport, rules: &[RuleDescription]) -> String {
    let mut results = Vec::new();
    let mut notes = Vec::new();
    for project in &report.projects {
        results.extend(
            project.findings.iter().map(|finding| result(&project.path, finding, None, rules)),
        );
        let waived = project.waived.iter();
        results.extend(
            waived
                .map(|waived| result(&project.path, &waived.finding, Some(&waived.reason), rules)),
        );
        let fault = project.fault.iter().map(|fault| ("error", fault.message.clone()));
        notes.extend(fault.chain(project.notes.iter().map(|note| ("note", note.clone()))).map(
            |(level, text)| SarifNotification {
                level,
                message: SarifText { text: format!("{}: {text}", project.path) },
            },
        ));
    }
    let of_fleet = report.fleet.iter().flat_map(|fleet| &fleet.findings);
    results.extend(of_fleet.map(|finding| result(".", finding, None, rules)));
    let driver = SarifDriver {
        name: "aos check",
        version: env!("CARGO_PKG_VERSION"),
        information_uri: env!("CARGO_PKG_REPOSITORY"),
        rules: rules.iter().map(rule).collect(),
    };
    let is_compared = report.projects.iter().all(|project| project.fault.is_none());
    let log = SarifLog {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [SarifRun {
            tool: SarifTool { driver },
            results,
            invocations: [SarifInvocation {
                execution_successful: is_compared,
                tool_execution_notifications: notes,
            }],
        }],
    };
    Visible::json(&format!("{:#}\n", value(&log))).into_string()
}

fn rule(rule: &RuleDescription) -> SarifRule {
    let text = |text: &str| SarifText { text: text.to_owned() };
    SarifRule {
        id: rule.rule,
        short_description: text(rule.summary),
        full_description: text(rule.why),
        help: text(rule.fix),
        default_configuration: SarifLevel { level: rule.severity.clone() },
    }
}

fn result(
    project: &str,
    finding: &ReportedFinding,
    waived: Option<&str>,
    rules: &[RuleDescription],
) -> SarifResult {
    let suppression = waived
        .map(|reason| SarifSuppression { kind: "external", justification: reason.to_owned() });
    SarifResult {
        rule_id: finding.rule,
        rule_index: rules.iter().position(|rule| rule.rule == finding.rule),
        level: finding.severity.clone(),
        message: SarifText { text: format!("{}; fix: {}", finding.message, finding.fix) },
        locations: [SarifLocation {
            physical_location: SarifPhysical {
                artifact_location: SarifArtifact { uri: uri(&place(project, &finding.path)) },
                region: finding.line.map(|start_line| SarifRegion { start_line }),
            },
        }],
        suppressions: suppression.into_iter().collect(),
    }
}

/// A path as a reference: what a URI gives another meaning is encoded.
fn uri(path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b'/'
            | b'.'
            | b'-'
            | b'_'
            | b'~'
            | b'@'
            | b'+'
            | b'='
            | b',' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}
