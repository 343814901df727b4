//! A timestamp authority (RFC 3161).

use super::authority::{Subject, authority_extensions, key_identifiers, signature_only, signed};
use super::der::{self, DAY, octets, oid, sequence, set, value};
use super::{Fault, Key, Signing, sha256};

pub struct TimestampAuthority {
    key: Key,
    der: Vec<u8>,
    root_der: Vec<u8>,
}

impl TimestampAuthority {
    pub fn new(now: i64) -> Self {
        let (root, key) = (Key::new(), Key::new());
        let valid = (now - 400 * DAY, now + 3650 * DAY);
        let name = der::name("fake-tsa-root");
        let subject =
            Subject { serial: 3, issuer: name.clone(), name: name.clone(), valid, key: &root };
        let root_der = signed(&subject.body(&authority_extensions(&root, &root)), &root);
        let subject =
            Subject { serial: 4, issuer: name, name: der::name("fake-tsa"), valid, key: &key };
        let mut extensions = vec![
            signature_only(),
            der::extension("2.5.29.37", true, &sequence(&[&oid(der::TIME_STAMPING)])),
        ];
        extensions.extend(key_identifiers(&key, &root));
        let der = signed(&subject.body(&extensions), &root);
        Self { key, der, root_der }
    }

    pub fn chain(&self) -> [&[u8]; 2] {
        [&self.der, &self.root_der]
    }

    /// The answer of the authority to a request for `signature`.
    pub fn token(&self, signature: &[u8], now: i64, signing: &Signing) -> Vec<u8> {
        let foreign = Key::new();
        let signer = if signing.has(Fault::ForeignTimestamp) { &foreign } else { &self.key };
        let at = if signing.has(Fault::TimestampInFuture) { now + 3600 } else { now };
        let stamped = match signing.has(Fault::TimestampOfOtherSignature) {
            true => sha256(b"another signature"),
            false => sha256(signature),
        };
        let algorithm = sequence(&[&oid("2.16.840.1.101.3.4.2.1")]);
        let info = sequence(&[
            &der::number(1),
            &oid("1.3.6.1.4.1.57264.2"),
            &sequence(&[&algorithm, &octets(&stamped)]),
            &der::number(4711),
            &der::generalized_time(at),
        ]);
        let attribute = |id: &str, content: &[u8]| sequence(&[&oid(id), &set(&[content])]);
        let certificate = sequence(&[&sequence(&[&sequence(&[&octets(&sha256(&self.der))])])]);
        let mut attributes = [
            attribute("1.2.840.113549.1.9.3", &oid("1.2.840.113549.1.9.16.1.4")),
            attribute("1.2.840.113549.1.9.4", &octets(&sha256(&info))),
            attribute("1.2.840.113549.1.9.16.2.47", &certificate),
        ];
        attributes.sort();
        let attributes = attributes.concat();
        let signer_info = sequence(&[
            &der::number(1),
            &sequence(&[&der::name("fake-tsa-root"), &der::number(4)]),
            &algorithm,
            &value(0xa0, &attributes),
            &der::ecdsa_with_sha256(),
            &octets(&signer.sign(&value(0x31, &attributes))),
        ]);
        let signed_data = sequence(&[
            &der::number(3),
            &set(&[&algorithm]),
            &sequence(&[&oid("1.2.840.113549.1.9.16.1.4"), &value(0xa0, &octets(&info))]),
            &value(0xa0, &self.der),
            &set(&[&signer_info]),
        ]);
        let content = sequence(&[&oid("1.2.840.113549.1.7.2"), &value(0xa0, &signed_data)]);
        sequence(&[&sequence(&[&der::number(0)]), &content])
    }
}
