//! The one gate for paths: every name of a file inside a project passes here first.
//!
//! A path that leaves the project, or that some operating system does not support, cannot be a value of this type.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::visible::excerpt;

/// Longest component that common file systems support, in bytes.
const MAX_COMPONENT: usize = 255;
/// Longest whole path, in bytes.
const MAX_PATH: usize = 1024;

/// Device names that Windows reserves in every directory, with or without an extension.
const RESERVED: &[&str] = &[
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8",
    "com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// A `/`-separated path below a project root, valid on every supported system.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct RelativePath(String);

/// Why a text is not a path inside a project.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{}` is not a path inside the project: {reason}", excerpt(text, 200))]
pub struct PathError {
    pub text: String,
    pub reason: &'static str,
}

impl RelativePath {
    /// Parses `text`.
    ///
    /// # Errors
    /// Returns an error if it is empty, absolute, leaves the root, or cannot exist on every system.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        match fault(text) {
            None => Ok(Self(text.to_owned())),
            Some(reason) => {
                let text = text.chars().take(120).collect();
                Err(PathError { text, reason })
            }
        }
    }

    /// A path that this program itself spells out; never for text from outside.
    #[must_use]
    pub fn literal(text: &'static str) -> Self {
        debug_assert!(fault(text).is_none(), "`{text}` is not a path inside a project");
        Self(text.to_owned())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The absolute path below `root`.
    #[must_use]
    pub fn below(&self, root: &Path) -> PathBuf {
        root.join(&self.0)
    }

    /// Its parent directories, outermost first: `a`, `a/b` for `a/b/c`.
    pub fn ancestors(&self) -> impl Iterator<Item = &str> {
        self.0.match_indices('/').map(|(end, _)| &self.0[..end])
    }

    /// The file beside it whose name has `ending` in addition.
    #[must_use]
    pub fn with_ending(&self, ending: &'static str) -> Self {
        Self(format!("{}{ending}", self.0))
    }

    /// Two paths with the same key are one file on a case-insensitive system.
    #[must_use]
    pub fn case_key(&self) -> String {
        self.0.to_lowercase()
    }
}

impl fmt::Display for RelativePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

fn fault(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        return Some("it is empty");
    }
    if text.len() > MAX_PATH {
        return Some("it is longer than 1024 bytes");
    }
    if text.starts_with('/') {
        return Some("it is absolute");
    }
    text.split('/').find_map(component_fault)
}

fn component_fault(component: &str) -> Option<&'static str> {
    if component.is_empty() {
        return Some("it has an empty component");
    }
    if component == "." || component == ".." {
        return Some("it has a `.` or `..` component");
    }
    if component.len() > MAX_COMPONENT {
        return Some("a component is longer than 255 bytes");
    }
    if component.chars().any(char::is_control) {
        return Some("it contains a control character");
    }
    if component.contains(['\\', ':', '*', '?', '"', '<', '>', '|']) {
        return Some(
            "it contains a character that Windows does not allow (one of \\ : * ? \" < > |)",
        );
    }
    if component.ends_with(['.', ' ']) {
        return Some("a component ends with a dot or a space");
    }
    if matches!(component.to_ascii_lowercase().as_str(), ".git" | "git~1") {
        return Some("it is inside git's own directory");
    }
    if component.to_ascii_lowercase().starts_with(".aos-") {
        return Some("it is inside a working directory of aos");
    }
    let stem = component.split('.').next().unwrap_or(component).trim_end();
    if RESERVED.contains(&stem.to_ascii_lowercase().as_str()) {
        return Some("a component is a reserved device name");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinary_path_is_kept_as_it_is() {
        for text in ["a", "a/b.c", ".agent/spec.lock", "agent-harness/aos_x/__init__.py"] {
            assert_eq!(RelativePath::parse(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn a_path_that_leaves_the_project_is_refused() {
        for text in [
            "",
            "/etc/passwd",
            "..",
            "a/../b",
            "./a",
            "a//b",
            "a/",
            "C:/x",
            "\\\\host\\x",
            ".git/hooks/x",
            "a/.GIT/x",
        ] {
            assert!(RelativePath::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_path_that_some_system_cannot_hold_is_refused() {
        let long = "x".repeat(256);
        for text in ["a\0b", "a\nb", "nul", "COM1.txt", "x/aux", "a.", "b ", "a|b", &long] {
            assert!(RelativePath::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn ancestors_are_listed_outermost_first() {
        let path = RelativePath::parse("a/b/c").unwrap();
        assert_eq!(path.ancestors().collect::<Vec<_>>(), ["a", "a/b"]);
    }
}
