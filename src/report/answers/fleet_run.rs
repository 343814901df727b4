//! The answer of a command that was carried out in every project below a directory.

use schemars::JsonSchema;
use serde::Serialize;

use super::check::UnsearchedDirectory;

/// The result for each project, in the order of the paths.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct FleetRunReport {
    pub summary: FleetRunSummary,
    pub projects: Vec<FleetRunProject>,
}

/// The result in numbers.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct FleetRunSummary {
    /// `ok`, `failed`, or `interrupted`.
    pub status: &'static str,
    pub projects: usize,
    /// Projects that were changed, or would be in a dry run.
    pub changed: usize,
    pub unchanged: usize,
    pub failed: usize,
    /// Projects that were not processed, because of an interruption.
    pub pending: usize,
    pub dry_run: bool,
    pub unsearched: Vec<UnsearchedDirectory>,
}

/// One project.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct FleetRunProject {
    pub path: String,
    /// The status that the command reports for one project, `preview` in a dry run, `failed` or `pending`.
    pub status: String,
    /// The number of files that changed, or would change.
    pub changes: usize,
    /// The error of a project that failed.
    pub code: Option<&'static str>,
    /// Its message, or why there is nothing to do in a project.
    pub message: Option<String>,
    pub fix: Option<String>,
}
