//! Rekor, versions 1 and 2: entries with promise, inclusion proof and signed checkpoint.

use serde_json::{Value, json};

use super::{Fault, Key, LogVersion, Signing, base64, hex, pem, sha256};

/// Place of our entry in the tree of six.
const PLACE: usize = 3;
const TREE_SIZE: u8 = 6;

pub struct Log {
    pub key: Key,
    host: &'static str,
    version: LogVersion,
}

/// The content of an entry of the log.
pub struct Entry<'a> {
    /// The bytes that the signature is over.
    pub message: &'a [u8],
    /// The payload of an attestation.
    pub payload: Option<&'a [u8]>,
    pub signature: &'a [u8],
    /// PEM label and DER of what verifies the signature.
    pub verifier: (&'static str, &'a [u8]),
    pub integrated: i64,
    /// The log that the bundle names.
    pub names: &'a Log,
}

impl Log {
    pub fn new(host: &'static str, version: LogVersion) -> Self {
        Self { key: Key::new(), host, version }
    }

    /// The entry in the form of a bundle.
    pub fn entry(&self, entry: &Entry<'_>, signing: &Signing) -> Value {
        let (kind, version, body) = self.body(entry);
        // Members are in the order of their names, so that this text is the canonical one.
        let body = body.to_string();
        let foreign = Key::new();
        let signer = if signing.has(Fault::ForeignLog) { &foreign } else { &self.key };
        let index = if self.version == LogVersion::One { 1003 } else { PLACE };
        let mut object = json!({
            "logIndex": index.to_string(),
            "logId": {"keyId": base64(&entry.names.key.id())},
            "kindVersion": {"kind": kind, "version": version},
            "inclusionProof": self.proof(body.as_bytes(), signer, signing),
            "canonicalizedBody": base64(body.as_bytes()),
        });
        if self.version == LogVersion::One {
            object["integratedTime"] = entry.integrated.to_string().into();
            let message = json!({
                "body": base64(body.as_bytes()),
                "integratedTime": entry.integrated,
                "logID": hex(&entry.names.key.id()),
                "logIndex": index,
            });
            let signer = if signing.has(Fault::BadPromise) { &foreign } else { signer };
            let promise = signer.sign(message.to_string().as_bytes());
            if !signing.has(Fault::NoPromise) {
                object["inclusionPromise"] = json!({"signedEntryTimestamp": base64(&promise)});
            }
        }
        object
    }

    fn body(&self, entry: &Entry<'_>) -> (&'static str, &'static str, Value) {
        let digest = sha256(entry.message);
        let signature = base64(entry.signature);
        let (label, der) = entry.verifier;
        let verifier = base64(pem(label, der).as_bytes());
        match (self.version, entry.payload) {
            (LogVersion::One, None) => (
                "hashedrekord",
                "0.0.1",
                json!({"apiVersion": "0.0.1", "kind": "hashedrekord", "spec": {
                    "data": {"hash": {"algorithm": "sha256", "value": hex(&digest)}},
                    "signature": {"content": signature, "publicKey": {"content": verifier}},
                }}),
            ),
            (LogVersion::One, Some(payload)) => (
                "dsse",
                "0.0.1",
                json!({"apiVersion": "0.0.1", "kind": "dsse", "spec": {
                    "envelopeHash": {"algorithm": "sha256", "value": hex(&digest)},
                    "payloadHash": {"algorithm": "sha256", "value": hex(&sha256(payload))},
                    "signatures": [{"signature": signature, "verifier": verifier}],
                }}),
            ),
            (LogVersion::Two, _) => {
                let member = if label == "CERTIFICATE" { "x509Certificate" } else { "publicKey" };
                let mut verifier = json!({"keyDetails": "PKIX_ECDSA_P256_SHA_256"});
                verifier[member] = json!({"rawBytes": base64(der)});
                (
                    "hashedrekord",
                    "0.0.2",
                    json!({"apiVersion": "0.0.2", "kind": "hashedrekord", "spec": {"hashedRekordV002": {
                        "data": {"algorithm": "SHA2_256", "digest": base64(&digest)},
                        "signature": {"content": signature, "verifier": verifier},
                    }}}),
                )
            }
        }
    }

    /// The way from the entry to the root, and the root as the log signed it.
    fn proof(&self, body: &[u8], signer: &Key, signing: &Signing) -> Value {
        let mut leaves: Vec<_> = (0..TREE_SIZE).map(|number| leaf(&[number; 9])).collect();
        leaves[PLACE] = leaf(body);
        let mut path = path(&leaves, PLACE);
        if signing.has(Fault::CheckpointOfOtherTree) {
            leaves[PLACE] = leaf(b"another entry");
        }
        if signing.has(Fault::BadInclusionProof) {
            path[0][0] ^= 1;
        }
        let top = root(&leaves);
        let origin = match self.version {
            LogVersion::One => format!("{} - 1193050959916656506", self.host),
            LogVersion::Two => self.host.to_owned(),
        };
        let note = format!("{origin}\n{TREE_SIZE}\n{}\n", base64(&top));
        let foreign = Key::new();
        let signer = if signing.has(Fault::BadCheckpoint) { &foreign } else { signer };
        let signature = [&self.key.id()[..4], &signer.sign(note.as_bytes())].concat();
        json!({
            "logIndex": PLACE.to_string(),
            "treeSize": TREE_SIZE.to_string(),
            "rootHash": base64(&top),
            "hashes": path.iter().map(|hash| base64(hash)).collect::<Vec<_>>(),
            "checkpoint": {"envelope": format!("{note}\n\u{2014} {} {}\n", self.host, base64(&signature))},
        })
    }
}

/// Hash of a leaf (RFC 6962).
fn leaf(content: &[u8]) -> [u8; 32] {
    sha256(&[&[0], content].concat())
}

/// Where a tree of `size` leaves, two or more, divides.
fn half(size: usize) -> usize {
    size.next_power_of_two() / 2
}

fn root(leaves: &[[u8; 32]]) -> [u8; 32] {
    match leaves {
        [one] => *one,
        _ => {
            let (left, right) = leaves.split_at(half(leaves.len()));
            sha256(&[&[1], &root(left)[..], &root(right)].concat())
        }
    }
}

/// The hashes beside the way from a leaf to the root.
fn path(leaves: &[[u8; 32]], place: usize) -> Vec<[u8; 32]> {
    if leaves.len() == 1 {
        return Vec::new();
    }
    let (left, right) = leaves.split_at(half(leaves.len()));
    let (mut hashes, beside) = match place.checked_sub(left.len()) {
        Some(place) => (path(right, place), root(left)),
        None => (path(left, place), root(right)),
    };
    hashes.push(beside);
    hashes
}
