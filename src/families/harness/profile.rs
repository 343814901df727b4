//! The refusals of an API, and the signs of its incomplete responses: data of a preset, and never code.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// One failure, told from others by status, headers and body; every condition must hold.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FailureRule {
    /// The kind of failure.
    #[serde(rename = "is")]
    pub kind: FailureKind,
    /// The statuses; an empty list matches any error. Only a rule that names 2xx applies to successes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status: Vec<u16>,
    /// Patterns with `*` for headers that must be there.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub header: IndexMap<String, String>,
    /// Patterns for texts at dotted paths of the body. A segment `*` is any entry, the path `""` is the message.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub body: IndexMap<String, Vec<String>>,
    /// Seconds to wait when the API does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<u32>,
    /// Where this failure says how long to wait, instead of the places of the API.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<Vec<String>>,
    /// Details to show: name, and the header or place in the body that holds the text.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub tell: IndexMap<String, String>,
    /// How to fix it, where the usual hint does not help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The kind of a failure for the caller. `KINDS` in `replies.py` has the error code of each.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    RateLimited,
    Busy,
    Maintenance,
    Unavailable,
    Auth,
    Permission,
    Quota,
    Plan,
    Blocked,
    Hidden,
    NotFound,
    Gone,
    Conflict,
    Moved,
    CursorExpired,
    Validation,
}

/// A sign in a successful answer that it is only a part of what was asked for.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PartialSign {
    /// A word for programs.
    pub reason: String,
    /// A sentence for people.
    pub text: String,
    /// The location of the sign: `header:NAME` or a dotted path of the body.
    pub at: String,
    /// The value that is the sign. Without `equals` and `above`, anything but nothing, zero and false is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equals: Option<serde_json::Value>,
    /// A number above this is the sign.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<u64>,
    /// The list that this number counts: more than its entries is the sign.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<String>,
    /// A pattern for the paths of the operations that have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The location of the reason in the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tell: Option<String>,
}
