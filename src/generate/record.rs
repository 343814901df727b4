//! `aos.toml`: what a repository is and where its generated files go.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::contract::Family;

use super::output::Output;
use super::record_added::{self, AddedCommands};
use super::record_conform::{ConformDocument, ConformSection, Day};
use super::record_openapi::{OpenapiDocument, OpenapiSection};
use super::record_runtime::{RuntimeDocument, RuntimeSection};
use super::record_spec::{SpecDocument, SpecSection};
use super::record_template::{TemplateDocument, TemplateSection, UpgradeDocument, UpgradeSection};
use super::record_text::{RecordError, family, quote, toml};

/// Path of the record of a project.
pub const RECORD_PATH: &str = "aos.toml";
/// Path of the pin.
pub const PIN_PATH: &str = ".agent/SPEC_VERSION";
/// The directory with the vendored spec text, which aos manages.
pub const AGENT_DIRECTORY: &str = ".agent";
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
    /// The commands that `aos add` wrote.
    pub added: AddedCommands,
}

/// An accepted finding, with the reason.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Waiver {
    pub rule: String,
    /// The path of the findings. Without it the waiver accepts nothing.
    pub path: Option<String>,
    /// The number of findings of the rule in that path.
    pub count: usize,
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
    #[serde(default)]
    added: BTreeMap<String, BTreeMap<String, String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WaiverDocument {
    rule: String,
    path: Option<String>,
    count: Option<usize>,
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
            spec: document.spec.parse()?,
            template,
            upgrade: document.upgrade.map(UpgradeDocument::parse).transpose()?,
            openapi: document.openapi.map(OpenapiDocument::parse).transpose()?,
            answers: document.answers,
            outputs,
            runtime: document.runtime.map(RuntimeDocument::parse).transpose()?,
            waivers,
            conform: document.conform.parse()?,
            added: record_added::parse(document.added)?,
        })
    }

    /// The text of a new `aos.toml`.
    #[must_use]
    pub fn render(&self) -> String {
        let renewal = if self.family == Family::NONE { "upgrade" } else { "sync-spec" };
        let mut text = format!(
            "# The record of this repository: `aos check` verifies it, `aos {renewal}` updates it.\n"
        );
        if self.family != Family::NONE {
            text.push_str(&format!("family = {}\n\n", quote(self.family.name())));
            self.spec.render(&mut text);
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
    if document.count == Some(0) {
        return Err(RecordError::Member {
            member: member("count"),
            reason: "it must be at least 1".to_owned(),
        });
    }
    Ok(Waiver {
        rule: document.rule,
        path: document.path,
        count: document.count.unwrap_or(1),
        reason: document.reason,
        expires,
    })
}

#[cfg(test)]
mod tests {
    use super::super::record_conform::ProbeWaiver;
    use super::super::record_spec::{HostedPlace, SpecSource};
    use super::*;
    use crate::plan::RelativePath;
    use crate::repository::Repository;

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
            added: AddedCommands::new(),
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
            added: AddedCommands::new(),
        };
        assert!(record.render().contains("source = \"github:acme/specs\""));
        assert_eq!(Record::parse(record.render().as_bytes()), Ok(record));
    }

    #[test]
    fn a_source_that_is_not_a_repository_and_a_path_that_leads_out_are_refused() {
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
