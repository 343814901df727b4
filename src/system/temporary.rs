//! A private directory for files that nobody trusts yet; gone when its owner is dropped.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::{environment, files, random};

/// Prefix of the directories; the rest is 16 hex digits.
const PREFIX: &str = "aos-";

/// A directory that only this user may enter.
#[derive(Debug)]
pub struct TemporaryDirectory {
    path: PathBuf,
}

impl TemporaryDirectory {
    /// Makes one below the directory for temporary files.
    ///
    /// # Errors
    /// As the system says; names the directory that cannot be written.
    pub fn new() -> Result<Self, (PathBuf, io::Error)> {
        let parent = environment::temporary_directory();
        let made = random::bytes::<8>().and_then(|name| {
            let name: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
            let path = parent.join(format!("{PREFIX}{name}"));
            create(&path).map(|()| Self { path })
        });
        made.map_err(|error| (parent, error))
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A new directory in it.
    ///
    /// # Errors
    /// As the system says.
    pub fn create_directory(&self, name: &str) -> io::Result<()> {
        create(&self.path.join(name))
    }

    /// Removes a directory in it, with everything below.
    ///
    /// # Errors
    /// As the system says.
    pub fn discard(&self, name: &str) -> io::Result<()> {
        files::remove_tree(&self.path.join(name))
    }

    /// A new file in it.
    ///
    /// # Errors
    /// As the system says.
    #[expect(clippy::disallowed_methods, reason = "`system` is the door to files")]
    pub fn create_file(&self, name: &str) -> io::Result<NewFile> {
        let file = OpenOptions::new().write(true).create_new(true).open(self.path.join(name))?;
        Ok(NewFile(file))
    }

    /// Creates a program in it.
    ///
    /// # Errors
    /// When the name is taken or the disk refuses.
    pub fn create_program(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        files::write_new(&self.path.join(name), bytes, files::Mode::Executable)
    }
}

/// Fails when anything exists at `path`: a planted link is not followed.
fn create(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(path)
}

/// Most files and most bytes of a copied tree.
const MAX_COPIED: usize = 5_000;
const MAX_COPIED_BYTES: u64 = 64 * 1024 * 1024;

/// Copies plain files and directories, without links and without what has one of the names in `without`.
///
/// # Errors
/// As the system says; `FileTooLarge` when the tree is larger than a program has a right to be.
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
        // What cannot be removed is private and never read again.
        let _ = files::remove_tree(&self.path);
    }
}

/// A file that is being written.
#[derive(Debug)]
pub struct NewFile(File);

impl NewFile {
    /// Appends `bytes`.
    ///
    /// # Errors
    /// As the system says.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }
}
