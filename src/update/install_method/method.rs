//! The ways to install aos.

use std::path::{Path, PathBuf};

use crate::system::files::{self, Kind};

/// Who owns the program.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum InstallMethod {
    /// Nobody else: aos replaces the file itself.
    Standalone,
    /// A global installation of npm below `prefix`.
    Npm { prefix: PathBuf },
    /// `cargo install` into `root`.
    Cargo { root: PathBuf, source: CrateSource },
    /// Homebrew below `prefix`.
    Homebrew { prefix: PathBuf, formula: String, is_cask: bool },
    /// A manager that aos does not run; what a person can run, as far as it is known.
    Managed { manager: &'static str, command: Option<String> },
}

/// Where `cargo install` took the crate from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CrateSource {
    Git,
    Registry,
}

/// The program and its owner.
#[derive(Clone, Debug)]
pub struct Installation {
    pub method: InstallMethod,
    /// The file itself, links resolved.
    pub executable: PathBuf,
    /// The path it was started by: a manager may put another version elsewhere and move a link on this way.
    pub invoked: PathBuf,
    /// Why this method, in words.
    pub evidence: String,
}

impl InstallMethod {
    /// One word for programs.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Standalone => "standalone",
            Self::Npm { .. } => "npm",
            Self::Cargo { .. } => "cargo",
            Self::Homebrew { .. } => "homebrew",
            Self::Managed { manager, .. } => manager,
        }
    }
}

/// Whether there is a file at `path` or behind its links.
pub(super) fn is_file(path: &Path) -> bool {
    let found = files::canonical(path).and_then(|real| files::kind(&real));
    matches!(found, Ok(Kind::File { .. }))
}

/// A method and the reason for it.
pub(super) type Owner = (InstallMethod, String);

/// The names of a path from its root; what is no text is an empty name.
pub(super) fn parts(path: &Path) -> Vec<&str> {
    path.components().map(|part| part.as_os_str().to_str().unwrap_or_default()).collect()
}
