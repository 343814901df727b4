//! Files and directories: bounded reads, exclusive writes, renames that never overwrite by accident.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// The kind of file at a path, without following a final symbolic link.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    Absent,
    File { executable: bool, length: u64, links: u64 },
    Directory,
    Symlink,
    Other,
}

/// Looks at `path` itself.
///
/// # Errors
/// Returns an error if a directory above it may not be searched.
#[expect(clippy::disallowed_methods, reason = "only this module accesses files")]
pub fn kind(path: &Path) -> io::Result<Kind> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if is_absent(&error) => return Ok(Kind::Absent),
        Err(error) => return Err(error),
    };
    let file_type = metadata.file_type();
    Ok(if file_type.is_symlink() {
        Kind::Symlink
    } else if file_type.is_dir() {
        Kind::Directory
    } else if file_type.is_file() {
        Kind::File {
            executable: is_executable(&metadata),
            length: metadata.len(),
            links: link_count(&metadata),
        }
    } else {
        Kind::Other
    })
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(unix)]
fn is_executable(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_metadata: &fs::Metadata) -> bool {
    false
}

#[cfg(unix)]
fn link_count(metadata: &fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    metadata.nlink()
}

#[cfg(not(unix))]
fn link_count(_metadata: &fs::Metadata) -> u64 {
    1
}

/// A regular file, read whole, with its execute bit.
#[derive(Debug)]
pub struct Loaded {
    pub bytes: Vec<u8>,
    pub executable: bool,
    /// Whether it has its setuid, setgid or sticky bit.
    pub special: bool,
}

/// Reads a regular file of at most `limit` bytes. Never follows a final link, never blocks on a pipe.
///
/// # Errors
/// `InvalidData` when it is not a regular file, `FileTooLarge` above the limit.
pub fn read(path: &Path, limit: u64) -> io::Result<Loaded> {
    let (mut file, metadata) = opened(path)?;
    let too_large =
        || io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {limit} bytes"));
    if metadata.len() > limit {
        return Err(too_large());
    }
    let bytes = read_whole(&mut file, metadata.len(), limit)?.ok_or_else(too_large)?;
    Ok(Loaded { bytes, executable: is_executable(&metadata), special: is_special(&metadata) })
}

/// A regular file, open for reading.
#[expect(clippy::disallowed_methods, reason = "only this module accesses files")]
fn opened(path: &Path) -> io::Result<(File, fs::Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    }
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is not a regular file"));
    }
    Ok((file, metadata))
}

/// The content of a file that had `length` bytes a moment ago; `None` when it has grown beyond `limit`.
fn read_whole(file: &mut File, length: u64, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
    match file.read_exact(&mut bytes) {
        // One call for the usual case: a file that keeps its size while it is read.
        Ok(()) if !bytes.is_empty() => return Ok(Some(bytes)),
        // An empty file, or a virtual file whose size is unknown.
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {}
        Err(error) => return Err(error),
    }
    file.rewind()?;
    bytes.clear();
    file.take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// Like [`read`], but follows links: for files that a person names on the command line.
///
/// # Errors
/// As [`read`].
#[expect(clippy::disallowed_methods, reason = "only this module accesses files")]
pub fn read_named(path: &Path, limit: u64) -> io::Result<Loaded> {
    read(&fs::canonicalize(path)?, limit)
}

/// A regular file of any size, for one pass from its start to its end; a signal ends the pass.
#[derive(Debug)]
pub struct Stream {
    file: File,
    /// Bytes at the time of opening.
    pub length: u64,
}

/// Opens a file that a person names on the command line; follows links, never blocks on a pipe.
///
/// # Errors
/// `InvalidData` when it is not a regular file.
#[expect(clippy::disallowed_methods, reason = "only this module accesses files")]
pub fn open_named(path: &Path) -> io::Result<Stream> {
    let (file, metadata) = opened(&fs::canonicalize(path)?)?;
    Ok(Stream { file, length: metadata.len() })
}

impl io::Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Not `ErrorKind::Interrupted`, after which readers retry.
        super::interrupt::check().map_err(io::Error::other)?;
        self.file.read(buffer)
    }
}

/// Writes a new file, failing when anything exists at `path`.
///
/// # Errors
/// `AlreadyExists`, or any write error; a partial file is removed again.
#[expect(clippy::disallowed_methods, reason = "only this module accesses files")]
pub fn write_new(path: &Path, bytes: &[u8], mode: Mode) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(mode.bits());
    }
    #[cfg(not(unix))]
    let _ = mode;
    let mut file = options.open(path)?;
    if let Err(error) = file.write_all(bytes) {
        let _ = fs::remove_file(path);
        return Err(error);
    }
    Ok(())
}

/// Permission of a new file; the umask still applies.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Mode {
    Plain,
    Executable,
    /// Readable by the owner alone.
    Secret,
}

impl Mode {
    #[cfg(unix)]
    pub fn bits(self) -> u32 {
        match self {
            Self::Plain => 0o666,
            Self::Executable => 0o777,
            Self::Secret => 0o600,
        }
    }
}

/// Whether only the owner may read the file; always true where the system has no such bits.
///
/// # Errors
/// Returns an error if the file cannot be looked at.
#[expect(clippy::disallowed_methods, reason = "only this module accesses files")]
pub fn is_private(path: &Path) -> io::Result<bool> {
    let metadata = fs::symlink_metadata(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        Ok(metadata.permissions().mode() & 0o077 == 0)
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        Ok(true)
    }
}

/// The values that distinguish one state of a file from another.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Stamp {
    length: u64,
    modified: std::time::SystemTime,
}

/// The state of a file, without reading it.
///
/// # Errors
/// Returns an error if the file cannot be looked at.
#[expect(clippy::disallowed_methods, reason = "only this module accesses files")]
pub fn stamp(path: &Path) -> io::Result<Stamp> {
    let metadata = fs::symlink_metadata(path)?;
    Ok(Stamp { length: metadata.len(), modified: metadata.modified()? })
}

/// Whether a file has its setuid, setgid or sticky bit; never where the system has no such bits.
///
/// # Errors
/// Returns an error if the file cannot be looked at.
#[expect(clippy::disallowed_methods, reason = "only this module accesses files")]
pub fn has_special_mode(path: &Path) -> io::Result<bool> {
    Ok(is_special(&fs::symlink_metadata(path)?))
}

#[cfg(unix)]
fn is_special(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.is_file() && metadata.permissions().mode() & 0o7000 != 0
}

#[cfg(not(unix))]
fn is_special(_metadata: &fs::Metadata) -> bool {
    false
}

/// Creates one directory; its parent must exist.
///
/// # Errors
/// `AlreadyExists`, or as the system says.
#[expect(clippy::disallowed_methods, reason = "only this module accesses files")]
pub fn create_directory(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}

/// Creates a directory that only the owner may enter, and the directories above it.
///
/// # Errors
/// As the system says; an existing directory is fine.
pub fn create_private_directory(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(path)
}

/// Gives a file or directory the execute bit of `like`, keeping its other bits.
///
/// # Errors
/// If the system reports an error.
#[expect(clippy::disallowed_methods, reason = "only this module accesses files")]
pub fn set_executable(path: &Path, executable: bool) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::symlink_metadata(path)?.permissions().mode();
        // Execute where it can be read, so that the umask's decision stays.
        let wanted = if executable { mode | (mode & 0o444) >> 2 } else { mode & !0o111 };
        fs::set_permissions(path, fs::Permissions::from_mode(wanted))
    }
    #[cfg(not(unix))]
    {
        let _ = (path, executable);
        Ok(())
    }
}

/// Copies the permission bits of `from` to `to`.
///
/// # Errors
/// If the system reports an error.
#[expect(clippy::disallowed_methods, reason = "only this module accesses files")]
pub fn copy_permissions(from: &Path, to: &Path) -> io::Result<()> {
    let mut permissions = fs::symlink_metadata(from)?.permissions();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        permissions.set_mode(permissions.mode() & 0o777);
    }
    fs::set_permissions(to, permissions)
}

/// Renames within one file system; replaces a file at `to`.
///
/// # Errors
/// If the system reports an error.
#[expect(clippy::disallowed_methods, reason = "only this module accesses files")]
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

/// Renames only when nothing exists at `to`.
///
/// # Errors
/// `AlreadyExists` when something does.
pub fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            // File systems without the flag (some network mounts) fall through to the portable way.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {}
            result => return result.map_err(io::Error::from),
        }
    }
    if kind(to)? != Kind::Absent {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    rename(from, to)
}

/// Removes one file or link.
///
/// # Errors
/// If the system reports an error.
#[expect(clippy::disallowed_methods, reason = "only this module accesses files")]
pub fn remove_file(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// Removes one empty directory.
///
/// # Errors
/// If the system reports an error.
#[expect(clippy::disallowed_methods, reason = "only this module accesses files")]
pub fn remove_empty_directory(path: &Path) -> io::Result<()> {
    fs::remove_dir(path)
}

/// Removes a directory with its content, never following links.
///
/// # Errors
/// If the system reports an error.
#[expect(clippy::disallowed_methods, reason = "only this module accesses files")]
pub fn remove_tree(path: &Path) -> io::Result<()> {
    fs::remove_dir_all(path)
}

/// Names in a directory, sorted.
///
/// # Errors
/// Returns an error if it is not a readable directory.
#[expect(clippy::disallowed_methods, reason = "only this module accesses files")]
pub fn names(directory: &Path) -> io::Result<Vec<std::ffi::OsString>> {
    let mut names: Vec<_> = fs::read_dir(directory)?
        .map(|entry| entry.map(|entry| entry.file_name()))
        .collect::<io::Result<_>>()?;
    names.sort();
    Ok(names)
}

/// The real path of `path`, with links resolved.
///
/// # Errors
/// Returns an error if it does not exist.
#[expect(clippy::disallowed_methods, reason = "only this module accesses files")]
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// Makes the content of a file, or the entries of a directory, durable.
///
/// # Errors
/// If the system reports an error.
#[expect(clippy::disallowed_methods, reason = "only this module accesses files")]
pub fn sync(path: &Path) -> io::Result<()> {
    if cfg!(windows) && path.is_dir() {
        return Ok(());
    }
    File::open(path)?.sync_all()
}

/// Whether the owner may not write the file.
///
/// # Errors
/// Returns an error if it cannot be looked at.
#[expect(clippy::disallowed_methods, reason = "only this module accesses files")]
pub fn is_read_only(path: &Path) -> io::Result<bool> {
    let permissions = fs::symlink_metadata(path)?.permissions();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        Ok(permissions.mode() & 0o200 == 0)
    }
    #[cfg(not(unix))]
    Ok(permissions.readonly())
}

/// Whether the attributes of the file allow a rename to replace it: an immutable file cannot be replaced.
///
/// # Errors
/// As the system says when it may not.
#[expect(clippy::disallowed_methods, reason = "only this module accesses files")]
pub fn is_replaceable(path: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        // Opening for writing is what an immutable file refuses to everybody, also to root. A running program answers
        // "busy", and a mode without the write bit is not an obstacle to a rename.
        match OpenOptions::new().write(true).open(path) {
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::PERM.raw_os_error()) => {
                return Err(error);
            }
            Err(error) if error.kind() == io::ErrorKind::ReadOnlyFilesystem => return Err(error),
            _ => {}
        }
    }
    fs::metadata(path).map(|_| ())
}
