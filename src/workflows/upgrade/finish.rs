//! The end of an upgrade that had conflicts: when none is open any more, the record moves.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::apply::{self, undo};
use crate::audit::template::{self, OpenConflict};
use crate::contract::Family;
use crate::generate::lock::LOCK_PATH;
use crate::generate::record::{RECORD_PATH, Record};
use crate::generate::record_change::finished;
use crate::generate::record_template::UpgradeSection;
use crate::inputs::desired::{Desired, SourceBytes};
use crate::inputs::desired_runtime::WantedRuntime;
use crate::inputs::project::Project;
use crate::inputs::tree;
use crate::plan::{Content, Digest, FileSet, Plan, RelativePath};
use crate::report::answers::upgrade::{FinishedUpgrade, OpenPlace, UpgradeAnswer, WaitingUpgrade};
use crate::report::{ErrorCode, Failure, Outcome, changes};
use crate::visible::{Visible, visible};
use crate::workflows::write_gate::{self, Decision, WriteRequest};
use crate::workflows::{Run, sync};

use super::change::{record_text, unusable};
use super::request::UpgradeRequest;
use super::sides::without_template;

/// Digests of bytes that can be restored.
type KnownDigests = BTreeMap<RelativePath, Digest>;

/// Moves the record of `project` to the version that was merged.
///
/// # Errors
/// `E_MERGE_CONFLICT` while a conflict is open.
pub fn run(
    args: &UpgradeRequest,
    run: &Run,
    project: &Project,
    record: &Record,
    notes: Vec<String>,
) -> Result<Outcome, Failure> {
    let Some(upgrade) = &record.upgrade else { return Err(without_template()) };
    if !(args.set.is_empty() && args.restore.is_empty() && args.heal.is_empty())
        || args.spec.is_some()
    {
        let message = format!("an upgrade to {} is not finished", upgrade.version);
        return Err(Failure::new(ErrorCode::Conflict, message)
            .hint("complete it with `aos upgrade`, or undo it with `aos upgrade --abort`; then run this command again"));
    }
    let open = template::open(&project.root, upgrade);
    if !open.is_empty() {
        return Err(still_open(upgrade, &open));
    }
    let (plan, known) = plan(project, record)?;
    let request = WriteRequest {
        command: "upgrade",
        arguments: format!("finish {}", upgrade.version),
        root: &project.root,
        plan: &plan,
        known: &known,
    };
    if let Decision::Preview(preview) = write_gate::decide(&request, &args.write, run)? {
        return Ok(preview.outcome(UpgradeAnswer::Plain));
    }
    apply::apply(&project.root, &plan, LOCK_PATH)?;
    undo::forget(&project.root);
    let name = record.template.as_ref().map_or("", |section| section.name.as_str());
    let previous = record.template.as_ref().map_or("", |section| section.version.as_str());
    let mut lines = vec![visible!(
        "{} {} {} -> {} ({})",
        run.style.good("finished"),
        name,
        previous,
        upgrade.version,
        changes::summary(&plan)
    )];
    lines.push(changes::text(&plan, run.style));
    lines.extend(notes.iter().map(|note| visible!("{} {}", run.style.warning("note:"), note)));
    let data = UpgradeAnswer::Finished(FinishedUpgrade {
        status: "finished",
        template: name.to_owned(),
        previous_version: previous.to_owned(),
        version: upgrade.version.clone(),
        spec_tag: upgrade.spec.clone(),
        changes: changes::listed(&plan, args.write.diff),
        notes,
        next: vec!["aos check".to_owned()],
    });
    Ok(Outcome::new(data, Visible::joined(lines, "\n")).raw(changes::patch(&plan)))
}

/// The record, and what follows from files that were corrected by hand; with digests of what can be restored.
fn plan(project: &Project, record: &Record) -> Result<(Plan, KnownDigests), Failure> {
    let text = finished(&record_text(project)?).map_err(|error| unusable(&error))?;
    let mut files = FileSet::default();
    files
        .insert(RelativePath::literal(RECORD_PATH), Content::plain(text))
        .map_err(|error| Failure::new(ErrorCode::Unknown, error.to_string()))?;
    let current = tree::snapshot(&project.root, files.paths());
    let own = Plan::between(&current, &files, &Default::default());
    if record.family == Family::NONE {
        let edits = own.edits().iter();
        let known =
            edits.filter_map(|edit| Some((edit.path.clone(), edit.before.as_ref()?.digest())));
        let known = known.collect();
        return Ok((own, known));
    }
    let obtained = sync::obtain(project, record, None)?;
    let sources = SourceBytes::read(&project.root, record)?;
    let wanted = WantedRuntime::Newest(project.lock.good());
    let desired = Desired::compute(record, Arc::clone(&obtained.release), &sources, wanted)?;
    let plan = desired.plan(&project.root, project.lock.good())?.and(own);
    let known = sync::known(project, record, &desired, &plan);
    Ok((plan, known))
}

fn still_open(upgrade: &UpgradeSection, open: &[OpenConflict]) -> Failure {
    let list = open
        .iter()
        .map(|conflict| OpenPlace { file: conflict.path.to_string(), line: conflict.line });
    let waiting = WaitingUpgrade {
        status: "conflicted",
        version: upgrade.version.clone(),
        conflicts: list.collect(),
    };
    let lines = open.iter().map(|conflict| match conflict.line {
        Some(line) => visible!("  {}:{}", conflict.path, line),
        None => visible!("  {}", conflict.path),
    });
    let mut failure = Failure::new(
        ErrorCode::MergeConflict,
        format!(
            "the upgrade to {} has open conflicts in {}",
            upgrade.version,
            crate::visible::counted(open.len(), "file")
        ),
    )
    .hint(
        "resolve them, remove the markers and the `.rej` files, and run `aos upgrade` again; `aos upgrade --abort` \
         undoes the upgrade",
    )
    .with(&waiting);
    failure.report = Some(Visible::joined(lines, "\n"));
    failure
}
