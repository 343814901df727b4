//! The reason for an unwanted state: one sentence without a full stop, for readers and not for comparison in code.
//!
//! An error whose cases a caller may distinguish is an enum, not a `Reason`. Uses no other module.

use std::fmt::Display;

/// One sentence with a reason.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct Reason(String);

impl Reason {
    /// The message of an error, for a function that reports nothing else of it.
    #[must_use]
    pub fn of(error: impl Display) -> Self {
        Self(error.to_string())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<Reason> for String {
    fn from(reason: Reason) -> Self {
        reason.0
    }
}
