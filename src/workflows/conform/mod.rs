//! `aos conform`: runs a tool and holds what it does against its contract.

pub mod child;
mod explain;
mod failures;
mod fleet;
mod request;
mod subject;

use std::sync::Mutex;
use std::time::Duration;

use crate::conform::runner::{self, Verdicts};
use crate::conform::{Probe, ToolCaller, family, waivers};
use crate::contract::Family;
use crate::reason::Reason;
use crate::report::answers::conformance::ConformAnswer;
use crate::report::conformance::{self, Conformance};
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::progress::Progress;
use crate::system::{clock, enclosure, interrupt, isolation, keeper, temporary};
use crate::visible::visible;

use super::Run;
use super::report_file::ReportFile;

pub use explain::{explain, list};
pub use fleet::over_projects;
pub use request::{ConformRequest, known_family};

/// Longest time of a whole run.
const RUN_LIMIT: Duration = Duration::from_secs(600);

/// Runs a tool, and judges what it did.
///
/// # Errors
/// `E_NONCONFORMANT` when a probe failed or could not be carried out.
pub fn examine(request: &ConformRequest, run: &Run) -> Result<Outcome, Failure> {
    let family = request.family.as_deref().map(known_family).transpose()?;
    let files = ReportFile::all(&request.reports, &["junit", "sarif"])?;
    let jobs = request.job_count()?;
    let wanted = request.wanted()?;
    let subject = subject::find(request, family)?;
    let probes = selected(&wanted, subject.target.family)?;
    temporary::sweep();
    // Before the first thread: a namespace is entered by this process, and all that it starts inherits it.
    let sockets = isolation::local_sockets();
    let isolation = isolation::cut_off_network().map_err(Reason::of);
    let sockets = match &isolation {
        Ok(()) => isolation::hide_sockets(&sockets).map_err(Reason::of),
        Err(why) => Err(why.clone()),
    };
    let mut notes = subject.notes;
    // From here on, whatever is started ends with aos, whatever ends aos.
    let _keeper = keeper::start(isolation.is_ok())
        .inspect_err(|error| {
            notes.push(format!("if aos is killed, programs that it started may continue: {error}"));
        })
        .ok();
    // If this fails, the containment of each call still keeps the tool away from this process.
    let _ = enclosure::hide_this_process();
    let session = ToolCaller::new(subject.target, subject.contract, subject.fixture, isolation)
        .contained(&sockets, enclosure::rehearse(), &request.readable);
    let mut verdicts = carried_out(&session, &probes, jobs, run);
    interrupt::check()?;
    let remarks =
        waivers::apply(&mut verdicts, &subject.waivers, session.family(), &clock::today());
    let again = request.again(run.directory.as_deref());
    let mut conformance = Conformance::new(&session, verdicts, remarks, notes, again);
    let text = |file: &ReportFile| match file.format {
        "junit" => conformance::junit::render(&conformance),
        _ => conformance::sarif::render(&conformance),
    };
    let written: Vec<_> = files.iter().filter_map(|file| file.write(&text(file)).err()).collect();
    conformance.report_faults = written.iter().map(|fault| fault.message.clone()).collect();
    conclude(&conformance, run, written.into_iter().next())
}

fn selected(wanted: &[&'static Probe], family: Family) -> Result<Vec<&'static Probe>, Failure> {
    if let Some(other) = wanted.iter().find(|probe| probe.family != family) {
        let message = format!(
            "the probe `{}` is for the family `{}`, but this tool follows `{family}`",
            other.id, other.family
        );
        return Err(Failure::new(ErrorCode::Validation, message)
            .hint(format!("`aos conform --list --family {family}` lists its probes")));
    }
    // The order of the registry, each once.
    let of_family = family::of(family).iter();
    Ok(of_family
        .filter(|probe| wanted.is_empty() || wanted.iter().any(|other| other.id == probe.id))
        .collect())
}

fn carried_out(
    session: &ToolCaller,
    probes: &[&'static Probe],
    jobs: usize,
    run: &Run,
) -> Verdicts {
    let progress = Mutex::new(Progress::start("aos conform", run.quiet));
    let say = |done: usize, total: usize| {
        if let Ok(progress) = progress.lock() {
            progress.say(visible!("{} of {} probes", done, total));
        }
    };
    runner::run(session, probes, jobs, RUN_LIMIT, &say)
}

/// The answer; a report that could not be written changes no verdict, and the verdict hides no such report.
fn conclude(
    conformance: &Conformance,
    run: &Run,
    unwritten: Option<Failure>,
) -> Result<Outcome, Failure> {
    let text = conformance::text::render(conformance, run.style);
    let data = ConformAnswer::Report(Box::new(conformance::report(conformance)));
    let mut failure = match (conformance.is_ok(), unwritten) {
        (true, None) => return Ok(Outcome::new(data, text)),
        (true, Some(mut unwritten)) => {
            unwritten.message = format!(
                "`{}` conforms to {} {}, but {}",
                conformance.tool, conformance.family, conformance.tag, unwritten.message
            );
            unwritten
        }
        (false, _) => Failure::new(ErrorCode::Nonconformant, conformance.message())
            .hint(conformance.next_step()),
    };
    failure = failure.with(&data);
    failure.report = Some(text);
    Err(failure)
}
