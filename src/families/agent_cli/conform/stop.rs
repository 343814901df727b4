//! How a probe ends early: it failed, it could not be found out, or the contract asks nothing.

use crate::conform::probe::Evidence;

/// Why a probe is over before its end.
#[derive(Debug)]
pub enum Stop {
    Fail(String, Option<Box<Evidence>>),
    Blocked(String),
    NotApplicable(String),
}

pub type Outcome<T = ()> = Result<T, Stop>;

pub fn fail(message: impl Into<String>) -> Stop {
    Stop::Fail(message.into(), None)
}
