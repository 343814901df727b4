//! The part of a repository that static rules may look at.
//!
//! A snapshot in memory: rules never touch the disk, so the same input produces the same findings everywhere.

use std::collections::{BTreeMap, BTreeSet};

use super::file_bytes::FileBytes;

/// A directory with one of these is a project, or the source of a runtime.
const MARKERS: &[&str] = &["aos.toml", ".agent/SPEC_VERSION", "runtime.toml"];

/// One regular file.
#[derive(Clone, Debug)]
pub struct SourceFile {
    pub bytes: FileBytes,
    /// True when the owner may execute it (always false on systems without the bit).
    pub executable: bool,
}

/// The files of one project that are committed or would be, keyed by `/`-separated relative path.
#[derive(Clone, Debug, Default)]
pub struct ProjectFiles {
    /// Name of the directory the project lives in; empty when it cannot be known.
    pub directory_name: String,
    /// True when the project directory itself is a symbolic link (the host skips those).
    pub directory_is_symlink: bool,
    pub files: BTreeMap<String, SourceFile>,
    /// Code on disk that git ignores. It is not committed, but this checkout may load it.
    pub ignored: BTreeMap<String, SourceFile>,
    /// Paths that exist but are symbolic links; their targets are never read.
    pub symlinks: Vec<String>,
    /// Paths that could not be read whole (too large, not permitted), with the reason.
    pub unreadable: Vec<(String, String)>,
    /// Directories whose entries are not all known, with the reason; files may be missing from this snapshot.
    pub unlisted: Vec<(String, String)>,
    /// Files with a setuid, setgid or sticky bit.
    pub special: BTreeSet<String>,
    /// Every name in each directory that was entered, sorted, by the path of the directory, empty for the root. Nothing
    /// when not all directories were read.
    pub names: BTreeMap<String, Vec<String>>,
    /// Directories below the root that have the name of a write of aos.
    pub writes: Vec<String>,
    /// Why it may not be known which files are committed.
    pub notes: Vec<String>,
    /// Files that git ignores and that nothing loads, and directories of them that were not entered.
    pub ignored_files: usize,
    pub ignored_directories: usize,
    /// Every file that the walk met.
    pub walked: usize,
    /// Whether every pipeline that git keeps is on disk: then a missing one was deleted.
    pub ci_is_known: bool,
    /// The facts about the project in the repository around it.
    pub around: EnclosingFiles,
}

/// Pipelines and attributes of the repository that a project is a part of.
#[derive(Clone, Debug, Default)]
pub struct EnclosingFiles {
    /// The project below the top of the repository; empty when it is the top.
    pub prefix: String,
    /// Files above the project, by their path from the top.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl EnclosingFiles {
    /// Returns the number of directories between the top and the project.
    #[must_use]
    pub fn depth(&self) -> usize {
        if self.prefix.is_empty() { 0 } else { self.prefix.split('/').count() }
    }
}

impl ProjectFiles {
    #[must_use]
    pub fn bytes(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(|file| file.bytes.as_slice())
    }

    /// True if a file is on disk, committed or not.
    #[must_use]
    pub fn holds(&self, path: &str) -> bool {
        self.files.contains_key(path) || self.ignored.contains_key(path)
    }

    /// The file as text; `None` when it is absent or not UTF-8.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).and_then(|file| file.bytes.text())
    }

    /// Directories that are projects of their own, in path order. One that holds a path of `own` is a part of this
    /// project, regardless of its content.
    #[must_use]
    pub fn nested<'a>(&self, own: impl Iterator<Item = &'a str>) -> Vec<&str> {
        let own: Vec<_> = own.collect();
        let directory = |path: &'_ str| {
            MARKERS
                .iter()
                .find_map(|marker| path.strip_suffix(marker)?.strip_suffix('/').map(str::len))
        };
        let mut found: Vec<_> = self
            .files
            .keys()
            .filter_map(|path| directory(path).map(|length| &path[..length]))
            .filter(|nested| !own.iter().any(|path| is_below(path, nested)))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Files below `prefix` (ends with `/`) whose name ends with `suffix`, in path order.
    pub fn below<'a>(
        &'a self,
        prefix: &'a str,
        suffix: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a SourceFile)> {
        self.files
            .range(prefix.to_owned()..)
            .map(|(path, file)| (path.as_str(), file))
            .take_while(move |(path, _)| path.starts_with(prefix))
            .filter(move |(path, _)| path.ends_with(suffix))
    }
}

/// True if `path` is in `directory`, at any depth.
#[must_use]
pub fn is_below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::{ProjectFiles, SourceFile};

    #[test]
    fn a_project_below_is_found_unless_it_holds_something_of_this_one() {
        let mut repository = ProjectFiles::default();
        let paths =
            ["aos.toml", "a/aos.toml", "b/c/.agent/SPEC_VERSION", "d/runtime.toml", "e/x-aos.toml"];
        for path in paths {
            let file = SourceFile { bytes: "".into(), executable: false };
            repository.files.insert(path.to_owned(), file);
        }
        assert_eq!(repository.nested(std::iter::empty()), ["a", "b/c", "d"]);
        assert_eq!(repository.nested(["a/contract_gen.py", "dd/x"].into_iter()), ["b/c", "d"]);
    }
}
