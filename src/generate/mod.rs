//! Wanted files: rendered templates, vendored bytes, generated modules.
//!
//! Pure: the same input gives the same bytes. Never touches the disk; uses `contract` and `plan`.

pub mod contract_python;
pub mod contract_rust;
pub mod lock;
pub mod manifest;
pub mod outputs;
pub mod permissions;
pub mod python_literal;
pub mod record;
pub mod record_text;
pub mod render;
pub mod scaffold;
pub mod test_cases;
pub mod vendor;
