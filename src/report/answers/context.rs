//! `context`: the answer of `aos context`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::notice::Notice;
use super::runtime::RuntimeSummary;
use super::upgrade::OpenPlace;

/// The context in which a command would run.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RunContext {
    pub version: &'static str,
    /// Always `local`.
    pub env: &'static str,
    /// Always null: aos has no accounts.
    pub account: Option<String>,
    pub config: ContextConfig,
    pub credentials: ContextCredentials,
    pub project: Option<ContextProject>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
}

/// The settings of a run.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ContextConfig {
    pub format: String,
    pub format_reason: &'static str,
    pub state_directory: Option<String>,
    pub spec_tags: Vec<FamilyTags>,
}

/// The contract tags in this binary.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct FamilyTags {
    pub family: &'static str,
    pub tags: Vec<String>,
}

/// aos needs no credentials.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ContextCredentials {
    pub configured: bool,
}

/// The project of this directory.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ContextProject {
    pub root: String,
    pub family: &'static str,
    pub pin: Option<String>,
    /// Whether it has a record.
    pub adopted: bool,
    pub runtime: Option<RuntimeSummary>,
    pub template: Option<TemplateStanding>,
}

/// The comparison of a project with its template.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct TemplateStanding {
    pub name: String,
    pub version: String,
    pub newest: Option<String>,
    pub behind: bool,
    /// The target version of an upgrade with open conflicts.
    pub waiting: Option<String>,
    pub open: Vec<OpenPlace>,
    pub answers: BTreeMap<String, String>,
    /// Whether the newest template accepts the recorded answers.
    pub answers_fit: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ComparedFiles")]
    pub files: Option<ComparedFiles>,
    /// Why the files could not be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub reason: Option<String>,
}

/// Files of the newest template: equal, different and missing ones.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ComparedFiles {
    pub same: usize,
    pub differs: Vec<String>,
    pub missing: Vec<String>,
}
