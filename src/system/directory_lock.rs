//! An advisory lock on a directory: one writer at a time, released by the system when the process ends.

use std::fs::File;
use std::path::Path;

/// Holds the lock until dropped.
#[derive(Debug)]
pub struct DirectoryLock {
    _handle: File,
}

impl DirectoryLock {
    /// Takes the lock of `directory`; `None` when another process holds it.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be opened.
    #[expect(clippy::disallowed_methods, reason = "only `system` accesses files")]
    pub fn acquire(directory: &Path) -> std::io::Result<Option<Self>> {
        let handle = File::open(directory)?;
        match handle.try_lock() {
            Ok(()) => Ok(Some(Self { _handle: handle })),
            Err(std::fs::TryLockError::WouldBlock) => Ok(None),
            Err(std::fs::TryLockError::Error(error)) => Err(error),
        }
    }
}
