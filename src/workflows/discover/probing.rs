//! The probes of every tool, a few tools at a time, so that none loses its time limit to the others.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::conform::start;
use crate::system::files::{self, Kind};
use crate::system::subject::{self, Ending, Launch, Stimulus};
use crate::system::{environment, interrupt};

use super::seam::{Answers, Host, Said};

/// Fewest and most tools that are asked at one time.
const FEWEST: usize = 4;
const MOST: usize = 16;

/// A program to ask.
#[derive(Clone, Debug)]
pub struct Program {
    pub path: PathBuf,
    pub directory: PathBuf,
}

/// The answer of one tool, and how long it took.
#[derive(Clone, Debug, Default)]
pub struct Probed {
    pub answers: Answers,
    pub duration_ms: u64,
}

/// Returns the number of tools that are probed at the same time.
#[must_use]
pub fn workers() -> usize {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    (processors * 2).clamp(FEWEST, MOST)
}

/// Asks every program; the answers come in the same order. A signal to aos ends the round early.
#[must_use]
pub fn probe(host: &dyn Host, programs: &[Option<Program>]) -> Vec<Option<Probed>> {
    let mut variables = environment::variables();
    for (name, value) in host.variables() {
        variables.retain(|(known, _)| known != name);
        variables.push(((*name).to_owned(), (*value).to_owned()));
    }
    let results: Vec<Mutex<Option<Probed>>> = programs.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..workers().min(programs.len()) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let (Some(program), Some(result)) = (programs.get(at), results.get(at)) else {
                        break;
                    };
                    if interrupt::requested() {
                        break;
                    }
                    let probed = program.as_ref().map(|program| ask(host, program, &variables));
                    *result.lock().unwrap_or_else(PoisonError::into_inner) = probed;
                }
            });
        }
    });
    let taken =
        |result: Mutex<Option<Probed>>| result.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().map(taken).collect()
}

fn ask(host: &dyn Host, program: &Program, variables: &[(String, String)]) -> Probed {
    let [first, second] = host.probes();
    let (said, mut duration_ms) = run(host, program, first, variables);
    let goes_on = host.accepts(&said);
    let mut answers = Answers { first: Some(said), second: None };
    if goes_on {
        let (said, more) = run(host, program, second, variables);
        answers.second = Some(said);
        duration_ms += more;
    }
    Probed { answers, duration_ms }
}

fn run(
    host: &dyn Host,
    program: &Program,
    arguments: &[&str],
    variables: &[(String, String)],
) -> (Said, u64) {
    let arguments: Vec<_> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let (limit, most_output) = host.limits();
    let launch = Launch {
        program: &program.path,
        arguments: &arguments,
        directory: &program.directory,
        environment: variables,
        stdin: &[],
        holds_stdin: false,
        limit,
        excuses_queue: false,
        most_output,
        stimulus: Stimulus::None,
        obeys_modes: false,
        enclosure: None,
    };
    let ran = match subject::run(&launch) {
        Ok(ran) => ran,
        Err(error) => return (Said::NotStarted(why(program, &error)), 0),
    };
    let stderr = String::from_utf8_lossy(&ran.stderr).into_owned();
    let too_much = ran.stdout_length.max(ran.stderr_length) > most_output as u64;
    let said = match ran.ending {
        Ending::Flooded => Said::TooMuch,
        Ending::Exited(_) if too_much => Said::TooMuch,
        Ending::Exited(exit) => Said::Exited { exit, stdout: ran.stdout, stderr },
        Ending::Signalled(signal) => Said::Signalled(signal),
        Ending::TimedOut | Ending::Interrupted => Said::TimedOut,
    };
    (said, ran.duration_ms)
}

fn why(program: &Program, error: &std::io::Error) -> String {
    let directory = files::canonical(&program.directory).map(|path| files::kind(&path));
    if !matches!(directory, Ok(Ok(Kind::Directory))) {
        return format!("`{}`, in which it runs, does not exist", program.directory.display());
    }
    start::fault(&program.path, error)
}
