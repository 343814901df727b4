//! CLIs from descriptions of APIs: the table of operations, and every file of the project that follows from it.
//!
//! The table is data: a project keeps it as `preset.toml`, and its runtime reads the part that it needs as JSON. Texts
//! of the API's author are quoted and never become code.

mod calls;
mod changes;
mod documents;
mod exchanges;
mod made;
mod roles;
mod samples;
mod table;

pub use changes::{between, known};
pub use documents::{DescribedLanguage, files, keep, variables};
pub use made::table;
pub use table::DescribedTool;
