//! `aos add`, `aos rename`, `aos remove`: the commands and codes of a project change in all places at once.
//!
//! The family edits the user's files in memory; what follows from them is generated, the rules of `aos check` judge the
//! result, and only then is there a plan.

pub mod blueprint;
pub mod json_text;
pub mod name;
mod parts;
mod refusal;
pub mod seam;
pub mod toml_blocks;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use crate::apply;
use crate::audit::rules::FAMILY_RULES;
use crate::contract::findings::Severity;
use crate::contract::repository::SourceFile;
use crate::contract::{Family, Finding, ProjectFiles};
use crate::generate::lock::LOCK_PATH;
use crate::generate::outputs;
use crate::generate::record::{RECORD_PATH, Record};
use crate::inputs::desired::{Desired, DesiredError, SourceBytes};
use crate::inputs::desired_runtime::WantedRuntime;
use crate::inputs::project::{Project, Slot};
use crate::inputs::{repository, tree};
use crate::plan::{Content, Digest, FileSet, FileSetError, Plan, RelativePath};
use crate::report::answers;
use crate::report::answers::command_change::{CommandChangeAnswer, CommandFacts, EditedPart};
use crate::report::command_change::CommandChange;
use crate::report::{ErrorCode, Failure, Outcome};
use crate::visible::Visible;
use crate::workflows::write_gate::{self, Decision, WriteOptions, WriteRequest};
use crate::workflows::{Run, sync};

use name::CommandName;
pub use refusal::refused;
use seam::{Blueprint, CommandEditor, EDITORS, EditError, Edited, NewCode, Sources};

/// The change to make.
#[derive(Debug)]
pub enum Change<'a> {
    Add(Blueprint),
    Rename { old: CommandName, new: CommandName },
    Remove(CommandName),
    AddCode(&'a NewCode),
}

/// Changes the project that `path` is in.
///
/// # Errors
/// Returns an error if the change is refused by the family or by a rule, or needs a token.
pub fn run(
    path: &Path,
    change: &Change<'_>,
    write: &WriteOptions,
    run: &Run,
) -> Result<Outcome, Failure> {
    let (project, notes) = sync::open(path, write)?;
    if project.family == Family::NONE {
        let message = "the project follows no contract, so aos does not know its commands";
        return Err(Failure::new(ErrorCode::Validation, message)
            .hint("edit the commands by hand; its template decides where they are"));
    }
    let record = record(&project)?;
    let editor = EDITORS.of(project.family).ok_or_else(|| {
        let message = format!("aos cannot edit the commands of the family `{}`", project.family);
        Failure::new(ErrorCode::Validation, message).hint(
            "edit them by hand; `aos check` then reports whether the project follows its contract",
        )
    })?;
    let files = repository::load(&project);
    let sources = Sources { repository: &files, record: &record };
    let mut edited = edit(editor, sources, change).map_err(|error| failure(&error))?;
    let changed =
        parts::record(editor, sources, change, &mut edited).map_err(|error| failure(&error))?;
    edited.notes.splice(0..0, notes);
    let state = AddState::of(&project, &record, &files, &edited)?;
    edited.notes.extend(state.judged(&project, &record, &files, change)?);
    let report = report(change, &edited, changed);
    let next = editor.next(sources);
    let known = state.known(&project, change);
    let request = WriteRequest {
        command: command(change),
        arguments: report.facts.subject.clone(),
        root: &project.root,
        plan: &state.plan,
        known: &known,
    };
    let explained = |mut failure: Failure| {
        if failure.code == ErrorCode::ConfirmationRequired {
            failure.details.extend(answers::members(&report.facts));
        }
        failure
    };
    match write_gate::decide(&request, write, run).map_err(explained)? {
        Decision::Preview(mut offer) => {
            let lines = std::iter::once(offer.text.clone()).chain(report.lines(run.style));
            offer.text = Visible::joined(lines, "\n");
            Ok(offer.outcome_with(report.facts, CommandChangeAnswer::Preview))
        }
        Decision::Proceed => {
            apply::apply(&project.root, &state.plan, LOCK_PATH)?;
            Ok(report.outcome(&state.plan, write.diff, &next, run.style))
        }
    }
}

fn record(project: &Project) -> Result<Record, Failure> {
    match (&project.record, &project.lock) {
        (Slot::Good(record), Slot::Good(_)) => Ok(record.clone()),
        _ => Err(Failure::new(ErrorCode::Config, "aos.toml or .agent/spec.lock cannot be used")
            .hint("`aos check` says why; `aos sync-spec` writes the records of a project")),
    }
}

fn edit(
    editor: &dyn CommandEditor,
    sources: Sources<'_>,
    change: &Change<'_>,
) -> Result<Edited, EditError> {
    match change {
        Change::Add(blueprint) => editor.add(sources, blueprint),
        Change::Rename { old, new } => editor.rename(sources, old, new),
        Change::Remove(name) => editor.remove(sources, name),
        Change::AddCode(code) => editor.add_code(sources, code),
    }
}

fn command(change: &Change<'_>) -> &'static str {
    match change {
        Change::Add(_) | Change::AddCode(_) => "add",
        Change::Rename { .. } => "rename",
        Change::Remove(_) => "remove",
    }
}

fn report(change: &Change<'_>, edited: &Edited, changed: Vec<EditedPart>) -> CommandChange {
    let (status, subject, alias) = match change {
        Change::Add(blueprint) => ("added", blueprint.name.path(), None),
        Change::AddCode(code) => ("added", code.code.clone(), None),
        Change::Rename { old, new } => ("renamed", new.path(), Some(old.path())),
        Change::Remove(name) => ("removed", name.path(), None),
    };
    let blueprint = match change {
        Change::Add(blueprint) => Some(blueprint),
        _ => None,
    };
    let facts = CommandFacts {
        subject,
        mode: blueprint.map(|blueprint| blueprint.mode.name()),
        request: blueprint.map(|blueprint| format!("{} {}", blueprint.method, blueprint.path)),
        alias,
        lost: edited.lost.clone(),
        edited: changed,
        by_hand: edited.by_hand.clone(),
        notes: edited.notes.clone(),
    };
    CommandChange { status, facts }
}

/// The rule about pages that name a command which does not exist.
const NAMED_COMMAND: &str = "documents/unknown-command";

/// The project as it would be.
struct AddState {
    desired: Desired,
    plan: Plan,
    /// Paths that the family edited.
    own: BTreeSet<RelativePath>,
    edited: BTreeMap<String, Option<String>>,
}

impl AddState {
    fn of(
        project: &Project,
        record: &Record,
        files: &ProjectFiles,
        edited: &Edited,
    ) -> Result<Self, Failure> {
        let obtained = sync::obtain(project, record, None)?;
        let lock = project.lock.good();
        let mut sources = SourceBytes::read(&project.root, record)?;
        if let Some(path) = outputs::source(record.family, &record.spec.directory)
            && let Some(text) = edited.files.get(&path)
        {
            sources.source = text.clone().map(String::into_bytes);
        }
        let wanted_runtime = lock.map_or(WantedRuntime::Newest(None), WantedRuntime::Recorded);
        let desired =
            Desired::compute(record, Arc::clone(&obtained.release), &sources, wanted_runtime)?;
        let (mut wanted, mut unwanted, mut own) =
            (FileSet::default(), BTreeSet::new(), BTreeSet::new());
        for (path, text) in &edited.files {
            let executable = files.files.get(path).is_some_and(|file| file.executable);
            let path = RelativePath::parse(path).map_err(|error| files_fault(error.into()))?;
            own.insert(path.clone());
            match text {
                Some(text) => {
                    let content = Content { bytes: text.as_bytes().into(), executable };
                    wanted.insert(path, content).map_err(files_fault)?;
                }
                None => {
                    unwanted.insert(path);
                }
            }
        }
        let current = tree::snapshot(&project.root, wanted.paths().chain(&unwanted));
        let plan = Plan::between(&current, &wanted, &unwanted);
        let generated = &desired.generated;
        let follows = |path: &RelativePath| {
            !own.contains(path) && (generated.get(path).is_some() || path.as_str() == LOCK_PATH)
        };
        let plan = desired.plan(&project.root, lock)?.only(follows).and(plan);
        Ok(Self { desired, plan, own, edited: edited.files.clone() })
    }

    /// Refuses what the rules of the family did not find before; new warnings are notes.
    fn judged(
        &self,
        project: &Project,
        record: &Record,
        files: &ProjectFiles,
        change: &Change<'_>,
    ) -> Result<Vec<String>, Failure> {
        let Some(rules) = FAMILY_RULES.of(project.family) else { return Ok(Vec::new()) };
        let contract = &self.desired.release.contract;
        let before = rules.check(files, contract, Some(record));
        let after = rules.check(&self.patched(files), contract, Some(record));
        let same = |one: &Finding, other: &Finding| {
            (one.rule, &one.path, &one.message) == (other.rule, &other.path, &other.message)
        };
        let fresh: Vec<_> =
            after.iter().filter(|new| !before.iter().any(|old| same(old, new))).collect();
        let said = |finding: &&Finding| {
            format!("{}: {} ({})", finding.path, finding.message, finding.rule)
        };
        let (errors, warnings): (Vec<_>, Vec<_>) = fresh.into_iter().partition(|finding| {
            // Pages that still name a removed command are for their author to edit.
            let is_page = matches!(change, Change::Remove(_)) && finding.rule == NAMED_COMMAND;
            finding.severity == Severity::Error && !is_page
        });
        if let Some(first) = errors.first() {
            let all: Vec<_> = errors.iter().map(said).collect();
            return Err(Failure::new(
                ErrorCode::Validation,
                format!("the project would break a rule: {}", said(first)),
            )
            .hint(format!("`aos check --explain {}` describes the rule", first.rule))
            .detail("findings", all));
        }
        Ok(warnings.iter().map(said).collect())
    }

    /// The files as they would be.
    fn patched(&self, files: &ProjectFiles) -> ProjectFiles {
        let mut patched = parts::with_edits(files, &self.edited);
        for (path, content) in &self.desired.generated {
            let file =
                SourceFile { bytes: content.bytes.as_ref().into(), executable: content.executable };
            patched.files.insert(path.to_string(), file);
        }
        patched
    }

    /// Digests of bytes that the change keeps, or that can be restored. What is added to a file leaves its text there,
    /// and a renamed command is still the same; only a removal takes something away.
    fn known(&self, project: &Project, change: &Change<'_>) -> BTreeMap<RelativePath, Digest> {
        let lock = project.lock.good();
        let mut known =
            lock.map(|lock| self.desired.replaceable(&self.plan, lock)).unwrap_or_default();
        let keeps = !matches!(change, Change::Remove(_));
        for edit in self.plan.edits() {
            let Some(before) = &edit.before else { continue };
            // Of aos.toml, only the record of the command changes.
            let is_record = [LOCK_PATH, RECORD_PATH].contains(&edit.path.as_str());
            if is_record || keeps && self.own.contains(&edit.path) && edit.after.is_some() {
                known.insert(edit.path.clone(), before.digest());
            }
        }
        known
    }
}

fn files_fault(error: FileSetError) -> Failure {
    DesiredError::from(error).into()
}

fn failure(error: &EditError) -> Failure {
    let (code, hint) = match error {
        EditError::Taken(_) | EditError::Exists { .. } => {
            (ErrorCode::Conflict, "choose another name, or remove what is there first".to_owned())
        }
        EditError::CodeTaken(_) => (
            ErrorCode::Conflict,
            "choose another name; to change the code, edit `contract-ext.json` and run `aos gen`"
                .to_owned(),
        ),
        EditError::Unknown { fix, .. } => (ErrorCode::NotFound, fix.clone()),
        EditError::Reserved(_) => (ErrorCode::Validation, "choose another first word".to_owned()),
        EditError::Place { .. } | EditError::Json { .. } => (
            ErrorCode::Validation,
            "restore the form of the file that `aos new` writes, or make the change by hand"
                .to_owned(),
        ),
        EditError::Refused(_) => (
            ErrorCode::Validation,
            "correct this, then run the command again; nothing was changed".to_owned(),
        ),
        EditError::Data { hint, .. } => (ErrorCode::Validation, (*hint).to_owned()),
        EditError::Render(_) => (ErrorCode::Unknown, "this is a fault of aos".to_owned()),
    };
    Failure::new(code, error.to_string()).hint(hint)
}
