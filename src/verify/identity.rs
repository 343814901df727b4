//! The expected signer: one identity, or a pattern that must match a whole identity.
//!
//! A pattern that matches arbitrary identities is refused, because it would accept any signature.

use std::fmt;

use regex::{Regex, RegexBuilder};

use super::shown::shown;

/// Longest identity or pattern, in bytes.
const MAX_LENGTH: usize = 2048;

/// Largest compiled pattern, in bytes.
const MAX_COMPILED: usize = 1 << 20;

/// Identities that no useful pattern matches: a pattern that matches one of them accepts any signer.
const STRANGERS: [&str; 6] = [
    "stranger-5c1e@stranger-5c1e.invalid",
    "https://stranger-5c1e.invalid/stranger-5c1e",
    "https://github.com/stranger-5c1e/unrelated-5c1e/.github/workflows/release.yml@refs/tags/v1.2.3",
    "https://github.com/stranger-5c1e/unrelated-5c1e/.github/workflows/ci.yml@refs/heads/main",
    "https://gitlab.com/stranger-5c1e/unrelated-5c1e//.gitlab-ci.yml@refs/heads/main",
    "",
];

/// The identity that a signing certificate must have.
#[derive(Clone, Debug)]
pub enum ExpectedIdentity {
    Exact(String),
    Pattern { text: String, whole: Regex },
}

/// Why a text is not a valid expected signer.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum IdentityError {
    #[error("it is empty")]
    Empty,
    #[error("it is longer than {MAX_LENGTH} bytes")]
    TooLong,
    #[error("it is not a regular expression: {0}")]
    Syntax(String),
    #[error("it matches {}", if .0.is_empty() { "the empty name".to_owned() } else { format!("unrelated signers, for example `{}`", .0) })]
    Strangers(&'static str),
}

impl ExpectedIdentity {
    /// Exactly this identity.
    ///
    /// # Errors
    /// Returns an error if it is empty or too long.
    pub fn exact(identity: &str) -> Result<Self, IdentityError> {
        bounded(identity)?;
        Ok(Self::Exact(identity.to_owned()))
    }

    /// Every identity that the pattern matches completely.
    ///
    /// # Errors
    /// If it is not a pattern, is too large, or matches arbitrary identities.
    pub fn pattern(pattern: &str) -> Result<Self, IdentityError> {
        bounded(pattern)?;
        // Compiled alone first, so that a stray parenthesis cannot close the anchoring group.
        compiled(pattern)?;
        let whole = compiled(&format!(r"\A(?:{pattern})\z"))?;
        match STRANGERS.into_iter().find(|stranger| whole.is_match(stranger)) {
            Some(stranger) => Err(IdentityError::Strangers(stranger)),
            None => Ok(Self::Pattern { text: pattern.to_owned(), whole }),
        }
    }

    /// True if this is the expected signer.
    #[must_use]
    pub fn matches(&self, identity: &str) -> bool {
        match self {
            Self::Exact(expected) => expected == identity,
            Self::Pattern { whole, .. } => whole.is_match(identity),
        }
    }
}

impl fmt::Display for ExpectedIdentity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(identity) => write!(formatter, "`{}`", shown(identity)),
            Self::Pattern { text, .. } => write!(formatter, "a match of `{}`", shown(text)),
        }
    }
}

fn bounded(text: &str) -> Result<(), IdentityError> {
    match text.trim() {
        "" => Err(IdentityError::Empty),
        _ if text.len() > MAX_LENGTH => Err(IdentityError::TooLong),
        _ => Ok(()),
    }
}

fn compiled(pattern: &str) -> Result<Regex, IdentityError> {
    RegexBuilder::new(pattern).size_limit(MAX_COMPILED).build().map_err(|error| {
        let text = error.to_string();
        let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
        IdentityError::Syntax(shown(reason))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNER: &str =
        "https://github.com/acme/aos/.github/workflows/release.yml@refs/tags/v1.2.3";

    #[test]
    fn an_exact_identity_is_compared_whole_and_with_case() {
        let expected = ExpectedIdentity::exact(SIGNER).unwrap();
        assert!(expected.matches(SIGNER));
        for other in [
            &format!("{SIGNER}-evil"),
            &format!("https://evil.example/?{SIGNER}"),
            &SIGNER.to_uppercase(),
            &SIGNER[1..],
            "",
        ] {
            assert!(!expected.matches(other), "{other}");
        }
        assert_eq!(ExpectedIdentity::exact(" ").unwrap_err(), IdentityError::Empty);
    }

    #[test]
    fn a_pattern_must_match_the_whole_identity() {
        let own = r"https://github\.com/acme/aos/\.github/workflows/release\.yml@refs/tags/v[\d.]+";
        let expected = ExpectedIdentity::pattern(own).unwrap();
        assert!(expected.matches(SIGNER));
        assert!(!expected.matches(&format!("{SIGNER}-evil")));
        assert!(!expected.matches(&format!("https://evil.example/{SIGNER}")));
        assert!(!expected.matches(&format!("{SIGNER}\n")));
        // The first alternative is a part of the identity, the second all of it.
        let parts = r"https://github\.com/acme|https://github\.com/acme/aos/.*";
        assert!(ExpectedIdentity::pattern(parts).unwrap().matches(SIGNER));
        let anchored = format!("^{own}$");
        assert!(ExpectedIdentity::pattern(&anchored).unwrap().matches(SIGNER));
    }

    #[test]
    fn a_pattern_that_accepts_strangers_is_refused() {
        for pattern in [
            ".*",
            ".+",
            "(?s).*",
            r"[^ ]+",
            r"\S+",
            "^",
            "|x",
            "a*",
            "https://.*",
            ".*@.*",
            r"https://github\.com/.*",
            r".*/\.github/workflows/release\.yml@refs/tags/v.*",
            r"https://github\.com/[^/]+/[^/]+/.*@refs/heads/main",
        ] {
            let error = ExpectedIdentity::pattern(pattern).unwrap_err();
            assert!(matches!(error, IdentityError::Strangers(_)), "{pattern}: {error}");
        }
    }

    #[test]
    fn a_pattern_cannot_leave_its_anchors() {
        for pattern in [r"acme)|(?:.*", "(", "a)(b", "(?x)acme)#", "[", r"\p{Nope}", "a{1000000}"] {
            let error = ExpectedIdentity::pattern(pattern).unwrap_err();
            assert!(matches!(error, IdentityError::Syntax(_)), "{pattern}: {error}");
        }
        // A comment would hide the closing anchor, so it does not compile.
        assert!(ExpectedIdentity::pattern("(?x)acme #").is_err());
        assert_eq!(ExpectedIdentity::pattern("  ").unwrap_err(), IdentityError::Empty);
        let long = "a".repeat(MAX_LENGTH + 1);
        assert_eq!(ExpectedIdentity::pattern(&long).unwrap_err(), IdentityError::TooLong);
    }
}
