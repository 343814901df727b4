//! The decision: all checks of the verifier, and those that it leaves to its caller.

use std::io::Read;

use jiff::Timestamp;
use sigstore_verify::types::{Artifact, Sha256Hash, SignatureContent};
use sigstore_verify::{PublicKeyVerificationPolicy, VerificationPolicy, VerificationResult};

use super::bundle::{Bundle, BundleContent};
use super::checksums::Sha256;
use super::identity::ExpectedIdentity;
use super::key::VerifyingKey;
use super::log_entry::{agrees, entry, index, is_signed_by};
use super::shown::shown;
use super::signer::{claims, from_repository, signer};
use super::trust_root::TrustRoot;
use super::verdict::{AttestedStatement, Log, Rejection, Signer, Verdict};

/// The requirements of a verification.
#[derive(Clone, Debug)]
pub struct Policy {
    pub signer: ExpectedSigner,
    pub content: ExpectedContent,
    /// Now, in seconds since the Unix epoch; a later signing time is refused.
    pub now: u64,
}

/// The expected signer.
#[derive(Clone, Debug)]
pub enum ExpectedSigner {
    Certificate {
        identity: ExpectedIdentity,
        issuer: String,
        /// The repository of the build. The identity names only a workflow, which another repository can call.
        repository: Option<String>,
    },
    Key(VerifyingKey),
}

/// The expected kind of content.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ExpectedContent {
    Signature,
    Attestation,
    Either,
}

/// The file to verify.
pub enum VerifiedSubject<'a> {
    Bytes(&'a [u8]),
    /// Read once, completely.
    Stream(&'a mut dyn Read),
    Digest(Sha256),
}

impl Policy {
    /// Verifies `subject` against `bundle`.
    ///
    /// # Errors
    /// The first reason why they do not match; a verdict is never partial.
    pub fn verify(
        &self,
        subject: VerifiedSubject<'_>,
        bundle: &Bundle,
        trust: &TrustRoot,
    ) -> Result<Verdict, Rejection> {
        match (self.content, bundle.content()) {
            (ExpectedContent::Signature, BundleContent::Attestation) => {
                return Err(Rejection::NotASignature);
            }
            (ExpectedContent::Attestation, BundleContent::Signature) => {
                return Err(Rejection::NotAnAttestation);
            }
            _ => {}
        }
        let (result, digest) = self.checked(subject, bundle, trust)?;
        let signer = match &self.signer {
            ExpectedSigner::Certificate { identity, issuer, repository } => {
                let names = signer(&result, bundle)?;
                if !identity.matches(names.identity.as_str()) {
                    return Err(Rejection::Signer {
                        found: shown(names.identity.as_str()),
                        expected: identity.to_string(),
                    });
                }
                if names.issuer != *issuer {
                    let (found, expected) = (shown(&names.issuer), shown(issuer));
                    return Err(Rejection::Issuer { found, expected });
                }
                let claims = result.certificate().map(claims).unwrap_or_default();
                from_repository(&claims, repository.as_deref())?;
                let identity = names.identity.as_str().to_owned();
                Signer::Certificate { identity, issuer: names.issuer, claims }
            }
            ExpectedSigner::Key(key) => Signer::Key { fingerprint: Sha256::of(key.0.as_bytes()) },
        };
        let mut times = result.verified_timestamps().to_vec();
        times.sort_unstable();
        let log = self.logged(bundle, &times, trust)?;
        let statement = match &bundle.parsed.content {
            SignatureContent::DsseEnvelope(envelope) => {
                AttestedStatement::read(envelope.payload.as_bytes())
            }
            _ => None,
        };
        Ok(Verdict { content: bundle.content(), statement, digest, signer, times, log })
    }

    /// The verdict of the verifier, after checking that it skipped no step.
    fn checked(
        &self,
        subject: VerifiedSubject<'_>,
        bundle: &Bundle,
        trust: &TrustRoot,
    ) -> Result<(VerificationResult, Sha256), Rejection> {
        // The verifier would refuse it too, but would not report the clock as the reason.
        self.not_in_the_future(entry(bundle)?.integrated_time.as_slice())?;
        let has_certificate = bundle.parsed.signing_certificate().is_some();
        let (result, digest) = match &self.signer {
            ExpectedSigner::Certificate { .. } if !has_certificate => {
                let (bundle, wanted) = ("a key", "a certificate identity");
                return Err(Rejection::SignerKind { bundle, wanted });
            }
            ExpectedSigner::Key(_) if has_certificate => {
                let (bundle, wanted) = ("a certificate", "a key");
                return Err(Rejection::SignerKind { bundle, wanted });
            }
            ExpectedSigner::Certificate { identity, issuer, .. } => {
                let policy = match identity {
                    ExpectedIdentity::Exact(name) => VerificationPolicy::new(name, issuer),
                    // The name is matched in `verify`, by the pattern.
                    ExpectedIdentity::Pattern { .. } => {
                        VerificationPolicy::any_identity().require_issuer(issuer)
                    }
                };
                examined(subject, bundle, &policy, trust)?
            }
            ExpectedSigner::Key(key) => {
                let policy = PublicKeyVerificationPolicy::new(key.0.clone());
                examined(subject, bundle, &policy, trust)?
            }
        };
        complete(&result, has_certificate)?;
        Ok((result, digest))
    }

    fn not_in_the_future(&self, times: &[Timestamp]) -> Result<(), Rejection> {
        let now = i64::try_from(self.now).unwrap_or(i64::MAX);
        match times.iter().find(|time| time.as_second() > now) {
            Some(late) => Err(Rejection::Future(*late)),
            None => Ok(()),
        }
    }

    /// The log that the entry names, after checking that it signed the entry while its key was valid.
    fn logged(
        &self,
        bundle: &Bundle,
        times: &[Timestamp],
        trust: &TrustRoot,
    ) -> Result<Log, Rejection> {
        self.not_in_the_future(times)?;
        let entry = entry(bundle)?;
        let refuse = |reason: &str| Err(Rejection::Log(reason.to_owned()));
        let Some(log) = trust.log(&entry.log_id.key_id) else {
            return refuse("it names a log that is not in the trust root");
        };
        let window = log.public_key.valid_for;
        if times.iter().any(|time| window.is_some_and(|window| !window.contains(*time))) {
            return refuse("the key of its log was not valid at the time of signing");
        }
        if !agrees(entry) {
            return refuse("its inclusion proof and its checkpoint disagree");
        }
        if !is_signed_by(entry, &log.public_key.raw_bytes) {
            return refuse("its checkpoint is not signed by the log that it names");
        }
        Ok(Log {
            url: log.base_url.clone(),
            index: index(entry),
            entry: format!("{} {}", entry.kind_version.kind(), entry.kind_version.version()),
        })
    }
}

/// Runs the verifier, and returns the digest of the file.
fn examined(
    subject: VerifiedSubject<'_>,
    bundle: &Bundle,
    policy: &(impl sigstore_verify::Policy + ?Sized),
    trust: &TrustRoot,
) -> Result<(VerificationResult, Sha256), Rejection> {
    let verifier = &trust.verifier;
    match subject {
        VerifiedSubject::Bytes(bytes) => {
            Ok((verifier.verify(bytes, &bundle.parsed, policy)?, Sha256::of(bytes)))
        }
        VerifiedSubject::Digest(digest) => {
            let artifact = Artifact::from(Sha256Hash::new(digest.0));
            Ok((verifier.verify(artifact, &bundle.parsed, policy)?, digest))
        }
        VerifiedSubject::Stream(reader) => {
            let mut seen = Seen { reader, digest: sha2::Digest::new() };
            let result = verifier.verify_reader(&mut seen, &bundle.parsed, policy)?;
            Ok((result, Sha256(sha2::Digest::finalize(seen.digest).into())))
        }
    }
}

/// Hashes the bytes that are read through it.
struct Seen<'a> {
    reader: &'a mut dyn Read,
    digest: sha2::Sha256,
}

impl Read for Seen<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.reader.read(buffer)?;
        sha2::Digest::update(&mut self.digest, &buffer[..length]);
        Ok(length)
    }
}

/// Refuses a success for which a step was skipped, also in later versions of the verifier.
fn complete(result: &VerificationResult, has_certificate: bool) -> Result<(), Rejection> {
    let steps = [
        (result.tlog_verified(), "the transparency log"),
        (!result.verified_timestamps().is_empty(), "the time of signing"),
        (!has_certificate || result.certificate_verified(), "the certificate"),
        (!has_certificate || result.sct_verified(), "the certificate's own log"),
        (!has_certificate || result.identity_policy_checked(), "the signer"),
    ];
    match steps.into_iter().find(|(done, _)| !done) {
        Some((_, step)) => Err(Rejection::Skipped(step)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sigstore::{Fault, GITHUB, Signing, Sigstore};
    use super::super::verdict::Claims;
    use super::*;

    const FILE: &[u8] = b"signed";

    struct Case {
        bundle: Bundle,
        trust: TrustRoot,
        policy: Policy,
    }

    impl Case {
        fn new(signing: &Signing) -> Self {
            let sigstore = Sigstore::new();
            let identity =
                "https://github.com/acme/aos/.github/workflows/release.yml@refs/tags/v1.2.3";
            Self {
                bundle: Bundle::parse(sigstore.sign(FILE, signing).to_string().as_bytes()).unwrap(),
                trust: TrustRoot::given(sigstore.trust_root().to_string().as_bytes()).unwrap(),
                policy: Policy {
                    signer: ExpectedSigner::Certificate {
                        identity: ExpectedIdentity::exact(identity).unwrap(),
                        issuer: GITHUB.to_owned(),
                        repository: None,
                    },
                    content: ExpectedContent::Signature,
                    now: u64::MAX,
                },
            }
        }

        fn verify(&self) -> Result<Verdict, Rejection> {
            self.policy.verify(VerifiedSubject::Bytes(FILE), &self.bundle, &self.trust)
        }
    }

    fn release() -> Signing {
        Signing::release("acme/aos", "v1.2.3")
    }

    #[test]
    fn bytes_stream_and_digest_of_a_file_get_the_same_verdict() {
        let case = Case::new(&release());
        let of_bytes = case.verify().unwrap();
        let of_digest = case.policy.verify(
            VerifiedSubject::Digest(Sha256::of(FILE)),
            &case.bundle,
            &case.trust,
        );
        let mut reader = FILE;
        let of_stream = case
            .policy
            .verify(VerifiedSubject::Stream(&mut reader), &case.bundle, &case.trust)
            .unwrap();
        assert_eq!(of_bytes.digest, Sha256::of(FILE));
        assert_eq!(of_bytes.digest, of_digest.unwrap().digest);
        assert_eq!((of_bytes.digest, of_bytes.times), (of_stream.digest, of_stream.times));
    }

    // A success of the verifier under a weaker policy is not accepted.
    #[test]
    fn a_success_that_left_a_step_out_is_refused() {
        let case = Case::new(&release());
        let verifier = &case.trust.verifier;
        let skipped = |policy: VerificationPolicy| {
            let result = verifier.verify(FILE, &case.bundle.parsed, &policy).unwrap();
            complete(&result, true).unwrap_err().to_string()
        };
        let any = || VerificationPolicy::any_identity().require_issuer(GITHUB);
        assert!(skipped(any().skip_tlog_unsafe()).ends_with("the transparency log"));
        assert!(skipped(any().skip_certificate_chain()).ends_with("the certificate"));
        assert!(skipped(any().skip_sct()).ends_with("the certificate's own log"));
        assert!(skipped(VerificationPolicy::any_identity()).ends_with("the signer"));
        let whole = verifier.verify(FILE, &case.bundle.parsed, &any()).unwrap();
        assert!(complete(&whole, true).is_ok());
    }

    // A missing claim does not match the expected one.
    #[test]
    fn a_build_comes_from_the_expected_repository() {
        let mut case = Case::new(&release());
        for (wanted, accepted) in [
            ("https://github.com/acme/aos", true),
            ("https://github.com/acme/aos/", false),
            ("https://github.com/acme", false),
            ("", false),
        ] {
            if let ExpectedSigner::Certificate { repository, .. } = &mut case.policy.signer {
                *repository = Some(wanted.to_owned());
            }
            assert_eq!(case.verify().is_ok(), accepted, "{wanted}");
        }
        let nowhere = from_repository(&Claims::default(), Some("https://github.com/acme/aos"));
        assert!(matches!(nowhere, Err(Rejection::Repository { .. })));
        assert!(from_repository(&Claims::default(), None).is_ok());
    }

    #[test]
    fn a_signature_from_the_future_is_refused() {
        for signing in [release(), release().second_log()] {
            let mut case = Case::new(&signing);
            let signed = u64::try_from(case.verify().unwrap().times[0].as_second()).unwrap();
            case.policy.now = signed;
            assert!(case.verify().is_ok());
            case.policy.now = signed - 1;
            assert!(matches!(case.verify(), Err(Rejection::Future(_))));
        }
    }

    #[test]
    fn the_entry_names_the_log_that_signed_it() {
        let case = Case::new(&release().second_log().with(Fault::NamesOtherLog));
        let policy = VerificationPolicy::any_identity();
        assert!(
            case.trust.verifier.verify(FILE, &case.bundle.parsed, &policy).is_ok(),
            "the verifier alone would take it"
        );
        assert!(matches!(case.verify(), Err(Rejection::Log(_))));
    }
}
