//! Files of a host that nobody signed. Only for callers that hold the digests, or remember them from now on.

use crate::verify::Checksums;
use crate::verify::checksums::MAX_CHECKSUMS;

use super::fault::{Fault, ReleaseError, Stage};
use super::host::{Host, Release};
use super::repository::Repository;
use super::signed::{BUNDLE, CHECKSUMS, listed, required};

/// Whether the release says that it is signed. One that does is verified, by everybody: a signature that could be
/// left out would be none.
#[must_use]
pub fn claims_signature(release: &Release) -> bool {
    release.asset(BUNDLE).is_some()
}

/// A file of a release without a signature; where the release lists digests, the file must have its own.
///
/// # Errors
/// When it is not there, too large, or another one than the list says.
pub fn asset(
    host: &Host,
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
/// When there is no such tag, or the archive cannot be had.
pub fn source(
    host: &Host,
    repository: &Repository,
    tag: &str,
    max_bytes: u64,
) -> Result<Vec<u8>, ReleaseError> {
    let mut bytes = Vec::new();
    host.pack(repository, tag, max_bytes, &mut bytes).map_err(|fault| fault.at(Stage::Download))?;
    Ok(bytes)
}
