//! `aos runtime`: the vendored runtime of a project, and which parts of it the project owns.

use clap::{Args, Subcommand};

use crate::cli::WriteOptions;
use crate::report::{Failure, Outcome};
use crate::workflows::runtime;

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
    pub action: Option<RuntimeAction>,
}

/// The direction in which a part changes hands.
#[derive(Debug, Subcommand)]
pub enum RuntimeAction {
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
/// Returns an error if the project has no runtime, the part is none, or the change needs a token.
pub fn run(args: &RuntimeArgs, run: &Run) -> Result<Outcome, Failure> {
    match &args.action {
        None => runtime::show(run),
        Some(RuntimeAction::Own(part)) => runtime::own(&part.part, &part.write, run),
        Some(RuntimeAction::Return(part)) => runtime::give_back(&part.part, &part.write, run),
    }
}
