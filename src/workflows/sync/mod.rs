//! Vendors a contract tag, regenerates what follows from it, moves the pin.

mod cut_off;
mod request;
mod source;
pub mod switched_off;
mod values;

pub use cut_off::put_back;
pub use request::SyncRequest;
pub use source::{followed, obtain};
pub use switched_off::refuse as refuse_losses;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::apply;
use crate::contract::{Family, SpecTag};
use crate::generate::lock::LOCK_PATH;
use crate::generate::record::{PIN_PATH, RECORD_PATH, Record};
use crate::generate::record_spec::SpecSource;
use crate::generate::vendor;
use crate::inputs::adoption::{self, Adoption};
use crate::inputs::desired::{Desired, SourceBytes};
use crate::inputs::desired_runtime::WantedRuntime;
use crate::inputs::project::{Project, Slot};
use crate::inputs::spec_source::{self, Obtained, Trust};
use crate::inputs::{embedded, repository, tree};
use crate::plan::{Content, Digest, FileSet, Plan, RelativePath};
use crate::report::answers::sync::{DeclaredTwice, SpecOrigin, SyncAnswer, SyncFacts, SyncedSpec};
use crate::report::{ErrorCode, Failure, Outcome, changes};

use crate::visible::{Visible, visible};

use crate::verify::TrustRoot;
use crate::workflows::Run;
use crate::workflows::write_gate::{self, Decision, Offer, WriteOptions, WriteRequest};

/// Brings a project to the contract that `args` asks for.
///
/// # Errors
/// Returns an error if the tag cannot be obtained, a source is refused, or work would be lost without a token.
pub fn follow(args: &SyncRequest, roots: Option<TrustRoot>, run: &Run) -> Result<Outcome, Failure> {
    let (project, mut notes) = open(&args.path, &args.write)?;
    let adoption = adopt(&project)?;
    let adopting = adoption.is_some();
    let mut record = match (&project.record, adoption) {
        (Slot::Good(record), _) => record.clone(),
        (_, Some(adoption)) => {
            notes.extend(adoption.reasons);
            adoption.record
        }
        (Slot::Faulty { reason, .. }, None) => return Err(faulty_record(reason)),
        (Slot::Absent, None) => return Err(faulty_record("it does not exist")),
    };
    has_contract(record.family, "sync-spec")?;
    let obtained = source::choose(args, &project, &record, roots)?;
    let (spec, note) = source::follow(&record.spec, args, &obtained);
    record.spec = spec;
    notes.extend(note);
    notes.extend(obtained.notes.iter().cloned());
    let sources = SourceBytes::read(&project.root, &record)?;
    let desired = Desired::compute(
        &record,
        Arc::clone(&obtained.release),
        &sources,
        WantedRuntime::Newest(project.lock.good()),
    )?;
    notes.extend(claimed(&project, &desired)?);
    if adopting {
        nothing_clashes(&project, &desired)?;
    }
    switched_off::refuse(&project, &record, &desired)?;
    let plan = full_plan(&project, &record, &desired)?;
    notes.extend(values::changed(&plan));
    let summary = SyncSummary {
        status: status(&project, &plan, adopting, &obtained.release.tag),
        previous: project.pin.good().map(ToString::to_string),
        obtained: &obtained,
        plan: &plan,
        with_diffs: args.write.diff,
        notes,
    };
    if plan.is_empty() && !args.write.dry_run && args.write.confirm.is_none() {
        return Ok(summary.outcome(run));
    }
    let known = known(&project, &record, &desired, &plan);
    let request = WriteRequest {
        command: "sync-spec",
        arguments: format!(
            "{} {} {}",
            obtained.release.family, obtained.release.tag, obtained.release.source
        ),
        root: &project.root,
        plan: &plan,
        known: &known,
    };
    match write_gate::decide(&request, &args.write, run)
        .map_err(|failure| summary.explain(failure, run))?
    {
        Decision::Preview(offer) => Ok(summary.preview(*offer, run)),
        Decision::Proceed => {
            apply::apply(&project.root, &plan, LOCK_PATH)?;
            Ok(summary.outcome(run))
        }
    }
}

/// Refuses what only a project with a contract can do.
///
/// # Errors
/// Returns an error if the project follows none.
pub fn has_contract(family: Family, command: &str) -> Result<(), Failure> {
    if family != Family::NONE {
        return Ok(());
    }
    Err(Failure::new(ErrorCode::Validation, without_contract(command))
        .hint("use `aos upgrade` to update it to a newer template, and `aos check` to check it"))
}

/// Explains why a command does nothing in a project that follows no contract.
#[must_use]
pub fn without_contract(command: &str) -> String {
    format!("the project follows no contract, so `aos {command}` has nothing to do")
}

/// True if the project at `path` is one that follows no contract.
#[must_use]
pub fn is_without_contract(path: &Path) -> bool {
    Project::open(path).is_ok_and(|project| {
        project.family == Family::NONE && matches!(project.record, Slot::Good(_))
    })
}

/// Opens a project for writing: undoes a write of this machine that was cut off first, unless this is a dry run.
///
/// # Errors
/// Returns an error if the path is not a project, or there is a journal that cannot be carried out.
pub fn open(path: &Path, write: &WriteOptions) -> Result<(Project, Vec<String>), Failure> {
    let project = Project::open(path)?;
    let notes = put_back(&project.root, write)?;
    if !project.has_transaction {
        return Ok((project, notes));
    }
    Ok((project.reload(), notes))
}

/// Returns files that the lock lists although they do not belong to aos; they are kept and reported.
///
/// # Errors
/// Returns an error if two wanted files are one.
pub fn claimed(project: &Project, desired: &Desired) -> Result<Vec<String>, Failure> {
    let Some(lock) = project.lock.good() else { return Ok(Vec::new()) };
    let paths = desired.claimed(&project.root, lock)?;
    let note = |path: &String| {
        format!(
            "`{path}` is in `{LOCK_PATH}`, but aos does not write such a file; it was not changed"
        )
    };
    Ok(paths.iter().map(note).collect())
}

fn faulty_record(reason: &str) -> Failure {
    Failure::new(ErrorCode::Config, format!("`{RECORD_PATH}` cannot be used: {reason}")).hint(
        "correct the named line or member, or delete the file and run `aos sync-spec` to create a new one",
    )
}

fn adopt(project: &Project) -> Result<Option<Adoption>, Failure> {
    match project.record {
        Slot::Absent => Ok(Some(adoption::propose(
            project.family,
            &repository::load(project),
            project.lock.good(),
        ))),
        Slot::Good(_) | Slot::Faulty { .. } => Ok(None),
    }
}

/// A module that would not compile beside what is there is refused, before anything is written.
fn nothing_clashes(project: &Project, desired: &Desired) -> Result<(), Failure> {
    let clashes = adoption::clashes(project.family, &repository::load(project), &desired.generated);
    let Some((name, path)) = clashes.first() else { return Ok(()) };
    let details =
        clashes.iter().map(|(name, path)| DeclaredTwice { name: name.clone(), path: path.clone() });
    let details: Vec<_> = details.collect();
    Err(Failure::new(
        ErrorCode::Validation,
        format!("the generated module would declare `{name}`, which `{path}` already declares"),
    )
    .hint("rename yours, or set another path under [outputs] in aos.toml")
    .detail("clashes", details))
}

/// Managed files, and the record where it is new or its source changed.
fn full_plan(project: &Project, record: &Record, desired: &Desired) -> Result<Plan, Failure> {
    let managed = desired.plan(&project.root, project.lock.good())?;
    let Some(text) = record_text(project, record)? else { return Ok(managed) };
    let mut files = FileSet::default();
    files
        .insert(RelativePath::literal(RECORD_PATH), Content::plain(text))
        .map_err(|error| Failure::new(ErrorCode::Unknown, error.to_string()))?;
    let current = tree::snapshot(&project.root, files.paths());
    let own = Plan::between(&current, &files, &Default::default());
    Ok(managed.and(own))
}

/// The new text of aos.toml; `None` when it stays as it is.
fn record_text(project: &Project, record: &Record) -> Result<Option<String>, Failure> {
    match &project.record {
        Slot::Good(old) if old.spec == record.spec => Ok(None),
        Slot::Good(_) => {
            let path = project.root.join(RECORD_PATH);
            let loaded = crate::system::files::read(&path, 1024 * 1024)
                .map_err(|error| faulty_record(&error.to_string()))?;
            let text = String::from_utf8(loaded.bytes)
                .map_err(|error| faulty_record(&error.to_string()))?;
            crate::generate::record_edit::with_spec_source(&text, &record.spec)
                .map(Some)
                .map_err(|error| faulty_record(&error.to_string()))
        }
        Slot::Absent | Slot::Faulty { .. } => Ok(Some(record.render())),
    }
}

fn status(project: &Project, plan: &Plan, adopting: bool, tag: &SpecTag) -> &'static str {
    match project.pin.good() {
        _ if plan.is_empty() => "unchanged",
        _ if adopting => "adopted",
        Some(pin) if pin != tag => "moved",
        _ => match project.lock.good() {
            Some(lock) if lock.tag != *tag => "moved",
            _ => "renewed",
        },
    }
}

/// Digests of bytes that can be restored: what the lock records, released contract files, and aos's own records.
#[must_use]
pub fn known(
    project: &Project,
    record: &Record,
    desired: &Desired,
    plan: &Plan,
) -> BTreeMap<RelativePath, Digest> {
    let lock = project.lock.good();
    let mut known = lock.map(|lock| desired.replaceable(plan, lock)).unwrap_or_default();
    if plan.edits().is_empty() {
        return known;
    }
    let replaced = |path: &str| plan.edits().iter().find(|edit| edit.path.as_str() == path);
    for path in [PIN_PATH, LOCK_PATH, RECORD_PATH] {
        let readable = match path {
            PIN_PATH => project.pin.good().is_some(),
            LOCK_PATH => project.lock.good().is_some(),
            _ => true,
        };
        if let Some(before) =
            replaced(path).filter(|_| readable).and_then(|edit| edit.before.as_ref())
        {
            known.insert(RelativePath::literal(path), before.digest());
        }
    }
    for tag in embedded::tags(record.family) {
        let Ok(release) = spec_source::embedded_release(record.family, &tag) else { continue };
        let Ok(files) = vendor::files(&release, &record.spec.directory) else { continue };
        for (path, content) in &files {
            let same =
                replaced(path.as_str()).and_then(|edit| edit.before.as_ref()) == Some(content);
            if same {
                known.insert(path.clone(), content.digest());
            }
        }
    }
    known
}

struct SyncSummary<'a> {
    status: &'static str,
    previous: Option<String>,
    obtained: &'a Obtained,
    plan: &'a Plan,
    with_diffs: bool,
    notes: Vec<String>,
}

impl SyncSummary<'_> {
    /// Returns the source of the contract and the reason to trust it, which are part of every answer.
    fn origin(&self) -> SpecOrigin {
        let trust = &self.obtained.trust;
        SpecOrigin {
            source: self.obtained.release.source.to_string(),
            trust: trust.name(),
            signer: trust.signer().map(str::to_owned),
            release_url: self.obtained.release_url.clone(),
        }
    }

    /// The same for a person, where the program itself does not vouch for it.
    fn trust(&self) -> Option<Visible> {
        let source = &self.obtained.release.source;
        match &self.obtained.trust {
            Trust::Embedded => None,
            Trust::Signed { signer } => Some(visible!("signed by {}", signer)),
            Trust::Lock => Some(visible!("trusted by its lock only; it came from {}", source)),
        }
    }

    fn noted(&self, run: &Run) -> Vec<Visible> {
        let label = run.style.warning("note:");
        self.notes.iter().map(|note| visible!("{} {}", label, note)).collect()
    }

    fn preview(&self, mut offer: Offer, run: &Run) -> Outcome {
        for line in self.trust().into_iter().chain(self.noted(run)) {
            offer.text.push(&visible!("\n{}", line));
        }
        let facts = SyncFacts {
            previous_tag: self.previous.clone(),
            tag: self.obtained.release.tag.to_string(),
            origin: self.origin(),
            notes: self.notes.clone(),
        };
        offer.outcome_with(facts, SyncAnswer::Preview)
    }

    /// Adds the contents of the preview to the error that asks for a confirm token.
    fn explain(&self, mut failure: Failure, run: &Run) -> Failure {
        failure = failure.with(&self.origin());
        if failure.code == ErrorCode::ConfirmationRequired {
            failure = failure.detail("notes", &self.notes);
            if let Some(report) = &mut failure.report {
                for line in self.noted(run) {
                    report.push(&visible!("\n{}", line));
                }
            }
        }
        failure
    }

    /// A newer tag that is known without asking anybody; of a source on a host nothing is.
    fn newer(&self) -> Option<String> {
        let release = &self.obtained.release;
        match release.source {
            SpecSource::Host(_) => None,
            SpecSource::Embedded | SpecSource::Directory => spec_source::latest(release.family)
                .ok()
                .filter(|latest| *latest > release.tag)
                .map(|latest| latest.to_string()),
        }
    }

    fn outcome(&self, run: &Run) -> Outcome {
        let release = &self.obtained.release;
        let newer = self.newer();
        let data = SyncAnswer::Synced(Box::new(SyncedSpec {
            status: self.status,
            family: release.family.name(),
            previous_tag: self.previous.clone(),
            tag: release.tag.to_string(),
            newer_tag: newer.clone(),
            origin: self.origin(),
            changes: changes::listed(self.plan, self.with_diffs),
            notes: self.notes.clone(),
        }));
        let head = match (self.status, &self.previous) {
            ("unchanged", _) => format!("already at {}", release.tag),
            ("moved", Some(previous)) => format!("{previous} -> {}", release.tag),
            _ => format!("at {}", release.tag),
        };
        let mut lines = vec![visible!(
            "{} {} {} ({})",
            run.style.good(self.status),
            release.family,
            head,
            changes::summary(self.plan)
        )];
        if !self.plan.is_empty() {
            lines.push(changes::text(self.plan, run.style));
        }
        if self.with_diffs {
            lines.push(changes::diffs(self.plan, run.style));
        }
        lines.extend(self.trust());
        lines.extend(self.noted(run));
        if let Some(newer) = &newer {
            let command = run.style.accent("aos sync-spec --to latest");
            lines.push(visible!("{} is available: {}", newer, command));
        }
        Outcome::new(data, Visible::joined(lines, "\n")).raw(changes::patch(self.plan))
    }
}
