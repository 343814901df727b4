//! Other programs: started with an argument vector, bounded in time and output, never through a shell.

use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::clock::Stopwatch;

/// Longest output that is kept of each stream, in bytes.
const MAX_OUTPUT: u64 = 64 * 1024;
const POLL: Duration = Duration::from_millis(1);

/// What a program said.
#[derive(Clone, Debug)]
pub struct Output {
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

/// Runs a program with closed stdin and waits for its end.
///
/// # Errors
/// When it cannot be started, or is killed after its time limit.
#[expect(clippy::disallowed_methods, reason = "this module is the door to other programs")]
pub fn run(invocation: &Invocation<'_>) -> Result<Output, ProcessError> {
    let program = invocation.program.to_owned();
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
    let mut child = command.spawn().map_err(|source| {
        if source.kind() == std::io::ErrorKind::NotFound {
            ProcessError::NotFound { program: program.clone() }
        } else {
            ProcessError::Io { program: program.clone(), source }
        }
    })?;
    let stdout = reader(child.stdout.take());
    let stderr = reader(child.stderr.take());
    let success = wait(&mut child, invocation)?;
    Ok(Output {
        success,
        stdout: stdout.join().unwrap_or_default(),
        stderr: stderr.join().unwrap_or_default(),
    })
}

fn wait(child: &mut Child, invocation: &Invocation<'_>) -> Result<bool, ProcessError> {
    let program = || invocation.program.to_owned();
    let clock = Stopwatch::start();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.success()),
            Ok(None) if u128::from(clock.elapsed_ms()) > invocation.limit.as_millis() => {
                let _ = child.kill();
                let _ = child.wait();
                let seconds = invocation.limit.as_secs();
                return Err(ProcessError::TimedOut { program: program(), seconds });
            }
            Ok(None) => std::thread::sleep(POLL),
            Err(source) => return Err(ProcessError::Io { program: program(), source }),
        }
    }
}

/// Reads a stream to its end on a thread, so that a full pipe never blocks the program.
fn reader<R: std::io::Read + Send + 'static>(stream: Option<R>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.by_ref().take(MAX_OUTPUT).read_to_end(&mut kept);
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        }
        String::from_utf8_lossy(&kept).into_owned()
    })
}
