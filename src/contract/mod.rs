//! What the published contracts say, and the static rules that follow from them.
//!
//! Pure: bytes in, typed values and findings out. Never touches files, network, clock or environment; of ours it uses `strict_json` alone.

pub mod agent_cli;
pub mod cli_name;
pub mod connector;
pub mod document;
pub mod extension;
pub mod family;
pub mod findings;
pub mod grants;
pub mod harness;
pub mod json;
pub mod json_schema;
pub mod manifest;
pub mod name;
pub mod operations;
pub mod profile;
pub mod pyproject;
pub mod python_source;
pub mod repository;
pub mod rules;
pub mod suggestion;
pub mod surface;
pub mod tag;

pub use agent_cli::AgentCliContract;
pub use extension::Extension;
pub use family::Family;
pub use findings::{Finding, Severity};
pub use harness::HarnessContract;
pub use repository::Repository;
pub use tag::SpecTag;
