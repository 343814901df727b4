//! `generated_files`: the answer of `aos gen`.

use schemars::JsonSchema;
use serde::Serialize;

use super::changes::{FileChange, PreviewOf};
use super::findings::ReportedFinding;

/// Generated files, or their preview.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum GenAnswer {
    Generated(GeneratedFiles),
    Preview(Box<PreviewOf<GenFacts>>),
}

/// Generated files that are current.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct GeneratedFiles {
    /// `unchanged` or `generated`.
    pub status: &'static str,
    /// `null` in a project without a contract, which has nothing to generate.
    pub tag: Option<String>,
    /// `embedded`, `signed` or `lock`; `null` without a contract.
    pub trust: Option<&'static str>,
    pub files: Vec<String>,
    pub changes: Vec<FileChange>,
    pub notes: Vec<String>,
}

/// The additional facts in a preview of `aos gen`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct GenFacts {
    pub tag: String,
    pub trust: &'static str,
    pub notes: Vec<String>,
}

/// Details of a `gen --check` that found a difference.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct StaleFiles {
    pub trust: &'static str,
    pub findings: Vec<ReportedFinding>,
}
