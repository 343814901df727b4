//! Why a write did not happen.

use std::path::PathBuf;

use crate::plan::RelativePath;
use crate::system::interrupt::Interrupted;
use crate::system::machine_secret::SecretError;

/// Why nothing was changed; after any of these the old state is whole.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    #[error("`{path}`: {reason}; aos writes only plain files inside the project")]
    Obstacle { path: String, reason: String },
    #[error("`{path}` changed since the plan was made")]
    Stale { path: RelativePath },
    #[error("`{path}` is read-only")]
    ReadOnly { path: RelativePath },
    #[error("another aos is writing to `{}`", path.display())]
    Busy { path: PathBuf },
    #[error("`{}` was created by another process while aos was creating the project", path.display())]
    TargetExists { path: PathBuf },
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    #[error("`{}` looks like the journal of an interrupted write, but aos does not complete it: {reason}; nothing was changed", path.display())]
    Journal { path: PathBuf, reason: String },
    #[error(transparent)]
    Secret(#[from] SecretError),
}

impl ApplyError {
    /// Wraps an I/O error with what was being done.
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}
