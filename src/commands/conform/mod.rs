//! `aos conform`: runs a tool and holds what it does against its contract.

mod explain;
mod subject;

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use clap::Args;

use crate::conform::fixture::FixtureError;
use crate::conform::runner::{self, Verdicts};
use crate::conform::target::TargetError;
use crate::conform::{Probe, ToolCaller, family, waivers};
use crate::contract::Family;
use crate::error::{io_code, io_hint};
use crate::report::answers::conformance::ConformAnswer;
use crate::report::conformance::{self, CommandLine, Conformance};
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::progress::Progress;
use crate::system::{clock, enclosure, interrupt, isolation, keeper, temporary};
use crate::visible::excerpt;

use crate::visible::visible;

use super::Run;
use crate::workflows::report_file::ReportFile;

/// Longest time of a whole run.
const RUN_LIMIT: Duration = Duration::from_secs(600);
/// Most probes at the same time.
const MAX_JOBS: usize = 64;

/// Run a tool and test its behaviour against its contract
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  aos conform\n  aos conform ../aos-github --probe harness.one-document\n  aos conform --family harness -- ./aos-github\n  aos conform --report junit=conform.xml"
)]
pub struct ConformArgs {
    /// Project directory; the default is the current directory
    #[arg(value_name = "PATH", conflicts_with_all = ["list", "explain", "command"])]
    pub path: Option<PathBuf>,
    /// Run only this probe; can be repeated
    #[arg(long, value_name = "PROBE")]
    pub probe: Vec<String>,
    /// List the probes, with `--family` those of one family, without running any
    #[arg(long, conflicts_with_all = ["probe", "explain", "command"])]
    pub list: bool,
    /// Describe one probe, every probe with `all`, or conform.toml with `fixture`, without running any
    #[arg(long, value_name = "PROBE", conflicts_with_all = ["probe", "command"])]
    pub explain: Option<String>,
    /// Print every result in full; the default is what failed or was blocked, in at most 10 kB
    #[arg(long, conflicts_with_all = ["list", "explain"])]
    pub all: bool,
    /// Also write a report to a file: `junit=FILE` or `sarif=FILE`; can be repeated
    #[arg(long, value_name = "FORMAT=FILE")]
    pub report: Vec<String>,
    /// Number of probes that run at the same time; the default is one per core
    #[arg(long, value_name = "COUNT")]
    pub jobs: Option<usize>,
    /// Contract family of the command after `--`
    #[arg(long, value_name = "FAMILY")]
    pub family: Option<String>,
    /// Contract tag of the command after `--`; the default is the newest tag
    #[arg(long, value_name = "TAG")]
    pub tag: Option<String>,
    /// File that describes upstream and commands; the default is conform.toml of the project
    #[arg(long, value_name = "FILE", conflicts_with_all = ["list", "explain"])]
    pub fixture: Option<PathBuf>,
    /// Directory or file that the tool may read, beside its project and its programs; can be repeated
    #[arg(long, value_name = "PATH", conflicts_with_all = ["list", "explain"])]
    pub readable: Vec<PathBuf>,
    /// Program and first arguments of the tool, instead of a project
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// Runs the command.
///
/// # Errors
/// `E_NONCONFORMANT` when a probe failed or could not be carried out.
pub fn run(args: &ConformArgs, run: &Run) -> Result<Outcome, Failure> {
    let family = args.family.as_deref().map(known_family).transpose()?;
    if args.list {
        return Ok(explain::list(family, run));
    }
    if let Some(id) = &args.explain {
        return explain::explain(id, family, run);
    }
    let files = ReportFile::all(&args.report, &["junit", "sarif"])?;
    let jobs = match args.jobs {
        Some(0) => {
            return Err(Failure::new(ErrorCode::Validation, "`--jobs` is 0")
                .hint("use a number of at least 1, or omit the option"));
        }
        Some(jobs) => jobs.min(MAX_JOBS),
        None => std::thread::available_parallelism().map_or(1, usize::from).min(MAX_JOBS),
    };
    let wanted = args.probe.iter().map(|id| explain::probe(id)).collect::<Result<Vec<_>, _>>()?;
    let subject = subject::find(args, family)?;
    let probes = selected(&wanted, subject.target.family)?;
    temporary::sweep();
    // Before the first thread: a namespace is entered by this process, and all that it starts inherits it.
    let sockets = isolation::local_sockets();
    let isolation = isolation::cut_off_network();
    let sockets = match &isolation {
        Ok(()) => isolation::hide_sockets(&sockets),
        Err(why) => Err(why.clone()),
    };
    let mut notes = subject.notes;
    // From here on, whatever is started ends with aos, whatever ends aos.
    let _keeper = keeper::start(isolation.is_ok())
        .inspect_err(|error| {
            notes.push(format!("if aos is killed, programs that it started may continue: {error}"));
        })
        .ok();
    // What cannot be hidden in this way is kept from the tool by the enclosure of each call.
    let _ = enclosure::hide_this_process();
    let session = ToolCaller::new(subject.target, subject.contract, subject.fixture, isolation)
        .contained(&sockets, enclosure::rehearse(), &args.readable);
    let mut verdicts = examine(&session, &probes, jobs, run);
    interrupt::check()?;
    let remarks =
        waivers::apply(&mut verdicts, &subject.waivers, session.family(), &clock::today());
    let again = again(args, run);
    let mut conformance = Conformance::new(&session, verdicts, remarks, notes, again);
    let text = |file: &ReportFile| match file.format {
        "junit" => conformance::junit::render(&conformance),
        _ => conformance::sarif::render(&conformance),
    };
    let written: Vec<_> = files.iter().filter_map(|file| file.write(&text(file)).err()).collect();
    conformance.report_faults = written.iter().map(|fault| fault.message.clone()).collect();
    conclude(&conformance, run, written.into_iter().next())
}

/// The command line that looks at the same tool again.
fn again(args: &ConformArgs, run: &Run) -> CommandLine {
    let mut before = vec!["aos".to_owned()];
    let mut option = |name: &str, value: Option<String>| {
        before.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
    };
    option("-C", run.directory.as_ref().map(|path| path.display().to_string()));
    before.push("conform".to_owned());
    before.extend(args.path.as_ref().map(|path| path.display().to_string()));
    let mut option = |name: &str, value: Option<String>| {
        before.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
    };
    option("--family", args.family.clone());
    option("--tag", args.tag.clone());
    option("--fixture", args.fixture.as_ref().map(|path| path.display().to_string()));
    for path in &args.readable {
        before.extend(["--readable".to_owned(), path.display().to_string()]);
    }
    let mut after = Vec::new();
    if !args.command.is_empty() {
        after.push("--".to_owned());
        after.extend(args.command.iter().cloned());
    }
    CommandLine { before, probes: args.probe.clone(), after }
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

fn examine(session: &ToolCaller, probes: &[&'static Probe], jobs: usize, run: &Run) -> Verdicts {
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

fn known_family(text: &str) -> Result<Family, Failure> {
    text.parse().map_err(|error: crate::contract::family::UnknownFamily| {
        let known = Family::names();
        let shown = error.0.chars().take(60).collect::<String>();
        let message = format!("the contract family `{}` does not exist", excerpt(&shown, 200));
        Failure::new(ErrorCode::Validation, message)
            .hint(format!("use {}", known.join(" or ")))
            .detail("known_families", known)
    })
}

impl From<TargetError> for Failure {
    fn from(error: TargetError) -> Self {
        let message = error.to_string();
        match error {
            TargetError::NotFound { looked, .. } => Self::new(ErrorCode::NotFound, message)
                .hint("install or build the tool, set its command under [conform] in aos.toml, or pass it after `--`")
                .detail("looked_for", looked),
            TargetError::NoRuntime { runtime, .. } => Self::new(ErrorCode::NotFound, message)
                .hint(format!("install {runtime}, or activate an environment that has it")),
            TargetError::NoProgram { .. } => Self::new(ErrorCode::NotFound, message)
                .hint("use an executable file, or a program on PATH"),
        }
    }
}

impl From<FixtureError> for Failure {
    fn from(error: FixtureError) -> Self {
        let message = error.to_string();
        match error {
            FixtureError::Read { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                Self::new(ErrorCode::NotFound, message).hint("pass an existing file to `--fixture`")
            }
            FixtureError::Read { source, .. } => {
                Self::new(io_code(&source), message).hint(io_hint(&source))
            }
            FixtureError::Document { .. } => Self::new(ErrorCode::Validation, message)
                .hint("fix it there; `aos conform --explain fixture` describes all members"),
        }
    }
}
