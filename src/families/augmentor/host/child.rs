//! The process of one package: requests out, answers in, each wait bounded; killed when dropped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::system::clock::Stopwatch;
use crate::system::conversation::{Conversation, Heard, REPLY_DESCRIPTOR, Start};
use crate::system::enclosure::Enclosure;
use crate::system::environment;
use crate::system::temporary::TemporaryDirectory;

use super::message::{self, ErrorMembers, MessageError, RunnerEvent, RunnerReply, RunnerRequest};
use super::runner;

/// Most bytes that are kept of what the package prints, per stream.
const MAX_OUTPUT: usize = 64 * 1024;
/// A reply has the members of its envelope beside the message.
const ENVELOPE: usize = 64 * 1024;
/// How long an interpreter may take to start.
const STARTUP: Duration = Duration::from_secs(60);
/// How long a call may go on after it was cancelled, before its process is killed.
const CANCELLATION: Duration = Duration::from_secs(1);
/// How often a wait looks whether its call was withdrawn.
const LOOK: Duration = Duration::from_millis(25);
/// Most messages outside of calls that are kept, and most messages of one wait.
const MAX_STRAYS: usize = 200;
const MAX_MESSAGES: usize = 40_000;

/// Gets the chunks of open calls as they come; false when no more are wanted.
pub type EventSink<'a> = &'a mut dyn FnMut(u64, &Value) -> bool;

/// A sink for calls that do not stream.
pub fn ignore(_: u64, _: &Value) -> bool {
    true
}

/// The settings of a process.
#[derive(Clone, Copy, Debug)]
pub struct ChildProcess<'a> {
    pub runtime: &'a str,
    pub program: &'a Path,
    /// Options of the program before the runner.
    pub options: &'a [String],
    /// The files to which it is kept, beside those of the runner.
    pub enclosure: Option<&'a Enclosure>,
    pub message_bytes: u64,
}

/// The reason why a call got no answer. After it, the process takes no more calls.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum LostChild {
    TimedOut,
    /// The process closed its end, or has ended.
    Ended,
    /// It sent something that is not a message.
    Invalid(MessageError),
    /// A signal to aos.
    Interrupted,
    /// The caller no longer wants the answer.
    Unwanted,
}

/// A message that arrived although no answer was due.
#[derive(Clone, Debug)]
pub enum Stray {
    /// A chunk after the result of its call.
    LateChunk(u64),
    /// Something failed outside of every call.
    Fault { kind: String, error: ErrorMembers, trace: Option<String> },
}

/// A running process with a runner in it.
#[derive(Debug)]
pub struct Child {
    talk: Conversation,
    next: u64,
    open: BTreeSet<u64>,
    answers: BTreeMap<u64, RunnerEvent>,
    pub strays: Vec<Stray>,
    /// Its variables, which the package sees too.
    pub environment: BTreeMap<String, String>,
    /// Holds the files of the runner; removed after the process has ended.
    _directory: TemporaryDirectory,
}

/// The directory of the files that a runner consists of, for the permission model of Node.
#[must_use]
pub fn runner_directory(directory: &TemporaryDirectory) -> std::path::PathBuf {
    directory.path().join(runner::FILES)
}

/// The variables that a process of a package gets.
#[must_use]
pub fn variables() -> BTreeMap<String, String> {
    // Python does not start on Windows without the second one.
    let names = [environment::PATH, environment::SYSTEM_ROOT];
    names.iter().filter_map(|name| Some(((*name).to_owned(), environment::read(name)?))).collect()
}

impl Child {
    /// Starts a process that waits for `load`. `options` gets the directory of the runner.
    ///
    /// # Errors
    /// Returns an error if the files cannot be written or the program does not start.
    pub fn start(process: &ChildProcess<'_>) -> std::io::Result<Self> {
        let directory = TemporaryDirectory::new().map_err(|(_, error)| error)?;
        let first = runner::write(&directory, process.runtime)?;
        let folder = runner_directory(&directory);
        let mut arguments = Vec::new();
        match process.runtime {
            "python" => arguments.extend(["-I".to_owned(), "-u".to_owned()]),
            _ => {
                arguments.extend_from_slice(process.options);
                if !process.options.is_empty() {
                    let real = crate::system::files::canonical(&folder)?;
                    arguments.push(format!("--allow-fs-read={}/*", real.display()));
                }
            }
        }
        arguments.push(folder.join(first).display().to_string());
        arguments.extend(["--reply-fd".to_owned(), REPLY_DESCRIPTOR.to_owned()]);
        let work = directory.path().join(runner::WORK);
        let mut environment = variables();
        let enclosure = process.enclosure.map(|enclosure| {
            let mut enclosure = enclosure.clone();
            enclosure.writable.push(directory.path().to_owned());
            // The usual directory for temporary files is out of reach.
            environment.insert("TMPDIR".to_owned(), work.display().to_string());
            enclosure
        });
        let most_line = usize::try_from(process.message_bytes).unwrap_or(usize::MAX);
        let talk = Conversation::start(&Start {
            program: process.program,
            arguments: &arguments,
            directory: &work,
            environment: &environment.clone().into_iter().collect::<Vec<_>>(),
            enclosure: enclosure.as_ref(),
            most_line: most_line.saturating_add(ENVELOPE),
            most_output: MAX_OUTPUT,
        })?;
        Ok(Self {
            talk,
            next: 0,
            open: BTreeSet::new(),
            answers: BTreeMap::new(),
            strays: Vec::new(),
            environment,
            _directory: directory,
        })
    }

    /// Waits until the runner reads requests: how long an interpreter takes to start is not a fault of the package.
    ///
    /// # Errors
    /// Returns an error if it does not.
    pub fn ready(&mut self) -> Result<(), LostChild> {
        // Before `load` the answer is an error, which shows that the runner is there.
        self.ask(&RunnerRequest::Describe, STARTUP, &mut ignore).map(drop)
    }

    /// Sends a request and gives its id.
    pub fn send(&mut self, request: &RunnerRequest<'_>) -> u64 {
        self.next += 1;
        if !matches!(request, RunnerRequest::Cancel { .. }) {
            self.open.insert(self.next);
        }
        self.talk.send(&message::line(self.next, request));
        self.next
    }

    /// The answer to a request. Answers to other open requests are kept for their turn.
    ///
    /// # Errors
    /// Returns an error if none comes within `patience`, or the process has ended or sends something else.
    pub fn wait(
        &mut self,
        id: u64,
        patience: Duration,
        sink: EventSink<'_>,
    ) -> Result<RunnerEvent, LostChild> {
        self.hear(id, patience, sink, &mut 0)
    }

    /// Waits as [`Child::wait`] does; `heard` counts the messages of one answer.
    fn hear(
        &mut self,
        id: u64,
        patience: Duration,
        sink: EventSink<'_>,
        heard: &mut usize,
    ) -> Result<RunnerEvent, LostChild> {
        let clock = Stopwatch::start();
        while *heard < MAX_MESSAGES {
            if let Some(answer) = self.answers.remove(&id) {
                return Ok(answer);
            }
            let left = patience.saturating_sub(Duration::from_millis(clock.elapsed_ms()));
            match self.talk.hear(left) {
                Heard::Line(line) => {
                    *heard += 1;
                    let reply = message::read(&line).map_err(LostChild::Invalid)?;
                    self.take(reply, sink)?;
                }
                Heard::TooLong => {
                    return Err(LostChild::Invalid(MessageError::TooLong));
                }
                Heard::End => return Err(LostChild::Ended),
                Heard::Silence => return Err(LostChild::TimedOut),
                Heard::Interrupted => return Err(LostChild::Interrupted),
            }
        }
        Err(LostChild::Invalid(MessageError::TooMany))
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// As [`Child::wait`].
    pub fn ask(
        &mut self,
        request: &RunnerRequest<'_>,
        patience: Duration,
        sink: EventSink<'_>,
    ) -> Result<RunnerEvent, LostChild> {
        let id = self.send(request);
        self.wait(id, patience, sink)
    }

    /// Sends a request and waits for its answer, unless the caller withdraws it or a signal comes. Then the runner is
    /// asked to cancel the call, and has a moment to do so.
    ///
    /// # Errors
    /// As [`Child::wait`]; `Unwanted` if the call continues after its cancellation.
    pub fn ask_unless(
        &mut self,
        request: &RunnerRequest<'_>,
        patience: Duration,
        sink: EventSink<'_>,
        is_withdrawn: &dyn Fn() -> bool,
    ) -> Result<RunnerEvent, LostChild> {
        let id = self.send(request);
        let (clock, mut heard) = (Stopwatch::start(), 0);
        loop {
            let left = patience.saturating_sub(Duration::from_millis(clock.elapsed_ms()));
            match self.hear(id, left.min(LOOK), sink, &mut heard) {
                Err(LostChild::TimedOut) if is_withdrawn() => break self.cancel(id),
                Err(LostChild::TimedOut) if !left.is_zero() => {}
                Err(LostChild::Unwanted) => break self.cancel(id),
                Err(LostChild::Interrupted) => {
                    self.talk.disregard_signals();
                    // The answer does not count: this process is about to end.
                    let _ = self.cancel(id);
                    break Err(LostChild::Interrupted);
                }
                other => break other,
            }
        }
    }

    fn cancel(&mut self, target: u64) -> Result<RunnerEvent, LostChild> {
        self.send(&RunnerRequest::Cancel { target });
        self.wait(target, CANCELLATION, &mut ignore).map_err(|_| LostChild::Unwanted)
    }

    fn take(&mut self, reply: RunnerReply, sink: EventSink<'_>) -> Result<(), LostChild> {
        let unknown = |id: u64| LostChild::Invalid(MessageError::UnknownId(id));
        match (reply.event, reply.id) {
            (RunnerEvent::Fault { kind, error, trace }, _) => {
                self.stray(Stray::Fault { kind, error, trace });
            }
            (RunnerEvent::LateChunk, Some(id)) => self.stray(Stray::LateChunk(id)),
            (RunnerEvent::Chunk { chunk }, Some(id)) if self.open.contains(&id) => {
                if !sink(id, &chunk) {
                    return Err(LostChild::Unwanted);
                }
            }
            (RunnerEvent::Chunk { .. }, Some(id)) => return Err(unknown(id)),
            (event, Some(id)) => {
                if !self.open.remove(&id) {
                    return Err(unknown(id));
                }
                self.answers.insert(id, event);
            }
            (_, None) => return Err(LostChild::Invalid(MessageError::NoId)),
        }
        Ok(())
    }

    fn stray(&mut self, stray: Stray) {
        if self.strays.len() < MAX_STRAYS {
            self.strays.push(stray);
        }
    }

    /// Waits at most `patience` for the process to end by itself, and returns its exit code, if it has one.
    pub fn ends(&mut self, patience: Duration) -> Option<Option<i32>> {
        self.talk.exits(patience)
    }

    /// Returns the output of the package: its start, and the number of bytes, for stdout and stderr.
    #[must_use]
    pub fn output(&self) -> [(Vec<u8>, u64); 2] {
        // Without a socket, what the package prints goes to stderr.
        [self.talk.stdout(), self.talk.stderr()]
    }
}
