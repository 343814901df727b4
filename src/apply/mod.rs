//! The only writer of a project: preflight all, stage all, rename all, roll back on failure.
//!
//! Accepts a `Plan` or a `FileSet`, decides nothing about what should change; uses `plan` and `system`.

pub mod edits;
mod fault;
pub mod journal;
mod ledger;
mod names;
pub mod new_tree;
pub mod undo;

pub use edits::apply;
pub use fault::ApplyError;
pub use journal::recover;
pub use new_tree::{create, create_directories, remove_empty_directories, remove_leftovers};

#[cfg(test)]
mod tests;
