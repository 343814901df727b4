//! Whether the journal in a tree is one that this machine wrote for this directory and has not finished.
//!
//! Read-only. A journal that does not match is refused with the reason; nothing is repaired or guessed.

use std::path::Path;

use serde_json::Value;

use super::super::ledger;
use super::{
    DIRECTORY, Digest, JournalEntry, MAX_JOURNAL, RelativePath, Side, VERSION, exists, state_of,
};
use crate::apply::fault::ApplyError;
use crate::plan::seal::seal;
use crate::system::files::{self, Kind};
use crate::system::{git, machine_secret};

/// A verified journal.
#[derive(Debug)]
pub struct Genuine {
    pub entry: ledger::LedgerEntry,
    pub entries: Vec<JournalEntry>,
    /// Directories that the write created.
    pub directories: Vec<String>,
}

/// The journal in `root`; `None` when there is none.
///
/// # Errors
/// Returns an error if it is not one of this machine, for this directory, unfinished and whole.
pub fn look(root: &Path) -> Result<Option<Genuine>, ApplyError> {
    let directory = root.join(DIRECTORY);
    if !exists(&directory)? {
        return Ok(None);
    }
    let fault =
        |reason: &str| ApplyError::Journal { path: directory.clone(), reason: reason.to_owned() };
    let file = directory.join("journal.json");
    let loaded = files::read(&file, MAX_JOURNAL).map_err(|error| fault(&error.to_string()))?;
    let document: Value = serde_json::from_slice(&loaded.bytes)
        .map_err(|error| fault(&format!("it is damaged: {error}")))?;
    let id = document["id"].as_str().unwrap_or_default();
    let Some(entry) = ledger::LedgerEntry::find(id) else {
        return Err(fault("this machine did not write it, or has already completed it"));
    };
    if !entry.is_of(root) {
        return Err(fault("it was written for another directory"));
    }
    let (entries, directories) = sealed(root, &entry, &loaded.bytes, &document)?
        .map_err(|reason| fault(&reason.to_string()))?;
    if git::tracks(root, DIRECTORY) == Some(true) {
        return Err(fault("git tracks it, but an unfinished write is never committed"));
    }
    only_known_files(&directory, &entries, false).map_err(|reason| fault(&reason.to_string()))?;
    Ok(Some(Genuine { entry, entries, directories }))
}

type Parts = (Vec<JournalEntry>, Vec<String>);

/// Why a journal or its files are not known to be those of this machine.
#[derive(Debug, thiserror::Error)]
pub enum NotGenuine {
    #[error("the secret that is needed to verify it no longer exists")]
    NoSecret,
    #[error("it is damaged, or this machine did not write it")]
    NotSealed,
    #[error("its version is unknown")]
    Version,
    #[error("it is damaged: an entry is malformed")]
    Malformed,
    #[error("git tracks a file in it")]
    Tracked,
    #[error("the git index cannot be read")]
    NoIndex,
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("{0}")]
    Apply(#[from] ApplyError),
    #[error("its journal is damaged: {0}")]
    Damaged(serde_json::Error),
    #[error("its journal is not valid: {0}")]
    NotValid(Box<NotGenuine>),
    #[error("`{0}` in it is not part of a journal")]
    ForeignFile(String),
    #[error("`{0}` in it is damaged or was changed")]
    ChangedFile(String),
}

/// The content of a journal with the seal of this machine; the inner error says why it has none.
fn sealed(
    root: &Path,
    entry: &ledger::LedgerEntry,
    bytes: &[u8],
    document: &Value,
) -> Result<Result<Parts, NotGenuine>, ApplyError> {
    let Some(secret) = machine_secret::existing()? else {
        return Ok(Err(NotGenuine::NoSecret));
    };
    let right = seal(&secret, &ledger::bytes(root), &entry.id, bytes);
    if right.is_none() || entry.seal != right {
        return Ok(Err(NotGenuine::NotSealed));
    }
    if document["version"] != VERSION {
        return Ok(Err(NotGenuine::Version));
    }
    Ok(parsed(document).ok_or(NotGenuine::Malformed))
}

/// The entries of the journal in a draft, when every file in the draft is one of them.
///
/// # Errors
/// Why the draft must stay as it is.
pub fn removable(
    root: &Path,
    name: &str,
    entry: &ledger::LedgerEntry,
) -> Result<Vec<JournalEntry>, NotGenuine> {
    let directory = root.join(name);
    match git::tracks(root, name) {
        Some(false) => {}
        Some(true) => return Err(NotGenuine::Tracked),
        None => return Err(NotGenuine::NoIndex),
    }
    let file = directory.join("journal.json");
    let entries = match files::kind(&file)? {
        // The run was interrupted before it wrote anything, here or with an empty journal.
        Kind::Absent => Vec::new(),
        _ => {
            let loaded = files::read(&file, MAX_JOURNAL)?;
            if loaded.bytes.is_empty() {
                only_known_files(&directory, &[], true)?;
                return Ok(Vec::new());
            }
            let document: Value =
                serde_json::from_slice(&loaded.bytes).map_err(NotGenuine::Damaged)?;
            let parts = sealed(root, entry, &loaded.bytes, &document)?;
            parts.map_err(|reason| NotGenuine::NotValid(Box::new(reason)))?.0
        }
    };
    only_known_files(&directory, &entries, true)?;
    Ok(entries)
}

fn parsed(document: &Value) -> Option<Parts> {
    let entries = document["edits"].as_array()?.iter().map(entry).collect::<Option<_>>()?;
    let directories = document["directories"]
        .as_array()?
        .iter()
        .map(|name| RelativePath::parse(name.as_str()?).ok().map(|name| name.to_string()));
    Some((entries, directories.collect::<Option<_>>()?))
}

fn entry(value: &Value) -> Option<JournalEntry> {
    let side = |name: &str| match &value[name] {
        Value::Null => Some(None),
        side => Some(Some(Side {
            digest: Digest::parse(side["digest"].as_str()?)?,
            executable: side["executable"].as_bool()?,
        })),
    };
    Some(JournalEntry {
        path: RelativePath::parse(value["path"].as_str()?).ok()?,
        before: side("before")?,
        after: side("after")?,
    })
}

/// Checks that every file of the journal has the staged bytes and mode. Missing files were renamed into the tree.
/// `is_draft`: an interrupted run may have left an empty file.
fn only_known_files(
    directory: &Path,
    entries: &[JournalEntry],
    is_draft: bool,
) -> Result<(), NotGenuine> {
    let names = |place: &Path| -> Result<Vec<String>, NotGenuine> {
        let names = files::names(place)?;
        Ok(names.iter().map(|name| name.to_string_lossy().into_owned()).collect())
    };
    for name in names(directory)? {
        let place = directory.join(&name);
        let kind = files::kind(&place)?;
        let fits = match name.as_str() {
            "journal.json" => matches!(kind, Kind::File { .. }),
            "old" | "new" => kind == Kind::Directory,
            _ => false,
        };
        if !fits {
            return Err(NotGenuine::ForeignFile(name));
        }
    }
    for (side, is_new) in [("old", false), ("new", true)] {
        if is_draft && files::kind(&directory.join(side)).is_ok_and(|kind| kind == Kind::Absent) {
            continue;
        }
        for name in names(&directory.join(side))? {
            let wanted = number(&name).and_then(|index| entries.get(index));
            let wanted = wanted.map(|entry| if is_new { entry.after } else { entry.before });
            let found = state_of(&directory.join(side).join(&name))?.flatten();
            let is_begun = is_draft && found.is_some_and(|side| side.digest == Digest::of(b""));
            if wanted.flatten().is_none() || wanted.flatten() != found && !is_begun {
                return Err(NotGenuine::ChangedFile(format!("{side}/{name}")));
            }
        }
    }
    Ok(())
}

/// The number that a staged file has for its name.
pub fn number(name: &str) -> Option<usize> {
    name.parse().ok().filter(|number: &usize| number.to_string() == name)
}
