//! The workflows of commands: planners and state machines. Each takes a request and returns an outcome.
//!
//! Nothing here reads a command line, and only streams write before the outcome; a workflow may use another one.

pub mod add;
pub mod asked;
pub mod augmentor;
pub mod check;
pub mod conform;
pub mod discover;
pub mod doctor;
pub mod fleet;
pub mod gen_files;
pub mod mcp;
pub mod migrate;
pub mod new;
pub mod report_file;
mod run;
pub mod runtime;
pub mod sync;
pub mod sync_api;
pub mod template;
pub mod update;
pub mod upgrade;
pub mod verify;
pub mod wire;
pub mod write_gate;

pub use run::{Format, Run};
