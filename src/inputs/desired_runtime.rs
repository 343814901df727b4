//! The runtime a project should have: which version, which of its files, and what the project owns of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::contract::{Family, SpecTag};
use crate::generate::go_module::GoModule;
use crate::generate::lock::{Lock, LockedRuntime};
use crate::generate::record::Record;
use crate::generate::record_runtime::RuntimeSection;
use crate::generate::runtime::{Runtime, RuntimeError, Version};
use crate::plan::{Content, Digest, FileSet, FileSetError, RelativePath};
use crate::visible::excerpt;

use super::embedded::{self, EmbeddedError};
use super::runtimes;

/// The wanted version of the runtime.
#[derive(Clone, Copy, Debug)]
pub enum WantedRuntime<'a> {
    /// The runtime of this build, regardless of the project.
    Newest(Option<&'a Lock>),
    /// The runtime in the lock; an older one stays.
    Recorded(&'a Lock),
}

impl<'a> WantedRuntime<'a> {
    /// Returns the entry of the runtime in the lock.
    pub fn locked(self) -> Option<&'a LockedRuntime> {
        match self {
            Self::Newest(lock) => lock.and_then(|lock| lock.runtime.as_ref()),
            Self::Recorded(lock) => lock.runtime.as_ref(),
        }
    }
}

/// Why the runtime of a project cannot be computed.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeFault {
    #[error("aos has no runtime `{}`; it has {known}", excerpt(name, 60))]
    Unknown { name: String, known: String },
    #[error(
        "the project has version {recorded} of the runtime `{name}`, but this aos has {ours}: a newer aos wrote it"
    )]
    Newer { name: String, recorded: Version, ours: Version },
    #[error(
        "the runtime `{name}` {version} does not support {family} {tag}; it supports {supported}"
    )]
    Contract { name: String, version: Version, family: Family, tag: SpecTag, supported: String },
    #[error("`go.mod` cannot be used: {0}")]
    Module(String),
    #[error(transparent)]
    Embedded(#[from] EmbeddedError),
    #[error(transparent)]
    Files(#[from] FileSetError),
}

impl From<RuntimeError> for RuntimeFault {
    fn from(error: RuntimeError) -> Self {
        match error {
            RuntimeError::Files(error) => Self::Files(error),
            RuntimeError::NoModule(_) => Self::Module("it does not exist".to_owned()),
        }
    }
}

/// The release that the runtime of a project came from.
#[derive(Debug)]
pub struct RuntimeOrigin {
    /// The directory of the runtime; aos owns all of it but the parts that the project owns.
    pub path: RelativePath,
    runtime: Arc<Runtime>,
    module: Option<GoModule>,
    released: BTreeMap<RelativePath, Digest>,
}

impl RuntimeOrigin {
    /// True if this release wrote these bytes to the file.
    pub fn is_released(&self, path: &RelativePath, content: &Content) -> bool {
        let module = self.module.as_ref();
        let digest = self.runtime.canonical_digest(path.as_str(), &content.bytes, module);
        self.released.get(path) == Some(&digest)
    }
}

/// The digests of a released version, by path in the project; empty for one that was never released.
fn released(
    section: &RuntimeSection,
    locked: &LockedRuntime,
) -> Result<BTreeMap<RelativePath, Digest>, RuntimeFault> {
    let listed = runtimes::released(&section.name, locked.version)?.unwrap_or_default();
    let placed = listed.into_iter().filter_map(|(inner, digest)| {
        Some((RelativePath::parse(&format!("{}/{inner}", section.path)).ok()?, digest))
    });
    Ok(placed.collect())
}

/// The runtime that a project is to have.
#[derive(Debug, Default)]
pub struct ChosenRuntime {
    pub files: FileSet,
    pub kept: BTreeSet<RelativePath>,
    pub locked: Option<LockedRuntime>,
    pub origin: Option<RuntimeOrigin>,
}

/// Chooses it; `go_mod` is the file of that name, where there is one.
///
/// # Errors
/// Returns an error if this build does not have the runtime, or the project does not name its Go module.
pub fn chosen_runtime(
    record: &Record,
    go_mod: Option<&[u8]>,
    wanted: WantedRuntime<'_>,
    tag: &SpecTag,
) -> Result<ChosenRuntime, RuntimeFault> {
    let Some(section) = &record.runtime else { return Ok(ChosenRuntime::default()) };
    let runtime = runtime_of(section)?;
    supports(&runtime, record.family, tag)?;
    let locked = wanted.locked().filter(|locked| locked.name == section.name);
    let ours = runtime.info.version;
    if let Some(newer) = locked.filter(|locked| locked.version > ours) {
        let (name, recorded) = (section.name.clone(), newer.version);
        return Err(RuntimeFault::Newer { name, recorded, ours });
    }
    let listed = locked.iter().flat_map(|locked| locked.files.keys());
    let owned = listed.filter(|path| section.owner(path).is_some());
    let mut kept: BTreeSet<_> = owned.cloned().collect();
    if let (WantedRuntime::Recorded(_), Some(old)) =
        (wanted, locked.filter(|locked| locked.version < ours))
    {
        let mut old = old.clone();
        old.files.retain(|path, _| !kept.contains(path));
        kept.extend(old.files.keys().cloned());
        return Ok(ChosenRuntime {
            files: FileSet::default(),
            kept,
            locked: Some(old),
            origin: None,
        });
    }
    let module = module_of(&runtime, go_mod)?;
    let files = runtime.files(section, module.as_ref())?;
    let released = locked.map(|locked| released(section, locked)).transpose()?.unwrap_or_default();
    let locked = LockedRuntime {
        name: section.name.clone(),
        version: ours,
        files: runtime.digests(section, &files),
    };
    let origin = Some(RuntimeOrigin { path: section.path.clone(), runtime, module, released });
    Ok(ChosenRuntime { files, kept, locked: Some(locked), origin })
}

/// Refuses a released tag that the runtime is known not to support; what it does under a tag of somebody else is
/// theirs to know.
fn supports(runtime: &Runtime, family: Family, tag: &SpecTag) -> Result<(), RuntimeFault> {
    let info = &runtime.info;
    let is_listed = info.contracts.iter().any(|listed| listed == tag.as_str());
    if is_listed || !embedded::tags(family).contains(tag) {
        return Ok(());
    }
    Err(RuntimeFault::Contract {
        name: info.name.clone(),
        version: info.version,
        family,
        tag: tag.clone(),
        supported: info.contracts.join(", "),
    })
}

/// The wanted files of the runtime alone, for a project whose sources generate nothing.
///
/// # Errors
/// Returns an error if this build does not have the runtime, or the project does not name its Go module.
pub fn runtime_files(
    record: &Record,
    go_mod: Option<&[u8]>,
    wanted: WantedRuntime<'_>,
    tag: &SpecTag,
) -> Result<FileSet, RuntimeFault> {
    Ok(chosen_runtime(record, go_mod, wanted, tag)?.files)
}

/// The runtime that a record names.
///
/// # Errors
/// Returns an error if this build has none of that name.
pub fn runtime_of(section: &RuntimeSection) -> Result<Arc<Runtime>, RuntimeFault> {
    let unknown = || RuntimeFault::Unknown {
        name: section.name.clone(),
        known: runtimes::names().join(", "),
    };
    runtimes::find(&section.name)?.ok_or_else(unknown)
}

/// The module path of the project, for a runtime that needs one.
///
/// # Errors
/// Returns an error if `go.mod` is there and names none.
pub fn module_of(
    runtime: &Runtime,
    go_mod: Option<&[u8]>,
) -> Result<Option<GoModule>, RuntimeFault> {
    if runtime.info.import.is_none() {
        return Ok(None);
    }
    let parsed = go_mod.map(GoModule::of_go_mod).transpose();
    parsed.map_err(|error| RuntimeFault::Module(error.to_string()))
}

/// The digest of each file.
pub fn digests(files: &FileSet) -> BTreeMap<RelativePath, Digest> {
    files.iter().map(|(path, content)| (path.clone(), content.digest())).collect()
}
