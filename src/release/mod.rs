//! Releases on a GitHub-compatible host: found, fetched, verified, unpacked. One pipeline for programs and for specs.
//!
//! Nothing here writes to a project or replaces a program; what comes out is verified or an error.

pub mod repository;

pub use repository::Repository;
