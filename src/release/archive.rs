//! A `.tar.gz` of a release: one directory of plain files. Only the files that the caller wants are kept.
//!
//! The archive is signed as a whole; these rules limit the damage of a publisher's mistake.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::{self, Read};

use flate2::read::MultiGzDecoder;

use crate::system::interrupt::Interrupted;

use super::answer::shown;

/// Largest number of bytes after the last entry, for padding.
const MAX_PADDING: u64 = 1024 * 1024;
/// Size of a chunk of an entry, in bytes.
const PIECE: usize = 64 * 1024;

/// Why an archive is refused.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("it is damaged ({0})")]
    Damaged(String),
    #[error("`{path}` is not a path inside `{top}/`")]
    Place { path: String, top: String },
    #[error("`{path}` is a {kind}, not a file")]
    NotAFile { path: String, kind: &'static str },
    #[error("it contains `{path}` twice")]
    Twice { path: String },
    #[error("it has more than {limit} entries")]
    TooMany { limit: usize },
    #[error("it unpacks to more than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("it has no `{path}`")]
    Absent { path: String },
    #[error("`{path}` is larger than {limit} bytes")]
    FileTooLarge { path: String, limit: u64 },
    #[error("its content cannot be written: {0}")]
    Sink(io::Error),
    #[error("interrupted")]
    Interrupted,
}

/// Receives the files of an archive.
pub trait Receiver {
    /// True if the caller wants the file at `path`, relative to the top directory.
    fn wants(&self, path: &str) -> bool;
    /// Receives the next chunk of a wanted file; an empty file has one empty chunk.
    ///
    /// # Errors
    /// If it cannot be stored.
    fn take(&mut self, path: &str, piece: &[u8]) -> Result<(), ArchiveError>;
}

/// The allowed layout and size of an archive.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    /// The top directory. Without it, any single directory is accepted, as in an archive that a host packs from a
    /// repository: its name is unknown, it may contain links, and only the wanted files must be plain.
    top: Option<&'a str>,
    max_entries: usize,
    /// Largest unpacked size, including headers and unwanted files.
    max_unpacked: u64,
}

impl<'a> Layout<'a> {
    /// A program and its documents, below the directory `top`.
    #[must_use]
    pub fn program(top: &'a str) -> Self {
        Self { top: Some(top), max_entries: 1000, max_unpacked: 512 * 1024 * 1024 }
    }

    /// Documents, below the directory `top`.
    #[must_use]
    pub fn documents(top: &'a str) -> Self {
        Self { top: Some(top), max_entries: 1000, max_unpacked: 64 * 1024 * 1024 }
    }

    /// An archive that a host packs from a repository.
    #[must_use]
    pub fn source() -> Layout<'static> {
        Layout { top: None, max_entries: 20_000, max_unpacked: 256 * 1024 * 1024 }
    }
}

/// Reads the whole archive of a program, with everything below the directory `top`.
///
/// # Errors
/// As [`read_as`].
pub fn read(
    compressed: impl Read,
    top: &str,
    receiver: &mut dyn Receiver,
) -> Result<(), ArchiveError> {
    read_as(compressed, Layout::program(top), receiver)
}

/// Reads a whole archive.
///
/// # Errors
/// At the first entry that the layout does not allow.
pub fn read_as(
    compressed: impl Read,
    layout: Layout<'_>,
    receiver: &mut dyn Receiver,
) -> Result<(), ArchiveError> {
    let bounded = Bounded { inner: MultiGzDecoder::new(compressed), left: layout.max_unpacked };
    let damaged = |error: io::Error| damaged(&error, layout.max_unpacked);
    let mut archive = tar::Archive::new(bounded);
    let mut top = layout.top.map(str::to_owned);
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut directories: BTreeSet<String> = BTreeSet::new();
    let mut declared = 0_u64;
    let mut piece = vec![0; PIECE];
    let entries = archive.entries().map_err(damaged)?;
    for (count, entry) in entries.enumerate() {
        let mut entry = entry.map_err(damaged)?;
        if count >= layout.max_entries {
            return Err(ArchiveError::TooMany { limit: layout.max_entries });
        }
        let size = entry.size();
        declared = declared.saturating_add(size);
        if declared > layout.max_unpacked {
            return Err(ArchiveError::TooLarge { limit: layout.max_unpacked });
        }
        let kind = entry.header().entry_type();
        if layout.top.is_none() && kind.is_pax_global_extensions() {
            // A comment with the commit that the host packed.
            continue;
        }
        let bytes = entry.path_bytes();
        let top = top.get_or_insert_with(|| first_part(&bytes));
        let path = place(&bytes, top)?;
        drop(bytes);
        if kind.is_dir() {
            // Of a file and a directory with one name, an unpacker keeps the last.
            let name = path.trim_end_matches('/').to_lowercase();
            if seen.contains(&name) {
                return Err(ArchiveError::Twice { path });
            }
            directories.insert(name);
            continue;
        }
        let wanted = receiver.wants(&path);
        if layout.top.is_none() && !wanted {
            continue;
        }
        if !kind.is_file() {
            return Err(ArchiveError::NotAFile { path, kind: name(kind) });
        }
        // Two names that differ only in case are the same file on some systems.
        let name = path.to_lowercase();
        let above = || name.match_indices('/').map(|(at, _)| &name[..at]);
        if directories.contains(&name) || above().any(|above| seen.contains(above)) {
            return Err(ArchiveError::Twice { path });
        }
        directories.extend(above().map(str::to_owned));
        if !seen.insert(name) {
            return Err(ArchiveError::Twice { path });
        }
        let mut read = 0_u64;
        loop {
            let length = entry.read(&mut piece).map_err(damaged)?;
            if length == 0 {
                break;
            }
            read += length as u64;
            if wanted {
                receiver.take(&path, &piece[..length])?;
            }
        }
        if read != size {
            let reason = format!("`{path}` is truncated after {read} of {size} bytes");
            return Err(ArchiveError::Damaged(reason));
        }
        if wanted && size == 0 {
            receiver.take(&path, &[])?;
        }
    }
    at_end(archive.into_inner(), damaged)
}

/// Headers and unwanted files count too, because the tar reader keeps long names in memory.
struct Bounded<R> {
    inner: R,
    left: u64,
}

/// The archive is larger than the layout allows.
#[derive(Debug, thiserror::Error)]
#[error("too much")]
struct TooMuch;

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.left =
            self.left.checked_sub(length as u64).ok_or_else(|| io::Error::other(TooMuch))?;
        Ok(length)
    }
}

/// Checks that only padding follows the last entry, and that the gzip checksum is right.
fn at_end(
    rest: impl Read,
    damaged: impl Fn(io::Error) -> ArchiveError,
) -> Result<(), ArchiveError> {
    let mut padding = Vec::new();
    rest.take(MAX_PADDING + 1).read_to_end(&mut padding).map_err(damaged)?;
    if padding.len() as u64 > MAX_PADDING || padding.iter().any(|byte| *byte != 0) {
        return Err(ArchiveError::Damaged("there is data after its end".to_owned()));
    }
    Ok(())
}

fn damaged(error: &io::Error, limit: u64) -> ArchiveError {
    if is_caused_by::<Interrupted>(error) {
        return ArchiveError::Interrupted;
    }
    if is_caused_by::<TooMuch>(error) {
        return ArchiveError::TooLarge { limit };
    }
    ArchiveError::Damaged(shown(&error.to_string()))
}

/// True if the chain of sources contains an error of type `T`; the tar reader wraps errors of its source.
fn is_caused_by<T: Error + 'static>(error: &io::Error) -> bool {
    let mut current: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = current {
        if error.is::<T>() {
            return true;
        }
        // `source` of an I/O error skips the inner error.
        let inside = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        current = match inside {
            Some(inside) => Some(inside),
            None => error.source(),
        };
    }
    false
}

/// The top directory of the first entry.
fn first_part(bytes: &[u8]) -> String {
    let first = bytes.split(|byte| *byte == b'/').next().unwrap_or_default();
    String::from_utf8_lossy(first).into_owned()
}

/// The path of an entry below `top`, in canonical form and without `..`.
fn place(bytes: &[u8], top: &str) -> Result<String, ArchiveError> {
    let lossy = String::from_utf8_lossy(bytes);
    let refused = || ArchiveError::Place { path: shown(&lossy), top: shown(top) };
    let path = std::str::from_utf8(bytes).map_err(|_| refused())?;
    let path = path.strip_suffix('/').unwrap_or(path);
    if !is_plain(top) {
        return Err(refused());
    }
    if path == top {
        return Ok(String::new());
    }
    let inside =
        path.strip_prefix(top).and_then(|rest| rest.strip_prefix('/')).ok_or_else(refused)?;
    if !inside.split('/').all(is_plain) {
        return Err(refused());
    }
    Ok(inside.to_owned())
}

fn is_plain(part: &str) -> bool {
    !part.is_empty()
        && ![".", ".."].contains(&part)
        && !part.contains(|symbol: char| symbol.is_control() || ['\\', ':'].contains(&symbol))
}

fn name(kind: tar::EntryType) -> &'static str {
    match kind {
        tar::EntryType::Symlink => "symbolic link",
        tar::EntryType::Link => "hard link",
        tar::EntryType::Char | tar::EntryType::Block => "device",
        tar::EntryType::Fifo => "pipe",
        _ => "special entry",
    }
}

/// Collects all files below one directory in memory.
#[derive(Debug)]
pub struct KeptFile {
    prefix: &'static str,
    limit: u64,
    length: u64,
    pub files: BTreeMap<String, Vec<u8>>,
}

impl KeptFile {
    /// Files whose path starts with `prefix`, together at most `limit` bytes.
    #[must_use]
    pub fn below(prefix: &'static str, limit: u64) -> Self {
        Self { prefix, limit, length: 0, files: BTreeMap::new() }
    }
}

impl Receiver for KeptFile {
    fn wants(&self, path: &str) -> bool {
        path.starts_with(self.prefix)
    }

    fn take(&mut self, path: &str, piece: &[u8]) -> Result<(), ArchiveError> {
        self.length += piece.len() as u64;
        if self.length > self.limit {
            return Err(ArchiveError::FileTooLarge { path: path.to_owned(), limit: self.limit });
        }
        self.files.entry(path.to_owned()).or_default().extend_from_slice(piece);
        Ok(())
    }
}

/// Collects the named files, each of bounded size.
#[derive(Debug)]
pub struct ChosenFiles {
    names: BTreeSet<String>,
    /// Largest size of one file.
    limit: u64,
    pub files: BTreeMap<String, Vec<u8>>,
}

impl ChosenFiles {
    /// The files called `names`, relative to the top directory, each at most `limit` bytes.
    #[must_use]
    pub fn named(names: BTreeSet<String>, limit: u64) -> Self {
        Self { names, limit, files: BTreeMap::new() }
    }
}

impl Receiver for ChosenFiles {
    fn wants(&self, path: &str) -> bool {
        self.names.contains(path)
    }

    fn take(&mut self, path: &str, piece: &[u8]) -> Result<(), ArchiveError> {
        let file = self.files.entry(path.to_owned()).or_default();
        if (file.len() + piece.len()) as u64 > self.limit {
            return Err(ArchiveError::FileTooLarge { path: path.to_owned(), limit: self.limit });
        }
        file.extend_from_slice(piece);
        Ok(())
    }
}
