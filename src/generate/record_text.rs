//! The parts that both records share: TOML in bounded documents, values with one constructor, errors that name the
//! member.

use crate::contract::{Family, json, suggestion};
use crate::plan::RelativePath;
use crate::visible::excerpt;

/// The version of the lock format this program writes and reads.
pub const LOCK_VERSION: i64 = 1;

/// Why a record cannot be used.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum RecordError {
    #[error("{message}{}", line.map(|line| format!(" (line {line})")).unwrap_or_default())]
    Syntax { message: String, line: Option<u32> },
    #[error("{member}: {reason}")]
    Member { member: String, reason: String },
    #[error(
        "the lock has version {0}, but this aos reads version {LOCK_VERSION}: a newer aos wrote it"
    )]
    LockVersion(i64),
}

/// The error of a document that is not TOML.
pub(crate) fn syntax(error: toml_edit::TomlError) -> RecordError {
    RecordError::Syntax {
        message: json::printable(&error.message().replace('\n', ", ")),
        line: None,
    }
}

pub(crate) fn toml<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, RecordError> {
    if bytes.len() > json::MAX_DOCUMENT {
        return Err(RecordError::Syntax { message: "it is too large".to_owned(), line: None });
    }
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err(RecordError::Syntax {
            message: "it starts with a byte order mark".to_owned(),
            line: None,
        });
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|_| RecordError::Syntax { message: "it is not UTF-8".to_owned(), line: None })?;
    toml_edit::de::from_str(text).map_err(|error| RecordError::Syntax {
        message: json::printable(&suggestion::short_list(&error.message().replace('\n', ", "))),
        line: error.span().map(|span| line_of(text, span.start)),
    })
}

pub(crate) fn line_of(text: &str, offset: usize) -> u32 {
    let before = text.as_bytes().get(..offset).unwrap_or_default();
    u32::try_from(before.iter().filter(|byte| **byte == b'\n').count() + 1).unwrap_or(u32::MAX)
}

pub(crate) fn family(text: &str) -> Result<Family, RecordError> {
    text.parse().map_err(|_| {
        let known = Family::names();
        RecordError::Member {
            member: "family".to_owned(),
            reason: format!("`{}` is not one of {}", excerpt(text, 200), known.join(", ")),
        }
    })
}

pub(crate) fn relative(member: &str, text: &str) -> Result<RelativePath, RecordError> {
    RelativePath::parse(text).map_err(|error| RecordError::Member {
        member: json::printable(member),
        reason: error.to_string(),
    })
}

/// A TOML basic string.
#[must_use]
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for symbol in text.chars() {
        match symbol {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            _ if symbol.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(symbol))),
            _ => quoted.push(symbol),
        }
    }
    quoted.push('"');
    quoted
}
