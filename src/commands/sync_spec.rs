//! `aos sync-spec`: vendor a contract tag, regenerate what follows from it, move the pin.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::WriteOptions;
use crate::report::answers::sync::SyncAnswer;
use crate::report::{Failure, Outcome};
use crate::workflows::asked::trust_root;
use crate::workflows::fleet;
use crate::workflows::sync::{self, SyncRequest};

use super::Run;

/// Vendor the contract at a tag, regenerate what depends on it, and move the pin
#[derive(Args, Debug)]
#[command(
    after_help = "The contract comes from aos itself, from `--from DIR`, or from signed releases of the repository \
                  in aos.toml: `source = \"github:OWNER/REPO\"` under [spec].\n\n\
                  Examples:\n  aos sync-spec                 restore the pinned contract\n  aos sync-spec --to latest     move to the newest tag\n  aos sync-spec --to v1.0.0 --dry-run"
)]
pub struct SyncSpecArgs {
    /// Project directory
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,
    /// Tag to move to, or `latest`; the default is the tag in .agent/SPEC_VERSION
    #[arg(long, value_name = "TAG")]
    pub to: Option<String>,
    /// Directory that contains the contract; overrides the source in aos.toml
    #[arg(long, value_name = "DIR")]
    pub from: Option<PathBuf>,
    /// Trust only this Sigstore trust root for contracts from a host; the default is the embedded public one
    #[arg(long, value_name = "FILE")]
    pub trusted_root: Option<PathBuf>,
    /// Do this in every project below a directory, one after the other; a project that fails does not stop the others
    #[arg(long, value_name = "ROOT", conflicts_with_all = ["path", "confirm"])]
    pub recursive: Option<PathBuf>,
    #[command(flatten)]
    pub write: WriteOptions,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if the tag cannot be obtained, a source is refused, or work would be lost without a token.
pub fn run(args: &SyncSpecArgs, run: &Run) -> Result<Outcome, Failure> {
    let follow = |path: &Path| {
        let roots = args.trusted_root.as_deref().map(|path| trust_root(Some(path))).transpose()?;
        let request = SyncRequest {
            path: path.to_owned(),
            to: args.to.clone(),
            from: args.from.clone(),
            write: args.write.clone(),
        };
        sync::follow(&request, roots, run)
    };
    let Some(root) = &args.recursive else { return follow(&args.path) };
    let answer = |report| SyncAnswer::Fleet(Box::new(report));
    let follow = |path: &Path| match sync::is_without_contract(path) {
        true => Ok(fleet::nothing_to_do(sync::without_contract("sync-spec"))),
        false => follow(path),
    };
    fleet::over(root, args.write.dry_run, run, answer, follow)
}
