//! A private directory for untrusted files, removed when its owner is dropped.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::directory_lock::DirectoryLock;
use super::{environment, files, random};

/// Prefix of the directories, before 16 hex digits. The owner of such a directory keeps it locked while it runs.
const PREFIX: &str = "aos-run-";
/// Number of attempts with another name.
const ATTEMPTS: usize = 8;
/// Largest number of directories that one cleanup removes.
#[cfg(unix)]
const MAX_SWEPT: usize = 1_000;

/// A directory that only this user can enter.
#[derive(Debug)]
pub struct TemporaryDirectory {
    path: PathBuf,
    /// The lock of the running owner; absent where directories cannot be locked.
    _lock: Option<DirectoryLock>,
}

impl TemporaryDirectory {
    /// Creates one in the directory for temporary files.
    ///
    /// # Errors
    /// If the directory is not writable; the error names it.
    pub fn new() -> Result<Self, (PathBuf, io::Error)> {
        let parent = environment::temporary_directory();
        made(&parent).map_err(|error| (parent, error))
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A new directory in it.
    ///
    /// # Errors
    /// If the system reports an error.
    pub fn create_directory(&self, name: &str) -> io::Result<()> {
        create(&self.path.join(name))
    }

    /// Removes a directory in it, with everything below.
    ///
    /// # Errors
    /// If the system reports an error.
    pub fn discard(&self, name: &str) -> io::Result<()> {
        files::remove_tree(&self.path.join(name))
    }

    /// A new file in it.
    ///
    /// # Errors
    /// If the system reports an error.
    #[expect(clippy::disallowed_methods, reason = "only `system` accesses files")]
    pub fn create_file(&self, name: &str) -> io::Result<NewFile> {
        let file = OpenOptions::new().write(true).create_new(true).open(self.path.join(name))?;
        Ok(NewFile(file))
    }

    /// Creates a program in it.
    ///
    /// # Errors
    /// If the name is in use, or the file cannot be written.
    pub fn create_program(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        files::write_new(&self.path.join(name), bytes, files::Mode::Executable)
    }
}

/// Creates a directory and locks it. A cleanup of another process can remove it before it is locked; then another one
/// is created.
fn made(parent: &Path) -> io::Result<TemporaryDirectory> {
    for _ in 0..ATTEMPTS {
        let name: String = random::bytes::<8>()?.iter().map(|byte| format!("{byte:02x}")).collect();
        let path = parent.join(format!("{PREFIX}{name}"));
        create(&path)?;
        match DirectoryLock::acquire(&path) {
            Ok(Some(lock)) if files::kind(&path)? == files::Kind::Directory => {
                return Ok(TemporaryDirectory { path, _lock: Some(lock) });
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) => return Ok(TemporaryDirectory { path, _lock: None }),
        }
    }
    Err(io::Error::other("other processes delete every new directory"))
}

/// Removes the directories of killed owners: unlocked real directories of this user with such a name.
pub fn sweep() {
    #[cfg(unix)]
    {
        let parent = environment::temporary_directory();
        let names = files::names(&parent).unwrap_or_default();
        let own = names.iter().filter(|name| name.to_str().is_some_and(is_name));
        for path in own.map(|name| parent.join(name)).filter(|path| is_own(path)).take(MAX_SWEPT) {
            // A running owner has the lock; a starting one tries another name.
            if let Ok(Some(_lock)) = DirectoryLock::acquire(&path) {
                remove(&path);
            }
        }
    }
}

/// True if this user may have created a directory.
#[cfg(unix)]
fn is_name(name: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(|rest| {
        rest.len() == 16 && rest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "only `system` accesses files")]
fn is_own(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::symlink_metadata(path).is_ok_and(|metadata| {
        metadata.is_dir() && metadata.uid() == rustix::process::geteuid().as_raw()
    })
}

/// Removes a tree of this user, even if a program removed its own permissions. What cannot be removed is private and is
/// never read again.
fn remove(path: &Path) {
    if files::remove_tree(path).is_ok() {
        return;
    }
    open_directories(path);
    let _ = files::remove_tree(path);
}

/// Gives the owner all permissions for the directories of a tree, without following links.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "only `system` accesses files")]
fn open_directories(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let mut waiting = vec![path.to_owned()];
    let mut left = MAX_COPIED;
    while let Some(directory) = waiting.pop() {
        if left == 0 || !is_own(&directory) {
            continue;
        }
        left -= 1;
        let _ = std::fs::set_permissions(&directory, std::fs::Permissions::from_mode(0o700));
        let names = files::names(&directory).unwrap_or_default();
        let below = names.into_iter().map(|name| directory.join(name));
        waiting.extend(
            below.filter(|path| files::kind(path).is_ok_and(|kind| kind == files::Kind::Directory)),
        );
    }
}

#[cfg(not(unix))]
fn open_directories(_path: &Path) {}

/// Fails if `path` exists, so that a planted link is not followed.
fn create(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(path)
}

/// Largest number of files and bytes of a copied tree.
const MAX_COPIED: usize = 5_000;
const MAX_COPIED_BYTES: u64 = 64 * 1024 * 1024;

/// Copies plain files and directories, without links and without the names in `without`.
///
/// # Errors
/// If the system reports an error; `FileTooLarge` if the tree exceeds the limit.
pub fn copy_tree(from: &Path, to: &Path, without: &[&str]) -> io::Result<()> {
    let mut left = (MAX_COPIED, MAX_COPIED_BYTES);
    let mut waiting = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = waiting.pop() {
        create(&to)?;
        for name in files::names(&from)? {
            if without.iter().any(|other| name == *other) {
                continue;
            }
            let (source, target) = (from.join(&name), to.join(&name));
            match files::kind(&source)? {
                files::Kind::Directory => waiting.push((source, target)),
                files::Kind::File { length, executable, .. } => {
                    let (count, bytes) = left;
                    left = (count.saturating_sub(1), bytes.saturating_sub(length));
                    if left.0 == 0 || left.1 == 0 {
                        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
                    }
                    let mode =
                        if executable { files::Mode::Executable } else { files::Mode::Plain };
                    let loaded = files::read(&source, MAX_COPIED_BYTES)?;
                    files::write_new(&target, &loaded.bytes, mode)?;
                }
                files::Kind::Absent | files::Kind::Symlink | files::Kind::Other => {}
            }
        }
    }
    Ok(())
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// A file that is being written.
#[derive(Debug)]
pub struct NewFile(File);

impl NewFile {
    /// Appends `bytes`.
    ///
    /// # Errors
    /// If the system reports an error.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }
}

#[cfg(test)]
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "a test makes files")]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_of_ours_only_when_it_is_whole() {
        assert!(is_name("aos-run-0123456789abcdef"));
        for other in ["aos-run-", "aos-run-0123456789ABCDEF", "aos-run-0123456789abcdef0", "aos-x"]
        {
            assert!(!is_name(other), "{other}");
        }
    }

    #[test]
    fn a_directory_is_locked_while_its_owner_lives_and_goes_with_all_it_holds() {
        let directory = TemporaryDirectory::new().unwrap();
        let path = directory.path().to_owned();
        assert!(DirectoryLock::acquire(&path).unwrap().is_none());
        directory.create_directory("closed").unwrap();
        std::fs::write(path.join("closed/file"), "x").unwrap();
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(path.join("closed"), std::fs::Permissions::from_mode(0o000))
            .unwrap();
        drop(directory);
        assert_eq!(files::kind(&path).unwrap(), files::Kind::Absent);
    }
}
