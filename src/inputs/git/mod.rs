//! The files of a project that git keeps, read from the index and the `.gitignore` files, without a git process.
//!
//! Rules of one user (`core.excludesFile`) are not read: a verdict must not depend on the machine.

mod ignored;
mod index;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::system::files::{self, Kind};

use self::ignored::Rules;

/// Largest index that is read, in bytes.
const MAX_INDEX: u64 = 64 * 1024 * 1024;
/// Largest file that names another directory, in bytes.
const MAX_POINTER: u64 = 8 * 1024;

/// What git knows about one project.
pub struct Checkout {
    /// Paths in the index, relative to the project.
    tracked: BTreeSet<String>,
    rules: Rules,
    /// Why the index could not be used.
    pub note: Option<String>,
}

impl Checkout {
    /// Reads what git knows about the project at `root`, a canonical path. `skipped` names directories that count as
    /// ignored wherever they are.
    #[must_use]
    pub fn of(root: &Path, skipped: fn(&str) -> bool) -> Self {
        let alone = || Self {
            tracked: BTreeSet::new(),
            rules: Rules::new(root.to_owned(), String::new(), None, skipped),
            note: None,
        };
        let Some((top, git)) = root.ancestors().find_map(git_directory) else { return alone() };
        let git = match git {
            Ok(git) => git,
            Err(reason) => return Self { note: Some(note(&reason)), ..alone() },
        };
        let prefix = relative(&top, root);
        let exclude = common_directory(&git).join("info/exclude");
        let mut checkout = Self {
            tracked: BTreeSet::new(),
            rules: Rules::new(top, prefix.clone(), Some(exclude), skipped),
            note: None,
        };
        match tracked(&git, &prefix) {
            Ok(tracked) => checkout.tracked = tracked,
            Err(reason) => checkout.note = Some(note(&reason)),
        }
        if checkout.tracked.is_empty() && checkout.rules.ignore_the_project() {
            // A repository further up, of a home directory for example, that does not keep this project.
            return Self { note: checkout.note, ..alone() };
        }
        checkout
    }

    #[must_use]
    pub fn is_tracked(&self, path: &str) -> bool {
        self.tracked.contains(path)
    }

    #[must_use]
    pub fn tracks_below(&self, directory: &str) -> bool {
        let prefix = format!("{directory}/");
        self.tracked.range(prefix.clone()..).next().is_some_and(|path| path.starts_with(&prefix))
    }

    /// Whether git ignores `path` as long as it is not in the index.
    pub fn ignores(&mut self, path: &str, is_directory: bool) -> bool {
        self.rules.ignore(path, is_directory)
    }
}

fn note(reason: &str) -> String {
    format!(
        "the git index was not read: {reason}; files count as committed unless a .gitignore lists them"
    )
}

/// `top` and its git directory, when `top` is the root of a working tree.
fn git_directory(top: &Path) -> Option<(PathBuf, Result<PathBuf, String>)> {
    let entry = top.join(".git");
    let git = match files::kind(&entry) {
        Ok(Kind::Absent) | Err(_) => return None,
        Ok(Kind::File { .. }) => pointer(&entry, "gitdir:")
            .map(|target| top.join(target))
            .filter(|git| is_git_directory(git))
            .ok_or_else(|| "`.git` names no git directory".to_owned()),
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
fn common_directory(git: &Path) -> PathBuf {
    pointer(&git.join("commondir"), "").map_or_else(|| git.to_owned(), |common| git.join(common))
}

fn tracked(git: &Path, prefix: &str) -> Result<BTreeSet<String>, String> {
    let place = git.join("index");
    match files::kind(&place) {
        // Nothing was added yet.
        Ok(Kind::Absent) => return Ok(BTreeSet::new()),
        Ok(_) => {}
        Err(error) => return Err(error.to_string()),
    }
    let loaded = files::read(&place, MAX_INDEX).map_err(|error| error.to_string())?;
    index::paths(&loaded.bytes, prefix).map_err(str::to_owned)
}

fn relative(top: &Path, root: &Path) -> String {
    let path = root.strip_prefix(top).unwrap_or(root).to_string_lossy();
    path.replace(std::path::MAIN_SEPARATOR, "/")
}
