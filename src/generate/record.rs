//! The two records of a repository: `aos.toml` (what it is) and `.agent/spec.lock` (what aos wrote).

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::contract::{Family, SpecTag, json};
use crate::plan::{Digest, RelativePath};

/// Where the record of a project lies.
pub const RECORD_PATH: &str = "aos.toml";
/// Where the pin lies.
pub const PIN_PATH: &str = ".agent/SPEC_VERSION";
/// Where the lock lies.
pub const LOCK_PATH: &str = ".agent/spec.lock";
/// The directory that holds vendored spec text; aos owns all of it.
pub const AGENT_DIRECTORY: &str = ".agent";
/// Where `contract.json` is vendored unless the record says otherwise.
pub const CONTRACT_DIRECTORY: &str = "contract";
/// The version of the lock format this program writes and reads.
pub const LOCK_VERSION: i64 = 1;

/// `aos.toml`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Record {
    pub family: Family,
    pub spec: SpecSection,
    pub template: Option<TemplateSection>,
    pub answers: BTreeMap<String, String>,
    /// Generator name to the files it writes.
    pub outputs: BTreeMap<String, Vec<RelativePath>>,
    pub waivers: Vec<Waiver>,
}

/// Where the contract comes from.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SpecSection {
    pub source: SpecSource,
    /// Directory of the vendored `contract.json`.
    pub directory: RelativePath,
    /// Whether digests in the lock are enough when the source is not at hand.
    pub trust_lock: bool,
}

/// The origin of vendored bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SpecSource {
    /// Inside the aos binary.
    Embedded,
    /// A directory given with `--from`.
    Directory,
}

impl SpecSource {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Directory => "directory",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Embedded, Self::Directory].into_iter().find(|source| source.name() == text)
    }
}

/// The template a project was made from.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TemplateSection {
    pub name: String,
    pub version: String,
}

/// An accepted finding, with the reason.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Waiver {
    pub rule: String,
    /// The only path it is for; any path without it.
    pub path: Option<String>,
    pub reason: String,
    /// Last day it counts, `YYYY-MM-DD`.
    pub expires: Option<String>,
}

/// `.agent/spec.lock`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Lock {
    pub family: Family,
    pub tag: SpecTag,
    pub source: SpecSource,
    pub vendored: BTreeMap<RelativePath, Digest>,
    pub generated: BTreeMap<RelativePath, Digest>,
}

/// Why a record cannot be used.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum RecordError {
    #[error("{message}{}", line.map(|line| format!(" (line {line})")).unwrap_or_default())]
    Syntax { message: String, line: Option<u32> },
    #[error("{member}: {reason}")]
    Member { member: String, reason: String },
    #[error(
        "the lock has version {0}, and this aos reads version {LOCK_VERSION}: a newer aos wrote it"
    )]
    LockVersion(i64),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordDocument {
    family: String,
    #[serde(default)]
    spec: SpecDocument,
    template: Option<TemplateDocument>,
    #[serde(default)]
    answers: BTreeMap<String, String>,
    #[serde(default)]
    outputs: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    waivers: Vec<WaiverDocument>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpecDocument {
    source: Option<String>,
    directory: Option<String>,
    trust: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TemplateDocument {
    name: String,
    version: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WaiverDocument {
    rule: String,
    path: Option<String>,
    reason: String,
    expires: Option<Day>,
}

/// A date, quoted or not.
#[derive(Deserialize)]
#[serde(untagged)]
enum Day {
    Text(String),
    Date(toml_edit::Datetime),
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
}

impl Record {
    /// Parses `aos.toml`.
    ///
    /// # Errors
    /// Names the member that is wrong.
    pub fn parse(bytes: &[u8]) -> Result<Self, RecordError> {
        let document: RecordDocument = toml(bytes)?;
        let family = family(&document.family)?;
        let mut outputs = BTreeMap::new();
        for (generator, paths) in document.outputs {
            let paths = paths
                .iter()
                .map(|path| relative(&format!("outputs.{generator}"), path))
                .collect::<Result<_, _>>()?;
            outputs.insert(generator, paths);
        }
        let waivers = document.waivers.into_iter().map(waiver).collect::<Result<_, _>>()?;
        Ok(Self {
            family,
            spec: spec_section(document.spec)?,
            template: document
                .template
                .map(|template| TemplateSection { name: template.name, version: template.version }),
            answers: document.answers,
            outputs,
            waivers,
        })
    }

    /// The text of a new `aos.toml`.
    #[must_use]
    pub fn render(&self) -> String {
        let mut text = String::from(
            "# What aos keeps true in this repository: `aos check` verifies it, `aos sync-spec` renews it.\n",
        );
        text.push_str(&format!("family = {}\n\n[spec]\n", quote(self.family.name())));
        text.push_str(&format!("source = {}\n", quote(self.spec.source.name())));
        if self.spec.directory.as_str() != CONTRACT_DIRECTORY {
            text.push_str(&format!("directory = {}\n", quote(self.spec.directory.as_str())));
        }
        if self.spec.trust_lock {
            text.push_str("trust = \"lock\"\n");
        }
        if let Some(template) = &self.template {
            text.push_str(&format!(
                "\n[template]\nname = {}\nversion = {}\n",
                quote(&template.name),
                quote(&template.version)
            ));
        }
        if !self.answers.is_empty() {
            text.push_str("\n[answers]\n");
            for (key, value) in &self.answers {
                text.push_str(&format!("{key} = {}\n", quote(value)));
            }
        }
        if !self.outputs.is_empty() {
            text.push_str("\n[outputs]\n");
            for (generator, paths) in &self.outputs {
                let paths: Vec<_> = paths.iter().map(|path| quote(path.as_str())).collect();
                text.push_str(&format!("{generator} = [{}]\n", paths.join(", ")));
            }
        }
        text
    }
}

/// The text of an `aos.toml` with another spec source; everything else keeps its form.
///
/// # Errors
/// When the text is not TOML.
pub fn with_spec_source(text: &str, spec: &SpecSection) -> Result<String, RecordError> {
    let mut document: toml_edit::DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| RecordError::Syntax {
            message: json::printable(&error.message().replace('\n', ", ")),
            line: None,
        })?;
    let section = document.entry("spec").or_insert_with(toml_edit::table);
    let fault = || RecordError::Member {
        member: "spec".to_owned(),
        reason: "it is not a table".to_owned(),
    };
    let table = section.as_table_like_mut().ok_or_else(fault)?;
    table.insert("source", toml_edit::value(spec.source.name()));
    if spec.trust_lock {
        table.insert("trust", toml_edit::value("lock"));
    } else {
        table.remove("trust");
    }
    Ok(document.to_string())
}

impl Lock {
    /// Parses `.agent/spec.lock`.
    ///
    /// # Errors
    /// When it is malformed, or a newer aos wrote it.
    pub fn parse(bytes: &[u8]) -> Result<Self, RecordError> {
        if let Some(version) = lock_version(bytes).filter(|version| *version != LOCK_VERSION) {
            return Err(RecordError::LockVersion(version));
        }
        let document: LockDocument = toml(bytes)?;
        if document.version != LOCK_VERSION {
            return Err(RecordError::LockVersion(document.version));
        }
        let tag = SpecTag::parse(&document.tag).map_err(|error| RecordError::Member {
            member: "tag".to_owned(),
            reason: error.to_string(),
        })?;
        let source = SpecSource::parse(&document.source).ok_or_else(|| RecordError::Member {
            member: "source".to_owned(),
            reason: "it is neither `embedded` nor `directory`".to_owned(),
        })?;
        Ok(Self {
            family: family(&document.family)?,
            tag,
            source,
            vendored: digests("vendored", &document.vendored)?,
            generated: digests("generated", &document.generated)?,
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
            quote(self.source.name())
        ));
        for (section, files) in [("vendored", &self.vendored), ("generated", &self.generated)] {
            text.push_str(&format!("\n[{section}]\n"));
            for (path, digest) in files {
                text.push_str(&format!("{} = \"{digest}\"\n", quote(path.as_str())));
            }
        }
        text
    }

    /// Digests of everything aos wrote, by path.
    #[must_use]
    pub fn known(&self) -> BTreeMap<RelativePath, Digest> {
        let mut known = self.vendored.clone();
        known.extend(self.generated.iter().map(|(path, digest)| (path.clone(), *digest)));
        known
    }
}

/// The version of a lock whose other members this program may not know.
fn lock_version(bytes: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(bytes).ok()?;
    text.parse::<toml_edit::DocumentMut>().ok()?.get("version")?.as_integer()
}

fn toml<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, RecordError> {
    if bytes.len() > json::MAX_DOCUMENT {
        return Err(RecordError::Syntax { message: "it is too large".to_owned(), line: None });
    }
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err(RecordError::Syntax {
            message: "it starts with a byte order mark".to_owned(),
            line: None,
        });
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|_| RecordError::Syntax { message: "it is not UTF-8".to_owned(), line: None })?;
    toml_edit::de::from_str(text).map_err(|error| RecordError::Syntax {
        message: json::printable(&error.message().replace('\n', ", ")),
        line: error.span().map(|span| line_of(text, span.start)),
    })
}

fn line_of(text: &str, offset: usize) -> u32 {
    let before = text.as_bytes().get(..offset).unwrap_or_default();
    u32::try_from(before.iter().filter(|byte| **byte == b'\n').count() + 1).unwrap_or(u32::MAX)
}

fn family(text: &str) -> Result<Family, RecordError> {
    text.parse().map_err(|_| {
        let known: Vec<_> = Family::ALL.iter().map(|family| family.name()).collect();
        RecordError::Member {
            member: "family".to_owned(),
            reason: format!("`{}` is not one of {}", text.escape_debug(), known.join(", ")),
        }
    })
}

fn relative(member: &str, text: &str) -> Result<RelativePath, RecordError> {
    RelativePath::parse(text).map_err(|error| RecordError::Member {
        member: json::printable(member),
        reason: error.to_string(),
    })
}

fn spec_section(document: SpecDocument) -> Result<SpecSection, RecordError> {
    let source = match document.source.as_deref() {
        None => SpecSource::Embedded,
        Some(text) => SpecSource::parse(text).ok_or_else(|| RecordError::Member {
            member: "spec.source".to_owned(),
            reason: format!("`{}` is neither `embedded` nor `directory`", text.escape_debug()),
        })?,
    };
    let trust_lock = match document.trust.as_deref() {
        None => false,
        Some("lock") => true,
        Some(other) => {
            return Err(RecordError::Member {
                member: "spec.trust".to_owned(),
                reason: format!(
                    "`{}` is not known; the only value is `lock`",
                    other.escape_debug()
                ),
            });
        }
    };
    let directory =
        relative("spec.directory", document.directory.as_deref().unwrap_or(CONTRACT_DIRECTORY))?;
    Ok(SpecSection { source, directory, trust_lock })
}

fn waiver(document: WaiverDocument) -> Result<Waiver, RecordError> {
    let member = |name: &str| format!("waivers.{name}");
    if document.reason.trim().is_empty() {
        return Err(RecordError::Member {
            member: member("reason"),
            reason: "a waiver needs a reason".to_owned(),
        });
    }
    let expires = match document.expires {
        None => None,
        Some(value) => {
            let text = match value {
                Day::Text(text) => text,
                Day::Date(date) => date.to_string(),
            };
            if text.parse::<jiff::civil::Date>().is_err() {
                let reason =
                    format!("`{}` is not a date of the form YYYY-MM-DD", text.escape_debug());
                return Err(RecordError::Member { member: member("expires"), reason });
            }
            Some(text)
        }
    };
    Ok(Waiver { rule: document.rule, path: document.path, reason: document.reason, expires })
}

fn digests(
    section: &str,
    entries: &BTreeMap<String, String>,
) -> Result<BTreeMap<RelativePath, Digest>, RecordError> {
    entries
        .iter()
        .map(|(path, text)| {
            let digest = Digest::parse(text).ok_or_else(|| RecordError::Member {
                member: format!("{section}.\"{}\"", path.escape_debug()),
                reason: "it is not a digest of the form sha256:<64 hex digits>".to_owned(),
            })?;
            Ok((relative(section, path)?, digest))
        })
        .collect()
}

/// A TOML basic string.
#[must_use]
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for symbol in text.chars() {
        match symbol {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            _ if symbol.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(symbol))),
            _ => quoted.push(symbol),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RelativePath {
        RelativePath::parse(text).unwrap()
    }

    #[test]
    fn a_record_reads_back_what_it_writes() {
        let record = Record {
            family: Family::Harness,
            spec: SpecSection {
                source: SpecSource::Embedded,
                directory: path("contract"),
                trust_lock: false,
            },
            template: Some(TemplateSection {
                name: "connector-python".into(),
                version: "1.0.0".into(),
            }),
            answers: BTreeMap::from([("label".into(), "Git\"Hub\\ \n".into())]),
            outputs: BTreeMap::from([("python".into(), vec![path("a/contract_gen.py")])]),
            waivers: vec![],
        };
        assert_eq!(Record::parse(record.render().as_bytes()), Ok(record));
    }

    #[test]
    fn a_lock_reads_back_what_it_writes() {
        let lock = Lock {
            family: Family::AgentCli,
            tag: SpecTag::parse("v1.1.0").unwrap(),
            source: SpecSource::Directory,
            vendored: BTreeMap::from([(path(".agent/CLI-SPEC.md"), Digest::of(b"x"))]),
            generated: BTreeMap::new(),
        };
        assert_eq!(Lock::parse(lock.render().as_bytes()), Ok(lock));
    }

    #[test]
    fn a_lock_of_another_version_is_named_even_when_its_members_are_unknown() {
        let error = Lock::parse(b"version = 2\nnew_member = 1\n").unwrap_err();
        assert_eq!(error, RecordError::LockVersion(2));
    }

    #[test]
    fn paths_and_members_that_aos_does_not_know_are_refused() {
        for text in [
            "family = \"harness\"\nfoo = 1\n",
            "family = \"nope\"\n",
            "family = \"harness\"\n[outputs]\npython = [\"../x.py\"]\n",
            "family = \"harness\"\n[spec]\nsource = \"https://x\"\n",
            "family = \"harness\"\n[[waivers]]\nrule = \"a/b\"\nreason = \" \"\n",
            "family = \"harness\"\n[[waivers]]\nrule = \"a/b\"\nreason = \"r\"\nexpires = \"soon\"\n",
        ] {
            assert!(Record::parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
