//! Templates of the user's own: a directory in the format of docs/templates.md, from this machine or a repository.
//!
//! Everything in one is untrusted: names pass the one gate for paths, links are refused, sizes are bounded, and no code
//! of a template ever runs. What `--template` names is told apart in `named`.

mod fault;
mod git;
mod hosted;
mod judge;
mod kept;
mod named;
mod reading;
mod source;
mod tree;

pub use fault::{TemplateError, TemplateFault};
pub use judge::{is_taken, judge, judged};
pub use kept::archived;
pub use named::{InRepository, NamedTemplate, Place};
pub use reading::{FoundTemplate, found, is_same_tag, newest};
pub use source::{RepositoryFile, repository_files};
pub use tree::TemplateTree;
