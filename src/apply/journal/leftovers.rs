//! Directories of writes that are over or never began: removed when this machine made them, else left and named.

use std::io;
use std::path::Path;

use super::super::journal::{DIRECTORY, DRAFT_PREFIX};
use super::super::ledger;
use super::super::new_tree;
use super::genuine;
use crate::system::checkpoint;
use crate::system::directory_lock::DirectoryLock;
use crate::system::files::{self, Kind};

/// What became of the leftovers in a directory, to be told.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Leftovers {
    pub removed: Vec<String>,
    /// Names that look like leftovers of aos, which this machine did not make.
    pub foreign: Vec<String>,
}

/// Removes what killed runs on this machine left in `root`, unless somebody is writing.
#[must_use]
pub fn clear(root: &Path) -> Leftovers {
    let mut leftovers = Leftovers { removed: Vec::new(), foreign: foreign(root) };
    let own: Vec<_> = drafts(root).into_iter().filter_map(|name| own(root, &name)).collect();
    if own.is_empty() {
        return leftovers;
    }
    let Ok(Some(_lock)) = DirectoryLock::acquire(root) else { return leftovers };
    for entry in own {
        let name = format!("{DRAFT_PREFIX}{}", entry.id);
        // What stays is removed by the next run.
        if discard(&root.join(&name)).is_ok() {
            entry.close();
            leftovers.removed.push(name);
        }
    }
    leftovers
}

/// Names in `root` that look like leftovers of aos, which this machine did not make there.
#[must_use]
pub fn foreign(root: &Path) -> Vec<String> {
    let mut foreign = drafts(root);
    foreign.retain(|name| own(root, name).is_none());
    let stages = names(root).into_iter().filter(|name| {
        let id = name.strip_prefix(new_tree::PREFIX);
        let entry = id.and_then(ledger::Entry::find).filter(|entry| entry.is_of(root));
        id.is_some() && entry.is_none()
    });
    foreign.extend(stages);
    foreign
}

/// Takes the name of the journal away, which ends the write, then removes it.
///
/// # Errors
/// When it cannot be renamed; it is still the journal then.
pub fn close(root: &Path, entry: &ledger::Entry) -> io::Result<()> {
    let done = root.join(format!("{DRAFT_PREFIX}{}", entry.id));
    files::rename_new(&root.join(DIRECTORY), &done)?;
    checkpoint::reached("apply:closed");
    // What stays is removed by the next run, which finds it in the ledger.
    if discard(&done).is_ok() {
        entry.close();
    }
    Ok(())
}

/// Removes the files of a journal and nothing else; a directory that holds more stays.
///
/// # Errors
/// When something is left.
pub fn discard(directory: &Path) -> io::Result<()> {
    if files::kind(directory)? == Kind::Absent {
        return Ok(());
    }
    for side in ["new", "old"] {
        let side = directory.join(side);
        if files::kind(&side)? != Kind::Directory {
            continue;
        }
        for name in files::names(&side)? {
            let place = side.join(&name);
            let is_staged = name.to_str().and_then(genuine::number).is_some();
            if is_staged && matches!(files::kind(&place)?, Kind::File { .. }) {
                files::remove_file(&place)?;
            }
        }
        files::remove_empty_directory(&side)?;
    }
    let journal = directory.join("journal.json");
    if matches!(files::kind(&journal)?, Kind::File { .. }) {
        files::remove_file(&journal)?;
    }
    files::remove_empty_directory(directory)
}

/// The entry of a draft that this machine made in `root` and that is still a directory.
fn own(root: &Path, name: &str) -> Option<ledger::Entry> {
    let entry = ledger::Entry::find(name.strip_prefix(DRAFT_PREFIX)?)?;
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
