//! `command_change`: the answer of `aos add`, `aos rename` and `aos remove`.

use schemars::JsonSchema;
use serde::Serialize;

use super::changes::{FileChange, PreviewOf};
use super::upgrade::{UpgradeFacts, UpgradedProject};

/// A change that was made, or its preview.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum CommandChangeAnswer {
    Changed(Box<ChangedCommand>),
    Preview(Box<PreviewOf<CommandFacts>>),
    /// A command of a description is added by a merge.
    Merged(Box<UpgradedProject>),
    MergedPreview(Box<PreviewOf<UpgradeFacts>>),
}

/// A change that was made.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ChangedCommand {
    /// `added`, `renamed` or `removed`.
    pub status: &'static str,
    #[serde(flatten)]
    pub facts: CommandFacts,
    pub changes: Vec<FileChange>,
    pub next: Vec<String>,
}

/// A part of a file that belongs to a command and was edited since it was added.
#[derive(Clone, Debug, Eq, JsonSchema, PartialEq, Serialize)]
pub struct EditedPart {
    pub path: String,
    /// Where the part begins.
    pub line: usize,
}

/// The facts of a change that are known before and after it is made.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CommandFacts {
    /// The command or the code.
    pub subject: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub mode: Option<&'static str>,
    /// The request of a first proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub request: Option<String>,
    /// The former name, which still works.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub alias: Option<String>,
    /// Everything that the change removes.
    pub lost: Vec<String>,
    /// Removed parts that differ from those that `aos add` wrote.
    pub edited: Vec<EditedPart>,
    /// Places that a person must edit.
    pub by_hand: Vec<String>,
    pub notes: Vec<String>,
}
