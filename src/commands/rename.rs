//! `aos rename`: a command gets another name, and the old one keeps working.

use std::path::Path;

use clap::Args;

use crate::cli::WriteOptions;
use crate::report::{Failure, Outcome};
use crate::workflows::add::name::CommandName;
use crate::workflows::add::{self, Change, refused};

use super::Run;

/// Rename a command; its old name stays as an alias
#[derive(Args, Debug)]
#[command(
    after_help = "The old name still works, so that saved workflows do not break. A CLI keeps it as an alias, and a \
                  connector as a command whose summary names the new one.\n\n\
                  Examples:\n  aos rename item.get item.show --dry-run\n  aos rename item.get item.show"
)]
pub struct RenameArgs {
    /// Current name
    #[arg(value_name = "OLD")]
    pub old: String,
    /// New name
    #[arg(value_name = "NEW")]
    pub new: String,
    #[command(flatten)]
    pub write: WriteOptions,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if the command does not exist, or if the new name is taken or breaks a rule.
pub fn run(args: &RenameArgs, run: &Run) -> Result<Outcome, Failure> {
    let name = |text: &str| CommandName::parse(text).map_err(|error| refused(&error.into()));
    let change = Change::Rename { old: name(&args.old)?, new: name(&args.new)? };
    add::run(Path::new("."), &change, &args.write, run)
}
