//! Released contracts: from the binary, or from a directory that somebody names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::contract::document::ContractError;
use crate::contract::{Family, SpecTag, json};
use crate::generate::record::SpecSource;
use crate::generate::vendor::{Contract, SpecRelease};
use crate::system::files;

use super::{embedded, frozen};

/// Largest vendored file, in bytes.
const MAX_SPEC_FILE: u64 = 2 * 1024 * 1024;

/// Why a tag cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    #[error("the family `{family}` has no tag `{tag}`; this aos carries {}", known.join(", "))]
    UnknownTag { family: Family, tag: String, known: Vec<String> },
    #[error("`{}` holds no contract of the family `{family}`{}", path.display(), tag.as_ref().map(|tag| format!(" at tag `{tag}`")).unwrap_or_default())]
    NotInDirectory { path: PathBuf, family: Family, tag: Option<SpecTag> },
    #[error("`{}` cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("`{path}` is not a usable contract: {source}")]
    Contract { path: String, source: ContractError },
    #[error("`{}` says tag `{tag}`, and that is not a tag: {reason}", path.display())]
    Tag { path: PathBuf, tag: String, reason: String },
    #[error("`{}` differs from the released tag `{tag}` of `{family}`; a released tag never changes", path.display())]
    Frozen { path: PathBuf, family: Family, tag: SpecTag },
    #[error("`{path}` changes `{code}`, which is frozen since `{since}`")]
    CoreChanged { path: String, code: String, since: SpecTag },
}

type Cache = BTreeMap<(Family, String), Arc<SpecRelease>>;
static PARSED: Mutex<Cache> = Mutex::new(Cache::new());

/// A tag from the binary; parsed once per process.
///
/// # Errors
/// When the binary does not carry it.
pub fn embedded_release(family: Family, tag: &SpecTag) -> Result<Arc<SpecRelease>, SpecError> {
    let key = (family, tag.as_str().to_owned());
    let mut cache = PARSED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(release) = cache.get(&key) {
        return Ok(Arc::clone(release));
    }
    let file = |name: &str| embedded::contract_file(family, tag, name);
    let (Some(contract_bytes), Some(spec_bytes)) =
        (file("contract.json"), file(family.spec_file()))
    else {
        return Err(unknown_tag(family, tag.as_str()));
    };
    let contract = Contract::parse(family, tag, contract_bytes).map_err(|source| {
        SpecError::Contract { path: format!("{family}/{tag}/contract.json"), source }
    })?;
    let release = Arc::new(SpecRelease::new(
        (family, tag.clone(), SpecSource::Embedded),
        contract_bytes,
        spec_bytes,
        contract,
    ));
    cache.insert(key, Arc::clone(&release));
    Ok(release)
}

/// The newest tag that the binary carries.
///
/// # Errors
/// When the family has none.
pub fn latest(family: Family) -> Result<SpecTag, SpecError> {
    embedded::tags(family).pop().ok_or_else(|| unknown_tag(family, "latest"))
}

fn unknown_tag(family: Family, tag: &str) -> SpecError {
    let known = embedded::tags(family).iter().map(ToString::to_string).collect();
    SpecError::UnknownTag { family, tag: tag.to_owned(), known }
}

/// A tag from `directory`: `<family>/<tag>/` below it, or the files themselves.
///
/// # Errors
/// When it is not there, malformed, or contradicts what is already released.
pub fn directory_release(
    directory: &Path,
    family: Family,
    tag: Option<&SpecTag>,
) -> Result<Arc<SpecRelease>, SpecError> {
    let place = locate(directory, family, tag)?;
    let contract_bytes = read(&place.join("contract.json"))?;
    let spec_bytes = read(&place.join(family.spec_file()))?;
    let path = place.join("contract.json");
    let found = stated_tag(&path, &contract_bytes)?;
    if tag.is_some_and(|wanted| *wanted != found) {
        return Err(SpecError::NotInDirectory { path: place, family, tag: tag.cloned() });
    }
    if let Ok(released) = embedded_release(family, &found) {
        let same =
            *released.contract_bytes == *contract_bytes && *released.spec_bytes == *spec_bytes;
        return if same {
            Ok(released)
        } else {
            Err(SpecError::Frozen { path: place, family, tag: found })
        };
    }
    let shown = path.display().to_string();
    let contract = Contract::parse(family, &found, &contract_bytes)
        .map_err(|source| SpecError::Contract { path: shown.clone(), source })?;
    frozen::core_is_kept(&shown, family, &found, &contract)?;
    Ok(Arc::new(SpecRelease::new(
        (family, found, SpecSource::Directory),
        &contract_bytes,
        &spec_bytes,
        contract,
    )))
}

/// Whether `directory` has a place of its own for `tag`.
#[must_use]
pub fn has_tag(directory: &Path, family: Family, tag: &SpecTag) -> bool {
    places(directory, family, tag).iter().any(|place| holds_contract(place))
}

fn places(directory: &Path, family: Family, tag: &SpecTag) -> [PathBuf; 3] {
    [
        directory.join(family.name()).join(tag.as_str()),
        directory.join("contract").join(family.name()).join(tag.as_str()),
        directory.join(tag.as_str()),
    ]
}

fn holds_contract(place: &Path) -> bool {
    matches!(files::kind(&place.join("contract.json")), Ok(files::Kind::File { .. }))
}

fn locate(directory: &Path, family: Family, tag: Option<&SpecTag>) -> Result<PathBuf, SpecError> {
    let tagged = tag.map(|tag| places(directory, family, tag)).into_iter().flatten();
    tagged.chain([directory.to_owned()]).find(|place| holds_contract(place)).ok_or_else(|| {
        SpecError::NotInDirectory { path: directory.to_owned(), family, tag: tag.cloned() }
    })
}

fn read(path: &Path) -> Result<Vec<u8>, SpecError> {
    files::read(path, MAX_SPEC_FILE)
        .map(|loaded| loaded.bytes)
        .map_err(|source| SpecError::Read { path: path.to_owned(), source })
}

fn stated_tag(path: &Path, bytes: &[u8]) -> Result<SpecTag, SpecError> {
    let document = json::parse(bytes).map_err(|error| SpecError::Contract {
        path: path.display().to_string(),
        source: ContractError::Json(error),
    })?;
    let text = document.get("tag").and_then(serde_json::Value::as_str).unwrap_or_default();
    SpecTag::parse(text).map_err(|error| SpecError::Tag {
        path: path.to_owned(),
        tag: text.chars().take(64).collect::<String>().escape_debug().to_string(),
        reason: error.to_string(),
    })
}

/// Why a vendored copy is not what its lock says.
#[derive(Debug, thiserror::Error)]
pub enum LockedError {
    #[error("the file is not what the lock says")]
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
/// When a file is missing, altered, or no contract.
pub fn locked_release(
    root: &Path,
    directory: &crate::plan::RelativePath,
    lock: &crate::generate::lock::Lock,
) -> Result<Arc<SpecRelease>, LockedError> {
    let contract_path = format!("{directory}/contract.json");
    let spec_path =
        format!("{}/{}", crate::generate::record::AGENT_DIRECTORY, lock.family.spec_file());
    let contract_bytes = locked(root, &contract_path, lock)?;
    let spec_bytes = locked(root, &spec_path, lock)?;
    let contract = Contract::parse(lock.family, &lock.tag, &contract_bytes)
        .map_err(|source| LockedError::Contract { path: contract_path, source })?;
    Ok(Arc::new(SpecRelease::new(
        (lock.family, lock.tag.clone(), SpecSource::Directory),
        &contract_bytes,
        &spec_bytes,
        contract,
    )))
}

fn locked(
    root: &Path,
    path: &str,
    lock: &crate::generate::lock::Lock,
) -> Result<Vec<u8>, LockedError> {
    let bytes = files::read(&root.join(path), MAX_SPEC_FILE)
        .map_err(|source| LockedError::Read { path: path.to_owned(), source })?
        .bytes;
    let expected =
        lock.vendored.iter().find(|(known, _)| known.as_str() == path).map(|(_, digest)| *digest);
    if expected != Some(crate::plan::Digest::of(&bytes)) {
        return Err(LockedError::Digest { path: path.to_owned() });
    }
    Ok(bytes)
}
