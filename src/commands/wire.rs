//! `aos wire`: makes a project part of a checkout of another program, or takes it out again.

use std::path::PathBuf;

use clap::Args;

use crate::cli::WriteOptions;
use crate::report::{Failure, Outcome};
use crate::workflows::wire::{self, WireRequest};

use super::Run;

/// Put an adapter into a checkout of Agent Orchestrator, or take it out
#[derive(Args, Debug)]
#[command(
    after_help = "The files of the adapter are copied, and every list of harnesses that the orchestrator needs is extended. \
                  Places that cannot be edited safely are listed as instructions.\n\n\
                  Examples:\n  aos wire --ao ~/agent-orchestrator --dry-run     show every change, issue a token\n  \
                  aos wire --ao ~/agent-orchestrator --undo        take out exactly what was put in"
)]
pub struct WireArgs {
    /// Directory of the adapter
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,
    /// Checkout of Agent Orchestrator
    #[arg(long, value_name = "CHECKOUT")]
    pub ao: PathBuf,
    /// Take out what an earlier run put in
    #[arg(long)]
    pub undo: bool,
    #[command(flatten)]
    pub write: WriteOptions,
}

/// Runs the command.
///
/// # Errors
/// When the project is no adapter, the checkout does not have the places, or the change needs a token.
pub fn run(args: &WireArgs, run: &Run) -> Result<Outcome, Failure> {
    let request =
        WireRequest { path: &args.path, ao: &args.ao, undo: args.undo, write: &args.write };
    wire::wire(&request, run)
}
