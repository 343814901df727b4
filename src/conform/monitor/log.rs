//! The finished calls of one run, in a stable order.

use std::sync::{Mutex, PoisonError};

use crate::conform::call::{Event, ToolCall};
use crate::conform::observed::Observed;

/// Most bytes that the answers of all calls together may keep in memory.
const MAX_KEPT: usize = 256 * 1024 * 1024;

/// A finished call.
#[derive(Clone, Debug)]
pub struct Noted {
    pub call: ToolCall,
    pub observed: Observed,
    /// Whether the output was kept.
    pub is_kept: bool,
}

impl Noted {
    /// True if a probe disturbed it: its exit is for that probe to judge.
    #[must_use]
    pub fn is_disturbed(&self) -> bool {
        self.call.event != Event::None
    }

    /// True if an argument is this word.
    #[must_use]
    pub fn has(&self, word: &str) -> bool {
        self.call.arguments.iter().any(|argument| argument == word)
    }
}

/// The calls so far; workers share it.
#[derive(Debug, Default)]
pub struct CallLog {
    calls: Mutex<(Vec<Noted>, usize)>,
}

impl CallLog {
    /// Notes a call that is over. The journal of its upstream is not needed.
    pub fn note(&self, call: &ToolCall, observed: &Observed) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let length = observed.stdout().len() + observed.stderr().len();
        let is_kept = calls.1.saturating_add(length) <= MAX_KEPT;
        let mut observed = Observed { requests: Vec::new(), ..observed.clone() };
        if is_kept {
            calls.1 += length;
        } else if let Ok(ran) = &mut observed.ran {
            (ran.stdout, ran.stderr) = (Vec::new(), Vec::new());
        }
        calls.0.push(Noted { call: call.clone(), observed, is_kept });
    }

    /// All calls, by what was called and how it ended.
    #[must_use]
    pub fn take(&self) -> Vec<Noted> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut calls, _) = std::mem::take(&mut *calls);
        calls.sort_by(|one, other| {
            let key = |noted: &Noted| (noted.call.arguments.clone(), noted.observed.exit());
            key(one).cmp(&key(other)).then_with(|| one.call.cmp(&other.call))
        });
        calls
    }
}
