//! Directories of completed or unstarted writes: removed if this machine created them, otherwise kept and named.

use std::io;
use std::path::Path;

use super::super::journal::{DIRECTORY, DRAFT_PREFIX, JournalEntry};
use super::super::ledger;
use super::super::names::STAGING_PREFIX;
use super::genuine;
use crate::plan::Digest;
use crate::system::checkpoint;
use crate::system::directory_lock::DirectoryLock;
use crate::system::files::{self, Kind};

/// The removed and kept leftovers in a directory, for notes.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Leftovers {
    pub removed: Vec<Removed>,
    pub left: Vec<Left>,
}

/// A leftover that was removed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Removed {
    pub name: String,
    /// Every file that was in it, by its name there.
    pub files: Vec<String>,
}

/// A directory that looks like a leftover of aos and stays as it is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Left {
    pub name: String,
    pub reason: String,
}

/// Removes the leftovers of killed runs on this machine in `root`, unless a write is running.
#[must_use]
pub fn clear(root: &Path) -> Leftovers {
    let mut leftovers = Leftovers { removed: Vec::new(), left: left(root) };
    let own: Vec<_> = drafts(root).into_iter().filter_map(|name| own(root, &name)).collect();
    if own.is_empty() {
        return leftovers;
    }
    let Ok(Some(_lock)) = DirectoryLock::acquire(root) else { return leftovers };
    for entry in own {
        let name = format!("{DRAFT_PREFIX}{}", entry.id);
        let Ok(entries) = genuine::removable(root, &name, &entry) else { continue };
        let mut files = Vec::new();
        match discard(&root.join(&name), &entries, &mut files) {
            Ok(()) => entry.close(),
            Err(error) => {
                let reason = format!("it could not be removed completely: {error}");
                leftovers.left.push(Left { name: name.clone(), reason });
            }
        }
        leftovers.removed.push(Removed { name, files });
    }
    leftovers.removed.retain(|removed| {
        !removed.files.is_empty() || !leftovers.left.iter().any(|left| left.name == removed.name)
    });
    leftovers
}

/// Returns entries of `root` that look like leftovers of aos but are not removed: this machine did not create them
/// there, or they hold more than was staged.
#[must_use]
pub fn left(root: &Path) -> Vec<Left> {
    let foreign = || "this machine did not create it".to_owned();
    let mut found: Vec<Left> = Vec::new();
    for name in drafts(root) {
        let reason = match own(root, &name) {
            None => foreign(),
            Some(entry) => match genuine::removable(root, &name, &entry) {
                Ok(_) => continue,
                Err(reason) => reason.to_string(),
            },
        };
        found.push(Left { name, reason });
    }
    let stages = names(root).into_iter().filter(|name| {
        let id = name.strip_prefix(STAGING_PREFIX);
        let entry = id.and_then(ledger::LedgerEntry::find).filter(|entry| entry.is_of(root));
        id.is_some() && entry.is_none()
    });
    found.extend(stages.map(|name| Left { name, reason: foreign() }));
    found
}

/// Takes the name of the journal away, which ends the write, then removes it.
///
/// # Errors
/// Returns an error if it cannot be renamed; it is still the journal then.
pub fn close(root: &Path, entry: &ledger::LedgerEntry, entries: &[JournalEntry]) -> io::Result<()> {
    let done = root.join(format!("{DRAFT_PREFIX}{}", entry.id));
    files::rename_new(&root.join(DIRECTORY), &done)?;
    checkpoint::reached("apply:closed");
    // The next run finds a remaining file in the ledger.
    if discard(&done, entries, &mut Vec::new()).is_ok() {
        entry.close();
    }
    Ok(())
}

/// Directories that a killed run on this machine left in `root`, and that the next write removes.
#[must_use]
pub fn pending(root: &Path) -> Vec<String> {
    let is_ours = |name: &String| {
        own(root, name).is_some_and(|entry| genuine::removable(root, name, &entry).is_ok())
    };
    let mut found: Vec<_> = drafts(root).into_iter().filter(is_ours).collect();
    // A write that is running has its own draft here.
    if !found.is_empty() && !matches!(DirectoryLock::acquire(root), Ok(Some(_))) {
        found.clear();
    }
    found.extend(names(root).into_iter().filter(|name| is_old_stage(root, name)));
    found
}

fn is_old_stage(root: &Path, name: &str) -> bool {
    let entry = name.strip_prefix(STAGING_PREFIX).and_then(ledger::LedgerEntry::find);
    entry.is_some_and(|entry| entry.is_of(root))
        && matches!(DirectoryLock::acquire(&root.join(name)), Ok(Some(_)))
}

/// Removes the files that `entries` name, as long as they are what was staged, and nothing else; a directory that holds
/// more stays. Adds what was removed to `removed`.
///
/// # Errors
/// Returns an error if something is left.
pub fn discard(
    directory: &Path,
    entries: &[JournalEntry],
    removed: &mut Vec<String>,
) -> io::Result<()> {
    if files::kind(directory)? == Kind::Absent {
        return Ok(());
    }
    for (index, entry) in entries.iter().enumerate() {
        for (side, wanted) in [("new", entry.after), ("old", entry.before)] {
            let Some(wanted) = wanted else { continue };
            let name = format!("{side}/{index}");
            let place = directory.join(&name);
            let found = super::state_of(&place).map_err(io::Error::other)?.flatten();
            let is_begun = found.is_some_and(|found| found.digest == Digest::of(b""));
            if found == Some(wanted) || is_begun {
                files::remove_file(&place)?;
                removed.push(name);
            }
        }
    }
    for side in ["new", "old"] {
        let side = directory.join(side);
        if files::kind(&side)? == Kind::Directory {
            files::remove_empty_directory(&side)?;
        }
    }
    let journal = directory.join("journal.json");
    if matches!(files::kind(&journal)?, Kind::File { .. }) {
        files::remove_file(&journal)?;
        removed.push("journal.json".to_owned());
    }
    files::remove_empty_directory(directory)
}

/// The entry of a draft that this machine created in `root` and that still exists.
fn own(root: &Path, name: &str) -> Option<ledger::LedgerEntry> {
    let entry = ledger::LedgerEntry::find(name.strip_prefix(DRAFT_PREFIX)?)?;
    let is_directory = matches!(files::kind(&root.join(name)), Ok(Kind::Directory));
    (entry.is_of(root) && is_directory).then_some(entry)
}

fn drafts(root: &Path) -> Vec<String> {
    let mut names = names(root);
    names.retain(|name| name.starts_with(DRAFT_PREFIX));
    names
}

fn names(root: &Path) -> Vec<String> {
    let names = files::names(root).unwrap_or_default();
    names.into_iter().filter_map(|name| name.into_string().ok()).collect()
}
