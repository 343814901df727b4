//! The messages between a host and the runner of a package; docs/augmentor-runner.md describes them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::facts::PackageFacts;
use super::outcome::FaultOrigin;

/// A request to the runner, one line.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum RunnerRequest<'a> {
    Load {
        root: &'a str,
        entry: &'a str,
        paths: &'a [String],
        hooks: CallHooks<'a>,
        environment: &'a BTreeMap<String, String>,
        limits: CallLimits,
        observe: bool,
    },
    Describe,
    Run {
        name: &'a str,
        args: &'a Value,
        stream: bool,
        ctx: &'a Context,
    },
    Handle {
        name: &'a str,
        message: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        history: Option<&'a Value>,
        stream: bool,
        ctx: &'a Context,
    },
    Cancel {
        target: u64,
    },
    Shutdown,
}

/// The argument of the factory.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CallHooks<'a> {
    pub host: &'a str,
    pub host_version: &'a str,
    pub abi: &'a str,
}

/// Limits that the runner keeps itself.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CallLimits {
    pub message_bytes: u64,
}

/// The context of one call.
#[derive(Clone, Debug, Serialize)]
pub struct Context {
    pub run_id: String,
    pub cwd: String,
    pub env: BTreeMap<String, String>,
}

/// A message of the runner.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RunnerEvent {
    Loaded {
        protocol: u32,
        facts: PackageFacts,
        stdout_bytes: u64,
        #[serde(default)]
        observed: Vec<ObservedUse>,
    },
    Described {
        facts: PackageFacts,
    },
    Chunk {
        chunk: Value,
    },
    Result {
        value: Map<String, Value>,
        #[serde(default)]
        warnings: Vec<String>,
        #[serde(default)]
        observed: Vec<ObservedUse>,
    },
    Error {
        error: ErrorMembers,
        origin: FaultOrigin,
        trace: Option<String>,
        #[serde(default)]
        warnings: Vec<String>,
        stdout_bytes: Option<u64>,
        #[serde(default)]
        observed: Vec<ObservedUse>,
    },
    Stopped {
        called: Option<String>,
        #[serde(default)]
        observed: Vec<ObservedUse>,
    },
    LateChunk,
    Fault {
        kind: String,
        error: ErrorMembers,
        trace: Option<String>,
    },
}

/// The members of an error that every caller may see.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct ErrorMembers {
    pub code: String,
    pub message: String,
    #[serde(default)]
    pub data: Value,
}

impl ErrorMembers {
    /// `data.reason`, which says more precisely what the runner refused.
    #[must_use]
    pub fn reason(&self) -> &str {
        self.data.get("reason").and_then(Value::as_str).unwrap_or_default()
    }
}

/// Something that the package did outside of its own files.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct ObservedUse {
    pub kind: String,
    pub target: String,
}

/// A message with the request that it belongs to.
#[derive(Clone, Debug)]
pub struct RunnerReply {
    /// None for what failed outside of every call.
    pub id: Option<u64>,
    pub event: RunnerEvent,
}

/// A fault in the messages of a package. aos ends the process, because only the runner may write to the connection.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum MessageError {
    #[error("{0}")]
    Invalid(String),
    #[error("the message has no `id`")]
    NoId,
    #[error("no request has the id {0}")]
    UnknownId(u64),
    #[error("the message is too long")]
    TooLong,
    #[error("there are too many messages")]
    TooMany,
}

/// Reads one line of the runner.
///
/// # Errors
/// Returns an error if it is not a message.
pub fn read(line: &[u8]) -> Result<RunnerReply, MessageError> {
    let invalid = |error: serde_json::Error| MessageError::Invalid(error.to_string());
    let value: Value = serde_json::from_slice(line).map_err(invalid)?;
    let id = value.get("id").and_then(Value::as_u64);
    let event = RunnerEvent::deserialize(value).map_err(invalid)?;
    match (&event, id) {
        (RunnerEvent::Fault { .. }, None) => {}
        (_, None) => return Err(MessageError::NoId),
        _ => {}
    }
    Ok(RunnerReply { id, event })
}

/// One request as a line, without its newline.
#[must_use]
pub fn line(id: u64, request: &RunnerRequest<'_>) -> String {
    let mut value = serde_json::to_value(request).unwrap_or_default();
    if let (Value::Object(members), false) =
        (&mut value, matches!(request, RunnerRequest::Cancel { .. }))
    {
        members.insert("id".to_owned(), id.into());
    }
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_one_line_with_its_id() {
        let ctx = Context { run_id: "r".into(), cwd: "/".into(), env: BTreeMap::new() };
        let args = serde_json::json!({"text": "a\nb"});
        let request = RunnerRequest::Run { name: "echo", args: &args, stream: true, ctx: &ctx };
        let text = line(7, &request);
        assert!(!text.contains('\n'));
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["op"], "run");
        assert_eq!(value["id"], 7);
        assert_eq!(value["ctx"]["run_id"], "r");
        assert_eq!(line(8, &RunnerRequest::Cancel { target: 7 }), r#"{"op":"cancel","target":7}"#);
        assert_eq!(line(9, &RunnerRequest::Describe), r#"{"op":"describe","id":9}"#);
    }

    #[test]
    fn a_line_that_is_not_a_message_is_refused() {
        for line in
            ["", "hello", "{}", r#"{"event":"result","value":{}}"#, r#"{"id":1,"event":"other"}"#]
        {
            assert!(read(line.as_bytes()).is_err(), "{line}");
        }
        let reply =
            read(br#"{"id":1,"event":"result","value":{"a":1e300},"observed":[]}"#).unwrap();
        assert_eq!(reply.id, Some(1));
        assert!(matches!(reply.event, RunnerEvent::Result { .. }));
    }
}
