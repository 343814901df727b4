//! `aos runtime`: the vendored runtime of a project, and which parts of it the project owns.

mod show;
mod transfer;

use clap::{Args, Subcommand};

use crate::audit::runtime::RuntimeState;
use crate::cli::WriteOptions;
use crate::report::answers::runtime::{OwnedRuntimePart, RuntimeSummary};
use crate::report::{Failure, Outcome};

use super::Run;

/// Show the vendored runtime and its parts
#[derive(Args, Debug)]
#[command(
    disable_help_subcommand = true,
    after_help = "Examples:\n  aos runtime                          show version and parts\n  \
                  aos runtime own PART                 take a part over\n  \
                  aos runtime return PART --dry-run    see what giving it back would lose"
)]
pub struct RuntimeArgs {
    #[command(subcommand)]
    pub action: Option<Action>,
}

/// What changes hands.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Take a part of the runtime over: aos no longer checks or replaces it
    Own(PartArgs),
    /// Give a part back: aos puts the bytes of the runtime in place of yours
    Return(PartArgs),
}

/// A part, and how to write.
#[derive(Args, Debug)]
pub struct PartArgs {
    /// File or directory of the runtime, from the project root or from the directory of the runtime
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
pub fn state(state: &RuntimeState) -> RuntimeSummary {
    let owned = state.owned.iter().map(|part| OwnedRuntimePart {
        path: part.path.to_string(),
        version: part.version.to_string(),
    });
    RuntimeSummary {
        name: state.name.clone(),
        path: state.path.clone(),
        version: state.version.map(|version| version.to_string()),
        newest: state.newest.map(|newest| newest.to_string()),
        owned: owned.collect(),
    }
}
