//! Verification of a signed file: bytes in, verdict out.
//!
//! This module opens no file and no connection. `sigstore-verify` does the cryptography and reads the clock of this
//! machine. Documents with missing, duplicate or unknown members are refused.

pub mod bundle;
mod certificate;
pub mod checksums;
mod document;
pub mod identity;
pub mod key;
mod log_entry;
pub mod policy;
mod shown;
mod signer;
pub mod trust_root;
pub mod verdict;

#[cfg(test)]
#[path = "../../tests/sigstore/mod.rs"]
#[expect(dead_code, reason = "shared with the tests of the binary, which use all of it")]
mod sigstore;

pub use bundle::{Bundle, BundleContent};
pub use checksums::{Checksums, Sha256};
pub use identity::ExpectedIdentity;
pub use key::VerifyingKey;
pub use policy::{ExpectedContent, ExpectedSigner, Policy, VerifiedSubject};
pub use trust_root::TrustRoot;
pub use verdict::{Rejection, Signer, Verdict};
