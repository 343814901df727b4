//! `aos sync-api`: what a new description of the API changes for the commands of a project.

use std::path::PathBuf;

use clap::Args;

use crate::cli::WriteOptions;
use crate::report::{Failure, Outcome};
use crate::workflows::sync_api::{self, SyncApiRequest};

use super::Run;

/// Update the commands of a project after its API has changed
#[derive(Args, Debug)]
#[command(
    after_help = "aos applies the recorded selection, modes and ids to the new description. It merges the difference \
                  into your files: edited handlers are kept, and conflicts are shown before anything is written. \
                  `api_changes` lists breaking changes first, then compatible ones.\n\n\
                  Examples:\n  aos sync-api --openapi acme-v2.yaml --dry-run\n  \
                  aos sync-api --openapi acme-v2.yaml"
)]
pub struct SyncApiArgs {
    /// Project directory
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,
    /// New description of the API
    #[arg(long, value_name = "FILE")]
    pub openapi: PathBuf,
    #[command(flatten)]
    pub write: WriteOptions,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if the project was not made from a description, or work would be lost without a token.
pub fn run(args: &SyncApiArgs, run: &Run) -> Result<Outcome, Failure> {
    let request = SyncApiRequest {
        path: args.path.clone(),
        description: args.openapi.clone(),
        operation: None,
        write: args.write.clone(),
    };
    sync_api::run(&request, run)
}
