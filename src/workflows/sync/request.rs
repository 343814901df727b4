//! The request of `aos sync-spec`.

use std::path::PathBuf;

use crate::workflows::write_gate::WriteOptions;

/// A contract for a project.
#[derive(Clone, Debug)]
pub struct SyncRequest {
    pub path: PathBuf,
    /// Tag to move to, or `latest`; the pin without it.
    pub to: Option<String>,
    /// Directory to take the contract from.
    pub from: Option<PathBuf>,
    pub write: WriteOptions,
}

impl SyncRequest {
    /// The tag `to`, or the pin, of the project of this directory.
    #[must_use]
    pub fn following(to: Option<&str>) -> Self {
        Self {
            path: PathBuf::from("."),
            to: to.map(str::to_owned),
            from: None,
            write: WriteOptions::default(),
        }
    }
}
