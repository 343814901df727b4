//! A `.tar.gz` of a release: one directory of plain files, or nothing. Only what the caller wants is kept.
//!
//! The archive was signed as a whole; these rules keep a mistake of the publisher from becoming ours.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};

use flate2::read::MultiGzDecoder;

use crate::system::interrupt::Interrupted;

use super::answer::shown;

/// Most entries.
const MAX_ENTRIES: usize = 1000;
/// Most bytes of all entries together.
const MAX_UNPACKED: u64 = 512 * 1024 * 1024;
/// Most bytes after the last entry: padding of the writer.
const MAX_PADDING: u64 = 1024 * 1024;
/// Piece in which an entry is passed on, in bytes.
const PIECE: usize = 64 * 1024;

/// Why an archive is refused.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("it is damaged ({0})")]
    Damaged(String),
    #[error("`{path}` is not a place inside `{top}/`")]
    Place { path: String, top: String },
    #[error("`{path}` is a {kind}, not a file")]
    NotAFile { path: String, kind: &'static str },
    #[error("`{path}` stands in it twice")]
    Twice { path: String },
    #[error("it has more than {MAX_ENTRIES} entries")]
    TooMany,
    #[error("it unpacks to more than {MAX_UNPACKED} bytes")]
    TooLarge,
    #[error("it has no `{path}`")]
    Absent { path: String },
    #[error("`{path}` is larger than {limit} bytes")]
    FileTooLarge { path: String, limit: u64 },
    #[error("what it holds cannot be kept: {0}")]
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

/// Reads an archive to its very end, all of it below the directory `top`.
///
/// # Errors
/// At the first thing that a release of plain files does not have.
pub fn read(
    compressed: impl Read,
    top: &str,
    receiver: &mut dyn Receiver,
) -> Result<(), ArchiveError> {
    let mut archive = tar::Archive::new(MultiGzDecoder::new(compressed));
    let mut seen = BTreeSet::new();
    let mut unpacked = 0_u64;
    let mut piece = vec![0; PIECE];
    let entries = archive.entries().map_err(damaged)?;
    for (count, entry) in entries.enumerate() {
        let mut entry = entry.map_err(damaged)?;
        if count >= MAX_ENTRIES {
            return Err(ArchiveError::TooMany);
        }
        let path = place(&entry.path_bytes(), top)?;
        let size = entry.size();
        unpacked = unpacked.saturating_add(size);
        if unpacked > MAX_UNPACKED {
            return Err(ArchiveError::TooLarge);
        }
        let kind = entry.header().entry_type();
        if kind.is_dir() {
            continue;
        }
        if !kind.is_file() {
            return Err(ArchiveError::NotAFile { path, kind: name(kind) });
        }
        // Two names that differ in case are one file on some systems.
        if !seen.insert(path.to_lowercase()) {
            return Err(ArchiveError::Twice { path });
        }
        let wanted = receiver.wants(&path);
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
            let reason = format!("`{path}` ends after {read} of {size} bytes");
            return Err(ArchiveError::Damaged(reason));
        }
        if wanted && size == 0 {
            receiver.take(&path, &[])?;
        }
    }
    at_end(archive.into_inner())
}

/// After the last entry there is padding and the end, and the checksum of gzip was right.
fn at_end(rest: impl Read) -> Result<(), ArchiveError> {
    let mut padding = Vec::new();
    rest.take(MAX_PADDING + 1).read_to_end(&mut padding).map_err(damaged)?;
    if padding.len() as u64 > MAX_PADDING || padding.iter().any(|byte| *byte != 0) {
        return Err(ArchiveError::Damaged("there is more after its end".to_owned()));
    }
    Ok(())
}

fn damaged(error: io::Error) -> ArchiveError {
    if error.get_ref().is_some_and(|cause| cause.is::<Interrupted>()) {
        return ArchiveError::Interrupted;
    }
    ArchiveError::Damaged(shown(&error.to_string()))
}

/// The path of an entry below `top`; no way out, no other spelling of a place.
fn place(bytes: &[u8], top: &str) -> Result<String, ArchiveError> {
    let lossy = String::from_utf8_lossy(bytes);
    let refused = || ArchiveError::Place { path: shown(&lossy), top: top.to_owned() };
    let path = std::str::from_utf8(bytes).map_err(|_| refused())?;
    let path = path.strip_suffix('/').unwrap_or(path);
    if path == top {
        return Ok(String::new());
    }
    let inside =
        path.strip_prefix(top).and_then(|rest| rest.strip_prefix('/')).ok_or_else(refused)?;
    let plain = |part: &str| {
        !part.is_empty()
            && ![".", ".."].contains(&part)
            && !part.contains(|symbol: char| symbol.is_control() || ['\\', ':'].contains(&symbol))
    };
    if !inside.split('/').all(plain) {
        return Err(refused());
    }
    Ok(inside.to_owned())
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
