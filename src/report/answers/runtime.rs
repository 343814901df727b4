//! `runtime` and `runtime_change`: the answers of `aos runtime`.

use schemars::JsonSchema;
use serde::Serialize;

use super::changes::{FileChange, Preview};

/// The vendored runtime of a project.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RuntimeParts {
    pub runtime: Option<RuntimeSummary>,
    pub parts: Vec<RuntimePart>,
    /// Contracts that the runtime supports.
    pub contracts: Vec<String>,
}

/// Name, directory and version of a runtime.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RuntimeSummary {
    pub name: String,
    pub path: String,
    pub version: Option<String>,
    pub newest: Option<String>,
    pub owned: Vec<OwnedRuntimePart>,
}

/// A part that the project took over.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct OwnedRuntimePart {
    pub path: String,
    pub version: String,
}

/// A part that aos manages.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RuntimePart {
    pub path: String,
    pub files: usize,
}

/// A part that was handed over, or the preview.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum RuntimeAnswer {
    Changed(RuntimeChange),
    Preview(Box<Preview>),
}

/// A part that was handed over.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RuntimeChange {
    /// `unchanged`, `owned` or `returned`.
    pub status: &'static str,
    pub part: String,
    pub runtime: Option<RuntimeSummary>,
    pub changes: Vec<FileChange>,
    pub notes: Vec<String>,
}
