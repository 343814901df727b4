//! The two sides of the template: the recorded version with the recorded answers, and what the project is to become.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::generate::record::{RECORD_PATH, Record};
use crate::generate::record_template::TemplateSection;
use crate::generate::runtime::Version;
use crate::inputs::answers;
use crate::inputs::template::{self, Template, TemplateInfo};
use crate::plan::{FileSet, RelativePath};
use crate::report::{ErrorCode, Failure};
use crate::system::program;
use crate::workflows::new::rendering::{NamedProject, Rendering};
use crate::workflows::new::{choices, own_preset};

use super::own::{self, OwnChange, OwnVersions};
use super::request::UpgradeRequest;

/// Old and new template, rendered.
pub struct Sides {
    pub base: RenderedBase,
    pub theirs: Rendering,
    /// The new template.
    pub info: TemplateInfo,
    pub previous: TemplateSection,
    /// Answers to questions that the old template did not ask.
    pub added: BTreeMap<String, String>,
    /// The change of the origin, for a user's own template.
    pub own: Option<OwnChange>,
}

/// The files and the record of the old side.
pub struct RenderedBase {
    pub files: FileSet,
    pub origins: BTreeMap<RelativePath, String>,
    pub record: Record,
}

impl RenderedBase {
    /// Returns the same rendering for both sides: an upgrade with nothing to do renders once.
    fn of(same: &Rendering) -> Self {
        let Rendering { files, origins, record, .. } = same;
        Self { files: files.clone(), origins: origins.clone(), record: record.clone() }
    }
}

impl From<Rendering> for RenderedBase {
    fn from(Rendering { files, origins, record, .. }: Rendering) -> Self {
        Self { files, origins, record }
    }
}

impl Sides {
    /// Renders both for the project at `root`, which follows the contract `tag`.
    ///
    /// # Errors
    /// Returns an error if this aos lacks a version, or an answer is missing or wrong.
    pub fn render(
        args: &UpgradeRequest,
        (root, record): (&Path, &Record),
        tag: Option<&str>,
    ) -> Result<Self, Failure> {
        let previous = record.template.clone().ok_or_else(without_template)?;
        let preset = record.answers.get("preset").map(String::as_str);
        let own = own::versions(args, (root, record), &previous)?;
        let (mut newest, mut old, own) = match own {
            Some(OwnVersions { newest, old, change }) => (newest, old, Some(change)),
            None => {
                let newest = choices::embedded_template(&previous.name)?;
                let old = recorded(&previous, &newest)?;
                (newest, old, None)
            }
        };
        if args.api.is_some() && old.is_none() {
            old = Some(newest.clone());
        }
        own_preset::recorded(&mut newest, preset, root)?;
        if let Some(api) = &args.api {
            own_preset::given(&mut newest, api.preset.clone());
        }
        if let Some(old) = &mut old {
            own_preset::recorded(old, preset, root)?;
        }
        let is_other = old.is_some();
        let old = old.as_ref().unwrap_or(&newest);
        let name = record.answers.get("name").ok_or_else(|| {
            Failure::new(ErrorCode::Config, format!("`{RECORD_PATH}` has no answer `name`"))
                .hint("set `name` under [answers] to the name of the tool")
        })?;
        let before = answers::recorded(&old.info.questions, &record.answers)
            .map_err(|error| recorded_answer(error.into()))?;
        let named = NamedProject::of(&newest, name, preset, None)?;
        let after =
            answers::renewed(&newest.info.questions, &before, &args.set, &named.variables())?;
        let aos = previous.aos.as_deref().unwrap_or(program::version());
        let spec = previous.spec.as_deref().or(tag);
        let asked_before = before.clone();
        let is_other = is_other || before != after || aos != program::version() || spec != tag;
        let newer = (program::version(), tag);
        let (mut theirs, base) = if is_other {
            // The sides have nothing in common, so each has a thread.
            std::thread::scope(|scope| {
                let base = scope.spawn(|| -> Result<RenderedBase, Failure> {
                    let project = NamedProject::of(old, name, preset, None)?;
                    Ok(project.render(before, (aos, spec))?.into())
                });
                let theirs = named.render(after, newer);
                let base = base.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                Ok::<_, Failure>((theirs?, base?))
            })?
        } else {
            let theirs = named.render(after, newer)?;
            let base = RenderedBase::of(&theirs);
            (theirs, base)
        };
        if let (Some(section), Some(own)) = (&mut theirs.record.template, &own) {
            section.origin = Some(own.origin.clone());
        }
        let mut added = theirs.record.answers.clone();
        added.retain(|key, _| {
            !asked_before.contains_key(key) && !base.record.answers.contains_key(key)
        });
        Ok(Self { base, theirs, info: newest.info.clone(), previous, added, own })
    }

    /// Answers that differ from the recorded ones: key, before, after.
    pub fn changed<'a>(&'a self) -> Vec<(&'a str, &'a str, &'a str)> {
        let (before, after) = (&self.base.record.answers, &self.theirs.record.answers);
        let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
        let text = |value: Option<&'a String>| value.map_or("", String::as_str);
        keys.into_iter()
            .filter(|key| !self.added.contains_key(*key))
            .map(|key| (key.as_str(), text(before.get(key)), text(after.get(key))))
            .filter(|(_, before, after)| before != after)
            .collect()
    }
}

/// The recorded version, when it is not the newest.
fn recorded(previous: &TemplateSection, newest: &Template) -> Result<Option<Template>, Failure> {
    let TemplateSection { name, version, .. } = previous;
    if *version == newest.info.version {
        return Ok(None);
    }
    let parsed = (Version::parse(version), Version::parse(&newest.info.version));
    if matches!(parsed, (Some(recorded), Some(ours)) if recorded > ours) {
        let message = format!(
            "the project has version {version} of the template `{name}`, but this aos has {}: a newer aos wrote it",
            newest.info.version
        );
        return Err(Failure::new(ErrorCode::Conflict, message).hint("run `aos update`"));
    }
    template::find_version(name, version)?.map(Some).ok_or_else(|| {
        let released = template::releases().ok().and_then(|mut all| all.remove(name));
        let mut known: Vec<_> = released.into_iter().flat_map(BTreeMap::into_keys).collect();
        known.push(newest.info.version.clone());
        Failure::new(
            ErrorCode::NotFound,
            format!("this aos has no version {version} of the template `{name}`"),
        )
        .hint(format!(
            "correct `version` under [template] in {RECORD_PATH}; versions are {}",
            known.join(", ")
        ))
        .detail("known_versions", known)
    })
}

/// The fault is in the record, not on the command line.
fn recorded_answer(mut failure: Failure) -> Failure {
    failure.hint = Some(format!("correct the answer under [answers] in {RECORD_PATH}"));
    failure
}

/// A project that no template made.
#[must_use]
pub fn without_template() -> Failure {
    Failure::new(ErrorCode::Validation, format!("`{RECORD_PATH}` names no template, so nothing can be merged"))
        .hint("`aos sync-spec` updates contract and runtime; only a project that `aos new` created has [template]")
}
