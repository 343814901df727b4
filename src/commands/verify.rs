//! `aos verify`: whether a file was signed by whom you expect, from its Sigstore bundle. Opens no connection.

use std::io;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};

use crate::report::answers::verify::{
    LogRecord, SignerClaims, UsedTrustRoot, VerifiedFile, VerifiedSigner,
};
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::{clock, files};
use crate::verify::bundle::MAX_BUNDLE;
use crate::verify::trust_root::{EMBEDDED_AS_OF, Origin};
use crate::verify::{
    Bundle, Content, ExpectedContent, ExpectedIdentity, ExpectedSigner, Policy, Sha256, Signer,
    Subject, TrustRoot, Verdict, VerifyingKey,
};

use crate::visible::{Visible, visible};

use crate::workflows::asked::{about, shown, too_large, trust_root, unreadable};

use super::Run;

/// Files up to this size are read whole, larger ones in one pass: some kinds of key sign only what is read whole.
const MAX_WHOLE: u64 = 64 * 1024 * 1024;

/// Largest public key, in bytes.
const MAX_KEY: u64 = 64 * 1024;

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

/// Runs `aos verify`.
///
/// # Errors
/// `E_INTEGRITY` with the reason when the file is not what was signed by the expected signer.
pub fn run(args: &VerifyArgs, run: &Run) -> Result<Outcome, Failure> {
    verified(args, run, ExpectedContent::Signature)
}

/// Runs `aos verify-bundle`.
///
/// # Errors
/// As [`run`].
pub fn run_either(args: &VerifyArgs, run: &Run) -> Result<Outcome, Failure> {
    verified(args, run, ExpectedContent::Either)
}

fn verified(args: &VerifyArgs, run: &Run, content: ExpectedContent) -> Result<Outcome, Failure> {
    // What is wrong with the command line comes before any file.
    let digest = digest(&args.file)?;
    let signer = signer(args)?;
    let content = if args.attestation { ExpectedContent::Attestation } else { content };
    let trust = trust_root(args.trusted_root.as_deref())?;
    let bundle = Bundle::parse(&read_bundle(&args.bundle)?)
        .map_err(|error| about("the bundle ", &args.bundle, " is refused: ", error.into()))?;
    let policy = Policy { signer, content, now: clock::now_seconds() };
    let verdict = match digest {
        Some(digest) => policy.verify(Subject::Digest(digest), &bundle, &trust),
        None => {
            let mut stream = files::open_named(&args.file)
                .map_err(|error| unreadable("the file", &args.file, &error))?;
            let mut whole = Vec::new();
            let subject = match stream.length {
                0..=MAX_WHOLE => {
                    whole_file(&mut stream, &mut whole)
                        .map_err(|error| unreadable("the file", &args.file, &error))?;
                    Subject::Bytes(&whole)
                }
                _ => Subject::Stream(&mut stream),
            };
            policy.verify(subject, &bundle, &trust)
        }
    };
    let verdict = verdict
        .map_err(|rejection| about("", &args.file, " is not verified: ", rejection.into()))?;
    Ok(Outcome::new(data(args, &verdict, &trust), text(args, &verdict, &trust, run)))
}

/// Reads all of a file, or fails: a part of it must never be taken for the file.
fn whole_file(stream: &mut files::Stream, whole: &mut Vec<u8>) -> io::Result<()> {
    io::Read::read_to_end(&mut io::Read::take(stream, MAX_WHOLE + 1), whole)?;
    match whole.len() as u64 {
        0..=MAX_WHOLE => Ok(()),
        _ => Err(io::Error::other("it grew while aos read it")),
    }
}

/// The digest that stands in place of a file.
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

fn signer(args: &VerifyArgs) -> Result<ExpectedSigner, Failure> {
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

fn kind(verdict: &Verdict) -> &'static str {
    match verdict.content {
        Content::Signature => "signature",
        Content::Attestation => "attestation",
    }
}

fn data(args: &VerifyArgs, verdict: &Verdict, trust: &TrustRoot) -> VerifiedFile {
    let times: Vec<_> = verdict.times.iter().map(ToString::to_string).collect();
    let (signer, claims) = match &verdict.signer {
        Signer::Certificate { identity, issuer, claims } => (
            VerifiedSigner {
                identity: Some(identity.clone()),
                issuer: Some(issuer.clone()),
                key: None,
            },
            Some(SignerClaims {
                repository: claims.repository.clone(),
                git_ref: claims.git_ref.clone(),
                commit: claims.commit.clone(),
                runner: claims.runner.clone(),
                trigger: claims.trigger.clone(),
                run: claims.run.clone(),
            }),
        ),
        Signer::Key { fingerprint } => {
            let key = Some(format!("sha256:{fingerprint}"));
            (VerifiedSigner { identity: None, issuer: None, key }, None)
        }
    };
    let log = &verdict.log;
    let statement = verdict.statement.as_ref();
    VerifiedFile {
        verified: true,
        file: args.file.to_string_lossy().into_owned(),
        digest: format!("sha256:{}", verdict.digest),
        kind: kind(verdict),
        predicate_type: statement.map(|statement| statement.predicate_type.clone()),
        signer,
        claims,
        signed_at: times.first().cloned(),
        times,
        log: LogRecord {
            url: log.url.clone(),
            index: log.index.to_string(),
            entry: log.entry.clone(),
        },
        trust_root: UsedTrustRoot {
            source: match trust.origin {
                Origin::Embedded => "embedded",
                Origin::Given => "file",
            },
            path: args.trusted_root.as_ref().map(|path| path.to_string_lossy().into_owned()),
            sha256: trust.digest.to_string(),
            as_of: (trust.origin == Origin::Embedded).then_some(EMBEDDED_AS_OF),
        },
        offline: true,
    }
}

fn text(args: &VerifyArgs, verdict: &Verdict, trust: &TrustRoot, run: &Run) -> Visible {
    let what = match &verdict.statement {
        Some(statement) => visible!("attestation, {}", statement.predicate_type),
        None => Visible::literal(kind(verdict)),
    };
    let mut rows = vec![("kind", what)];
    match &verdict.signer {
        Signer::Certificate { identity, issuer, claims } => {
            rows.push(("signed by", Visible::line(identity)));
            rows.push(("vouched by", Visible::line(issuer)));
            if let (Some(repository), Some(commit)) = (&claims.repository, &claims.commit) {
                rows.push(("built from", visible!("{} at {}", repository, commit)));
            }
        }
        Signer::Key { fingerprint } => {
            rows.push(("signed by", visible!("key sha256:{}", fingerprint)))
        }
    }
    let times = verdict.times.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    rows.push(("signed at", Visible::line(&times)));
    let log = &verdict.log;
    rows.push(("logged in", visible!("{}, entry {}", log.url, log.index)));
    rows.push((
        "trust root",
        match &args.trusted_root {
            Some(path) => visible!("{} (sha256:{})", shown(path), trust.digest),
            None => {
                visible!("Sigstore public good instance, embedded in aos, as of {}", EMBEDDED_AS_OF)
            }
        },
    ));
    let rows = rows
        .into_iter()
        .map(|(name, value)| visible!("\n  {} {}", run.style.faint(format!("{name:<10}")), value));
    let file = run.style.strong(shown(&args.file));
    visible!("{} {}{}", run.style.good("verified"), file, Visible::joined(rows, ""))
}
