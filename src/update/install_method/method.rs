//! The ways to install aos.

use std::path::{Path, PathBuf};

use crate::system::files::{self, Kind};

/// The owner of the program.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum InstallMethod {
    /// No package manager: aos replaces the file itself.
    Standalone,
    /// A global installation of npm below `prefix`.
    Npm { prefix: PathBuf },
    /// `cargo install` into `root`.
    Cargo { root: PathBuf, source: CrateSource },
    /// Homebrew below `prefix`.
    Homebrew { prefix: PathBuf, formula: String, is_cask: bool },
    /// A package manager that aos does not run, with the command for the user if it is known.
    Managed { manager: &'static str, command: Option<String> },
}

/// The source from which `cargo install` took the crate.
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
    /// The path by which it was started: a package manager may install a new version elsewhere and move a link.
    pub invoked: PathBuf,
    /// The reason for this method, for messages.
    pub evidence: String,
}

impl InstallMethod {
    /// One word, for programs.
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

/// True if there is a file at `path`, following links.
pub(super) fn is_file(path: &Path) -> bool {
    let found = files::canonical(path).and_then(|real| files::kind(&real));
    matches!(found, Ok(Kind::File { .. }))
}

/// A method and the reason for it.
pub(super) type Owner = (InstallMethod, String);

/// The components of a path from its root; a component that is not UTF-8 is an empty name.
pub(super) fn parts(path: &Path) -> Vec<&str> {
    path.components().map(|part| part.as_os_str().to_str().unwrap_or_default()).collect()
}
