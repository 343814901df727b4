//! `verified_file`: the answer of `aos verify` and `aos verify-bundle`.

use schemars::JsonSchema;
use serde::Serialize;

/// A file whose signer is known.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct VerifiedFile {
    /// Always true.
    pub verified: bool,
    pub file: String,
    pub digest: String,
    /// `signature` or `attestation`.
    pub kind: &'static str,
    pub predicate_type: Option<String>,
    pub signer: VerifiedSigner,
    pub claims: Option<SignerClaims>,
    pub signed_at: Option<String>,
    pub times: Vec<String>,
    pub log: LogRecord,
    pub trust_root: UsedTrustRoot,
    /// Always true.
    pub offline: bool,
}

/// The signer: an identity or a key.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct VerifiedSigner {
    pub identity: Option<String>,
    pub issuer: Option<String>,
    pub key: Option<String>,
}

/// The claims of the certificate about the build.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct SignerClaims {
    pub repository: Option<String>,
    #[serde(rename = "ref")]
    pub git_ref: Option<String>,
    pub commit: Option<String>,
    pub runner: Option<String>,
    pub trigger: Option<String>,
    pub run: Option<String>,
}

/// The entry in the transparency log.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct LogRecord {
    pub url: String,
    pub index: String,
    pub entry: String,
}

/// The trust root of the verdict.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct UsedTrustRoot {
    /// `embedded` or `file`.
    pub source: &'static str,
    pub path: Option<String>,
    pub sha256: String,
    pub as_of: Option<&'static str>,
}
