//! How the running program was installed, from where it lies: who owns the file decides who may replace it.
//!
//! Only the real path counts, never a recorded method. `detect` reads a few small files; `drive` runs the manager.

mod cargo;
mod command;
mod drive;
mod homebrew;
mod node;
mod system;

use std::io;
use std::path::{Path, PathBuf};

use crate::system::files;

pub use command::ManagerCommand;
pub use drive::{Cause, DriveError, drive};

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

/// Why it cannot be said where the program is.
#[derive(Debug, thiserror::Error)]
#[error("`{}` is not there any more: {source}", path.display())]
pub struct DetectError {
    path: PathBuf,
    source: io::Error,
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

/// Finds out who owns the program at `executable`, as the system names it.
///
/// # Errors
/// When there is no such file any more.
pub fn detect(executable: &Path) -> Result<Installation, DetectError> {
    let path = files::canonical(executable)
        .map_err(|source| DetectError { path: executable.to_owned(), source })?;
    let (method, evidence) = node::owner(&path)
        .or_else(|| homebrew::owner(&path))
        .or_else(|| system::by_place(&path))
        .or_else(|| cargo::owner(&path))
        .or_else(|| system::by_database(&path))
        .unwrap_or_else(|| {
            (InstallMethod::Standalone, format!("no package manager owns `{}`", path.display()))
        });
    let invoked = invoked(executable, &path, &method);
    Ok(Installation { method, executable: path, invoked, evidence })
}

/// Where the program of this installation will be after an update.
fn invoked(executable: &Path, real: &Path, method: &InstallMethod) -> PathBuf {
    match method {
        // `Cellar/<formula>/<version>/bin/aos` goes away; the link in the prefix stays.
        InstallMethod::Homebrew { prefix, .. } => {
            real.file_name().map_or_else(|| real.to_owned(), |name| prefix.join("bin").join(name))
        }
        _ if executable.is_absolute() => executable.to_owned(),
        _ => real.to_owned(),
    }
}

/// A method and the reason for it.
type Owner = (InstallMethod, String);

/// The names of a path from its root, as far as they are text.
fn parts(path: &Path) -> Vec<&str> {
    path.components().filter_map(|part| part.as_os_str().to_str()).collect()
}
