//! `changelog`: the answer of `aos changelog`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Map;

/// Released versions, newest first.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ChangelogAnswer {
    pub current_version: &'static str,
    pub since: Option<String>,
    pub entries: Vec<ChangelogEntry>,
}

/// One released version.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ChangelogEntry {
    pub version: String,
    pub date: Option<String>,
    /// Entries by category: `added`, `changed`, `fixed`, `deprecated`, `removed`, `security` and others.
    #[schemars(with = "std::collections::BTreeMap<String, Vec<String>>")]
    pub changes: Map<String, serde_json::Value>,
}
