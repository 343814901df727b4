//! The journal of a write, from which the old state can be restored after a crash.
//!
//! Layout of `.aos-transaction/`: `journal.json`, `new/<n>` (bytes to come), `old/<n>` (bytes that were). A repository
//! can bring such a directory along, so it is believed only when the ledger of this machine has its seal: the same
//! journal, in the same directory, not finished yet. Nothing else in it is touched.

mod genuine;
mod leftovers;

pub use super::names::{DRAFT_PREFIX, JOURNAL_DIRECTORY as DIRECTORY};

use std::path::Path;

use serde_json::json;

use crate::plan::{Content, Digest, Edit, RelativePath};
use crate::system::beneath::BeneathRoot;
use crate::system::checkpoint;
use crate::system::directory_lock::DirectoryLock;
use crate::system::files::{self, Kind};

use super::fault::ApplyError;

pub use genuine::{Genuine, look};
pub use leftovers::{Left, Leftovers, Removed, clear, close, discard, left, pending};

/// Version of the format.
const VERSION: u64 = 2;
/// Largest journal, in bytes.
const MAX_JOURNAL: u64 = 4 * 1024 * 1024;
/// Largest file that a journal restores, in bytes.
const MAX_FILE: u64 = 16 * 1024 * 1024;

/// One side of an edit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Side {
    pub digest: Digest,
    pub executable: bool,
}

impl Side {
    fn of(content: &Content) -> Self {
        Self { digest: content.digest(), executable: content.executable && cfg!(unix) }
    }
}

/// One line of a journal.
#[derive(Clone, Debug)]
pub struct JournalEntry {
    pub path: RelativePath,
    pub before: Option<Side>,
    pub after: Option<Side>,
}

impl JournalEntry {
    /// The line of an edit.
    #[must_use]
    pub fn of(edit: &Edit) -> Self {
        let side = |content: &Option<Content>| content.as_ref().map(Side::of);
        Self { path: edit.path.clone(), before: side(&edit.before), after: side(&edit.after) }
    }
}

/// The effect of a recovery on one file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Restored {
    pub path: String,
    /// `restore` or `remove`.
    pub action: &'static str,
}

/// The changes that a recovery undid.
#[derive(Clone, Debug, Default)]
pub struct Recovery {
    pub restored: Vec<Restored>,
    /// Files that were changed after the crash; they are kept.
    pub skipped: Vec<String>,
}

/// The text of a journal.
#[must_use]
pub fn render(id: &str, entries: &[JournalEntry], directories: &[String]) -> String {
    let side = |side: &Option<Side>| {
        side.map(|side| json!({"digest": side.digest.to_string(), "executable": side.executable}))
    };
    let edits: Vec<_> = entries
        .iter()
        .map(|entry| {
            json!({
                "path": entry.path.as_str(),
                "before": side(&entry.before),
                "after": side(&entry.after),
            })
        })
        .collect();
    json!({"version": VERSION, "id": id, "edits": edits, "directories": directories}).to_string()
}

/// Undoes an interrupted write of this machine, if there is one. Safe to call again after another crash.
///
/// # Errors
/// Returns an error if another aos is writing, the journal is not one of this machine for this directory, or a file
/// cannot be restored.
pub fn recover(root: &Path) -> Result<Option<Recovery>, ApplyError> {
    let directory = root.join(DIRECTORY);
    if !exists(&directory)? {
        return Ok(None);
    }
    let lock = DirectoryLock::acquire(root).map_err(ApplyError::io("lock", root))?;
    let Some(_lock) = lock else { return Err(ApplyError::Busy { path: root.to_owned() }) };
    // The previous owner of the lock may have completed the write.
    let Some(genuine) = look(root)? else { return Ok(None) };
    let recovery = roll_back(root, &directory, &genuine.entries, &genuine.directories)?;
    checkpoint::reached("recover:restored");
    close(root, &genuine.entry, &genuine.entries).map_err(ApplyError::io("remove", &directory))?;
    Ok(Some(recovery))
}

/// Returns the result of [`recover`] without changing anything.
///
/// # Errors
/// As [`recover`].
pub fn preview(root: &Path) -> Result<Option<Recovery>, ApplyError> {
    let Some(genuine) = look(root)? else { return Ok(None) };
    let directory = root.join(DIRECTORY);
    planned(root, &directory, &genuine.entries).map(|(recovery, _)| Some(recovery))
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

/// Puts the old bytes back where the new ones are.
///
/// # Errors
/// Returns an error if a file cannot be restored; the journal stays for the next try.
pub fn roll_back(
    root: &Path,
    directory: &Path,
    entries: &[JournalEntry],
    directories: &[String],
) -> Result<Recovery, ApplyError> {
    let (recovery, steps) = planned(root, directory, entries)?;
    let beneath = BeneathRoot::open(root).map_err(ApplyError::io("open", root))?;
    for (index, (step, entry)) in steps.into_iter().rev().enumerate() {
        checkpoint::reached(&format!("recover:before-step-{index}"));
        let path = entries[entry].path.as_str();
        let place = entries[entry].path.below(root);
        match step {
            JournalStep::Restore => {
                let old = format!("{DIRECTORY}/old/{entry}");
                beneath.rename(&old, path).map_err(ApplyError::io("restore", &place))?;
            }
            _ => beneath.remove_file(path).map_err(ApplyError::io("remove", &place))?,
        }
    }
    for made in directories.iter().rev() {
        // Only empty directories are removed.
        let _ = beneath.remove_empty_directory(made);
    }
    Ok(recovery)
}

/// The steps in order; the numbers are those of the entries.
fn planned(
    root: &Path,
    directory: &Path,
    entries: &[JournalEntry],
) -> Result<(Recovery, Vec<(JournalStep, usize)>), ApplyError> {
    let mut recovery = Recovery::default();
    let mut steps = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let old = directory.join("old").join(index.to_string());
        let action = match step(root, &old, entry)? {
            JournalStep::Nothing => continue,
            JournalStep::Skip => {
                recovery.skipped.push(entry.path.to_string());
                continue;
            }
            JournalStep::Restore | JournalStep::Remove if !is_genuine(&old, entry)? => {
                return Err(ApplyError::Journal {
                    path: directory.to_owned(),
                    reason: format!("the old bytes of `{}` do not match its digest", entry.path),
                });
            }
            JournalStep::Restore => {
                steps.push((JournalStep::Restore, index));
                "restore"
            }
            JournalStep::Remove => {
                steps.push((JournalStep::Remove, index));
                "remove"
            }
        };
        recovery.restored.push(Restored { path: entry.path.to_string(), action });
    }
    recovery.restored.sort_by(|left, right| left.path.cmp(&right.path));
    Ok((recovery, steps))
}

/// The step that restores one file.
enum JournalStep {
    Nothing,
    /// The file was changed, or a parent directory was replaced with a link.
    Skip,
    Restore,
    Remove,
}

fn step(root: &Path, old: &Path, entry: &JournalEntry) -> Result<JournalStep, ApplyError> {
    for ancestor in entry.path.ancestors() {
        let place = root.join(ancestor);
        match files::kind(&place).map_err(ApplyError::io("look at", &place))? {
            Kind::Absent | Kind::Directory => {}
            _ => return Ok(JournalStep::Skip),
        }
    }
    let Some(now) = state_of(&entry.path.below(root))? else { return Ok(JournalStep::Skip) };
    let now = now.map(|side| side.digest);
    let digest = |side: &Option<Side>| side.map(|side| side.digest);
    let (before, after) = (digest(&entry.before), digest(&entry.after));
    if before.is_some() && before == after {
        // Only the execute bit changed, so the digests do not show whether it is already restored.
        let is_back = files::kind(old).map_err(ApplyError::io("look at", old))? == Kind::Absent;
        return Ok(match (now == after, is_back) {
            (false, _) => JournalStep::Skip,
            (true, true) => JournalStep::Nothing,
            (true, false) => JournalStep::Restore,
        });
    }
    Ok(match before {
        before if now == before => JournalStep::Nothing,
        _ if now != after => JournalStep::Skip,
        Some(_) => JournalStep::Restore,
        None => JournalStep::Remove,
    })
}

/// Checks that the stored copy matches the journal; a removal needs no copy.
fn is_genuine(old: &Path, entry: &JournalEntry) -> Result<bool, ApplyError> {
    Ok(entry.before.is_none() || state_of(old)? == Some(entry.before))
}

/// The file at `place`; `Some(None)` if there is none, `None` if it is not a file of aos.
fn state_of(place: &Path) -> Result<Option<Option<Side>>, ApplyError> {
    match files::kind(place).map_err(ApplyError::io("look at", place))? {
        Kind::Absent => Ok(Some(None)),
        Kind::File { length, .. } if length <= MAX_FILE => files::read(place, MAX_FILE)
            .map(|loaded| {
                let digest = Digest::of(&loaded.bytes);
                Some(Some(Side { digest, executable: loaded.executable }))
            })
            .map_err(ApplyError::io("read", place)),
        _ => Ok(None),
    }
}
