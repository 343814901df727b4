//! The parts of `check_report` about a fleet.

use schemars::JsonSchema;
use serde::Serialize;

use super::findings::ReportedFinding;

/// The findings of a search for projects, besides the projects.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
pub struct FleetReport {
    /// Whether there is an aos-fleet.toml.
    pub declared: bool,
    /// Members that aos-fleet.toml expects.
    pub expected: usize,
    /// Members that are missing or not expected, lost projects and wrong pins.
    pub findings: Vec<ReportedFinding>,
    /// Projects that were not judged.
    pub passed_over: Vec<SkippedProject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BaselineReport")]
    pub baseline: Option<BaselineReport>,
}

/// A project that was not judged, and why.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct SkippedProject {
    pub path: String,
    pub reason: String,
}

/// The use of the baseline.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct BaselineReport {
    pub file: String,
    /// `written` or `compared`.
    pub action: &'static str,
    /// Findings in the baseline, which do not fail the check.
    pub known: usize,
    /// Entries that no finding matches any more; `--baseline write` removes them.
    pub stale: usize,
}
