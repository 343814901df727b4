//! Public keys that the caller trusts.

use sigstore_verify::crypto::VerificationKey;
use sigstore_verify::types::DerPublicKey;

use super::shown::shown;

/// Why bytes are not a public key.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum KeyError {
    #[error("it is not text")]
    NotText,
    #[error("{0}")]
    NotAKey(String),
}

/// A public key that the caller trusts.
#[derive(Clone, Debug)]
pub struct VerifyingKey(pub(super) DerPublicKey);

impl VerifyingKey {
    /// Reads a PEM public key.
    ///
    /// # Errors
    /// If it is not a PEM public key; the message gives the reason.
    pub fn parse(bytes: &[u8]) -> Result<Self, KeyError> {
        let text = std::str::from_utf8(bytes).map_err(|_| KeyError::NotText)?;
        let reason = |error: &dyn std::error::Error| KeyError::NotAKey(shown(&error.to_string()));
        let key = DerPublicKey::from_pem(text).map_err(|error| reason(&error))?;
        VerificationKey::from_spki(&key).map_err(|error| reason(&error))?;
        Ok(Self(key))
    }
}
