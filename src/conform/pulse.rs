//! Whether the tool still answers: a tool that hangs must not cost the whole time of the run, call by call.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of consecutive timeouts after which the tool is tried once more and then no longer called.
const MOST_SILENT: usize = 3;

/// The pulse of one tool over all workers.
#[derive(Debug, Default)]
pub struct Pulse {
    silent: AtomicUsize,
    lost: OnceLock<String>,
    refused: AtomicUsize,
}

impl Pulse {
    /// A call ended.
    pub fn answered(&self) {
        self.silent.store(0, Ordering::SeqCst);
    }

    /// A call did not end in time, and nothing that was done to it explains that. True when it is time to ask the tool
    /// something that every tool answers.
    #[must_use]
    pub fn missed(&self) -> bool {
        self.silent.fetch_add(1, Ordering::SeqCst) + 1 >= MOST_SILENT
    }

    /// From now on the tool is not called any more.
    pub fn lose(&self, why: String) {
        // The first reason stays.
        let _ = self.lost.set(why);
    }

    /// Returns the reason why aos no longer calls the tool; `None` as long as it does.
    #[must_use]
    pub fn lost(&self) -> Option<&str> {
        self.lost.get().map(String::as_str)
    }

    /// A call that is not made, because the tool is lost.
    #[must_use]
    pub fn refuse(&self) -> Option<String> {
        let why = self.lost()?;
        self.refused.fetch_add(1, Ordering::SeqCst);
        Some(why.to_owned())
    }

    /// Returns the number of calls that were not made.
    #[must_use]
    pub fn refused(&self) -> usize {
        self.refused.load(Ordering::SeqCst)
    }

    /// Returns the number of consecutive calls without an answer.
    #[must_use]
    pub fn silent(&self) -> usize {
        self.silent.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_resets_the_count_of_timeouts() {
        let pulse = Pulse::default();
        assert!(!pulse.missed() && !pulse.missed());
        pulse.answered();
        assert!(!pulse.missed() && !pulse.missed());
        assert!(pulse.missed());
        assert_eq!(pulse.refuse(), None);
        pulse.lose("first".to_owned());
        pulse.lose("second".to_owned());
        assert_eq!(pulse.refuse().as_deref(), Some("first"));
        assert_eq!(pulse.refused(), 1);
    }
}
