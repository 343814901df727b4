//! Where the Pythons of a run keep the bytecode of what they import: not beside the sources, and not made anew by each
//! call.

use std::path::{Path, PathBuf};

use crate::system::environment;
use crate::system::temporary::TemporaryDirectory;

/// The directory for bytecode. It is removed after the run.
#[derive(Debug)]
pub struct BytecodeDirectory {
    path: PathBuf,
    _owned: Option<TemporaryDirectory>,
}

impl BytecodeDirectory {
    /// Makes the directory. Without one the calls are only slower, so a fault is none of the run.
    #[must_use]
    pub fn new() -> Option<Self> {
        let shared = environment::read(environment::AOS_TEST_BYTECODE);
        if let Some(path) = shared.filter(|_| cfg!(debug_assertions)) {
            return Some(Self { path: PathBuf::from(path), _owned: None });
        }
        let owned = TemporaryDirectory::new().ok()?;
        Some(Self { path: owned.path().to_owned(), _owned: Some(owned) })
    }

    /// Returns its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}
