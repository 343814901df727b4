//! Runs programs in a new session: without a terminal for prompts, with everything that they start ended, and with the
//! end of their output stored.
//!
//! On Windows, a job object replaces the session.

use std::collections::VecDeque;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use process_wrap::std::{ChildWrapper, CommandWrap};

use super::clock::Stopwatch;
use super::interrupt;

/// Largest stored end of the output, in bytes.
const MAX_TAIL: usize = 16 * 1024;
/// Time limit for the program to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(5);
/// Time limit for remaining processes to end after SIGTERM.
const LINGER: Duration = Duration::from_millis(500);
/// Time limit for killed processes to end.
const KILL_LIMIT: Duration = Duration::from_secs(2);
const POLL: Duration = Duration::from_millis(5);

/// A program to run.
#[derive(Clone, Copy, Debug)]
pub struct Session<'a> {
    pub program: &'a Path,
    pub arguments: &'a [String],
    pub directory: &'a Path,
    pub environment: &'a Changes,
    pub limit: Duration,
}

/// Changes of the environment of aos for the program.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Changes {
    pub removed: Vec<String>,
    /// Set after the removals.
    pub added: Vec<(String, String)>,
}

/// The end of a program.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SessionEnding {
    /// It exited; `None` if a signal killed it.
    Exited(Option<i32>),
    TimedOut,
    Interrupted,
}

/// A program that ended, with everything that it started.
#[derive(Debug)]
pub struct Finished {
    pub ending: SessionEnding,
    /// The end of stdout and stderr, interleaved.
    pub tail: Vec<u8>,
    /// Whether output before the tail was dropped.
    pub is_cut: bool,
}

/// Runs a program with closed stdin, and waits for its end or its time limit. A signal to aos ends it too. Remaining
/// processes of its session get SIGTERM, then SIGKILL.
///
/// # Errors
/// Returns an error if it cannot be started or waited for.
pub fn run(session: &Session<'_>) -> std::io::Result<Finished> {
    let nothing = |ending| Finished { ending, tail: Vec::new(), is_cut: false };
    if interrupt::requested() {
        return Ok(nothing(SessionEnding::Interrupted));
    }
    let clock = Stopwatch::start();
    let mut child = spawn(session)?;
    let (ended, streams) = std::sync::mpsc::channel();
    let tail = Arc::new(Mutex::new(Tail::default()));
    let result = keep(child.stdout().take(), &tail, ended.clone())
        .and_then(|()| keep(child.stderr().take(), &tail, ended))
        .and_then(|()| wait(child.as_mut(), clock, session.limit));
    let patience = if matches!(result, Ok(SessionEnding::Exited(_))) { LINGER } else { GRACE };
    end(child.as_mut(), patience);
    close(&streams);
    let kept = tail.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(Finished {
        ending: result?,
        tail: kept.bytes.iter().copied().collect(),
        is_cut: kept.is_cut,
    })
}

fn spawn(session: &Session<'_>) -> std::io::Result<Box<dyn ChildWrapper>> {
    let mut command = CommandWrap::with_new(session.program, |command| {
        command
            .args(session.arguments)
            .current_dir(session.directory)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for name in &session.environment.removed {
            command.env_remove(name);
        }
        for (name, value) in &session.environment.added {
            command.env(name, value);
        }
    });
    #[cfg(unix)]
    command.wrap(process_wrap::std::ProcessSession);
    #[cfg(windows)]
    command.wrap(process_wrap::std::JobObject);
    command.spawn()
}

fn wait(
    child: &mut dyn ChildWrapper,
    clock: Stopwatch,
    limit: Duration,
) -> std::io::Result<SessionEnding> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(SessionEnding::Exited(status.code()));
        }
        if interrupt::requested() {
            return Ok(SessionEnding::Interrupted);
        }
        if u128::from(clock.elapsed_ms()) > limit.as_millis() {
            return Ok(SessionEnding::TimedOut);
        }
        std::thread::sleep(POLL);
    }
}

/// Ends the program and all processes of its session.
fn end(child: &mut dyn ChildWrapper, patience: Duration) {
    if !lives(child) {
        return;
    }
    #[cfg(unix)]
    {
        // It may already have ended.
        let _ = child.signal(rustix::process::Signal::TERM.as_raw());
        if ended_within(child, patience) {
            return;
        }
    }
    #[cfg(not(unix))]
    let _ = patience;
    let _ = child.start_kill();
    let _ = ended_within(child, KILL_LIMIT);
}

/// True if all processes ended within `patience`.
fn ended_within(child: &mut dyn ChildWrapper, patience: Duration) -> bool {
    let clock = Stopwatch::start();
    while lives(child) {
        if u128::from(clock.elapsed_ms()) > patience.as_millis() {
            return false;
        }
        std::thread::sleep(POLL);
    }
    true
}

/// True if the program or a process of its group is still running.
#[cfg(unix)]
fn lives(child: &mut dyn ChildWrapper) -> bool {
    // Reaps the ended program, which would otherwise count as a member of the group.
    let runs = matches!(child.try_wait(), Ok(None));
    let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    runs || group.is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok())
}

/// True if the program is still running; remaining processes of its job are ended anyway.
#[cfg(not(unix))]
fn lives(child: &mut dyn ChildWrapper) -> bool {
    matches!(child.try_wait(), Ok(None))
}

/// The end of the output.
#[derive(Debug, Default)]
struct Tail {
    bytes: VecDeque<u8>,
    is_cut: bool,
}

impl Tail {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        let surplus = self.bytes.len().saturating_sub(MAX_TAIL);
        self.is_cut |= surplus > 0;
        self.bytes.drain(..surplus);
    }
}

/// Reads a stream to its end on a thread, so that a full pipe never blocks the program; `ended` is dropped then.
fn keep<R: Read + Send + 'static>(
    stream: Option<R>,
    tail: &Arc<Mutex<Tail>>,
    ended: Sender<()>,
) -> std::io::Result<()> {
    let tail = Arc::clone(tail);
    std::thread::Builder::new().spawn(move || {
        let mut buffer = [0; 4096];
        if let Some(mut stream) = stream {
            while let Ok(length @ 1..) = stream.read(&mut buffer) {
                tail.lock().unwrap_or_else(PoisonError::into_inner).push(&buffer[..length]);
            }
        }
        drop(ended);
    })?;
    Ok(())
}

/// Waits until both streams have ended, but not for a process that left the session and holds them.
fn close(streams: &Receiver<()>) {
    // Nothing is sent: dropping both senders is the message.
    let _ = streams.recv_timeout(LINGER);
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Finished {
        let arguments = ["-c".to_owned(), script.to_owned()];
        let environment = Changes {
            removed: vec!["CARGO_MANIFEST_DIR".to_owned()],
            added: vec![("AOS_TEST_ADDED".to_owned(), "added".to_owned())],
        };
        let session = Session {
            program: Path::new("/bin/sh"),
            arguments: &arguments,
            directory: Path::new("/"),
            environment: &environment,
            limit,
        };
        run(&session).unwrap()
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn the_result_of_a_program_has_its_ending_and_its_last_output() {
        let finished =
            shell("echo out; echo err >&2; echo $AOS_TEST_ADDED$CARGO_MANIFEST_DIR; exit 7", LONG);
        assert_eq!(finished.ending, SessionEnding::Exited(Some(7)));
        let tail = String::from_utf8(finished.tail).unwrap();
        assert!(
            tail.contains("out\n") && tail.contains("err\n") && tail.contains("added\n"),
            "{tail}"
        );
        assert!(!finished.is_cut);
    }

    #[test]
    fn only_the_end_of_a_long_output_is_kept() {
        let finished = shell("yes | head -c 300000; echo last", LONG);
        assert_eq!(finished.ending, SessionEnding::Exited(Some(0)));
        assert_eq!(finished.tail.len(), MAX_TAIL);
        assert!(finished.is_cut && finished.tail.ends_with(b"last\n"));
    }

    #[test]
    fn the_program_has_no_terminal() {
        let finished = shell("(: </dev/tty) 2>/dev/null || echo alone", LONG);
        assert_eq!(finished.tail, b"alone\n");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_program_leads_a_session() {
        let finished = shell("echo $$; cut -d' ' -f6 /proc/$$/stat", LONG);
        let tail = String::from_utf8(finished.tail).unwrap();
        let [own, session] = tail.lines().collect::<Vec<_>>()[..] else { panic!("{tail}") };
        assert_eq!(own, session);
    }

    /// Waits until no process of these lines runs.
    #[track_caller]
    fn assert_gone(processes: &[u8]) {
        let processes = std::str::from_utf8(processes).unwrap();
        assert!(!processes.is_empty());
        for process in processes.lines() {
            let id = rustix::process::Pid::from_raw(process.parse().unwrap()).unwrap();
            let lives = || rustix::process::test_kill_process(id).is_ok() && !is_zombie(process);
            let clock = Stopwatch::start();
            while lives() {
                assert!(clock.elapsed_ms() < 20_000, "{process} still runs");
                std::thread::sleep(POLL);
            }
        }
    }

    /// True if a process has ended but was not waited for; in a container, there may be no process that does so.
    #[expect(clippy::disallowed_methods, reason = "a test looks at processes")]
    fn is_zombie(process: &str) -> bool {
        std::fs::read_to_string(format!("/proc/{process}/stat"))
            .is_ok_and(|stat| stat.contains(") Z "))
    }

    #[test]
    fn a_tree_that_ignores_the_request_to_end_is_killed_whole() {
        let script =
            "trap '' TERM; (sleep 600 & echo $!; sleep 600) & echo $!; sleep 600 & echo $!; wait";
        let clock = Stopwatch::start();
        let finished = shell(script, Duration::from_secs(2));
        assert_eq!(finished.ending, SessionEnding::TimedOut);
        assert!(clock.elapsed_ms() < 60_000);
        assert_gone(&finished.tail);
    }

    #[test]
    fn processes_that_a_program_leaves_running_are_killed() {
        let finished = shell("sleep 600 >/dev/null 2>&1 & echo $!", LONG);
        assert_eq!(finished.ending, SessionEnding::Exited(Some(0)));
        assert_gone(&finished.tail);
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error() {
        let session = Session {
            program: Path::new("/nowhere/npx"),
            arguments: &[],
            directory: Path::new("/"),
            environment: &Changes::default(),
            limit: LONG,
        };
        assert_eq!(run(&session).unwrap_err().kind(), std::io::ErrorKind::NotFound);
    }
}
