//! The signer of a bundle with a certificate, and the claims about its build.

use sigstore_verify::VerificationResult;
use sigstore_verify::crypto::CertificateInfo;

use super::bundle::Bundle;
use super::certificate::{self, Names};
use super::shown::shown;
use super::verdict::{Claims, Rejection};

/// The signer in the certificate, on which this module and the verifier agree.
pub(super) fn signer(result: &VerificationResult, bundle: &Bundle) -> Result<Names, Rejection> {
    let refuse = |reason: &str| Rejection::Certificate(reason.to_owned());
    let der = bundle.parsed.signing_certificate().ok_or_else(|| refuse("there is none"))?;
    let names = certificate::names(der.as_bytes()).map_err(|error| refuse(&error.to_string()))?;
    if !names.identity.is_well_formed() {
        return Err(refuse("its name has the wrong type"));
    }
    let seen = result.identity().map(|identity| identity.as_str());
    if seen != Some(names.identity.as_str()) || result.issuer() != Some(names.issuer.as_str()) {
        return Err(refuse("its names can be read in two ways"));
    }
    Ok(names)
}

pub(super) fn claims(certificate: &CertificateInfo) -> Claims {
    let claims = &certificate.ci_claims;
    Claims {
        repository: claims.source_repository_uri.clone(),
        git_ref: claims.source_repository_ref.clone(),
        commit: claims.source_repository_digest.clone(),
        runner: claims.runner_environment.clone(),
        trigger: claims.build_trigger.clone(),
        run: claims.run_invocation_uri.clone(),
    }
}

/// A missing claim does not match the expected one.
pub(super) fn from_repository(claims: &Claims, expected: Option<&str>) -> Result<(), Rejection> {
    match expected {
        Some(expected) if claims.repository.as_deref() != Some(expected) => {
            Err(Rejection::Repository {
                found: claims.repository.as_deref().map_or_else(|| "nowhere".to_owned(), shown),
                expected: shown(expected),
            })
        }
        _ => Ok(()),
    }
}
