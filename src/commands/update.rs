//! `aos update`: one call to the newest release, verified, and to the Agent Skill that belongs to it (agent-cli §14).

use std::path::PathBuf;

use clap::Args;

use crate::report::{Failure, Outcome};
use crate::workflows::update::{self, UpdateRequest};

use super::Run;

/// Update aos to the newest release, verified, and its Agent Skill with it
#[derive(Args, Debug)]
#[command(
    after_help = "One call does everything: find, download, verify who signed, compare the digest, swap the program, \
                  sync the Skill. A program that belongs to npm, Homebrew or cargo is updated by that manager.\n\n\
                  Examples:\n  aos update\n  aos update --check\n  aos update --target-version 1.2.3"
)]
pub struct UpdateArgs {
    /// Ask whether there is an update; change nothing
    #[arg(long, conflicts_with = "dry_run")]
    pub check: bool,
    /// Show what an update would do; change nothing and issue no token
    #[arg(long)]
    pub dry_run: bool,
    /// Version to go to; the default is the newest release
    #[arg(long, value_name = "VERSION")]
    pub target_version: Option<String>,
    /// Go to an older version when `--target-version` names one
    #[arg(long, requires = "target_version")]
    pub allow_downgrade: bool,
    /// Believe only this Sigstore trust root; the default is the public one inside aos
    #[arg(long, value_name = "FILE")]
    pub trusted_root: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// Every failure says its stage, the version that runs now, whether the program was replaced, and what became of the Skill.
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
