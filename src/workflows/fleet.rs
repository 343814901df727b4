//! One command in every project below a directory: one after the other, each on its own, and one summary.
//!
//! A project that fails does not stop the others. A second run finds what is done unchanged, so a run that was
//! interrupted is completed by the same call.

use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use crate::inputs::fleet::{self, Fleet, FleetError};
use crate::report::answers::check::UnsearchedDirectory;
use crate::report::answers::fleet_run::{FleetRunProject, FleetRunReport, FleetRunSummary};
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::files::{self, Kind};
use crate::system::interrupt;
use crate::visible::{Visible, counted, visible};
use crate::workflows::Run;

/// Runs `each` in every project below `root`.
///
/// # Errors
/// Returns an error if there is no project, and when one of them failed, with the whole report.
pub fn over<A: serde::Serialize>(
    root: &Path,
    dry_run: bool,
    run: &Run,
    answer: impl FnOnce(FleetRunReport) -> A,
    each: impl Fn(&Path) -> Result<Outcome, Failure>,
) -> Result<Outcome, Failure> {
    let Fleet { projects, mut unsearched, lost, .. } = fleet::discover(root)?;
    // A project that was lost is not in order, and an empty list is never a success.
    unsearched.extend(lost);
    if projects.is_empty() && unsearched.is_empty() {
        return Err(FleetError::Empty { path: root.to_owned() }.into());
    }
    let mut rows = Vec::new();
    let mut faults = Vec::new();
    let mut is_interrupted = false;
    for path in &projects {
        is_interrupted = is_interrupted || interrupt::requested();
        let shown = path.display().to_string();
        if is_interrupted {
            rows.push(row(shown, "pending"));
            continue;
        }
        let is_link = path != root && matches!(files::kind(path), Ok(Kind::Symlink));
        match if is_link { Err(linked()) } else { each(path) } {
            Ok(outcome) => rows.push(done(shown, &outcome.data)),
            Err(failure) => {
                is_interrupted = failure.code == ErrorCode::Interrupted;
                let status = if is_interrupted { "pending" } else { "failed" };
                rows.push(FleetRunProject {
                    code: Some(failure.code.as_str()),
                    message: Some(failure.message.clone()),
                    fix: failure.hint.clone(),
                    ..row(shown, status)
                });
                faults.push(failure);
            }
        }
    }
    let count =
        |judge: &dyn Fn(&FleetRunProject) -> bool| rows.iter().filter(|row| judge(row)).count();
    let (failed, pending) =
        (count(&|row| row.status == "failed"), count(&|row| row.status == "pending"));
    let unchanged =
        count(&|row| row.changes == 0 && !["failed", "pending"].contains(&row.status.as_str()));
    let unsearched: Vec<_> = unsearched
        .into_iter()
        .map(|(path, reason)| UnsearchedDirectory { path: path.display().to_string(), reason })
        .collect();
    let is_ok = failed + pending == 0 && unsearched.is_empty();
    let summary = FleetRunSummary {
        status: if is_interrupted {
            "interrupted"
        } else if is_ok {
            "ok"
        } else {
            "failed"
        },
        projects: rows.len(),
        changed: rows.len() - failed - pending - unchanged,
        unchanged,
        failed,
        pending,
        dry_run,
        unsearched,
    };
    let text = text(&summary, &rows, run);
    let report = FleetRunReport { summary, projects: rows };
    if is_ok {
        return Ok(Outcome::new(answer(report), text));
    }
    let mut failure = failure(&report, &faults);
    failure = failure.with(&report);
    failure.report = Some(text);
    Err(failure)
}

/// The answer of a project that a command has nothing to do with.
#[must_use]
pub fn nothing_to_do(message: String) -> Outcome {
    let text = Visible::line(&message);
    Outcome::new(FleetAbstention { status: "unchanged", message }, text)
}

#[derive(Serialize)]
struct FleetAbstention {
    status: &'static str,
    message: String,
}

/// Refuses a link, because its target may be outside the fleet.
fn linked() -> Failure {
    Failure::new(ErrorCode::Validation, "it is a link to a project")
        .hint("run the command in the project itself, or replace the link with the project")
}

fn row(path: String, status: &str) -> FleetRunProject {
    FleetRunProject {
        path,
        status: status.to_owned(),
        changes: 0,
        code: None,
        message: None,
        fix: None,
    }
}

fn done(path: String, data: &Value) -> FleetRunProject {
    let list = |value: &Value| value.as_array().map(Vec::len);
    let planned =
        data.pointer("/preview/total").or_else(|| data.get("total")).and_then(Value::as_u64);
    let planned = planned.and_then(|total| usize::try_from(total).ok());
    let changes = planned.or_else(|| data.get("changes").and_then(list)).unwrap_or_default();
    let status = data.get("status").and_then(Value::as_str);
    let conflicts = data.get("conflicts").and_then(list).unwrap_or_default();
    let status = match (status, conflicts) {
        (None, 1..) => "conflicted",
        (None, 0) if changes == 0 => "unchanged",
        (None, 0) => "preview",
        (Some(status), _) => status,
    };
    let message = data.get("message").and_then(Value::as_str).map(str::to_owned);
    FleetRunProject { changes, message, ..row(path, status) }
}

/// The message of a run in which every project succeeded and parts of the tree were not looked at.
pub fn unsearched(count: usize) -> String {
    let directories = counted(count, "directory");
    format!("{directories} could not be read, or no longer hold the project that the fleet lists")
}

/// The error of the whole run: a signal first, a forgery next, then what running again does not fix.
fn failure(report: &FleetRunReport, faults: &[Failure]) -> Failure {
    let rank = |failure: &&Failure| match failure.code {
        ErrorCode::Interrupted => 0,
        ErrorCode::Integrity => 1,
        code if !code.retryable() => 2,
        _ => 3,
    };
    let worst = faults.iter().min_by_key(rank);
    let summary = &report.summary;
    let code = match (worst, summary.pending) {
        (_, 1..) => ErrorCode::Interrupted,
        (Some(fault), _) => fault.code,
        (None, _) => ErrorCode::Io,
    };
    let message = match (summary.failed, summary.pending) {
        (0, 0) => unsearched(summary.unsearched.len()),
        (failed, 0) => format!("{failed} of {} projects failed", summary.projects),
        (failed, pending) => format!(
            "interrupted: {pending} of {} projects are left, {failed} failed",
            summary.projects
        ),
    };
    Failure::new(code, message).hint(
        "each entry of `projects` has its own code and fix; run the same command again for the remaining projects",
    )
}

fn text(summary: &FleetRunSummary, rows: &[FleetRunProject], run: &Run) -> Visible {
    let style = run.style;
    let mut lines: Vec<_> = rows
        .iter()
        .filter(|row| row.status != "unchanged")
        .map(|row| {
            let status = match row.status.as_str() {
                "failed" | "pending" => style.bad(row.status.clone()),
                status => style.good(status.to_owned()),
            };
            let more = match (&row.code, &row.message) {
                (Some(code), Some(message)) => format!("{code}: {message}"),
                _ => counted(row.changes, "file"),
            };
            visible!("{} {} ({})", status, row.path, more)
        })
        .collect();
    lines.extend(summary.unsearched.iter().map(|left| {
        visible!("{} {} was not changed: {}", style.bad("error"), left.path, left.reason)
    }));
    let verb = if summary.dry_run { "would change" } else { "changed" };
    lines.push(visible!(
        "{}, {} {}, {} unchanged, {} failed, {} left",
        counted(summary.projects, "project"),
        summary.changed,
        verb,
        summary.unchanged,
        summary.failed,
        summary.pending
    ));
    Visible::joined(lines, "\n")
}
