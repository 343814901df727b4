//! Strict JSON for signed documents: bounded, without duplicate members, and with shapes that list every member.
//!
//! The verifier reads JSON leniently: it uses one of two duplicate members and ignores unknown ones, so two readers of
//! a document could disagree about what was signed.

use serde_json::{Map, Value};

use crate::strict_json;

use super::shown::shown;

/// Why bytes are not the expected document.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum DocumentError {
    #[error("it is larger than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("it is not UTF-8 text")]
    NotUtf8,
    #[error("it is not JSON: {0}")]
    Syntax(String),
    #[error("member `{member}` {fault}")]
    Member { member: String, fault: &'static str },
}

/// The allowed form of a value in a document.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    Text,
    /// The JSON form of protobuf writes 64-bit numbers as strings; both forms are accepted.
    Integer,
    Object(&'static [Member]),
    /// A list with a minimum and maximum number of elements.
    List(&'static Shape, usize, usize),
}

/// One member of an object.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    name: &'static str,
    shape: Shape,
    required: bool,
}

/// A required member.
pub const fn must(name: &'static str, shape: Shape) -> Member {
    Member { name, shape, required: true }
}

/// An optional member; `null` is the same as absent.
pub const fn may(name: &'static str, shape: Shape) -> Member {
    Member { name, shape, required: false }
}

/// Parses one document of at most `limit` bytes, and also returns its text.
///
/// # Errors
/// If the text is not one well-formed value without duplicate members, at most 64 levels deep.
pub fn parse(bytes: &[u8], limit: usize) -> Result<(&str, Value), DocumentError> {
    if bytes.len() > limit {
        return Err(DocumentError::TooLarge { limit });
    }
    let text = std::str::from_utf8(bytes).map_err(|_| DocumentError::NotUtf8)?;
    let syntax = |error: serde_json::Error| DocumentError::Syntax(shown(&error.to_string()));
    let value = strict_json::read(text).map_err(syntax)?;
    Ok((text, value))
}

/// Compares a value with a shape; `place` is its path, empty for the whole document.
///
/// # Errors
/// If a member is missing, unknown or has another type; the error names the first.
pub fn check(value: &Value, shape: &Shape, place: &str) -> Result<(), DocumentError> {
    let fault = |fault| Err(DocumentError::Member { member: shown(place), fault });
    match (shape, value) {
        (Shape::Text, Value::String(_)) | (Shape::Integer, Value::String(_)) => Ok(()),
        (Shape::Integer, Value::Number(number)) if number.is_u64() || number.is_i64() => Ok(()),
        (Shape::Object(members), Value::Object(object)) => check_members(object, members, place),
        (Shape::List(_, least, _), Value::Array(list)) if list.len() < *least => {
            fault("has too few elements")
        }
        (Shape::List(_, _, most), Value::Array(list)) if list.len() > *most => {
            fault("has too many elements")
        }
        (Shape::List(element, ..), Value::Array(list)) => {
            let mut elements = list.iter().enumerate();
            elements.try_for_each(|(at, value)| check(value, element, &format!("{place}[{at}]")))
        }
        (Shape::Text, _) => fault("is not text"),
        (Shape::Integer, _) => fault("is not an integer"),
        (Shape::Object(_), _) => fault("is not an object"),
        (Shape::List(..), _) => fault("is not a list"),
    }
}

fn check_members(
    object: &Map<String, Value>,
    members: &[Member],
    place: &str,
) -> Result<(), DocumentError> {
    let path =
        |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
    let fault =
        |name: &str, fault| Err(DocumentError::Member { member: shown(&path(name)), fault });
    if let Some(name) =
        object.keys().find(|name| members.iter().all(|member| member.name != name.as_str()))
    {
        return fault(name, "is not known");
    }
    for Member { name, shape, required } in members {
        match object.get(*name) {
            None | Some(Value::Null) if *required => return fault(name, "is missing"),
            None | Some(Value::Null) => {}
            Some(value) => check(value, shape, &path(name))?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape::Object(&[
        must("name", Shape::Text),
        may("size", Shape::Integer),
        may("parts", Shape::List(&Shape::Text, 1, 2)),
    ]);

    fn verdict(text: &str) -> Result<(), String> {
        let (_, value) = parse(text.as_bytes(), 100).map_err(|error| error.to_string())?;
        check(&value, &SHAPE, "").map_err(|error| error.to_string())
    }

    #[test]
    fn a_document_of_the_shape_is_read() {
        for text in [
            r#"{"name": "a"}"#,
            r#"{"name": "a", "size": 1, "parts": ["x", "y"]}"#,
            r#"{"name": "a", "size": "1", "parts": null}"#,
        ] {
            assert_eq!(verdict(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused_by_name() {
        for (text, message) in [
            (r"{}", "member `name` is missing"),
            (r#"{"name": null}"#, "member `name` is missing"),
            (r#"{"name": "a", "nmae": 1}"#, "member `nmae` is not known"),
            (r#"{"name": 1}"#, "member `name` is not text"),
            (r#"{"name": "a", "size": 1.5}"#, "member `size` is not an integer"),
            (r#"{"name": "a", "parts": []}"#, "member `parts` has too few elements"),
            (r#"{"name": "a", "parts": ["", "", ""]}"#, "member `parts` has too many elements"),
            (r#"{"name": "a", "parts": ["", 1]}"#, "member `parts[1]` is not text"),
            (r#"["a"]"#, "member `` is not an object"),
        ] {
            assert_eq!(verdict(text), Err(message.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_duplicate_member_is_refused() {
        let error = verdict(r#"{"name": "a", "parts": ["b"], "name": "c"}"#).unwrap_err();
        assert!(error.contains("duplicate member `name`"), "{error}");
    }

    #[test]
    fn size_encoding_depth_and_trailing_text_are_bounded() {
        assert_eq!(parse(&[b' '; 101], 100), Err(DocumentError::TooLarge { limit: 100 }));
        assert_eq!(parse(b"\"\xff\"", 100), Err(DocumentError::NotUtf8));
        assert!(matches!(parse(b"{} {}", 100), Err(DocumentError::Syntax(_))));
        assert!(matches!(parse("[".repeat(5000).as_bytes(), 9000), Err(DocumentError::Syntax(_))));
    }
}
