//! The vendored runtime of a project, and the parts of it that change hands.

mod show;
mod state;
mod transfer;

pub use show::show;
pub use state::state;
pub use transfer::{give_back, own};
