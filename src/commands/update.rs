//! `aos update`: one call to the newest release, verified, and to the Agent Skill that belongs to it (agent-cli §14).

use std::path::PathBuf;

use clap::Args;

use crate::report::{Failure, Outcome};
use crate::workflows::update::{self, UpdateRequest};

use super::Run;

/// Update aos to the newest verified release, and update its Agent Skill
#[derive(Args, Debug)]
#[command(
    after_help = "aos finds and downloads the release, verifies who signed it, compares its digest, replaces the program \
                  and updates the Skill. If npm, Homebrew or cargo installed aos, that package manager updates it.\n\n\
                  Examples:\n  aos update\n  aos update --check\n  aos update --target-version 1.2.3"
)]
pub struct UpdateArgs {
    /// Check whether there is a newer release, without changing anything
    #[arg(long, conflicts_with = "dry_run")]
    pub check: bool,
    /// Show what an update would do, without changing anything
    #[arg(long)]
    pub dry_run: bool,
    /// Version to install; the default is the newest release
    #[arg(long, value_name = "VERSION")]
    pub target_version: Option<String>,
    /// Allow `--target-version` to name an older version
    #[arg(long, requires = "target_version")]
    pub allow_downgrade: bool,
    /// Trust only this Sigstore trust root; the default is the embedded public one
    #[arg(long, value_name = "FILE")]
    pub trusted_root: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// Every failure says its stage, the version that runs now, whether the program was replaced, and the state of the
/// Skill.
pub fn run(args: &UpdateArgs, run: &Run) -> Result<Outcome, Failure> {
    let request = UpdateRequest {
        check: args.check,
        dry_run: args.dry_run,
        target_version: args.target_version.clone(),
        allow_downgrade: args.allow_downgrade,
        trusted_root: args.trusted_root.clone(),
    };
    update::update(&request, run)
}
