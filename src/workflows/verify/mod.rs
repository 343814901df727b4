//! Whether a file was signed by whom you expect, from its Sigstore bundle. Opens no connection.

mod answer;

use std::io;
use std::path::{Path, PathBuf};

use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::{clock, files};
use crate::verify::bundle::MAX_BUNDLE;
use crate::verify::{
    Bundle, ExpectedContent, ExpectedIdentity, ExpectedSigner, Policy, Sha256, VerifiedSubject,
    VerifyingKey,
};
use crate::workflows::Run;
use crate::workflows::asked::{about, shown, too_large, trust_root, unreadable};

/// Files up to this size are read whole, larger ones in one pass: some kinds of key sign only what is read whole.
const MAX_WHOLE: u64 = 64 * 1024 * 1024;

/// Largest public key, in bytes.
const MAX_KEY: u64 = 64 * 1024;

/// A file, its bundle, and who must have signed it.
#[derive(Clone, Debug)]
pub struct VerifyRequest {
    /// The file, or its digest as `sha256:` and 64 hexadecimal digits.
    pub file: PathBuf,
    pub bundle: PathBuf,
    /// The exact identity in the certificate.
    pub certificate_identity: Option<String>,
    /// A pattern of the whole identity.
    pub certificate_identity_regexp: Option<String>,
    pub certificate_oidc_issuer: Option<String>,
    /// A public key in place of a certificate.
    pub key: Option<PathBuf>,
    pub trusted_root: Option<PathBuf>,
    /// The content that the bundle must have.
    pub content: ExpectedContent,
}

/// Verifies the file.
///
/// # Errors
/// `E_INTEGRITY` with the reason when the file is not what was signed by the expected signer.
pub fn verify(args: &VerifyRequest, run: &Run) -> Result<Outcome, Failure> {
    // Faults of the command line are reported before any file is read.
    let digest = digest(&args.file)?;
    let signer = signer(args)?;
    let trust = trust_root(args.trusted_root.as_deref())?;
    let bundle = Bundle::parse(&read_bundle(&args.bundle)?)
        .map_err(|error| about("the bundle ", &args.bundle, " is refused: ", error.into()))?;
    let policy = Policy { signer, content: args.content, now: clock::now_seconds() };
    let verdict = match digest {
        Some(digest) => policy.verify(VerifiedSubject::Digest(digest), &bundle, &trust),
        None => {
            let mut stream = files::open_named(&args.file)
                .map_err(|error| unreadable("the file", &args.file, &error))?;
            let mut whole = Vec::new();
            let subject = match stream.length {
                0..=MAX_WHOLE => {
                    whole_file(&mut stream, &mut whole)
                        .map_err(|error| unreadable("the file", &args.file, &error))?;
                    VerifiedSubject::Bytes(&whole)
                }
                _ => VerifiedSubject::Stream(&mut stream),
            };
            policy.verify(subject, &bundle, &trust)
        }
    };
    let verdict = verdict
        .map_err(|rejection| about("", &args.file, " is not verified: ", rejection.into()))?;
    Ok(Outcome::new(
        answer::data(args, &verdict, &trust),
        answer::text(args, &verdict, &trust, run),
    ))
}

/// Reads all of a file, or fails: a part of it must never be taken for the file.
fn whole_file(stream: &mut files::Stream, whole: &mut Vec<u8>) -> io::Result<()> {
    io::Read::read_to_end(&mut io::Read::take(stream, MAX_WHOLE + 1), whole)?;
    match whole.len() as u64 {
        0..=MAX_WHOLE => Ok(()),
        _ => Err(io::Error::other("it grew while aos read it")),
    }
}

/// The digest that is given instead of a file.
fn digest(file: &Path) -> Result<Option<Sha256>, Failure> {
    let Some(text) = file.to_str().and_then(|text| text.strip_prefix("sha256:")) else {
        return Ok(None);
    };
    Sha256::parse(text).map(Some).ok_or_else(|| {
        let name = shown(file);
        Failure::new(ErrorCode::Usage, format!("`{name}` is not a digest")).hint(format!(
            "write `sha256:` and 64 hexadecimal digits; a file of that name is `./{name}`"
        ))
    })
}

fn signer(args: &VerifyRequest) -> Result<ExpectedSigner, Failure> {
    if let Some(path) = &args.key {
        let bytes = files::read_named(path, MAX_KEY)
            .map_err(|error| unreadable("the key", path, &error))?;
        let key = VerifyingKey::parse(&bytes.bytes).map_err(|reason| {
            let message = format!("the key `{}` cannot be used: {reason}", shown(path));
            Failure::new(ErrorCode::Config, message)
                .hint("use a public key in PEM format, `-----BEGIN PUBLIC KEY-----`")
        })?;
        return Ok(ExpectedSigner::Key(key));
    }
    let (option, identity) = match (&args.certificate_identity, &args.certificate_identity_regexp) {
        (Some(identity), _) => ("--certificate-identity", ExpectedIdentity::exact(identity)),
        (None, pattern) => (
            "--certificate-identity-regexp",
            ExpectedIdentity::pattern(pattern.as_deref().unwrap_or_default()),
        ),
    };
    let identity = identity.map_err(|error| {
        let mut failure = Failure::from(error);
        failure.message = format!("`{option}` cannot be used: {}", failure.message);
        failure
    })?;
    let issuer = args.certificate_oidc_issuer.clone().unwrap_or_default();
    if issuer.trim().is_empty() {
        return Err(Failure::new(ErrorCode::Usage, "`--certificate-oidc-issuer` must not be empty")
            .hint("use the OpenID Connect issuer of the signer, for example `https://token.actions.githubusercontent.com`"));
    }
    Ok(ExpectedSigner::Certificate { identity, issuer, repository: None })
}

fn read_bundle(path: &Path) -> Result<Vec<u8>, Failure> {
    let loaded =
        files::read_named(path, MAX_BUNDLE as u64).map_err(|error| match error.kind() {
            io::ErrorKind::FileTooLarge => {
                too_large("the bundle", path, ErrorCode::Integrity, MAX_BUNDLE)
                    .detail("reason", "malformed_bundle")
            }
            _ => unreadable("the bundle", path, &error),
        })?;
    Ok(loaded.bytes)
}
