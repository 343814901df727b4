//! `wired_adapter`: the answer of `aos wire`.

use schemars::JsonSchema;
use serde::Serialize;

use super::changes::{FileChange, PreviewOf};

/// A wired adapter, or its preview.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum WireAnswer {
    Wired(WiredAdapter),
    Preview(Box<PreviewOf<WireFacts>>),
}

/// An adapter that was added to a checkout, or removed from it.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct WiredAdapter {
    /// `unchanged`, `wired` or `unwired`.
    pub status: &'static str,
    pub harness: String,
    pub package: String,
    pub checkout: String,
    pub changes: Vec<FileChange>,
    pub instructions: Vec<WireInstruction>,
    pub notes: Vec<String>,
    pub next: Vec<String>,
}

/// The additional facts in a preview of `aos wire`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct WireFacts {
    pub harness: String,
    pub instructions: Vec<WireInstruction>,
    pub notes: Vec<String>,
}

/// A place that a person must edit.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct WireInstruction {
    pub path: String,
    pub what: String,
}
