//! The journal of a write: enough to bring the old state back after a crash.
//!
//! Layout of `.aos-transaction/`: `journal.json`, `new/<n>` (bytes to come), `old/<n>` (bytes that were).

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::plan::{Digest, Edit, RelativePath};
use crate::system::directory_lock::DirectoryLock;
use crate::system::files::{self, Kind};

use super::ApplyError;

/// Where the journal of a running write lies.
pub const DIRECTORY: &str = ".aos-transaction";
/// Prefix of a journal that is still being written.
pub const DRAFT_PREFIX: &str = ".aos-draft-";
/// Largest journal, in bytes.
const MAX_JOURNAL: u64 = 4 * 1024 * 1024;
/// Largest file that a journal restores, in bytes.
const MAX_FILE: u64 = 16 * 1024 * 1024;

/// One line of a journal.
#[derive(Clone, Debug)]
pub struct Entry {
    pub path: RelativePath,
    pub before: Option<Digest>,
    pub after: Option<Digest>,
}

/// What was undone.
#[derive(Clone, Debug, Default)]
pub struct Recovery {
    pub restored: Vec<String>,
    /// Files that somebody changed after the crash; they are left alone.
    pub skipped: Vec<String>,
}

/// The text of a journal.
#[must_use]
pub fn render(edits: &[&Edit], directories: &[String]) -> String {
    let entries: Vec<_> = edits
        .iter()
        .map(|edit| {
            json!({
                "path": edit.path.as_str(),
                "before": edit.before.as_ref().map(|content| content.digest().to_string()),
                "after": edit.after.as_ref().map(|content| content.digest().to_string()),
            })
        })
        .collect();
    json!({"version": 1, "edits": entries, "directories": directories}).to_string()
}

/// Undoes a write that was cut off, if there is one. Safe to call again after another crash.
///
/// # Errors
/// When another aos is writing, the journal is damaged, or a file cannot be restored.
pub fn recover(root: &Path) -> Result<Option<Recovery>, ApplyError> {
    let directory = root.join(DIRECTORY);
    match files::kind(&directory).map_err(ApplyError::io("look at", &directory))? {
        Kind::Absent => return Ok(None),
        Kind::Directory => {}
        _ => {
            return Err(ApplyError::Journal {
                path: directory,
                reason: "it is not a directory".to_owned(),
            });
        }
    }
    let lock = DirectoryLock::acquire(root).map_err(ApplyError::io("lock", root))?;
    let Some(_lock) = lock else { return Err(ApplyError::Busy { path: root.to_owned() }) };
    let (entries, directories) = read(&directory)?;
    let recovery = roll_back(root, &directory, &entries, &directories)?;
    files::remove_tree(&directory).map_err(ApplyError::io("remove", &directory))?;
    Ok(Some(recovery))
}

/// Puts the old bytes back wherever the new ones stand.
///
/// # Errors
/// When a file cannot be restored; the journal stays for the next try.
pub fn roll_back(
    root: &Path,
    directory: &Path,
    entries: &[Entry],
    directories: &[String],
) -> Result<Recovery, ApplyError> {
    let mut recovery = Recovery::default();
    for (index, entry) in entries.iter().enumerate().rev() {
        let place = entry.path.below(root);
        let now = digest_at(&place)?;
        // A change of the execute bit alone has equal digests and is put back without asking.
        if now == entry.before && entry.before != entry.after {
            continue;
        }
        if now != entry.after {
            recovery.skipped.push(entry.path.to_string());
            continue;
        }
        match entry.before {
            Some(_) => {
                let old = directory.join("old").join(index.to_string());
                files::rename(&old, &place).map_err(ApplyError::io("restore", &place))?;
            }
            None => files::remove_file(&place).map_err(ApplyError::io("remove", &place))?,
        }
        recovery.restored.push(entry.path.to_string());
    }
    for made in directories.iter().rev() {
        // Only a directory that is empty again goes.
        let _ = files::remove_empty_directory(&root.join(made));
    }
    recovery.restored.reverse();
    Ok(recovery)
}

fn digest_at(place: &Path) -> Result<Option<Digest>, ApplyError> {
    match files::read(place, MAX_FILE) {
        Ok(loaded) => Ok(Some(Digest::of(&loaded.bytes))),
        Err(error)
            if matches!(
                error.kind(),
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(ApplyError::Io { action: "read", path: place.to_owned(), source: error }),
    }
}

fn read(directory: &Path) -> Result<(Vec<Entry>, Vec<String>), ApplyError> {
    let path = directory.join("journal.json");
    let fault = |reason: String| ApplyError::Journal { path: directory.to_owned(), reason };
    let loaded = files::read(&path, MAX_JOURNAL).map_err(|error| fault(error.to_string()))?;
    let document: Value =
        serde_json::from_slice(&loaded.bytes).map_err(|error| fault(error.to_string()))?;
    if document["version"] != 1 {
        return Err(fault("its version is unknown".to_owned()));
    }
    let entries = document["edits"].as_array().map(Vec::as_slice).unwrap_or_default();
    let entries = entries
        .iter()
        .map(|entry| parse(entry).ok_or_else(|| fault("an entry is malformed".to_owned())));
    let directories = document["directories"].as_array().map(Vec::as_slice).unwrap_or_default();
    let directories = directories.iter().map(|name| {
        let name = name.as_str().and_then(|name| RelativePath::parse(name).ok());
        name.map(|name| name.to_string())
            .ok_or_else(|| fault("a directory is malformed".to_owned()))
    });
    Ok((entries.collect::<Result<_, _>>()?, directories.collect::<Result<_, _>>()?))
}

fn parse(entry: &Value) -> Option<Entry> {
    let digest = |name: &str| match &entry[name] {
        Value::Null => Some(None),
        Value::String(text) => Digest::parse(text).map(Some),
        _ => None,
    };
    Some(Entry {
        path: RelativePath::parse(entry["path"].as_str()?).ok()?,
        before: digest("before")?,
        after: digest("after")?,
    })
}

/// Removes journals that were never completed; the caller holds the project's lock.
pub fn remove_drafts(root: &Path) {
    let Ok(names) = files::names(root) else { return };
    for name in names {
        let path: PathBuf = root.join(&name);
        let is_draft = name.to_str().is_some_and(|name| name.starts_with(DRAFT_PREFIX));
        if is_draft && matches!(files::kind(&path), Ok(Kind::Directory)) {
            let _ = files::remove_tree(&path);
        }
    }
}
