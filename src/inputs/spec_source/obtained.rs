//! A contract that was had, and what vouches for it.

use std::sync::Arc;

use crate::generate::vendor::SpecRelease;

/// Largest vendored file, in bytes.
pub(super) const MAX_SPEC_FILE: u64 = 2 * 1024 * 1024;

/// A contract, and why it is believed.
#[derive(Clone, Debug)]
pub struct Obtained {
    pub release: Arc<SpecRelease>,
    pub trust: Trust,
    /// Page of the release, for people.
    pub release_url: Option<String>,
    /// Notes about problems that did not prevent it.
    pub notes: Vec<String>,
}

impl Obtained {
    /// A contract that came from no host.
    #[must_use]
    pub fn local(release: Arc<SpecRelease>, trust: Trust) -> Self {
        Self { release, trust, release_url: None, notes: Vec::new() }
    }
}

/// The reason to trust the bytes of a contract.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Trust {
    /// The binary carries them.
    Embedded,
    /// The release workflow of the source signed them at their tag.
    Signed { signer: String },
    /// Nothing but the digests in the lock.
    Lock,
}

impl Trust {
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Signed { .. } => "signed",
            Self::Lock => "lock",
        }
    }

    #[must_use]
    pub fn signer(&self) -> Option<&str> {
        match self {
            Self::Signed { signer } => Some(signer),
            Self::Embedded | Self::Lock => None,
        }
    }
}
