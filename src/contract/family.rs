//! The contract families a project can belong to.

use std::fmt;
use std::str::FromStr;

/// A published family of contracts. A project belongs to exactly one.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Family {
    /// AOS connectors, `aos-<name>`.
    Harness,
    /// Stand-alone CLIs called by agents.
    AgentCli,
}

impl Family {
    pub const ALL: [Self; 2] = [Self::Harness, Self::AgentCli];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Harness => "harness",
            Self::AgentCli => "agent-cli",
        }
    }

    /// File name of the spec text that a project vendors into `.agent/`.
    #[must_use]
    pub fn spec_file(self) -> &'static str {
        match self {
            Self::Harness => "CONNECTOR-SPEC.md",
            Self::AgentCli => "CLI-SPEC.md",
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Family {
    type Err = UnknownFamily;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|family| family.name() == text)
            .ok_or_else(|| UnknownFamily(text.to_owned()))
    }
}

#[derive(Debug, thiserror::Error)]
#[error("unknown contract family `{0}`")]
pub struct UnknownFamily(pub String);
