//! Findings of rules.

use schemars::JsonSchema;
use serde::Serialize;

/// A place where a rule is violated. A shortened response omits the diff.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ReportedFinding {
    pub rule: &'static str,
    /// `error` or `warning`.
    pub severity: String,
    pub path: String,
    pub line: Option<u32>,
    pub message: String,
    pub fix: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub diff: Option<String>,
}

/// A finding that the project accepts.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct WaivedFinding {
    #[serde(flatten)]
    pub finding: ReportedFinding,
    pub reason: String,
    pub expires: Option<String>,
}
