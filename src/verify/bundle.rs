//! A Sigstore bundle, read strictly: known media type, one of each choice, one log entry with its inclusion proof.
//!
//! This module only parses; `policy` verifies the claims.

use serde_json::Value;
use sigstore_verify::types::{Bundle as Parsed, SignatureContent};

use super::document::{self, DocumentError, Shape, may, must};
use super::shown::shown;

/// Largest bundle, in bytes.
pub const MAX_BUNDLE: usize = 256 * 1024;

/// Media types of versions 0.1, 0.2 and 0.3; the last has two spellings.
const MEDIA_TYPES: &[&str] = &[
    "application/vnd.dev.sigstore.bundle+json;version=0.1",
    "application/vnd.dev.sigstore.bundle+json;version=0.2",
    "application/vnd.dev.sigstore.bundle+json;version=0.3",
    "application/vnd.dev.sigstore.bundle.v0.3+json",
];

/// Members of the format that cosign wrote before version 3.
const LEGACY: &[&str] = &["base64Signature", "rekorBundle", "SignedEntryTimestamp"];

/// Largest number of certificates, timestamps and hashes in a bundle.
const MOST: usize = 64;

const RAW: Shape = Shape::Object(&[must("rawBytes", Shape::Text)]);

const LOG_ENTRY: Shape = Shape::Object(&[
    may("logIndex", Shape::Integer),
    must("logId", Shape::Object(&[must("keyId", Shape::Text)])),
    must("kindVersion", Shape::Object(&[must("kind", Shape::Text), must("version", Shape::Text)])),
    may("integratedTime", Shape::Integer),
    may("inclusionPromise", Shape::Object(&[must("signedEntryTimestamp", Shape::Text)])),
    must(
        "inclusionProof",
        Shape::Object(&[
            may("logIndex", Shape::Integer),
            must("rootHash", Shape::Text),
            must("treeSize", Shape::Integer),
            may("hashes", Shape::List(&Shape::Text, 0, MOST)),
            must("checkpoint", Shape::Object(&[must("envelope", Shape::Text)])),
        ]),
    ),
    must("canonicalizedBody", Shape::Text),
]);

const TIMESTAMPS: Shape = Shape::Object(&[may(
    "rfc3161Timestamps",
    Shape::List(&Shape::Object(&[must("signedTimestamp", Shape::Text)]), 0, MOST),
)]);

const MATERIAL: Shape = Shape::Object(&[
    may("certificate", RAW),
    may("x509CertificateChain", Shape::Object(&[must("certificates", Shape::List(&RAW, 1, MOST))])),
    may("publicKey", Shape::Object(&[may("hint", Shape::Text)])),
    must("tlogEntries", Shape::List(&LOG_ENTRY, 1, 1)),
    may("timestampVerificationData", TIMESTAMPS),
]);

const BUNDLE: Shape = Shape::Object(&[
    must("mediaType", Shape::Text),
    must("verificationMaterial", MATERIAL),
    may(
        "messageSignature",
        Shape::Object(&[
            may(
                "messageDigest",
                Shape::Object(&[must("algorithm", Shape::Text), must("digest", Shape::Text)]),
            ),
            must("signature", Shape::Text),
        ]),
    ),
    may(
        "dsseEnvelope",
        Shape::Object(&[
            must("payload", Shape::Text),
            must("payloadType", Shape::Text),
            must(
                "signatures",
                Shape::List(
                    &Shape::Object(&[must("sig", Shape::Text), may("keyid", Shape::Text)]),
                    1,
                    1,
                ),
            ),
        ]),
    ),
]);

/// Why bytes are not a bundle.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum BundleError {
    #[error(transparent)]
    Document(#[from] DocumentError),
    #[error("it is in the old format of cosign 2, which has no inclusion proof")]
    Legacy,
    #[error("its media type `{0}` is not known")]
    MediaType(String),
    #[error("it must have exactly one of {}; it has {found}", names.join(", "))]
    Choice { names: &'static [&'static str], found: usize },
    #[error("it cannot be read: {0}")]
    Content(String),
}

/// The content that was signed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum BundleContent {
    /// The bytes of the file.
    Signature,
    /// An in-toto statement that names the file's digest.
    Attestation,
}

/// A well-formed bundle; nothing in it is verified yet.
#[derive(Clone, Debug)]
pub struct Bundle {
    pub(super) parsed: Parsed,
}

impl Bundle {
    /// Reads a bundle of version 0.1, 0.2 or 0.3.
    ///
    /// # Errors
    /// If a member is unknown, duplicate, missing or surplus.
    pub fn parse(bytes: &[u8]) -> Result<Self, BundleError> {
        let (text, value) = document::parse(bytes, MAX_BUNDLE)?;
        if LEGACY.iter().any(|name| value.get(name).is_some()) {
            return Err(BundleError::Legacy);
        }
        // Checked first, so that a newer version is reported as such and not as an unknown member.
        if let Some(media_type) = value.get("mediaType").and_then(Value::as_str)
            && !MEDIA_TYPES.contains(&media_type)
        {
            return Err(BundleError::MediaType(shown(media_type)));
        }
        document::check(&value, &BUNDLE, "")?;
        one_of(&value, &["messageSignature", "dsseEnvelope"])?;
        one_of(
            &value["verificationMaterial"],
            &["certificate", "x509CertificateChain", "publicKey"],
        )?;
        let parsed = Parsed::from_json(text)
            .map_err(|error| BundleError::Content(shown(&error.to_string())))?;
        Ok(Self { parsed })
    }

    /// Returns the content that the bundle claims was signed.
    #[must_use]
    pub fn content(&self) -> BundleContent {
        match self.parsed.content {
            SignatureContent::MessageSignature(_) => BundleContent::Signature,
            // `parse` accepts no other member than the envelope.
            _ => BundleContent::Attestation,
        }
    }
}

fn one_of(object: &Value, names: &'static [&'static str]) -> Result<(), BundleError> {
    let found = names.iter().filter(|name| object.get(name).is_some_and(|value| !value.is_null()));
    match found.count() {
        1 => Ok(()),
        found => Err(BundleError::Choice { names, found }),
    }
}
