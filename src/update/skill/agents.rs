//! The agents that `npx skills` supports: how each is detected, where its skills are, and whether `skills` writes
//! there.
//!
//! The rows are in `agent_table`.

use super::places::Base;

/// A directory relative to one that a variable can move.
pub type Spot = (Base, &'static str);

/// The version of `skills` to run: the newest one that the installed Node supports.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Pin {
    /// For Node 20.12 to 22.19.
    Older,
    /// For Node 22.20 and newer.
    Newer,
}

impl Pin {
    #[must_use]
    pub fn version(self) -> &'static str {
        match self {
            Self::Older => "1.5.16",
            Self::Newer => "1.7.4",
        }
    }
}

/// The effect of a global installation for an agent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Reach {
    /// This version does not know the agent.
    Unknown,
    /// Writes the canonical directory, which the agent reads; never a directory of its own.
    Canonical,
    /// Writes the agent's own directory.
    Own,
}

/// One agent; an agent that can be detected in several ways has several rows.
#[derive(Clone, Copy, Debug)]
pub struct Agent {
    /// The name for `--agent`.
    pub name: &'static str,
    /// Holds the directory `skills`.
    pub root: Spot,
    /// Exists if the agent is installed; `None` if the agent cannot be detected.
    pub sign: Option<Spot>,
    /// The effect of the two versions for it.
    pub older: Reach,
    pub newer: Reach,
}

impl Agent {
    #[must_use]
    pub fn reach(&self, pin: Pin) -> Reach {
        match pin {
            Pin::Older => self.older,
            Pin::Newer => self.newer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::agent_table::AGENTS;

    #[test]
    fn names_are_plain_words_that_are_safe_in_a_command_line() {
        for agent in AGENTS {
            let plain = |symbol: char| symbol.is_ascii_lowercase() || symbol == '-';
            assert!(
                agent.name.chars().all(plain) && !agent.name.starts_with('-'),
                "{}",
                agent.name
            );
        }
    }

    #[test]
    fn paths_are_relative_and_stay_below_their_base() {
        for agent in AGENTS {
            for (_, path) in [Some(agent.root), agent.sign].into_iter().flatten() {
                assert!(!path.starts_with('/') && !path.contains(".."), "{path}");
            }
        }
    }
}
