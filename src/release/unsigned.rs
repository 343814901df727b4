//! Unsigned files of a host. Only for callers that know the digests, or record them from now on.

use crate::verify::Checksums;
use crate::verify::checksums::MAX_CHECKSUMS;

use super::fault::{Fault, ReleaseError, Stage};
use super::host::{Release, ReleasesApi};
use super::repository::Repository;
use super::signed::{BUNDLE, CHECKSUMS, listed, required};

/// True if the release claims to be signed. Every caller must then verify it, because an attacker must not be able to
/// skip the verification.
#[must_use]
pub fn claims_signature(release: &Release) -> bool {
    release.asset(BUNDLE).is_some()
}

/// A file of an unsigned release; if the release lists digests, the file must match.
///
/// # Errors
/// If it is missing, too large, or has another digest than the list.
pub fn asset(
    host: &ReleasesApi,
    release: &Release,
    name: &str,
    max_bytes: u64,
) -> Result<Vec<u8>, ReleaseError> {
    let asset = required(release, name)?;
    let mut bytes = Vec::new();
    host.download(asset, max_bytes, &mut bytes).map_err(|fault| fault.at(Stage::Download))?;
    if let Some(list) = release.asset(CHECKSUMS) {
        let mut text = Vec::new();
        host.download(list, MAX_CHECKSUMS as u64, &mut text)
            .map_err(|fault| fault.at(Stage::Download))?;
        let checksums = Checksums::parse(&text)
            .map_err(|error| Fault::from(error).at(Stage::VerifyChecksum))?;
        listed(&checksums, name, &bytes)?;
    }
    Ok(bytes)
}

/// The archive that the host itself packs from a repository at a tag.
///
/// # Errors
/// If there is no such tag, or the archive is not available.
pub fn source(
    host: &ReleasesApi,
    repository: &Repository,
    tag: &str,
    max_bytes: u64,
) -> Result<Vec<u8>, ReleaseError> {
    let mut bytes = Vec::new();
    host.pack(repository, tag, max_bytes, &mut bytes).map_err(|fault| fault.at(Stage::Download))?;
    Ok(bytes)
}
