//! `conformance`: the answer of `aos conform`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

/// The findings of a run, or descriptions of probes.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum ConformAnswer {
    Report(Box<ConformanceReport>),
    Probes(ProbeList),
    Families(FamilySizes),
    Listed(ProbeTitles),
    Fixture(FixtureGuide),
    /// Of `--recursive`.
    Fleet(Box<super::conform_fleet::ConformFleetReport>),
}

/// The findings of a run.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ConformanceReport {
    pub summary: ConformanceSummary,
    pub tool: ExaminedTool,
    pub network: NetworkState,
    /// The limits on the tool, and the limits that were not enforced.
    pub containment: Vec<ContainmentState>,
    pub calls: CallCounts,
    pub results: Vec<ReportedProbe>,
    pub waiver_faults: Vec<WaiverRemark>,
    pub waiver_notes: Vec<WaiverRemark>,
    /// Report files that could not be written.
    pub report_faults: Vec<String>,
    /// Processes that outlived their call.
    pub orphans: usize,
    pub orphan_programs: Vec<String>,
    pub notes: Vec<String>,
}

/// The verdict in numbers.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ConformanceSummary {
    pub ok: bool,
    pub probes: usize,
    pub pass: usize,
    pub fail: usize,
    pub not_applicable: usize,
    pub blocked: usize,
    pub waived: usize,
    /// Failed, and only recommended by the contract.
    pub advised: usize,
    pub targets: usize,
    /// Only some probes were requested.
    pub partial: bool,
    pub duration_ms: u64,
    pub calls: usize,
    pub tool_ms: u64,
    pub startup_ms: Option<u64>,
}

/// The tool that was run.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ExaminedTool {
    pub name: String,
    pub family: &'static str,
    pub tag: String,
    pub program: String,
    pub found: String,
}

/// Whether the tool could reach a network.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct NetworkState {
    pub cut_off: bool,
    pub reason: Option<String>,
}

/// A resource, and whether the tool was kept from it.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ContainmentState {
    /// `network`, `files`, `memory`, `signals`, `sockets`, `privileges`, `capabilities`, `environment` or `processes`.
    pub part: &'static str,
    pub contained: bool,
    /// In words: the guarantee, or what the tool could do.
    pub effect: &'static str,
    /// Why it was not contained.
    pub reason: Option<String>,
}

/// The finished calls, and how many of them the rules for every call judged.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CallCounts {
    pub finished: usize,
    pub judged: usize,
    pub excluded: Vec<ExcludedCalls>,
}

/// Calls that could not be judged.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ExcludedCalls {
    pub reason: String,
    pub calls: usize,
}

/// A remark about a waiver.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct WaiverRemark {
    pub probe: String,
    pub message: String,
}

/// The verdict of one probe. A shortened response omits what does not fit.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(extend("required" = ["probe", "verdict"]))]
pub struct ReportedProbe {
    pub probe: &'static str,
    /// `pass`, `fail`, `not_applicable`, `blocked`, `waived` or `advised`.
    pub verdict: &'static str,
    pub targets: usize,
    /// The unit of `targets`.
    pub targets_of: &'static str,
    pub section: &'static str,
    pub title: &'static str,
    pub message: String,
    pub fix: &'static str,
    pub duration_ms: u64,
    pub evidence: Vec<ReportedCall>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AppliedWaiver")]
    pub waiver: Option<AppliedWaiver>,
    /// In a shortened response: other probes that are blocked for the same reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>")]
    pub also: Option<Vec<&'static str>>,
}

/// A waiver that lets a probe fail.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct AppliedWaiver {
    pub reason: String,
    pub expires: Option<String>,
}

/// One call, without secrets. A shortened response omits what does not fit.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(extend("required" = ["argv", "ending"]))]
pub struct ReportedCall {
    pub argv: Vec<String>,
    pub ending: String,
    pub exit: Option<i32>,
    pub duration_ms: u64,
    pub stdout: String,
    pub stderr: String,
    pub note: String,
}

/// `--list` alone.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct FamilySizes {
    pub families: Vec<FamilySize>,
    /// How to list the probes themselves.
    pub more: &'static str,
}

/// A family and its probes, counted.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct FamilySize {
    pub family: &'static str,
    pub probes: usize,
    /// Number of probes by the section of the specification.
    pub sections: BTreeMap<&'static str, usize>,
}

/// `--list` of some probes.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ProbeTitles {
    pub probes: Vec<ProbeTitle>,
    /// What was left out, and how to get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<String>,
}

/// A probe in one line.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ProbeTitle {
    pub probe: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<&'static str>,
}

/// `--explain fixture`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct FixtureGuide {
    /// The format of conform.toml, in Markdown.
    pub fixture: &'static str,
}

/// `--explain`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ProbeList {
    pub probes: Vec<ProbeDescription>,
}

/// A probe.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ProbeDescription {
    pub probe: &'static str,
    pub family: &'static str,
    pub section: &'static str,
    pub title: &'static str,
    pub why: &'static str,
    pub fix: &'static str,
    pub needs: Vec<&'static str>,
    /// `exact`, `at_least` or `recommended`; null if the contract has no levels.
    pub level: Option<&'static str>,
    /// Capabilities without which the requirement does not apply to a tool.
    pub capabilities: Vec<String>,
}
