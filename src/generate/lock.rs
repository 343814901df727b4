//! `.agent/spec.lock`: what aos wrote, by digest.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::contract::{Family, SpecTag};
use crate::plan::{Digest, RelativePath};
use crate::visible::excerpt;

use super::record_spec::SpecSource;
use super::record_text::LOCK_VERSION;
use super::record_text::{RecordError, family, quote, relative, toml};
use super::runtime::Version;

/// Path of the lock.
pub const LOCK_PATH: &str = ".agent/spec.lock";
/// `.agent/spec.lock`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Lock {
    pub family: Family,
    pub tag: SpecTag,
    pub source: SpecSource,
    pub vendored: BTreeMap<RelativePath, Digest>,
    pub generated: BTreeMap<RelativePath, Digest>,
    pub runtime: Option<LockedRuntime>,
}

/// The runtime that a project has.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LockedRuntime {
    pub name: String,
    pub version: Version,
    pub files: BTreeMap<RelativePath, Digest>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuntimeRecord {
    name: String,
    version: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LockDocument {
    version: i64,
    family: String,
    tag: String,
    source: String,
    #[serde(default)]
    vendored: BTreeMap<String, String>,
    #[serde(default)]
    generated: BTreeMap<String, String>,
    runtime: Option<RuntimeRecord>,
}

impl Lock {
    /// Parses `.agent/spec.lock`.
    ///
    /// # Errors
    /// Returns an error if it is malformed, or a newer aos wrote it.
    pub fn parse(bytes: &[u8]) -> Result<Self, RecordError> {
        let document: LockDocument = toml(bytes).map_err(|error| {
            // A newer lock may have members that are unknown here.
            let version = lock_version(bytes).filter(|version| *version != LOCK_VERSION);
            version.map_or(error, RecordError::LockVersion)
        })?;
        if document.version != LOCK_VERSION {
            return Err(RecordError::LockVersion(document.version));
        }
        let tag = SpecTag::parse(&document.tag).map_err(|error| RecordError::Member {
            member: "tag".to_owned(),
            reason: error.to_string(),
        })?;
        let source = SpecSource::parse(&document.source).ok_or_else(|| RecordError::Member {
            member: "source".to_owned(),
            reason: "it is neither `embedded` nor `directory` nor `github:OWNER/REPOSITORY`"
                .to_owned(),
        })?;
        Ok(Self {
            family: family(&document.family)?,
            tag,
            source,
            vendored: digests("vendored", &document.vendored)?,
            generated: digests("generated", &document.generated)?,
            runtime: document.runtime.map(RuntimeRecord::parse).transpose()?,
        })
    }

    /// The bytes of the lock.
    #[must_use]
    pub fn render(&self) -> String {
        let mut text = String::from(
            "# Written by aos; do not edit. `aos check` compares every file with its digest.\n",
        );
        text.push_str(&format!(
            "version = {LOCK_VERSION}\nfamily = {}\ntag = {}\nsource = {}\n",
            quote(self.family.name()),
            quote(self.tag.as_str()),
            quote(&self.source.to_string())
        ));
        render_files(&mut text, "vendored", &self.vendored);
        render_files(&mut text, "generated", &self.generated);
        if let Some(runtime) = &self.runtime {
            text.push_str(&format!(
                "\n[runtime]\nname = {}\nversion = \"{}\"\n",
                quote(&runtime.name),
                runtime.version
            ));
            render_files(&mut text, "runtime.files", &runtime.files);
        }
        text
    }

    /// Digests of everything aos wrote, by path.
    #[must_use]
    pub fn known(&self) -> BTreeMap<RelativePath, Digest> {
        let mut known = self.vendored.clone();
        let runtime = self.runtime.iter().flat_map(|runtime| &runtime.files);
        let more = self.generated.iter().chain(runtime);
        known.extend(more.map(|(path, digest)| (path.clone(), *digest)));
        known
    }
}

impl RuntimeRecord {
    fn parse(self) -> Result<LockedRuntime, RecordError> {
        let version = Version::parse(&self.version).ok_or_else(|| RecordError::Member {
            member: "runtime.version".to_owned(),
            reason: "it is not a version `X.Y.Z`".to_owned(),
        })?;
        let files = digests("runtime.files", &self.files)?;
        Ok(LockedRuntime { name: self.name, version, files })
    }
}

fn render_files(text: &mut String, section: &str, files: &BTreeMap<RelativePath, Digest>) {
    text.push_str(&format!("\n[{section}]\n"));
    for (path, digest) in files {
        text.push_str(&format!("{} = \"{digest}\"\n", quote(path.as_str())));
    }
}

/// The version of a lock whose other members this program may not know.
fn lock_version(bytes: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(bytes).ok()?;
    text.parse::<toml_edit::DocumentMut>().ok()?.get("version")?.as_integer()
}

fn digests(
    section: &str,
    entries: &BTreeMap<String, String>,
) -> Result<BTreeMap<RelativePath, Digest>, RecordError> {
    entries
        .iter()
        .map(|(path, text)| {
            let digest = Digest::parse(text).ok_or_else(|| RecordError::Member {
                member: format!("{section}.\"{}\"", excerpt(path, 200)),
                reason: "it is not a digest of the form sha256:<64 hex digits>".to_owned(),
            })?;
            Ok((relative(section, path)?, digest))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RelativePath {
        RelativePath::parse(text).unwrap()
    }

    #[test]
    fn a_lock_reads_back_what_it_writes() {
        let lock = Lock {
            family: "agent-cli".parse().unwrap(),
            tag: SpecTag::parse("v1.1.0").unwrap(),
            source: SpecSource::Directory,
            vendored: BTreeMap::from([(path(".agent/CLI-SPEC.md"), Digest::of(b"x"))]),
            generated: BTreeMap::new(),
            runtime: None,
        };
        assert_eq!(Lock::parse(lock.render().as_bytes()).as_ref(), Ok(&lock));
        let runtime = LockedRuntime {
            name: "go".to_owned(),
            version: Version::parse("0.1.0").unwrap(),
            files: BTreeMap::from([(path("internal/runtime/a.go"), Digest::of(b"y"))]),
        };
        let lock = Lock { runtime: Some(runtime), ..lock };
        assert_eq!(Lock::parse(lock.render().as_bytes()), Ok(lock));
    }

    #[test]
    fn a_lock_of_another_version_is_named_even_when_its_members_are_unknown() {
        let error = Lock::parse(b"version = 2\nnew_member = 1\n").unwrap_err();
        assert_eq!(error, RecordError::LockVersion(2));
    }
}
