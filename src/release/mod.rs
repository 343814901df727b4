//! Releases on a GitHub-compatible host: found, fetched, verified, unpacked. One pipeline for programs and for specs.
//!
//! This module does not write to a project or replace a program. Its results are verified.

mod answer;
pub mod archive;
pub mod fault;
pub mod host;
pub mod signed;
pub mod unsigned;

pub use crate::repository::{self, Repository};
pub use fault::{Fault, ReleaseError, Stage};
pub use host::{Release, ReleasesApi};
pub use signed::Signed;
