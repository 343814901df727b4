//! The interface of `aos migrate` to a family: its rewrites, and how a copy of a project is started.
//!
//! A rewrite gets the files of a project and returns the changed ones; it reads and writes nothing itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::contract::ProjectFiles;
use crate::contract::family::FamilyParts;
use crate::reason::Reason;

/// The project that is rewritten.
#[derive(Debug)]
pub struct RewriteSubject<'a> {
    pub files: &'a ProjectFiles,
    /// Paths that aos writes.
    pub managed: &'a BTreeSet<String>,
}

/// A place that a rewrite does not change.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct UntouchedPlace {
    pub path: String,
    pub line: Option<u32>,
    pub reason: String,
}

impl UntouchedPlace {
    #[must_use]
    pub fn of(path: &str, line: Option<u32>, reason: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, reason: reason.into() }
    }
}

/// The result of a rewrite.
#[derive(Clone, Debug, Default)]
pub struct Rewritten {
    /// The whole content of each changed file; `None` deletes it.
    pub files: BTreeMap<String, Option<Vec<u8>>>,
    /// A directory that has another name afterwards.
    pub renamed: Option<(String, String)>,
    /// The generators of the rewrite write their files from now on.
    pub generates: bool,
    pub untouched: Vec<UntouchedPlace>,
}

impl Rewritten {
    /// Nothing is changed, because of one place.
    #[must_use]
    pub fn refused(place: UntouchedPlace) -> Self {
        Self { untouched: vec![place], ..Self::default() }
    }

    #[must_use]
    pub fn changes_nothing(&self) -> bool {
        self.files.is_empty() && !self.generates
    }
}

/// One safe change that every project of a family can have.
#[derive(Debug)]
pub struct ProjectRewrite {
    pub id: &'static str,
    pub summary: &'static str,
    /// Generators whose files only this rewrite adds to a project.
    pub generators: &'static [&'static str],
    pub run: fn(&RewriteSubject<'_>) -> Rewritten,
}

/// A file that starts the tool of a copied project.
#[derive(Clone, Debug)]
pub struct ProjectLauncher {
    pub path: String,
    pub text: String,
    /// Paths outside the project that it must be able to read.
    pub readable: Vec<PathBuf>,
}

/// Brings projects of one family over.
pub trait Migrator: Sync {
    /// In the order in which they are made.
    fn rewrites(&self) -> &'static [ProjectRewrite];

    /// Returns the launcher of a copy of the project at `root`.
    ///
    /// # Errors
    /// Why it cannot be started, one sentence.
    fn launcher(&self, root: &Path, files: &ProjectFiles) -> Result<ProjectLauncher, Reason>;
}

/// The families whose projects can be brought over.
pub static MIGRATORS: FamilyParts<dyn Migrator> = FamilyParts::new();
