//! `aos migrate`: adopts a project that was made without aos.

use std::path::PathBuf;

use clap::Args;

use crate::cli::WriteOptions;
use crate::report::{Failure, Outcome};
use crate::workflows::migrate::{self, request::MigrateRequest, request::ProofDepth};

use super::Run;

/// Adopt an existing project, and apply safe rewrites to it one by one
#[derive(Args, Debug)]
#[command(
    after_help = "The project gets the records of aos and a dated baseline of its present findings. Then aos applies \
                  the rewrites package-name, permission-keys, contract-module, health-words, masks and flags. `aos \
                  conform` runs the tool in a copy before and after each of them; a rewrite that breaks a probe is \
                  left out. Places that are not changed are listed with the reason.\n\n\
                  Examples:\n  aos migrate --dry-run --diff              show what would change\n  \
                  aos migrate --confirm ct_TOKEN            make exactly that change\n  \
                  aos migrate --only masks --dry-run\n  \
                  aos migrate --recursive ~/connectors --dry-run\n  \
                  aos migrate --recursive ~/connectors --confirm ct_TOKEN"
)]
pub struct MigrateArgs {
    /// Project directory
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,
    /// Apply only this rewrite; can be repeated
    #[arg(long, value_name = "REWRITE")]
    pub only: Vec<String>,
    /// Omit this rewrite; can be repeated
    #[arg(long, value_name = "REWRITE")]
    pub skip: Vec<String>,
    /// How often aos runs the tool to prove that nothing breaks
    #[arg(long, value_enum, value_name = "WHEN", default_value = "each")]
    pub proof: ProofDepth,
    /// Do this in every project below a directory, one after the other; a project that fails does not stop the others
    #[arg(long, value_name = "ROOT", conflicts_with = "path")]
    pub recursive: Option<PathBuf>,
    #[command(flatten)]
    pub write: WriteOptions,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if the project cannot be adopted, or work would be replaced without a token.
pub fn run(args: &MigrateArgs, run: &Run) -> Result<Outcome, Failure> {
    let request = MigrateRequest {
        path: args.path.clone(),
        only: args.only.clone(),
        skip: args.skip.clone(),
        proof: args.proof,
        write: args.write.clone(),
    };
    match &args.recursive {
        Some(root) => migrate::migrate_all(root, &request, run),
        None => migrate::migrate(&request, run),
    }
}
