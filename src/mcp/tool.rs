//! One operation as a tool of the protocol.

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::mode::ToolMode;

/// Longest name of a tool that every client accepts.
const MAX_NAME: usize = 64;
/// Number of hex digits of the digest in shortened names.
const MARK: usize = 8;

/// A tool, before filter and mode are applied.
#[derive(Clone, Debug, PartialEq)]
pub struct McpTool {
    /// As clients see it.
    pub name: String,
    /// As its package calls it: `issue.list`, `message delete`, `search`.
    pub id: String,
    pub description: String,
    /// A JSON Schema whose root is an object.
    pub input: Map<String, Value>,
    /// A JSON Schema of the result, where it is known.
    pub output: Option<Map<String, Value>>,
    pub mode: ToolMode,
    pub tags: Vec<String>,
    /// Describes the tool itself; offered only when `--tools` names it.
    pub is_meta: bool,
    pub hints: Hints,
}

/// Annotations for clients.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Hints {
    pub is_destructive: bool,
    pub is_idempotent: bool,
    /// Whether it accesses anything outside of this machine; `None` if unknown.
    pub is_open_world: Option<bool>,
}

impl Hints {
    /// The annotations of a mode: a query can be repeated, and the two highest modes are destructive.
    #[must_use]
    pub fn of(mode: ToolMode, is_open_world: Option<bool>) -> Self {
        Self {
            is_destructive: mode >= ToolMode::Full,
            is_idempotent: mode == ToolMode::Readonly,
            is_open_world,
        }
    }
}

/// The schema of an input: these properties and no others.
#[must_use]
pub fn input(properties: Map<String, Value>, required: &[&str]) -> Map<String, Value> {
    Map::from_iter([
        ("type".to_owned(), "object".into()),
        ("properties".to_owned(), Value::Object(properties)),
        ("required".to_owned(), required.into()),
        ("additionalProperties".to_owned(), false.into()),
    ])
}

/// The name of a tool: prefix and id, joined by `_`, with only letters, digits, `_` and `-`. A name that is too long
/// ends with a digest of the whole one.
#[must_use]
pub fn name(prefix: &str, id: &str) -> String {
    let whole = match prefix {
        "" => id.to_owned(),
        _ => format!("{prefix}_{id}"),
    };
    let is_plain = |symbol: char| symbol.is_ascii_alphanumeric() || matches!(symbol, '_' | '-');
    let name: String =
        whole.chars().map(|symbol| if is_plain(symbol) { symbol } else { '_' }).collect();
    if name.len() <= MAX_NAME {
        return name;
    }
    let digest = Sha256::digest(whole.as_bytes());
    let mark: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}_{}", &name[..MAX_NAME - MARK - 1], &mark[..MARK])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_only_what_every_client_accepts() {
        assert_eq!(name("github", "issue.bulk_close"), "github_issue_bulk_close");
        assert_eq!(name("acme", "message delete"), "acme_message_delete");
        assert_eq!(name("", "search"), "search");
        let (one, other) = (name("p", &"x".repeat(80)), name("p", &"x".repeat(81)));
        assert_eq!((one.len(), other.len()), (MAX_NAME, MAX_NAME));
        assert_ne!(one, other);
    }

    #[test]
    fn hints_follow_the_mode() {
        assert!(Hints::of(ToolMode::Readonly, None).is_idempotent);
        assert!(!Hints::of(ToolMode::Write, None).is_destructive);
        assert!(Hints::of(ToolMode::Admin, None).is_destructive);
    }
}
