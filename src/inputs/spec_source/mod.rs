//! Released contracts: from the binary, from a directory that somebody names, or from releases on a host.
//!
//! Whatever is given out was validated here. Writes nothing but the cache of verified releases.

mod carried;
mod directory;
mod hosted;
mod kept;
mod locked;
mod places;
mod received;
mod session;

use std::path::PathBuf;
use std::sync::Arc;

use crate::contract::document::ContractError;
use crate::contract::{Family, SpecTag};
use crate::generate::vendor::SpecRelease;
use crate::release::ReleaseError;

pub use carried::{embedded_release, embedded_release_of, latest};
pub use directory::{directory_release, has_tag};
pub use hosted::{Newest, Terms, Wanted, hosted_release, newest};
pub use locked::{LockedError, as_remembered, locked_release};
pub use session::{FaultNumber, Session};

/// Largest vendored file, in bytes.
const MAX_SPEC_FILE: u64 = 2 * 1024 * 1024;

/// A contract, and why it is believed.
#[derive(Clone, Debug)]
pub struct Obtained {
    pub release: Arc<SpecRelease>,
    pub trust: Trust,
    /// Page of the release, for people.
    pub release_url: Option<String>,
    /// What did not stop it and somebody should know.
    pub notes: Vec<String>,
}

impl Obtained {
    /// A contract that came from no host.
    #[must_use]
    pub fn local(release: Arc<SpecRelease>, trust: Trust) -> Self {
        Self { release, trust, release_url: None, notes: Vec::new() }
    }
}

/// What vouches for the bytes of a contract.
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

/// Why a tag cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    #[error("the family `{family}` has no tag `{tag}`; this aos contains {}", known.join(", "))]
    UnknownTag { family: Family, tag: String, known: Vec<String> },
    #[error("`{}` contains no contract of the family `{family}`{}", path.display(), tag.as_ref().map(|tag| format!(" at tag `{tag}`")).unwrap_or_default())]
    NotInDirectory { path: PathBuf, family: Family, tag: Option<SpecTag> },
    #[error(
        "the release `{tag}` of `{origin}` contains no contract of the family `{family}`: there is no {}",
        quoted(looked)
    )]
    NotInArchive { origin: String, family: Family, tag: SpecTag, looked: Vec<String> },
    #[error("`{}` cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("`{path}` is not a usable contract: {source}")]
    Contract { path: String, source: ContractError },
    #[error(
        "`{path}` is not in the format of the contracts that aos vendors: member `{member}`: {reason}"
    )]
    Format { path: String, member: String, reason: String },
    #[error("the tag `{tag}` in `{path}` is not a valid tag: {reason}")]
    Tag { path: String, tag: String, reason: String },
    #[error("`{path}` is the contract of tag `{found}`, not of `{wanted}`")]
    OtherTag { path: String, found: SpecTag, wanted: SpecTag },
    #[error(
        "`{path}` differs from the released tag `{tag}` of `{family}`; a released tag never changes"
    )]
    Frozen { path: String, family: Family, tag: SpecTag },
    #[error("`{path}` changes `{code}`, which must not change since `{since}`")]
    CoreChanged { path: String, code: String, since: SpecTag },
    #[error(
        "`{origin}` has other bytes for `{tag}` than .agent/spec.lock records; a released tag never changes"
    )]
    OtherBytes { origin: String, tag: SpecTag },
    #[error("the contract `{tag}` of `{origin}` is not available: {error}")]
    Release { origin: String, tag: SpecTag, error: ReleaseError },
    #[error("the newest contract of `{origin}` is not available: {error}")]
    Newest { origin: String, error: ReleaseError },
}

fn quoted(paths: &[String]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(" and no ")
}
