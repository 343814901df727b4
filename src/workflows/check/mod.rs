//! The fail-closed drift guard, for one project or a fleet.

mod explain;
mod members;
mod text;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::audit::{AuditOptions, ProjectReport, audit};
use crate::inputs::fleet::Fleet;
use crate::inputs::project::ProjectError;
use crate::inputs::spec_source::SpecSession;
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::{clock, interrupt};

use crate::verify::TrustRoot;
use crate::workflows::Run;
use crate::workflows::report_file::ReportFile;

use explain::rule;
use verdict::FleetVerdict;

pub use explain::explain;
pub use members::{BaselineUse, known_findings};

/// Refuses a rule that does not exist.
///
/// # Errors
/// Names the nearest one.
pub fn known(rules: &[String]) -> Result<(), Failure> {
    rules.iter().try_for_each(|id| rule(id).map(|_| ()))
}

/// The request of a check.
#[derive(Default)]
pub struct CheckRequest {
    pub fleet: Fleet,
    /// Only these rules; all when empty.
    pub rules: Vec<String>,
    pub roots: Option<TrustRoot>,
    pub with_diffs: bool,
    pub baseline: Option<BaselineUse>,
    pub reports: Vec<ReportFile>,
}

/// Holds every project of a fleet against its contract.
///
/// # Errors
/// `E_DRIFT` when any project has a finding of severity error; without one, the fault of the first contract that could
/// not be obtained.
pub fn check(request: CheckRequest, run: &Run) -> Result<Outcome, Failure> {
    let CheckRequest { mut fleet, rules, roots, with_diffs, baseline, reports: files } = request;
    let session = SpecSession::new(roots);
    let options = AuditOptions { rules: rules.clone(), today: clock::today() };
    let mut reports = audit_all(&fleet.projects, &options, &session)?;
    if fleet.root.is_some() {
        let mut seen: BTreeSet<PathBuf> = fleet.projects.iter().cloned().collect();
        let mut from = 0;
        loop {
            let further = members::nested(&mut fleet, &reports[from..], &mut seen);
            if further.is_empty() {
                break;
            }
            from = reports.len();
            reports.extend(audit_all(&further, &options, &session)?);
        }
        reports.sort_by(|one, other| one.path.cmp(&other.path));
    }
    let of_fleet = members::findings(&fleet, &reports);
    let baseline = match baseline {
        Some(action) => members::apply(action, &fleet, &mut reports)?,
        None => None,
    };
    let verdict = FleetVerdict {
        reports,
        faults: session.faults().into_iter().map(Failure::from).collect(),
        fleet: members::report(&fleet, &of_fleet, baseline),
        members: of_fleet,
        unsearched: fleet.unsearched,
        by_rule: BTreeMap::new(),
        filtered: rules,
    };
    verdict.conclude(run, with_diffs, &files)
}

/// Checks all projects on every core; the order of the result is the order of the paths.
fn audit_all(
    paths: &[PathBuf],
    options: &AuditOptions,
    session: &SpecSession,
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
    session: &SpecSession,
) -> Result<ProjectReport, Failure> {
    interrupt::check()?;
    audit(path, options, session).map_err(|error: ProjectError| error.into())
}

fn unchecked(path: &Path) -> Failure {
    Failure::new(ErrorCode::Unknown, format!("`{}` was not checked", path.display()))
        .hint("check only this project to see the reason")
}
