//! The swap of the installed program: prepared before the first question, one step at the end.

use std::io;
use std::path::{Path, PathBuf};

use crate::system::replace::{FileLock, ReplaceError, Staged};
use crate::system::{checkpoint, files, replace};
use crate::verify::Sha256;

/// Why the program cannot be replaced.
#[derive(Debug, thiserror::Error)]
pub enum SwapError {
    #[error("`{}` cannot be written: {source}", path.display())]
    Prepare { path: PathBuf, source: io::Error },
    #[error("the new program cannot be written to `{}`: {source}", path.display())]
    Stage { path: PathBuf, source: io::Error },
    #[error("the staged program `{}` was changed while it was tested", path.display())]
    Changed { path: PathBuf },
    #[error("`{}` cannot be replaced: {source}", path.display())]
    Replace { path: PathBuf, source: io::Error },
    #[error("`{}` could be neither replaced nor restored: {source}", target.display())]
    Displaced { target: PathBuf, backup: PathBuf, source: io::Error },
}

/// Bytes of a file that are read at once.
const PIECE: usize = 64 * 1024;

/// Why two updates cannot run at once.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("another update is running (process {holder})")]
    Held { holder: String },
    #[error("cannot lock `{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// A new program that is being written beside the old one.
#[derive(Debug)]
pub struct UpdateStage {
    staged: Staged,
    target: PathBuf,
    /// Of everything that was written.
    digest: sha2::Sha256,
}

impl UpdateStage {
    /// Finds out whether the program at `target` can be replaced, by really making a file beside it. `target` is the
    /// file itself: a link to it stays what it is.
    ///
    /// # Errors
    /// Returns an error if its directory cannot be written or the file may not be replaced.
    pub fn new(target: &Path) -> Result<Self, SwapError> {
        replace::remove_leftovers(target);
        let directory = target.parent().unwrap_or(Path::new("."));
        let prepare = |path: &Path| {
            let path = path.to_owned();
            move |source| SwapError::Prepare { path, source }
        };
        let staged = Staged::beside(target).map_err(prepare(directory))?;
        files::is_replaceable(target).map_err(prepare(target))?;
        Ok(Self { staged, target: target.to_owned(), digest: sha2::Sha256::default() })
    }

    /// The path of the staged program.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.staged.path()
    }

    /// Appends to the new program.
    ///
    /// # Errors
    /// Returns an error if the disk is full, and the like.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), SwapError> {
        let path = self.staged.path().to_owned();
        sha2::Digest::update(&mut self.digest, bytes);
        self.staged.write(bytes).map_err(|source| SwapError::Stage { path, source })
    }

    /// Makes the new program durable and executable.
    ///
    /// # Errors
    /// Returns an error if the disk is full, and the like.
    pub fn finish(&mut self) -> Result<(), SwapError> {
        let path = self.staged.path().to_owned();
        self.staged.complete(&self.target).map_err(|source| SwapError::Stage { path, source })?;
        checkpoint::reached("update:staged");
        Ok(())
    }

    /// Checks that the file still has the bytes that were written. Between its trial run and the replacement another
    /// program could have changed it.
    ///
    /// # Errors
    /// Returns an error if it has others, or cannot be read.
    pub fn verify(&self) -> Result<(), SwapError> {
        use std::io::Read as _;
        let path = self.staged.path();
        let fault = |source| SwapError::Stage { path: path.to_owned(), source };
        let mut stream = files::open_named(path).map_err(fault)?;
        let mut digest = sha2::Sha256::default();
        let mut piece = vec![0; PIECE];
        loop {
            let length = stream.read(&mut piece).map_err(fault)?;
            if length == 0 {
                break;
            }
            sha2::Digest::update(&mut digest, &piece[..length]);
        }
        let written = sha2::Digest::finalize(self.digest.clone());
        match sha2::Digest::finalize(digest) == written {
            true => Ok(()),
            false => Err(SwapError::Changed { path: path.to_owned() }),
        }
    }

    /// Replaces the program with the new one.
    ///
    /// # Errors
    /// Returns an error if the old one is still there; on Windows possibly under another name, which the error gives.
    pub fn commit(self) -> Result<(), SwapError> {
        checkpoint::reached("update:before-rename");
        let target = self.target;
        self.staged.put(&target).map_err(|error| match error {
            ReplaceError::Untouched(source) => SwapError::Replace { path: target.clone(), source },
            ReplaceError::Displaced { backup, source } => {
                SwapError::Displaced { target: target.clone(), backup, source }
            }
        })?;
        checkpoint::reached("update:renamed");
        Ok(())
    }
}

/// Held while one program is updated.
#[derive(Debug)]
pub struct UpdateLock {
    _lock: FileLock,
}

impl UpdateLock {
    /// Takes the lock for the program at `target`.
    ///
    /// # Errors
    /// Returns an error if another update of the same program runs, or the state directory cannot be written.
    pub fn acquire(state: &Path, target: &Path) -> Result<Self, LockError> {
        let name = Sha256::of(target.as_os_str().as_encoded_bytes()).to_string();
        let path = state.join(format!("update-{}.lock", &name[..16]));
        let io = |source| LockError::Io { path: path.clone(), source };
        files::create_private_directory(state).map_err(io)?;
        match FileLock::acquire(&path) {
            Ok(lock) => Ok(Self { _lock: lock }),
            Err(Ok(holder)) => Err(LockError::Held { holder }),
            Err(Err(source)) => Err(LockError::Io { path, source }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::files::{Kind, Mode};

    fn program(directory: &Path) -> PathBuf {
        let path = directory.join("aos");
        files::write_new(&path, b"old", Mode::Executable).unwrap();
        path
    }

    fn names(directory: &Path) -> Vec<String> {
        let names = files::names(directory).unwrap();
        names.into_iter().map(|name| name.into_string().unwrap()).collect()
    }

    #[test]
    fn a_stage_that_is_not_committed_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let target = program(directory.path());
        let mut stage = UpdateStage::new(&target).unwrap();
        stage.write(b"new").unwrap();
        assert_eq!(names(directory.path()).len(), 2);
        drop(stage);
        assert_eq!(names(directory.path()), ["aos"]);
        assert_eq!(files::read(&target, 10).unwrap().bytes, b"old");
    }

    #[test]
    fn a_commit_replaces_the_file_and_keeps_its_mode() {
        let directory = tempfile::tempdir().unwrap();
        let target = program(directory.path());
        let mut stage = UpdateStage::new(&target).unwrap();
        stage.write(b"new ").unwrap();
        stage.write(b"program").unwrap();
        stage.finish().unwrap();
        stage.commit().unwrap();
        let loaded = files::read(&target, 100).unwrap();
        assert_eq!(loaded.bytes, b"new program");
        assert!(loaded.executable || cfg!(windows));
        assert_eq!(names(directory.path()), ["aos"]);
    }

    #[test]
    fn leftovers_go_when_they_are_files_of_ours() {
        let directory = tempfile::tempdir().unwrap();
        let target = program(directory.path());
        let place = |name: &str| directory.path().join(name);
        for name in [".aos.0123456789abcdef.new", ".aos.0123456789abcdef.old"] {
            files::write_new(&place(name), b"garbage", Mode::Plain).unwrap();
        }
        for name in [".aos.0123456789abcde.new", ".aos.0123456789abcdeg.new", "aos.new", ".aos.new"]
        {
            files::write_new(&place(name), b"somebody else's", Mode::Plain).unwrap();
        }
        files::create_directory(&place(".aos.00000000000000ff.new")).unwrap();
        drop(UpdateStage::new(&target).unwrap());
        assert_eq!(
            names(directory.path()),
            [
                ".aos.00000000000000ff.new",
                ".aos.0123456789abcde.new",
                ".aos.0123456789abcdeg.new",
                ".aos.new",
                "aos",
                "aos.new"
            ]
        );
        assert_eq!(files::kind(&place(".aos.00000000000000ff.new")).unwrap(), Kind::Directory);
    }

    #[test]
    fn one_update_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let state = directory.path().join("state");
        let target = Path::new("/opt/aos");
        let lock = UpdateLock::acquire(&state, target).unwrap();
        let error = UpdateLock::acquire(&state, target).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("another update is running (process {})", std::process::id())
        );
        UpdateLock::acquire(&state, Path::new("/opt/other")).unwrap();
        drop(lock);
        UpdateLock::acquire(&state, target).unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn a_staged_program_is_not_a_leftover_while_its_update_runs() {
        let directory = tempfile::tempdir().unwrap();
        let target = program(directory.path());
        let mut first = UpdateStage::new(&target).unwrap();
        // An update with another state directory, which the lock does not stop.
        drop(UpdateStage::new(&target).unwrap());
        first.write(b"new").unwrap();
        first.finish().unwrap();
        drop(UpdateStage::new(&target).unwrap());
        first.commit().unwrap();
        assert_eq!(files::read(&target, 10).unwrap().bytes, b"new");
    }

    #[test]
    #[cfg(unix)]
    fn a_staged_program_can_be_started_before_it_is_in_place() {
        use crate::update::executable;
        let directory = tempfile::tempdir().unwrap();
        let target = program(directory.path());
        let mut stage = UpdateStage::new(&target).unwrap();
        stage.write(b"#!/bin/sh\necho aos 1.2.3\n").unwrap();
        stage.finish().unwrap();
        executable::verify(stage.path(), &semver::Version::new(1, 2, 3)).unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn a_link_with_a_name_of_ours_is_neither_followed_nor_removed() {
        let directory = tempfile::tempdir().unwrap();
        let target = program(directory.path());
        let link = directory.path().join(".aos.0123456789abcdef.old");
        std::os::unix::fs::symlink(&target, &link).unwrap();
        drop(UpdateStage::new(&target).unwrap());
        assert_eq!(files::kind(&link).unwrap(), Kind::Symlink);
        assert_eq!(files::read(&target, 10).unwrap().bytes, b"old");
    }
}
