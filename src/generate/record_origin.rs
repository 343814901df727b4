//! `[template.origin]` in aos.toml: where a template of the user's own came from, and the digest of what was read
//! there.
//!
//! No path of a machine is in it: the archive in the project is what an upgrade renders again.

use std::fmt;

use serde::Deserialize;

use crate::plan::{Digest, RelativePath};
use crate::repository::{Repository, RepositoryError};
use crate::visible::excerpt;

use super::record_text::{RecordError, quote, relative};

/// The file in which a project keeps the template from which it was made.
pub const ARCHIVE_PATH: &str = ".agent/template.tar.gz";
/// Longest address of a repository, in bytes.
const MAX_ADDRESS: usize = 300;
/// Longest tag, in bytes.
const MAX_TAG: usize = 128;
/// Prefixes of names of sources.
pub const HOST_PREFIX: &str = "github:";
pub const GIT_PREFIX: &str = "git+";

/// The source of a template.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TemplateOrigin {
    pub source: TemplateSource,
    /// The tag of the repository; `None` for a directory.
    pub tag: Option<String>,
    /// The commit that the tag named.
    pub commit: Option<String>,
    /// The directory of the template inside the repository.
    pub directory: Option<RelativePath>,
    /// Digest of all files of the template.
    pub digest: Digest,
}

/// The kind of place.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum TemplateSource {
    /// A directory of some machine.
    Directory,
    /// Signed releases of a repository on a host.
    Host(Repository),
    /// Any other repository, over https.
    Git(GitAddress),
}

/// `https://HOST/PATH` of a repository, without user, query and fragment.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct GitAddress(String);

/// Why a text is not the address of a repository.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum GitAddressError {
    #[error("it does not begin with https://")]
    NotHttps,
    #[error("it is too long")]
    TooLong,
    #[error("it contains a user or a password")]
    User,
    #[error("its host is not valid")]
    Host,
    #[error("its path is not valid")]
    Path,
}

/// Why a text names no source of templates.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum TemplateSourceError {
    #[error(transparent)]
    Host(#[from] RepositoryError),
    #[error(transparent)]
    Git(#[from] GitAddressError),
    #[error("it is neither `directory` nor `github:OWNER/REPOSITORY` nor `git+https://…`")]
    Unknown,
}

impl GitAddress {
    /// Parses an address.
    ///
    /// # Errors
    /// The reason why it is none.
    pub fn parse(text: &str) -> Result<Self, GitAddressError> {
        let rest = text.strip_prefix("https://").ok_or(GitAddressError::NotHttps)?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let is_word = |symbol: char| symbol.is_ascii_alphanumeric() || ".-_:".contains(symbol);
        let is_path = |symbol: char| symbol.is_ascii_alphanumeric() || ".-_~/+".contains(symbol);
        if text.len() > MAX_ADDRESS {
            Err(GitAddressError::TooLong)
        } else if host.contains('@') {
            Err(GitAddressError::User)
        } else if host.is_empty() || host.starts_with('-') || !host.chars().all(is_word) {
            Err(GitAddressError::Host)
        } else if path.is_empty() || !path.chars().all(is_path) || path.contains("..") {
            Err(GitAddressError::Path)
        } else {
            Ok(Self(text.to_owned()))
        }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TemplateSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory => formatter.write_str("directory"),
            Self::Host(repository) => write!(formatter, "{HOST_PREFIX}{repository}"),
            Self::Git(address) => write!(formatter, "{GIT_PREFIX}{}", address.as_str()),
        }
    }
}

impl TemplateSource {
    /// # Errors
    /// The reason why a text names no source.
    pub fn parse(text: &str) -> Result<Self, TemplateSourceError> {
        if text == "directory" {
            return Ok(Self::Directory);
        }
        if let Some(repository) = text.strip_prefix(HOST_PREFIX) {
            return Ok(Self::Host(Repository::parse(repository)?));
        }
        match text.strip_prefix(GIT_PREFIX) {
            Some(address) => Ok(Self::Git(GitAddress::parse(address)?)),
            None => Err(TemplateSourceError::Unknown),
        }
    }
}

/// True if a text can be a tag of a repository, and never an option of git.
#[must_use]
pub fn is_tag(text: &str) -> bool {
    let plain = |symbol: char| symbol.is_ascii_alphanumeric() || "._-+/".contains(symbol);
    (1..=MAX_TAG).contains(&text.len())
        && text.chars().all(plain)
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && !text.contains("..")
        && !text.contains("//")
        && !text.ends_with(['/', '.'])
}

/// True if a text is the name of a commit.
#[must_use]
pub fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OriginDocument {
    source: String,
    tag: Option<String>,
    commit: Option<String>,
    directory: Option<String>,
    digest: String,
}

impl OriginDocument {
    pub(super) fn parse(self, section: &str) -> Result<TemplateOrigin, RecordError> {
        let member = |name: &str, reason: String| RecordError::Member {
            member: format!("{section}.{name}"),
            reason,
        };
        let source = TemplateSource::parse(&self.source).map_err(|reason| {
            member("source", format!("`{}`: {reason}", excerpt(&self.source, 200)))
        })?;
        let held = |name: &str, value: Option<String>, judge: fn(&str) -> bool| match value {
            Some(text) if !judge(&text) => {
                Err(member(name, format!("`{}` is not a {name}", excerpt(&text, 200))))
            }
            value => Ok(value),
        };
        let directory = self.directory.as_deref();
        let directory = directory.map(|text| relative(&format!("{section}.directory"), text));
        let digest = Digest::parse(&self.digest);
        Ok(TemplateOrigin {
            source,
            tag: held("tag", self.tag, is_tag)?,
            commit: held("commit", self.commit, is_commit)?,
            directory: directory.transpose()?,
            digest: digest.ok_or_else(|| {
                member("digest", "it is not of the form sha256:<64 hex digits>".to_owned())
            })?,
        })
    }
}

impl TemplateOrigin {
    /// The members by name, in the order of the file.
    #[must_use]
    pub fn members(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("source", Some(self.source.to_string())),
            ("tag", self.tag.clone()),
            ("commit", self.commit.clone()),
            ("directory", self.directory.as_ref().map(ToString::to_string)),
            ("digest", Some(self.digest.to_string())),
        ]
    }

    pub(super) fn render(&self, section: &str, text: &mut String) {
        text.push_str(&format!("\n[{section}]\n"));
        let members = self.members().into_iter();
        for (key, value) in members.filter_map(|(key, value)| Some((key, value?))) {
            text.push_str(&format!("{key} = {}\n", quote(&value)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_reads_back_what_it_writes() {
        let source = TemplateSource::parse("github:acme/templates").unwrap();
        let origin = TemplateOrigin {
            source,
            tag: Some("v1.2.0".to_owned()),
            commit: Some("a".repeat(40)),
            directory: Some(RelativePath::literal("services/web")),
            digest: Digest::of(b"x"),
        };
        let mut text = String::new();
        origin.render("origin", &mut text);
        let text = text.replace("[origin]\n", "");
        let document: OriginDocument = toml_edit::de::from_str(&text).unwrap();
        assert_eq!(document.parse("origin"), Ok(origin));
    }

    #[test]
    fn addresses_and_tags_that_could_mean_something_else_are_refused() {
        assert!(GitAddress::parse("https://host.example/a/b.git").is_ok());
        for text in [
            "http://host.example/a",
            "https://user:secret@host.example/a",
            "https://host.example/a?x=y",
            "https://-oProxyCommand=x/a",
            "https://host.example/../a",
            "https://host.example",
            "file:///a",
        ] {
            assert!(GitAddress::parse(text).is_err(), "{text}");
        }
        assert!(is_tag("v1.0.0") && is_tag("web/1.0"));
        for text in ["", "-v1", "a..b", "a b", "--upload-pack=x", "a/", "a:b"] {
            assert!(!is_tag(text), "{text}");
        }
    }
}
