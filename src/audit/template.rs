//! The template of a project: its version, the newest one, and the conflicts of an upgrade that are open.

use std::collections::BTreeMap;
use std::path::Path;

use crate::contract::rules::rule::Rule;
use crate::contract::{Finding, Severity};
use crate::generate::record::RECORD_PATH;
use crate::generate::record_origin::ARCHIVE_PATH;
use crate::generate::record_template::UpgradeSection;
use crate::generate::runtime::Version;
use crate::inputs::own_template::archived;
use crate::inputs::project::Project;
use crate::inputs::{answers, template};
use crate::merge::lines;
use crate::plan::RelativePath;
use crate::system::files::{self, Kind};
use crate::visible::excerpt;

use super::rules;

/// Largest file that is searched for markers, in bytes.
const MAX_FILE: u64 = 16 * 1024 * 1024;
/// The suffix of the file with a rejected change.
const REJECTED: &str = ".rej";

/// The rule of a project's own template.
pub const ARCHIVE: Rule = Rule {
    id: "template/archive",
    severity: Severity::Error,
    waivable: false,
    families: &[],
    summary: "The archive of your own template has the digest in aos.toml",
    why: "`aos upgrade` renders the old version of the template from it; with another one it would undo or lose changes",
    fix: "restore `.agent/template.tar.gz` from version control",
    source: "aos.toml",
};

/// The template that a project was made from, as its record says.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TemplateState {
    pub name: String,
    pub version: String,
    /// The version that this aos has; `None` when it has no template of that name.
    pub newest: Option<String>,
    /// The target version of an upgrade with conflicts.
    pub waiting: Option<String>,
    pub open: Vec<OpenConflict>,
    /// Why the archive in the project is not the template that it was made from.
    pub archive: Option<String>,
    /// Whether it is a template of the user's own.
    pub is_own: bool,
    /// Whether this aos knows the recorded version.
    pub is_known: bool,
    /// Answers that the template does not allow.
    pub wrong_answers: Vec<String>,
}

/// An unresolved conflict.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OpenConflict {
    pub path: RelativePath,
    /// Line of the first marker; `None` for a `.rej` file.
    pub line: Option<usize>,
}

impl TemplateState {
    #[must_use]
    pub fn of(project: &Project) -> Option<Self> {
        let record = project.record.good()?;
        let section = record.template.as_ref()?;
        let upgrade = record.upgrade.as_ref();
        // An upgrade with open conflicts has brought its archive already.
        let origin =
            upgrade.and_then(|upgrade| upgrade.origin.as_ref()).or(section.origin.as_ref());
        let archive = origin.and_then(|origin| archived(&project.root, origin).err());
        Some(Self {
            name: section.name.clone(),
            version: section.version.clone(),
            newest: match origin {
                Some(_) => None,
                None => template::newest(&section.name),
            },
            archive: archive.map(|error| error.to_string()),
            is_own: origin.is_some(),
            waiting: upgrade.map(|upgrade| upgrade.version.clone()),
            open: upgrade.map(|upgrade| open(&project.root, upgrade)).unwrap_or_default(),
            is_known: origin.is_some() || template::is_version(&section.name, &section.version),
            wrong_answers: match origin {
                Some(_) => Vec::new(),
                None => wrong_answers(&section.name, &section.version, &record.answers),
            },
        })
    }

    /// The version of this aos, when it is newer than that of the project.
    #[must_use]
    pub fn newer(&self) -> Option<&str> {
        let newest = self.newest.as_deref()?;
        let (now, ours) = (Version::parse(&self.version)?, Version::parse(newest)?);
        (now < ours).then_some(newest)
    }

    /// Findings about the template of a project.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        if let Some(reason) = &self.archive {
            findings.push(ARCHIVE.finding(ARCHIVE_PATH, reason.clone()));
        }
        for OpenConflict { path, line } in &self.open {
            let message = match line {
                Some(_) => "a conflict of an upgrade is not resolved",
                None => "a change of the template was rejected and is not resolved",
            };
            let mut finding = rules::CONFLICT.finding(path.as_str(), message.to_owned());
            finding.line = line.and_then(|line| u32::try_from(line).ok());
            findings.push(finding);
        }
        if let (Some(waiting), true) = (&self.waiting, self.open.is_empty()) {
            let message = format!("the upgrade of `{}` to {waiting} is not completed", self.name);
            findings.push(rules::UNFINISHED.finding(RECORD_PATH, message));
        }
        if let (Some(newest), None) = (self.newer(), &self.waiting) {
            let message =
                format!("the template `{}` is {}; this aos has {newest}", self.name, self.version);
            findings.push(rules::TEMPLATE_BEHIND.finding(RECORD_PATH, message));
        }
        if !self.is_known {
            let known = match &self.newest {
                Some(newest) => format!("its newest version is {newest}"),
                None => "this template does not exist".to_owned(),
            };
            let message = format!(
                "this aos does not know the template `{}` {}: {known}",
                excerpt(&self.name, 60),
                excerpt(&self.version, 40)
            );
            findings.push(rules::TEMPLATE_UNKNOWN.finding(RECORD_PATH, message));
        }
        findings.extend(
            self.wrong_answers
                .iter()
                .map(|reason| rules::TEMPLATE_ANSWERS.finding(RECORD_PATH, reason.clone())),
        );
        findings
    }
}

/// Answers that `aos new` records for every template.
const OF_NEW: &[&str] = &["name", "preset"];

/// Returns the faults of recorded answers; none if the template is not one of this aos.
fn wrong_answers(name: &str, version: &str, given: &BTreeMap<String, String>) -> Vec<String> {
    let Some(questions) = template::questions(name, version) else { return Vec::new() };
    let is_question = |key: &str| questions.iter().any(|question| question.key == key);
    let (known, others): (BTreeMap<_, _>, BTreeMap<_, _>) =
        given.clone().into_iter().partition(|(key, _)| is_question(key));
    let unknown = others.keys().filter(|key| !OF_NEW.contains(&key.as_str()));
    let mut wrong: Vec<_> = unknown
        .map(|key| format!("`{}` is not a question of the template `{name}`", excerpt(key, 60)))
        .collect();
    if let Err(error) = answers::recorded(&questions, &known) {
        wrong.push(error.to_string());
    }
    wrong
}

/// Files of `upgrade` that still have a marker, and files of rejected changes that are still there.
#[must_use]
pub fn open(root: &Path, upgrade: &UpgradeSection) -> Vec<OpenConflict> {
    let is_open = |path: &RelativePath| {
        let place = path.below(root);
        if path.as_str().ends_with(REJECTED) {
            let there = !matches!(files::kind(&place), Ok(Kind::Absent));
            return there.then_some(None);
        }
        let loaded = files::read(&place, MAX_FILE).ok()?;
        lines::first_marker(&loaded.bytes).map(Some)
    };
    let listed = upgrade.conflicts.iter();
    listed
        .filter_map(|path| is_open(path).map(|line| OpenConflict { path: path.clone(), line }))
        .collect()
}
