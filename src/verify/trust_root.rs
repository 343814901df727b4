//! The trust root: the embedded one, or one that the user passes. Never both, and never a fallback.

use serde_json::Value;
use sigstore_trust_root::{SIGSTORE_PRODUCTION_TRUSTED_ROOT, TransparencyLog, TrustedRoot};
use sigstore_verify::Verifier;
use sigstore_verify::types::LogKeyId;

use super::checksums::Sha256;
use super::document::{self, DocumentError};
use super::shown::shown;

/// Largest trust root, in bytes.
pub const MAX_TRUST_ROOT: usize = 1024 * 1024;

/// Release date of the crate with the embedded root; the root is at least that new.
pub const EMBEDDED_AS_OF: &str = "2026-10-23";

/// Known media types; the second version has two spellings.
const MEDIA_TYPES: &[&str] = &[
    "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
    "application/vnd.dev.sigstore.trustedroot+json;version=0.2",
    "application/vnd.dev.sigstore.trustedroot.v0.2+json",
];

/// Why bytes are not a trust root.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum TrustRootError {
    #[error(transparent)]
    Document(#[from] DocumentError),
    #[error("its media type is {}", .0.as_ref().map_or("missing".to_owned(), |name| format!("`{name}`, which is not known")))]
    MediaType(Option<String>),
    #[error("it has no {0}")]
    Incomplete(&'static str),
    #[error("{0}")]
    Content(String),
}

/// The source of a trust root.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TrustOrigin {
    Embedded,
    Given,
}

/// A trust root in which every key and certificate could be parsed.
pub struct TrustRoot {
    pub origin: TrustOrigin,
    /// Digest of the document.
    pub digest: Sha256,
    pub(super) verifier: Verifier,
    root: TrustedRoot,
}

impl TrustRoot {
    /// The embedded trust root of Sigstore's public-good instance.
    ///
    /// # Errors
    /// Never in a build whose tests passed.
    pub fn embedded() -> Result<Self, TrustRootError> {
        Self::read(SIGSTORE_PRODUCTION_TRUSTED_ROOT.as_bytes(), TrustOrigin::Embedded)
    }

    /// A trust root from the user, which replaces the embedded one.
    ///
    /// # Errors
    /// If it is malformed, or could never accept a bundle.
    pub fn given(bytes: &[u8]) -> Result<Self, TrustRootError> {
        Self::read(bytes, TrustOrigin::Given)
    }

    fn read(bytes: &[u8], origin: TrustOrigin) -> Result<Self, TrustRootError> {
        let (text, value) = document::parse(bytes, MAX_TRUST_ROOT)?;
        let media_type = value.get("mediaType").and_then(Value::as_str);
        if media_type.is_none_or(|name| !MEDIA_TYPES.contains(&name)) {
            return Err(TrustRootError::MediaType(media_type.map(shown)));
        }
        let content =
            |error: &dyn std::error::Error| TrustRootError::Content(shown(&error.to_string()));
        let root = TrustedRoot::from_json(text).map_err(|error| content(&error))?;
        for (what, is_empty) in [
            ("transparency log", root.tlogs.is_empty()),
            ("certificate authority", root.certificate_authorities.is_empty()),
            ("certificate transparency log", root.ctlogs.is_empty()),
        ] {
            if is_empty {
                return Err(TrustRootError::Incomplete(what));
            }
        }
        // Parses every key and certificate, and refuses duplicate logs and validity periods that end before they start.
        let verifier = Verifier::new(&root).map_err(|error| content(&error))?;
        Ok(Self { origin, digest: Sha256::of(bytes), verifier, root })
    }

    /// The transparency log with this id.
    pub(super) fn log(&self, id: &LogKeyId) -> Option<&TransparencyLog> {
        self.root.tlogs.iter().find(|log| log.log_id.key_id == *id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(change: impl Fn(&mut Value)) -> Result<TrustRoot, TrustRootError> {
        let mut value: Value = serde_json::from_str(SIGSTORE_PRODUCTION_TRUSTED_ROOT).unwrap();
        change(&mut value);
        TrustRoot::given(value.to_string().as_bytes())
    }

    fn reason(result: Result<TrustRoot, TrustRootError>) -> String {
        result.err().expect("a fault").to_string()
    }

    // A new release of the crate may carry a new root: then this digest and `EMBEDDED_AS_OF` change together.
    #[test]
    fn the_embedded_root_is_the_one_that_was_looked_at() {
        let root = TrustRoot::embedded().unwrap();
        assert_eq!(root.origin, TrustOrigin::Embedded);
        let digest = root.digest.to_string();
        assert!(digest.starts_with("6494e21e"), "{digest}");
    }

    #[test]
    fn a_root_needs_a_known_media_type() {
        assert!(changed(|_| {}).is_ok());
        let missing = changed(|root| drop(root.as_object_mut().unwrap().remove("mediaType")));
        assert_eq!(reason(missing), "its media type is missing");
        let other = changed(|root| root["mediaType"] = "application/json".into());
        assert_eq!(reason(other), "its media type is `application/json`, which is not known");
    }

    #[test]
    fn a_root_without_any_authority_of_a_kind_is_refused_at_once() {
        for (member, what) in [
            ("tlogs", "it has no transparency log"),
            ("certificateAuthorities", "it has no certificate authority"),
            ("ctlogs", "it has no certificate transparency log"),
        ] {
            assert_eq!(reason(changed(|root| root[member] = Value::Array(vec![]))), what);
            let removed = changed(|root| drop(root.as_object_mut().unwrap().remove(member)));
            assert_eq!(reason(removed), what);
        }
    }

    #[test]
    fn keys_windows_and_certificates_are_read_up_front() {
        let no_start = changed(|root| {
            root["tlogs"][0]["publicKey"]["validFor"] =
                serde_json::json!({"end": "2030-01-01T00:00:00Z"});
        });
        assert!(reason(no_start).contains("start"));
        let backwards = changed(|root| {
            root["tlogs"][0]["publicKey"]["validFor"]["end"] = "1999-01-01T00:00:00Z".into();
        });
        assert!(reason(backwards).contains("ends before it starts"));
        let no_key = changed(|root| root["ctlogs"][0]["publicKey"]["rawBytes"] = "AQID".into());
        reason(no_key);
        let doubled = changed(|root| {
            let log = root["tlogs"][0].clone();
            root["tlogs"].as_array_mut().unwrap().push(log);
        });
        assert!(reason(doubled).contains("duplicate"));
    }

    #[test]
    fn a_root_is_bounded_strict_json() {
        let long = vec![b' '; MAX_TRUST_ROOT + 1];
        assert_eq!(reason(TrustRoot::given(&long)), "it is larger than 1048576 bytes");
        let twice = SIGSTORE_PRODUCTION_TRUSTED_ROOT.replacen('{', r#"{"tlogs": [],"#, 1);
        assert!(reason(TrustRoot::given(twice.as_bytes())).contains("duplicate member `tlogs`"));
        assert!(reason(TrustRoot::given(b"{")).contains("not JSON"));
    }
}
