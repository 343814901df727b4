//! A Sigstore of our own for tests: certificate authority, certificate log, transparency logs of both versions and a
//! timestamp authority, all in memory, each able to do one thing wrong.
//!
//! It shares no parser with the verifier: DER and Merkle trees are written by hand, so that a fault of the verifier
//! is not a fault of its test too. Only keys and signatures are those of `sigstore-crypto`.

pub mod authority;
pub mod der;
mod log;
mod timestamp;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sigstore_crypto::KeyPair;

use log::{Entry, Log};
use timestamp::TimestampAuthority;

/// Issuer of identities of GitHub workflows.
pub const GITHUB: &str = "https://token.actions.githubusercontent.com";

/// One thing that is wrong; everything else stays right.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Fault {
    NoSct,
    SctOfForeignLog,
    SctOfOtherCertificate,
    ForeignAuthority,
    NoCodeSigning,
    NoIssuer,
    DeprecatedIssuerOnly,
    TwoNames,
    TwoNamesOfOtherKinds,
    NameOfOtherKind,
    ForeignLog,
    NamesOtherLog,
    BadPromise,
    NoPromise,
    BadInclusionProof,
    BadCheckpoint,
    CheckpointOfOtherTree,
    EntryOfOtherFile,
    EntryOfOtherCertificate,
    LoggedAfterExpiry,
    LoggedBeforeIssue,
    LoggedInFuture,
    ForeignTimestamp,
    TimestampOfOtherSignature,
    TimestampInFuture,
    NoTimestamp,
    BadSignature,
    OtherDigest,
}

/// The name in a certificate.
#[derive(Clone, Debug)]
pub enum Name {
    Uri(String),
    Email(String),
}

/// Version of the transparency log.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LogVersion {
    /// Proves the time by itself.
    One,
    /// Needs a timestamp authority.
    Two,
}

/// A signature to make: the file, the signer and the form.
#[derive(Clone, Debug)]
pub struct Signing {
    pub name: Name,
    pub issuer: String,
    /// Where the build came from, `owner/name`.
    pub repository: String,
    /// Version of the bundle: `0.1`, `0.2` or `0.3`.
    pub version: &'static str,
    pub log: LogVersion,
    pub timestamp: bool,
    pub attestation: bool,
    pub fault: Option<Fault>,
}

impl Signing {
    /// By the release workflow of a repository on GitHub, at a tag.
    pub fn release(repository: &str, tag: &str) -> Self {
        let workflow = format!("https://github.com/{repository}/.github/workflows/release.yml");
        Self {
            name: Name::Uri(format!("{workflow}@refs/tags/{tag}")),
            issuer: GITHUB.to_owned(),
            repository: repository.to_owned(),
            version: "0.3",
            log: LogVersion::One,
            timestamp: false,
            attestation: false,
            fault: None,
        }
    }

    pub fn with(mut self, fault: Fault) -> Self {
        self.fault = Some(fault);
        self
    }

    /// Rekor 2: the time comes from the timestamp authority.
    pub fn second_log(mut self) -> Self {
        self.log = LogVersion::Two;
        self.timestamp = true;
        self
    }

    pub fn attestation(mut self) -> Self {
        self.attestation = true;
        self
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }
}

/// A key pair on P-256.
pub struct Key(KeyPair);

impl Key {
    pub fn new() -> Self {
        Self(KeyPair::generate_ecdsa_p256().expect("a key"))
    }

    /// The public key as SubjectPublicKeyInfo.
    fn public(&self) -> Vec<u8> {
        self.0.public_key_der().expect("a public key").as_bytes().to_vec()
    }

    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.0.sign(message).expect("a signature").as_bytes().to_vec()
    }

    fn id(&self) -> [u8; 32] {
        sha256(&self.public())
    }

    /// The public key as a person would keep it.
    pub fn pem(&self) -> String {
        pem("PUBLIC KEY", &self.public())
    }
}

/// All services of one instance.
pub struct Sigstore {
    /// Seconds since the epoch at which everything is signed; must not be in the future.
    now: i64,
    authority: authority::Authority,
    certificate_log: Key,
    first: Log,
    second: Log,
    timestamps: TimestampAuthority,
}

impl Sigstore {
    pub fn new() -> Self {
        let since = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("a clock");
        let now = i64::try_from(since.as_secs()).expect("a time") - 30;
        Self {
            now,
            authority: authority::Authority::new(now),
            certificate_log: Key::new(),
            first: Log::new("rekor.fake.test", LogVersion::One),
            second: Log::new("log2.rekor.fake.test", LogVersion::Two),
            timestamps: TimestampAuthority::new(now),
        }
    }

    /// The document that `--trusted-root` takes.
    pub fn trust_root(&self) -> Value {
        let start = der::rfc3339(self.now - 399 * der::DAY);
        let log = |url: &str, key: &Key| {
            json!({
                "baseUrl": url,
                "hashAlgorithm": "SHA2_256",
                "publicKey": {
                    "rawBytes": base64(&key.public()),
                    "keyDetails": "PKIX_ECDSA_P256_SHA_256",
                    "validFor": {"start": start},
                },
                "logId": {"keyId": base64(&key.id())},
            })
        };
        let authority = |uri: &str, chain: [&[u8]; 2]| {
            json!({
                "subject": {"organization": "fake-sigstore", "commonName": uri},
                "uri": uri,
                "certChain": {"certificates": chain.map(|der| json!({"rawBytes": base64(der)}))},
                "validFor": {"start": start},
            })
        };
        json!({
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [log("https://rekor.fake.test", &self.first.key), log("https://log2.rekor.fake.test", &self.second.key)],
            "certificateAuthorities": [authority("https://fulcio.fake.test", self.authority.chain())],
            "ctlogs": [log("https://ctfe.fake.test", &self.certificate_log)],
            "timestampAuthorities": [authority("https://tsa.fake.test", self.timestamps.chain())],
        })
    }

    /// The bundle of `file`, signed with a certificate for this one signature.
    pub fn sign(&self, file: &[u8], signing: &Signing) -> Value {
        let key = Key::new();
        let certificate = self.authority.certificate(&key, &self.certificate_log, signing);
        let logged = match signing.has(Fault::EntryOfOtherCertificate) {
            true => self.authority.certificate(
                &Key::new(),
                &self.certificate_log,
                &Signing { fault: None, ..signing.clone() },
            ),
            false => certificate.clone(),
        };
        let material = match signing.version {
            "0.3" => ("certificate", json!({"rawBytes": base64(&certificate)})),
            _ => (
                "x509CertificateChain",
                json!({"certificates": [{"rawBytes": base64(&certificate)}]}),
            ),
        };
        self.bundle(file, &key, material, ("CERTIFICATE", &logged), signing)
    }

    /// The bundle of `file`, signed with a key that its users know.
    pub fn sign_with(&self, key: &Key, file: &[u8], signing: &Signing) -> Value {
        let material = ("publicKey", json!({"hint": base64(&key.id())}));
        self.bundle(file, key, material, ("PUBLIC KEY", &key.public()), signing)
    }

    fn bundle(
        &self,
        file: &[u8],
        key: &Key,
        (member, material): (&str, Value),
        verifier: (&'static str, &[u8]),
        signing: &Signing,
    ) -> Value {
        let payload = statement(file);
        let message = if signing.attestation { pae(&payload) } else { file.to_vec() };
        let signer = if signing.has(Fault::BadSignature) { &Key::new() } else { key };
        let signature = signer.sign(&message);
        let log = match signing.log {
            LogVersion::One => &self.first,
            LogVersion::Two => &self.second,
        };
        let other = match signing.log {
            LogVersion::One => &self.second,
            LogVersion::Two => &self.first,
        };
        let entry = Entry {
            message: if signing.has(Fault::EntryOfOtherFile) { b"another file" } else { &message },
            payload: signing.attestation.then_some(payload.as_slice()),
            signature: &signature,
            verifier,
            integrated: self.integrated(signing),
            names: if signing.has(Fault::NamesOtherLog) { other } else { log },
        };
        let mut verification = json!({"tlogEntries": [log.entry(&entry, signing)]});
        verification[member] = material;
        if signing.timestamp && !signing.has(Fault::NoTimestamp) {
            let token = self.timestamps.token(&signature, self.now, signing);
            verification["timestampVerificationData"] =
                json!({"rfc3161Timestamps": [{"signedTimestamp": base64(&token)}]});
        }
        let media_type = match signing.version {
            "0.3" => "application/vnd.dev.sigstore.bundle.v0.3+json".to_owned(),
            version => format!("application/vnd.dev.sigstore.bundle+json;version={version}"),
        };
        let mut bundle = json!({"mediaType": media_type, "verificationMaterial": verification});
        if signing.attestation {
            bundle["dsseEnvelope"] = json!({
                "payload": base64(&payload),
                "payloadType": PAYLOAD_TYPE,
                "signatures": [{"sig": base64(&signature)}],
            });
        } else {
            let digest =
                sha256(if signing.has(Fault::OtherDigest) { b"another file" } else { file });
            bundle["messageSignature"] = json!({
                "messageDigest": {"algorithm": "SHA2_256", "digest": base64(&digest)},
                "signature": base64(&signature),
            });
        }
        bundle
    }

    /// When the log says that it took the entry.
    fn integrated(&self, signing: &Signing) -> i64 {
        match signing.fault {
            Some(Fault::LoggedBeforeIssue) => self.now - 3600,
            Some(Fault::LoggedInFuture) => self.now + 3600,
            _ => self.now,
        }
    }
}

const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// An in-toto statement about `file`.
fn statement(file: &[u8]) -> Vec<u8> {
    let statement = json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "file", "digest": {"sha256": hex(&sha256(file))}}],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {},
    });
    statement.to_string().into_bytes()
}

/// The bytes that the signature of an attestation covers (DSSE, pre-authentication encoding).
fn pae(payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {PAYLOAD_TYPE} {} ", PAYLOAD_TYPE.len(), payload.len());
    [head.as_bytes(), payload].concat()
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    *sigstore_crypto::sha256(bytes).as_bytes()
}

fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn pem(label: &str, der: &[u8]) -> String {
    let text = base64(der);
    let lines: Vec<_> = text
        .as_bytes()
        .chunks(64)
        .map(|line| std::str::from_utf8(line).expect("base64 is ASCII"))
        .collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}
