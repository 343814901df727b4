//! `aos wire`: makes a project part of a checkout of another program, or takes it out again.

use std::path::PathBuf;

use clap::Args;

use crate::cli::WriteOptions;
use crate::report::{Failure, Outcome};
use crate::workflows::wire::{self, WireRequest};

use super::Run;

/// Add an adapter to a checkout of Agent Orchestrator, or remove it
#[derive(Args, Debug)]
#[command(
    after_help = "aos copies the files of the adapter and adds it to every list of harnesses in the orchestrator. \
                  Edits that you must make yourself are listed as instructions.\n\n\
                  Examples:\n  aos wire --ao ~/agent-orchestrator --dry-run     show every change, issue a token\n  \
                  aos wire --ao ~/agent-orchestrator --undo        remove exactly what was added"
)]
pub struct WireArgs {
    /// Directory of the adapter
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,
    /// Checkout of Agent Orchestrator
    #[arg(long, value_name = "CHECKOUT")]
    pub ao: PathBuf,
    /// Remove what an earlier run added
    #[arg(long)]
    pub undo: bool,
    #[command(flatten)]
    pub write: WriteOptions,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if the project is not an adapter, the checkout does not have the places, or the change needs a
/// token.
pub fn run(args: &WireArgs, run: &Run) -> Result<Outcome, Failure> {
    let request =
        WireRequest { path: &args.path, ao: &args.ao, undo: args.undo, write: &args.write };
    wire::wire(&request, run)
}
