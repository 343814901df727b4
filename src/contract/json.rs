//! Strict JSON: bounded, UTF-8 without BOM, no duplicate members, member order kept.

use serde_json::Value;

use crate::strict_json;
use crate::visible::excerpt;

/// Largest document that is read, in bytes.
pub const MAX_DOCUMENT: usize = 4 * 1024 * 1024;

/// Longest part of a document in a message, in characters.
const MAX_SHOWN: usize = 200;

/// Why bytes are not a document.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum JsonError {
    #[error("the document is larger than {MAX_DOCUMENT} bytes")]
    TooLarge,
    #[error("it starts with a byte order mark; save it as UTF-8 without BOM")]
    ByteOrderMark,
    #[error("it is not UTF-8 (byte {offset})")]
    NotUtf8 { offset: usize },
    #[error("{message} (line {line}, column {column})")]
    Syntax { message: String, line: usize, column: usize },
    #[error("member `{path}`: {message}")]
    Shape { path: String, message: String },
}

impl JsonError {
    /// The 1-based line, where it is known.
    #[must_use]
    pub fn line(&self) -> Option<u32> {
        match self {
            Self::Syntax { line, .. } => u32::try_from(*line).ok(),
            _ => None,
        }
    }
}

/// Parses one document.
///
/// # Errors
/// If the text is not one well-formed value without duplicate members, at most 64 levels deep.
pub fn parse(bytes: &[u8]) -> Result<Value, JsonError> {
    let text = decode(bytes)?;
    let syntax = |error: serde_json::Error| JsonError::Syntax {
        line: error.line(),
        column: error.column(),
        message: printable(&without_position(&error)),
    };
    strict_json::read(text).map_err(syntax)
}

/// Parses one document into a typed model.
///
/// # Errors
/// As [`parse`], and when a member is missing, unknown or of another type.
pub fn parse_as<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, JsonError> {
    let value = parse(bytes)?;
    serde_path_to_error::deserialize(value).map_err(|error| JsonError::Shape {
        path: printable(&error.path().to_string()),
        message: printable(&error.inner().to_string()),
    })
}

/// Text of a document as part of a message: one line of bounded length.
#[must_use]
pub fn printable(text: &str) -> String {
    excerpt(text, MAX_SHOWN)
}

/// The bytes as text.
///
/// # Errors
/// Returns an error if they are too many, not UTF-8, or begin with a byte order mark.
pub fn decode(bytes: &[u8]) -> Result<&str, JsonError> {
    if bytes.len() > MAX_DOCUMENT {
        return Err(JsonError::TooLarge);
    }
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err(JsonError::ByteOrderMark);
    }
    std::str::from_utf8(bytes).map_err(|error| JsonError::NotUtf8 { offset: error.valid_up_to() })
}

fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// Two-space JSON with a final newline: the canonical form of every document that aos writes.
#[must_use]
pub fn pretty(value: &Value) -> String {
    // Values hold only strings as keys, so writing them cannot fail.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duplicate_member_is_an_error_with_its_place() {
        let error = parse(b"{\n \"a\": 1,\n \"a\": 2\n}").unwrap_err();
        assert_eq!(error.line(), Some(3));
        assert!(error.to_string().contains("duplicate member `a`"), "{error}");
    }

    #[test]
    fn each_kind_of_bad_document_has_its_own_error() {
        assert_eq!(parse(b"\xef\xbb\xbf{}"), Err(JsonError::ByteOrderMark));
        assert_eq!(parse(b"{\"\xff\":1}"), Err(JsonError::NotUtf8 { offset: 2 }));
        assert_eq!(parse(&vec![b' '; MAX_DOCUMENT + 1]), Err(JsonError::TooLarge));
        for bad in ["", "{", "[1,]", "{}{}", "{\"a\":1e999}", "\"\\ud800\"", "nul"] {
            assert!(matches!(parse(bad.as_bytes()), Err(JsonError::Syntax { .. })), "{bad}");
        }
        let deep = "[".repeat(100_000);
        assert!(matches!(parse(deep.as_bytes()), Err(JsonError::Syntax { .. })));
    }

    #[test]
    fn members_keep_their_order() {
        let value = parse(br#"{"b":1,"a":[true,null,-2,0.5]}"#).unwrap();
        assert_eq!(value.to_string(), r#"{"b":1,"a":[true,null,-2,0.5]}"#);
    }
}
