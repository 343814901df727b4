//! How a probe ends early: it failed, it could not be found out, or the contract asks nothing.

use crate::conform::probe::CallEvidence;

/// Why a probe is over before its end.
#[derive(Debug)]
pub enum Unfinished {
    Fail(String, Option<Box<CallEvidence>>),
    Blocked(String),
    NotApplicable(String),
}

pub type ProbeStep<T = ()> = Result<T, Unfinished>;

pub fn fail(message: impl Into<String>) -> Unfinished {
    Unfinished::Fail(message.into(), None)
}
