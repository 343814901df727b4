//! `aos upgrade --abort`: every file as it was before an upgrade whose conflicts are open.

use std::collections::{BTreeMap, BTreeSet};

use crate::apply::{self, undo};
use crate::generate::lock::LOCK_PATH;
use crate::generate::record::Record;
use crate::inputs::project::Project;
use crate::inputs::tree;
use crate::plan::{Digest, FileSet, Plan, RelativePath};
use crate::report::answers::upgrade::{AbortedUpgrade, UpgradeAnswer};
use crate::report::{ErrorCode, Failure, Outcome, changes};
use crate::visible::{Visible, visible};
use crate::workflows::Run;
use crate::workflows::write_gate::{self, Decision, WriteRequest};

use super::change::name;
use super::request::UpgradeRequest;

/// Undoes the upgrade that waits.
///
/// # Errors
/// Returns an error if none waits, this machine did not create it, or work since then would be lost without a token.
pub fn run(
    args: &UpgradeRequest,
    run: &Run,
    project: &Project,
    record: &Record,
    notes: Vec<String>,
) -> Result<Outcome, Failure> {
    let Some(upgrade) = &record.upgrade else {
        return Err(Failure::new(ErrorCode::NotFound, "there is no upgrade with open conflicts")
            .hint("there is nothing to undo; use `git restore` for older states"));
    };
    let before = undo::find(&project.root, &name(upgrade))?.ok_or_else(|| {
        Failure::new(ErrorCode::NotFound, "the open upgrade was made on another machine")
            .hint("restore the files from version control, for example with `git restore`")
    })?;
    let (mut wanted, mut unwanted) = (FileSet::default(), BTreeSet::new());
    for former in &before.files {
        match &former.before {
            Some(content) => wanted
                .insert(former.path.clone(), content.clone())
                .map_err(|error| Failure::new(ErrorCode::Unknown, error.to_string()))?,
            None => {
                unwanted.insert(former.path.clone());
            }
        }
    }
    let current = tree::snapshot(&project.root, wanted.paths().chain(&unwanted));
    let plan = Plan::between(&current, &wanted, &unwanted);
    let known: BTreeMap<RelativePath, Digest> = before
        .files
        .iter()
        .filter_map(|former| Some((former.path.clone(), former.after?)))
        .collect();
    let request = WriteRequest {
        command: "upgrade --abort",
        arguments: upgrade.version.clone(),
        root: &project.root,
        plan: &plan,
        known: &known,
    };
    if let Decision::Preview(preview) = write_gate::decide(&request, &args.write, run)? {
        return Ok(preview.outcome(UpgradeAnswer::Plain));
    }
    apply::apply(&project.root, &plan, LOCK_PATH)?;
    undo::remove_directories(&project.root, &before);
    undo::forget(&project.root);
    let template = record.template.as_ref();
    let version = template.map(|section| section.version.clone());
    let mut lines = vec![visible!(
        "{} the upgrade to {} ({})",
        run.style.good("undone"),
        upgrade.version,
        changes::summary(&plan)
    )];
    lines.push(changes::text(&plan, run.style));
    lines.extend(notes.iter().map(|note| visible!("{} {}", run.style.warning("note:"), note)));
    let data = UpgradeAnswer::Aborted(AbortedUpgrade {
        status: "aborted",
        template: template.map(|section| section.name.clone()),
        previous_version: upgrade.version.clone(),
        version,
        changes: changes::listed(&plan, args.write.diff),
        notes,
        next: Vec::new(),
    });
    Ok(Outcome::new(data, Visible::joined(lines, "\n")).raw(changes::patch(&plan)))
}
