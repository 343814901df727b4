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
    if !exists(&directory)? {
        return Ok(None);
    }
    let lock = DirectoryLock::acquire(root).map_err(ApplyError::io("lock", root))?;
    let Some(_lock) = lock else { return Err(ApplyError::Busy { path: root.to_owned() }) };
    // Whoever held the lock a moment ago may have finished meanwhile.
    if !exists(&directory)? {
        return Ok(None);
    }
    let old = directory.join("old");
    if files::kind(&old).map_err(ApplyError::io("look at", &old))? != Kind::Directory {
        let reason = "it holds no old files".to_owned();
        return Err(ApplyError::Journal { path: directory, reason });
    }
    let (entries, directories) = read(&directory)?;
    let recovery = roll_back(root, &directory, &entries, &directories)?;
    files::remove_tree(&directory).map_err(ApplyError::io("remove", &directory))?;
    Ok(Some(recovery))
}

fn exists(directory: &Path) -> Result<bool, ApplyError> {
    match files::kind(directory).map_err(ApplyError::io("look at", directory))? {
        Kind::Absent => Ok(false),
        Kind::Directory => Ok(true),
        _ => Err(ApplyError::Journal {
            path: directory.to_owned(),
            reason: "it is not a directory".to_owned(),
        }),
    }
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
    let mut steps = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let old = directory.join("old").join(index.to_string());
        match step(root, &old, entry)? {
            Step::Nothing => {}
            Step::Skip => recovery.skipped.push(entry.path.to_string()),
            Step::Restore | Step::Remove if !is_genuine(&old, entry)? => {
                return Err(ApplyError::Journal {
                    path: directory.to_owned(),
                    reason: format!("the old bytes of `{}` are not what it promises", entry.path),
                });
            }
            step => steps.push((step, old, &entry.path)),
        }
    }
    for (step, old, path) in steps.into_iter().rev() {
        let place = path.below(root);
        match step {
            Step::Restore => {
                files::rename(&old, &place).map_err(ApplyError::io("restore", &place))?
            }
            _ => files::remove_file(&place).map_err(ApplyError::io("remove", &place))?,
        }
        recovery.restored.push(path.to_string());
    }
    for made in directories.iter().rev() {
        // Only a directory that is empty again goes.
        let _ = files::remove_empty_directory(&root.join(made));
    }
    recovery.restored.sort();
    Ok(recovery)
}

/// What brings one file back.
enum Step {
    Nothing,
    /// Somebody changed the file, or put a link above it.
    Skip,
    Restore,
    Remove,
}

fn step(root: &Path, old: &Path, entry: &Entry) -> Result<Step, ApplyError> {
    for ancestor in entry.path.ancestors() {
        let place = root.join(ancestor);
        match files::kind(&place).map_err(ApplyError::io("look at", &place))? {
            Kind::Absent | Kind::Directory => {}
            _ => return Ok(Step::Skip),
        }
    }
    let Some(now) = state_of(&entry.path.below(root))? else { return Ok(Step::Skip) };
    if entry.before.is_some() && entry.before == entry.after {
        // Only the execute bit changed: the digests cannot tell whether it is back already.
        let is_back = files::kind(old).map_err(ApplyError::io("look at", old))? == Kind::Absent;
        return Ok(match (now == entry.after, is_back) {
            (false, _) => Step::Skip,
            (true, true) => Step::Nothing,
            (true, false) => Step::Restore,
        });
    }
    Ok(match entry.before {
        before if now == before => Step::Nothing,
        _ if now != entry.after => Step::Skip,
        Some(_) => Step::Restore,
        None => Step::Remove,
    })
}

/// Whether the kept copy is what the journal says; a removal needs none.
fn is_genuine(old: &Path, entry: &Entry) -> Result<bool, ApplyError> {
    Ok(entry.before.is_none() || state_of(old)? == Some(entry.before))
}

/// The digest of the file at `place`, `Some(None)` when nothing is there, `None` when it is no file of ours.
fn state_of(place: &Path) -> Result<Option<Option<Digest>>, ApplyError> {
    match files::kind(place).map_err(ApplyError::io("look at", place))? {
        Kind::Absent => Ok(Some(None)),
        Kind::File { length, .. } if length <= MAX_FILE => files::read(place, MAX_FILE)
            .map(|loaded| Some(Some(Digest::of(&loaded.bytes))))
            .map_err(ApplyError::io("read", place)),
        _ => Ok(None),
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

/// Removes journals that were never completed or are done, unless somebody is writing.
pub fn remove_leftovers(root: &Path) {
    if drafts(root).is_empty() {
        return;
    }
    if let Ok(Some(_lock)) = DirectoryLock::acquire(root) {
        remove_drafts(root);
    }
}

/// The same for the holder of the project's lock.
pub fn remove_drafts(root: &Path) {
    for path in drafts(root) {
        // What stays is removed by the next run.
        let _ = files::remove_tree(&path);
    }
}

/// Only names that this program gives: 16 hex digits, or `done`.
fn is_draft(name: &str) -> bool {
    name.strip_prefix(DRAFT_PREFIX).is_some_and(|rest| {
        rest == "done" || rest.len() == 16 && rest.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}

fn drafts(root: &Path) -> Vec<PathBuf> {
    files::names(root)
        .unwrap_or_default()
        .into_iter()
        .filter(|name| name.to_str().is_some_and(is_draft))
        .map(|name| root.join(name))
        .filter(|path| matches!(files::kind(path), Ok(Kind::Directory)))
        .collect()
}
