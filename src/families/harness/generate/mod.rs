//! The generator of a connector: its manifest, its permissions, the module with its contract, the values of its
//! templates.

pub mod facts;
pub mod manifest;
pub mod module;
pub mod pages;
pub mod permissions;
pub mod test_cases;
pub mod values;
