//! Notices: what every answer can carry beside its data.

pub use crate::update::notice::Notice;
