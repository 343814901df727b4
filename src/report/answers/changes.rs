//! Changes of files: what a write has done, or what its preview shows.

use schemars::JsonSchema;
use serde::Serialize;

/// The change of one file. A shortened response omits the digests and the diff.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(extend("required" = ["action", "resource", "id"]))]
pub struct FileChange {
    /// `create`, `replace`, `set_mode` or `delete`.
    pub action: &'static str,
    /// Always `file`.
    pub resource: &'static str,
    /// Path from the root of the change.
    pub id: String,
    /// Digest before the change.
    pub before: Option<String>,
    /// Digest after the change.
    pub after: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub diff: Option<String>,
}

/// The numbers of files that a change creates, replaces and deletes.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct ChangeCounts {
    pub created: usize,
    pub replaced: usize,
    pub mode_set: usize,
    pub deleted: usize,
}

/// A path that cannot be written.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct BlockedPath {
    pub path: String,
    pub reason: String,
}

/// The number of files that change below a directory.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct DirectoryCount {
    pub path: String,
    pub count: usize,
}

/// One planned change.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct PlannedChange {
    /// The command.
    pub action: String,
    pub root: String,
    /// Number of files.
    pub total: usize,
    pub counts: ChangeCounts,
    pub changes: Vec<FileChange>,
    pub obstacles: Vec<BlockedPath>,
    /// In a shortened response: the extent of a list that was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<DirectoryCount>")]
    pub directories: Option<Vec<DirectoryCount>>,
}

/// The response of a command that wrote nothing, with a confirm token.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Preview {
    pub preview: PlannedChange,
    /// Files whose content aos did not write.
    pub would_lose: Vec<String>,
    pub confirm_token: String,
    pub expires_at: String,
    pub next: Vec<String>,
}

/// A preview with the facts of its command.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct PreviewOf<T> {
    #[serde(flatten)]
    pub preview: Preview,
    #[serde(flatten)]
    pub facts: T,
}

/// The number of entries that a shortened response omits from a list.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct OmittedEntries {
    /// Path of the list.
    pub field: String,
    pub count: usize,
}
