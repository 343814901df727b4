//! A `.tar.gz` of a release: one directory of plain files, or nothing. Only what the caller wants is kept.
//!
//! The archive was signed as a whole; these rules keep a mistake of the publisher from becoming ours.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::{self, Read};

use flate2::read::MultiGzDecoder;

use crate::system::interrupt::Interrupted;

use super::answer::shown;

/// Most bytes after the last entry: padding of the writer.
const MAX_PADDING: u64 = 1024 * 1024;
/// Piece in which an entry is passed on, in bytes.
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

/// What a caller does with the files of an archive.
pub trait Receiver {
    /// Whether the file at `path`, relative to the top directory, is wanted.
    fn wants(&self, path: &str) -> bool;
    /// Takes the next piece of a wanted file; an empty file gets one empty piece.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn take(&mut self, path: &str, piece: &[u8]) -> Result<(), ArchiveError>;
}

/// What an archive may look like, and how much of it there may be.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    /// The directory that holds everything; without, any one directory does, as in what a host packs from a
    /// repository: that has a name nobody can know, may hold links, and only what is wanted of it must be plain.
    top: Option<&'a str>,
    max_entries: usize,
    /// Most bytes that it unpacks to, everything counted.
    max_unpacked: u64,
}

impl<'a> Layout<'a> {
    /// A program and what belongs to it, below the directory `top`.
    #[must_use]
    pub fn program(top: &'a str) -> Self {
        Self { top: Some(top), max_entries: 1000, max_unpacked: 512 * 1024 * 1024 }
    }

    /// Documents, below the directory `top`.
    #[must_use]
    pub fn documents(top: &'a str) -> Self {
        Self { top: Some(top), max_entries: 1000, max_unpacked: 64 * 1024 * 1024 }
    }

    /// What a host packs from a repository.
    #[must_use]
    pub fn source() -> Layout<'static> {
        Layout { top: None, max_entries: 20_000, max_unpacked: 256 * 1024 * 1024 }
    }
}

/// Reads the archive of a program to its very end, all of it below the directory `top`.
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

/// Reads an archive to its very end.
///
/// # Errors
/// At the first thing that its layout does not have.
pub fn read_as(
    compressed: impl Read,
    layout: Layout<'_>,
    receiver: &mut dyn Receiver,
) -> Result<(), ArchiveError> {
    let bounded = Bounded { inner: MultiGzDecoder::new(compressed), left: layout.max_unpacked };
    let damaged = |error: io::Error| damaged(&error, layout.max_unpacked);
    let mut archive = tar::Archive::new(bounded);
    let mut top = layout.top.map(str::to_owned);
    let mut seen = BTreeSet::new();
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
            // The commit that the host packed, as a comment.
            continue;
        }
        let bytes = entry.path_bytes();
        let top = top.get_or_insert_with(|| first_part(&bytes));
        let path = place(&bytes, top)?;
        drop(bytes);
        if kind.is_dir() {
            continue;
        }
        let wanted = receiver.wants(&path);
        if layout.top.is_none() && !wanted {
            continue;
        }
        if !kind.is_file() {
            return Err(ArchiveError::NotAFile { path, kind: name(kind) });
        }
        // Two names that differ in case are one file on some systems.
        if !seen.insert(path.to_lowercase()) {
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

/// Everything that was unpacked counts, headers and what nobody wants too: a reader of tar keeps long names in memory.
struct Bounded<R> {
    inner: R,
    left: u64,
}

/// There is more than the layout allows.
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

/// After the last entry there is padding and the end, and the checksum of gzip was right.
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

/// Whether an error of type `T` is anywhere below: the reader of tar wraps the errors of its source.
fn is_caused_by<T: Error + 'static>(error: &io::Error) -> bool {
    let mut current: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = current {
        if error.is::<T>() {
            return true;
        }
        // An I/O error hides what is inside of it from `source`.
        let inside = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        current = match inside {
            Some(inside) => Some(inside),
            None => error.source(),
        };
    }
    false
}

/// The directory that the first entry is in, or is.
fn first_part(bytes: &[u8]) -> String {
    let first = bytes.split(|byte| *byte == b'/').next().unwrap_or_default();
    String::from_utf8_lossy(first).into_owned()
}

/// The path of an entry below `top`; no way out, no other spelling of a place.
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

/// Keeps all files below one directory in memory.
#[derive(Debug)]
pub struct Kept {
    prefix: &'static str,
    limit: u64,
    length: u64,
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Kept {
    /// Files whose path starts with `prefix`, together at most `limit` bytes.
    #[must_use]
    pub fn below(prefix: &'static str, limit: u64) -> Self {
        Self { prefix, limit, length: 0, files: BTreeMap::new() }
    }
}

impl Receiver for Kept {
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

/// Keeps the files that a caller names, each of bounded size.
#[derive(Debug)]
pub struct Chosen {
    names: BTreeSet<String>,
    /// Most bytes of one file.
    limit: u64,
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Chosen {
    /// The files called `names`, relative to the top directory, each at most `limit` bytes.
    #[must_use]
    pub fn named(names: BTreeSet<String>, limit: u64) -> Self {
        Self { names, limit, files: BTreeMap::new() }
    }
}

impl Receiver for Chosen {
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
