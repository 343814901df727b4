//! Starts other programs with an argument vector, bounded in time and output, and never with a shell.

use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use super::clock::Stopwatch;
use super::interrupt;

/// Largest stored output of each stream, in bytes.
const MAX_OUTPUT: u64 = 64 * 1024;
/// How long to wait for the streams of a program after it ended.
const GRACE: Duration = Duration::from_millis(500);
const POLL: Duration = Duration::from_millis(1);

/// The output of a program.
#[derive(Clone, Debug)]
pub struct ProcessOutput {
    pub success: bool,
    pub stdout: String,
    pub stderr: String,
}

/// Why a program gave no result.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    #[error("`{program}` is not installed")]
    NotFound { program: String },
    #[error("`{program}` did not end within {seconds} s")]
    TimedOut { program: String, seconds: u64 },
    #[error("interrupted")]
    Interrupted,
    #[error("`{program}` could not be run: {source}")]
    Io { program: String, source: std::io::Error },
}

/// A program to run.
#[derive(Clone, Debug)]
pub struct Invocation<'a> {
    pub program: &'a str,
    pub arguments: &'a [&'a str],
    pub directory: &'a Path,
    /// Variables that the program must not inherit.
    pub without: &'a [&'a str],
    pub limit: Duration,
}

/// Runs a program with closed stdin, and waits for its end or its time limit.
///
/// # Errors
/// Returns an error if it cannot be started, is killed after its limit, or a signal arrived meanwhile.
#[expect(clippy::disallowed_methods, reason = "only this module starts programs")]
pub fn run(invocation: &Invocation<'_>) -> Result<ProcessOutput, ProcessError> {
    let program = || invocation.program.to_owned();
    let mut command = Command::new(invocation.program);
    command
        .args(invocation.arguments)
        .current_dir(invocation.directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for name in invocation.without {
        command.env_remove(name);
    }
    // A new process group, so that its children can be killed with it.
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        command.process_group(0);
    }
    let mut child = command.spawn().map_err(|source| {
        if source.kind() == std::io::ErrorKind::NotFound {
            ProcessError::NotFound { program: program() }
        } else {
            ProcessError::Io { program: program(), source }
        }
    })?;
    let streams = match (reader(child.stdout.take()), reader(child.stderr.take())) {
        (Ok(stdout), Ok(stderr)) => [stdout, stderr],
        (Err(source), _) | (_, Err(source)) => {
            end(&mut child);
            return Err(ProcessError::Io { program: program(), source });
        }
    };
    let clock = Stopwatch::start();
    let result = wait(&mut child, invocation, clock);
    if result.is_err() {
        end(&mut child);
    }
    let success = result?;
    let mut ended = true;
    let [stdout, stderr] = streams.map(|stream| {
        let said = stream.recv_timeout(GRACE);
        ended &= said.is_ok();
        said.unwrap_or_default()
    });
    if !ended {
        // A child of the program still has its streams open.
        end(&mut child);
    }
    Ok(ProcessOutput { success, stdout, stderr })
}

fn wait(
    child: &mut Child,
    invocation: &Invocation<'_>,
    clock: Stopwatch,
) -> Result<bool, ProcessError> {
    let program = || invocation.program.to_owned();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.success()),
            Ok(None) if interrupt::requested() => return Err(ProcessError::Interrupted),
            Ok(None) if u128::from(clock.elapsed_ms()) > invocation.limit.as_millis() => {
                let seconds = invocation.limit.as_secs();
                return Err(ProcessError::TimedOut { program: program(), seconds });
            }
            Ok(None) => std::thread::sleep(POLL),
            Err(source) => return Err(ProcessError::Io { program: program(), source }),
        }
    }
}

/// Kills the program and everything it started.
fn end(child: &mut Child) {
    #[cfg(unix)]
    {
        let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
        if let Some(group) = group {
            // It may already have ended.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Reads a stream to its end on a thread, so that a full pipe never blocks the program.
fn reader<R: std::io::Read + Send + 'static>(
    stream: Option<R>,
) -> std::io::Result<Receiver<String>> {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::Builder::new().spawn(move || {
        let mut kept = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.by_ref().take(MAX_OUTPUT).read_to_end(&mut kept);
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        }
        // After the limit, there is no receiver.
        let _ = sender.send(String::from_utf8_lossy(&kept).into_owned());
    })?;
    Ok(receiver)
}
