//! The secret of this machine, which authenticates confirm tokens and journals. Only its owner can read it.
//!
//! It is never printed and never leaves the state directory.

use std::io;
use std::path::{Path, PathBuf};

use super::files::{self, Kind, Mode};
use super::{environment, random};

/// Name of the file in the state directory.
const FILE: &str = "confirm.secret";
/// Largest secret file that is read, in bytes.
const MAX_SECRET: u64 = 4096;

/// Why there is no secret.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    #[error("there is no home directory in which to store the secret of this machine")]
    NoHome,
    #[error("other users can read `{}`, so it cannot be used as a secret", path.display())]
    Shared { path: PathBuf },
    #[error("cannot use `{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl SecretError {
    /// Wraps an I/O error with the path that was used.
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}

/// The secret, created on first use.
///
/// # Errors
/// If it cannot be created or read, or others can read it.
pub fn obtain() -> Result<Vec<u8>, SecretError> {
    let directory = state_directory()?;
    let path = directory.join(FILE);
    if files::kind(&path).map_err(SecretError::io(&path))? == Kind::Absent {
        files::create_private_directory(&directory).map_err(SecretError::io(&directory))?;
        create(&path).map_err(SecretError::io(&path))?;
    }
    read(&path)
}

/// The secret, if it exists.
///
/// # Errors
/// Returns an error if it cannot be read, or others can read it.
pub fn existing() -> Result<Option<Vec<u8>>, SecretError> {
    let path = state_directory()?.join(FILE);
    match files::kind(&path).map_err(SecretError::io(&path))? {
        Kind::Absent => Ok(None),
        _ => read(&path).map(Some),
    }
}

/// The directory of aos's own state.
///
/// # Errors
/// Returns an error if there is none.
pub fn state_directory() -> Result<PathBuf, SecretError> {
    environment::state_directory().ok_or(SecretError::NoHome)
}

fn read(path: &Path) -> Result<Vec<u8>, SecretError> {
    if !files::is_private(path).map_err(SecretError::io(path))? {
        return Err(SecretError::Shared { path: path.to_owned() });
    }
    files::read(path, MAX_SECRET).map(|loaded| loaded.bytes).map_err(SecretError::io(path))
}

/// Written completely before it gets its name, so that no other process reads a partial secret.
fn create(path: &Path) -> io::Result<()> {
    let unique: String = random::bytes::<8>()?.iter().map(|byte| format!("{byte:02x}")).collect();
    let draft = path.with_extension(unique);
    files::write_new(&draft, &random::bytes::<32>()?, Mode::Secret)?;
    match files::rename_new(&draft, path) {
        Ok(()) => Ok(()),
        Err(error) => {
            let _ = files::remove_file(&draft);
            // Another process created the secret first; use that one.
            if error.kind() == io::ErrorKind::AlreadyExists { Ok(()) } else { Err(error) }
        }
    }
}
