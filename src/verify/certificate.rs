//! All names in a signing certificate.
//!
//! The verifier reads only the first name and falls back to a deprecated issuer extension. This module requires exactly
//! one name and the current issuer extension.

use x509_cert::Certificate;
use x509_cert::der::asn1::Utf8StringRef;
use x509_cert::der::{Decode as _, oid::ObjectIdentifier};
use x509_cert::ext::pkix::{SubjectAltName, name::GeneralName};

/// Subject alternative name (RFC 5280, 4.2.1.6).
const SUBJECT_ALT_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.17");

/// OIDC issuer, as DER text (Fulcio's extensions).
const ISSUER: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.57264.1.8");

/// The identity in a certificate.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Names {
    pub identity: Identity,
    pub issuer: String,
}

/// The name in a certificate, with its type.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Identity {
    Uri(String),
    Email(String),
}

impl Identity {
    pub fn as_str(&self) -> &str {
        match self {
            Self::Uri(text) | Self::Email(text) => text,
        }
    }

    /// True if the text matches its type: only a URI has a scheme.
    pub fn is_well_formed(&self) -> bool {
        match self {
            Self::Uri(text) => text.contains("://"),
            Self::Email(text) => !text.contains("://") && text.contains('@'),
        }
    }
}

/// Why a certificate does not name exactly one signer.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum NamesError {
    #[error("it cannot be read")]
    Certificate,
    #[error("it has no name")]
    NoName,
    #[error("it has two lists of names")]
    TwoLists,
    #[error("its names cannot be read")]
    UnreadableNames,
    #[error("its name is neither a URI nor an email address")]
    Kind,
    #[error("it names more than one signer")]
    SeveralSigners,
    #[error("it has no current issuer extension, only deprecated ones or none")]
    NoIssuer,
    #[error("it has two issuer extensions")]
    TwoIssuers,
    #[error("its issuer cannot be read")]
    UnreadableIssuer,
}

/// Reads the names of a DER certificate.
///
/// # Errors
/// If the certificate does not name exactly one signer; the message gives the reason.
pub fn names(der: &[u8]) -> Result<Names, NamesError> {
    let certificate = Certificate::from_der(der).map_err(|_| NamesError::Certificate)?;
    let extensions = certificate.tbs_certificate.extensions.unwrap_or_default();
    let value = |wanted: ObjectIdentifier, absent: NamesError, twice: NamesError| {
        let mut found = extensions.iter().filter(|extension| extension.extn_id == wanted);
        match (found.next(), found.next()) {
            (Some(extension), None) => Ok(extension.extn_value.as_bytes()),
            (None, _) => Err(absent),
            (Some(_), Some(_)) => Err(twice),
        }
    };
    let names = value(SUBJECT_ALT_NAME, NamesError::NoName, NamesError::TwoLists)?;
    let names = SubjectAltName::from_der(names).map_err(|_| NamesError::UnreadableNames)?;
    let identity = match names.0.as_slice() {
        [GeneralName::UniformResourceIdentifier(uri)] => Identity::Uri(uri.to_string()),
        [GeneralName::Rfc822Name(email)] => Identity::Email(email.to_string()),
        [_] => return Err(NamesError::Kind),
        [] => return Err(NamesError::NoName),
        [..] => return Err(NamesError::SeveralSigners),
    };
    let issuer = value(ISSUER, NamesError::NoIssuer, NamesError::TwoIssuers)?;
    let issuer = Utf8StringRef::from_der(issuer).map_err(|_| NamesError::UnreadableIssuer)?;
    Ok(Names { identity, issuer: issuer.as_str().to_owned() })
}
