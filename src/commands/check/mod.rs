//! `aos check`: the fail-closed drift guard, for one project or a fleet.

mod explain;
mod verdict;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;

use crate::audit::{AuditOptions, ProjectReport, audit};
use crate::inputs::fleet::{self, Fleet};
use crate::inputs::project::ProjectError;
use crate::inputs::spec_source::Session;
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::{clock, interrupt};

use super::Run;
use super::verify::trust_root;
use explain::{explain, rule};
use verdict::Verdict;

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
        return explain(id, run);
    }
    for id in &args.rule {
        rule(id)?;
    }
    let roots = args.trusted_root.as_deref().map(|path| trust_root(Some(path))).transpose()?;
    let session = Session::new(roots);
    let fleet = match &args.recursive {
        Some(root) => fleet::discover(root)?,
        None if args.paths.is_empty() => {
            Fleet { projects: vec![PathBuf::from(".")], unsearched: Vec::new() }
        }
        None => Fleet { projects: args.paths.clone(), unsearched: Vec::new() },
    };
    let options = AuditOptions { rules: args.rule.clone(), today: clock::today() };
    let reports = audit_all(&fleet.projects, &options, &session)?;
    let verdict = Verdict {
        reports,
        faults: session.faults().into_iter().map(Failure::from).collect(),
        unsearched: fleet.unsearched,
        by_rule: BTreeMap::new(),
        filtered: args.rule.clone(),
    };
    verdict.conclude(run, args.diff)
}

/// Checks all projects on every core; the order of the result is the order of the paths.
fn audit_all(
    paths: &[PathBuf],
    options: &AuditOptions,
    session: &Session,
) -> Result<Vec<ProjectReport>, Failure> {
    let workers =
        std::thread::available_parallelism().map_or(1, usize::from).min(paths.len()).max(1);
    if workers == 1 {
        return paths.iter().map(|path| checked(path, options, session)).collect();
    }
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<Result<ProjectReport, Failure>>>> =
        paths.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        while let Some((path, slot)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            paths.get(index).zip(results.get(index))
        } {
            let result = checked(path, options, session);
            if let Ok(mut slot) = slot.lock() {
                *slot = Some(result);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..workers {
            // Without another thread this one does all the work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    results
        .into_iter()
        .zip(paths)
        .map(|(slot, path)| {
            let result = slot.into_inner().ok().flatten();
            result.unwrap_or_else(|| Err(unchecked(path)))
        })
        .collect()
}

fn checked(
    path: &Path,
    options: &AuditOptions,
    session: &Session,
) -> Result<ProjectReport, Failure> {
    interrupt::check()?;
    audit(path, options, session).map_err(|error: ProjectError| error.into())
}

fn unchecked(path: &Path) -> Failure {
    Failure::new(ErrorCode::Unknown, format!("`{}` was not checked", path.display()))
        .hint("check only this project to see the reason")
}
