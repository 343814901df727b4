//! Converts errors of `verify` into failures: why a signed file must not be used.

use crate::report::{ErrorCode, Failure};
use crate::verify::bundle::BundleError;
use crate::verify::identity::IdentityError;
use crate::verify::trust_root::TrustRootError;
use crate::verify::verdict::Rejection;

use super::{io_code, io_hint};

/// The advice for a file without a verdict.
const DO_NOT_USE: &str =
    "do not use the file and do not retry; download file and bundle again from their publisher";

impl From<BundleError> for Failure {
    fn from(error: BundleError) -> Self {
        let message = error.to_string();
        let (reason, hint) = match error {
            BundleError::Legacy => (
                "old_format",
                "sign with `cosign sign-blob --bundle FILE` of cosign 3, or add `--new-bundle-format` to cosign 2",
            ),
            BundleError::MediaType(_) => {
                ("unknown_format", "use a Sigstore bundle of version 0.1, 0.2 or 0.3")
            }
            BundleError::Document(_) | BundleError::Choice { .. } | BundleError::Content(_) => {
                ("malformed_bundle", DO_NOT_USE)
            }
        };
        Self::new(ErrorCode::Integrity, message).hint(hint).detail("reason", reason)
    }
}

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Self {
        let (message, reason) = (rejection.to_string(), rejection.reason());
        let refused = |hint: &str| Self::new(ErrorCode::Integrity, message.as_str()).hint(hint);
        let found = |member: &str, text: &str| serde_json::json!({member: text});
        let failure = match &rejection {
            Rejection::NotASignature => refused("add `--attestation` to verify the attestation"),
            Rejection::NotAnAttestation => refused("remove `--attestation` to verify a signature"),
            Rejection::Signer { found: name, .. } => {
                refused("do not use the file unless its publisher names that signer")
                    .detail("signer", found("identity", name))
            }
            Rejection::Issuer { found: name, .. } => {
                refused("do not use the file unless its publisher names that issuer")
                    .detail("signer", found("issuer", name))
            }
            Rejection::SignerKind { .. } => refused(
                "a bundle for a key needs `--key`, one for a certificate needs `--certificate-identity`",
            ),
            Rejection::Future(_) => {
                refused("correct the clock of this machine; if it is correct, do not use the file")
            }
            Rejection::Certificate(_) | Rejection::Log(_) | Rejection::Time(_) => refused(
                "do not use the file; if it was signed with another Sigstore instance, pass its trust root with `--trusted-root`",
            ),
            Rejection::Repository { .. }
            | Rejection::Artifact(_)
            | Rejection::Signature(_)
            | Rejection::Unsupported(_)
            | Rejection::Skipped(_) => refused(DO_NOT_USE),
            Rejection::Read(source) => {
                Self::new(io_code(source), message.as_str()).hint(io_hint(source))
            }
        };
        failure.detail("reason", reason)
    }
}

impl From<TrustRootError> for Failure {
    fn from(error: TrustRootError) -> Self {
        Self::new(ErrorCode::Config, error.to_string())
            .hint("use the `trusted_root.json` of the Sigstore instance that signed the file; nothing was verified")
    }
}

impl From<IdentityError> for Failure {
    fn from(error: IdentityError) -> Self {
        let message = error.to_string();
        let hint = match error {
            IdentityError::Empty | IdentityError::TooLong => {
                "name the signer, for example `https://github.com/OWNER/REPO/.github/workflows/release.yml@refs/tags/v1.2.3`"
            }
            IdentityError::Syntax(_) => {
                "correct the pattern, or name the signer exactly with `--certificate-identity`"
            }
            IdentityError::Strangers(_) => {
                "the pattern must contain at least the owner and the repository"
            }
        };
        Self::new(ErrorCode::Usage, message).hint(hint)
    }
}
