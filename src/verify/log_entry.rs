//! The entry of a transparency log in a bundle: the checks that the verifier leaves to its caller.

use sigstore_verify::crypto::VerificationKey;
use sigstore_verify::types::{DerPublicKey, KindVersion, TransparencyLogEntry};

use super::bundle::Bundle;
use super::verdict::Rejection;

pub(super) fn entry(bundle: &Bundle) -> Result<&TransparencyLogEntry, Rejection> {
    match bundle.parsed.verification_material.tlog_entries.as_slice() {
        [entry] => Ok(entry),
        _ => Err(Rejection::Log("there must be exactly one".to_owned())),
    }
}

/// The index of the entry that something signed covers: the promise of the log, or its proof. The one beside them could
/// be anything.
pub(super) fn index(entry: &TransparencyLogEntry) -> u64 {
    match (&entry.inclusion_promise, &entry.inclusion_proof) {
        (None, Some(proof)) => proof.log_index.get(),
        _ => entry.log_index.get(),
    }
}

/// True if the proof agrees with the signed checkpoint. The verifier reads only one of them. An index of 0 is an
/// omitted index.
pub(super) fn agrees(entry: &TransparencyLogEntry) -> bool {
    let Some(proof) = &entry.inclusion_proof else { return false };
    let indices = [entry.log_index.get(), 0];
    let is_second = entry.kind_version == KindVersion::HashedRekordV002;
    proof.checkpoint.checkpoint().is_some_and(|checkpoint| {
        checkpoint.tree_size() == proof.tree_size && *checkpoint.root_hash() == proof.root_hash
    }) && (!is_second || indices.contains(&proof.log_index.get()))
}

/// True if the checkpoint of `entry` has a valid signature of exactly this key.
pub(super) fn is_signed_by(entry: &TransparencyLogEntry, key: &DerPublicKey) -> bool {
    let checkpoint = entry.inclusion_proof.as_ref().and_then(|proof| proof.checkpoint.checkpoint());
    let (Some(checkpoint), Ok(key)) = (checkpoint, VerificationKey::from_spki(key)) else {
        return false;
    };
    let id = entry.log_id.key_id.as_bytes();
    checkpoint.signatures().iter().any(|signature| {
        id.starts_with(signature.key_id.as_bytes())
            && key.verify(checkpoint.signed_data(), &signature.signature).is_ok()
    })
}
