//! Every environment variable that aos reads, in one place.

use std::path::PathBuf;

/// `json`, `text` or `raw`: the output format when no flag says otherwise.
pub const AOS_FORMAT: &str = "AOS_FORMAT";
/// Directory of aos's own state (confirm secret, used tokens); default `~/.aos`.
pub const AOS_HOME: &str = "AOS_HOME";
/// Any value: open no connection; what needs one fails with `E_NETWORK`.
pub const AOS_OFFLINE: &str = "AOS_OFFLINE";
/// Set by GitHub Actions; `check` then adds workflow annotations.
pub const GITHUB_ACTIONS: &str = "GITHUB_ACTIONS";
/// Any value switches colour off.
pub const NO_COLOR: &str = "NO_COLOR";

/// The value of `name`; an empty value counts as not set, a value that is not UTF-8 too.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this module is the door to the environment")]
pub fn read(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The directory of aos's own state; `None` without `AOS_HOME` and without a home directory.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this module is the door to the environment")]
pub fn state_directory() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os(AOS_HOME).filter(|value| !value.is_empty()) {
        return Some(PathBuf::from(path));
    }
    let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    std::env::var_os(home)
        .filter(|value| !value.is_empty())
        .map(|home| PathBuf::from(home).join(".aos"))
}

/// The directory for temporary files.
#[must_use]
pub fn temporary_directory() -> PathBuf {
    std::env::temp_dir()
}

/// The directory the command runs in.
///
/// # Errors
/// When it was deleted or may not be read.
#[expect(clippy::disallowed_methods, reason = "this module is the door to the environment")]
pub fn current_directory() -> std::io::Result<PathBuf> {
    std::env::current_dir()
}

/// Moves the process to `directory` (`-C`).
///
/// # Errors
/// When it is not a directory that may be entered.
#[expect(clippy::disallowed_methods, reason = "this module is the door to the environment")]
pub fn enter(directory: &std::path::Path) -> std::io::Result<()> {
    std::env::set_current_dir(directory)
}
