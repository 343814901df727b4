//! Three-way merge of texts and of trees: what a template changed, brought into what a user changed.
//!
//! Pure: bytes in, bytes and conflicts out. Knows no project, no template and no disk.

pub mod content;
pub mod lines;
pub mod moves;
pub mod tree;

pub use content::{Blend, MergeOutcome};
pub use lines::{Labels, Merge};
pub use tree::{Conflict, MergeKind, MergeStyle, Merged, Trees};
