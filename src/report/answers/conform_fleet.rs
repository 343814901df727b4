//! The answer of `aos conform --recursive`.

use schemars::JsonSchema;
use serde::Serialize;

use super::check::UnsearchedDirectory;

/// The result for the tool of each project, in the order of the paths.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ConformFleetReport {
    pub summary: ConformFleetSummary,
    /// The project at which an interrupted run continues.
    pub next: Option<String>,
    /// The tools that do not conform or could not be run; with `--all`, every tool.
    pub projects: Vec<ConformedProject>,
}

/// The result in numbers.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ConformFleetSummary {
    /// `ok`, `failed`, or `interrupted`.
    pub status: &'static str,
    pub projects: usize,
    pub conformant: usize,
    pub nonconformant: usize,
    /// Tools that could not be run.
    pub failed: usize,
    /// Tools that were not run, because of an interruption.
    pub pending: usize,
    /// Projects of other families than those of `--family` and `--probe`, and projects without a contract.
    pub passed_over: usize,
    pub unsearched: Vec<UnsearchedDirectory>,
}

/// The tool of one project.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ConformedProject {
    pub path: String,
    /// `conformant`, `nonconformant`, `failed` or `pending`.
    pub status: &'static str,
    pub pass: usize,
    pub fail: usize,
    pub blocked: usize,
    pub waived: usize,
    pub not_applicable: usize,
    /// The first probes that failed or were blocked.
    pub probes: Vec<String>,
    /// The error of a tool that does not conform or could not be run.
    pub code: Option<&'static str>,
    pub message: Option<String>,
    pub fix: Option<String>,
}

impl ConformedProject {
    /// One without verdicts.
    #[must_use]
    pub fn with_status(path: String, status: &'static str) -> Self {
        Self {
            path,
            status,
            pass: 0,
            fail: 0,
            blocked: 0,
            waived: 0,
            not_applicable: 0,
            probes: Vec::new(),
            code: None,
            message: None,
            fix: None,
        }
    }
}
