//! Fulcio: a root, an intermediate, and certificates for one signature with a timestamp of the certificate log inside.

use super::der::{self, DAY, extension, octets, oid, sequence, value};
use super::{Fault, Key, Name, Signing};

/// Prefix of Fulcio's extensions.
const FULCIO: &str = "1.3.6.1.4.1.57264.1";
const ISSUER: &str = "fake-intermediate";

pub struct Authority {
    now: i64,
    intermediate: Key,
    intermediate_der: Vec<u8>,
    root_der: Vec<u8>,
}

/// The members of a certificate, without its extensions.
pub struct Subject<'a> {
    pub serial: u16,
    pub issuer: Vec<u8>,
    pub name: Vec<u8>,
    pub valid: (i64, i64),
    pub key: &'a Key,
}

impl Subject<'_> {
    /// The part of the certificate that is signed.
    pub fn body(&self, extensions: &[Vec<u8>]) -> Vec<u8> {
        let (from, to) = self.valid;
        sequence(&[
            &value(0xa0, &der::number(2)),
            &der::number(self.serial),
            &der::ecdsa_with_sha256(),
            &self.issuer,
            &sequence(&[&der::utc_time(from), &der::utc_time(to)]),
            &self.name,
            &self.key.public(),
            &value(0xa3, &value(0x30, &extensions.concat())),
        ])
    }
}

pub fn signed(body: &[u8], by: &Key) -> Vec<u8> {
    sequence(&[body, &der::ecdsa_with_sha256(), &der::bits(&by.sign(body))])
}

/// Extensions of a certificate authority.
pub fn authority_extensions(key: &Key, issuer: &Key) -> Vec<Vec<u8>> {
    let mut extensions = vec![
        extension("2.5.29.15", true, &[0x03, 0x02, 0x01, 0x06]),
        extension("2.5.29.19", true, &sequence(&[&[0x01, 0x01, 0xff]])),
    ];
    extensions.extend(key_identifiers(key, issuer));
    extensions
}

pub fn key_identifiers(key: &Key, issuer: &Key) -> [Vec<u8>; 2] {
    [
        extension("2.5.29.14", false, &octets(&key.id()[..20])),
        extension("2.5.29.35", false, &sequence(&[&value(0x80, &issuer.id()[..20])])),
    ]
}

pub fn usage(id: &str) -> Vec<u8> {
    extension("2.5.29.37", false, &sequence(&[&oid(id)]))
}

/// Digital signature only.
pub fn signature_only() -> Vec<u8> {
    extension("2.5.29.15", true, &[0x03, 0x02, 0x07, 0x80])
}

impl Authority {
    pub fn new(now: i64) -> Self {
        let (root, intermediate) = (Key::new(), Key::new());
        let valid = (now - 400 * DAY, now + 3650 * DAY);
        let name = der::name("fake-root");
        let subject =
            Subject { serial: 1, issuer: name.clone(), name: name.clone(), valid, key: &root };
        let root_der = signed(&subject.body(&authority_extensions(&root, &root)), &root);
        let subject =
            Subject { serial: 2, issuer: name, name: der::name(ISSUER), valid, key: &intermediate };
        let mut extensions = authority_extensions(&intermediate, &root);
        extensions.push(usage(der::CODE_SIGNING));
        let intermediate_der = signed(&subject.body(&extensions), &root);
        Self { now, intermediate, intermediate_der, root_der }
    }

    pub fn chain(&self) -> [&[u8]; 2] {
        [&self.intermediate_der, &self.root_der]
    }

    /// A certificate for `key`, logged in the certificate log.
    pub fn certificate(&self, key: &Key, log: &Key, signing: &Signing) -> Vec<u8> {
        let foreign = Key::new();
        let authority =
            if signing.has(Fault::ForeignAuthority) { &foreign } else { &self.intermediate };
        let valid = match signing.fault {
            Some(Fault::LoggedAfterExpiry) => (self.now - 7200, self.now - 6600),
            Some(Fault::LoggedInFuture | Fault::TimestampInFuture) => {
                (self.now - 60, self.now + 7200)
            }
            _ => (self.now - 60, self.now + 540),
        };
        let body = |serial, extensions: &[Vec<u8>]| {
            let (issuer, name) = (der::name(ISSUER), sequence(&[]));
            Subject { serial, issuer, name, valid, key }.body(extensions)
        };
        let mut extensions = self.extensions(key, signing);
        if signing.has(Fault::NoSct) {
            return signed(&body(77, &extensions), authority);
        }
        let serial = if signing.has(Fault::SctOfOtherCertificate) { 78 } else { 77 };
        let log_key = if signing.has(Fault::SctOfForeignLog) { &foreign } else { log };
        let promise = promise(&body(serial, &extensions), authority, (log, log_key), valid.0);
        extensions.push(extension("1.3.6.1.4.1.11129.2.4.2", false, &octets(&promise)));
        signed(&body(77, &extensions), authority)
    }

    fn extensions(&self, key: &Key, signing: &Signing) -> Vec<Vec<u8>> {
        let purpose = match signing.has(Fault::NoCodeSigning) {
            true => der::SERVER_AUTH,
            false => der::CODE_SIGNING,
        };
        let mut extensions = vec![
            signature_only(),
            usage(purpose),
            extension("2.5.29.17", true, &value(0x30, &names(signing))),
        ];
        extensions.extend(key_identifiers(key, &self.intermediate));
        if !signing.has(Fault::NoIssuer) {
            extensions.push(extension(&format!("{FULCIO}.1"), false, signing.issuer.as_bytes()));
        }
        if !signing.has(Fault::NoIssuer) && !signing.has(Fault::DeprecatedIssuerOnly) {
            extensions.push(extension(&format!("{FULCIO}.8"), false, &der::text(&signing.issuer)));
        }
        let repository = format!("https://github.com/{}", signing.repository);
        for (claim, text) in [
            (11, "github-hosted"),
            (12, repository.as_str()),
            (13, "c0ffee"),
            (14, "refs/tags/v1.2.3"),
        ] {
            extensions.push(extension(&format!("{FULCIO}.{claim}"), false, &der::text(text)));
        }
        extensions
    }
}

/// The subject alternative names.
fn names(signing: &Signing) -> Vec<u8> {
    let (uri, email) = (0x86, 0x81);
    let (tag, text) = match &signing.name {
        Name::Uri(text) => (uri, text),
        Name::Email(text) => (email, text),
    };
    match signing.fault {
        Some(Fault::NameOfOtherKind) => {
            value(if tag == uri { email } else { uri }, text.as_bytes())
        }
        Some(Fault::TwoNames) => {
            [value(tag, text.as_bytes()), value(uri, b"https://evil.example/me")].concat()
        }
        Some(Fault::TwoNamesOfOtherKinds) => {
            // The verifier skips kinds that it does not know, here a DNS name.
            [value(0x82, b"evil.example"), value(tag, text.as_bytes())].concat()
        }
        _ => value(tag, text.as_bytes()),
    }
}

/// The signed certificate timestamps of a precertificate (RFC 6962), in the form of the final certificate.
fn promise(body: &[u8], issuer: &Key, (named, signer): (&Key, &Key), at: i64) -> Vec<u8> {
    let time = u64::try_from(at * 1000).expect("a time").to_be_bytes();
    let length = |bytes: &[u8]| u16::try_from(bytes.len()).expect("a short text").to_be_bytes();
    let long = u32::try_from(body.len()).expect("a short text").to_be_bytes();
    let message =
        [&[0, 0], &time[..], &[0, 1], &issuer.id()[..], &long[1..], body, &[0, 0]].concat();
    let signature = signer.sign(&message);
    let one =
        [&[0], &named.id()[..], &time, &[0, 0, 4, 3], &length(&signature), &signature].concat();
    let list = [&length(&one)[..], &one].concat();
    [&length(&list)[..], &list].concat()
}
