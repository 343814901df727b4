//! The directories in which git keeps its data about a working tree, and the paths that it tracks; no git program runs.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::files::{self, Kind};
use super::git_index;

/// Largest index that is read, in bytes.
pub const MAX_INDEX: u64 = 64 * 1024 * 1024;
/// Largest file that names another directory, in bytes.
const MAX_POINTER: u64 = 8 * 1024;
/// Most parts of a split index that are read.
const MAX_PARTS: usize = 64;

/// The file `.git` of a working tree leads nowhere.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`.git` does not point to a git directory")]
pub struct NoGitDirectory;

/// `top` and its git directory, when `top` is the root of a working tree.
#[must_use]
pub fn directory(top: &Path) -> Option<(PathBuf, Result<PathBuf, NoGitDirectory>)> {
    let entry = top.join(".git");
    let git = match files::kind(&entry) {
        Ok(Kind::Absent) | Err(_) => return None,
        Ok(Kind::File { .. }) => pointer(&entry, "gitdir:")
            .map(|target| top.join(target))
            .filter(|git| is_git_directory(git))
            .ok_or(NoGitDirectory),
        Ok(_) if is_git_directory(&entry) => Ok(entry),
        // Git looks further up, too.
        Ok(_) => return None,
    };
    Some((top.to_owned(), git))
}

fn is_git_directory(git: &Path) -> bool {
    matches!(files::kind(&git.join("HEAD")), Ok(Kind::File { .. } | Kind::Symlink))
}

/// The one line of a file that names a path.
fn pointer(file: &Path, key: &str) -> Option<PathBuf> {
    let loaded = files::read(file, MAX_POINTER).ok()?;
    let text = std::str::from_utf8(&loaded.bytes).ok()?;
    let target = text.strip_prefix(key)?.trim_matches([' ', '\n', '\r']);
    (!target.is_empty() && !target.contains('\0')).then(|| PathBuf::from(target))
}

/// The directory that all worktrees of a repository have in common.
#[must_use]
pub fn common_directory(git: &Path) -> PathBuf {
    pointer(&git.join("commondir"), "").map_or_else(|| git.to_owned(), |common| git.join(common))
}

/// The paths in all parts of a split index below `prefix`, relative to it; `None` when a part cannot be read. Paths that
/// were removed since the last split are among them.
#[must_use]
pub fn split_index(git: &Path, prefix: &str) -> Option<BTreeSet<String>> {
    let mut paths = BTreeSet::new();
    for part in index_parts(git)? {
        let loaded = files::read(&git.join(part), MAX_INDEX).ok()?;
        paths.extend(git_index::part(&loaded.bytes, prefix)?);
    }
    Some(paths)
}

/// The names of the files that an index may consist of.
fn index_parts(git: &Path) -> Option<Vec<OsString>> {
    let mut names = files::names(git).ok()?;
    names.retain(|name| {
        let name = name.to_string_lossy();
        name == "index" || name.starts_with("sharedindex.")
    });
    names.truncate(MAX_PARTS);
    Some(names)
}

/// Says whether git tracks `name` in `root` or something below it, in a worktree and with a split index, too; `None` if
/// an index cannot be read.
#[must_use]
pub fn tracks(root: &Path, name: &str) -> Option<bool> {
    let root = files::canonical(root).ok()?;
    let Some((top, git)) = root.ancestors().find_map(directory) else { return Some(false) };
    let git = git.ok()?;
    let place = root.strip_prefix(&top).ok()?.join(name);
    let place = place.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    let mut is_known = true;
    for part in index_parts(&git)? {
        let loaded = files::read(&git.join(part), MAX_INDEX).ok();
        match loaded.and_then(|loaded| git_index::has(&loaded.bytes, &place)) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => is_known = false,
        }
    }
    is_known.then_some(false)
}
