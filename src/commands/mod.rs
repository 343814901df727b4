//! One file per command: its arguments, its description, and `run`, which calls a workflow. No command uses another.

pub mod add;
pub mod augmentor;
pub mod changelog;
pub mod check;
pub mod compare;
pub mod completions;
pub mod conform;
pub mod context;
pub mod discover;
pub mod doctor;
pub mod gen_files;
pub mod mcp;
pub mod migrate;
pub mod new;
pub mod reference;
pub mod registry;
pub mod remove;
pub mod rename;
pub mod runtime;
pub mod sync_api;
pub mod sync_spec;
pub mod template;
pub mod update;
pub mod upgrade;
pub mod verify;
pub mod wire;

pub use crate::workflows::Run;
