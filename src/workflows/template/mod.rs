//! Templates of the user's own: checked, started, made of a repository, and imported from other tools.

mod check;
mod combinations;
mod forms;
mod from;
mod import;
mod made;
mod start;

pub use check::check;
pub use from::from;
pub use import::import;
pub use start::start;
