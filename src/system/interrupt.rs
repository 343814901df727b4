//! SIGINT, SIGTERM and SIGHUP as a flag that long work looks at between steps.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

static REQUESTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Signals that ask for an end; a closed terminal is one of them.
#[cfg(unix)]
const SIGNALS: [i32; 3] =
    [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
const SIGNALS: [i32; 2] = [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM];

/// The work was cancelled from outside.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// Starts to listen. More signals change nothing: every wait is bounded and looks for the first one, so that everything
/// that was started is ended and the answer is still printed.
pub fn listen() {
    let flag = Arc::clone(REQUESTED.get_or_init(Arc::default));
    for signal in SIGNALS {
        // Without a handler the default action (end at once) stays, which is safe too.
        let _ = signal_hook::flag::register(signal, Arc::clone(&flag));
    }
}

/// Turns "file too large" from a deadly signal into an error of the write.
pub fn survive_file_size_limit() {
    #[cfg(unix)]
    {
        let signal = rustix::process::Signal::XFSZ.as_raw();
        // Without the handler a limit ends the process, as it would any other.
        let _ = signal_hook::flag::register(signal, Arc::default());
    }
}

/// True if a signal has arrived.
#[must_use]
pub fn requested() -> bool {
    REQUESTED.get().is_some_and(|flag| flag.load(Ordering::Relaxed))
}

/// Stops the work when a signal has arrived.
///
/// # Errors
/// `Interrupted` after SIGINT or SIGTERM.
pub fn check() -> Result<(), Interrupted> {
    if requested() { Err(Interrupted) } else { Ok(()) }
}
