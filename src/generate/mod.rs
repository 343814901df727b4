//! Wanted files: rendered templates, vendored bytes, generated modules.
//!
//! Pure: the same input produces the same bytes. Never touches the disk; uses `contract` and `plan`.

pub mod cli_values;
pub mod go_module;
pub mod literal;
pub mod lock;
pub mod output;
pub mod outputs;
pub mod ownership;
pub mod record;
pub mod record_added;
pub mod record_change;
pub mod record_conform;
pub mod record_edit;
pub mod record_openapi;
pub mod record_origin;
pub mod record_runtime;
pub mod record_spec;
pub mod record_template;
pub mod record_text;
pub mod render;
pub mod runtime;
pub mod scaffold;
pub mod vendor;
