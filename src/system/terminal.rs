//! The standard streams: what they are connected to, and the only writer to them. It accepts only `Visible` text.

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use super::environment;
use crate::visible::Visible;

#[must_use]
pub fn stdin_is_terminal() -> bool {
    std::io::stdin().is_terminal()
}

#[must_use]
pub fn stdout_is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

#[must_use]
pub fn stderr_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// True if text on stdout may use colours.
#[must_use]
pub fn stdout_has_color() -> bool {
    stdout_is_terminal()
        && environment::read(environment::NO_COLOR).is_none()
        && environment::read("TERM").is_none_or(|term| term != "dumb")
}

/// Reads stdin to its end.
///
/// # Errors
/// Returns an error if it cannot be read, or holds more than `limit` bytes.
pub fn read_stdin(limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(std::io::Error::from(std::io::ErrorKind::FileTooLarge));
    }
    Ok(bytes)
}

/// Whether anything was written to stdout.
static WRITTEN: AtomicBool = AtomicBool::new(false);

/// True if this run has written anything to stdout, such as lines of a stream.
#[must_use]
pub fn has_written() -> bool {
    WRITTEN.load(Ordering::Relaxed)
}

/// Writes the one document of this run to stdout.
///
/// # Errors
/// Returns an error if stdout is closed or full.
pub fn write_stdout(text: &Visible) -> std::io::Result<()> {
    WRITTEN.store(true, Ordering::Relaxed);
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_str().as_bytes())?;
    stdout.flush()
}

/// Writes a note to stderr; a closed stderr is ignored.
pub fn write_stderr(text: &Visible) {
    let _ = std::io::stderr().lock().write_all(text.as_str().as_bytes());
}
