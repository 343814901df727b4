//! The vendored copy in a project, when the digests in its lock are what is trusted.

use std::path::Path;
use std::sync::Arc;

use crate::contract::document::ContractError;
use crate::generate::lock::Lock;
use crate::generate::record::AGENT_DIRECTORY;
use crate::generate::vendor::{Contract, SpecRelease};
use crate::plan::{Digest, RelativePath};
use crate::system::files;

use super::fault::SpecError;
use super::obtained::MAX_SPEC_FILE;
use super::places;

/// Why a vendored copy is not what its lock says.
#[derive(Debug, thiserror::Error)]
pub enum LockedError {
    #[error("the file differs from its digest in the lock")]
    Digest { path: String },
    #[error("the file cannot be read: {source}")]
    Read { path: String, source: std::io::Error },
    #[error("the contract cannot be used: {source}")]
    Contract { path: String, source: ContractError },
}

impl LockedError {
    /// The file at fault, relative to the project.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::Digest { path } | Self::Read { path, .. } | Self::Contract { path, .. } => path,
        }
    }
}

/// The vendored copy in a project as a release, when it has exactly the digests of the lock.
///
/// # Errors
/// Returns an error if a file is missing, altered, or no contract.
pub fn locked_release(
    root: &Path,
    directory: &RelativePath,
    lock: &Lock,
) -> Result<Arc<SpecRelease>, LockedError> {
    let contract_path = format!("{directory}/{}", places::CONTRACT_FILE);
    let spec_path = format!("{AGENT_DIRECTORY}/{}", lock.family.spec_file());
    let contract_bytes = locked(root, &contract_path, lock)?;
    let spec_bytes = locked(root, &spec_path, lock)?;
    let contract = Contract::parse(lock.family, &lock.tag, &contract_bytes)
        .map_err(|source| LockedError::Contract { path: contract_path, source })?;
    Ok(Arc::new(SpecRelease::new(
        (lock.family, lock.tag.clone(), lock.source.clone()),
        &contract_bytes,
        &spec_bytes,
        contract,
    )))
}

fn locked(root: &Path, path: &str, lock: &Lock) -> Result<Vec<u8>, LockedError> {
    let bytes = files::read(&root.join(path), MAX_SPEC_FILE)
        .map_err(|source| LockedError::Read { path: path.to_owned(), source })?
        .bytes;
    let expected =
        lock.vendored.iter().find(|(known, _)| known.as_str() == path).map(|(_, digest)| *digest);
    if expected != Some(Digest::of(&bytes)) {
        return Err(LockedError::Digest { path: path.to_owned() });
    }
    Ok(bytes)
}

/// Checks that `release` has the bytes that the lock records for the same tag of the same source; a lock of another one
/// is ignored.
///
/// # Errors
/// Returns an error if the source gives other bytes than it gave before.
pub fn as_remembered(release: &SpecRelease, lock: Option<&Lock>) -> Result<(), SpecError> {
    let of_this_release = |lock: &&Lock| {
        lock.family == release.family && lock.tag == release.tag && lock.source == release.source
    };
    let Some(lock) = lock.filter(of_this_release) else { return Ok(()) };
    let remembered = |digest: &Digest| lock.vendored.values().any(|known| known == digest);
    if remembered(&release.contract_digest) && remembered(&release.spec_digest) {
        return Ok(());
    }
    Err(SpecError::OtherBytes { origin: release.source.to_string(), tag: release.tag.clone() })
}
