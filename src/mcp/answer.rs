//! The response to a call: the result as structured content and as text, or an error that a model can correct.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};

use crate::visible::excerpt;

/// Largest result that is handed on, in bytes of JSON.
pub const MAX_RESULT: usize = 1_000_000;
/// Longest message of an error.
const MAX_MESSAGE: usize = 2_000;

/// Why a call has no result.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolFault {
    pub code: String,
    pub message: String,
    pub data: Value,
    pub is_retryable: bool,
}

impl ToolFault {
    #[must_use]
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        let message = excerpt(&message.into(), MAX_MESSAGE);
        Self { code: code.to_owned(), message, data: Value::Null, is_retryable: false }
    }

    #[must_use]
    pub fn data(mut self, data: Value) -> Self {
        self.data = data;
        self
    }

    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.is_retryable = true;
        self
    }

    /// The call was withdrawn.
    #[must_use]
    pub fn cancelled() -> Self {
        Self::new(
            "E_INTERRUPTED",
            "the call was cancelled, and everything that it had started was ended",
        )
        .retryable()
    }
}

/// The answer to a call.
#[must_use]
pub fn result(answer: Result<Value, ToolFault>) -> CallToolResult {
    let answer = answer.and_then(|value| {
        let length = value.to_string().len();
        match length {
            0..=MAX_RESULT => Ok(value),
            _ => {
                let message =
                    format!("the result has {length} bytes, but the limit is {MAX_RESULT}");
                Err(ToolFault::new("E_VALIDATION", message)
                    .data(json!({"fix": "request less: a smaller limit, fewer fields, one page"})))
            }
        }
    });
    match answer {
        Ok(value) => {
            let value = Value::Object(object(value));
            let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
            result.structured_content = Some(value);
            result
        }
        Err(fault) => {
            let error = json!({
                "code": fault.code,
                "message": fault.message,
                "data": fault.data,
                "retryable": fault.is_retryable,
            });
            let mut result = CallToolResult::error(vec![ContentBlock::text(error.to_string())]);
            result.structured_content = Some(json!({ "error": error }));
            result
        }
    }
}

/// Structured content is an object: anything else is put into one.
#[must_use]
pub fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => Map::from_iter([("result".to_owned(), other)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_there_twice_and_always_an_object() {
        let answer = result(Ok(json!([1])));
        assert_eq!(answer.structured_content, Some(json!({"result": [1]})));
        let text = serde_json::to_value(&answer).unwrap()["content"][0]["text"].clone();
        assert_eq!(text, r#"{"result":[1]}"#);
        assert_eq!(answer.is_error, Some(false));
    }

    #[test]
    fn an_error_says_whether_to_try_again() {
        let answer = result(Err(ToolFault::new("E_NETWORK", "no route").retryable()));
        assert_eq!(answer.is_error, Some(true));
        let error = &answer.structured_content.unwrap()["error"];
        assert_eq!(error["code"], "E_NETWORK");
        assert_eq!(error["retryable"], true);
    }

    #[test]
    fn a_result_that_is_too_large_is_an_error() {
        let answer = result(Ok(json!({"text": "x".repeat(MAX_RESULT)})));
        assert_eq!(answer.structured_content.unwrap()["error"]["code"], "E_VALIDATION");
    }
}
