//! Why and at which stage an update stopped. `error` decides on the hint.

use std::path::PathBuf;

use semver::Version;

use crate::release::{ReleaseError, Stage};

use super::executable::ExecutableError;
use super::install_method::{DetectError, DriveError};
use super::swap::{LockError, SwapError};

/// Why an update stopped.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    #[error(transparent)]
    Release(#[from] ReleaseError),
    #[error("{target} is older than the running version {current}")]
    Downgrade { target: Version, current: Version },
    #[error(transparent)]
    Detect(#[from] DetectError),
    #[error("{0}")]
    Lock(#[from] LockError),
    #[error("there is no state directory, so aos cannot prevent two updates at the same time")]
    NoState,
    #[error("{0}")]
    Swap(#[from] SwapError),
    #[error("the new program {0}")]
    Program(#[from] ExecutableError),
    #[error("aos was installed with {manager}, which can install only the newest version")]
    NewestOnly { manager: &'static str, command: String },
    #[error("aos was installed with {manager}, which aos cannot run")]
    Foreign { manager: &'static str, command: Option<String>, path: PathBuf },
    #[error("{source}")]
    Manager { command: String, source: DriveError },
}

impl UpdateError {
    /// The stage that failed.
    #[must_use]
    pub fn stage(&self) -> Stage {
        match self {
            Self::Release(error) => error.stage,
            Self::Downgrade { .. } | Self::Detect(_) => Stage::Discover,
            Self::Lock(_)
            | Self::NoState
            | Self::Swap(_)
            | Self::Program(_)
            | Self::NewestOnly { .. }
            | Self::Foreign { .. }
            | Self::Manager { .. } => Stage::Replace,
        }
    }
}
