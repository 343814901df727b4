//! Changes below a directory through descriptors: no link below it is followed, regardless of what another process does
//! meanwhile.
//!
//! Each component of a path is opened in the one before it, so a check and the change that follows it are about the
//! same directory. Paths are relative and have no `..`. Systems without such calls use paths.

#[cfg(not(unix))]
use std::{io, path::Path};

/// A directory whose content is changed.
#[derive(Debug)]
pub struct BeneathRoot {
    #[cfg(unix)]
    handle: std::os::fd::OwnedFd,
    #[cfg(not(unix))]
    path: std::path::PathBuf,
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::io;
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
    use std::path::{Component, Path};

    use rustix::fs::{self, AtFlags, Mode, OFlags};

    use super::BeneathRoot;

    /// The directory of an entry; none when it is the root itself.
    type Parent = Option<OwnedFd>;

    impl BeneathRoot {
        /// Opens the directory; links on the way to it are followed.
        ///
        /// # Errors
        /// Returns an error if it is not a directory that can be opened.
        pub fn open(path: &Path) -> io::Result<Self> {
            let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
            Ok(Self { handle: fs::open(path, flags, Mode::empty())? })
        }

        fn parent<'a>(&self, path: &'a str) -> io::Result<(Parent, &'a OsStr)> {
            let mut names = Vec::new();
            for component in Path::new(path).components() {
                let Component::Normal(name) = component else {
                    return Err(io::ErrorKind::InvalidInput.into());
                };
                names.push(name);
            }
            let last = names.pop().ok_or(io::ErrorKind::InvalidInput)?;
            let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let mut open: Parent = None;
            for name in names {
                open = Some(fs::openat(self.at(&open), name, flags, Mode::empty())?);
            }
            Ok((open, last))
        }

        fn at<'a>(&'a self, parent: &'a Parent) -> BorrowedFd<'a> {
            parent.as_ref().map_or(self.handle.as_fd(), AsFd::as_fd)
        }

        /// Renames; replaces a file at `to`.
        ///
        /// # Errors
        /// Returns an error if a directory of either path is a link or missing, or the system reports an error.
        pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            let ((from, old), (to, new)) = (self.parent(from)?, self.parent(to)?);
            Ok(fs::renameat(self.at(&from), old, self.at(&to), new)?)
        }

        /// Renames only when nothing exists at `to`.
        ///
        /// # Errors
        /// `AlreadyExists` when something does, else as [`Self::rename`].
        pub fn rename_new(&self, from: &str, to: &str) -> io::Result<()> {
            let ((from, old), (to, new)) = (self.parent(from)?, self.parent(to)?);
            #[cfg(target_os = "linux")]
            {
                use rustix::fs::{RenameFlags, renameat_with};
                let flags = RenameFlags::NOREPLACE;
                match renameat_with(self.at(&from), old, self.at(&to), new, flags) {
                    // File systems without the flag (some network mounts) fall through to the portable way.
                    Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {}
                    result => return Ok(result?),
                }
            }
            match fs::statat(self.at(&to), new, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                Err(rustix::io::Errno::NOENT) => {
                    Ok(fs::renameat(self.at(&from), old, self.at(&to), new)?)
                }
                Err(error) => Err(error.into()),
            }
        }

        /// Creates a directory; its parent exists.
        ///
        /// # Errors
        /// As [`Self::rename_new`].
        pub fn create_directory(&self, path: &str) -> io::Result<()> {
            let (parent, name) = self.parent(path)?;
            Ok(fs::mkdirat(self.at(&parent), name, Mode::from_raw_mode(0o777))?)
        }

        /// Removes one file or link.
        ///
        /// # Errors
        /// As [`Self::rename`].
        pub fn remove_file(&self, path: &str) -> io::Result<()> {
            let (parent, name) = self.parent(path)?;
            Ok(fs::unlinkat(self.at(&parent), name, AtFlags::empty())?)
        }

        /// Removes one empty directory.
        ///
        /// # Errors
        /// As [`Self::rename`].
        pub fn remove_empty_directory(&self, path: &str) -> io::Result<()> {
            let (parent, name) = self.parent(path)?;
            Ok(fs::unlinkat(self.at(&parent), name, AtFlags::REMOVEDIR)?)
        }
    }
}

#[cfg(not(unix))]
impl BeneathRoot {
    /// Opens the directory.
    ///
    /// # Errors
    /// Never; the calls report what is wrong.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned() })
    }

    /// Renames; replaces a file at `to`.
    ///
    /// # Errors
    /// If the system reports an error.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        super::files::rename(&self.path.join(from), &self.path.join(to))
    }

    /// Renames only when nothing exists at `to`.
    ///
    /// # Errors
    /// `AlreadyExists` when something does.
    pub fn rename_new(&self, from: &str, to: &str) -> io::Result<()> {
        super::files::rename_new(&self.path.join(from), &self.path.join(to))
    }

    /// Creates a directory.
    ///
    /// # Errors
    /// If the system reports an error.
    pub fn create_directory(&self, path: &str) -> io::Result<()> {
        super::files::create_directory(&self.path.join(path))
    }

    /// Removes one file or link.
    ///
    /// # Errors
    /// If the system reports an error.
    pub fn remove_file(&self, path: &str) -> io::Result<()> {
        super::files::remove_file(&self.path.join(path))
    }

    /// Removes one empty directory.
    ///
    /// # Errors
    /// If the system reports an error.
    pub fn remove_empty_directory(&self, path: &str) -> io::Result<()> {
        super::files::remove_empty_directory(&self.path.join(path))
    }
}

#[cfg(all(test, unix))]
#[expect(clippy::disallowed_methods, reason = "only `system` accesses files")]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_link_in_place_of_a_directory_is_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let (root, outside) = (place.path().join("root"), place.path().join("outside"));
        for directory in [&root, &outside, &root.join("new"), &root.join("inside")] {
            std::fs::create_dir(directory).unwrap();
        }
        std::fs::write(root.join("new/0"), "new").unwrap();
        std::fs::write(outside.join("file"), "old").unwrap();
        let beneath = BeneathRoot::open(&root).unwrap();
        std::fs::remove_dir(root.join("inside")).unwrap();
        std::os::unix::fs::symlink(&outside, root.join("inside")).unwrap();
        assert!(beneath.rename("new/0", "inside/file").is_err());
        assert!(beneath.rename_new("new/0", "inside/other").is_err());
        assert!(beneath.create_directory("inside/made").is_err());
        assert!(beneath.remove_file("inside/file").is_err());
        assert!(beneath.rename("new/0", "../outside/file").is_err());
        assert_eq!(std::fs::read_to_string(outside.join("file")).unwrap(), "old");
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
        beneath.create_directory("made").unwrap();
        beneath.rename_new("new/0", "made/file").unwrap();
        let twice = beneath.rename_new("made/file", "made").unwrap_err();
        assert_eq!(twice.kind(), io::ErrorKind::AlreadyExists);
        beneath.remove_file("made/file").unwrap();
        beneath.remove_empty_directory("made").unwrap();
    }
}
