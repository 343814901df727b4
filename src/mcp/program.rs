//! A program that answers calls: its whole environment given, time and output bounded, ended with the call.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::system::environment;
use crate::system::subject::{self, Ending, Launch, Stimulus};
use crate::system::terminal;
use crate::visible::{excerpt, visible};

use super::answer::{MAX_RESULT, ToolFault};

/// An envelope is larger than its data.
const MAX_OUTPUT: usize = MAX_RESULT + 256 * 1024;
/// Most lines of stderr that are passed on for one call.
const MAX_LINES: usize = 50;

/// A program, ready to be called.
#[derive(Clone, Debug)]
pub struct ServedProgram {
    pub name: String,
    pub path: PathBuf,
    /// Arguments before those of each call.
    pub prefix: Vec<String>,
    pub directory: PathBuf,
    /// Variables that it names itself, and those that a person allows.
    pub variables: Vec<String>,
    pub limit: Duration,
    /// Its stderr is not passed on.
    pub is_quiet: bool,
}

impl ServedProgram {
    /// Runs the program once, and returns its stdout and exit code.
    ///
    /// # Errors
    /// Returns an error if it does not start, does not end in time, or writes too much.
    pub fn run(
        &self,
        arguments: &[String],
        is_cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Vec<u8>, i32), ToolFault> {
        let arguments: Vec<_> = self.prefix.iter().chain(arguments).cloned().collect();
        let ran = subject::run(&Launch {
            program: &self.path,
            arguments: &arguments,
            directory: &self.directory,
            environment: &environment_of(&self.variables),
            stdin: &[],
            holds_stdin: false,
            limit: self.limit,
            excuses_queue: false,
            most_output: MAX_OUTPUT,
            stimulus: Stimulus::StopWhen(is_cancelled),
            obeys_modes: false,
            enclosure: None,
        })
        .map_err(|error| {
            let why = crate::conform::start::fault(&self.path, &error);
            ToolFault::new("E_IO", format!("`{}` cannot be started: {why}", self.name))
        })?;
        self.pass_on(&ran.stderr);
        if is_cancelled() {
            return Err(ToolFault::cancelled());
        }
        match ran.ending {
            Ending::Exited(exit) if ran.stdout_length > ran.stdout.len() as u64 => {
                Err(self.too_much(exit))
            }
            Ending::Exited(exit) => Ok((ran.stdout, exit)),
            Ending::Flooded => Err(self.too_much(-1)),
            Ending::Interrupted => Err(ToolFault::cancelled()),
            Ending::TimedOut => {
                let seconds = self.limit.as_secs();
                let message = format!("`{}` did not end within {seconds} s", self.name);
                Err(ToolFault::new("E_TIMEOUT", message).retryable())
            }
            Ending::Signalled(signal) => {
                let message = format!("`{}` was killed by signal {signal}", self.name);
                Err(ToolFault::new("E_CRASHED", message).retryable())
            }
        }
    }

    fn too_much(&self, exit: i32) -> ToolFault {
        let message = format!("`{}` wrote more than {MAX_OUTPUT} bytes", self.name);
        ToolFault::new("E_VALIDATION", message).data(
            json!({"exit": exit, "fix": "request less: a smaller limit, fewer fields, one page"}),
        )
    }

    /// The stderr of a program goes to the client's log, never into a response, because it can contain anything.
    fn pass_on(&self, stderr: &[u8]) {
        if self.is_quiet {
            return;
        }
        let text = String::from_utf8_lossy(stderr);
        for line in text.lines().filter(|line| !line.trim().is_empty()).take(MAX_LINES) {
            terminal::write_stderr(&visible!("{}: {}\n", self.name, excerpt(line, 400)));
        }
    }
}

/// The variables of a program: neutral ones, and those with the given names.
fn environment_of(names: &[String]) -> Vec<(String, String)> {
    let neutral = environment::NEUTRAL.iter().copied();
    let mut all: Vec<_> = neutral
        .chain(names.iter().map(String::as_str))
        .filter_map(|name| Some((name.to_owned(), environment::read(name)?)))
        .collect();
    all.sort();
    all.dedup_by(|one, other| one.0 == other.0);
    all
}

/// Text of an option: `--name=value`, so that no value can be taken for an option.
#[must_use]
pub fn option(name: &str, value: &Value) -> String {
    match value {
        Value::String(text) => format!("--{name}={text}"),
        other => format!("--{name}={other}"),
    }
}
