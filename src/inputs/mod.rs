//! The inputs of commands: embedded data, project directories, answers.
//!
//! Reads and validates, never writes.

pub mod adoption;
pub mod answer_forms;
pub mod answers;
pub mod baseline;
pub mod changelog;
pub mod desired;
pub mod desired_runtime;
pub mod embedded;
pub mod fleet;
pub mod fleet_file;
pub mod frozen;
pub mod git;
pub mod import_path;
pub mod imported;
pub mod own_template;
pub mod project;
pub mod repository;
pub mod runtimes;
pub mod spec_source;
pub mod template;
pub mod template_archive;
pub mod tree;
