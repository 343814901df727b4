//! `synced_spec`: the answer of `aos sync-spec`.

use schemars::JsonSchema;
use serde::Serialize;

use super::changes::{FileChange, PreviewOf};
use super::fleet_run::FleetRunReport;

/// A contract that was vendored, or its preview.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum SyncAnswer {
    Synced(Box<SyncedSpec>),
    Preview(Box<PreviewOf<SyncFacts>>),
    /// Of `--recursive`.
    Fleet(Box<FleetRunReport>),
}

/// A project at its tag.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct SyncedSpec {
    /// `unchanged`, `adopted`, `moved` or `renewed`.
    pub status: &'static str,
    pub family: &'static str,
    pub previous_tag: Option<String>,
    pub tag: String,
    /// A newer tag that is known without a request.
    pub newer_tag: Option<String>,
    #[serde(flatten)]
    pub origin: SpecOrigin,
    pub changes: Vec<FileChange>,
    pub notes: Vec<String>,
}

/// The additional facts in a preview of `aos sync-spec`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct SyncFacts {
    pub previous_tag: Option<String>,
    pub tag: String,
    #[serde(flatten)]
    pub origin: SpecOrigin,
    pub notes: Vec<String>,
}

/// A name that both a generated module and a file of the project declare, in the details of an error.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct DeclaredTwice {
    pub name: String,
    pub path: String,
}

/// A file of a run that was cut off, in the details of an error.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RecoveryStep {
    pub path: String,
    pub action: &'static str,
}

/// A call that a connector would deny after a move, in the details of an error.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(tag = "loss", rename_all = "lowercase")]
pub enum DeniedCall {
    Key { key: String },
    Command { command: String },
    Mode { command: String, mode: String, mode_after: String },
}

/// The source of a contract, and the reason to trust it.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct SpecOrigin {
    pub source: String,
    /// `embedded`, `signed` or `lock`.
    pub trust: &'static str,
    pub signer: Option<String>,
    pub release_url: Option<String>,
}
