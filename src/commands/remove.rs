//! `aos remove`: a command leaves a project, after a preview of what is lost.

use std::path::Path;

use clap::Args;

use crate::cli::WriteOptions;
use crate::report::{Failure, Outcome};
use crate::workflows::add::name::CommandName;
use crate::workflows::add::{self, Change, refused};

use super::Run;

/// Remove a command from the project in this directory
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  aos remove item.publish --dry-run     what would be lost, and a token\n  \
                  aos remove item.publish --confirm TOKEN"
)]
pub struct RemoveArgs {
    /// Name of the command
    #[arg(value_name = "NAME")]
    pub name: String,
    #[command(flatten)]
    pub write: WriteOptions,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if the command does not exist, or if the token is missing.
pub fn run(args: &RemoveArgs, run: &Run) -> Result<Outcome, Failure> {
    let name = CommandName::parse(&args.name).map_err(|error| refused(&error.into()))?;
    add::run(Path::new("."), &Change::Remove(name), &args.write, run)
}
