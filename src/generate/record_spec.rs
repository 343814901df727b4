//! `[spec]` of `aos.toml`: where the contract of a project comes from, and where it is vendored.

use std::fmt;

use serde::Deserialize;

use crate::contract::json;
use crate::plan::RelativePath;
use crate::repository::Repository;
use crate::visible::excerpt;

use super::record_text::{RecordError, quote, relative};

/// The default directory of `contract.json`.
pub const CONTRACT_DIRECTORY: &str = "contract";

/// The source of the contract.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SpecSection {
    pub source: SpecSource,
    /// Directory of the vendored `contract.json`.
    pub directory: RelativePath,
    /// Whether digests in the lock are enough when the source is not at hand.
    pub trust_lock: bool,
    /// The location of the contract at its source; only a host has one.
    pub place: HostedPlace,
    /// The project's own files in the directories of the contract.
    pub keep: Vec<RelativePath>,
}

impl SpecSection {
    /// Contracts from the binary, vendored where they usually are.
    #[must_use]
    pub fn embedded() -> Self {
        Self {
            source: SpecSource::Embedded,
            directory: RelativePath::literal(CONTRACT_DIRECTORY),
            trust_lock: false,
            place: HostedPlace::default(),
            keep: Vec::new(),
        }
    }

    /// Adds `[spec]` to the text of a record.
    pub fn render(&self, text: &mut String) {
        text.push_str("[spec]\n");
        text.push_str(&format!("source = {}\n", quote(&self.source.to_string())));
        if self.directory.as_str() != CONTRACT_DIRECTORY {
            text.push_str(&format!("directory = {}\n", quote(self.directory.as_str())));
        }
        if self.trust_lock {
            text.push_str("trust = \"lock\"\n");
        }
        self.place.render(text);
        if !self.keep.is_empty() {
            let paths: Vec<_> =
                self.keep.iter().map(|path| format!("  {},\n", quote(path.as_str()))).collect();
            text.push_str(&format!("keep = [\n{}]\n", paths.concat()));
        }
    }
}

/// The origin of vendored bytes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum SpecSource {
    /// Inside the aos binary.
    Embedded,
    /// A directory given with `--from`.
    Directory,
    /// Releases of a repository on a host.
    Host(Repository),
}

/// Prefix of the name of a source on a host, before the repository.
const HOST_PREFIX: &str = "github:";

impl SpecSource {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "embedded" => Some(Self::Embedded),
            "directory" => Some(Self::Directory),
            _ => {
                let repository = text.strip_prefix(HOST_PREFIX)?;
                Repository::parse(repository).ok().map(Self::Host)
            }
        }
    }
}

impl fmt::Display for SpecSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedded => formatter.write_str("embedded"),
            Self::Directory => formatter.write_str("directory"),
            Self::Host(repository) => write!(formatter, "{HOST_PREFIX}{repository}"),
        }
    }
}

/// The location of a contract in an archive of its source, if it is not the usual one.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct HostedPlace {
    /// Directory that is used as the root of the archive.
    pub prefix: Option<RelativePath>,
    /// Name of the contract below it, `contract.json` without.
    pub contract: Option<RelativePath>,
    /// Name of the spec text below it, that of the family without.
    pub spec: Option<RelativePath>,
}

/// `[spec]` as it is written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpecDocument {
    source: Option<String>,
    directory: Option<String>,
    trust: Option<String>,
    prefix: Option<String>,
    files: Option<FilesDocument>,
    #[serde(default)]
    keep: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FilesDocument {
    contract: Option<String>,
    spec: Option<String>,
}

impl SpecDocument {
    /// The section.
    ///
    /// # Errors
    /// Names the member that is wrong.
    pub(crate) fn parse(self) -> Result<SpecSection, RecordError> {
        let source = match self.source.as_deref() {
            None => SpecSource::Embedded,
            Some(text) => SpecSource::parse(text).ok_or_else(|| RecordError::Member {
                member: "spec.source".to_owned(),
                reason: format!(
                    "`{}` is neither `embedded` nor `directory` nor `github:OWNER/REPOSITORY`",
                    json::printable(text)
                ),
            })?,
        };
        let trust_lock = match self.trust.as_deref() {
            None => false,
            Some("lock") => true,
            Some(other) => {
                return Err(RecordError::Member {
                    member: "spec.trust".to_owned(),
                    reason: format!(
                        "`{}` is not known; the only value is `lock`",
                        excerpt(other, 200)
                    ),
                });
            }
        };
        let directory =
            relative("spec.directory", self.directory.as_deref().unwrap_or(CONTRACT_DIRECTORY))?;
        let place = hosted_place(self.prefix.as_deref(), self.files, &source)?;
        let keep = self.keep.iter().map(|path| relative("spec.keep", path));
        let keep = keep.collect::<Result<_, _>>()?;
        Ok(SpecSection { source, directory, trust_lock, place, keep })
    }
}

/// Members that would silently do nothing are refused.
fn hosted_place(
    prefix: Option<&str>,
    files: Option<FilesDocument>,
    source: &SpecSource,
) -> Result<HostedPlace, RecordError> {
    let member = |member: &str, reason: &str| RecordError::Member {
        member: member.to_owned(),
        reason: reason.to_owned(),
    };
    let path =
        |member: &str, text: Option<&str>| text.map(|text| relative(member, text)).transpose();
    if !matches!(source, SpecSource::Host(_)) {
        let useless = "it is the location of a contract in a source `github:OWNER/REPOSITORY`, and this project has no such source";
        return match (prefix, &files) {
            (None, None) => Ok(HostedPlace::default()),
            (Some(_), _) => Err(member("spec.prefix", useless)),
            (None, Some(_)) => Err(member("spec.files", useless)),
        };
    }
    let files = files.unwrap_or_default();
    let place = HostedPlace {
        prefix: path("spec.prefix", prefix)?,
        contract: path("spec.files.contract", files.contract.as_deref())?,
        spec: path("spec.files.spec", files.spec.as_deref())?,
    };
    if place.contract.is_some() && place.contract == place.spec {
        return Err(member("spec.files", "contract and spec text are one file"));
    }
    Ok(place)
}

impl HostedPlace {
    fn render(&self, text: &mut String) {
        if let Some(prefix) = &self.prefix {
            text.push_str(&format!("prefix = {}\n", quote(prefix.as_str())));
        }
        let files: Vec<_> = [("contract", &self.contract), ("spec", &self.spec)]
            .into_iter()
            .filter_map(|(name, path)| {
                path.as_ref().map(|path| format!("{name} = {}", quote(path.as_str())))
            })
            .collect();
        if !files.is_empty() {
            text.push_str(&format!("files = {{ {} }}\n", files.join(", ")));
        }
    }
}
