//! Owner and name of a repository on a host, and values derived from them. Makes no request; uses no other module of
//! ours.

use std::fmt;

use semver::Version;

use crate::visible::excerpt;

/// Longest owner or name, in bytes.
const MAX_PART: usize = 100;

/// `owner/name`; both parts are plain words, so a URL, an identity and a command line can contain them.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Repository {
    owner: String,
    name: String,
}

/// Why a text is not a repository.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{0}` is not OWNER/REPOSITORY")]
pub struct RepositoryError(String);

impl Repository {
    /// Returns the repository that releases aos: `package.repository` of Cargo.toml.
    ///
    /// # Errors
    /// Never in a build whose tests passed.
    pub fn own() -> Result<Self, RepositoryError> {
        let url = env!("CARGO_PKG_REPOSITORY");
        Self::parse(url.strip_prefix("https://github.com/").unwrap_or(url))
    }

    /// Reads `owner/name`.
    ///
    /// # Errors
    /// Returns an error if a part is empty, too long, or has other characters than letters, digits, `-`, `_` and `.`.
    pub fn parse(text: &str) -> Result<Self, RepositoryError> {
        let refused = || RepositoryError(excerpt(text, MAX_PART));
        let (owner, name) = text.split_once('/').ok_or_else(refused)?;
        if !is_plain(owner) || !is_plain(name) {
            return Err(refused());
        }
        Ok(Self { owner: owner.to_owned(), name: name.to_owned() })
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    #[must_use]
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// Its page on github.com.
    #[must_use]
    pub fn url(&self) -> String {
        format!("https://github.com/{self}")
    }

    /// Returns the required signer of the release `version`: the release workflow, run for exactly that tag (agent-cli
    /// §14).
    #[must_use]
    pub fn signer(&self, tag: &str) -> String {
        format!("https://github.com/{self}/.github/workflows/release.yml@refs/tags/{tag}")
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.owner, self.name)
    }
}

/// The tag of the release of `version`.
#[must_use]
pub fn tag(version: &Version) -> String {
    format!("v{version}")
}

fn is_plain(part: &str) -> bool {
    let known = |symbol: char| symbol.is_ascii_alphanumeric() || ['-', '_', '.'].contains(&symbol);
    (1..=MAX_PART).contains(&part.len())
        && part.chars().all(known)
        && !part.starts_with(['.', '-'])
        && !part.contains("..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_repository_is_one() {
        let own = Repository::own().unwrap();
        assert_eq!(own.url(), env!("CARGO_PKG_REPOSITORY"));
        let version = Version::new(1, 2, 3);
        assert_eq!(
            own.signer(&tag(&version)),
            format!("{}/.github/workflows/release.yml@refs/tags/v1.2.3", own.url())
        );
    }

    #[test]
    fn a_repository_is_two_plain_words() {
        assert_eq!(Repository::parse("acme/a.b_c-1").unwrap().to_string(), "acme/a.b_c-1");
        for text in [
            "", "acme", "acme/", "/x", "a/b/c", "a/../b", "a/..", "-a/b", "a/b c", "a/b#c",
            "a/b?x", "é/b", "a/.git",
        ] {
            assert!(Repository::parse(text).is_err(), "{text}");
        }
    }
}
