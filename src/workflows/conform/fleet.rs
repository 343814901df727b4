//! `aos conform --recursive`: the tool of every project below a directory, one after the other.
//!
//! A tool that does not conform, or cannot be run, does not stop the others.

use std::path::{Path, PathBuf};

use crate::contract::Family;
use crate::inputs::fleet::{self, Fleet, FleetError};
use crate::inputs::project::{Project, Slot};
use crate::report::answers::check::UnsearchedDirectory;
use crate::report::answers::conform_fleet::{
    ConformFleetReport, ConformFleetSummary, ConformedProject,
};
use crate::report::answers::conformance::ConformAnswer;
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::files;
use crate::system::interrupt;
use crate::visible::{Visible, visible};
use crate::workflows::Run;
use crate::workflows::fleet::unsearched;

use super::child::{self, ChildAnswer, ProbeVerdicts};
use super::request::{ConformRequest, known_family};

/// Most probes that one project names.
const MAX_NAMED: usize = 10;

/// Runs the tools; with `from`, those of that project and of the ones after it.
///
/// # Errors
/// `E_NONCONFORMANT` when a tool does not conform, and the code of what could not be run.
pub fn over_projects(
    root: &Path,
    from: Option<&Path>,
    request: &ConformRequest,
    run: &Run,
) -> Result<Outcome, Failure> {
    let Fleet { projects, mut unsearched, lost, .. } = fleet::discover(root)?;
    unsearched.extend(lost);
    if projects.is_empty() && unsearched.is_empty() {
        return Err(FleetError::Empty { path: root.to_owned() }.into());
    }
    let asked = AskedProjects::of(request)?;
    let first = from.map(|from| position(&projects, from)).transpose()?.unwrap_or_default();
    let options = options(request);
    let (mut rows, mut passed_over) = (Vec::new(), 0);
    for path in &projects[first..] {
        if !asked.has(path) {
            passed_over += 1;
            continue;
        }
        let shown = path.display().to_string();
        if interrupt::requested() {
            rows.push(ConformedProject::with_status(shown, "pending"));
            continue;
        }
        rows.push(row(shown, examined(path, &options)));
    }
    conclude(rows, passed_over, unsearched, request.is_whole, run)
}

/// The projects of a run.
struct AskedProjects {
    family: Option<Family>,
    /// Families of the probes that are named.
    of_probes: Vec<Family>,
}

impl AskedProjects {
    fn of(request: &ConformRequest) -> Result<Self, Failure> {
        request.job_count()?;
        let family = request.family.as_deref().map(known_family).transpose()?;
        let of_probes = request.wanted()?.iter().map(|probe| probe.family).collect();
        Ok(Self { family, of_probes })
    }

    /// A project that cannot be opened is tried, and its error is shown.
    fn has(&self, path: &Path) -> bool {
        let Ok(project) = Project::open(path) else { return true };
        let family = project.family;
        let is_without = family == Family::NONE && matches!(project.record, Slot::Good(_));
        !is_without
            && self.family.is_none_or(|wanted| wanted == family)
            && (self.of_probes.is_empty() || self.of_probes.contains(&family))
    }
}

/// The place of the project to begin with.
fn position(projects: &[PathBuf], from: &Path) -> Result<usize, Failure> {
    let wanted = files::canonical(from).ok();
    let is_it = |path: &PathBuf| wanted.is_some() && files::canonical(path).ok() == wanted;
    projects.iter().position(is_it).ok_or_else(|| {
        let message = format!("`--from {}` is not a project below the root", from.display());
        Failure::new(ErrorCode::NotFound, message)
            .hint("use a path in `projects` of an earlier response")
    })
}

/// Returns the options that are passed to each run.
fn options(request: &ConformRequest) -> Vec<String> {
    let mut options = Vec::new();
    let mut option = |name: &str, value: String| options.extend([name.to_owned(), value]);
    for probe in &request.probes {
        option("--probe", probe.clone());
    }
    for path in &request.readable {
        let whole = files::canonical(path).unwrap_or_else(|_| path.clone());
        option("--readable", whole.display().to_string());
    }
    if let Some(jobs) = request.jobs {
        option("--jobs", jobs.to_string());
    }
    if let Some(family) = &request.family {
        option("--family", family.clone());
    }
    if let Some(tag) = &request.tag {
        option("--tag", tag.clone());
    }
    options
}

fn examined(path: &Path, options: &[String]) -> Result<ChildAnswer, Failure> {
    let root = files::canonical(path).map_err(|error| {
        Failure::new(crate::error::source_code(&error), format!("it cannot be read: {error}"))
    })?;
    child::run(&root, options)
}

fn row(path: String, answer: Result<ChildAnswer, Failure>) -> ConformedProject {
    let (verdicts, error) = match answer {
        Ok(answer) if answer.is_ok => (answer.verdicts.unwrap_or_default(), None),
        Ok(ChildAnswer { verdicts, error, .. }) => {
            let is_verdict = error.code == ErrorCode::Nonconformant;
            let verdicts = verdicts.filter(|_| is_verdict || error.code == ErrorCode::Unknown);
            (verdicts.unwrap_or_default(), Some((error.code, error.message, error.hint)))
        }
        Err(failure) if failure.code == ErrorCode::Interrupted => {
            return ConformedProject::with_status(path, "pending");
        }
        Err(failure) => {
            let error = (failure.code, failure.message, failure.hint);
            (ProbeVerdicts::new(), Some(error))
        }
    };
    let count = |name: &str| verdicts.values().filter(|verdict| *verdict == name).count();
    let named =
        verdicts.iter().filter(|(_, verdict)| matches!(verdict.as_str(), "fail" | "blocked"));
    let status = match (&error, verdicts.is_empty()) {
        (None, _) => "conformant",
        (Some(_), false) => "nonconformant",
        (Some(_), true) => "failed",
    };
    let (code, message, hint) = error.map_or((None, None, None), |(code, message, hint)| {
        (Some(code.as_str()), Some(message), hint)
    });
    ConformedProject {
        pass: count("pass"),
        fail: count("fail"),
        blocked: count("blocked"),
        waived: count("waived"),
        not_applicable: count("not_applicable"),
        probes: named.map(|(probe, _)| probe.clone()).take(MAX_NAMED).collect(),
        code,
        message,
        fix: hint,
        ..ConformedProject::with_status(path, status)
    }
}

fn conclude(
    mut rows: Vec<ConformedProject>,
    passed_over: usize,
    unsearched: Vec<(PathBuf, String)>,
    is_whole: bool,
    run: &Run,
) -> Result<Outcome, Failure> {
    let count = |status: &str| rows.iter().filter(|row| row.status == status).count();
    let (failed, nonconformant, pending) =
        (count("failed"), count("nonconformant"), count("pending"));
    let unsearched: Vec<_> = unsearched
        .into_iter()
        .map(|(path, reason)| UnsearchedDirectory { path: path.display().to_string(), reason })
        .collect();
    // A run without a tool has shown nothing.
    let is_ok = failed + nonconformant + pending == 0 && unsearched.is_empty() && !rows.is_empty();
    let summary = ConformFleetSummary {
        status: match (pending, is_ok) {
            (1.., _) => "interrupted",
            (0, true) => "ok",
            (0, false) => "failed",
        },
        projects: rows.len(),
        conformant: count("conformant"),
        nonconformant,
        failed,
        pending,
        passed_over,
        unsearched,
    };
    let text = text(&summary, &rows, run);
    let next = rows.iter().find(|row| row.status == "pending").map(|row| row.path.clone());
    let code = code(&rows, &summary);
    if !is_whole {
        rows.retain(|row| !matches!(row.status, "conformant" | "pending"));
    }
    let report = ConformFleetReport { summary, next, projects: rows };
    if is_ok {
        return Ok(Outcome::new(ConformAnswer::Fleet(Box::new(report)), text));
    }
    let mut failure = failure(&report, code).with(&report);
    failure.report = Some(text);
    Err(failure)
}

/// The code of the whole run: a signal first, then a verdict, then what could not be run.
fn code(rows: &[ConformedProject], summary: &ConformFleetSummary) -> ErrorCode {
    if summary.pending > 0 {
        return ErrorCode::Interrupted;
    }
    if summary.nonconformant > 0 {
        return ErrorCode::Nonconformant;
    }
    let codes: Vec<_> = rows
        .iter()
        .filter_map(|row| ErrorCode::ALL.into_iter().find(|code| Some(code.as_str()) == row.code))
        .collect();
    if rows.is_empty() && summary.unsearched.is_empty() {
        return ErrorCode::NotFound;
    }
    let lasting = codes.iter().find(|code| !code.retryable());
    lasting.or(codes.first()).copied().unwrap_or(ErrorCode::Io)
}

fn failure(report: &ConformFleetReport, code: ErrorCode) -> Failure {
    let summary = &report.summary;
    if let Some(next) = &report.next {
        let message =
            format!("interrupted: {} of {} tools are left", summary.pending, summary.projects);
        return Failure::new(code, message)
            .hint(format!("add `--from {next}` to the same command for the remaining projects"));
    }
    let message = match (summary.nonconformant, summary.failed) {
        (0, 0) if summary.projects == 0 && summary.unsearched.is_empty() => {
            format!("no tool was run: {} projects have no such probes", summary.passed_over)
        }
        (0, 0) => unsearched(summary.unsearched.len()),
        (0, failed) => format!("{failed} of {} tools could not be run", summary.projects),
        (faulty, 0) => format!("{faulty} of {} tools do not conform", summary.projects),
        (faulty, failed) => format!(
            "{faulty} of {} tools do not conform, and {failed} could not be run",
            summary.projects
        ),
    };
    Failure::new(code, message)
        .hint("run `aos conform PATH` for a project to see its calls; `projects` has the code and the fix of each tool that could not be run")
}

fn text(summary: &ConformFleetSummary, rows: &[ConformedProject], run: &Run) -> Visible {
    let style = run.style;
    // Failures last, where a reader looks.
    let (good, bad): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.status == "conformant");
    let mut lines: Vec<_> = good
        .into_iter()
        .map(|row| visible!("{} {} ({} passed)", style.good("ok"), row.path, row.pass))
        .collect();
    lines.extend(bad.into_iter().map(|row| {
        let why = match (&row.code, &row.message, row.status) {
            (Some(code), Some(message), _) => format!("{code}: {message}"),
            (.., "pending") => "was not run".to_owned(),
            _ => format!("{} failed, {} blocked: {}", row.fail, row.blocked, row.probes.join(", ")),
        };
        visible!("{} {} ({})", style.bad(row.status), row.path, why)
    }));
    lines.extend(summary.unsearched.iter().map(|left| {
        visible!("{} {} was not searched: {}", style.bad("error"), left.path, left.reason)
    }));
    let mut last = format!("{} of {} tools conform", summary.conformant, summary.projects);
    let others = [
        (summary.nonconformant, "do not"),
        (summary.failed, "could not be run"),
        (summary.pending, "are left"),
        (summary.passed_over, "have no such probes"),
    ];
    for (count, what) in others.into_iter().filter(|(count, _)| *count > 0) {
        last.push_str(&format!(", {count} {what}"));
    }
    lines.push(visible!("{}", last));
    Visible::joined(lines, "\n")
}
