//! One line of a client, judged: a message for the SDK, something to ignore, or an error to return.
//!
//! The SDK drops messages that it cannot parse. JSON-RPC requires an error, so that a client does not wait for ever.

use rmcp::model::ClientJsonRpcMessage;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::visible::excerpt;

/// Longest id that is returned, in characters.
const MAX_ID: usize = 200;
/// A mark at the start of a text, which JSON does not need.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// How a line is handled.
pub enum JudgedLine {
    Message(Box<ClientJsonRpcMessage>),
    /// An empty line, an unknown notification, or a response without a request.
    Nothing,
    Fault(LineFault),
}

/// Why a line is not a message.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum LineFault {
    #[error("the line is not JSON: {0}")]
    NotJson(String),
    #[error("the line is not UTF-8")]
    NotUtf8,
    #[error("the line is longer than {0} bytes")]
    TooLong(usize),
    #[error("a batch of messages is not supported; send one message per line")]
    Batch,
    #[error("a message must be a JSON object")]
    NotAnObject,
    #[error("`{name}` {reason}")]
    Member { id: Value, name: &'static str, reason: &'static str },
    #[error("a member of the message is there twice")]
    Twice,
    #[error("the id {id} is already used by a request that is still running")]
    UsedId { id: String },
    #[error("the parameters of `{method}` are not valid: {reason}")]
    Parameters { id: Value, method: String, reason: String },
}

/// An error response; the id is null if it could not be read.
#[derive(Serialize)]
struct ErrorResponse<'a> {
    jsonrpc: &'static str,
    id: &'a Value,
    error: ErrorObject,
}

#[derive(Serialize)]
struct ErrorObject {
    code: i32,
    message: String,
}

impl LineFault {
    /// The code of JSON-RPC.
    #[must_use]
    pub fn code(&self) -> i32 {
        match self {
            Self::NotJson(_) | Self::NotUtf8 => -32_700,
            Self::TooLong(_)
            | Self::Batch
            | Self::NotAnObject
            | Self::Member { .. }
            | Self::Twice
            | Self::UsedId { .. } => -32_600,
            Self::Parameters { .. } => -32_602,
        }
    }

    /// The line that is returned to the client.
    #[must_use]
    pub fn response(&self) -> Vec<u8> {
        let id = match self {
            Self::Member { id, .. } | Self::Parameters { id, .. } => id,
            _ => &Value::Null,
        };
        let error = ErrorObject { code: self.code(), message: self.to_string() };
        let response = ErrorResponse { jsonrpc: "2.0", id, error };
        // Texts and numbers can always be written as JSON.
        let mut bytes = serde_json::to_vec(&response).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }
}

/// Judges a line without its end.
#[must_use]
pub fn judge(line: &[u8]) -> JudgedLine {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return JudgedLine::Nothing;
    }
    match read(line) {
        Ok(Some(message)) => JudgedLine::Message(message),
        Ok(None) => JudgedLine::Nothing,
        Err(fault) => JudgedLine::Fault(fault),
    }
}

fn read(line: &[u8]) -> Result<Option<Box<ClientJsonRpcMessage>>, LineFault> {
    let text = std::str::from_utf8(line).map_err(|_| LineFault::NotUtf8)?;
    let value: Value =
        serde_json::from_str(text).map_err(|error| LineFault::NotJson(error.to_string()))?;
    let members = match &value {
        Value::Object(members) => members,
        Value::Array(_) => return Err(LineFault::Batch),
        _ => return Err(LineFault::NotAnObject),
    };
    // Two ends that answer each other's responses would never stop.
    let is_response = !members.contains_key("method")
        && (members.contains_key("result") || members.contains_key("error"));
    let id = id(members);
    match shape(members, id.clone().unwrap_or_default()) {
        Err(_) if is_response => return Ok(None),
        Err(fault) => return Err(fault),
        Ok(()) => {}
    }
    let method = members.get("method").and_then(Value::as_str).unwrap_or_default().to_owned();
    // From the text, because the parser of the SDK refuses a member that is there twice.
    match serde_json::from_str(text) {
        Ok(message) => Ok(Some(Box::new(message))),
        Err(_) if is_response || id.is_none() => Ok(None),
        // A value has each member once.
        Err(_) if serde_json::from_value::<ClientJsonRpcMessage>(value.clone()).is_ok() => {
            Err(LineFault::Twice)
        }
        Err(error) => Err(LineFault::Parameters {
            id: id.unwrap_or_default(),
            method: excerpt(&method, MAX_ID),
            reason: excerpt(&error.to_string(), MAX_ID),
        }),
    }
}

/// The id of a request; `None` for a message that is none. One that may not be an id is null.
fn id(members: &Map<String, Value>) -> Option<Value> {
    members.get("id").map(|id| if is_id(id) { id.clone() } else { Value::Null })
}

fn is_id(id: &Value) -> bool {
    match id {
        Value::String(text) => text.chars().count() <= MAX_ID,
        Value::Number(number) => number.is_i64(),
        _ => false,
    }
}

/// Checks the requirements of JSON-RPC for every message.
fn shape(members: &Map<String, Value>, id: Value) -> Result<(), LineFault> {
    let fault = |name, reason| Err(LineFault::Member { id: id.clone(), name, reason });
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return fault("jsonrpc", "must be \"2.0\"");
    }
    if members.get("id").is_some_and(|id| !is_id(id)) {
        return fault("id", "must be a text of at most 200 characters or an integer of 64 bits");
    }
    match members.get("method") {
        Some(Value::String(_)) => {}
        Some(_) => return fault("method", "must be a text"),
        None if members.contains_key("result") || members.contains_key("error") => {}
        None => return fault("method", "is missing"),
    }
    let reason = match members.get("params") {
        None => return Ok(()),
        Some(Value::Object(params)) => match optional_member(params) {
            None => return Ok(()),
            Some(reason) => reason,
        },
        Some(_) if members.contains_key("id") => "they must be an object",
        Some(_) => return fault("params", "must be an object"),
    };
    // A notification has no response.
    if !members.contains_key("id") {
        return Ok(());
    }
    Err(LineFault::Parameters {
        id: id.clone(),
        method: excerpt(members["method"].as_str().unwrap_or_default(), MAX_ID),
        reason: reason.to_owned(),
    })
}

/// The reason why an optional member that every request may have is not valid. The SDK takes such a member as absent.
fn optional_member(params: &Map<String, Value>) -> Option<&'static str> {
    if !matches!(params.get("cursor"), None | Some(Value::Null | Value::String(_))) {
        return Some("`cursor` must be a text");
    }
    if !matches!(params.get("_meta"), None | Some(Value::Null | Value::Object(_))) {
        return Some("`_meta` must be an object");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(line: &[u8]) -> (i32, Value) {
        match judge(line) {
            JudgedLine::Fault(fault) => {
                let response: Value = serde_json::from_slice(&fault.response()).unwrap();
                (fault.code(), response["id"].clone())
            }
            JudgedLine::Message(_) => panic!("a message"),
            JudgedLine::Nothing => panic!("nothing"),
        }
    }

    #[test]
    fn a_line_that_is_not_a_message_is_a_fault_with_its_id() {
        for (line, code, id) in [
            (&b"{"[..], -32_700, Value::Null),
            (b"{\"id\":1}\xff", -32_700, Value::Null),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} x", -32_700, Value::Null),
            (b"[]", -32_600, Value::Null),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}", -32_600, Value::Null),
            (b"7", -32_600, Value::Null),
            (b"{\"id\":4,\"method\":\"ping\"}", -32_600, 4.into()),
            (b"{\"jsonrpc\":\"2.0\",\"id\":\"a\"}", -32_600, "a".into()),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", -32_600, Value::Null),
            (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32_600, Value::Null),
            (b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"x\",\"params\":[1]}", -32_602, 3.into()),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/list\",\"params\":{\"cursor\":5}}",
                -32_602,
                5.into(),
            ),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"ping\",\"params\":{\"_meta\":[]}}",
                -32_602,
                6.into(),
            ),
        ] {
            assert_eq!(fault(line), (code, id), "{}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn a_message_that_is_not_a_request_is_not_a_fault() {
        for line in [
            &b""[..],
            b" \t",
            b"{\"jsonrpc\":\"2.0\",\"method\":\"foo/bar\"}",
            b"{\"jsonrpc\":\"2.0\",\"method\":\"foo/bar\",\"params\":{\"_meta\":1}}",
            b"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"x\"}}",
            b"{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{}}",
        ] {
            assert!(!matches!(judge(line), JudgedLine::Fault(_)), "{line:?}");
        }
    }
}
