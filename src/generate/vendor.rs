//! Vendored files: the bytes of one released tag, where a repository keeps them.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::contract::document::ContractError;
use crate::contract::{Family, FileBytes, SpecTag};
use crate::plan::{Content, Digest, FileSet, FileSetError, RelativePath};

use super::outputs::OUTPUTS;
use super::record::{AGENT_DIRECTORY, PIN_PATH};
use super::record_spec::SpecSource;

/// One tag of one family: bytes and their meaning.
#[derive(Clone, Debug)]
pub struct SpecRelease {
    pub family: Family,
    pub tag: SpecTag,
    pub source: SpecSource,
    pub contract_bytes: Arc<[u8]>,
    pub spec_bytes: Arc<[u8]>,
    pub contract_digest: Digest,
    pub spec_digest: Digest,
    pub contract: Contract,
}

/// A validated contract, of a type that its family alone knows.
#[derive(Clone, Debug)]
pub struct Contract(Arc<dyn Any + Send + Sync>);

/// The contract is not of the family that reads it.
#[derive(Debug, thiserror::Error)]
#[error("the contract belongs to another family")]
pub struct OtherContract;

impl Contract {
    /// Parses `contract.json` of `family` at `tag`.
    ///
    /// # Errors
    /// Returns an error if the bytes are not that contract.
    pub fn parse(family: Family, tag: &SpecTag, bytes: &[u8]) -> Result<Self, ContractError> {
        let outputs = OUTPUTS.of(family).ok_or_else(|| {
            ContractError::Inconsistent(format!(
                "contracts of the family `{family}` cannot be read"
            ))
        })?;
        outputs.parse(bytes, tag)
    }

    /// A contract of some family.
    #[must_use]
    pub fn new(contract: impl Any + Send + Sync) -> Self {
        Self(Arc::new(contract))
    }

    /// The contract as its family knows it.
    ///
    /// # Errors
    /// Returns an error if it belongs to another family.
    pub fn of<T: Any + Send + Sync>(&self) -> Result<&T, OtherContract> {
        self.0.downcast_ref().ok_or(OtherContract)
    }
}

impl SpecRelease {
    /// A release whose bytes were parsed into `contract`.
    #[must_use]
    pub fn new(
        (family, tag, source): (Family, SpecTag, SpecSource),
        contract_bytes: &[u8],
        spec_bytes: &[u8],
        contract: Contract,
    ) -> Self {
        Self {
            family,
            tag,
            source,
            contract_bytes: FileBytes::expected(contract_bytes).to_arc(),
            spec_bytes: FileBytes::expected(spec_bytes).to_arc(),
            contract_digest: Digest::of(contract_bytes),
            spec_digest: Digest::of(spec_bytes),
            contract,
        }
    }

    /// The same bytes, as they came from `source`.
    #[must_use]
    pub fn from_source(self: &Arc<Self>, source: &SpecSource) -> Arc<Self> {
        if self.source == *source {
            return Arc::clone(self);
        }
        Arc::new(Self { source: source.clone(), ..Self::clone(self) })
    }

    /// Digests of the vendored files; computed once per release, not once per project.
    ///
    /// # Errors
    /// Returns an error if the directory is not a path inside a project.
    pub fn digests(
        &self,
        directory: &RelativePath,
    ) -> Result<BTreeMap<RelativePath, Digest>, FileSetError> {
        Ok(BTreeMap::from([
            (contract_path(directory)?, self.contract_digest),
            (spec_path(self.family)?, self.spec_digest),
            (RelativePath::literal(PIN_PATH), Digest::of(&self.tag.pin_bytes())),
        ]))
    }
}

fn contract_path(directory: &RelativePath) -> Result<RelativePath, FileSetError> {
    Ok(RelativePath::parse(&format!("{directory}/contract.json"))?)
}

fn spec_path(family: Family) -> Result<RelativePath, FileSetError> {
    Ok(RelativePath::parse(&format!("{AGENT_DIRECTORY}/{}", family.spec_file()))?)
}

/// The files a repository vendors for `release`: contract, spec text and pin.
///
/// # Errors
/// Returns an error if the contract directory makes two of them one file.
pub fn files(release: &SpecRelease, directory: &RelativePath) -> Result<FileSet, FileSetError> {
    let mut files = FileSet::default();
    files.insert(
        contract_path(directory)?,
        Content { bytes: Arc::clone(&release.contract_bytes), executable: false },
    )?;
    files.insert(
        spec_path(release.family)?,
        Content { bytes: Arc::clone(&release.spec_bytes), executable: false },
    )?;
    files.insert(RelativePath::literal(PIN_PATH), Content::plain(release.tag.pin_bytes()))?;
    Ok(files)
}
