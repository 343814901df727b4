//! `upgraded_project`: the answer of `aos upgrade`.

use schemars::JsonSchema;
use serde::Serialize;

use super::changes::{FileChange, Preview, PreviewOf};
use super::fleet_run::FleetRunReport;
use super::openapi::ApiChange;

/// An upgrade, its completion, its reversal, or a preview of one of them.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum UpgradeAnswer {
    Upgraded(Box<UpgradedProject>),
    Preview(Box<PreviewOf<UpgradeFacts>>),
    Finished(FinishedUpgrade),
    Aborted(AbortedUpgrade),
    /// Of `--abort`, or of the completion of an upgrade whose conflicts are resolved.
    Plain(Box<Preview>),
    /// Of `--recursive`.
    Fleet(Box<FleetRunReport>),
}

/// A merged project.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct UpgradedProject {
    /// `unchanged`, `renewed`, `upgraded`, or `conflicted` in the details of an error.
    pub status: &'static str,
    #[serde(flatten)]
    pub facts: UpgradeFacts,
    pub changes: Vec<FileChange>,
    pub next: Vec<String>,
}

/// The details of an upgrade that left conflicts in the tree.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ConflictedUpgrade {
    pub status: &'static str,
    #[serde(flatten)]
    pub facts: UpgradeFacts,
    pub changes: Vec<FileChange>,
}

/// The facts of the merge that are in every answer.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct UpgradeFacts {
    pub template: String,
    pub previous_version: String,
    pub version: String,
    /// Null for a project without a contract.
    pub spec_tag: Option<String>,
    pub conflicts: Vec<MergeConflict>,
    /// Files that both sides changed, without a contradiction.
    pub merged: Vec<String>,
    /// Files of the template that the user deleted.
    pub deleted: Vec<String>,
    /// Files that differ from the template.
    pub differs: Vec<String>,
    /// The number of files that are equal to the template's.
    pub same: usize,
    pub restored: Vec<String>,
    pub healed: Vec<String>,
    pub new_answers: Vec<NewQuestionAnswer>,
    pub changed_answers: Vec<ChangedQuestionAnswer>,
    /// The changes of the commands in another description of the API.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub api_changes: Vec<ApiChange>,
    pub notes: Vec<String>,
}

/// A file in which both sides contradict each other.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct MergeConflict {
    pub path: String,
    pub kind: &'static str,
    /// The file whose markers, or whose existence, say that the conflict is open.
    pub file: String,
    pub places: usize,
    pub moved_to: Option<String>,
    pub base: Option<String>,
    pub ours: Option<String>,
    pub theirs: Option<String>,
}

/// An answer to a question that the old template did not ask.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct NewQuestionAnswer {
    pub key: String,
    pub value: String,
}

/// An answer that differs from the recorded one.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ChangedQuestionAnswer {
    pub key: String,
    pub before: String,
    pub after: String,
}

/// An upgrade whose conflicts were resolved.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct FinishedUpgrade {
    /// Always `finished`.
    pub status: &'static str,
    pub template: String,
    pub previous_version: String,
    pub version: String,
    /// Null for a project without a contract.
    pub spec_tag: Option<String>,
    pub changes: Vec<FileChange>,
    pub notes: Vec<String>,
    pub next: Vec<String>,
}

/// An upgrade that was undone.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct AbortedUpgrade {
    /// Always `aborted`.
    pub status: &'static str,
    pub template: Option<String>,
    pub previous_version: String,
    pub version: Option<String>,
    pub changes: Vec<FileChange>,
    pub notes: Vec<String>,
    pub next: Vec<String>,
}

/// The details of an upgrade whose conflicts are still open.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct WaitingUpgrade {
    pub status: &'static str,
    pub version: String,
    pub conflicts: Vec<OpenPlace>,
}

/// An unresolved conflict.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct OpenPlace {
    pub file: String,
    /// Line of the first marker.
    pub line: Option<usize>,
}
