//! Brings a project to the template of this aos, or to other answers, by a three-way merge.

mod abort;
mod answer;
mod change;
mod finish;
mod ours;
mod own;
mod request;
mod settled;
mod sides;
pub mod standing;

use crate::apply::{self, undo};
use crate::contract::Family;
use crate::generate::lock::LOCK_PATH;
use crate::generate::record::{RECORD_PATH, Record};
use crate::inputs::project::{Project, Slot};
use crate::inputs::spec_source::Obtained;
use crate::merge::MergeStyle;
use crate::report::{ErrorCode, Failure, Outcome};

use crate::workflows::write_gate::{self, Decision, WriteOptions, WriteRequest};
use crate::workflows::{Run, sync};

use answer::UpgradeReport;
use change::UpgradeChange;
use settled::SettledKey;
use sides::{Sides, without_template};

pub use own::recorded_template;
pub use request::{OtherOperations, UpgradeRequest};

/// Merges the template into the project, finishes a merge, or undoes it.
///
/// # Errors
/// `E_MERGE_CONFLICT` when both sides changed the same lines; when an input is wrong, or work would be lost without a
/// token.
pub fn merge(args: &UpgradeRequest, run: &Run) -> Result<Outcome, Failure> {
    let (project, notes) = sync::open(&args.path, &args.write)?;
    let record = record(&project)?;
    if args.abort {
        return abort::run(args, run, &project, &record, notes);
    }
    if record.upgrade.is_some() {
        return finish::run(args, run, &project, &record, notes);
    }
    let key = SettledKey::of(args, &project, &record);
    if let Some(settled) = key.as_ref().and_then(|key| key.recall(&project.root)) {
        return Ok(answer::settled(args, run, (&project, &record), &settled, notes));
    }
    let obtained = contract(args, &project, &record)?;
    let tag = obtained.as_ref().map(|obtained| obtained.release.tag.to_string());
    let sides = Sides::render(args, (&project.root, &record), tag.as_deref())?;
    let change = UpgradeChange::plan(args, &project, &record, &sides, obtained.as_ref())?;
    let notes = args.api.iter().flat_map(|api| api.notes.clone()).chain(notes).collect();
    let answer = UpgradeReport::new(args, run, &sides, &change, obtained.as_ref(), notes);
    if change.plan.is_empty() && !args.write.dry_run && args.write.confirm.is_none() {
        let is_plain = change.kept.is_empty() && change.conflicts.is_empty();
        if let Some(key) = key.filter(|_| is_plain) {
            key.keep(&change.managed, &change.of_template);
        }
        return Ok(answer.outcome());
    }
    let request = WriteRequest {
        command: args.api.as_ref().map_or("upgrade", |api| api.command),
        arguments: format!(
            "{} {} {} {} {}",
            sides.info.name,
            sides.info.version,
            tag.as_deref().unwrap_or("-"),
            conflict_style(args.conflicts),
            args.api.as_ref().map_or_else(String::new, |api| api.section.digest.to_string())
        ),
        root: &project.root,
        plan: &change.plan,
        known: &change.known,
    };
    if !change.conflicts.is_empty() && args.write.confirm.is_none() {
        let options = WriteOptions { dry_run: true, ..args.write.clone() };
        let Decision::Preview(preview) = write_gate::decide(&request, &options, run)? else {
            return Ok(answer.outcome());
        };
        return match args.write.dry_run {
            true => Ok(answer.preview(*preview)),
            false => Err(answer.refused(*preview)),
        };
    }
    let concern = args.api.as_ref().and_then(OtherOperations::concern);
    match write_gate::decide_unless(&request, &args.write, run, concern)
        .map_err(|failure| answer.explain(failure))?
    {
        Decision::Preview(preview) => Ok(answer.preview(*preview)),
        Decision::Proceed if change.conflicts.is_empty() => {
            apply::apply(&project.root, &change.plan, LOCK_PATH)?;
            Ok(answer.outcome())
        }
        Decision::Proceed => {
            undo::keep(&project.root, &change.plan, &change.name())?;
            if let Err(error) = apply::apply(&project.root, &change.plan, LOCK_PATH) {
                undo::forget(&project.root);
                return Err(error.into());
            }
            Err(answer.conflicted())
        }
    }
}

/// The contract of the project; `None` when it has none.
fn contract(
    args: &UpgradeRequest,
    project: &Project,
    record: &Record,
) -> Result<Option<Obtained>, Failure> {
    match (record.family == Family::NONE, &args.spec) {
        (false, spec) => sync::obtain(project, record, spec.as_deref()).map(Some),
        (true, None) => Ok(None),
        (true, Some(_)) => {
            let message = "the project follows no contract";
            Err(Failure::new(ErrorCode::Validation, message).hint("omit `--spec`"))
        }
    }
}

fn record(project: &Project) -> Result<Record, Failure> {
    match &project.record {
        Slot::Good(record) => Ok(record.clone()),
        Slot::Faulty { reason, .. } => Err(Failure::new(
            ErrorCode::Config,
            format!("`{RECORD_PATH}` cannot be used: {reason}"),
        )
        .hint("correct the named line or member")),
        Slot::Absent => Err(without_template()),
    }
}

/// The style of conflicts as a token knows it.
fn conflict_style(style: MergeStyle) -> &'static str {
    match style {
        MergeStyle::Inline => "inline",
        MergeStyle::Reject => "reject",
    }
}
