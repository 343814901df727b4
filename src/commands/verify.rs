//! `aos verify`: whether a file was signed by whom you expect, from its Sigstore bundle.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use crate::report::{Failure, Outcome};
use crate::verify::ExpectedContent;
use crate::workflows::verify::{self, VerifyRequest};

use super::Run;

/// Verify who signed a file, from its Sigstore bundle, without network
#[derive(Args, Debug)]
#[command(
    group(ArgGroup::new("signer").required(true).args(["certificate_identity", "certificate_identity_regexp", "key"])),
    after_help = "The identity must be the complete name of the signer. A pattern must match all of it, and a pattern \
                  that matches other signers is refused.\n\n\
                  `aos verify` accepts a signature of the file's bytes, or with `--attestation` an attestation about \
                  the file. `aos verify-bundle` accepts both, and reports which it was."
)]
pub struct VerifyArgs {
    /// File to verify, or its digest as `sha256:` and 64 hexadecimal digits
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Sigstore bundle of the file
    #[arg(long, value_name = "BUNDLE")]
    pub bundle: PathBuf,
    /// Exact signer: the URL of a workflow at a ref, or an email address
    #[arg(long, value_name = "IDENTITY", requires = "certificate_oidc_issuer")]
    pub certificate_identity: Option<String>,
    /// Signer as a regular expression that must match the whole identity
    #[arg(long, value_name = "PATTERN", requires = "certificate_oidc_issuer")]
    pub certificate_identity_regexp: Option<String>,
    /// OpenID Connect issuer of the signer, for example `https://token.actions.githubusercontent.com`
    #[arg(long, value_name = "URL", conflicts_with = "key")]
    pub certificate_oidc_issuer: Option<String>,
    /// Public key of the signer in PEM format, for a bundle without certificate
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Trust only this trust root; the default is the embedded public one
    #[arg(long, value_name = "FILE")]
    pub trusted_root: Option<PathBuf>,
    /// Require an in-toto attestation about the file instead of a signature
    #[arg(long)]
    pub attestation: bool,
    /// Accepted for compatibility: verification never opens a connection
    #[arg(long)]
    pub offline: bool,
}

impl VerifyArgs {
    fn request(&self, content: ExpectedContent) -> VerifyRequest {
        VerifyRequest {
            file: self.file.clone(),
            bundle: self.bundle.clone(),
            certificate_identity: self.certificate_identity.clone(),
            certificate_identity_regexp: self.certificate_identity_regexp.clone(),
            certificate_oidc_issuer: self.certificate_oidc_issuer.clone(),
            key: self.key.clone(),
            trusted_root: self.trusted_root.clone(),
            content: if self.attestation { ExpectedContent::Attestation } else { content },
        }
    }
}

/// Runs `aos verify`.
///
/// # Errors
/// `E_INTEGRITY` with the reason when the file is not what was signed by the expected signer.
pub fn run(args: &VerifyArgs, run: &Run) -> Result<Outcome, Failure> {
    verify::verify(&args.request(ExpectedContent::Signature), run)
}

/// Runs `aos verify-bundle`.
///
/// # Errors
/// As [`run`].
pub fn run_either(args: &VerifyArgs, run: &Run) -> Result<Outcome, Failure> {
    verify::verify(&args.request(ExpectedContent::Either), run)
}
