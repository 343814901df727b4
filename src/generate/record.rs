//! `aos.toml`: what a repository is and where its generated files go.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use crate::contract::{Family, json};
use crate::plan::RelativePath;
use crate::repository::Repository;
use crate::visible::excerpt;

use super::output::Output;
use super::record_conform::{ConformDocument, ConformSection, Day};
use super::record_openapi::{OpenapiDocument, OpenapiSection};
use super::record_runtime::{RuntimeDocument, RuntimeSection};
use super::record_template::{TemplateDocument, TemplateSection, UpgradeDocument, UpgradeSection};
use super::record_text::{RecordError, family, quote, relative, toml};

/// Path of the record of a project.
pub const RECORD_PATH: &str = "aos.toml";
/// Path of the pin.
pub const PIN_PATH: &str = ".agent/SPEC_VERSION";
/// The directory with the vendored spec text, which aos manages.
pub const AGENT_DIRECTORY: &str = ".agent";
/// Where `contract.json` is vendored unless the record says otherwise.
pub const CONTRACT_DIRECTORY: &str = "contract";

/// `aos.toml`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Record {
    pub family: Family,
    pub spec: SpecSection,
    pub template: Option<TemplateSection>,
    /// An upgrade whose conflicts are open.
    pub upgrade: Option<UpgradeSection>,
    /// The description that the commands were made from.
    pub openapi: Option<OpenapiSection>,
    pub answers: BTreeMap<String, String>,
    /// Generator name to the files it writes.
    pub outputs: BTreeMap<String, Vec<Output>>,
    pub runtime: Option<RuntimeSection>,
    pub waivers: Vec<Waiver>,
    pub conform: ConformSection,
}

/// Where the contract comes from.
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordDocument {
    family: Option<String>,
    #[serde(default)]
    spec: SpecDocument,
    template: Option<TemplateDocument>,
    upgrade: Option<UpgradeDocument>,
    openapi: Option<OpenapiDocument>,
    #[serde(default)]
    answers: BTreeMap<String, String>,
    #[serde(default)]
    outputs: BTreeMap<String, Vec<serde_json::Value>>,
    runtime: Option<RuntimeDocument>,
    #[serde(default)]
    waivers: Vec<WaiverDocument>,
    #[serde(default)]
    conform: ConformDocument,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpecDocument {
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WaiverDocument {
    rule: String,
    path: Option<String>,
    reason: String,
    expires: Option<Day>,
}

impl Record {
    /// Parses `aos.toml`.
    ///
    /// # Errors
    /// Names the member that is wrong.
    pub fn parse(bytes: &[u8]) -> Result<Self, RecordError> {
        let document: RecordDocument = toml(bytes)?;
        let template = document.template.map(TemplateDocument::parse).transpose()?;
        let family = match &document.family {
            Some(name) => family(name)?,
            // The template of such a project is all that it follows.
            None if template.as_ref().is_some_and(|section| section.origin.is_some()) => {
                Family::NONE
            }
            None => {
                let (message, line) = ("missing field `family`".to_owned(), Some(1));
                return Err(RecordError::Syntax { message, line });
            }
        };
        let mut outputs = BTreeMap::new();
        for (generator, entries) in document.outputs {
            let entries = entries.iter().map(|entry| Output::parse(&generator, entry));
            outputs.insert(generator.clone(), entries.collect::<Result<_, _>>()?);
        }
        let waivers = document.waivers.into_iter().map(waiver).collect::<Result<_, _>>()?;
        Ok(Self {
            family,
            spec: spec_section(document.spec)?,
            template,
            upgrade: document.upgrade.map(UpgradeDocument::parse).transpose()?,
            openapi: document.openapi.map(OpenapiDocument::parse).transpose()?,
            answers: document.answers,
            outputs,
            runtime: document.runtime.map(RuntimeDocument::parse).transpose()?,
            waivers,
            conform: document.conform.parse()?,
        })
    }

    /// The text of a new `aos.toml`.
    #[must_use]
    pub fn render(&self) -> String {
        let renewal = if self.family == Family::NONE { "upgrade" } else { "sync-spec" };
        let mut text = format!(
            "# What aos keeps true in this repository: `aos check` verifies it, `aos {renewal}` renews it.\n"
        );
        if self.family != Family::NONE {
            self.render_contract(&mut text);
        }
        if let Some(template) = &self.template {
            template.render(&mut text);
        }
        if let Some(openapi) = &self.openapi {
            openapi.render(&mut text);
        }
        if !self.answers.is_empty() {
            text.push_str("\n[answers]\n");
            for (key, value) in &self.answers {
                text.push_str(&format!("{key} = {}\n", quote(value)));
            }
        }
        if !self.outputs.is_empty() {
            text.push_str("\n[outputs]\n");
            for (generator, outputs) in &self.outputs {
                let entries: Vec<_> = outputs.iter().map(Output::render).collect();
                text.push_str(&format!("{generator} = [{}]\n", entries.join(", ")));
            }
        }
        if let Some(runtime) = &self.runtime {
            runtime.render(&mut text);
        }
        self.conform.render(&mut text);
        text
    }

    /// The family and where its contract comes from.
    fn render_contract(&self, text: &mut String) {
        text.push_str(&format!("family = {}\n\n[spec]\n", quote(self.family.name())));
        text.push_str(&format!("source = {}\n", quote(&self.spec.source.to_string())));
        if self.spec.directory.as_str() != CONTRACT_DIRECTORY {
            text.push_str(&format!("directory = {}\n", quote(self.spec.directory.as_str())));
        }
        if self.spec.trust_lock {
            text.push_str("trust = \"lock\"\n");
        }
        self.spec.place.render(text);
        if !self.spec.keep.is_empty() {
            let paths: Vec<_> = self
                .spec
                .keep
                .iter()
                .map(|path| format!("  {},\n", quote(path.as_str())))
                .collect();
            text.push_str(&format!("keep = [\n{}]\n", paths.concat()));
        }
    }
}

/// The text of an `aos.toml` with another spec source; everything else keeps its form.
///
/// # Errors
/// When the text is not TOML.
pub fn with_spec_source(text: &str, spec: &SpecSection) -> Result<String, RecordError> {
    let mut document: toml_edit::DocumentMut = text.parse().map_err(syntax)?;
    let section = document.entry("spec").or_insert_with(toml_edit::table);
    let fault = || RecordError::Member {
        member: "spec".to_owned(),
        reason: "it is not a table".to_owned(),
    };
    let table = section.as_table_like_mut().ok_or_else(fault)?;
    table.insert("source", toml_edit::value(spec.source.to_string()));
    if spec.trust_lock {
        table.insert("trust", toml_edit::value("lock"));
    } else {
        table.remove("trust");
    }
    if spec.place == HostedPlace::default() {
        table.remove("prefix");
        table.remove("files");
    }
    Ok(document.to_string())
}

/// The text of an `aos.toml` with other outputs; entries that are the same keep their form.
///
/// # Errors
/// When the text is not TOML.
pub fn with_outputs(
    text: &str,
    outputs: &BTreeMap<String, Vec<Output>>,
) -> Result<String, RecordError> {
    let mut document: toml_edit::DocumentMut = text.parse().map_err(syntax)?;
    let known = Record::parse(text.as_bytes())?.outputs;
    let section = document.entry("outputs").or_insert_with(toml_edit::table);
    let fault = || RecordError::Member {
        member: "outputs".to_owned(),
        reason: "it is not a table".to_owned(),
    };
    let table = section.as_table_like_mut().ok_or_else(fault)?;
    for (generator, entries) in outputs {
        if known.get(generator) == Some(entries) {
            continue;
        }
        let rendered: Vec<_> = entries.iter().map(Output::render).collect();
        let value: toml_edit::Value =
            format!("[{}]", rendered.join(", ")).parse().map_err(syntax)?;
        match table.get_mut(generator).and_then(toml_edit::Item::as_value_mut) {
            Some(old) => {
                let decor = old.decor().clone();
                *old = value;
                *old.decor_mut() = decor;
            }
            None => {
                table.insert(generator, toml_edit::value(value));
            }
        }
    }
    Ok(document.to_string())
}

fn syntax(error: toml_edit::TomlError) -> RecordError {
    RecordError::Syntax {
        message: json::printable(&error.message().replace('\n', ", ")),
        line: None,
    }
}

fn spec_section(document: SpecDocument) -> Result<SpecSection, RecordError> {
    let source = match document.source.as_deref() {
        None => SpecSource::Embedded,
        Some(text) => SpecSource::parse(text).ok_or_else(|| RecordError::Member {
            member: "spec.source".to_owned(),
            reason: format!(
                "`{}` is neither `embedded` nor `directory` nor `github:OWNER/REPOSITORY`",
                json::printable(text)
            ),
        })?,
    };
    let trust_lock = match document.trust.as_deref() {
        None => false,
        Some("lock") => true,
        Some(other) => {
            return Err(RecordError::Member {
                member: "spec.trust".to_owned(),
                reason: format!("`{}` is not known; the only value is `lock`", excerpt(other, 200)),
            });
        }
    };
    let directory =
        relative("spec.directory", document.directory.as_deref().unwrap_or(CONTRACT_DIRECTORY))?;
    let place = hosted_place(document.prefix.as_deref(), document.files, &source)?;
    let keep = document.keep.iter().map(|path| relative("spec.keep", path));
    let keep = keep.collect::<Result<_, _>>()?;
    Ok(SpecSection { source, directory, trust_lock, place, keep })
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
        let useless = "it says where a contract lies at a source `github:OWNER/REPOSITORY`, and this source is none";
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

fn waiver(document: WaiverDocument) -> Result<Waiver, RecordError> {
    let member = |name: &str| format!("waivers.{name}");
    if document.reason.trim().is_empty() {
        return Err(RecordError::Member {
            member: member("reason"),
            reason: "a waiver needs a reason".to_owned(),
        });
    }
    let expires = document.expires.map(|day| day.parse(&member("expires"))).transpose()?;
    Ok(Waiver { rule: document.rule, path: document.path, reason: document.reason, expires })
}

#[cfg(test)]
mod tests {
    use super::super::record_conform::ProbeWaiver;
    use super::*;

    fn path(text: &str) -> RelativePath {
        RelativePath::parse(text).unwrap()
    }

    #[test]
    fn a_record_reads_back_what_it_writes() {
        let record = Record {
            family: "harness".parse().unwrap(),
            spec: SpecSection { keep: vec![path(".agent/NOTES.md")], ..SpecSection::embedded() },
            template: Some(TemplateSection {
                name: "connector-python".into(),
                version: "1.0.0".into(),
                aos: Some("0.1.0".into()),
                spec: Some("v1.1.0".into()),
                origin: None,
            }),
            upgrade: None,
            openapi: None,
            answers: BTreeMap::from([("label".into(), "Git\"Hub\\ \n".into())]),
            outputs: BTreeMap::from([(
                "python".into(),
                vec![Output::at(path("a/contract_gen.py"))],
            )]),
            runtime: None,
            waivers: vec![],
            conform: ConformSection {
                command: vec!["bin/acme".into(), "a \"b\"".into()],
                waivers: vec![ProbeWaiver {
                    probe: "cli.update-managed".into(),
                    reason: "it's \\ \"so\"".into(),
                    expires: Some("2030-01-31".into()),
                }],
            },
        };
        assert_eq!(Record::parse(record.render().as_bytes()), Ok(record));
    }

    #[test]
    fn a_source_on_a_host_reads_back_with_its_place() {
        let place = HostedPlace {
            prefix: Some(path("specs/agents")),
            contract: None,
            spec: Some(path(".agent/CLI-SPEC.md")),
        };
        let source = SpecSource::Host(Repository::parse("acme/specs").unwrap());
        let spec = SpecSection { source, place, trust_lock: true, ..SpecSection::embedded() };
        let record = Record {
            family: "agent-cli".parse().unwrap(),
            spec,
            template: None,
            upgrade: None,
            openapi: None,
            answers: BTreeMap::new(),
            outputs: BTreeMap::new(),
            runtime: None,
            waivers: vec![],
            conform: ConformSection::default(),
        };
        assert!(record.render().contains("source = \"github:acme/specs\""));
        assert_eq!(Record::parse(record.render().as_bytes()), Ok(record));
    }

    #[test]
    fn a_source_that_is_no_repository_or_a_place_that_leads_out_is_refused() {
        for text in [
            "source = \"github:\"",
            "source = \"github:acme\"",
            "source = \"github:acme/specs/main\"",
            "source = \"github:acme/../other\"",
            "source = \"github:acme/specs?x=1\"",
            "source = \"github:acme/specs#v1\"",
            "source = \"GitHub:acme/specs\"",
            "source = \"https://github.com/acme/specs\"",
            "source = \"github:acme/specs\"\nprefix = \"../x\"",
            "source = \"github:acme/specs\"\nprefix = \"\"",
            "source = \"github:acme/specs\"\nfiles = { contract = \"/etc/passwd\" }",
            "source = \"github:acme/specs\"\nfiles = { text = \"x\" }",
            "source = \"github:acme/specs\"\nfiles = { contract = \"x\", spec = \"x\" }",
            "source = \"github:acme/specs\"\ntrust = \"anything\"",
            "source = \"embedded\"\nprefix = \"x\"",
            "files = { contract = \"x\" }",
        ] {
            let text = format!("family = \"harness\"\n[spec]\n{text}\n");
            assert!(Record::parse(text.as_bytes()).is_err(), "{text}");
        }
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
