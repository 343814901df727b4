//! `aos check`: the fail-closed drift guard, for one project or a fleet.

use std::path::PathBuf;

use clap::Args;

use crate::inputs::fleet::{self, Fleet};
use crate::report::checked::FORMATS;
use crate::report::{Failure, Outcome};
use crate::workflows::asked::trust_root;
use crate::workflows::check::{self, BaselineUse, CheckRequest};
use crate::workflows::report_file::ReportFile;

use super::Run;

/// Check that a project follows its pinned contract; fail on any difference
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  aos check\n  aos check --recursive ~/connectors\n  aos check --report sarif=check.sarif\n  aos check --explain drift/modified\n  aos check --explain all"
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
    /// Known findings of a fleet: `write` records them, `compare` accepts those that are recorded. A baseline only
    /// becomes smaller, and never contains a finding that cannot be waived
    #[arg(long, value_name = "ACTION", requires = "recursive", conflicts_with = "rule")]
    pub baseline: Option<BaselineUse>,
    /// Also write a report to a file: `sarif=FILE`, `junit=FILE`, `json=FILE`, or `html=FILE` for a page for
    /// people; can be repeated
    #[arg(long, value_name = "FORMAT=FILE", value_hint = clap::ValueHint::FilePath, conflicts_with = "explain")]
    pub report: Vec<String>,
    /// Describe one rule, or the rules of one topic (`drift`); `all` lists the ids of every rule by topic
    #[arg(long, value_name = "RULE")]
    pub explain: Option<String>,
    /// With `--explain all`: describe every rule in full
    #[arg(long, requires = "explain")]
    pub all: bool,
    /// Trust only this Sigstore trust root for contracts from a host; the default is the embedded public one
    #[arg(long, value_name = "FILE", conflicts_with = "explain")]
    pub trusted_root: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// `E_DRIFT` when any project has a finding of severity error; without one, the fault of the first contract that could
/// not be obtained.
pub fn run(args: &CheckArgs, run: &Run) -> Result<Outcome, Failure> {
    if let Some(id) = &args.explain {
        return check::explain(id, args.all, run);
    }
    check::known(&args.rule)?;
    let formats: Vec<_> = FORMATS.iter().map(|(name, _)| *name).collect();
    let files = ReportFile::all(&args.report, &formats)?;
    let roots = args.trusted_root.as_deref().map(|path| trust_root(Some(path))).transpose()?;
    let fleet = match &args.recursive {
        Some(root) => fleet::discover(root)?,
        None if args.paths.is_empty() => Fleet::of(vec![PathBuf::from(".")]),
        None => Fleet::of(args.paths.clone()),
    };
    let request = CheckRequest {
        fleet,
        rules: args.rule.clone(),
        roots,
        with_diffs: args.diff,
        baseline: args.baseline,
        reports: files,
    };
    check::check(request, run)
}
