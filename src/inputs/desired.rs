//! The state a project should be in: vendored and generated files, and the lock over them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use crate::generate::lock::{LOCK_PATH, Lock};
use crate::generate::outputs::{self, CONNECTOR_PATH, GenerateError, Sources};
use crate::generate::record::Record;
use crate::generate::vendor::{self, SpecRelease};
use crate::plan::{Content, Digest, FileSet, FileSetError, Plan, RelativePath, Tree, TreeEntry};
use crate::system::files;

use super::tree;

/// Largest source of a generator, in bytes.
const MAX_SOURCE: u64 = 4 * 1024 * 1024;

/// Everything that aos keeps in one project.
#[derive(Debug)]
pub struct Desired {
    pub release: Arc<SpecRelease>,
    pub vendored: FileSet,
    pub generated: FileSet,
    pub lock: Lock,
}

/// Why the wanted state cannot be computed.
#[derive(Debug, thiserror::Error)]
pub enum DesiredError {
    #[error(transparent)]
    Generate(#[from] GenerateError),
    #[error(transparent)]
    Files(#[from] FileSetError),
    #[error("`{path}` cannot be read: {source}")]
    Read { path: String, source: std::io::Error },
}

/// The bytes that generators read besides the contract.
#[derive(Clone, Debug, Default)]
pub struct SourceBytes {
    pub connector: Option<Vec<u8>>,
    pub extension: Option<Vec<u8>>,
}

impl SourceBytes {
    /// Reads them from a project.
    ///
    /// # Errors
    /// When one exists but cannot be read as a plain file.
    pub fn read(root: &Path, record: &Record) -> Result<Self, DesiredError> {
        let extension = format!("{}/contract-ext.json", record.spec.directory);
        Ok(Self { connector: source(root, CONNECTOR_PATH)?, extension: source(root, &extension)? })
    }
}

fn source(root: &Path, path: &str) -> Result<Option<Vec<u8>>, DesiredError> {
    match files::read(&root.join(path), MAX_SOURCE) {
        Ok(loaded) => Ok(Some(loaded.bytes)),
        // What stands in the way of a directory is an obstacle of the plan, not a fault of this source.
        Err(error)
            if matches!(
                error.kind(),
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(source) => Err(DesiredError::Read { path: path.to_owned(), source }),
    }
}

impl Desired {
    /// What `record` and `release` ask for.
    ///
    /// # Errors
    /// When a source of a generator is missing or refused.
    pub fn compute(
        record: &Record,
        release: Arc<SpecRelease>,
        sources: &SourceBytes,
    ) -> Result<Self, DesiredError> {
        let vendored = vendor::files(&release, &record.spec.directory)?;
        let generated = outputs::files(
            &release.contract,
            &record.outputs,
            Sources {
                connector: sources.connector.as_deref(),
                extension: sources.extension.as_deref(),
            },
        )?;
        let mut all = vendored.clone();
        all.extend(generated.clone())?;
        all.insert(RelativePath::literal(LOCK_PATH), Content::plain(""))?;
        all.validate_tree()?;
        let lock = Lock {
            family: release.family,
            tag: release.tag.clone(),
            source: release.source.clone(),
            vendored: release.digests(&record.spec.directory)?,
            generated: digests(&generated),
        };
        Ok(Self { release, vendored, generated, lock })
    }

    /// All files of the wanted state, lock included.
    ///
    /// # Errors
    /// When two of them are one file.
    pub fn files(&self) -> Result<FileSet, DesiredError> {
        let mut files = self.vendored.clone();
        files.extend(self.generated.clone())?;
        files.insert(RelativePath::literal(LOCK_PATH), Content::plain(self.lock.render()))?;
        Ok(files)
    }

    /// The change from the project on disk to this state; files of the old lock that are no longer wanted go
    /// when they still hold what aos wrote.
    ///
    /// # Errors
    /// When two wanted files are one.
    pub fn plan(&self, root: &Path, old: Option<&Lock>) -> Result<Plan, DesiredError> {
        let wanted = self.files()?;
        let known = old.map(Lock::known).unwrap_or_default();
        let tree = tree::snapshot(root, wanted.paths().chain(known.keys()));
        Ok(between(&tree, &wanted, &known))
    }
}

fn digests(files: &FileSet) -> BTreeMap<RelativePath, Digest> {
    files.iter().map(|(path, content)| (path.clone(), content.digest())).collect()
}

/// The change from `tree` to `wanted`: a file that only the old lock knows goes, when it still holds what aos wrote.
#[must_use]
pub fn between(tree: &Tree, wanted: &FileSet, known: &BTreeMap<RelativePath, Digest>) -> Plan {
    let obsolete = |path: &RelativePath, digest: &Digest| {
        wanted.get(path).is_none()
            && matches!(tree.entries.get(path), Some(TreeEntry::File(content)) if content.digest() == *digest)
    };
    let unwanted: BTreeSet<_> = known
        .iter()
        .filter(|(path, digest)| obsolete(path, digest))
        .map(|(path, _)| path.clone())
        .collect();
    Plan::between(tree, wanted, &unwanted)
}
