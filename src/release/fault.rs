//! Why a release is not available. `error` decides on the hint.

use std::io;

use crate::system::http::HttpError;
use crate::verify::bundle::BundleError;
use crate::verify::checksums::ChecksumsError;
use crate::verify::trust_root::TrustRootError;
use crate::verify::verdict::Rejection;

use super::archive::ArchiveError;

/// The stage that failed (agent-cli §14).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Stage {
    Discover,
    Download,
    VerifySignature,
    VerifyChecksum,
    Unpack,
    Replace,
    SkillSync,
}

impl Stage {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Discover => "discover",
            Self::Download => "download",
            Self::VerifySignature => "verify_signature",
            Self::VerifyChecksum => "verify_checksum",
            Self::Unpack => "unpack",
            Self::Replace => "replace",
            Self::SkillSync => "skill_sync",
        }
    }
}

/// A fault and where it happened.
#[derive(Debug, thiserror::Error)]
#[error("{fault}")]
pub struct ReleaseError {
    pub stage: Stage,
    pub fault: Fault,
}

/// The kind of a fault.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error("AOS_UPDATE_API_URL cannot be used: {0}")]
    Api(HttpError),
    #[error("{what} was not found at `{host}`")]
    NotFound { what: String, host: String },
    #[error("`{host}` refuses the request: too many requests")]
    RateLimited { host: String, retry_after_s: u64, with_token: bool },
    #[error("`{host}` refuses access (status 403)")]
    Forbidden { host: String },
    #[error("`{host}` refuses the credentials (status 401){}", if *with_token { ", with GITHUB_TOKEN and without it" } else { "" })]
    Unauthorized { host: String, with_token: bool },
    #[error("`{host}` failed with a server error (status {status})")]
    Server { host: String, status: u16 },
    #[error("`{host}` reported a timeout (status 408)")]
    SlowServer { host: String },
    #[error("`{host}` sent an unexpected response (status {status})")]
    Status { host: String, status: u16 },
    #[error("`{host}` sent a web page instead of {what}")]
    CaptivePortal { host: String, what: String },
    #[error("the release is malformed: {reason}")]
    Malformed { reason: String },
    #[error("release `{asked}` was requested, but the response is release `{answered}`")]
    OtherTag { asked: String, answered: String },
    #[error("the release `{tag}` has no `{wanted}`")]
    NoAsset { tag: String, wanted: String, available: Vec<String> },
    #[error("the release `{tag}` has no checksums.txt")]
    NoChecksums { tag: String },
    #[error("the release `{tag}` is not signed: it has no {bundle}")]
    Unsigned { tag: String, bundle: &'static str },
    #[error("`{name}` ended after {received} of {expected} bytes")]
    Short { name: String, received: u64, expected: u64 },
    #[error("`{name}` is larger than the release says ({expected} bytes)")]
    Long { name: String, expected: u64 },
    #[error("the trust root cannot be used: {0}")]
    TrustRoot(#[from] TrustRootError),
    #[error("the bundle of checksums.txt is not valid: {0}")]
    Bundle(#[from] BundleError),
    #[error("the signature of checksums.txt is not valid: {0}")]
    Signature(#[from] Rejection),
    #[error("checksums.txt cannot be used: {0}")]
    Checksums(#[from] ChecksumsError),
    #[error("`{name}` is not the signed file: its SHA-256 is {found}, not {expected}")]
    Digest { name: String, found: String, expected: String },
    #[error("the archive is not valid: {0}")]
    Archive(#[from] ArchiveError),
    #[error("`{path}` cannot be written: {source}")]
    Io { path: String, source: io::Error },
    #[error("interrupted")]
    Interrupted,
}

impl Fault {
    #[must_use]
    pub fn at(self, stage: Stage) -> ReleaseError {
        // An interruption has the same code at every stage.
        let fault = match self {
            Self::Http(HttpError::Interrupted) => Self::Interrupted,
            other => other,
        };
        ReleaseError { stage, fault }
    }
}
