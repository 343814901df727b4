//! The commands of an API description, and the parts that are left out, with the reasons. Part of the answers of `new`
//! and `sync-api`.

use schemars::JsonSchema;
use serde::Serialize;

/// The commands that a description gives, before or after they are written.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct DescribedApi {
    pub title: String,
    pub api_version: String,
    /// `sha256:` of the description.
    pub digest: String,
    /// Operations of the description, and how many of them the selection does not include.
    pub operations: usize,
    pub unselected: usize,
    pub tags: Vec<TagCount>,
    pub base_url: String,
    /// `none`, `bearer`, `basic`, `header` or `query`.
    pub auth: String,
    /// The request of `health`.
    pub health: Option<String>,
    pub commands: Vec<DescribedCommand>,
    pub left_out: Vec<LeftOutOperation>,
    /// Parts of the description that have no counterpart in a tool.
    pub unsupported: Vec<UnsupportedPart>,
    pub notes: Vec<String>,
}

/// A tag and its operations.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct TagCount {
    pub tag: String,
    pub operations: usize,
}

/// A proposed command.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct DescribedCommand {
    pub id: String,
    pub mode: String,
    pub class: String,
    pub request: String,
    pub inputs: Vec<String>,
    /// How the pages of a list follow each other; absent if it is not a list.
    pub paging: Option<String>,
    /// The reasons for its mode, and for an id that is not the usual one.
    pub mode_reason: String,
    pub id_reason: Option<String>,
    pub summary: String,
    /// Notes about parts that were left out or changed.
    pub notes: Vec<String>,
}

/// An operation that does not become a command.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct LeftOutOperation {
    pub request: String,
    pub id: String,
    pub reason: String,
}

/// A part of a description that is not supported, or a file that was not read.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct UnsupportedPart {
    pub what: String,
    pub count: usize,
}

/// The changes of one command in a new description.
#[derive(Clone, Debug, Eq, JsonSchema, PartialEq, Serialize)]
pub struct ApiChange {
    pub command: String,
    pub request: String,
    /// Callers of the command must change, or the command was removed.
    pub is_breaking: bool,
    pub what: String,
}
