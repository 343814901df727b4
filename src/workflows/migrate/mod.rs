//! `aos migrate`: brings a project over that was made without aos. It is adopted with a baseline of what is known, and
//! safe rewrites follow one by one, each with its proof.
//!
//! Rewrites are made in memory. One plan holds the adoption and all of them, so an interruption leaves the old tree or
//! the new one.

mod baseline;
mod copies;
mod draft;
mod fleet;
mod proof;
pub mod request;
mod rewriting;
pub mod seam;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::apply;
use crate::contract::{Family, ProjectFiles};
use crate::generate::lock::LOCK_PATH;
use crate::inputs::adoption;
use crate::inputs::fleet_file::BASELINE_PATH;
use crate::inputs::project::{Project, Slot};
use crate::inputs::repository;
use crate::plan::{Digest, Plan, RelativePath};
use crate::report::answers::migrate::{MigrateAnswer, MigrationFacts};
use crate::report::migration::MigrationReport;
use crate::report::{ErrorCode, Failure, Outcome, answers};
use crate::visible::Visible;
use crate::workflows::write_gate::{self, Decision, WriteRequest};
use crate::workflows::{Run, sync};

use draft::{Complete, Draft};
use fleet::FleetPlans;
pub use fleet::migrate_all;
use proof::Prover;
use request::{MigrateRequest, ProofDepth};
use rewriting::RewrittenProject;
use seam::{MIGRATORS, Migrator};

/// The consent to a change.
#[derive(Clone, Copy)]
enum Consent<'a> {
    /// The write gate; plans of a preview are noted.
    Asked(&'a RefCell<FleetPlans>),
    /// A token for exactly these plans was accepted.
    Approved(&'a FleetPlans),
}

/// Brings one project over.
///
/// # Errors
/// Returns an error if it cannot be adopted, or work would be replaced without a token.
pub fn migrate(request: &MigrateRequest, run: &Run) -> Result<Outcome, Failure> {
    migrate_with(request, run, Consent::Asked(&RefCell::default()))
}

fn migrate_with(
    request: &MigrateRequest,
    run: &Run,
    consent: Consent<'_>,
) -> Result<Outcome, Failure> {
    let (project, prepared) = prepared(request)?;
    conclude(&project, prepared, request, run, consent)
}

/// Returns the message about a project that stays unchanged.
fn without_rewrites(family: Family) -> String {
    format!("aos has no rewrites for projects of the family `{family}`")
}

/// The root of a project and the plan for it.
fn prepared_plan(request: &MigrateRequest) -> Result<(PathBuf, Plan), Failure> {
    prepared(request).map(|(project, prepared)| (project.root, prepared.plan))
}

fn prepared(request: &MigrateRequest) -> Result<(Project, PreparedMigration), Failure> {
    let (project, notes) = sync::open(&request.path, &request.write)?;
    sync::has_contract(project.family, "migrate")?;
    let migrator = MIGRATORS.of(project.family).ok_or_else(|| {
        Failure::new(ErrorCode::Validation, without_rewrites(project.family)).hint(
            "`aos sync-spec` adopts a project, and `aos upgrade` updates a project of aos to the newest template",
        )
    })?;
    let wanted = request.wanted(migrator.rewrites())?;
    let original = repository::load(&project);
    let prepared = prepare(&project, migrator, &original, &wanted, request.proof, notes)?;
    Ok((project, prepared))
}

/// A migration that is ready to be shown or made.
struct PreparedMigration {
    plan: Plan,
    complete: Complete,
    record: crate::generate::record::Record,
    facts: MigrationFacts,
}

fn prepare(
    project: &Project,
    migrator: &'static dyn Migrator,
    original: &ProjectFiles,
    wanted: &[bool],
    depth: ProofDepth,
    mut notes: Vec<String>,
) -> Result<PreparedMigration, Failure> {
    let record = match &project.record {
        Slot::Good(record) => record.clone(),
        Slot::Absent => {
            let adoption = adoption::propose(project.family, original, project.lock.good());
            notes.extend(adoption.remarks);
            adoption.record
        }
        Slot::Faulty { reason, .. } => {
            let message = format!("`aos.toml` cannot be used: {reason}");
            return Err(
                Failure::new(ErrorCode::Config, message).hint("correct the named line or member")
            );
        }
    };
    let obtained = sync::obtain(project, &record, None)?;
    notes.extend(obtained.notes.iter().cloned());
    let mut record = record;
    record.spec = sync::followed(&record, &obtained);
    let withheld = migrator.rewrites().iter().flat_map(|rewrite| rewrite.generators).copied();
    let withheld: BTreeSet<&str> = withheld.collect();
    let release = std::sync::Arc::clone(&obtained.release);
    let draft = Draft::new(project, release, original.clone(), record, &withheld);
    let adopted = draft.complete()?;
    let mut prover = Prover::new(project, migrator);
    let start = (&draft, &adopted);
    let rewritten = match depth {
        ProofDepth::Each => rewriting::proved(start, migrator, wanted, &mut prover)?,
        ProofDepth::Whole | ProofDepth::None => rewriting::unproved(start, migrator, wanted),
    };
    let RewrittenProject { draft, complete, reports: rewrites, .. } = rewritten;
    let mut whole = None;
    if depth == ProofDepth::Whole && rewrites.iter().any(|entry| entry.status == "rewritten") {
        let proof = prover.compare(&adopted.files, &complete.files)?;
        if !proof.broken.is_empty() {
            let message = format!(
                "{} passed before the rewrites and does not after them",
                proof.broken.join(", ")
            );
            return Err(Failure::new(ErrorCode::Nonconformant, message)
                .hint("`--proof each` finds that rewrite and omits it")
                .detail("proof", proof));
        }
        whole = Some(proof);
    }
    let has_changed =
        draft.is_adopted() || rewrites.iter().any(|entry| entry.status == "rewritten");
    let baseline = if has_changed {
        baseline::of(project, original, &complete.files, &draft)?
    } else {
        baseline::Written { bytes: None, report: None }
    };
    let more: BTreeMap<_, _> =
        baseline.bytes.into_iter().map(|bytes| (BASELINE_PATH.to_owned(), bytes)).collect();
    let plan = if has_changed { draft.plan(original, &complete, &more)? } else { Plan::default() };
    let facts = MigrationFacts {
        family: project.family.name(),
        tag: obtained.release.tag.to_string(),
        adopted: draft.is_adopted(),
        baseline: baseline.report,
        rewrites,
        proof: whole,
        notes,
    };
    Ok(PreparedMigration { plan, record: draft.record.clone(), complete, facts })
}

fn conclude(
    project: &Project,
    prepared: PreparedMigration,
    request: &MigrateRequest,
    run: &Run,
    consent: Consent<'_>,
) -> Result<Outcome, Failure> {
    let migration = MigrationReport { facts: prepared.facts };
    let plan = &prepared.plan;
    let is_fleet = matches!(consent, Consent::Approved(_));
    let is_gated = request.write.dry_run || request.write.confirm.is_some() && !is_fleet;
    if plan.is_empty() && !is_gated {
        return Ok(migration.outcome(plan, request.write.diff, run.style));
    }
    if let Consent::Approved(plans) = consent {
        if plans.get(&project.root) != Some(&plan.digest()) {
            let message = "the project is not as it was in the preview";
            return Err(Failure::new(ErrorCode::Conflict, message)
                .hint("run the command with `--dry-run` again and use the new token"));
        }
        apply::apply(&project.root, plan, LOCK_PATH)?;
        return Ok(migration.outcome(plan, request.write.diff, run.style));
    }
    if let (Consent::Asked(seen), false) = (consent, plan.is_empty()) {
        seen.borrow_mut().insert(project.root.clone(), plan.digest());
    }
    let known = known(project, &prepared.record, &prepared.complete, plan);
    let ids: Vec<_> = migration.done().collect();
    let gate = WriteRequest {
        command: "migrate",
        arguments: format!("{} {}", migration.facts.tag, ids.join(" ")),
        root: &project.root,
        plan,
        known: &known,
    };
    let explained = |mut failure: Failure| {
        if failure.code == ErrorCode::ConfirmationRequired {
            failure.details.extend(answers::members(&migration.facts));
        }
        failure
    };
    match write_gate::decide(&gate, &request.write, run).map_err(explained)? {
        Decision::Preview(mut offer) => {
            let lines = std::iter::once(offer.text.clone()).chain(migration.lines(run.style));
            offer.text = Visible::joined(lines, "\n");
            Ok(offer.outcome_with(migration.facts, MigrateAnswer::Preview))
        }
        Decision::Proceed => {
            apply::apply(&project.root, plan, LOCK_PATH)?;
            Ok(migration.outcome(plan, request.write.diff, run.style))
        }
    }
}

/// Bytes that can be restored: those of aos, its records, and a baseline that becomes smaller.
fn known(
    project: &Project,
    record: &crate::generate::record::Record,
    complete: &Complete,
    plan: &Plan,
) -> BTreeMap<RelativePath, Digest> {
    let mut known = sync::known(project, record, &complete.desired, plan);
    let baseline = plan.edits().iter().find(|edit| edit.path.as_str() == BASELINE_PATH);
    if let Some(before) = baseline.and_then(|edit| edit.before.as_ref()) {
        known.insert(RelativePath::literal(BASELINE_PATH), before.digest());
    }
    known
}
