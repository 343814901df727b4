//! `completions`: the answer of `aos completions`.

use schemars::JsonSchema;
use serde::Serialize;

/// The completion script of a shell.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CompletionScript {
    pub shell: String,
    pub script: String,
}
