//! The building blocks of static rules of every family; the rules of one family are in its folder.
//!
//! A rule is pure: it reads a `Repository` snapshot and returns findings.

pub mod collector;
pub mod documented;
pub mod json_document;
pub mod names;
pub mod rule;
pub mod secrets;

pub use collector::{Collector, SourceText};
pub use names::{Effect, effect, is_about_many};
pub use rule::Rule;

/// The record of a project that aos looks after; without it `aos gen` has nothing to go by.
pub const RECORD: &str = "aos.toml";
