//! The facts about a run: how its answer is written, and where it started.

use clap::ValueEnum;

use crate::report::Style;

/// The format of the answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum Format {
    /// One JSON envelope
    Json,
    /// For people, not for programs
    Text,
    /// Only the payload: a diff, a script or a document
    Raw,
}

/// The facts that a command knows about this run.
#[derive(Clone, Debug)]
pub struct Run {
    pub format: Format,
    /// Why this format: `flag`, `environment`, `terminal` or `default`.
    pub format_reason: &'static str,
    pub style: Style,
    pub quiet: bool,
    /// The directory to which `-C` moved this run.
    pub directory: Option<std::path::PathBuf>,
}
