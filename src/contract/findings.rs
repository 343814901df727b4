//! Findings: what a rule reports about a repository.
//!
//! Only data lives here; how a finding is shown belongs to `report`.

use std::fmt;

/// The weight of a finding in the verdict.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Severity {
    /// The repository breaks its contract: `check` fails.
    Error,
    /// Worth knowing; the verdict does not change.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

/// One fault of one file (or of the repository when `path` is `.`).
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Finding {
    /// Path relative to the project root, `/`-separated.
    pub path: String,
    /// 1-based line, when the rule knows it.
    pub line: Option<u32>,
    /// Stable rule id, `topic/name`.
    pub rule: &'static str,
    pub severity: Severity,
    /// The fault and its reason, one sentence without a full stop.
    pub message: String,
    /// The command or edit that fixes it.
    pub fix: String,
    /// Unified diff from the file on disk to the right bytes, where there is one.
    pub diff: Option<String>,
}
