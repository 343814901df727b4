//! Runs a program under test with a given environment, separate streams, and limits on time and output.
//!
//! It runs in a new session. Remaining processes are killed, including those that left the session.

use std::io::{Read, Write as _};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use process_wrap::std::{ChildWrapper, CommandWrap};

use super::clock::Stopwatch;
use super::descendants::{self, KnownProcess};
use super::enclosure::{self, Enclosure};
use super::{interrupt, keeper, queued, rights};

/// Time limit for a program to end after a signal.
const PATIENCE: Duration = Duration::from_millis(1_000);
/// Time limit for killed processes to end, and for streams to close after that.
const KILL_LIMIT: Duration = Duration::from_secs(2);
const POLL: Duration = Duration::from_millis(2);
/// How often a program that is late is asked how long it waited for a processor.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// A program that writes this multiple of the stored output is killed.
pub const MOST_TIMES: u64 = 4;

/// A program to run.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    pub program: &'a Path,
    pub arguments: &'a [String],
    pub directory: &'a Path,
    /// All variables of its environment.
    pub environment: &'a [(String, String)],
    pub stdin: &'a [u8],
    /// Stdin stays open and empty until the program ends; one that reads it waits.
    pub holds_stdin: bool,
    pub limit: Duration,
    /// Time in the queue of a processor does not count, up to three times the limit.
    pub excuses_queue: bool,
    /// Largest stored output of each stream, in bytes; at four times as many the program is killed.
    pub most_output: usize,
    pub stimulus: Stimulus<'a>,
    /// Modes of files apply to it, even as root.
    pub obeys_modes: bool,
    /// The limits of the program; without any, it can reach everything that its user can.
    pub enclosure: Option<&'a Enclosure>,
}

/// An event that is caused while the program runs.
#[derive(Clone, Copy)]
pub enum Stimulus<'a> {
    None,
    /// SIGINT to the program as soon as this is true.
    InterruptWhen(&'a (dyn Fn() -> bool + Sync)),
    /// SIGTERM to the program as soon as this is true.
    TerminateWhen(&'a (dyn Fn() -> bool + Sync)),
    /// SIGINT as soon as this is true, and SIGKILL if it does not end.
    StopWhen(&'a (dyn Fn() -> bool + Sync)),
    /// SIGKILL to the program as soon as this is true.
    KillWhen(&'a (dyn Fn() -> bool + Sync)),
    /// Stdout is closed.
    CloseStdout,
}

impl<'a> Stimulus<'a> {
    /// The flag that requests a signal.
    fn trigger(&self) -> Option<&'a (dyn Fn() -> bool + Sync)> {
        match self {
            Self::InterruptWhen(is_due)
            | Self::TerminateWhen(is_due)
            | Self::StopWhen(is_due)
            | Self::KillWhen(is_due) => Some(*is_due),
            Self::None | Self::CloseStdout => None,
        }
    }
}

/// The end of a program.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Ending {
    Exited(i32),
    /// A signal that aos did not send killed it.
    Signalled(i32),
    TimedOut,
    /// It wrote too much output.
    Flooded,
    /// A signal to aos.
    Interrupted,
}

/// A program that ended, with everything that it started.
#[derive(Clone, Debug)]
pub struct Ran {
    pub ending: Ending,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Number of bytes received, stored or not.
    pub stdout_length: u64,
    pub stderr_length: u64,
    pub duration_ms: u64,
    /// Milliseconds from the stimulus to the end.
    pub reaction_ms: Option<u64>,
    /// A process that it started was still running after its end.
    pub left_behind: bool,
    /// A process that it started, and that cannot be reached, has its stdout open.
    pub stdout_is_held: bool,
}

/// Runs a program to its end.
///
/// # Errors
/// Returns an error if it cannot be started or waited for.
pub fn run(launch: &Launch<'_>) -> std::io::Result<Ran> {
    let clock = Stopwatch::start();
    let mut child = spawn(launch)?;
    let _watched = keeper::watch(child.id());
    // A program that reads a stdin that is held never gets an answer, nor an end.
    let held = if launch.holds_stdin { child.stdin().take() } else { None };
    feed(child.as_mut(), launch.stdin.to_vec())?;
    let flooded = Arc::new(AtomicBool::new(false));
    let stdout = SubjectStream::start(child.stdout().take(), launch.most_output, &flooded);
    let streams = stdout.and_then(|stdout| {
        let stderr = SubjectStream::start(child.stderr().take(), launch.most_output, &flooded)?;
        Ok((stdout, stderr))
    });
    let mut below = Vec::new();
    let waited = streams.and_then(|streams| {
        let waited = wait(child.as_mut(), launch, clock, &flooded, &mut below)?;
        Ok((streams, waited))
    });
    let duration_ms = clock.elapsed_ms();
    drop(held);
    let left_behind = end(child.as_mut());
    descendants::kill(&below);
    let ((stdout, stderr), (ending, stimulated)) = waited?;
    let (stdout, stdout_length, stdout_is_held) = stdout.finish();
    let (stderr, stderr_length, _) = stderr.finish();
    Ok(Ran {
        ending,
        stdout,
        stderr,
        stdout_length,
        stderr_length,
        duration_ms,
        reaction_ms: stimulated.map(|at| duration_ms.saturating_sub(at)),
        stdout_is_held,
        left_behind: left_behind && matches!(ending, Ending::Exited(_) | Ending::Signalled(_)),
    })
}

/// Starts the program, with retries: a process that another thread is starting may still have the new program file open
/// for writing.
fn spawn(launch: &Launch<'_>) -> std::io::Result<Box<dyn ChildWrapper>> {
    let clock = Stopwatch::start();
    loop {
        match attempt_with_its_rights(launch) {
            Err(error)
                if error.kind() == std::io::ErrorKind::ExecutableFileBusy
                    && u128::from(clock.elapsed_ms()) < PATIENCE.as_millis() =>
            {
                std::thread::sleep(POLL);
            }
            other => return other,
        }
    }
}

/// Rights are dropped on a separate thread, because they cannot be restored.
fn attempt_with_its_rights(launch: &Launch<'_>) -> std::io::Result<Box<dyn ChildWrapper>> {
    if !launch.obeys_modes && launch.enclosure.is_none() {
        return attempt(launch);
    }
    let start = || {
        if launch.obeys_modes {
            rights::obey_modes()?;
        }
        launch.enclosure.map_or(Ok(()), enclosure::keep_to)?;
        attempt(launch)
    };
    let started = std::thread::scope(|scope| scope.spawn(start).join());
    started.unwrap_or_else(|_| Err(std::io::Error::other("the thread that starts it ended")))
}

fn attempt(launch: &Launch<'_>) -> std::io::Result<Box<dyn ChildWrapper>> {
    let stdout = match launch.stimulus {
        // The reader is closed before the program starts, because a fast program could write otherwise.
        Stimulus::CloseStdout => Stdio::from(std::io::pipe()?.1),
        _ => Stdio::piped(),
    };
    let has_stdin = launch.holds_stdin || !launch.stdin.is_empty();
    let mut command = CommandWrap::with_new(launch.program, |command| {
        command
            .args(launch.arguments)
            .current_dir(launch.directory)
            .env_clear()
            .envs(launch.environment.iter().map(|(name, value)| (name, value)))
            .stdin(if has_stdin { Stdio::piped() } else { Stdio::null() })
            .stdout(stdout)
            .stderr(Stdio::piped());
    });
    #[cfg(unix)]
    command.wrap(process_wrap::std::ProcessSession);
    #[cfg(windows)]
    command.wrap(process_wrap::std::JobObject);
    command.spawn()
}

/// Writes stdin on a thread, so that a program that never reads does not block aos.
fn feed(child: &mut dyn ChildWrapper, bytes: Vec<u8>) -> std::io::Result<()> {
    if let Some(mut stdin) = child.stdin().take() {
        std::thread::Builder::new().spawn(move || {
            // A program may close its stdin early.
            let _ = stdin.write_all(&bytes);
        })?;
    }
    Ok(())
}

fn wait(
    child: &mut dyn ChildWrapper,
    launch: &Launch<'_>,
    clock: Stopwatch,
    flooded: &AtomicBool,
    below: &mut Vec<KnownProcess>,
) -> std::io::Result<(Ending, Option<u64>)> {
    let mut stimulated = None;
    let mut until = launch.limit;
    // A call that is stopped takes what it started along, also what left its session.
    let mut stop = |id: u32| {
        if let (Stimulus::StopWhen(_), Ok(id)) = (launch.stimulus, i32::try_from(id)) {
            below.extend(descendants::of(id));
        }
    };
    loop {
        // To the program itself, because the group could contain an orphan.
        if let Some(status) = child.inner_mut().try_wait()? {
            // A program that continues to write gets SIGPIPE.
            let was_flood = flooded.load(Ordering::Relaxed);
            return Ok((if was_flood { Ending::Flooded } else { ended(status) }, stimulated));
        }
        let now = clock.elapsed_ms();
        let stopped = if interrupt::requested() {
            Some(Ending::Interrupted)
        } else if flooded.load(Ordering::Relaxed) {
            Some(Ending::Flooded)
        } else if Duration::from_millis(now) > until {
            let excused = match launch.excuses_queue {
                true => queued::excused(queued::longest(child.id()), launch.limit),
                false => Duration::ZERO,
            };
            until = Duration::from_millis(now) + LOOK_AGAIN;
            (Duration::from_millis(now) > launch.limit + excused).then_some(Ending::TimedOut)
        } else {
            None
        };
        if let Some(ending) = stopped {
            stop(child.id());
            return Ok((ending, stimulated));
        }
        if let (Stimulus::StopWhen(_), Some(at)) = (launch.stimulus, stimulated)
            && u128::from(now.saturating_sub(at)) > PATIENCE.as_millis()
        {
            stop(child.id());
            return Ok((Ending::TimedOut, stimulated));
        }
        if let (Some(is_due), None) = (launch.stimulus.trigger(), stimulated)
            && is_due()
        {
            stimulated = Some(now);
            stop(child.id());
            signal(child, launch.stimulus);
        }
        std::thread::sleep(POLL);
    }
}

#[cfg(unix)]
fn ended(status: std::process::ExitStatus) -> Ending {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exited(code),
        (None, signal) => Ending::Signalled(signal.unwrap_or_default()),
    }
}

#[cfg(not(unix))]
fn ended(status: std::process::ExitStatus) -> Ending {
    Ending::Exited(status.code().unwrap_or(-1))
}

/// SIGTERM, or else SIGINT.
#[cfg(unix)]
fn signal(child: &mut dyn ChildWrapper, stimulus: Stimulus<'_>) {
    use rustix::process::Signal;
    // It may already have ended.
    match stimulus {
        Stimulus::KillWhen(_) => {
            let process = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
            let _ = process.map(|process| rustix::process::kill_process(process, Signal::KILL));
        }
        Stimulus::TerminateWhen(_) => {
            let _ = child.signal(Signal::TERM.as_raw());
        }
        _ => {
            let _ = child.signal(Signal::INT.as_raw());
        }
    }
}

#[cfg(not(unix))]
fn signal(_child: &mut dyn ChildWrapper, _stimulus: Stimulus<'_>) {}

/// Ends the program and its whole session with SIGTERM, then SIGKILL. Returns whether any process remained.
#[cfg(unix)]
fn end(child: &mut dyn ChildWrapper) -> bool {
    use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, test_kill_process_group};
    let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return false };
    let mut lives = || {
        let runs = matches!(child.inner_mut().try_wait(), Ok(None));
        // Ended orphans of the group become children of this process, and count until they are reaped.
        while !runs && matches!(rustix::process::waitpgid(group, WaitOptions::NOHANG), Ok(Some(_)))
        {
        }
        runs || test_kill_process_group(group).is_ok()
    };
    let mut all_ended_within = |patience: Duration| {
        let clock = Stopwatch::start();
        loop {
            if !lives() {
                return true;
            }
            if u128::from(clock.elapsed_ms()) > patience.as_millis() {
                return false;
            }
            std::thread::sleep(POLL);
        }
    };
    if all_ended_within(Duration::ZERO) {
        return false;
    }
    let _ = kill_process_group(group, Signal::TERM);
    if !all_ended_within(PATIENCE) {
        let _ = kill_process_group(group, Signal::KILL);
        let _ = all_ended_within(KILL_LIMIT);
    }
    true
}

/// Ends the program and its job.
#[cfg(not(unix))]
fn end(child: &mut dyn ChildWrapper) -> bool {
    let runs = matches!(child.try_wait(), Ok(None));
    let _ = child.start_kill();
    let _ = child.wait();
    runs
}

/// One stream of the program, read on a thread to its end.
struct SubjectStream {
    kept: Arc<Mutex<Vec<u8>>>,
    length: Arc<AtomicU64>,
    /// Nothing is sent: dropping the sender is the message.
    ended: Receiver<()>,
}

impl SubjectStream {
    fn start<R: Read + Send + 'static>(
        stream: Option<R>,
        most: usize,
        flooded: &Arc<AtomicBool>,
    ) -> std::io::Result<Self> {
        let (sender, ended) = std::sync::mpsc::channel();
        let (kept, length) = (Arc::<Mutex<Vec<u8>>>::default(), Arc::new(AtomicU64::new(0)));
        let (all, counted, flooded) = (Arc::clone(&kept), Arc::clone(&length), Arc::clone(flooded));
        std::thread::Builder::new().spawn(move || {
            let mut buffer = [0; 16 * 1024];
            if let Some(mut stream) = stream {
                while let Ok(count @ 1..) = stream.read(&mut buffer) {
                    let mut kept = all.lock().unwrap_or_else(PoisonError::into_inner);
                    let room = most.saturating_sub(kept.len()).min(count);
                    kept.extend_from_slice(&buffer[..room]);
                    drop(kept);
                    let total = counted.fetch_add(count as u64, Ordering::Relaxed) + count as u64;
                    if total > most as u64 * MOST_TIMES {
                        flooded.store(true, Ordering::Relaxed);
                        break;
                    }
                }
            }
            drop::<Sender<()>>(sender);
        })?;
        Ok(Self { kept, length, ended })
    }

    /// The stored output, its full length, and whether an unreachable process still has the stream open.
    fn finish(self) -> (Vec<u8>, u64, bool) {
        let is_held = matches!(self.ended.recv_timeout(KILL_LIMIT), Err(RecvTimeoutError::Timeout));
        let kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        (kept, self.length.load(Ordering::Relaxed), is_held)
    }
}
