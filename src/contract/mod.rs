//! The parts that contracts of every family share: tags, names, documents, findings, and the tools of static rules.
//!
//! Pure: bytes in, typed values and findings out. Never touches files, network, clock or environment; of ours it uses `strict_json` alone.

pub mod cli_name;
pub mod document;
pub mod family;
pub mod file_bytes;
pub mod findings;
pub mod json;
pub mod json_schema;
pub mod name;
pub mod pipelines;
pub mod pyproject;
pub mod remembered;
pub mod repository;
pub mod rules;
pub mod suggestion;
pub mod surface;
pub mod tag;

pub use family::Family;
pub use file_bytes::FileBytes;
pub use findings::{Finding, Severity};
pub use repository::ProjectFiles;
pub use tag::SpecTag;
