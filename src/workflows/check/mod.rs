//! The fail-closed drift guard, for one project or a fleet.

mod explain;
mod verdict;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::audit::{AuditOptions, ProjectReport, audit};
use crate::inputs::fleet::Fleet;
use crate::inputs::project::ProjectError;
use crate::inputs::spec_source::Session;
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::{clock, interrupt};

use crate::verify::TrustRoot;
use crate::workflows::Run;
use crate::workflows::report_file::ReportFile;

use explain::rule;
use verdict::FleetVerdict;

pub use explain::explain;

/// Refuses a rule that does not exist.
///
/// # Errors
/// Names the nearest one.
pub fn known(rules: &[String]) -> Result<(), Failure> {
    rules.iter().try_for_each(|id| rule(id).map(|_| ()))
}

/// Holds every project of `fleet` against its contract.
///
/// # Errors
/// `E_DRIFT` when any project has a finding of severity error; without one, the fault of the first contract that could
/// not be had.
pub fn check(
    fleet: Fleet,
    rules: &[String],
    roots: Option<TrustRoot>,
    with_diffs: bool,
    pages: &[ReportFile],
    run: &Run,
) -> Result<Outcome, Failure> {
    let session = Session::new(roots);
    let options = AuditOptions { rules: rules.to_vec(), today: clock::today() };
    let reports = audit_all(&fleet.projects, &options, &session)?;
    let verdict = FleetVerdict {
        reports,
        faults: session.faults().into_iter().map(Failure::from).collect(),
        unsearched: fleet.unsearched,
        by_rule: BTreeMap::new(),
        filtered: rules.to_vec(),
    };
    verdict.conclude(run, with_diffs, pages)
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
