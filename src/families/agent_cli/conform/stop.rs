//! The early end of a probe: it failed, it is blocked, or the contract requires nothing.

use crate::conform::probe::CallEvidence;

/// Why a probe is over before its end.
#[derive(Debug)]
pub enum Unfinished {
    Fail(String, Option<Box<CallEvidence>>),
    Blocked(String),
    NotApplicable(String),
}

impl Unfinished {
    pub fn blocked(reason: impl Into<String>) -> Self {
        Self::Blocked(reason.into())
    }
}

pub type ProbeStep<T = ()> = Result<T, Unfinished>;

pub fn fail(message: impl Into<String>) -> Unfinished {
    Unfinished::Fail(message.into(), None)
}
