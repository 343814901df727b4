//! Programs in the directories of PATH.

use std::path::PathBuf;

/// The absolute path of the program `name`, with the suffixes of Windows.
///
/// Relative directories in PATH are ignored, so that aos does not run programs of the project in which it is started.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "only `system` reads the environment")]
pub fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os(super::environment::PATH)?;
    let absolute = std::env::split_paths(&path).filter(|directory| directory.is_absolute());
    let path = std::env::join_paths(absolute).ok()?;
    which::which_in_global(name, Some(path)).ok()?.next()
}

/// Every directory of PATH, in order; relative ones are below the working directory.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "only `system` reads the environment")]
pub fn directories() -> Vec<PathBuf> {
    let path = std::env::var_os(super::environment::PATH).unwrap_or_default();
    std::env::split_paths(&path).filter(|directory| !directory.as_os_str().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_with_its_absolute_path() {
        assert!(find("git").is_some_and(|path| path.is_absolute()));
        assert_eq!(find("a-program-that-nobody-has"), None);
    }
}
