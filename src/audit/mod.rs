//! The checks of `aos check`: drift of managed files, static rules, waivers, and one verdict per project.
//!
//! Reads projects, never writes; the rules themselves are in `contract::rules`.

mod all_rules;
pub mod drift;
pub mod guard;
pub mod inventory;
pub mod members;
mod names;
pub mod project;
pub mod records;
mod report;
pub mod rules;
pub mod runtime;
pub mod shadow;
pub mod strays;
pub mod template;
pub mod waivers;

pub use project::{AuditOptions, PassedOverProject, ProjectReport, audit};
