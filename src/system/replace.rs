//! Replaces a program that may be running: the new one is staged beside it, then renamed over it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::visible::excerpt;

use super::clock::Stopwatch;
use super::{files, random};

/// Prefix of the names of staged and displaced files, before 16 hex digits and the suffix.
const PREFIX: &str = ".aos.";
/// Suffix of a staged program.
const NEW: &str = ".new";
/// Suffix of an old program that could not be removed because it is running.
const OLD: &str = ".old";

/// Suffix of a new file that is not locked yet, without its dot.
const UNMARKED: &str = "tmp";
/// A newer file may belong to an update that is just starting.
const YOUNGEST_LEFTOVER: Duration = Duration::from_secs(2);
/// How long a lock can outlive its process: a child that was being started when its parent was killed has the lock too,
/// until it executes another program.
const AFTERLIFE: Duration = Duration::from_secs(1);
const POLL: Duration = Duration::from_millis(10);

/// A new file beside the one that it will replace. It is removed if it is not used.
#[derive(Debug)]
pub struct Staged {
    path: PathBuf,
    file: Option<File>,
    /// A lock that shows other updates that this file is in use.
    mark: Option<File>,
    in_place: bool,
}

impl Staged {
    /// Creates an empty file beside `target`, and fails if its name is in use.
    ///
    /// # Errors
    /// If the system reports an error: the directory is not writable.
    #[expect(clippy::disallowed_methods, reason = "only `system` accesses files")]
    pub fn beside(target: &Path) -> io::Result<Self> {
        let path = neighbour(target, NEW)?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o700);
        }
        // Another update removes unlocked files with the name of a leftover, so the file is locked before it gets its
        // name.
        let unmarked = path.with_extension(UNMARKED);
        let file = options.open(&unmarked)?;
        let staged = Self { path: unmarked, file: Some(file), mark: None, in_place: false };
        let mark = marked(&staged.path);
        files::rename_new(&staged.path, &path)?;
        Ok(staged.named(path, mark))
    }

    fn named(mut self, path: PathBuf, mark: Option<File>) -> Self {
        self.path = path;
        self.mark = mark;
        self
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends `bytes`.
    ///
    /// # Errors
    /// If the system reports an error.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.file {
            Some(file) => file.write_all(bytes),
            None => Err(io::Error::other("the file is already complete")),
        }
    }

    /// Makes the content durable, gives the file the permissions of `like` without setuid and setgid, and closes it,
    /// so that it can be started.
    ///
    /// # Errors
    /// If the system reports an error.
    #[expect(clippy::disallowed_methods, reason = "only `system` accesses files")]
    pub fn complete(&mut self, like: &Path) -> io::Result<()> {
        let Some(file) = self.file.take() else { return Ok(()) };
        let permissions = fs::metadata(like)?.permissions();
        #[cfg(unix)]
        let permissions = {
            use std::os::unix::fs::PermissionsExt as _;
            fs::Permissions::from_mode(permissions.mode() & 0o777 | 0o100)
        };
        file.set_permissions(permissions)?;
        file.sync_all()
    }

    /// Replaces `target` with the file.
    ///
    /// # Errors
    /// `target` is unchanged, unless the error says otherwise.
    pub fn put(mut self, target: &Path) -> Result<(), ReplaceError> {
        swap(&self.path, target)?;
        self.in_place = true;
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        self.file = None;
        if !self.in_place {
            // A file that cannot be removed is never used, and the next update removes it.
            let _ = files::remove_file(&self.path);
        }
    }
}

/// Why a replacement failed.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    #[error("{0}")]
    Untouched(io::Error),
    /// Windows only: the old program was renamed aside and cannot be restored.
    #[error("{source}; the old program is now `{}`", backup.display())]
    Displaced { backup: PathBuf, source: io::Error },
}

#[cfg(not(windows))]
fn swap(staged: &Path, target: &Path) -> Result<(), ReplaceError> {
    // Atomic: a reader sees either the old or the new file.
    files::rename(staged, target).map_err(ReplaceError::Untouched)?;
    if let Some(directory) = target.parent() {
        // The rename succeeded; a failure to make it durable is not an error.
        let _ = files::sync(directory);
    }
    Ok(())
}

#[cfg(windows)]
fn swap(staged: &Path, target: &Path) -> Result<(), ReplaceError> {
    let backup = aside(staged, target, &mut files::rename)?;
    // It may still be running; then the next update removes it.
    let _ = files::remove_file(&backup);
    Ok(())
}

/// Renames the old program aside and the new one into place, and restores the old one if that fails. Windows allows
/// renaming a running program, but not replacing it. Returns the new path of the old program.
#[cfg(any(windows, test))]
fn aside(
    staged: &Path,
    target: &Path,
    rename: &mut dyn FnMut(&Path, &Path) -> io::Result<()>,
) -> Result<PathBuf, ReplaceError> {
    let backup = neighbour(target, OLD).map_err(ReplaceError::Untouched)?;
    rename(target, &backup).map_err(ReplaceError::Untouched)?;
    match rename(staged, target) {
        Ok(()) => Ok(backup),
        Err(source) => match rename(&backup, target) {
            Ok(()) => Err(ReplaceError::Untouched(source)),
            Err(source) => Err(ReplaceError::Displaced { backup, source }),
        },
    }
}

fn neighbour(target: &Path, suffix: &str) -> io::Result<PathBuf> {
    let name: String = random::bytes::<8>()?.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(target.with_file_name(format!("{PREFIX}{name}{suffix}")))
}

/// Locks the staged file at `path` to show that it is in use. The file is opened only for reading, so that it can be
/// started. There is no lock if the file system has no locks, and on Windows, where a lock would prevent reading the
/// program.
#[expect(clippy::disallowed_methods, reason = "only `system` accesses files")]
fn marked(path: &Path) -> Option<File> {
    if cfg!(windows) {
        return None;
    }
    File::open(path).ok().filter(|file| file.try_lock().is_ok())
}

/// True if a running update uses the staged file at `path`.
#[expect(clippy::disallowed_methods, reason = "only `system` accesses files")]
fn is_in_use(path: &Path) -> bool {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    }
    let lock = options.open(path).map(|file| file.try_lock());
    !cfg!(windows) && matches!(lock, Ok(Err(fs::TryLockError::WouldBlock)))
}

/// Removes the leftovers of a killed update beside `target`: regular files with names of aos. They are never used.
pub fn remove_leftovers(target: &Path) {
    let Some(directory) = target.parent() else { return };
    for name in files::names(directory).unwrap_or_default() {
        let path = directory.join(&name);
        let is_ours = name.to_str().is_some_and(is_leftover);
        let is_file = matches!(files::kind(&path), Ok(files::Kind::File { .. }));
        let is_starting = path.extension().is_some_and(|end| end == UNMARKED) && !is_old(&path);
        // The program itself may have such a name.
        if is_ours && is_file && path != target && !is_starting && !is_in_use(&path) {
            // A program that still runs cannot be removed on Windows; the next update tries again.
            let _ = files::remove_file(&path);
        }
    }
}

/// True if a file is older than any update that may just be starting.
#[expect(clippy::disallowed_methods, reason = "only `system` accesses files")]
fn is_old(path: &Path) -> bool {
    let age = fs::metadata(path)
        .and_then(|metadata| metadata.modified())
        .ok()
        .and_then(|modified| modified.elapsed().ok());
    age.is_some_and(|age| age >= YOUNGEST_LEFTOVER)
}

fn is_leftover(name: &str) -> bool {
    let inner = name
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.rsplit_once('.'))
        .filter(|(_, end)| [&NEW[1..], &OLD[1..], UNMARKED].contains(end))
        .map(|(hex, _)| hex);
    inner.is_some_and(|hex| hex.len() == 16 && hex.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

/// An exclusive lock on a file that contains the id of the process.
#[derive(Debug)]
pub struct FileLock {
    _file: File,
}

impl FileLock {
    /// Acquires the lock; `Err(Ok(holder))` if another process has it. The system releases it when the process ends.
    ///
    /// # Errors
    /// The text in the file if the lock is held, otherwise an error of the system.
    #[expect(clippy::disallowed_methods, reason = "only `system` accesses files")]
    pub fn acquire(path: &Path) -> Result<Self, Result<String, io::Error>> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
            options.mode(0o600).custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
        }
        let mut file = options.open(path).map_err(Err)?;
        match locked(&file) {
            Ok(()) => {
                let written = file
                    .set_len(0)
                    .and_then(|()| file.write_all(std::process::id().to_string().as_bytes()));
                written.map_err(Err)?;
                Ok(Self { _file: file })
            }
            Err(fs::TryLockError::WouldBlock) => {
                let holder = files::read(path, 64).map(|loaded| loaded.bytes).unwrap_or_default();
                let holder = excerpt(String::from_utf8_lossy(&holder).trim(), 200);
                // It is not written yet, or cannot be read.
                Err(Ok(if holder.is_empty() { "unknown".to_owned() } else { holder }))
            }
            Err(fs::TryLockError::Error(error)) => Err(Err(error)),
        }
    }
}

/// Locks the file after waiting for children of a killed process to release it.
fn locked(file: &File) -> Result<(), fs::TryLockError> {
    let clock = Stopwatch::start();
    loop {
        match file.try_lock() {
            Err(fs::TryLockError::WouldBlock)
                if u128::from(clock.elapsed_ms()) < AFTERLIFE.as_millis() =>
            {
                std::thread::sleep(POLL);
            }
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // A killed update may have been about to start a child, which holds the lock for a moment longer.
    #[test]
    fn a_lock_that_is_let_go_in_a_moment_is_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let first = FileLock::acquire(&path).unwrap();
        let child = std::thread::spawn(move || {
            std::thread::sleep(AFTERLIFE / 5);
            drop(first);
        });
        let second = FileLock::acquire(&path).unwrap();
        child.join().unwrap();
        assert_eq!(FileLock::acquire(&path).unwrap_err().unwrap(), std::process::id().to_string());
        drop(second);
    }

    /// A directory with an old and a new program.
    fn programs() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let (target, staged) = (directory.path().join("aos.exe"), directory.path().join("new"));
        files::write_new(&target, b"old", files::Mode::Executable).unwrap();
        files::write_new(&staged, b"new", files::Mode::Executable).unwrap();
        (directory, target, staged)
    }

    /// Renames, but for the calls whose number is in `failing`.
    fn failing(numbers: &'static [usize]) -> impl FnMut(&Path, &Path) -> io::Result<()> {
        let mut call = 0;
        move |from, to| {
            call += 1;
            match numbers.contains(&call) {
                true => Err(io::ErrorKind::PermissionDenied.into()),
                false => files::rename(from, to),
            }
        }
    }

    fn content(path: &Path) -> Vec<u8> {
        files::read(path, 10).unwrap().bytes
    }

    #[test]
    fn the_old_program_is_set_aside_for_the_new_one() {
        let (_directory, target, staged) = programs();
        let backup = aside(&staged, &target, &mut failing(&[])).unwrap();
        assert_eq!((content(&target), content(&backup)), (b"new".to_vec(), b"old".to_vec()));
        assert!(is_leftover(backup.file_name().unwrap().to_str().unwrap()));
    }

    // Row S3: something holds the file; the old program is where it was.
    #[test]
    fn a_swap_that_fails_puts_the_old_program_back() {
        for numbers in [&[1][..], &[2]] {
            let (_directory, target, staged) = programs();
            let error = aside(&staged, &target, &mut failing(numbers)).unwrap_err();
            assert!(matches!(error, ReplaceError::Untouched(_)), "{error}");
            assert_eq!((content(&target), content(&staged)), (b"old".to_vec(), b"new".to_vec()));
        }
    }

    // Row S4: the error says where the old program is, and it is there.
    #[test]
    fn a_swap_that_cannot_be_undone_says_where_the_old_program_is() {
        let (_directory, target, staged) = programs();
        let error = aside(&staged, &target, &mut failing(&[2, 3])).unwrap_err();
        let ReplaceError::Displaced { backup, .. } = error else { panic!("{error}") };
        assert_eq!(content(&backup), b"old");
        assert_eq!(files::kind(&target).unwrap(), files::Kind::Absent);
    }

    // Row S3 on the system it is about: a virus scanner holds the program open for itself alone.
    #[cfg(windows)]
    #[test]
    fn a_program_that_is_in_use_is_not_replaced() {
        use std::os::windows::fs::OpenOptionsExt as _;
        let (_directory, target, staged) = programs();
        let held = OpenOptions::new().read(true).share_mode(0).open(&target).unwrap();
        assert!(matches!(swap(&staged, &target), Err(ReplaceError::Untouched(_))));
        drop(held);
        assert_eq!(content(&target), b"old");
    }
}
