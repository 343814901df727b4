//! Replaces a wrong copy: writes and syncs the files elsewhere first, then renames twice.
//!
//! A foreign copy is moved to the state directory, where no agent reads it.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::system::checkpoint;
use crate::system::files::{self, Kind};

use super::backup::{self, BackupError};
use super::installed::SkillTree;
use super::places::{SKILL, SkillDirectory};

/// Below the state directory: unverified copies.
const QUARANTINE: &str = "skill-quarantine";

/// The origin of the replaced copy.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CopyOrigin {
    /// A copy of an older release, or one that was already backed up.
    Known,
    /// Unknown: it is moved to the quarantine.
    Foreign,
}

/// The result of putting the files in place.
#[derive(Debug, Default)]
pub struct Put {
    /// The present location of a foreign copy.
    pub quarantine: Option<PathBuf>,
    /// Why the verified files are not there.
    pub fault: Option<String>,
}

/// Replaces the content of `place` with `tree`. A link itself is replaced, never its target.
#[must_use]
pub fn put(place: &SkillDirectory, origin: CopyOrigin, tree: &SkillTree, state: &Path) -> Put {
    let target = if place.is_link { &place.path } else { &place.real };
    let staged = staged(tree, state);
    // Foreign bytes must go even when there is nothing to put in their place.
    if let (Err(fault), CopyOrigin::Known) = (&staged, origin) {
        return Put { fault: Some(fault.to_string()), ..Put::default() };
    }
    let aside = match aside(target, state) {
        Ok(aside) => aside,
        Err(error) => {
            if let Ok(staged) = staged {
                let _ = files::remove_tree(&staged);
            }
            let fault = Some(format!("`{}` cannot be moved: {error}", target.display()));
            return Put { fault, ..Put::default() };
        }
    };
    checkpoint::reached("skill:moved-aside");
    let fault = staged
        .and_then(|staged| moved_in(tree, &staged, target))
        .err()
        .map(|error| error.to_string());
    let Some(aside) = aside else { return Put { fault, ..Put::default() } };
    match (origin, &fault) {
        (CopyOrigin::Foreign, _) => Put { quarantine: Some(aside), fault },
        (CopyOrigin::Known, Some(_)) => {
            // The old copy is better than none.
            let _ = files::rename_new(&aside, target);
            Put { fault, ..Put::default() }
        }
        (CopyOrigin::Known, None) => {
            // Nothing reads it any more, and changed files were saved before.
            let _ = removed(&aside);
            Put::default()
        }
    }
}

fn staged(tree: &SkillTree, state: &Path) -> Result<PathBuf, BackupError> {
    files::create_private_directory(state).map_err(io(state))?;
    stage_in(tree, state)
}

fn stage_in(tree: &SkillTree, directory: &Path) -> Result<PathBuf, BackupError> {
    let stage = backup::stage(directory)?;
    backup::write(tree, &stage).inspect_err(|_| {
        let _ = files::remove_tree(&stage);
    })?;
    Ok(stage)
}

/// Moves what is at `target` out of the sight of agents; `None` when nothing is there.
fn aside(target: &Path, state: &Path) -> io::Result<Option<PathBuf>> {
    if files::kind(target)? == Kind::Absent {
        return Ok(None);
    }
    let name = format!("{SKILL}-{}", backup::unique()?);
    let directory = state.join(QUARANTINE);
    let away = directory.join(&name);
    let moved =
        files::create_private_directory(&directory).and_then(|()| files::rename_new(target, &away));
    match moved {
        Ok(()) => Ok(Some(away)),
        // The state may be on another file system: then beside the directory that agents read.
        Err(_) => {
            let beside = beside(target)?.join(format!(".{QUARANTINE}-{name}"));
            files::rename_new(target, &beside).map(|()| Some(beside))
        }
    }
}

/// The directory above the one that has all Skills.
fn beside(target: &Path) -> io::Result<PathBuf> {
    let above = target.parent().and_then(Path::parent);
    above.map(Path::to_owned).ok_or_else(|| ErrorKind::NotFound.into())
}

fn moved_in(tree: &SkillTree, staged: &Path, target: &Path) -> Result<(), BackupError> {
    let above = target.parent().unwrap_or(target);
    let moved =
        files::create_private_directory(above).and_then(|()| files::rename_new(staged, target));
    let moved = match moved {
        Err(error) if error.kind() == ErrorKind::CrossesDevices => {
            let _ = files::remove_tree(staged);
            let staged = stage_in(tree, &beside(target).map_err(io(target))?)?;
            files::rename_new(&staged, target).inspect_err(|_| {
                let _ = files::remove_tree(&staged);
            })
        }
        other => other.inspect_err(|_| {
            let _ = files::remove_tree(staged);
        }),
    };
    moved.and_then(|()| files::sync(above)).map_err(io(target))
}

fn removed(path: &Path) -> io::Result<()> {
    match files::kind(path)? {
        Kind::Directory => files::remove_tree(path),
        _ => files::remove_file(path),
    }
}

fn io(path: &Path) -> impl FnOnce(io::Error) -> BackupError {
    let path = path.to_owned();
    move |source| BackupError::Io { path, source }
}
