//! A change of an existing project: all edits or none.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::plan::seal::seal;
use crate::plan::{Action, Content, Edit, Plan};
use crate::system::beneath::BeneathRoot;
use crate::system::directory_lock::DirectoryLock;
use crate::system::files::{self, Kind, Mode};
use crate::system::{checkpoint, interrupt, machine_secret};

use super::fault::ApplyError;
use super::journal::{self, JournalEntry};
use super::ledger;

/// Largest file that is compared before it is replaced, in bytes.
const MAX_FILE: u64 = 16 * 1024 * 1024;

/// Writes the plan below `root`. The edit of `last` (the lock) is done after all others.
///
/// # Errors
/// Returns an error if the tree is not as the plan saw it or a write fails; the old state is whole then.
pub fn apply(root: &Path, plan: &Plan, last: &str) -> Result<(), ApplyError> {
    if plan.is_empty() {
        return Ok(());
    }
    let lock = DirectoryLock::acquire(root).map_err(ApplyError::io("lock", root))?;
    let Some(_lock) = lock else { return Err(ApplyError::Busy { path: root.to_owned() }) };
    preflight(root, plan)?;
    let mut edits: Vec<&Edit> = plan.edits().iter().collect();
    edits.sort_by_key(|edit| edit.path.as_str() == last);
    let directories = missing_directories(root, &edits)?;
    let transaction = Transaction::stage(root, edits, directories)?;
    checkpoint::reached("apply:staged");
    let result = transaction.commit();
    if let Err(error) = result {
        transaction.undo()?;
        return Err(error);
    }
    transaction.close()
}

fn preflight(root: &Path, plan: &Plan) -> Result<(), ApplyError> {
    if let Some(obstacle) = plan.obstacles().first() {
        return Err(ApplyError::Obstacle {
            path: obstacle.path.to_string(),
            reason: obstacle.reason.clone(),
        });
    }
    for edit in plan.edits() {
        let place = edit.path.below(root);
        for ancestor in edit.path.ancestors() {
            match files::kind(&root.join(ancestor)).map_err(ApplyError::io("look at", &place))? {
                Kind::Absent | Kind::Directory => {}
                _ => {
                    return Err(ApplyError::Obstacle {
                        path: ancestor.to_owned(),
                        reason: "it is not a directory".to_owned(),
                    });
                }
            }
        }
        if current(&place)?.as_ref() != edit.before.as_ref() {
            return Err(ApplyError::Stale { path: edit.path.clone() });
        }
        if edit.before.is_some()
            && files::is_read_only(&place).map_err(ApplyError::io("look at", &place))?
        {
            return Err(ApplyError::ReadOnly { path: edit.path.clone() });
        }
    }
    Ok(())
}

fn current(place: &Path) -> Result<Option<Content>, ApplyError> {
    match files::read(place, MAX_FILE) {
        Ok(loaded) => {
            Ok(Some(Content { bytes: loaded.bytes.into(), executable: loaded.executable }))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(ApplyError::Io { action: "read", path: place.to_owned(), source }),
    }
}

fn missing_directories(root: &Path, edits: &[&Edit]) -> Result<Vec<String>, ApplyError> {
    let mut missing = BTreeSet::new();
    for edit in edits.iter().filter(|edit| edit.after.is_some()) {
        for ancestor in edit.path.ancestors() {
            let place = root.join(ancestor);
            if files::kind(&place).map_err(ApplyError::io("look at", &place))? == Kind::Absent {
                missing.insert(ancestor.to_owned());
            }
        }
    }
    // A set of paths is sorted, so a directory comes before those inside it.
    Ok(missing.into_iter().collect())
}

pub(super) struct Transaction<'a> {
    root: &'a Path,
    directory: PathBuf,
    entry: ledger::LedgerEntry,
    edits: Vec<&'a Edit>,
    directories: Vec<String>,
}

impl<'a> Transaction<'a> {
    /// Writes everything that will be needed, forward and back, and makes it durable.
    pub(super) fn stage(
        root: &'a Path,
        edits: Vec<&'a Edit>,
        directories: Vec<String>,
    ) -> Result<Self, ApplyError> {
        let secret = machine_secret::obtain().ok();
        let mut entry =
            ledger::LedgerEntry::open(root).map_err(ApplyError::io("name a directory in", root))?;
        checkpoint::reached("apply:entered");
        let draft = root.join(format!("{}{}", journal::DRAFT_PREFIX, entry.id));
        let directory = root.join(journal::DIRECTORY);
        let entries: Vec<_> = edits.iter().map(|edit| JournalEntry::of(edit)).collect();
        let journal = journal::render(&entry.id, &entries, &directories);
        // Only this run uses a journal without a seal; no later run carries it out. The seal is written first, so that
        // a later run can distinguish the files of a draft from others.
        let seal = secret
            .as_deref()
            .and_then(|secret| seal(secret, &ledger::bytes(root), &entry.id, journal.as_bytes()));
        let staged = seal
            .map_or(Ok(()), |seal| Ok(entry.seal(seal)?))
            .and_then(|()| Self::write_draft(root, &draft, &edits, &journal))
            .and_then(|()| {
                checkpoint::reached("apply:sealed");
                files::rename_new(&draft, &directory).map_err(ApplyError::io("create", &directory))
            });
        if let Err(error) = staged {
            if journal::discard(&draft, &entries, &mut Vec::new()).is_ok() {
                entry.close();
            }
            return Err(error);
        }
        Ok(Self { root, directory, entry, edits, directories })
    }

    fn write_draft(
        root: &Path,
        draft: &Path,
        edits: &[&Edit],
        journal: &str,
    ) -> Result<(), ApplyError> {
        let (new, old) = (draft.join("new"), draft.join("old"));
        for directory in [draft, &new, &old] {
            files::create_directory(directory).map_err(ApplyError::io("create", directory))?;
        }
        let path = draft.join("journal.json");
        files::write_new(&path, journal.as_bytes(), Mode::Plain)
            .map_err(ApplyError::io("write", &path))?;
        files::sync(&path).map_err(ApplyError::io("write", &path))?;
        for (index, edit) in edits.iter().enumerate() {
            interrupt::check()?;
            let name = index.to_string();
            let place = edit.path.below(root);
            for (content, side) in [(&edit.after, &new), (&edit.before, &old)] {
                let Some(content) = content else { continue };
                let copy = side.join(&name);
                write_like(&copy, content, edit.before.is_some().then_some(place.as_path()))?;
            }
        }
        Ok(())
    }

    /// Works through descriptors, so a directory that becomes a link meanwhile has no effect.
    pub(super) fn commit(&self) -> Result<(), ApplyError> {
        let beneath = BeneathRoot::open(self.root).map_err(ApplyError::io("open", self.root))?;
        for directory in &self.directories {
            let place = self.root.join(directory);
            beneath.create_directory(directory).map_err(ApplyError::io("create", &place))?;
        }
        for (index, edit) in self.edits.iter().enumerate() {
            checkpoint::reached(&format!("apply:before-edit-{index}"));
            interrupt::check()?;
            let place = edit.path.below(self.root);
            let path = edit.path.as_str();
            let staged = format!("{}/new/{index}", journal::DIRECTORY);
            match edit.action {
                Action::Delete => {
                    beneath.remove_file(path).map_err(ApplyError::io("remove", &place))?
                }
                Action::Create => {
                    beneath.rename_new(&staged, path).map_err(ApplyError::io("create", &place))?;
                }
                Action::Replace | Action::SetMode => {
                    beneath.rename(&staged, path).map_err(ApplyError::io("replace", &place))?;
                }
            }
        }
        checkpoint::reached("apply:edited");
        Ok(())
    }

    pub(super) fn undo(&self) -> Result<(), ApplyError> {
        let entries: Vec<_> = self.edits.iter().map(|edit| JournalEntry::of(edit)).collect();
        journal::roll_back(self.root, &self.directory, &entries, &self.directories)?;
        journal::close(self.root, &self.entry, &entries)
            .map_err(ApplyError::io("remove", &self.directory))
    }

    /// The change is complete as soon as the journal is renamed.
    fn close(&self) -> Result<(), ApplyError> {
        let entries: Vec<_> = self.edits.iter().map(|edit| JournalEntry::of(edit)).collect();
        journal::close(self.root, &self.entry, &entries)
            .map_err(ApplyError::io("end", &self.directory))
    }
}

/// Writes a staged file durably, with the permissions of the file that it replaces.
fn write_like(copy: &Path, content: &Content, like: Option<&Path>) -> Result<(), ApplyError> {
    let mode = if content.executable { Mode::Executable } else { Mode::Plain };
    files::write_new(copy, &content.bytes, mode).map_err(ApplyError::io("write", copy))?;
    if let Some(like) = like {
        files::copy_permissions(like, copy).map_err(ApplyError::io("write", copy))?;
        files::set_executable(copy, content.executable).map_err(ApplyError::io("write", copy))?;
    }
    files::sync(copy).map_err(ApplyError::io("write", copy))
}
