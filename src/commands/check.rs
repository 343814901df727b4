//! `aos check`: the fail-closed drift guard, for one project or a fleet.

use std::path::PathBuf;

use clap::Args;

use crate::inputs::fleet::{self, Fleet};
use crate::report::{Failure, Outcome};
use crate::workflows::asked::trust_root;
use crate::workflows::check;
use crate::workflows::report_file::ReportFile;

use super::Run;

/// Check that a project follows its pinned contract; fail on any difference
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  aos check\n  aos check --recursive ~/connectors\n  aos check --explain drift/modified"
)]
pub struct CheckArgs {
    /// Project directories; the default is the current directory
    #[arg(value_name = "PATH", conflicts_with_all = ["recursive", "explain"])]
    pub paths: Vec<PathBuf>,
    /// Check every project below a directory, in parallel
    #[arg(long, value_name = "ROOT", conflicts_with = "explain")]
    pub recursive: Option<PathBuf>,
    /// Report only this rule; can be repeated. The status is then `partial`, never `ok`, because other rules were not
    /// evaluated
    #[arg(long, value_name = "RULE", conflicts_with = "explain")]
    pub rule: Vec<String>,
    /// Show everything, with the diff of each file; without it, the response has at most 4,096 bytes, failures first
    #[arg(long, conflicts_with = "explain")]
    pub diff: bool,
    /// Also write a page for people to a file: `html=FILE`; it can be sorted and filtered, and needs no other file
    #[arg(long, value_name = "FORMAT=FILE", conflicts_with = "explain")]
    pub report: Vec<String>,
    /// Describe one rule, or every rule with `all`
    #[arg(long, value_name = "RULE")]
    pub explain: Option<String>,
    /// Trust only this Sigstore trust root for contracts from a host; the default is the embedded public one
    #[arg(long, value_name = "FILE", conflicts_with = "explain")]
    pub trusted_root: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// `E_DRIFT` when any project has a finding of severity error; without one, the fault of the first contract that could
/// not be had.
pub fn run(args: &CheckArgs, run: &Run) -> Result<Outcome, Failure> {
    if let Some(id) = &args.explain {
        return check::explain(id, run);
    }
    check::known(&args.rule)?;
    let pages = ReportFile::all(&args.report, &["html"])?;
    let roots = args.trusted_root.as_deref().map(|path| trust_root(Some(path))).transpose()?;
    let fleet = match &args.recursive {
        Some(root) => fleet::discover(root)?,
        None if args.paths.is_empty() => Fleet::of(vec![PathBuf::from(".")]),
        None => Fleet::of(args.paths.clone()),
    };
    check::check(fleet, &args.rule, roots, args.diff, &pages, run)
}
