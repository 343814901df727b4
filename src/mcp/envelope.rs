//! The output of a program: one JSON envelope, or a line of JSON for each item of a stream.

use serde_json::{Value, json};

use crate::strict_json;
use crate::visible::excerpt;

use super::answer::ToolFault;

/// Most lines of a stream.
const MAX_LINES: usize = 20_000;

/// The data of an answer.
///
/// # Errors
/// The error of the envelope, or what is wrong with the answer.
pub fn data(program: &str, stdout: &[u8], exit: i32) -> Result<Value, ToolFault> {
    let unusable = |why: &str| {
        let message = format!("the output of `{program}` is not a JSON envelope: {why}");
        ToolFault::new("E_UNKNOWN", message).data(json!({"exit": exit}))
    };
    let text = std::str::from_utf8(stdout).map_err(|_| unusable("it is not UTF-8"))?;
    if text.trim().is_empty() {
        return Err(unusable("it is empty"));
    }
    if let Ok(envelope) = strict_json::read(text) {
        return opened(envelope).ok_or_else(|| unusable("it has no `ok`"))?;
    }
    let lines: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.len() > MAX_LINES {
        return Err(unusable("it has too many lines"));
    }
    let (mut items, mut summary) = (Vec::new(), Value::Null);
    for line in lines {
        let envelope =
            strict_json::read(line).map_err(|error| unusable(&excerpt(&error.to_string(), 200)))?;
        let is_summary = envelope["type"] == "summary";
        match opened(envelope) {
            Some(Ok(data)) if is_summary => summary = data,
            Some(Ok(data)) => items.push(data),
            Some(Err(fault)) => return Err(fault),
            None => return Err(unusable("a line has no `ok`")),
        }
    }
    Ok(json!({"items": items, "summary": summary}))
}

/// The data or the error of one envelope; `None` when it is neither.
fn opened(mut envelope: Value) -> Option<Result<Value, ToolFault>> {
    match envelope.get("ok")?.as_bool()? {
        true => Some(Ok(envelope.get_mut("data").map(Value::take).unwrap_or_default())),
        false => {
            let error = envelope.get("error")?;
            let code = error.get("code").and_then(Value::as_str).unwrap_or("E_UNKNOWN");
            let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
            let mut fault = ToolFault::new(&excerpt(code, 80), message);
            fault.data = error.get("details").cloned().unwrap_or_default();
            fault.is_retryable = error.get("retryable").and_then(Value::as_bool).unwrap_or(false);
            Some(Err(fault))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_and_errors_come_out_of_their_envelope() {
        let answer = data("t", br#"{"ok":true,"data":{"a":1}}"#, 0).unwrap();
        assert_eq!(answer, json!({"a": 1}));
        let error = r#"{"ok":false,"error":{"code":"E_NETWORK","message":"m","details":{"a":1},"retryable":true}}"#;
        let fault = data("t", error.as_bytes(), 7).unwrap_err();
        assert_eq!(
            (fault.code.as_str(), fault.is_retryable, &fault.data["a"]),
            ("E_NETWORK", true, &json!(1))
        );
    }

    #[test]
    fn a_stream_is_its_items_and_its_summary() {
        let lines = "{\"ok\":true,\"type\":\"item\",\"data\":1}\n{\"ok\":true,\"type\":\"summary\",\"data\":{\"count\":1}}\n";
        let answer = data("t", lines.as_bytes(), 0).unwrap();
        assert_eq!(answer, json!({"items": [1], "summary": {"count": 1}}));
    }

    #[test]
    fn an_answer_of_another_form_is_named() {
        for text in ["", "hello", "{}", "[]", r#"{"ok":"yes"}"#, "\u{0}"] {
            let fault = data("t", text.as_bytes(), 1).unwrap_err();
            assert_eq!(fault.code, "E_UNKNOWN", "{text}");
            assert_eq!(fault.data["exit"], 1);
        }
    }
}
