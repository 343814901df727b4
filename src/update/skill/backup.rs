//! Backups of changed copies of the Skill, stored in the state directory before the installer replaces them.
//!
//! A backup is named after its content, so the same content is stored once, even if a sync is repeated.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::system::files::{self, Kind, Mode};
use crate::system::random;

use super::installed::{self, InstalledError, SkillLimits, SkillTree};
use super::manifest::SkillManifest;
use super::places::SKILL;

/// Below the state directory.
const DIRECTORY: &str = "skill-backups";
/// A larger copy is not backed up, and therefore not replaced.
const LIMITS: SkillLimits = SkillLimits { files: 20_000, bytes: 256 * 1024 * 1024, depth: 64 };
/// Prefix of the names of unfinished directories.
pub(super) const UNFINISHED: &str = ".unfinished-";
/// Number of hex digits of the digest in the name of a backup.
const NAME_DIGITS: usize = 16;
/// Largest number of backups with the same name.
const MAX_SAME_NAME: usize = 100;

/// Why a backup failed.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(transparent)]
    Unreadable(#[from] InstalledError),
    #[error("`{}` cannot be written: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("`{}` has too many copies with the same name", path.display())]
    Full { path: PathBuf },
}

/// A complete and durable backup.
#[derive(Debug)]
pub struct Backup {
    pub path: PathBuf,
    /// Broken or circular links, pipes, sockets and devices, which have no content to copy.
    pub skipped: Vec<PathBuf>,
}

/// Copies everything at `place`, and never overwrites anything.
///
/// # Errors
/// If it cannot be copied completely; nothing is left behind.
pub fn make(place: &Path, state: &Path) -> Result<Backup, BackupError> {
    let tree = installed::read(place, LIMITS, |_| true)?;
    let directory = state.join(DIRECTORY);
    files::create_private_directory(&directory).map_err(io(&directory))?;
    let manifest = of_tree(&tree);
    let digest = manifest.digest().to_string();
    let stage = stage(&directory)?;
    let kept = write(&tree, &stage)
        .and_then(|()| put_in_place(&stage, &directory, &digest[..NAME_DIGITS], &manifest));
    if kept.is_err() {
        // Its name shows that it is no longer needed.
        let _ = files::remove_tree(&stage);
    }
    Ok(Backup { path: kept?, skipped: tree.skipped })
}

/// True if aos made the backup.
pub(super) fn is_in(backup: &Path, state: &Path) -> bool {
    backup.parent() == Some(&state.join(DIRECTORY)) && backup.file_name().is_some()
}

/// The files of a copy.
///
/// # Errors
/// Returns an error if it cannot be read.
pub(super) fn load(backup: &Path) -> Result<SkillTree, InstalledError> {
    installed::read(backup, LIMITS, |_| true)
}

fn of_tree(tree: &SkillTree) -> SkillManifest {
    SkillManifest::of_all(
        tree.files.iter().map(|file| (installed::text(&file.relative), &file.bytes)),
    )
}

/// An unused name.
pub(super) fn unique() -> std::io::Result<String> {
    Ok(random::bytes::<8>()?.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A new directory in `directory`.
pub(super) fn stage(directory: &Path) -> Result<PathBuf, BackupError> {
    let stage = directory.join(format!("{UNFINISHED}{}", unique().map_err(io(directory))?));
    files::create_directory(&stage).map_err(io(&stage))?;
    Ok(stage)
}

/// Writes the files of `tree` below `stage`, and waits until they are durable.
pub(super) fn write(tree: &SkillTree, stage: &Path) -> Result<(), BackupError> {
    let mut made = BTreeSet::from([stage.to_owned()]);
    for file in &tree.files {
        let path = stage.join(&file.relative);
        let above = path.parent().unwrap_or(stage);
        files::create_private_directory(above).map_err(io(above))?;
        made.extend(
            above.ancestors().take_while(|path| path.starts_with(stage)).map(Path::to_owned),
        );
        let mode = if file.executable { Mode::Executable } else { Mode::Plain };
        files::write_new(&path, &file.bytes, mode).map_err(io(&path))?;
        files::sync(&path).map_err(io(&path))?;
    }
    made.iter().try_for_each(|directory| files::sync(directory).map_err(io(directory)))
}

/// Renames the staged copy, or removes it if an equal backup exists.
fn put_in_place(
    stage: &Path,
    directory: &Path,
    name: &str,
    manifest: &SkillManifest,
) -> Result<PathBuf, BackupError> {
    for number in 1..=MAX_SAME_NAME {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let path = directory.join(format!("{SKILL}-{name}{suffix}"));
        if files::kind(&path).map_err(io(&path))? == Kind::Absent {
            files::rename_new(stage, &path).map_err(io(&path))?;
            files::sync(directory).map_err(io(directory))?;
            return Ok(path);
        }
        let same = installed::read(&path, LIMITS, |_| true)
            .is_ok_and(|there| of_tree(&there) == *manifest);
        if same {
            files::remove_tree(stage).map_err(io(stage))?;
            return Ok(path);
        }
    }
    Err(BackupError::Full { path: directory.to_owned() })
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> BackupError {
    let path = path.to_owned();
    move |source| BackupError::Io { path, source }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests look at the disk")]
mod tests {
    use super::*;

    fn changed() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(directory.path().join("aos/.git")).unwrap();
        for (path, text) in [("SKILL.md", "mine"), ("metadata.json", "{}"), (".git/HEAD", "x")] {
            std::fs::write(directory.path().join("aos").join(path), text).unwrap();
        }
        directory
    }

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_backup_has_every_file_and_its_name_describes_it() {
        let (changed, state) = (changed(), tempfile::tempdir().unwrap());
        let place = changed.path().join("aos");
        let backup = make(&place, state.path()).unwrap();
        let all = |root: &Path| of_tree(&installed::read(root, LIMITS, |_| true).unwrap());
        assert_eq!(all(&backup.path), all(&place));
        assert_eq!(names(&backup.path), [".git", "SKILL.md", "metadata.json"]);
        assert!(names(&state.path().join(DIRECTORY))[0].starts_with("aos-"));
    }

    #[test]
    fn the_same_work_is_kept_once_and_other_work_beside_it() {
        let (changed, state) = (changed(), tempfile::tempdir().unwrap());
        let place = changed.path().join("aos");
        let first = make(&place, state.path()).unwrap().path;
        assert_eq!(make(&place, state.path()).unwrap().path, first);
        std::fs::write(place.join("SKILL.md"), "mine too").unwrap();
        let second = make(&place, state.path()).unwrap().path;
        assert_ne!(first, second);
        assert_eq!(std::fs::read(first.join("SKILL.md")).unwrap(), b"mine");
        assert_eq!(names(&state.path().join(DIRECTORY)).len(), 2);
    }

    #[test]
    fn a_second_backup_does_not_overwrite_the_first() {
        let (changed, state) = (changed(), tempfile::tempdir().unwrap());
        let place = changed.path().join("aos");
        let first = make(&place, state.path()).unwrap().path;
        std::fs::write(first.join("SKILL.md"), "touched").unwrap();
        let second = make(&place, state.path()).unwrap().path;
        assert_eq!(second, PathBuf::from(format!("{}-2", first.display())));
        assert_eq!(std::fs::read(first.join("SKILL.md")).unwrap(), b"touched");
    }

    #[test]
    fn a_file_in_place_of_the_directory_is_kept_as_well() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("aos"), "notes").unwrap();
        let backup = make(&directory.path().join("aos"), directory.path()).unwrap();
        assert_eq!(std::fs::read(backup.path.join("aos")).unwrap(), b"notes");
    }

    #[cfg(unix)]
    #[test]
    fn the_target_of_a_link_is_copied_and_a_broken_link_is_reported() {
        let (changed, state) = (changed(), tempfile::tempdir().unwrap());
        let place = changed.path().join("aos");
        std::fs::write(changed.path().join("notes.md"), "notes").unwrap();
        std::os::unix::fs::symlink("../notes.md", place.join("notes.md")).unwrap();
        std::os::unix::fs::symlink("gone", place.join("broken")).unwrap();
        let backup = make(&place, state.path()).unwrap();
        assert_eq!(std::fs::read(backup.path.join("notes.md")).unwrap(), b"notes");
        assert_eq!(backup.skipped, [PathBuf::from("broken")]);
    }

    #[test]
    fn a_copy_that_cannot_be_written_leaves_nothing() {
        let changed = changed();
        let state = changed.path().join("state");
        std::fs::write(&state, "a file").unwrap();
        assert!(matches!(make(&changed.path().join("aos"), &state), Err(BackupError::Io { .. })));
    }
}
