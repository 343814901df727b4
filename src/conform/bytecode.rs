//! Where the Pythons of a run keep the bytecode of what they import: not beside the sources, and not made anew by each
//! call.

use std::path::{Path, PathBuf};

use crate::system::environment;
use crate::system::temporary::TemporaryDirectory;

/// The directory for bytecode.
#[derive(Debug)]
pub enum BytecodeDirectory {
    /// Of this run alone, and removed after it.
    Own(TemporaryDirectory),
    /// Of several runs; tests of aos have one.
    Shared(PathBuf),
}

impl BytecodeDirectory {
    /// Makes the directory. Without one, the calls are only slower, so an error does not end the run.
    #[must_use]
    pub fn new() -> Option<Self> {
        let shared = environment::read(environment::AOS_TEST_BYTECODE);
        if let Some(path) = shared.filter(|_| cfg!(debug_assertions)) {
            return Some(Self::Shared(PathBuf::from(path)));
        }
        TemporaryDirectory::new().ok().map(Self::Own)
    }

    /// Returns its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Own(directory) => directory.path(),
            Self::Shared(path) => path,
        }
    }
}
