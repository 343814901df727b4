//! `migrated_project`: the answer of `aos migrate`.

use schemars::JsonSchema;
use serde::Serialize;

use super::changes::{FileChange, PreviewOf};
use super::fleet_run::FleetRunReport;

/// A migrated project, or its preview.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum MigrateAnswer {
    Migrated(Box<MigratedProject>),
    Preview(Box<PreviewOf<MigrationFacts>>),
    /// Of `--recursive`.
    Fleet(Box<MigratedFleet>),
}

/// The projects of a fleet.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct MigratedFleet {
    #[serde(flatten)]
    pub report: FleetRunReport,
    /// In a dry run: confirms the plans of all projects.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub confirm_token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub expires_at: Option<String>,
}

impl MigratedFleet {
    #[must_use]
    pub fn of(report: FleetRunReport) -> Self {
        Self { report, confirm_token: None, expires_at: None }
    }
}

/// A project after its migration.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct MigratedProject {
    /// `migrated` or `unchanged`.
    pub status: &'static str,
    #[serde(flatten)]
    pub facts: MigrationFacts,
    pub changes: Vec<FileChange>,
    pub next: Vec<String>,
}

/// The facts of a migration that are known before and after it is made.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct MigrationFacts {
    pub family: &'static str,
    pub tag: String,
    /// The project had no record before.
    pub adopted: bool,
    /// The findings that the project had before aos.
    pub baseline: Option<RecordedBaseline>,
    /// Every rewrite, in the order in which they are made.
    pub rewrites: Vec<RewriteReport>,
    /// With `--proof whole`: the tool before and after all rewrites; otherwise `null`.
    pub proof: Option<RewriteProof>,
    pub notes: Vec<String>,
}

/// Known findings, in a file of the project.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RecordedBaseline {
    pub path: String,
    /// The day on which it was first written, `YYYY-MM-DD`.
    pub recorded_on: Option<String>,
    pub findings: usize,
}

/// One rewrite.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RewriteReport {
    pub id: &'static str,
    pub summary: &'static str,
    /// `rewritten`, `nothing` (there is no such place), `untouched` (see the reasons), `refused` (a probe that passed
    /// would fail) or `skipped`.
    pub status: &'static str,
    pub files: Vec<String>,
    /// Places that the rewrite leaves as they are.
    pub untouched: Vec<UntouchedReport>,
    /// The tool before and after the rewrite; `null` if nothing needed a proof.
    pub proof: Option<RewriteProof>,
}

/// A place that stays as it is, and why.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct UntouchedReport {
    pub path: String,
    pub line: Option<u32>,
    pub reason: String,
}

/// The results of `aos conform` before and after.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RewriteProof {
    /// Whether the tool could be run.
    pub ran: bool,
    /// Why it could not.
    pub reason: Option<String>,
    pub before: Option<ProbeTotals>,
    pub after: Option<ProbeTotals>,
    /// Probes that failed before and pass now.
    pub fixed: Vec<String>,
    /// Probes that passed before and do not now.
    pub broken: Vec<String>,
}

impl RewriteProof {
    /// The tool could not be run.
    #[must_use]
    pub fn missing(reason: String) -> Self {
        Self {
            ran: false,
            reason: Some(reason),
            before: None,
            after: None,
            fixed: Vec::new(),
            broken: Vec::new(),
        }
    }
}

/// Verdicts of probes in numbers.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct ProbeTotals {
    pub pass: usize,
    pub fail: usize,
    pub blocked: usize,
}
