//! Spec tags and the pin file `.agent/SPEC_VERSION`.
//!
//! A tag is parsed, never interpolated: what is not `v?MAJOR.MINOR[.PATCH][-pre]` does not become a value.

use std::cmp::Ordering;
use std::fmt;

use crate::visible::excerpt;

/// The name of one released state of a contract.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct SpecTag {
    text: String,
    version: semver::Version,
}

/// Why a text is not a tag.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum TagError {
    #[error("it is empty")]
    Empty,
    #[error("it starts with a byte order mark")]
    ByteOrderMark,
    #[error("it is not UTF-8 text")]
    NotUtf8,
    #[error("it has Windows line endings (CRLF)")]
    CarriageReturn,
    #[error("it has more than one line")]
    SeveralLines,
    #[error("it has spaces around the tag")]
    Whitespace,
    #[error("`{0}` is a path, not a tag")]
    Path(String),
    #[error("`{0}` is not a version tag")]
    NotAVersion(String),
    #[error("`{0}` is not a version: it contains `{1}`")]
    Character(String, char),
    #[error("`{0}` is not a version of the form vMAJOR.MINOR[.PATCH][-pre]")]
    Malformed(String),
}

/// Longest tag, in bytes.
const MAX_TAG: usize = 64;

impl SpecTag {
    /// Parses `v1.2`, `v1.2.3`, `1.2.3-rc.1`.
    ///
    /// # Errors
    /// Names what is wrong with anything else.
    pub fn parse(text: &str) -> Result<Self, TagError> {
        if text.is_empty() {
            return Err(TagError::Empty);
        }
        if text.trim() != text {
            return Err(TagError::Whitespace);
        }
        let shown: String = excerpt(text, MAX_TAG);
        if text.contains(['/', '\\']) || text.starts_with('.') {
            return Err(TagError::Path(shown));
        }
        let digits = text.strip_prefix('v').unwrap_or(text);
        if !digits.starts_with(|first: char| first.is_ascii_digit()) {
            return Err(TagError::NotAVersion(shown));
        }
        let allowed = |symbol: char| symbol.is_ascii_alphanumeric() || matches!(symbol, '.' | '-');
        if let Some(symbol) = digits.chars().find(|symbol| !allowed(*symbol)) {
            return Err(TagError::Character(shown, symbol));
        }
        if text.len() > MAX_TAG {
            return Err(TagError::Malformed(shown));
        }
        let (core, pre) = match digits.split_once('-') {
            Some((core, pre)) => (core, Some(pre)),
            None => (digits, None),
        };
        let padded = match core.split('.').count() {
            2 => format!("{core}.0"),
            _ => core.to_owned(),
        };
        let full = pre.map_or_else(|| padded.clone(), |pre| format!("{padded}-{pre}"));
        let version = semver::Version::parse(&full).map_err(|_| TagError::Malformed(shown))?;
        Ok(Self { text: text.to_owned(), version })
    }

    /// Parses the bytes of a pin file: one tag on one line, a final newline allowed.
    ///
    /// # Errors
    /// Each way a pin file is known to go wrong has its own error.
    pub fn parse_pin(bytes: &[u8]) -> Result<Self, TagError> {
        if bytes.starts_with(b"\xef\xbb\xbf") {
            return Err(TagError::ByteOrderMark);
        }
        if bytes.len() > 4096 {
            return Err(TagError::SeveralLines);
        }
        let text = std::str::from_utf8(bytes).map_err(|_| TagError::NotUtf8)?;
        if text.contains('\r') {
            return Err(TagError::CarriageReturn);
        }
        let line = text.strip_suffix('\n').unwrap_or(text);
        if line.trim().is_empty() {
            return Err(TagError::Empty);
        }
        if line.contains('\n') {
            return Err(TagError::SeveralLines);
        }
        Self::parse(line)
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The version that it means; `v1.4` means 1.4.0.
    #[must_use]
    pub fn version(&self) -> &semver::Version {
        &self.version
    }

    /// The bytes of a pin file that holds this tag.
    #[must_use]
    pub fn pin_bytes(&self) -> Vec<u8> {
        format!("{}\n", self.text).into_bytes()
    }
}

impl fmt::Display for SpecTag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl Ord for SpecTag {
    fn cmp(&self, other: &Self) -> Ordering {
        self.version.cmp(&other.version).then_with(|| self.text.cmp(&other.text))
    }
}

impl PartialOrd for SpecTag {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_tag_is_kept_as_it_is_written() {
        for text in ["v1.1.0", "v1.4", "1.0.0", "v2.0.0-rc.1"] {
            assert_eq!(SpecTag::parse(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn each_bad_pin_has_its_own_verdict() {
        let verdict = |bytes: &[u8]| SpecTag::parse_pin(bytes).unwrap_err();
        assert_eq!(verdict(b""), TagError::Empty);
        assert_eq!(verdict(b"\n"), TagError::Empty);
        assert_eq!(verdict(b"\xef\xbb\xbfv1.1.0\n"), TagError::ByteOrderMark);
        assert_eq!(verdict(b"v1.1.0\r\n"), TagError::CarriageReturn);
        assert_eq!(verdict(b"v1.1.0 \n"), TagError::Whitespace);
        assert_eq!(verdict(b"v1.1.0\nv1.0.0\n"), TagError::SeveralLines);
        assert_eq!(verdict(b"\xff\n"), TagError::NotUtf8);
        assert_eq!(verdict(b"main\n"), TagError::NotAVersion("main".into()));
        assert_eq!(verdict(b"--version\n"), TagError::NotAVersion("--version".into()));
        assert_eq!(verdict(b"../../x\n"), TagError::Path("../../x".into()));
        assert_eq!(verdict(b"v1.1#\n"), TagError::Character("v1.1#".into(), '#'));
        assert_eq!(verdict(b"v1.4?x=\n"), TagError::Character("v1.4?x=".into(), '?'));
        assert_eq!(verdict(b"v1\n"), TagError::Malformed("v1".into()));
        assert_eq!(verdict(b"v1.01.0\n"), TagError::Malformed("v1.01.0".into()));
    }

    #[test]
    fn a_pin_without_final_newline_is_read() {
        assert_eq!(SpecTag::parse_pin(b"v1.1.0").unwrap().as_str(), "v1.1.0");
    }

    #[test]
    fn tags_sort_by_version() {
        let mut tags: Vec<_> =
            ["v1.10.0", "v1.2.0", "v1.2.0-rc.1"].map(|text| SpecTag::parse(text).unwrap()).into();
        tags.sort();
        let texts: Vec<_> = tags.iter().map(SpecTag::as_str).collect();
        assert_eq!(texts, ["v1.2.0-rc.1", "v1.2.0", "v1.10.0"]);
    }
}
