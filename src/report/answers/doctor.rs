//! `doctor`: the answer of `aos doctor`.

use schemars::JsonSchema;
use serde::Serialize;

use super::notice::Notice;

/// The checks of this machine.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct DoctorReport {
    pub checks: Vec<DoctorCheck>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
}

/// One check.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct DoctorCheck {
    pub check: &'static str,
    /// `pass`, `warn` or `fail`.
    pub status: &'static str,
    pub fix: Option<String>,
    /// The finding.
    pub message: String,
}
