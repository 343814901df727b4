//! A new project: staged beside its target, and moved into place with one rename.
//!
//! A kill at any moment leaves either nothing or the complete project, and at most a staging directory that the
//! next run removes when the ledger of this machine has it.

pub use super::names::STAGING_PREFIX as PREFIX;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::plan::FileSet;
use crate::system::directory_lock::DirectoryLock;
use crate::system::files::{self, Kind, Mode};
use crate::system::{checkpoint, git, interrupt};

use super::fault::ApplyError;
use super::ledger;

/// Number of attempts if other runs remove the staging directory.
const STAGE_ATTEMPTS: usize = 100;

/// Writes `files` as the new directory `target`. `finish` may add to the staged tree (a git repository) before it
/// appears.
///
/// # Errors
/// Returns an error if anything exists at `target` but an empty directory, or a write fails; nothing is left behind
/// then.
pub fn create<T>(
    target: &Path,
    files: &FileSet,
    finish: impl FnOnce(&Path) -> T,
) -> Result<T, ApplyError> {
    let parent = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let stage = TreeStage::new(parent)?;
    let tree = stage.path.join("tree");
    files::create_directory(&tree).map_err(ApplyError::io("create", &tree))?;
    write_all(&tree, files)?;
    checkpoint::reached("new:staged");
    let result = finish(&tree);
    interrupt::check()?;
    checkpoint::reached("new:before-rename");
    put_in_place(&tree, target)?;
    checkpoint::reached("new:renamed");
    Ok(result)
}

fn write_all(tree: &Path, files: &FileSet) -> Result<(), ApplyError> {
    let mut made = BTreeSet::new();
    for (path, content) in files {
        interrupt::check()?;
        for ancestor in path.ancestors() {
            if made.insert(ancestor.to_owned()) {
                let directory = tree.join(ancestor);
                files::create_directory(&directory)
                    .map_err(ApplyError::io("create", &directory))?;
            }
        }
        let place = path.below(tree);
        let mode = if content.executable { Mode::Executable } else { Mode::Plain };
        files::write_new(&place, &content.bytes, mode).map_err(ApplyError::io("write", &place))?;
    }
    Ok(())
}

fn put_in_place(tree: &Path, target: &Path) -> Result<(), ApplyError> {
    let moved = match files::kind(target).map_err(ApplyError::io("look at", target))? {
        // A rename replaces an empty directory and fails on any other, in one step.
        Kind::Directory => files::rename(tree, target),
        _ => files::rename_new(tree, target),
    };
    moved.map_err(|source| match source.kind() {
        std::io::ErrorKind::AlreadyExists
        | std::io::ErrorKind::DirectoryNotEmpty
        | std::io::ErrorKind::NotADirectory => ApplyError::TargetExists { path: target.to_owned() },
        _ => ApplyError::Io { action: "create", path: target.to_owned(), source },
    })
}

/// A staging directory that removes itself.
struct TreeStage {
    path: PathBuf,
    entry: ledger::LedgerEntry,
    _lock: DirectoryLock,
}

impl TreeStage {
    /// Between making a directory and locking it, another run may take it for a leftover: then the next one.
    fn new(parent: &Path) -> Result<Self, ApplyError> {
        for _ in 0..STAGE_ATTEMPTS {
            let entry = ledger::LedgerEntry::open(parent)
                .map_err(ApplyError::io("name a directory in", parent))?;
            let path = parent.join(format!("{PREFIX}{}", entry.id));
            if let Err(source) = files::create_directory(&path) {
                entry.close();
                return Err(ApplyError::Io { action: "create", path, source });
            }
            match DirectoryLock::acquire(&path) {
                Ok(Some(lock)) if matches!(files::kind(&path), Ok(Kind::Directory)) => {
                    let stage = Self { path, entry, _lock: lock };
                    stage.hide_from_git()?;
                    return Ok(stage);
                }
                Ok(_) => {
                    entry.close();
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    entry.close();
                }
                Err(source) => {
                    let _ = files::remove_empty_directory(&path);
                    entry.close();
                    return Err(ApplyError::Io { action: "lock", path, source });
                }
            }
        }
        Err(ApplyError::Busy { path: parent.to_owned() })
    }

    /// The parent may be in a repository that does not ignore our names; what a kill leaves must not be committed.
    fn hide_from_git(&self) -> Result<(), ApplyError> {
        let file = self.path.join(".gitignore");
        files::write_new(&file, b"*\n", Mode::Plain).map_err(ApplyError::io("write", &file))
    }
}

impl Drop for TreeStage {
    fn drop(&mut self) {
        // A directory that stays is removed by the next run.
        if files::remove_tree(&self.path).is_ok() {
            self.entry.close();
        }
    }
}

/// Removes staging directories of killed runs on this machine; a running one has its lock. Returns their names, for
/// notes.
#[must_use]
pub fn remove_leftovers(parent: &Path) -> Vec<String> {
    let mut removed = Vec::new();
    for name in files::names(parent).unwrap_or_default() {
        let Some(name) = name.to_str() else { continue };
        let path = parent.join(name);
        let entry = name.strip_prefix(PREFIX).and_then(ledger::LedgerEntry::find);
        let Some(entry) = entry.filter(|entry| entry.is_of(parent)) else { continue };
        let is_directory = matches!(files::kind(&path), Ok(Kind::Directory));
        if !is_directory || git::tracks(parent, name) != Some(false) {
            continue;
        }
        if let Ok(Some(_lock)) = DirectoryLock::acquire(&path)
            && files::remove_tree(&path).is_ok()
        {
            entry.close();
            removed.push(name.to_owned());
        }
    }
    removed
}
/// Creates `directories`, each above the next; after a failure those created here are removed again.
///
/// # Errors
/// The directory that could not be created, and why.
pub fn create_directories(directories: &[PathBuf]) -> Result<(), (PathBuf, std::io::Error)> {
    for directory in directories {
        match files::create_directory(directory) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                remove_empty_directories(directories);
                return Err((directory.clone(), error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Removes those of `directories` that are empty, the innermost first.
pub fn remove_empty_directories(directories: &[PathBuf]) {
    for directory in directories.iter().rev() {
        let _ = files::remove_empty_directory(directory);
    }
}
