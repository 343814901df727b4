//! One generated module and what is around it.

use std::collections::BTreeSet;
use std::path::Path;

use crate::contract::repository::is_below;
use crate::contract::{Finding, ProjectFiles};
use crate::system::files::{self, Kind};

use super::super::rules;

/// One generated module and its project.
pub(super) struct GeneratedModule<'a> {
    pub(super) root: &'a Path,
    pub(super) repository: &'a ProjectFiles,
    pub(super) path: &'a str,
    /// The directory of the module, empty for the root.
    pub(super) directory: &'a str,
    pub(super) file_name: &'a str,
    /// The file name up to its first dot.
    pub(super) stem: &'a str,
    /// Files that hold exactly what aos writes.
    pub(super) ours: &'a BTreeSet<&'a str>,
}

impl<'a> GeneratedModule<'a> {
    pub(super) fn at(
        root: &'a Path,
        repository: &'a ProjectFiles,
        path: &'a str,
        ours: &'a BTreeSet<&'a str>,
    ) -> Self {
        let (directory, file_name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file_name.split('.').next().unwrap_or(file_name);
        Self { root, repository, path, directory, file_name, stem, ours }
    }

    pub(super) fn beside(&self, name: &str) -> String {
        join(self.directory, name)
    }

    /// Names beside the module, from the disk: files that git ignores are loaded too.
    pub(super) fn siblings(&self) -> Vec<String> {
        self.names(self.directory)
    }

    /// Names in a directory of the project, as the walk met them; the disk is asked about the others.
    pub(super) fn names(&self, directory: &str) -> Vec<String> {
        let known = &self.repository.names;
        if let Some(names) = known.get(directory) {
            return names.clone();
        }
        let (above, name) = directory.rsplit_once('/').unwrap_or(("", directory));
        let is_absent = |names: &Vec<String>| names.iter().all(|known| known != name);
        if !directory.is_empty() && known.get(above).is_some_and(is_absent) {
            return Vec::new();
        }
        names(&self.root.join(directory))
    }

    pub(super) fn kind(&self, path: &str) -> Kind {
        files::kind(&self.root.join(path)).unwrap_or(Kind::Absent)
    }

    /// Checkouts of other projects beside the package of the module, such as worktrees. Each has a `.git` of its own,
    /// which no repository can contain. A record alone is not enough, because a commit can add one.
    pub(super) fn projects_beside(&self) -> Vec<&'a str> {
        let mut nested = self.repository.nested(std::iter::once(self.path));
        let inside = |project: &str| self.directory.is_empty() || is_below(project, self.directory);
        nested.retain(|project| {
            !inside(project) && self.kind(&join(project, ".git")) != Kind::Absent
        });
        nested
    }

    pub(super) fn text(&self) -> &'a str {
        self.repository.text(self.path).unwrap_or_default()
    }

    /// Text files whose names end with one of `endings`, without the module itself. Files that git ignores count: this
    /// checkout loads them.
    pub(super) fn others(
        &self,
        endings: &'a [&'a str],
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        let own = self.path;
        self.repository.files.iter().chain(&self.repository.ignored).filter_map(
            move |(path, file)| {
                let wanted = endings.iter().any(|ending| path.ends_with(ending)) && path != own;
                let text = file.bytes.text().filter(|_| wanted)?;
                Some((path.as_str(), text))
            },
        )
    }

    pub(super) fn shadowed(&self, path: &str, why: &str) -> Finding {
        rules::SHADOWED.finding(path, format!("{why} `{}`", self.path))
    }

    pub(super) fn amended(&self, path: &str, text: &str, at: usize) -> Finding {
        self.amended_by(path, text, at, "it changes values of")
    }

    /// `why` is followed by the path of the module.
    pub(super) fn amended_by(&self, path: &str, text: &str, at: usize, why: &str) -> Finding {
        let message = format!("{why} `{}` while the tool runs", self.path);
        let mut finding = rules::AMENDED.finding(path, message);
        finding.line = Some(line(text, at));
        finding
    }
}

pub(super) fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

/// A project with these plain files, for unit tests.
#[cfg(test)]
pub(super) fn project<'t>(files: impl IntoIterator<Item = (&'t str, &'t str)>) -> ProjectFiles {
    use crate::contract::repository::SourceFile;

    let mut repository = ProjectFiles::default();
    for (path, text) in files {
        let file = SourceFile { bytes: text.into(), executable: false };
        repository.files.insert(path.to_owned(), file);
    }
    repository
}

/// A path without its `.`, `..` and empty parts.
pub(super) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

pub(super) fn line(text: &str, at: usize) -> u32 {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    let breaks = before.iter().filter(|byte| **byte == b'\n').count();
    u32::try_from(breaks + 1).unwrap_or(u32::MAX)
}

/// Names in a directory, at most as many as a source directory can have.
fn names(directory: &Path) -> Vec<String> {
    const MAX_NAMES: usize = 20_000;
    let names = files::names(directory).unwrap_or_default();
    let mut names: Vec<_> =
        names.into_iter().take(MAX_NAMES).map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
