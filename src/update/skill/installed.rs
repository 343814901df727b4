//! Reads the files of an installed Skill: follows links without cycles, bounded in number, size and depth.

use std::path::{Path, PathBuf};

use crate::system::files::{self, Kind};

use super::manifest::{SkillManifest, is_part};

/// Limits for reading.
#[derive(Clone, Copy, Debug)]
pub struct SkillLimits {
    /// Directories count as well.
    pub files: usize,
    pub bytes: u64,
    pub depth: usize,
}

/// More than any Skill has.
const MANIFEST_LIMITS: SkillLimits =
    SkillLimits { files: 1000, bytes: 16 * 1024 * 1024, depth: 16 };

/// Why an installed Skill cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum InstalledError {
    #[error("`{}` cannot be read: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("`{}` has more than {limit} files", path.display())]
    TooMany { path: PathBuf, limit: usize },
    #[error("`{}` has more than {limit} bytes", path.display())]
    TooLarge { path: PathBuf, limit: u64 },
    #[error("`{}` is nested too deeply", path.display())]
    TooDeep { path: PathBuf },
}

/// One file.
#[derive(Debug)]
pub struct FoundCopy {
    /// Below the directory of the Skill.
    pub relative: PathBuf,
    pub bytes: Vec<u8>,
    pub executable: bool,
}

/// All files, and what is neither file nor directory.
#[derive(Debug, Default)]
pub struct SkillTree {
    pub files: Vec<FoundCopy>,
    /// Broken or circular links, pipes, sockets and devices.
    pub skipped: Vec<PathBuf>,
    /// Whether anything was reached through a link below the root.
    pub has_links: bool,
}

/// The list of the files at `root`, empty if nothing is installed.
///
/// # Errors
/// Returns an error if something cannot be read, or there is more than any Skill has.
pub fn manifest(root: &Path) -> Result<SkillManifest, InstalledError> {
    Ok(SkillManifest::of_tree(&read(root, MANIFEST_LIMITS, |relative| is_part(&text(relative)))?))
}

/// The list of everything at `root`, including files that an installer skips.
///
/// # Errors
/// As [`manifest`].
pub fn all(root: &Path) -> Result<SkillTree, InstalledError> {
    read(root, MANIFEST_LIMITS, |_| true)
}

/// Reads everything at `root` whose path is `wanted`.
///
/// # Errors
/// Returns an error if something cannot be read, or a limit is exceeded.
pub fn read(
    root: &Path,
    limits: SkillLimits,
    wanted: fn(&Path) -> bool,
) -> Result<SkillTree, InstalledError> {
    let mut reader =
        SkillReader { root, limits, wanted, seen: 0, bytes: 0, tree: SkillTree::default() };
    let real = files::canonical(root).unwrap_or_else(|_| root.to_owned());
    match kind(&real)? {
        Kind::Directory => reader.directory(&real, Path::new(""), &mut Vec::new())?,
        Kind::File { .. } => {
            let name = root.file_name().map(PathBuf::from).unwrap_or_default();
            reader.file(&real, &name)?;
        }
        _ => {}
    }
    Ok(reader.tree)
}

/// A path as text, `/` between its parts; what is not UTF-8 is escaped, so that no two paths become one.
#[must_use]
pub fn text(relative: &Path) -> String {
    let parts: Vec<_> = relative
        .iter()
        .map(|part| part.to_str().map_or_else(|| format!("{part:?}"), str::to_owned))
        .collect();
    parts.join("/")
}

struct SkillReader<'a> {
    root: &'a Path,
    limits: SkillLimits,
    wanted: fn(&Path) -> bool,
    seen: usize,
    bytes: u64,
    tree: SkillTree,
}

impl SkillReader<'_> {
    /// Reads the directory `real`, whose path has no link; `above` are its ancestors, to detect cycles.
    fn directory(
        &mut self,
        real: &Path,
        relative: &Path,
        above: &mut Vec<PathBuf>,
    ) -> Result<(), InstalledError> {
        if above.len() >= self.limits.depth {
            return Err(InstalledError::TooDeep { path: self.root.to_owned() });
        }
        above.push(real.to_owned());
        let names = files::names(real)
            .map_err(|source| InstalledError::Io { path: real.to_owned(), source })?;
        for name in names {
            self.entry(&real.join(&name), relative.join(&name), above)?;
        }
        above.pop();
        Ok(())
    }

    fn entry(
        &mut self,
        path: &Path,
        relative: PathBuf,
        above: &mut Vec<PathBuf>,
    ) -> Result<(), InstalledError> {
        self.seen += 1;
        if self.seen > self.limits.files {
            let limit = self.limits.files;
            return Err(InstalledError::TooMany { path: self.root.to_owned(), limit });
        }
        let real = match kind(path)? {
            Kind::Symlink => {
                self.tree.has_links = true;
                files::canonical(path).ok()
            }
            _ => Some(path.to_owned()),
        };
        let kind = real.as_deref().map_or(Ok(Kind::Absent), kind)?;
        match (kind, real) {
            // As a directory, its name counts for what is below it.
            (Kind::Directory, Some(real)) if !above.contains(&real) => {
                if (self.wanted)(&relative.join("x")) {
                    self.directory(&real, &relative, above)?;
                }
            }
            (Kind::File { .. }, Some(real)) => {
                if (self.wanted)(&relative) {
                    self.file(&real, &relative)?;
                }
            }
            _ => self.tree.skipped.push(relative),
        }
        Ok(())
    }

    fn file(&mut self, real: &Path, relative: &Path) -> Result<(), InstalledError> {
        let left = self.limits.bytes - self.bytes;
        let loaded = files::read(real, left).map_err(|source| match source.kind() {
            std::io::ErrorKind::FileTooLarge => {
                InstalledError::TooLarge { path: self.root.to_owned(), limit: self.limits.bytes }
            }
            _ => InstalledError::Io { path: real.to_owned(), source },
        })?;
        self.bytes += loaded.bytes.len() as u64;
        self.tree.files.push(FoundCopy {
            relative: relative.to_owned(),
            bytes: loaded.bytes,
            executable: loaded.executable,
        });
        Ok(())
    }
}

fn kind(path: &Path) -> Result<Kind, InstalledError> {
    files::kind(path).map_err(|source| InstalledError::Io { path: path.to_owned(), source })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests lay out directories")]
mod tests {
    use super::*;

    fn layout(files: &[(&str, &str)]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let place = directory.path().join(path);
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            std::fs::write(place, text).unwrap();
        }
        directory
    }

    #[test]
    fn an_installed_directory_has_the_list_of_its_files() {
        let files = [("SKILL.md", "a"), ("sub/deep/x.md", "b")];
        let directory = layout(&files);
        assert_eq!(manifest(directory.path()).unwrap(), SkillManifest::of(files));
        std::fs::write(directory.path().join("metadata.json"), "{}").unwrap();
        std::fs::create_dir(directory.path().join("__pycache__")).unwrap();
        std::fs::write(directory.path().join("__pycache__/x.pyc"), "").unwrap();
        assert_eq!(manifest(directory.path()).unwrap(), SkillManifest::of(files));
    }

    #[test]
    fn a_missing_or_empty_directory_has_an_empty_list() {
        let directory = tempfile::tempdir().unwrap();
        assert!(manifest(&directory.path().join("absent")).unwrap().is_empty());
        assert!(manifest(directory.path()).unwrap().is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn links_count_as_what_they_lead_to_and_circles_end() {
        let directory = layout(&[("skill/SKILL.md", "a"), ("other/x.md", "b")]);
        let skill = directory.path().join("skill");
        let link = |target: &str, name: &str| {
            std::os::unix::fs::symlink(target, skill.join(name)).unwrap();
        };
        link("../other/x.md", "y.md");
        link("../other", "sub");
        link("nowhere", "broken");
        link(".", "circle");
        let expected = SkillManifest::of([("SKILL.md", "a"), ("y.md", "b"), ("sub/x.md", "b")]);
        assert_eq!(manifest(&skill).unwrap(), expected);
        let tree = read(&skill, MANIFEST_LIMITS, |_| true).unwrap();
        assert_eq!(tree.skipped, [PathBuf::from("broken"), PathBuf::from("circle")]);
        std::os::unix::fs::symlink(&skill, directory.path().join("link")).unwrap();
        assert_eq!(manifest(&directory.path().join("link")).unwrap(), expected);
    }

    #[test]
    fn more_than_a_skill_has_is_refused() {
        let directory = layout(&[("a", "12345"), ("b/c", "12345"), ("d/e/f", "")]);
        let limits = SkillLimits { files: 6, bytes: 10, depth: 3 };
        let read = |limits| read(directory.path(), limits, |_| true);
        assert_eq!(read(limits).unwrap().files.len(), 3);
        let refused = |limits| read(limits).unwrap_err();
        assert!(matches!(
            refused(SkillLimits { files: 5, ..limits }),
            InstalledError::TooMany { .. }
        ));
        assert!(matches!(
            refused(SkillLimits { bytes: 9, ..limits }),
            InstalledError::TooLarge { .. }
        ));
        assert!(matches!(
            refused(SkillLimits { depth: 2, ..limits }),
            InstalledError::TooDeep { .. }
        ));
    }
}
