//! Templates of one's own: the answers of `aos template`.

use schemars::JsonSchema;
use serde::Serialize;

/// A fault in a template.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ReportedFault {
    /// Relative to the directory of the template.
    pub path: String,
    pub line: Option<usize>,
    pub column: Option<usize>,
    pub message: String,
}
