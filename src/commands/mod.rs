//! One file per command: its arguments, its description, `run`. Composition only; nothing here prints.

pub mod add;
pub mod augmentor;
pub mod changelog;
pub mod check;
pub mod completions;
pub mod conform;
pub mod context;
pub mod discover;
pub mod doctor;
pub mod first_commit;
pub mod gen_files;
pub mod mcp;
pub mod new;
pub mod reference;
pub mod registry;
pub mod remove;
pub mod rename;
pub mod runtime;
pub mod sync_spec;
pub mod update;
pub mod upgrade;
pub mod verify;
pub mod wire;
pub mod write_gate;

use crate::cli::Format;
use crate::report::Style;

/// What a command knows about this run.
#[derive(Clone, Debug)]
pub struct Run {
    pub format: Format,
    /// Why this format: `flag`, `environment`, `terminal` or `default`.
    pub format_reason: &'static str,
    pub style: Style,
    pub quiet: bool,
    /// Where `-C` moved this run.
    pub directory: Option<std::path::PathBuf>,
}
