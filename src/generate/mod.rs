//! Wanted files: rendered templates, vendored bytes, generated modules.
//!
//! Pure: the same input gives the same bytes. Never touches the disk; uses `contract` and `plan`.

pub mod cli_values;
pub mod connector_facts;
mod connector_pages;
pub mod connector_values;
pub mod contract;
pub mod go_module;
pub mod literal;
pub mod lock;
pub mod manifest;
pub mod output;
pub mod outputs;
pub mod ownership;
pub mod permissions;
pub mod record;
pub mod record_conform;
pub mod record_runtime;
pub mod record_template;
pub mod record_text;
pub mod render;
pub mod runtime;
pub mod scaffold;
pub mod test_cases;
pub mod vendor;
