//! A change as a value: comparing wanted files with a tree returns a `Plan`.
//!
//! Pure: never touches the disk; preview, diff, confirm token, apply and `check` all read the same plan.

pub mod confirmation;
pub mod diff;
pub mod digest;
pub mod edit;
pub mod file_set;
pub mod relative_path;
pub mod seal;

pub use digest::Digest;
pub use edit::{Action, Edit, Obstacle, Plan, Tree, TreeEntry};
pub use file_set::{Content, FileSet, FileSetError};
pub use relative_path::{PathError, RelativePath};
