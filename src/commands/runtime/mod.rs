//! `aos runtime`: the vendored runtime of a project, and which parts of it the project owns.

mod show;
mod transfer;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::audit::runtime::RuntimeState;
use crate::cli::WriteOptions;
use crate::report::{Failure, Outcome};

use super::Run;

/// Show the vendored runtime and its parts
#[derive(Args, Debug)]
#[command(
    disable_help_subcommand = true,
    after_help = "Examples:\n  aos runtime                          show version and parts\n  \
                  aos runtime own PART                 hand a part to the project\n  \
                  aos runtime return PART --dry-run    show what returning it would lose"
)]
pub struct RuntimeArgs {
    #[command(subcommand)]
    pub action: Option<Action>,
}

/// What changes hands.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Hand a part of the runtime to the project: aos no longer checks or replaces it
    Own(PartArgs),
    /// Return a part to aos: the files of the runtime replace yours
    Return(PartArgs),
}

/// A part, and how to write.
#[derive(Args, Debug)]
pub struct PartArgs {
    /// File or directory of the runtime, relative to the project or to the runtime
    #[arg(value_name = "PART")]
    pub part: String,
    #[command(flatten)]
    pub write: WriteOptions,
}

/// Runs the command.
///
/// # Errors
/// When the project has no runtime, the part is none, or the change needs a token.
pub fn run(args: &RuntimeArgs, run: &Run) -> Result<Outcome, Failure> {
    match &args.action {
        None => show::run(run),
        Some(Action::Own(part)) => transfer::own(part, run),
        Some(Action::Return(part)) => transfer::give_back(part, run),
    }
}

/// The runtime of a project as part of an answer: name, path, version, newest version and owned parts.
#[must_use]
pub fn state(state: &RuntimeState) -> Value {
    let owned: Vec<_> = state
        .owned
        .iter()
        .map(|part| json!({"path": part.path.as_str(), "version": part.version.to_string()}))
        .collect();
    json!({
        "name": state.name,
        "path": state.path,
        "version": state.version.map(|version| version.to_string()),
        "newest": state.newest.map(|newest| newest.to_string()),
        "owned": owned,
    })
}
