//! The mode of a tool: how much it may change, in the words of the connector contract.

use serde::Serialize;

/// Lowest first: each mode includes those before it.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolMode {
    /// Changes nothing.
    Readonly,
    /// Creates and updates.
    Write,
    /// Every operation, also on many things at once.
    Full,
    /// Destroys or configures.
    Admin,
}

impl ToolMode {
    pub const ALL: [Self; 4] = [Self::Readonly, Self::Write, Self::Full, Self::Admin];

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == text)
    }

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Readonly => "readonly",
            Self::Write => "write",
            Self::Full => "full",
            Self::Admin => "admin",
        }
    }
}
