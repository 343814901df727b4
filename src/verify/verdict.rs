//! The result of a verification: a verdict with signer, time and log, or a rejection with the reason.

use jiff::Timestamp;
use sigstore_verify::Error;
use sigstore_verify::types::Statement;

use super::bundle::BundleContent;
use super::checksums::Sha256;
use super::shown::shown;

/// A verified file, with its signer and signing time.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub content: BundleContent,
    /// The statement of an attestation.
    pub statement: Option<AttestedStatement>,
    /// Digest of the file.
    pub digest: Sha256,
    pub signer: Signer,
    /// Every authenticated time, oldest first; at least one.
    pub times: Vec<Timestamp>,
    pub log: Log,
}

/// The signer.
#[derive(Clone, Debug)]
pub enum Signer {
    Certificate {
        identity: String,
        issuer: String,
        claims: Claims,
    },
    /// A key from the caller.
    Key {
        /// Digest of its SubjectPublicKeyInfo.
        fingerprint: Sha256,
    },
}

/// Claims of the certificate authority about the build; `None` if there is no claim.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Claims {
    pub repository: Option<String>,
    pub git_ref: Option<String>,
    pub commit: Option<String>,
    pub runner: Option<String>,
    pub trigger: Option<String>,
    pub run: Option<String>,
}

/// The entry in the transparency log.
#[derive(Clone, Debug)]
pub struct Log {
    pub url: String,
    pub index: u64,
    /// Kind and version of the entry, for example `hashedrekord 0.0.1`.
    pub entry: String,
}

/// The content of an attestation.
#[derive(Clone, Debug)]
pub struct AttestedStatement {
    pub predicate_type: String,
}

impl AttestedStatement {
    /// Parses the payload of a verified attestation.
    pub(super) fn read(payload: &[u8]) -> Option<Self> {
        let statement: Statement = serde_json::from_slice(payload).ok()?;
        Some(Self { predicate_type: statement.predicate_type })
    }
}

/// Why a file, a bundle and the requirements do not match.
#[derive(Debug, thiserror::Error)]
pub enum Rejection {
    #[error("it is an attestation about the file, not a signature of its bytes")]
    NotASignature,
    #[error("it is a signature of the file's bytes, not an attestation")]
    NotAnAttestation,
    #[error("it was signed by `{found}`, not by {expected}")]
    Signer { found: String, expected: String },
    #[error("the signer's identity was issued by `{found}`, not by `{expected}`")]
    Issuer { found: String, expected: String },
    #[error("it was built from `{found}`, not from `{expected}`")]
    Repository { found: String, expected: String },
    #[error("the bundle is for {bundle}, but {wanted} was given")]
    SignerKind { bundle: &'static str, wanted: &'static str },
    #[error("the file is not the signed file ({0})")]
    Artifact(String),
    #[error("the signature is not valid ({0})")]
    Signature(String),
    #[error("the signing certificate is not valid: {0}")]
    Certificate(String),
    #[error("the entry in the transparency log is not valid: {0}")]
    Log(String),
    #[error("the time of signing cannot be verified: {0}")]
    Time(String),
    #[error("its signing time {0} is in the future")]
    Future(Timestamp),
    #[error("the bundle cannot be used: {0}")]
    Unsupported(String),
    #[error("a step of the verification was skipped: {0}")]
    Skipped(&'static str),
    #[error("the file cannot be read completely: {0}")]
    Read(std::io::Error),
}

impl Rejection {
    /// A stable reason for programs.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            Self::NotASignature => "not_a_signature",
            Self::NotAnAttestation => "not_an_attestation",
            Self::Signer { .. } => "wrong_signer",
            Self::Issuer { .. } => "wrong_issuer",
            Self::Repository { .. } => "wrong_repository",
            Self::SignerKind { .. } => "wrong_kind_of_signer",
            Self::Artifact(_) => "other_file",
            Self::Signature(_) => "bad_signature",
            Self::Certificate(_) => "bad_certificate",
            Self::Log(_) => "bad_log_entry",
            Self::Time(_) => "no_proof_of_time",
            Self::Future(_) => "signed_in_the_future",
            Self::Unsupported(_) => "unusable_bundle",
            Self::Skipped(_) => "incomplete_verification",
            Self::Read(_) => "unreadable_file",
        }
    }
}

/// Maps an error of the verifier by its variant, not by its text.
impl From<Error> for Rejection {
    fn from(error: Error) -> Self {
        let text = shown(&error.to_string());
        match error {
            Error::IdentityMismatch { expected, actual } => Self::Signer {
                found: actual.map_or_else(|| "nobody".to_owned(), |name| shown(name.as_str())),
                expected: format!("`{}`", shown(&expected.to_string())),
            },
            Error::IssuerMismatch { expected, actual } => Self::Issuer {
                found: actual.map_or_else(|| "nobody".to_owned(), |name| shown(&name)),
                expected: shown(&expected),
            },
            Error::ArtifactMismatch(detail) => Self::Artifact(shown(&detail)),
            Error::SignatureInvalid(detail) => Self::Signature(shown(&detail)),
            Error::Certificate(_) => Self::Certificate(text),
            Error::TransparencyLog(_) => Self::Log(text),
            Error::Timestamp(_) => Self::Time(text),
            Error::ArtifactRead(source) => Self::Read(source),
            _ => Self::Unsupported(text),
        }
    }
}
