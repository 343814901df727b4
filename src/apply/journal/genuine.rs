//! Whether the journal in a tree is one that this machine wrote for this directory and has not finished.
//!
//! Reads only. Whatever does not fit is refused with the reason; nothing is repaired or guessed.

use std::path::Path;

use serde_json::Value;

use super::super::ApplyError;
use super::super::ledger;
use super::{DIRECTORY, Digest, Entry, MAX_JOURNAL, RelativePath, Side, VERSION, exists, state_of};
use crate::plan::seal::seal;
use crate::system::files::{self, Kind};
use crate::system::machine_secret;

/// Largest index of git that is searched, in bytes.
const MAX_INDEX: u64 = 256 * 1024 * 1024;

/// A journal that may be carried out.
#[derive(Debug)]
pub struct Genuine {
    pub entry: ledger::Entry,
    pub entries: Vec<Entry>,
    /// Directories that the write made.
    pub directories: Vec<String>,
}

/// The journal in `root`; `None` when there is none.
///
/// # Errors
/// When it is not one of this machine, for this directory, unfinished and whole.
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
    let Some(entry) = ledger::Entry::find(id) else {
        return Err(fault("this machine did not write it, or has finished with it"));
    };
    if !entry.is_of(root) {
        return Err(fault("it was written for another directory"));
    }
    let secret = machine_secret::existing()?
        .ok_or_else(|| fault("the secret that could tell whose it is does not exist any more"))?;
    let right = seal(&secret, &ledger::bytes(root), id, &loaded.bytes);
    if right.is_none() || entry.seal != right {
        return Err(fault("it is damaged, or not what this machine wrote"));
    }
    if document["version"] != VERSION {
        return Err(fault("its version is unknown"));
    }
    let (entries, directories) =
        parsed(&document).ok_or_else(|| fault("it is damaged: an entry is malformed"))?;
    if is_tracked(root) {
        return Err(fault("git tracks it, and a running write is never committed"));
    }
    only_known_files(&directory, &entries).map_err(|reason| fault(&reason))?;
    Ok(Some(Genuine { entry, entries, directories }))
}

fn parsed(document: &Value) -> Option<(Vec<Entry>, Vec<String>)> {
    let entries = document["edits"].as_array()?.iter().map(entry).collect::<Option<_>>()?;
    let directories = document["directories"]
        .as_array()?
        .iter()
        .map(|name| RelativePath::parse(name.as_str()?).ok().map(|name| name.to_string()));
    Some((entries, directories.collect::<Option<_>>()?))
}

fn entry(value: &Value) -> Option<Entry> {
    let side = |name: &str| match &value[name] {
        Value::Null => Some(None),
        side => Some(Some(Side {
            digest: Digest::parse(side["digest"].as_str()?)?,
            executable: side["executable"].as_bool()?,
        })),
    };
    Some(Entry {
        path: RelativePath::parse(value["path"].as_str()?).ok()?,
        before: side("before")?,
        after: side("after")?,
    })
}

/// Every file of the journal is one that was staged, with its bytes and mode. Files that are gone were renamed into
/// the tree.
fn only_known_files(directory: &Path, entries: &[Entry]) -> Result<(), String> {
    let names = |place: &Path| -> Result<Vec<String>, String> {
        let names = files::names(place).map_err(|error| error.to_string())?;
        Ok(names.iter().map(|name| name.to_string_lossy().into_owned()).collect())
    };
    for name in names(directory)? {
        let place = directory.join(&name);
        let kind = files::kind(&place).map_err(|error| error.to_string())?;
        let fits = match name.as_str() {
            "journal.json" => matches!(kind, Kind::File { .. }),
            "old" | "new" => kind == Kind::Directory,
            _ => false,
        };
        if !fits {
            return Err(format!("`{name}` in it is not part of a journal"));
        }
    }
    for (side, is_new) in [("old", false), ("new", true)] {
        for name in names(&directory.join(side))? {
            let wanted = number(&name).and_then(|index| entries.get(index));
            let wanted = wanted.map(|entry| if is_new { entry.after } else { entry.before });
            let found = state_of(&directory.join(side).join(&name))
                .map_err(|error| error.to_string())?
                .flatten();
            if wanted.flatten().is_none() || wanted.flatten() != found {
                return Err(format!("`{side}/{name}` in it is damaged, or not what was staged"));
            }
        }
    }
    Ok(())
}

/// The number that a staged file has for its name.
pub fn number(name: &str) -> Option<usize> {
    name.parse().ok().filter(|number: &usize| number.to_string() == name)
}

/// Whether the index of git names the journal. The index is searched as bytes: every path is in it whole, but for a
/// beginning that it shares with the path before, so the search leaves out what a neighbour could share.
fn is_tracked(root: &Path) -> bool {
    const NEEDLE: &[u8] = b"ransaction/journal.json";
    let mut indexes = root.ancestors().map(|directory| directory.join(".git/index"));
    let index = indexes.find(|index| matches!(files::kind(index), Ok(Kind::File { .. })));
    let read = index.map(|index| files::read(&index, MAX_INDEX));
    read.and_then(Result::ok)
        .is_some_and(|loaded| loaded.bytes.windows(NEEDLE.len()).any(|window| window == NEEDLE))
}
