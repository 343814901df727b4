//! `aos gen`: regenerate derived files from the manifest and the pinned contract.

use std::path::PathBuf;

use clap::Args;

use crate::cli::WriteOptions;
use crate::report::{Failure, Outcome};
use crate::workflows::asked::trust_root;
use crate::workflows::gen_files;

use super::Run;

/// Regenerate derived files from the manifest and the pinned contract
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  aos gen\n  aos gen --check    fail if a generated file is not current, without writing"
)]
pub struct GenArgs {
    /// Project directory
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,
    /// Write nothing, and fail if a file is not current
    #[arg(long, conflicts_with_all = ["dry_run", "confirm"])]
    pub check: bool,
    /// Trust only this Sigstore trust root for contracts from a host; the default is the embedded public one
    #[arg(long, value_name = "FILE")]
    pub trusted_root: Option<PathBuf>,
    #[command(flatten)]
    pub write: WriteOptions,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if a source is refused, the pin was moved, or `--check` finds a difference.
pub fn run(args: &GenArgs, run: &Run) -> Result<Outcome, Failure> {
    let roots = args.trusted_root.as_deref().map(|path| trust_root(Some(path))).transpose()?;
    match args.check {
        true => gen_files::check(&args.path, roots, args.write.diff, run),
        false => gen_files::renew(&args.path, roots, &args.write, run),
    }
}
