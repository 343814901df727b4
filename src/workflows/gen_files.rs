//! Regenerates derived files from the manifest and the pinned contract, or says which are not current.

use std::path::Path;
use std::sync::Arc;

use crate::apply;
use crate::audit::drift;
use crate::contract::Family;
use crate::generate::lock::{LOCK_PATH, Lock};
use crate::generate::record::{PIN_PATH, RECORD_PATH, Record};
use crate::generate::record_spec::SpecSource;
use crate::inputs::desired::{Desired, SourceBytes};
use crate::inputs::desired_runtime::WantedRuntime;
use crate::inputs::project::{Project, Slot};
use crate::inputs::repository;
use crate::inputs::spec_source::{self, Obtained, Terms, Trust, WantedRelease};
use crate::plan::{Plan, RelativePath};
use crate::report::answers::generated::{GenAnswer, GenFacts, GeneratedFiles, StaleFiles};
use crate::report::findings::Diffs;
use crate::report::{ErrorCode, Failure, Outcome, changes, findings};
use crate::verify::TrustRoot;

use crate::visible::{Visible, counted, visible};

use crate::workflows::write_gate::{self, Decision, Offer, WriteOptions, WriteRequest};
use crate::workflows::{Run, sync};

const ABSENT: &str = "it does not exist";

/// Says which files are not what the pinned contract asks for; writes nothing.
///
/// # Errors
/// Returns an error if a source is refused, the pin was moved, or a file is not current.
pub fn check(
    path: &Path,
    roots: Option<TrustRoot>,
    with_diffs: bool,
    run: &Run,
) -> Result<Outcome, Failure> {
    let project = Project::open(path)?;
    if project.family == Family::NONE {
        not_interrupted(&project)?;
        return Ok(nothing(Vec::new(), run));
    }
    let pinned = pinned(&project, roots)?;
    Generated::of(&project, &pinned, Vec::new(), with_diffs)?.check(&project, run)
}

/// Writes what the pinned contract asks for.
///
/// # Errors
/// Returns an error if a source is refused, the pin was moved, or work would be lost without a token.
pub fn renew(
    path: &Path,
    roots: Option<TrustRoot>,
    write: &WriteOptions,
    run: &Run,
) -> Result<Outcome, Failure> {
    let (project, notes) = sync::open(path, write)?;
    if project.family == Family::NONE {
        return Ok(nothing(notes, run));
    }
    let pinned = pinned(&project, roots)?;
    let generated = Generated::of(&project, &pinned, notes, write.diff)?;
    let Pinned { desired, plan, .. } = &pinned;
    let outcome = generated.outcome(run);
    if plan.is_empty() && !write.dry_run && write.confirm.is_none() {
        return Ok(outcome);
    }
    let lock = project.lock.good();
    let mut known = lock.map(|lock| desired.replaceable(plan, lock)).unwrap_or_default();
    for edit in plan.edits().iter().filter(|edit| edit.path.as_str() == LOCK_PATH) {
        known.extend(edit.before.as_ref().map(|before| (edit.path.clone(), before.digest())));
    }
    let request = WriteRequest {
        command: "gen",
        arguments: desired.release.tag.to_string(),
        root: &project.root,
        plan,
        known: &known,
    };
    match write_gate::decide(&request, write, run)? {
        Decision::Preview(preview) => Ok(generated.preview(*preview)),
        Decision::Proceed => {
            apply::apply(&project.root, plan, LOCK_PATH)?;
            Ok(outcome)
        }
    }
}

/// The answer in a project that follows no contract.
fn nothing(notes: Vec<String>, run: &Run) -> Outcome {
    let reason = sync::without_contract("gen");
    let text = visible!("{} ({})", run.style.good("unchanged"), reason);
    let notes = std::iter::once(reason).chain(notes).collect();
    let data = GenAnswer::Generated(GeneratedFiles {
        status: "unchanged",
        tag: None,
        trust: None,
        files: Vec::new(),
        changes: Vec::new(),
        notes,
    });
    Outcome::new(data, text)
}

fn not_interrupted(project: &Project) -> Result<(), Failure> {
    if !project.has_transaction {
        return Ok(());
    }
    Err(Failure::new(ErrorCode::Drift, "an earlier run was interrupted while it wrote")
        .hint("run `aos gen`; it first restores the old state"))
}

/// The files that the pinned contract and the manifest require.
struct Pinned {
    desired: Desired,
    /// The change of generated files and of the lock that lists them.
    plan: Plan,
    obtained: Obtained,
}

fn pinned(project: &Project, roots: Option<TrustRoot>) -> Result<Pinned, Failure> {
    let record = match &project.record {
        Slot::Good(record) => record,
        Slot::Absent => return Err(unusable(RECORD_PATH, ABSENT)),
        Slot::Faulty { reason, .. } => return Err(unusable(RECORD_PATH, reason)),
    };
    let pin = match &project.pin {
        Slot::Good(pin) => pin,
        Slot::Absent => return Err(unusable(PIN_PATH, ABSENT)),
        Slot::Faulty { reason, .. } => return Err(unusable(PIN_PATH, reason)),
    };
    let lock = match &project.lock {
        Slot::Good(lock) => lock,
        Slot::Absent => return Err(unusable(LOCK_PATH, ABSENT)),
        Slot::Faulty { reason, .. } => return Err(unusable(LOCK_PATH, reason)),
    };
    if lock.tag != *pin {
        return Err(Failure::new(
            ErrorCode::Conflict,
            format!("the pin is `{pin}`, but the vendored contract is `{}`", lock.tag),
        )
        .hint("run `aos sync-spec` to vendor the pinned contract"));
    }
    let obtained = contract(project, record, lock, roots)?;
    let sources = SourceBytes::read(&project.root, record)?;
    let desired = Desired::compute(
        record,
        Arc::clone(&obtained.release),
        &sources,
        WantedRuntime::Recorded(lock),
    )?;
    let (generated, runtime) = (&desired.generated, &desired.runtime);
    let is_derived = |path: &RelativePath| {
        generated.get(path).is_some() || runtime.get(path).is_some() || path.as_str() == LOCK_PATH
    };
    let plan = desired.plan(&project.root, Some(lock))?.only(is_derived);
    Ok(Pinned { desired, plan, obtained })
}

/// The contract of the pin, which the lock agrees with.
fn contract(
    project: &Project,
    record: &Record,
    lock: &Lock,
    roots: Option<TrustRoot>,
) -> Result<Obtained, Failure> {
    let hosted = |source: &SpecSource| matches!(source, SpecSource::Host(_));
    if lock.source != record.spec.source && (hosted(&lock.source) || hosted(&record.spec.source)) {
        return Err(Failure::new(
            ErrorCode::Conflict,
            format!(
                "the source in aos.toml is `{}`, but the vendored contract is from `{}`",
                record.spec.source, lock.source
            ),
        )
        .hint("run `aos sync-spec` to vendor the contract of that source"));
    }
    let source = &record.spec.source;
    let unknown = match spec_source::embedded_release_of(source, record.family, &lock.tag) {
        Ok(release) => return Ok(Obtained::local(release, Trust::Embedded)),
        Err(unknown) => unknown,
    };
    match WantedRelease::of(record, lock.tag.clone()) {
        Some(wanted) if !record.spec.trust_lock => {
            let roots = roots.map_or_else(TrustRoot::embedded, Ok)?;
            let terms = Terms { roots: &roots, unsigned: false };
            Ok(spec_source::hosted_release(&wanted, terms, None)?)
        }
        _ if record.spec.trust_lock => {
            let directory = &record.spec.directory;
            match spec_source::locked_release(&project.root, directory, lock) {
                Ok(release) => Ok(Obtained::local(release, Trust::Lock)),
                Err(error) => {
                    Err(Failure::new(ErrorCode::Drift, format!("`{}`: {error}", error.path()))
                        .hint(match &record.spec.source {
                            SpecSource::Host(_) => {
                                "restore the file, or run `aos sync-spec`".to_owned()
                            }
                            SpecSource::Embedded | SpecSource::Directory => format!(
                                "restore the file, or run `aos sync-spec --from DIR`; {unknown}"
                            ),
                        }))
                }
            }
        }
        _ => Err(unknown.into()),
    }
}

fn unusable(path: &str, reason: &str) -> Failure {
    let hint = match reason {
        ABSENT => "run `aos sync-spec`; it creates the files that `gen` needs",
        _ if path == RECORD_PATH => "correct the named line or member",
        _ => "run `aos sync-spec --to TAG`; it updates the files that `gen` needs",
    };
    Failure::new(ErrorCode::Config, format!("`{path}` cannot be used: {reason}")).hint(hint)
}

/// The facts about the generated files.
struct Generated<'a> {
    desired: &'a Desired,
    plan: &'a Plan,
    trust: &'a Trust,
    with_diffs: bool,
    notes: Vec<String>,
}

impl<'a> Generated<'a> {
    fn of(
        project: &Project,
        pinned: &'a Pinned,
        mut notes: Vec<String>,
        with_diffs: bool,
    ) -> Result<Self, Failure> {
        let Pinned { desired, plan, obtained } = pinned;
        notes.extend(obtained.notes.iter().cloned());
        notes.extend(sync::claimed(project, desired)?);
        Ok(Self { desired, plan, trust: &obtained.trust, with_diffs, notes })
    }

    fn check(&self, project: &Project, run: &Run) -> Result<Outcome, Failure> {
        not_interrupted(project)?;
        let record = project.record.good().ok_or_else(|| unusable(RECORD_PATH, ABSENT))?;
        let comparison = drift::compare(project, &repository::load(project), record, self.desired)?;
        let mut found = comparison.findings;
        if found.is_empty() {
            return Ok(self.outcome(run));
        }
        found.sort();
        let generated = found.iter().all(|finding| {
            self.desired.generated.paths().any(|path| path.as_str() == finding.path)
        });
        let (kind, hint) = match (generated, found.first()) {
            (false, Some(first)) => ("managed", first.fix.clone()),
            _ => ("generated", "run `aos gen`".to_owned()),
        };
        let data = StaleFiles {
            trust: self.trust.name(),
            findings: found.iter().map(findings::reported).collect(),
        };
        let mut failure = Failure::new(
            ErrorCode::Drift,
            format!("{kind} files are not current: {}", found.len()),
        )
        .hint(hint)
        .with(&data);
        let texts = found.iter().map(|finding| findings::text(finding, run.style, Diffs::Short));
        let diffs = self.with_diffs.then(|| changes::diffs(&comparison.plan, run.style));
        failure.report = Some(Visible::joined(texts.chain(diffs), "\n\n"));
        failure.raw = Some(changes::patch(&comparison.plan));
        Err(failure)
    }

    fn preview(&self, offer: Offer) -> Outcome {
        let facts = GenFacts {
            tag: self.desired.release.tag.to_string(),
            trust: self.trust.name(),
            notes: self.notes.clone(),
        };
        offer.outcome_with(facts, GenAnswer::Preview)
    }

    fn outcome(&self, run: &Run) -> Outcome {
        let (desired, plan, notes) = (self.desired, self.plan, &self.notes);
        let status = if plan.is_empty() { "unchanged" } else { "generated" };
        let files: Vec<_> = desired.generated.paths().map(ToString::to_string).collect();
        let mut lines = vec![visible!(
            "{} {} ({})",
            run.style.good(status),
            counted(files.len(), "file"),
            changes::summary(plan)
        )];
        if !plan.is_empty() {
            lines.push(changes::text(plan, run.style));
        }
        if self.with_diffs {
            lines.push(changes::diffs(plan, run.style));
        }
        if *self.trust == Trust::Lock {
            lines.push(Visible::literal("trusted by its lock only"));
        }
        lines.extend(notes.iter().map(|note| visible!("{} {}", run.style.warning("note:"), note)));
        let data = GenAnswer::Generated(GeneratedFiles {
            status,
            tag: Some(desired.release.tag.to_string()),
            trust: Some(self.trust.name()),
            files,
            changes: changes::listed(plan, self.with_diffs),
            notes: notes.clone(),
        });
        Outcome::new(data, Visible::joined(lines, "\n")).raw(changes::patch(plan))
    }
}
