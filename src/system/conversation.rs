//! A long-running program that exchanges lines with aos: bounded lines, bounded output, killed with its session.
//!
//! On Unix the requests and the replies share a socket on descriptor 0, so that stdout stays free for the program's own
//! output. Elsewhere the replies come on stdout.

use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use process_wrap::std::{ChildWrapper, CommandWrap};

use super::clock::Stopwatch;
#[cfg(unix)]
use super::descendants;
use super::enclosure::{self, Enclosure};
use super::{interrupt, keeper};

/// The descriptor on which the program replies, as its command line says it.
pub const REPLY_DESCRIPTOR: &str = if cfg!(unix) { "0" } else { "1" };
/// Replies that wait for a reader; the program is held up beyond that.
const MAX_WAITING: usize = 16;
/// How long the system may take to remove a killed process.
const REMOVAL: Duration = Duration::from_secs(2);
const POLL: Duration = Duration::from_millis(2);
/// How often a wait looks for a signal.
const LOOK: Duration = Duration::from_millis(25);

/// A program to start.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    pub program: &'a Path,
    pub arguments: &'a [String],
    pub directory: &'a Path,
    /// The whole environment of the program.
    pub environment: &'a [(String, String)],
    /// The files to which the program is kept.
    pub enclosure: Option<&'a Enclosure>,
    /// Longest reply, in bytes.
    pub most_line: usize,
    /// Most bytes that are kept of stdout and of stderr, each.
    pub most_output: usize,
}

/// A message from the program.
#[derive(Debug, Eq, PartialEq)]
pub enum Heard {
    Line(Vec<u8>),
    /// A reply was longer than allowed; nothing after it is read.
    TooLong,
    /// The program closed its end.
    End,
    /// Nothing came in time.
    Silence,
    /// A signal to aos.
    Interrupted,
}

/// A running program.
pub struct Conversation {
    child: Box<dyn ChildWrapper>,
    /// Dropped to close the requests.
    requests: Option<Sender<Vec<u8>>>,
    replies: Receiver<Heard>,
    has_ended: bool,
    heeds_signals: bool,
    stdout: ConversationOutput,
    stderr: ConversationOutput,
    _watched: keeper::Watched,
}

impl std::fmt::Debug for Conversation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Conversation").field("id", &self.child.id()).finish_non_exhaustive()
    }
}

impl Conversation {
    /// Starts the program in a session of its own.
    ///
    /// # Errors
    /// Returns an error if the program cannot be started.
    pub fn start(start: &Start<'_>) -> std::io::Result<Self> {
        let (mut child, wires) = spawn_enclosed(start)?;
        let watched = keeper::watch(child.id());
        let (requests, waiting) = std::sync::mpsc::channel();
        let (heard, replies) = std::sync::mpsc::sync_channel(MAX_WAITING);
        let most_line = start.most_line;
        let started = (|| {
            std::thread::Builder::new().spawn(move || write(wires.requests, &waiting))?;
            std::thread::Builder::new().spawn(move || read(wires.replies, most_line, &heard))?;
            let stdout = ConversationOutput::keep(child.stdout().take(), start.most_output)?;
            let stderr = ConversationOutput::keep(child.stderr().take(), start.most_output)?;
            Ok::<_, std::io::Error>((stdout, stderr))
        })();
        match started {
            Ok((stdout, stderr)) => Ok(Self {
                child,
                requests: Some(requests),
                replies,
                has_ended: false,
                heeds_signals: true,
                stdout,
                stderr,
                _watched: watched,
            }),
            Err(error) => {
                kill(child.as_mut());
                Err(error)
            }
        }
    }

    /// Queues one line and adds a newline. Never blocks. If the program has ended, the replies show it.
    pub fn send(&self, line: &str) {
        if let Some(requests) = &self.requests {
            let _ = requests.send(format!("{line}\n").into_bytes());
        }
    }

    /// The next reply, waiting for it at most as long as `patience`.
    pub fn hear(&mut self, patience: Duration) -> Heard {
        if self.has_ended {
            return Heard::End;
        }
        let clock = Stopwatch::start();
        loop {
            if self.heeds_signals && interrupt::requested() {
                return Heard::Interrupted;
            }
            let passed = Duration::from_millis(clock.elapsed_ms());
            let left = patience.saturating_sub(passed);
            match self.replies.recv_timeout(left.min(LOOK)) {
                Ok(Heard::Line(line)) => return Heard::Line(line),
                Ok(last) => {
                    self.has_ended = true;
                    return last;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    self.has_ended = true;
                    return Heard::End;
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Heard::Silence,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// From here on a signal ends no wait: what follows is the orderly end.
    pub fn disregard_signals(&mut self) {
        self.heeds_signals = false;
    }

    /// Returns the program's output on stdout so far, and its total number of bytes.
    #[must_use]
    pub fn stdout(&self) -> (Vec<u8>, u64) {
        self.stdout.so_far()
    }

    /// Returns the program's output on stderr so far, and its total number of bytes.
    #[must_use]
    pub fn stderr(&self) -> (Vec<u8>, u64) {
        self.stderr.so_far()
    }

    /// Waits at most `patience` for the program to exit without being killed, and returns its exit code, if it has one.
    pub fn exits(&mut self, patience: Duration) -> Option<Option<i32>> {
        let clock = Stopwatch::start();
        loop {
            if let Ok(Some(status)) = self.child.inner_mut().try_wait() {
                return Some(status.code());
            }
            if interrupt::requested() || Duration::from_millis(clock.elapsed_ms()) > patience {
                return None;
            }
            std::thread::sleep(POLL);
        }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        drop(self.requests.take());
        kill(self.child.as_mut());
    }
}

/// The two directions of the conversation.
struct Wires {
    requests: Box<dyn Write + Send>,
    replies: Box<dyn Read + Send>,
}

/// Starts the program on a thread that is enclosed, because that cannot be undone.
fn spawn_enclosed(start: &Start<'_>) -> std::io::Result<(Box<dyn ChildWrapper>, Wires)> {
    let Some(wanted) = start.enclosure else { return spawn(start) };
    let started = std::thread::scope(|scope| {
        scope.spawn(|| enclosure::keep_to(wanted).and_then(|()| spawn(start))).join()
    });
    started.unwrap_or_else(|_| Err(std::io::Error::other("the thread that starts it ended")))
}

#[cfg(unix)]
fn spawn(start: &Start<'_>) -> std::io::Result<(Box<dyn ChildWrapper>, Wires)> {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
    let stdin = Stdio::from(std::os::fd::OwnedFd::from(theirs));
    let child = command(start, stdin).spawn()?;
    let replies = Box::new(ours.try_clone()?);
    Ok((child, Wires { requests: Box::new(HalfClosed(ours)), replies }))
}

#[cfg(not(unix))]
fn spawn(start: &Start<'_>) -> std::io::Result<(Box<dyn ChildWrapper>, Wires)> {
    let mut child = command(start, Stdio::piped()).spawn()?;
    let missing = || std::io::Error::other("the program has no standard streams");
    let requests = Box::new(child.stdin().take().ok_or_else(missing)?);
    let replies = Box::new(child.stdout().take().ok_or_else(missing)?);
    Ok((child, Wires { requests, replies }))
}

fn command(start: &Start<'_>, stdin: Stdio) -> CommandWrap {
    let mut command = CommandWrap::with_new(start.program, |command| {
        command
            .args(start.arguments)
            .current_dir(start.directory)
            .env_clear()
            .envs(start.environment.iter().map(|(name, value)| (name, value)))
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    });
    #[cfg(unix)]
    command.wrap(process_wrap::std::ProcessSession);
    #[cfg(windows)]
    command.wrap(process_wrap::std::JobObject);
    command
}

/// Our end of the socket, closed for writing alone when the requests are over.
#[cfg(unix)]
struct HalfClosed(std::os::unix::net::UnixStream);

#[cfg(unix)]
impl Write for HalfClosed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

#[cfg(unix)]
impl Drop for HalfClosed {
    fn drop(&mut self) {
        // The program may have closed it first.
        let _ = self.0.shutdown(std::net::Shutdown::Write);
    }
}

/// Writes on a thread: a program that does not read must not block aos.
fn write(mut requests: Box<dyn Write + Send>, waiting: &Receiver<Vec<u8>>) {
    while let Ok(line) = waiting.recv() {
        if requests.write_all(&line).and_then(|()| requests.flush()).is_err() {
            return;
        }
    }
}

/// Splits the replies into lines until they end, or until one is too long.
fn read(mut replies: Box<dyn Read + Send>, most: usize, heard: &SyncSender<Heard>) {
    let mut pending = Vec::new();
    let mut buffer = [0; 16 * 1024];
    while let Ok(count @ 1..) = replies.read(&mut buffer) {
        let mut rest = &buffer[..count];
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            pending.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            let line = std::mem::take(&mut pending);
            if line.len() > most {
                let _ = heard.send(Heard::TooLong);
                return;
            }
            if heard.send(Heard::Line(line)).is_err() {
                return;
            }
        }
        pending.extend_from_slice(rest);
        if pending.len() > most {
            let _ = heard.send(Heard::TooLong);
            return;
        }
    }
    // The receiver may be gone.
    let _ = heard.send(Heard::End);
}

/// Kills the program, its whole session, and what left the session.
#[cfg(unix)]
fn kill(child: &mut dyn ChildWrapper) {
    use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, test_kill_process_group};
    let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return };
    let below = descendants::of(group.as_raw_nonzero().get());
    // It may already have ended.
    let _ = kill_process_group(group, Signal::KILL);
    descendants::kill(&below);
    let clock = Stopwatch::start();
    loop {
        let runs = matches!(child.inner_mut().try_wait(), Ok(None));
        while !runs && matches!(rustix::process::waitpgid(group, WaitOptions::NOHANG), Ok(Some(_)))
        {
        }
        let lives = runs || test_kill_process_group(group).is_ok();
        if !lives || u128::from(clock.elapsed_ms()) > REMOVAL.as_millis() {
            return;
        }
        std::thread::sleep(POLL);
    }
}

/// Kills the program and its job.
#[cfg(not(unix))]
fn kill(child: &mut dyn ChildWrapper) {
    let _ = child.start_kill();
    let clock = Stopwatch::start();
    while matches!(child.try_wait(), Ok(None))
        && u128::from(clock.elapsed_ms()) < REMOVAL.as_millis()
    {
        std::thread::sleep(POLL);
    }
}

/// The start of a stream that is read to its end on a thread.
struct ConversationOutput {
    kept: Arc<Mutex<Vec<u8>>>,
    length: Arc<AtomicU64>,
}

impl ConversationOutput {
    fn keep<R: Read + Send + 'static>(stream: Option<R>, most: usize) -> std::io::Result<Self> {
        let (kept, length) = (Arc::<Mutex<Vec<u8>>>::default(), Arc::new(AtomicU64::new(0)));
        let (all, counted) = (Arc::clone(&kept), Arc::clone(&length));
        let Some(mut stream) = stream else { return Ok(Self { kept, length }) };
        std::thread::Builder::new().spawn(move || {
            let mut buffer = [0; 16 * 1024];
            while let Ok(count @ 1..) = stream.read(&mut buffer) {
                let mut kept = all.lock().unwrap_or_else(PoisonError::into_inner);
                let room = most.saturating_sub(kept.len()).min(count);
                kept.extend_from_slice(&buffer[..room]);
                drop(kept);
                counted.fetch_add(count as u64, Ordering::Relaxed);
            }
        })?;
        Ok(Self { kept, length })
    }

    fn so_far(&self) -> (Vec<u8>, u64) {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone();
        (kept, self.length.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn shell(script: &str) -> Conversation {
        Conversation::start(&Start {
            program: Path::new("/bin/sh"),
            arguments: &["-c".to_owned(), script.to_owned()],
            directory: Path::new("/"),
            environment: &[("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
            enclosure: None,
            most_line: 100,
            most_output: 8,
        })
        .unwrap()
    }

    #[test]
    fn requests_and_replies_share_a_socket_and_stdout_is_apart() {
        let mut talk =
            shell("echo noise-of-the-program; while read line; do echo \"<$line>\" >&0; done");
        talk.send("one");
        talk.send("two");
        assert_eq!(talk.hear(LONG), Heard::Line(b"<one>".to_vec()));
        assert_eq!(talk.hear(LONG), Heard::Line(b"<two>".to_vec()));
        // Another thread reads stdout, which may be behind.
        let mut waits = 0;
        while talk.stdout().1 < 21 && waits < 1000 {
            assert_eq!(talk.hear(Duration::from_millis(10)), Heard::Silence);
            waits += 1;
        }
        assert_eq!(talk.hear(Duration::ZERO), Heard::Silence);
        assert_eq!(talk.stdout(), (b"noise-of".to_vec(), 21));
    }

    #[test]
    fn the_end_of_the_program_is_heard() {
        let mut talk = shell("echo last >&0; exit 3");
        assert_eq!(talk.hear(LONG), Heard::Line(b"last".to_vec()));
        assert_eq!(talk.hear(LONG), Heard::End);
        assert_eq!(talk.hear(LONG), Heard::End);
        assert_eq!(talk.exits(LONG), Some(Some(3)));
    }

    #[test]
    fn a_line_that_is_too_long_ends_the_replies() {
        let mut talk = shell("exec 3>&0; yes | tr -d '\\n' | head -c 100000 >&3; sleep 1000");
        assert_eq!(talk.hear(LONG), Heard::TooLong);
        assert_eq!(talk.hear(LONG), Heard::End);
    }

    #[test]
    fn a_program_that_never_reads_blocks_nobody() {
        let mut talk = shell("sleep 1000");
        for _ in 0..100 {
            talk.send(&"x".repeat(100_000));
        }
        assert_eq!(talk.hear(Duration::from_millis(1)), Heard::Silence);
        assert_eq!(talk.exits(Duration::ZERO), None);
    }

    #[test]
    fn processes_that_the_program_started_are_killed_with_it() {
        let mut talk = shell("sleep 1000 & echo $! >&0; sleep 1000");
        let Heard::Line(line) = talk.hear(LONG) else { panic!("no process id") };
        let id: i32 = String::from_utf8(line).unwrap().parse().unwrap();
        let id = rustix::process::Pid::from_raw(id).unwrap();
        assert!(rustix::process::test_kill_process(id).is_ok());
        drop(talk);
        let state = format!("/proc/{}/stat", id.as_raw_nonzero());
        let stat = super::super::files::read(Path::new(&state), 4096);
        let is_zombie =
            stat.is_ok_and(|stat| String::from_utf8_lossy(&stat.bytes).contains(") Z "));
        assert!(is_zombie || rustix::process::test_kill_process(id).is_err());
    }
}
