//! The state a project should be in: vendored and generated files, and the lock over them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use crate::generate::lock::{LOCK_PATH, Lock};
use crate::generate::outputs::{self, GenerateError};
use crate::generate::ownership;
use crate::generate::record::{RECORD_PATH, Record};
use crate::generate::record_runtime::is_below;
use crate::generate::vendor::{self, SpecRelease};
use crate::plan::{Content, Digest, FileSet, FileSetError, Plan, RelativePath, Tree, TreeEntry};
use crate::system::files;

use super::desired_runtime::{
    ChosenRuntime, RuntimeFault, RuntimeOrigin, WantedRuntime, chosen_runtime, digests,
};
use super::tree;

/// The file with the path of a Go module.
const GO_MOD_PATH: &str = "go.mod";
/// Largest source of a generator, in bytes.
const MAX_SOURCE: u64 = 4 * 1024 * 1024;

/// Everything that aos keeps in one project.
#[derive(Debug)]
pub struct Desired {
    pub release: Arc<SpecRelease>,
    pub vendored: FileSet,
    pub generated: FileSet,
    /// The runtime, in the version of this build.
    pub runtime: FileSet,
    /// Files of the runtime that stay as they are: parts that the project owns, or all of an older version.
    pub kept: BTreeSet<RelativePath>,
    pub lock: Lock,
    /// Files of the project in the directories of aos.
    keep: Vec<RelativePath>,
    /// Identifies the files of an older runtime; `None` if the runtime stays unchanged.
    origin: Option<RuntimeOrigin>,
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
    #[error(transparent)]
    Runtime(#[from] RuntimeFault),
}

impl DesiredError {
    /// The file to correct; `None` when it is a source of a generator.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Generate(_) => None,
            Self::Read { path, .. } => Some(path),
            Self::Runtime(RuntimeFault::Module(_)) => Some(GO_MOD_PATH),
            Self::Runtime(_) | Self::Files(_) => Some(RECORD_PATH),
        }
    }
}

/// The bytes that generators read besides the contract.
#[derive(Clone, Debug, Default)]
pub struct SourceBytes {
    /// The file that generators of the family read besides the contract.
    pub source: Option<Vec<u8>>,
    /// Read only for a project with a runtime.
    pub go_mod: Option<Vec<u8>>,
}

impl SourceBytes {
    /// Reads them from a project.
    ///
    /// # Errors
    /// Returns an error if one exists but cannot be read as a plain file.
    pub fn read(root: &Path, record: &Record) -> Result<Self, DesiredError> {
        let path = outputs::source(record.family, &record.spec.directory);
        // The place is that of a managed file in one family; what cannot be read there is refused in all of them.
        for own in outputs::own_files(&record.spec.directory) {
            if path.as_ref() != Some(&own) {
                source(root, &own)?;
            }
        }
        let go_mod = match record.runtime {
            Some(_) => source(root, GO_MOD_PATH)?,
            None => None,
        };
        Ok(Self { source: path.map(|path| source(root, &path)).transpose()?.flatten(), go_mod })
    }
}

fn source(root: &Path, path: &str) -> Result<Option<Vec<u8>>, DesiredError> {
    match files::read(&root.join(path), MAX_SOURCE) {
        Ok(loaded) => Ok(Some(loaded.bytes)),
        // A file where a directory must be is an obstacle of the plan, not a fault of this source.
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
    /// The wanted files for `record` and `release`.
    ///
    /// # Errors
    /// Returns an error if a source of a generator is missing or refused.
    pub fn compute(
        record: &Record,
        release: Arc<SpecRelease>,
        sources: &SourceBytes,
        wanted: WantedRuntime<'_>,
    ) -> Result<Self, DesiredError> {
        let vendored = vendor::files(&release, &record.spec.directory)?;
        let generated = outputs::files(
            record.family,
            &release.contract,
            &record.outputs,
            sources.source.as_deref(),
        )?;
        let mut all = vendored.clone();
        all.extend(generated.clone())?;
        let ChosenRuntime { files: runtime, kept, locked, origin } =
            chosen_runtime(record, sources.go_mod.as_deref(), wanted, &release.tag)?;
        all.extend(runtime.clone())?;
        all.insert(RelativePath::literal(LOCK_PATH), Content::plain(""))?;
        all.validate_tree()?;
        let lock = Lock {
            family: release.family,
            tag: release.tag.clone(),
            source: release.source.clone(),
            vendored: release.digests(&record.spec.directory)?,
            generated: digests(&generated),
            runtime: locked,
        };
        let keep = record.spec.keep.clone();
        Ok(Self { release, vendored, generated, runtime, kept, lock, keep, origin })
    }

    /// All files of the wanted state, lock included.
    ///
    /// # Errors
    /// Returns an error if two of them are one file.
    pub fn files(&self) -> Result<FileSet, DesiredError> {
        let mut files = self.vendored.clone();
        files.extend(self.generated.clone())?;
        files.extend(self.runtime.clone())?;
        files.insert(RelativePath::literal(LOCK_PATH), Content::plain(self.lock.render()))?;
        Ok(files)
    }

    /// Digests of everything that aos wrote and still keeps.
    #[must_use]
    pub fn known(&self, old: Option<&Lock>) -> BTreeMap<RelativePath, Digest> {
        let mut known = old.map(Lock::known).unwrap_or_default();
        known.retain(|path, _| !self.kept.contains(path));
        known
    }

    /// The change from the project on disk to this state; files of the old lock that are no longer wanted go
    /// when they still hold what aos wrote.
    ///
    /// # Errors
    /// Returns an error if two wanted files are one.
    pub fn plan(&self, root: &Path, old: Option<&Lock>) -> Result<Plan, DesiredError> {
        let wanted = self.files()?;
        let known = self.known(old);
        let tree = tree::snapshot(root, wanted.paths().chain(known.keys()));
        Ok(self.between(&tree, &wanted, &known))
    }

    /// The change from `tree` to `wanted`: a file that only the old lock knows goes, when it still holds what aos wrote
    /// and is of a kind that aos writes.
    #[must_use]
    pub fn between(
        &self,
        tree: &Tree,
        wanted: &FileSet,
        known: &BTreeMap<RelativePath, Digest>,
    ) -> Plan {
        let (obsolete, _) = self.unwanted(tree, wanted, known);
        Plan::between(tree, wanted, &obsolete)
    }

    /// Files that the old lock claims for aos although aos does not write such files: they are left alone.
    ///
    /// # Errors
    /// Returns an error if two wanted files are one.
    pub fn claimed(&self, root: &Path, old: &Lock) -> Result<Vec<String>, DesiredError> {
        let known = self.known(Some(old));
        let tree = tree::snapshot(root, known.keys());
        let claimed = self.claims(&tree, &self.files()?, &known);
        Ok(claimed.iter().map(ToString::to_string).collect())
    }

    /// The same in a tree that was read already.
    #[must_use]
    pub fn claims(
        &self,
        tree: &Tree,
        wanted: &FileSet,
        known: &BTreeMap<RelativePath, Digest>,
    ) -> BTreeSet<RelativePath> {
        self.unwanted(tree, wanted, known).1
    }

    /// Digests of bytes that may be replaced without a token: the lock names them, and aos can have written them.
    #[must_use]
    pub fn replaceable(&self, plan: &Plan, old: &Lock) -> BTreeMap<RelativePath, Digest> {
        let known = self.known(Some(old));
        let before = |path: &RelativePath| {
            plan.edits().iter().find(|edit| edit.path == *path)?.before.as_ref()
        };
        let is_of_aos = |path: &RelativePath| {
            let of_the_runtime =
                self.origin.as_ref().is_some_and(|origin| is_below(path, &origin.path));
            before(path).is_some_and(|content| {
                of_the_runtime || ownership::is_of_aos(path, content, &self.keep)
            })
        };
        known.into_iter().filter(|(path, _)| is_of_aos(path)).collect()
    }

    /// Unchanged files of the old lock that are no longer wanted: those of aos, and the others.
    fn unwanted(
        &self,
        tree: &Tree,
        wanted: &FileSet,
        known: &BTreeMap<RelativePath, Digest>,
    ) -> (BTreeSet<RelativePath>, BTreeSet<RelativePath>) {
        let unchanged = known.iter().filter_map(|(path, digest)| match tree.entries.get(path) {
            Some(TreeEntry::File(content))
                if wanted.get(path).is_none() && content.digest() == *digest =>
            {
                Some((path, content))
            }
            _ => None,
        });
        let (own, others): (Vec<_>, Vec<_>) = unchanged.partition(|(path, content)| {
            let released =
                self.origin.as_ref().is_some_and(|origin| origin.is_released(path, content));
            released || ownership::is_of_aos(path, content, &self.keep)
        });
        let paths = |files: Vec<(&RelativePath, &Content)>| {
            files.into_iter().map(|(path, _)| path.clone()).collect()
        };
        (paths(own), paths(others))
    }
}
