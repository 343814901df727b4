//! The files of a project that git keeps, read from the index and the `.gitignore` files, without a git process.
//!
//! Rules of one user (`core.excludesFile`) are not read: a verdict must not depend on the machine.

mod around;
mod ignored;
mod kept_index;

use std::collections::BTreeSet;
use std::path::Path;

use crate::contract::repository::EnclosingFiles;
use crate::system::files::{self, Kind};
use crate::system::git::{self, NoGitDirectory};
use crate::system::git_index::{self, GitIndexError};

use self::ignored::Rules;
use self::kept_index::Known;

/// Why the index of a repository was not read.
#[derive(Debug, thiserror::Error)]
enum UnreadIndex {
    #[error(transparent)]
    Directory(#[from] NoGitDirectory),
    #[error(transparent)]
    File(#[from] std::io::Error),
    #[error(transparent)]
    Content(#[from] GitIndexError),
}

/// The state of one project in git.
pub struct Checkout {
    /// Paths in the index, relative to the project.
    tracked: BTreeSet<String>,
    rules: Rules,
    /// Whether the project is at the top of the working tree.
    is_whole: bool,
    /// Why the index could not be used.
    pub note: Option<String>,
    /// Pipelines and attributes of the repository above the project.
    pub around: EnclosingFiles,
}

impl Checkout {
    /// Reads what git knows about the project at `root`, a canonical path. `skipped` names directories that count as
    /// ignored wherever they are.
    #[must_use]
    pub fn of(root: &Path, skipped: fn(&str) -> bool) -> Self {
        let alone = || Self {
            tracked: BTreeSet::new(),
            rules: Rules::new(root.to_owned(), String::new(), None, skipped),
            is_whole: false,
            note: None,
            around: EnclosingFiles::default(),
        };
        let Some((top, directory)) = root.ancestors().find_map(git::directory) else {
            return alone();
        };
        let directory = match directory {
            Ok(directory) => directory,
            Err(reason) => return Self { note: Some(note(&reason.into())), ..alone() },
        };
        let prefix = relative(&top, root);
        let exclude = git::common_directory(&directory).join("info/exclude");
        let mut checkout = Self {
            tracked: BTreeSet::new(),
            rules: Rules::new(top.clone(), prefix.clone(), Some(exclude), skipped),
            is_whole: prefix.is_empty(),
            note: None,
            around: EnclosingFiles::default(),
        };
        match tracked(&directory, &prefix) {
            Ok(tracked) => checkout.tracked = tracked,
            Err(reason) => checkout.note = Some(note(&reason)),
        }
        if checkout.tracked.is_empty() && checkout.rules.ignore_the_project() {
            // A repository further up, of a home directory for example, that does not keep this project.
            return Self { note: checkout.note, ..alone() };
        }
        checkout.around = around::read(&top, &prefix);
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

    /// True if the project is the whole of a checkout that has every tracked file for which `wanted` holds. A sparse
    /// checkout does not have them, and without an index the answer is unknown.
    #[must_use]
    pub fn has_all(&self, root: &Path, wanted: fn(&str) -> bool) -> bool {
        let is_there =
            |path: &String| !matches!(files::kind(&root.join(path)), Ok(Kind::Absent) | Err(_));
        self.is_whole
            && !self.tracked.is_empty()
            && self.tracked.iter().filter(|path| wanted(path)).all(is_there)
    }

    /// True if git ignores `path` as long as it is not in the index.
    pub fn ignores(&mut self, path: &str, is_directory: bool) -> bool {
        self.rules.ignore(path, is_directory)
    }
}

fn note(reason: &UnreadIndex) -> String {
    format!(
        "the git index was not read: {reason}; files count as committed unless a .gitignore lists them"
    )
}

fn tracked(directory: &Path, prefix: &str) -> Result<BTreeSet<String>, UnreadIndex> {
    let place = directory.join("index");
    match files::kind(&place) {
        // Nothing was added yet.
        Ok(Kind::Absent) => return Ok(BTreeSet::new()),
        Ok(_) => {}
        Err(error) => return Err(error.into()),
    }
    // Only a project that is a part of a repository shares the index with others.
    let stamp = if prefix.is_empty() { None } else { files::stamp(&place).ok() };
    let known = stamp.map_or(Known::Nothing, |stamp| kept_index::ask(&place, stamp));
    if let Known::Paths(paths) = &known {
        return Ok(kept_index::below(paths, prefix));
    }
    let loaded = files::read(&place, git::MAX_INDEX)?;
    if let (Known::Again, Some(stamp)) = (known, stamp)
        && let Ok(paths) = git_index::paths(&loaded.bytes, "")
    {
        return Ok(kept_index::below(&kept_index::keep(&place, stamp, paths), prefix));
    }
    match git_index::paths(&loaded.bytes, prefix) {
        Err(GitIndexError::Split) => {
            Ok(git::split_index(directory, prefix).ok_or(GitIndexError::Split)?)
        }
        paths => Ok(paths?),
    }
}

fn relative(top: &Path, root: &Path) -> String {
    let path = root.strip_prefix(top).unwrap_or(root).to_string_lossy();
    path.replace(std::path::MAIN_SEPARATOR, "/")
}
