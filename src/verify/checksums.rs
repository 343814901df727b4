//! SHA-256 digests and lists of them in the format of `sha256sum`: each name exactly once.
//!
//! One unreadable line makes the whole list invalid.

use std::collections::BTreeMap;
use std::fmt;

use super::shown::shown;

/// Largest list, in bytes.
pub const MAX_CHECKSUMS: usize = 1024 * 1024;

/// A SHA-256 digest.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Sha256(pub [u8; 32]);

impl Sha256 {
    /// Reads 64 hexadecimal digits of either case.
    #[must_use]
    pub fn parse(hex: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if hex.len() != 64 || !hex.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        for (byte, at) in bytes.iter_mut().zip((0..64).step_by(2)) {
            *byte = u8::from_str_radix(&hex[at..at + 2], 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// The digest of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        use sha2::Digest as _;
        Self(sha2::Sha256::digest(bytes).into())
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

/// Why bytes are not a list of checksums, or a list does not have a name.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum ChecksumsError {
    #[error("the list of checksums is larger than {MAX_CHECKSUMS} bytes")]
    TooLarge,
    #[error("the list of checksums is not UTF-8 text")]
    NotUtf8,
    #[error("line {line} of the checksums is not a SHA-256 digest and a file name")]
    Line { line: usize },
    #[error("`{name}` is listed twice in the checksums (line {line})")]
    Twice { name: String, line: usize },
    #[error("`{name}` is not in the checksums")]
    Absent { name: String },
}

/// Digests by file name.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Checksums(BTreeMap<String, Sha256>);

impl Checksums {
    /// Parses a list; CRLF, `*name` (binary mode) and upper-case digits are allowed.
    ///
    /// # Errors
    /// If a line cannot be parsed, or a name is listed twice; the error has the line.
    pub fn parse(bytes: &[u8]) -> Result<Self, ChecksumsError> {
        if bytes.len() > MAX_CHECKSUMS {
            return Err(ChecksumsError::TooLarge);
        }
        let text = std::str::from_utf8(bytes).map_err(|_| ChecksumsError::NotUtf8)?;
        let mut digests = BTreeMap::new();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
            let line_number = at + 1;
            let (name, digest) = entry(line).ok_or(ChecksumsError::Line { line: line_number })?;
            if digests.insert(name.to_owned(), digest).is_some() {
                return Err(ChecksumsError::Twice { name: shown(name), line: line_number });
            }
        }
        Ok(Self(digests))
    }

    /// The digest of the file called `name`.
    ///
    /// # Errors
    /// If the list does not have exactly that name.
    pub fn digest_of(&self, name: &str) -> Result<Sha256, ChecksumsError> {
        self.0.get(name).copied().ok_or_else(|| ChecksumsError::Absent { name: shown(name) })
    }
}

/// `<64 digits>  <name>`; the name is not a path and has no escapes.
fn entry(line: &str) -> Option<(&str, Sha256)> {
    let (digest, rest) = line.split_at_checked(64)?;
    let name = rest.strip_prefix("  ").or_else(|| rest.strip_prefix(" *"))?;
    let plain = !name.is_empty()
        && name == name.trim()
        && ![".", ".."].contains(&name)
        && !name.contains(|symbol: char| symbol.is_control() || ['/', '\\'].contains(&symbol));
    Some((name, Sha256::parse(digest)?)).filter(|_| plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "a0cfc71271d6e278e57cd332ff957c3f7043fdda354c4cbb190a30d56efa01bf";
    const OTHER: &str = "b0cfc71271d6e278e57cd332ff957c3f7043fdda354c4cbb190a30d56efa01bf";

    fn parse(text: &str) -> Result<Checksums, ChecksumsError> {
        Checksums::parse(text.as_bytes())
    }

    #[test]
    fn a_digest_is_64_hexadecimal_digits() {
        assert_eq!(Sha256::parse(DIGEST).unwrap().to_string(), DIGEST);
        assert_eq!(Sha256::parse(&DIGEST.to_uppercase()), Sha256::parse(DIGEST));
        assert_eq!(Sha256::of(b"").to_string()[..8], *"e3b0c442");
        let sign = format!("+{}", &DIGEST[1..]);
        for text in ["", &DIGEST[1..], &format!("{DIGEST}0"), &sign, &format!("é{}", &DIGEST[2..])]
        {
            assert_eq!(Sha256::parse(text), None, "{text}");
        }
    }

    #[test]
    fn every_spelling_of_sha256sum_is_read() {
        let list = format!("{DIGEST}  a.tar.gz\r\n\n{} *b c.zip", OTHER.to_uppercase());
        let list = parse(&list).unwrap();
        assert_eq!(list.digest_of("a.tar.gz").unwrap().to_string(), DIGEST);
        assert_eq!(list.digest_of("b c.zip").unwrap().to_string(), OTHER);
    }

    #[test]
    fn a_name_that_is_not_listed_has_no_digest() {
        let list = parse(&format!("{DIGEST}  a.tar.gz\n")).unwrap();
        for name in ["a", "a.tar", "A.tar.gz", "a.tar.gz ", ""] {
            assert!(matches!(list.digest_of(name), Err(ChecksumsError::Absent { .. })), "{name}");
        }
    }

    // Also if the digests are equal: a list with a duplicate name is a mistake.
    #[test]
    fn a_duplicate_name_is_refused() {
        for second in [DIGEST, OTHER] {
            let error = parse(&format!("{DIGEST}  a\n{second} *a\n")).unwrap_err();
            assert_eq!(error, ChecksumsError::Twice { name: "a".to_owned(), line: 2 });
        }
    }

    #[test]
    fn one_bad_line_spoils_the_list() {
        for line in [
            "a",
            DIGEST,
            &format!("{DIGEST} a"),
            &format!("{DIGEST}  "),
            &format!("{DIGEST}   a"),
            &format!("{}  a", &DIGEST[1..]),
            &format!("{DIGEST}0  a"),
            &format!("\\{DIGEST}  a\\nb"),
            &format!("{DIGEST}  ../a"),
            &format!("{DIGEST}  .."),
            &format!("{DIGEST}  c:\\a"),
            &format!("{DIGEST}  a\tb"),
            &format!("{}  a", "g".repeat(64)),
            &format!("{}  a", "é".repeat(32)),
            "SHA256 (a) = 00",
        ] {
            let error = parse(&format!("{DIGEST}  good\n{line}\n")).unwrap_err();
            assert_eq!(error, ChecksumsError::Line { line: 2 }, "{line}");
        }
    }

    #[test]
    fn a_list_is_bounded_text() {
        assert_eq!(Checksums::parse(&[b'\n'; MAX_CHECKSUMS + 1]), Err(ChecksumsError::TooLarge));
        assert_eq!(Checksums::parse(b"\xff"), Err(ChecksumsError::NotUtf8));
    }
}
