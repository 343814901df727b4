//! The driver of an adapter: built once for a run, started in a sandbox of its own for each probe.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use super::facts::{self, AdapterFacts};
use super::sources;
use crate::conform::sandbox::Sandbox;
use crate::conform::{CallEvidence, Conclusion, ToolCaller};
use crate::contract::json;
use crate::system::clock::Stopwatch;
use crate::system::subject::{self, Ending, Launch, Ran, Stimulus};
use crate::system::temporary::TemporaryDirectory;
use crate::system::{search_path, session};
use crate::visible::excerpt;

/// Without the paths of this run, so that the compiler finds in its cache what does not change, and without symbols.
const BUILD: [&str; 4] = ["build", "-buildvcs=false", "-trimpath", "-ldflags=-s -w"];
/// Longest time of the build: the first one compiles the standard library too.
const BUILD_LIMIT: Duration = Duration::from_secs(300);
/// Longest time of one probe.
const PROBE_LIMIT: Duration = Duration::from_secs(120);
/// Most bytes of an answer.
const MAX_OUTPUT: usize = 1024 * 1024;
/// Most faults of one probe that a report has.
const MAX_FAULTS: usize = 8;
/// Longest end of what the compiler says, in characters.
const MAX_SAID: usize = 1_000;
/// Go settings of the user that would build something else.
const REMOVED: [&str; 4] = ["GOFLAGS", "GOWORK", "GOOS", "GOARCH"];

/// The driver of one adapter; gone with the run.
struct Driver {
    directory: TemporaryDirectory,
    program: PathBuf,
}

/// An answer of the driver.
#[derive(Deserialize)]
struct DriverAnswer {
    result: Option<DriverVerdict>,
    #[serde(default)]
    error: String,
}

#[derive(Deserialize)]
struct DriverVerdict {
    targets: usize,
    faults: Vec<String>,
    #[serde(default)]
    skipped: String,
}

/// Returns the result of one probe on the adapter.
pub fn finding(session: &ToolCaller, probe: &'static str, unit: &'static str) -> Conclusion {
    let Some(facts) = facts::of(session) else {
        return Conclusion::blocked(
            "conform.toml has no table `[agent_adapter]` with the facts of the agent",
        );
    };
    match session.state.of(|| built(session)).as_deref() {
        None => Conclusion::blocked("the driver is one of another family; this is a fault of aos"),
        Some(Err(why)) => Conclusion::blocked(why.to_string()),
        Some(Ok(driver)) => match asked(session, driver, probe, facts) {
            Ok(ran) => judged(&ran, probe, unit),
            Err(why) => Conclusion::blocked(why.to_string()),
        },
    }
}

/// Why no probe can be run.
#[derive(Debug, thiserror::Error)]
enum DriverError {
    #[error("no Go toolchain: `go` is not on PATH")]
    NoGo,
    #[error("there is no project to build")]
    NoProject,
    #[error("`{0}` cannot be used for the driver: {1}")]
    Directory(String, std::io::Error),
    #[error(transparent)]
    Sources(#[from] sources::SourcesError),
    #[error("{0} cannot be started: {1}")]
    Start(&'static str, std::io::Error),
    #[error("the adapter does not build: {0}")]
    Build(String),
    #[error("`go build` did not end within {0} s")]
    TimedOut(u64),
    #[error("interrupted")]
    Interrupted,
    #[error("the sandbox cannot be created: {0}")]
    Sandbox(std::io::Error),
}

fn built(conform: &ToolCaller) -> Result<Driver, DriverError> {
    let go = search_path::find("go").ok_or(DriverError::NoGo)?;
    let root = conform.target.root.as_ref().ok_or(DriverError::NoProject)?;
    let directory = TemporaryDirectory::new()
        .map_err(|(path, error)| DriverError::Directory(path.display().to_string(), error))?;
    let name = if cfg!(windows) { "conform.exe" } else { "conform" };
    let program = directory.path().join(name);
    let sources = sources::written(root, &directory)?;
    let mut arguments = BUILD.map(str::to_owned).to_vec();
    arguments.extend(["-o".to_owned(), program.display().to_string()]);
    arguments.extend(sources.arguments);
    let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut environment = session::Changes {
        removed: REMOVED.map(str::to_owned).to_vec(),
        // Everything that an adapter imports is in its directory.
        added: vec![
            variable("GOPROXY", "off"),
            variable("GOTOOLCHAIN", "local"),
            variable("CGO_ENABLED", "0"),
        ],
    };
    if !sources.uses_checkout {
        // A go.work of a directory above would leave the adapter out.
        environment.added.push(variable("GOWORK", "off"));
    }
    let clock = Stopwatch::start();
    let finished = session::run(&session::Session {
        program: &go,
        arguments: &arguments,
        directory: root,
        environment: &environment,
        limit: BUILD_LIMIT,
    });
    conform.count(clock.elapsed_ms());
    let finished = finished.map_err(|error| DriverError::Start("`go`", error))?;
    let said = String::from_utf8_lossy(&finished.tail);
    match finished.ending {
        session::SessionEnding::Exited(Some(0)) => Ok(Driver { directory, program }),
        session::SessionEnding::Exited(_) => {
            Err(DriverError::Build(excerpt(said.trim(), MAX_SAID)))
        }
        session::SessionEnding::TimedOut => Err(DriverError::TimedOut(BUILD_LIMIT.as_secs())),
        session::SessionEnding::Interrupted => Err(DriverError::Interrupted),
    }
}

fn asked(
    session: &ToolCaller,
    driver: &Driver,
    probe: &str,
    facts: &AdapterFacts,
) -> Result<Ran, DriverError> {
    let sandbox = Sandbox::new().map_err(DriverError::Sandbox)?;
    let enclosure = session.enclosure(&sandbox).map(|mut enclosure| {
        enclosure.readable.push(driver.directory.path().to_owned());
        enclosure
    });
    let call = json!({"call": "Probe", "config": {"probe": probe, "facts": facts}});
    let ran = subject::run(&Launch {
        program: &driver.program,
        arguments: &[],
        directory: &sandbox.work(),
        environment: &sandbox.environment(),
        stdin: format!("{call}\n").as_bytes(),
        holds_stdin: false,
        limit: PROBE_LIMIT,
        excuses_queue: true,
        most_output: MAX_OUTPUT,
        stimulus: Stimulus::None,
        obeys_modes: false,
        enclosure: enclosure.as_ref(),
    });
    let ran = ran.map_err(|error| DriverError::Start("the driver", error))?;
    session.count(ran.duration_ms);
    Ok(ran)
}

fn judged(ran: &Ran, probe: &str, unit: &'static str) -> Conclusion {
    let answer = json::parse(&ran.stdout)
        .ok()
        .and_then(|value| serde_json::from_value::<DriverAnswer>(value).ok());
    let verdict = match (ran.ending, answer) {
        (Ending::Interrupted, _) => return Conclusion::blocked("interrupted"),
        (Ending::Exited(0), Some(DriverAnswer { result: Some(verdict), error }))
            if error.is_empty() =>
        {
            verdict
        }
        (Ending::Exited(0), Some(answer)) => {
            let why = excerpt(&answer.error, MAX_SAID);
            return Conclusion::blocked(format!("the driver refused the probe: {why}"));
        }
        (Ending::TimedOut, _) => {
            let message = format!("it did not end within {} s", PROBE_LIMIT.as_secs());
            return Conclusion::fail(message).with(evidence(ran, probe, "no answer"));
        }
        _ => {
            let message = "the process of the adapter ended without a response";
            return Conclusion::fail(message).with(evidence(ran, probe, "no answer"));
        }
    };
    if let Some(first) = verdict.faults.first() {
        let failed = Conclusion::fail(excerpt(first, MAX_SAID)).about(verdict.targets, unit);
        let faults = verdict.faults.iter().take(MAX_FAULTS);
        return faults.fold(failed, |finding, fault| finding.with(evidence(ran, probe, fault)));
    }
    if !verdict.skipped.is_empty() {
        return Conclusion::not_applicable(excerpt(&verdict.skipped, MAX_SAID));
    }
    Conclusion::unless_vacuous(verdict.targets, unit, "nothing was examined")
}

fn evidence(ran: &Ran, probe: &str, note: &str) -> CallEvidence {
    CallEvidence {
        argv: vec!["conform".to_owned(), probe.to_owned()],
        ending: match ran.ending {
            Ending::Exited(exit) => format!("exit {exit}"),
            Ending::Signalled(signal) => format!("signal {signal}"),
            Ending::TimedOut => "timed out".to_owned(),
            Ending::Flooded => "output limit".to_owned(),
            Ending::Interrupted => "interrupted".to_owned(),
        },
        was_made: true,
        exit: match ran.ending {
            Ending::Exited(exit) => Some(exit),
            _ => None,
        },
        duration_ms: ran.duration_ms,
        stderr: excerpt(&String::from_utf8_lossy(&ran.stderr), MAX_SAID),
        note: excerpt(note, MAX_SAID),
        ..CallEvidence::default()
    }
}
