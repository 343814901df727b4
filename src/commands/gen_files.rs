//! `aos gen`: regenerate derived files from the manifest and the pinned contract.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use crate::apply;
use crate::audit::drift;
use crate::cli::WriteOptions;
use crate::generate::lock::LOCK_PATH;
use crate::generate::record::{PIN_PATH, RECORD_PATH};
use crate::generate::vendor::SpecRelease;
use crate::inputs::desired::{Desired, SourceBytes};
use crate::inputs::project::{Project, Slot};
use crate::inputs::spec_source;
use crate::plan::Plan;
use crate::report::{ErrorCode, Failure, Outcome, changes, findings};

use super::Run;
use super::sync_spec;
use super::write_gate::{self, Decision, Request};

const ABSENT: &str = "it does not exist";

/// Regenerate derived files from the manifest and the pinned contract
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  aos gen\n  aos gen --check    fail when a generated file is not current, write nothing"
)]
pub struct GenArgs {
    /// Project directory
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,
    /// Write nothing; fail when a file is not current
    #[arg(long, conflicts_with_all = ["dry_run", "confirm"])]
    pub check: bool,
    #[command(flatten)]
    pub write: WriteOptions,
}

/// Runs the command.
///
/// # Errors
/// When a source is refused, the pin was moved, or `--check` finds a difference.
pub fn run(args: &GenArgs, run: &Run) -> Result<Outcome, Failure> {
    let (project, notes) = if args.check {
        (Project::open(&args.path)?, Vec::new())
    } else {
        sync_spec::open(&args.path, &args.write)?
    };
    let (desired, plan) = plan(&project)?;
    if args.check {
        return check(&project, &desired, &plan, run);
    }
    let outcome = outcome(&desired, &plan, &notes, run);
    if plan.is_empty() && !args.write.dry_run && args.write.confirm.is_none() {
        return Ok(outcome);
    }
    let mut known = project.lock.good().map(crate::generate::lock::Lock::known).unwrap_or_default();
    for edit in plan.edits().iter().filter(|edit| edit.path.as_str() == LOCK_PATH) {
        known.extend(edit.before.as_ref().map(|before| (edit.path.clone(), before.digest())));
    }
    let request = Request {
        command: "gen",
        arguments: desired.release.tag.to_string(),
        root: &project.root,
        plan: &plan,
        known: &known,
    };
    match write_gate::decide(&request, &args.write, run)? {
        Decision::Preview(preview) => Ok(*preview),
        Decision::Proceed => {
            apply::apply(&project.root, &plan, LOCK_PATH)?;
            Ok(outcome)
        }
    }
}

/// The change of generated files and of the lock that lists them.
fn plan(project: &Project) -> Result<(Desired, Plan), Failure> {
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
            format!("the pin says `{pin}`, the vendored contract is `{}`", lock.tag),
        )
        .hint("run `aos sync-spec` to follow the pin"));
    }
    let release: Arc<SpecRelease> = match spec_source::embedded_release(record.family, pin) {
        Ok(release) => release,
        Err(unknown) if record.spec.trust_lock => {
            spec_source::locked_release(&project.root, &record.spec.directory, lock).map_err(
                |error| {
                    Failure::new(ErrorCode::Drift, format!("`{}`: {error}", error.path())).hint(
                        format!("restore the file, or run `aos sync-spec --from DIR`; {unknown}"),
                    )
                },
            )?
        }
        Err(error) => return Err(error.into()),
    };
    let sources = SourceBytes::read(&project.root, record)?;
    let desired = Desired::compute(record, release, &sources)?;
    let generated = &desired.generated;
    let plan = desired
        .plan(&project.root, Some(lock))?
        .only(|path| generated.get(path).is_some() || path.as_str() == LOCK_PATH);
    Ok((desired, plan))
}

fn unusable(path: &str, reason: &str) -> Failure {
    let hint = match reason {
        ABSENT => "run `aos sync-spec`; it makes the records that `gen` needs",
        _ if path == RECORD_PATH => "mend the named member",
        _ => "run `aos sync-spec --to TAG`; it renews the records that `gen` needs",
    };
    Failure::new(ErrorCode::Config, format!("`{path}` cannot be used: {reason}")).hint(hint)
}

fn check(project: &Project, desired: &Desired, plan: &Plan, run: &Run) -> Result<Outcome, Failure> {
    if project.has_transaction {
        return Err(Failure::new(ErrorCode::Drift, "an earlier run was cut off while it wrote")
            .hint("run `aos gen`; it puts the old state back first"));
    }
    if plan.is_empty() {
        return Ok(outcome(desired, plan, &[], run));
    }
    let mut found = drift::findings(plan, &desired.generated);
    if found.len() > 1 {
        // The lock follows from the files, and `aos gen` renews both.
        found.retain(|finding| finding.path != LOCK_PATH);
    }
    let data: Vec<_> = found.iter().map(findings::json).collect();
    let mut failure =
        Failure::new(ErrorCode::Drift, format!("generated files are not current: {}", found.len()))
            .hint("run `aos gen`")
            .detail("findings", data);
    failure.report = Some(
        found
            .iter()
            .map(|finding| findings::text(finding, run.style))
            .collect::<Vec<_>>()
            .join("\n\n"),
    );
    failure.raw = Some(changes::patch(plan));
    Err(failure)
}

fn outcome(desired: &Desired, plan: &Plan, notes: &[String], run: &Run) -> Outcome {
    let status = if plan.is_empty() { "unchanged" } else { "generated" };
    let files: Vec<_> = desired.generated.paths().map(|path| path.as_str()).collect();
    let mut lines = vec![format!(
        "{} {} files ({})",
        run.style.good(status),
        files.len(),
        changes::summary(plan)
    )];
    if !plan.is_empty() {
        lines.push(changes::text(plan, run.style));
    }
    lines.extend(notes.iter().map(|note| format!("{} {note}", run.style.warning("note:"))));
    let data = json!({
        "status": status,
        "tag": desired.release.tag.as_str(),
        "files": files,
        "changes": changes::json(plan, false),
        "notes": notes,
    });
    Outcome::new(data, lines.join("\n")).raw(changes::patch(plan))
}
