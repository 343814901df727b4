//! `aos runtime own` and `aos runtime return`: a part of the runtime changes hands.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::apply;
use crate::audit::runtime::RuntimeState;
use crate::generate::lock::{LOCK_PATH, Lock, LockedRuntime};
use crate::generate::record::{RECORD_PATH, Record};
use crate::generate::record_runtime::{OwnedPart, RuntimeSection, is_below, with_owned};
use crate::inputs::desired::SourceBytes;
use crate::inputs::desired_runtime::{RuntimeFault, module_of, runtime_of};
use crate::inputs::project::Project;
use crate::inputs::{repository, tree};
use crate::plan::{Content, Digest, FileSet, Plan, RelativePath};
use crate::report::answers::runtime::{RuntimeAnswer, RuntimeChange};
use crate::report::{ErrorCode, Failure, Outcome, changes};
use crate::system::files;
use crate::visible::{Visible, visible};
use crate::workflows::write_gate::{self, Decision, WriteOptions, WriteRequest};
use crate::workflows::{Run, sync};

use super::state::state;

/// Largest aos.toml, in bytes.
const MAX_RECORD: u64 = 1024 * 1024;

/// Hands a part to the project.
///
/// # Errors
/// Returns an error if the project has no runtime or the part is none of it.
pub fn own(text: &str, write: &WriteOptions, run: &Run) -> Result<Outcome, Failure> {
    let (project, notes) = sync::open(Path::new("."), write)?;
    let subject = RuntimeRecords::of(&project)?;
    let part = subject.part(text)?;
    if let Some(owner) = subject.section.owner(&part) {
        let text = visible!("{} has been yours since runtime {}", part, owner.version);
        let change = PartTransfer {
            command: "runtime own",
            status: "unchanged",
            part,
            plan: Plan::default(),
            notes,
        };
        return Ok(Outcome::new(change.answer(Some(&subject.state)), text));
    }
    let listed = |path: &&RelativePath| **path == part || is_below(path, &part);
    if !subject.locked.files.keys().any(|path| listed(&path)) {
        return Err(Failure::new(
            ErrorCode::NotFound,
            format!("`{part}` is not a file or directory of the runtime"),
        )
        .hint("`aos runtime` lists the parts"));
    }
    let mut own: Vec<_> = subject.section.own.clone();
    own.retain(|inner| !is_below(&inner.path, &part));
    own.push(OwnedPart { path: part.clone(), version: subject.locked.version });
    own.sort();
    let mut lock = subject.lock.clone();
    if let Some(runtime) = &mut lock.runtime {
        runtime.files.retain(|path, _| !listed(&path));
    }
    let wanted = subject.records(&project, &own, &lock)?;
    let current = tree::snapshot(&project.root, wanted.paths());
    let plan = Plan::between(&current, &wanted, &BTreeSet::new());
    let change = PartTransfer { command: "runtime own", status: "owned", part, plan, notes };
    change.carry_out(&project, write, run)
}

/// Gives a part back to aos.
///
/// # Errors
/// Returns an error if the part is not the project's, the recorded version is not in this aos, or work would be lost
/// without a token.
pub fn give_back(text: &str, write: &WriteOptions, run: &Run) -> Result<Outcome, Failure> {
    let (project, notes) = sync::open(Path::new("."), write)?;
    let subject = RuntimeRecords::of(&project)?;
    let part = subject.part(text)?;
    let Some(owner) = subject.section.own.iter().find(|owned| owned.path == part) else {
        return Err(not_owned(&subject, &part));
    };
    let mut section = subject.section.clone();
    section.own.retain(|owned| owned != owner);
    let runtime = runtime_of(&section)?;
    if runtime.info.version != subject.locked.version {
        return Err(Failure::new(
            ErrorCode::Conflict,
            format!(
                "the project has runtime {}, and this aos has {}",
                subject.locked.version, runtime.info.version
            ),
        )
        .hint("run `aos sync-spec` first; it does not change your parts"));
    }
    let sources = SourceBytes::read(&project.root, &subject.record)?;
    let module = module_of(&runtime, sources.go_mod.as_deref())?;
    let theirs = runtime.files(&section, module.as_ref()).map_err(RuntimeFault::from)?;
    let mut lock = subject.lock.clone();
    let returned = |path: &RelativePath| *path == part || is_below(path, &part);
    let mut wanted = FileSet::default();
    for (path, content) in theirs.iter().filter(|(path, _)| returned(path)) {
        if let Some(locked) = &mut lock.runtime {
            locked.files.insert(path.clone(), content.digest());
        }
        wanted.insert(path.clone(), content.clone()).map_err(RuntimeFault::from)?;
    }
    let repository = repository::load(&project);
    let present = repository::below(&repository, part.as_str());
    let more: BTreeSet<_> = present
        .filter_map(|path| RelativePath::parse(path).ok())
        .filter(|path| wanted.get(path).is_none())
        .collect();
    wanted.extend(subject.records(&project, &section.own, &lock)?).map_err(RuntimeFault::from)?;
    let current = tree::snapshot(&project.root, wanted.paths().chain(&more));
    let plan = Plan::between(&current, &wanted, &more);
    let change = PartTransfer { command: "runtime return", status: "returned", part, plan, notes };
    change.carry_out(&project, write, run)
}

fn not_owned(subject: &RuntimeRecords, part: &RelativePath) -> Failure {
    let own = &subject.section.own;
    let names: Vec<_> = own.iter().map(|owned| format!("`{}`", owned.path)).collect();
    let hint = match own.iter().find(|owned| is_below(part, &owned.path)) {
        Some(whole) => format!("it is part of `{}`; return that part", whole.path),
        None if names.is_empty() => "the project owns no part of the runtime".to_owned(),
        None => format!("these are: {}", names.join(", ")),
    };
    Failure::new(ErrorCode::NotFound, format!("`{part}` is not a part that the project owns"))
        .hint(hint)
}

/// The records of a project with a runtime.
struct RuntimeRecords {
    record: Record,
    section: RuntimeSection,
    lock: Lock,
    locked: LockedRuntime,
    state: RuntimeState,
}

impl RuntimeRecords {
    fn of(project: &Project) -> Result<Self, Failure> {
        let unusable = |path: &str| {
            Failure::new(ErrorCode::Config, format!("`{path}` cannot be used"))
                .hint("`aos check` says why")
        };
        let record = project.record.good().ok_or_else(|| unusable(RECORD_PATH))?.clone();
        let lock = project.lock.good().ok_or_else(|| unusable(LOCK_PATH))?.clone();
        let (Some(section), Some(state)) = (record.runtime.clone(), RuntimeState::of(project))
        else {
            return Err(Failure::new(
                ErrorCode::Validation,
                "this project has no vendored runtime",
            )
            .hint("only projects whose aos.toml has [runtime] have one"));
        };
        let locked = lock.runtime.clone().ok_or_else(|| {
            Failure::new(ErrorCode::Config, "the lock does not list the runtime")
                .hint("run `aos sync-spec`")
        })?;
        Ok(Self { record, section, lock, locked, state })
    }

    /// The part that the caller named, from the root of the project or from the directory of the runtime.
    fn part(&self, text: &str) -> Result<RelativePath, Failure> {
        let text = text.trim_end_matches('/');
        let refused = |error: &dyn std::fmt::Display| {
            Failure::new(ErrorCode::Validation, format!("the part is not a path: {error}"))
                .hint("`aos runtime` lists the parts")
        };
        let given = RelativePath::parse(text).map_err(|error| refused(&error))?;
        if is_below(&given, &self.section.path) {
            return Ok(given);
        }
        if given == self.section.path {
            return Err(Failure::new(ErrorCode::Validation, "the whole runtime is not a part")
                .hint("`aos runtime` lists the parts"));
        }
        RelativePath::parse(&format!("{}/{given}", self.section.path))
            .map_err(|error| refused(&error))
    }

    /// aos.toml and the lock with other owned parts.
    fn records(
        &self,
        project: &Project,
        own: &[OwnedPart],
        lock: &Lock,
    ) -> Result<FileSet, Failure> {
        let faulty = |reason: String| {
            Failure::new(ErrorCode::Config, format!("`{RECORD_PATH}` cannot be used: {reason}"))
                .hint("correct the named line or member")
        };
        let loaded = files::read(&project.root.join(RECORD_PATH), MAX_RECORD)
            .map_err(|error| faulty(error.to_string()))?;
        let text = String::from_utf8(loaded.bytes).map_err(|error| faulty(error.to_string()))?;
        let text = with_owned(&text, own).map_err(|error| faulty(error.to_string()))?;
        let mut files = FileSet::default();
        let inserted =
            files.insert(RelativePath::literal(RECORD_PATH), Content::plain(text)).and_then(|()| {
                files.insert(RelativePath::literal(LOCK_PATH), Content::plain(lock.render()))
            });
        inserted.map_err(RuntimeFault::from)?;
        Ok(files)
    }
}

/// One change of hands.
struct PartTransfer {
    command: &'static str,
    status: &'static str,
    part: RelativePath,
    plan: Plan,
    notes: Vec<String>,
}

impl PartTransfer {
    fn carry_out(
        self,
        project: &Project,
        write: &WriteOptions,
        run: &Run,
    ) -> Result<Outcome, Failure> {
        let request = WriteRequest {
            command: self.command,
            arguments: self.part.to_string(),
            root: &project.root,
            plan: &self.plan,
            known: &self.known(),
        };
        if let Decision::Preview(preview) = write_gate::decide(&request, write, run)? {
            return Ok(preview.outcome(RuntimeAnswer::Preview));
        }
        apply::apply(&project.root, &self.plan, LOCK_PATH)?;
        let mut lines = vec![visible!("{} {}", run.style.good(self.status), self.part)];
        lines.push(changes::text(&self.plan, run.style));
        lines.push(Visible::literal(match self.status {
            "owned" => {
                "aos no longer checks or replaces it; `aos runtime return` returns it to aos"
            }
            _ => "aos manages it again",
        }));
        lines.extend(
            self.notes.iter().map(|note| visible!("{} {}", run.style.warning("note:"), note)),
        );
        let after = RuntimeState::of(&project.clone().reload());
        let data = self.answer(after.as_ref());
        Ok(Outcome::new(data, Visible::joined(lines, "\n")).raw(changes::patch(&self.plan)))
    }

    fn answer(&self, runtime: Option<&RuntimeState>) -> RuntimeAnswer {
        RuntimeAnswer::Changed(RuntimeChange {
            status: self.status,
            part: self.part.to_string(),
            runtime: runtime.map(state),
            changes: changes::listed(&self.plan, false),
            notes: self.notes.clone(),
        })
    }

    /// aos wrote both records, so replacing them loses nothing.
    fn known(&self) -> BTreeMap<RelativePath, Digest> {
        let records = [RECORD_PATH, LOCK_PATH];
        let edits = self.plan.edits().iter().filter(|edit| records.contains(&edit.path.as_str()));
        let before = edits.filter_map(|edit| {
            edit.before.as_ref().map(|before| (edit.path.clone(), before.digest()))
        });
        before.collect()
    }
}
