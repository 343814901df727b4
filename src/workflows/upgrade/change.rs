//! The whole change: merged files, the runtime and what else aos keeps, the record, as one plan.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::contract::suggestion;
use crate::generate::outputs;
use crate::generate::record::{RECORD_PATH, Record};
use crate::generate::record_change::RecordChange;
use crate::generate::record_edit::with_spec_source;
use crate::generate::record_origin::ARCHIVE_PATH;
use crate::generate::record_template::UpgradeSection;
use crate::generate::record_text::RecordError;
use crate::inputs::desired::{Desired, SourceBytes};
use crate::inputs::desired_runtime::WantedRuntime;
use crate::inputs::project::Project;
use crate::inputs::spec_source::Obtained;
use crate::inputs::tree;
use crate::merge::tree::Ours;
use crate::merge::{Conflict, Labels, Merged, Trees, content};
use crate::plan::{Content, Digest, FileSet, Plan, RelativePath};
use crate::report::{ErrorCode, Failure};
use crate::system::files;
use crate::system::program;
use crate::workflows::sync;

use super::ours::{Files, Read};
use super::request::{OtherOperations, UpgradeRequest};
use super::sides::Sides;

/// Where a Go module says its path, which is part of generated imports.
const GO_MOD_PATH: &str = "go.mod";
/// Largest aos.toml, in bytes.
const MAX_RECORD: u64 = 1024 * 1024;

/// The change of a project by an upgrade.
pub struct UpgradeChange {
    pub plan: Plan,
    /// Digests of bytes that can be restored.
    pub known: BTreeMap<RelativePath, Digest>,
    pub conflicts: Vec<Conflict>,
    /// Files that both sides changed, without a contradiction.
    pub merged: Vec<RelativePath>,
    /// Files of the template that the user deleted, and that stay deleted.
    pub deleted: Vec<RelativePath>,
    /// Files that the answers do not want any more and the user changed.
    pub kept: Vec<RelativePath>,
    /// Files that are not what the template gives, once the change is made.
    pub differs: Vec<RelativePath>,
    /// Files that are.
    pub same: usize,
    /// The files that aos manages.
    pub managed: FileSet,
    /// The files of the template as it is now.
    pub of_template: Files,
    pub restored: Vec<RelativePath>,
    pub healed: Vec<RelativePath>,
    /// The section that the record keeps while conflicts are open.
    pub waiting: Option<UpgradeSection>,
}

impl UpgradeChange {
    /// Merges the sides into the project.
    ///
    /// # Errors
    /// Returns an error if a file that was named is none of the template, or what aos keeps cannot be computed.
    pub fn plan(
        args: &UpgradeRequest,
        project: &Project,
        record: &Record,
        sides: &Sides,
        obtained: Option<&Obtained>,
    ) -> Result<Self, Failure> {
        let read = Read::of(project, sides);
        let source = outputs::source(record.family, &record.spec.directory);
        let parsed = source.iter().map(String::as_str).chain([GO_MOD_PATH]);
        let parsed = parsed.filter_map(|path| RelativePath::parse(path).ok()).collect();
        let trees = Trees {
            base: &read.base,
            theirs: &read.theirs,
            ours: &read.ours,
            their_moves: &read.their_moves,
            our_moves: &read.our_moves,
            unwanted: &read.unwanted,
            parsed: &parsed,
            style: args.conflicts,
            labels: Labels { base: &sides.previous.version, theirs: &sides.info.version },
        };
        let mut merged = trees.merge();
        let restored = restore(args, &read, &mut merged)?;
        let healed = heal(args, &read, &mut merged)?;
        let records = Records::of(project, record, sides, obtained, args.api.as_ref())?;
        let (after, text) = records.changed(None)?;
        let mut managed = FileSet::default();
        let desired = match obtained {
            Some(obtained) => {
                let sources = sources(project, &after, source.as_deref(), &merged)?;
                let release = Arc::clone(&obtained.release);
                let runtime = WantedRuntime::Newest(project.lock.good());
                let desired = Desired::compute(&after, release, &sources, runtime)?;
                sync::refuse_losses(project, &after, &desired)?;
                managed = desired.files()?;
                leave_managed(&mut merged, &managed.paths().cloned().collect());
                Some(desired)
            }
            None => None,
        };
        let waiting = (!merged.conflicts.is_empty()).then(|| waiting(sides, &merged));
        let text = match &waiting {
            Some(section) => records.changed(Some(section))?.1,
            None => text,
        };
        let (differs, same) = compared(&read, &merged);
        let archive = sides.own.as_ref().and_then(|own| own.archive.clone());
        let wanted = wanted(&merged, text, archive)?;
        let paths: BTreeSet<_> = wanted.paths().chain(&merged.removed).cloned().collect();
        let current = tree::snapshot(&project.root, &paths);
        let own = Plan::between(&current, &wanted, &merged.removed);
        let (plan, mut known) = match &desired {
            Some(desired) => {
                let kept = desired.plan(&project.root, project.lock.good())?;
                let plan = kept.only(|path| !paths.contains(path)).and(own);
                let known = sync::known(project, record, desired, &plan);
                (plan, known)
            }
            None => (own, BTreeMap::new()),
        };
        // The record was read, and the archive has the digest in it.
        let of_aos = [RECORD_PATH, ARCHIVE_PATH].map(RelativePath::literal);
        for edit in plan.edits().iter().filter(|edit| of_aos.contains(&edit.path)) {
            if let Some(before) = &edit.before {
                known.insert(edit.path.clone(), before.digest());
            }
        }
        for path in &merged.untouched {
            if let Some(Ours::File(content)) = read.ours.get(path) {
                known.insert(path.clone(), content.digest());
            }
        }
        let Merged { conflicts, deleted, kept, merged, .. } = merged;
        Ok(Self {
            plan,
            known,
            conflicts,
            merged,
            deleted,
            kept,
            differs,
            same,
            managed,
            of_template: read.theirs,
            restored,
            healed,
            waiting,
        })
    }

    /// Returns the name of the change where the state before it is kept.
    pub fn name(&self) -> String {
        self.waiting.as_ref().map(name).unwrap_or_default()
    }
}

/// Returns the name of an open upgrade; another upgrade has another name.
pub fn name(section: &UpgradeSection) -> String {
    Digest::of(format!("{section:?}").as_bytes()).to_string()
}

/// aos.toml and its change.
struct Records<'a> {
    text: String,
    sides: &'a Sides,
}

impl<'a> Records<'a> {
    fn of(
        project: &Project,
        record: &Record,
        sides: &'a Sides,
        obtained: Option<&Obtained>,
        api: Option<&OtherOperations>,
    ) -> Result<Self, Failure> {
        let text = record_text(project)?;
        let spec = obtained.map(|obtained| sync::followed(record, obtained));
        let text = match spec.filter(|spec| *spec != record.spec) {
            None => text,
            Some(spec) => with_spec_source(&text, &spec).map_err(|error| unusable(&error))?,
        };
        let text = match api {
            Some(api) => api.section.written_to(&text).map_err(|error| unusable(&error))?,
            None => text,
        };
        Ok(Self { text, sides })
    }

    fn changed(&self, waiting: Option<&UpgradeSection>) -> Result<(Record, String), Failure> {
        let (before, after) = (&self.sides.base.record, &self.sides.theirs.record);
        RecordChange { before, after, waiting }
            .applied(&self.text)
            .map_err(|error| unusable(&error))
    }
}

/// The text of aos.toml.
///
/// # Errors
/// Returns an error if it cannot be read.
pub fn record_text(project: &Project) -> Result<String, Failure> {
    let fault = |reason: String| {
        Failure::new(ErrorCode::Config, format!("`{RECORD_PATH}` cannot be used: {reason}"))
            .hint("fix the cause; nothing was changed")
    };
    let loaded = files::read(&project.root.join(RECORD_PATH), MAX_RECORD)
        .map_err(|error| fault(error.to_string()))?;
    String::from_utf8(loaded.bytes).map_err(|error| fault(error.to_string()))
}

pub fn unusable(error: &RecordError) -> Failure {
    Failure::new(ErrorCode::Config, format!("`{RECORD_PATH}` cannot be used: {error}"))
        .hint("correct the named line or member; nothing was changed")
}

fn waiting(sides: &Sides, merged: &Merged) -> UpgradeSection {
    let section = sides.theirs.record.template.as_ref();
    let open: BTreeSet<_> = merged.conflicts.iter().map(|conflict| conflict.open.clone()).collect();
    UpgradeSection {
        version: sides.info.version.clone(),
        aos: program::version().to_owned(),
        spec: section.and_then(|section| section.spec.clone()),
        origin: section.and_then(|section| section.origin.clone()),
        conflicts: open.into_iter().collect(),
        answers: sides.theirs.record.answers.clone(),
    }
}

/// Returns the input of the generators after the merge.
fn sources(
    project: &Project,
    record: &Record,
    source: Option<&str>,
    merged: &Merged,
) -> Result<SourceBytes, Failure> {
    let mut sources = SourceBytes::read(&project.root, record)?;
    let changed = |path: &str| {
        let path = RelativePath::parse(path).ok()?;
        merged.wanted.get(&path).map(|content| content.bytes.to_vec())
    };
    if let Some(bytes) = source.and_then(changed) {
        sources.source = Some(bytes);
    }
    if let Some(bytes) = changed(GO_MOD_PATH).filter(|_| record.runtime.is_some()) {
        sources.go_mod = Some(bytes);
    }
    Ok(sources)
}

/// Removes managed files from the merge: a file that became managed is replaced like all of them.
fn leave_managed(merged: &mut Merged, managed: &BTreeSet<RelativePath>) {
    merged.wanted.retain(|path, _| !managed.contains(path));
    merged.removed.retain(|path| !managed.contains(path));
    merged.kept.retain(|path| !managed.contains(path));
    merged.merged.retain(|path| !managed.contains(path));
    let (gone, open): (Vec<_>, Vec<_>) = std::mem::take(&mut merged.conflicts)
        .into_iter()
        .partition(|conflict| managed.contains(&conflict.path));
    for conflict in gone {
        merged.wanted.remove(&conflict.open);
    }
    merged.conflicts = open;
}

fn wanted(merged: &Merged, record: String, archive: Option<Content>) -> Result<FileSet, Failure> {
    let mut wanted = FileSet::default();
    let files = merged.wanted.iter().map(|(path, content)| (path.clone(), content.clone()));
    let record = (RelativePath::literal(RECORD_PATH), Content::plain(record));
    let archive = archive.map(|archive| (RelativePath::literal(ARCHIVE_PATH), archive));
    for (path, content) in files.chain([record]).chain(archive) {
        wanted.insert(path, content).map_err(|error| {
            Failure::new(ErrorCode::Conflict, format!("the files cannot exist together: {error}"))
                .hint("rename yours; nothing was changed")
        })?;
    }
    Ok(wanted)
}

/// Files of the template that are there and differ from it after the change, and how many do not.
fn compared(read: &Read, merged: &Merged) -> (Vec<RelativePath>, usize) {
    let (mut differs, mut same) = (Vec::new(), 0);
    for (path, theirs) in &read.theirs {
        let now = merged.wanted.get(path).or_else(|| match read.ours.get(path) {
            Some(Ours::File(content)) => Some(content),
            _ => None,
        });
        match now {
            Some(now) if content::is_same(now, theirs) => same += 1,
            Some(_) => differs.push(path.clone()),
            None => {}
        }
    }
    (differs, same)
}

fn restore(
    args: &UpgradeRequest,
    read: &Read,
    merged: &mut Merged,
) -> Result<Vec<RelativePath>, Failure> {
    let mut restored = Vec::new();
    for text in &args.restore {
        let path = named(text, read)?;
        if read.ours.contains_key(&path) {
            return Err(Failure::new(ErrorCode::Validation, format!("`{path}` was not deleted"))
                .hint(format!("`--heal {path}` replaces it with the template's file")));
        }
        if let Some(content) = read.theirs.get(&path) {
            merged.wanted.insert(path.clone(), content.clone());
        }
        merged.deleted.retain(|deleted| *deleted != path);
        restored.push(path);
    }
    Ok(restored)
}

fn heal(
    args: &UpgradeRequest,
    read: &Read,
    merged: &mut Merged,
) -> Result<Vec<RelativePath>, Failure> {
    let mut healed = Vec::new();
    for text in &args.heal {
        let path = named(text, read)?;
        let ours = match read.ours.get(&path) {
            Some(Ours::File(content)) => Some(content),
            Some(Ours::Other) => None,
            None => {
                return Err(Failure::new(
                    ErrorCode::Validation,
                    format!("`{path}` does not exist"),
                )
                .hint(format!("`--restore {path}` restores it")));
            }
        };
        merged.conflicts.retain(|conflict| {
            let is_healed = conflict.path == path;
            if is_healed {
                merged.wanted.remove(&conflict.open);
            }
            !is_healed
        });
        merged.merged.retain(|merged| *merged != path);
        if let Some(theirs) = read.theirs.get(&path)
            && ours.is_none_or(|ours| !content::is_same(ours, theirs))
        {
            merged.wanted.insert(path.clone(), content::in_ending_of(ours, theirs));
            healed.push(path);
        }
    }
    Ok(healed)
}

/// A file of the new template that the caller named.
fn named(text: &str, read: &Read) -> Result<RelativePath, Failure> {
    let text = text.strip_prefix("./").unwrap_or(text);
    let path = RelativePath::parse(text).map_err(|error| {
        Failure::new(ErrorCode::Validation, error.to_string())
            .hint("use a path relative to the root of the project")
    })?;
    if read.theirs.contains_key(&path) {
        return Ok(path);
    }
    let known = read.theirs.keys().map(RelativePath::as_str);
    let hint = match suggestion::nearest(text, known) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "`aos upgrade --dry-run` lists the files that differ from the template".to_owned(),
    };
    Err(Failure::new(ErrorCode::NotFound, format!("the template has no file `{path}`")).hint(hint))
}
