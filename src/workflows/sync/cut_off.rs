//! A write of this machine that was cut off: undone before anything else, or shown by a dry run.

use crate::visible::counted;
use std::path::Path;

use crate::apply;
use crate::report::answers::sync::RecoveryStep;
use crate::report::{ErrorCode, Failure};
use crate::visible::{Visible, visible};
use crate::workflows::write_gate::WriteOptions;

/// Undoes a write of this machine that was cut off, unless this is a dry run. Gives what was changed for that, path by
/// path, and names what this machine did not make.
///
/// # Errors
/// Returns an error if there is a journal that cannot be carried out.
pub fn put_back(root: &Path, write: &WriteOptions) -> Result<Vec<String>, Failure> {
    if write.dry_run {
        return match apply::journal::preview(root)? {
            None => Ok(apply::journal::left(root).iter().map(left_alone).collect()),
            Some(recovery) => Err(cut_off(&recovery)),
        };
    }
    let recovery = apply::recover(root)?;
    let leftovers = apply::journal::clear(root);
    let mut notes = Vec::new();
    if let Some(recovery) = &recovery {
        notes.push(format!(
            "an earlier run was interrupted; restored: {}",
            counted(recovery.restored.len(), "file")
        ));
        notes.extend(recovery.restored.iter().map(|restored| match restored.action {
            "remove" => format!("`{}`, which that run had created, was removed", restored.path),
            _ => format!("`{}` was restored", restored.path),
        }));
        notes.extend(
            recovery
                .skipped
                .iter()
                .map(|path| format!("`{path}` was changed since then and was kept")),
        );
    }
    notes.extend(leftovers.removed.iter().map(|removed| {
        let files = removed.files.iter().map(|file| format!("`{file}`")).collect::<Vec<_>>();
        let files =
            if files.is_empty() { String::new() } else { format!(": {}", files.join(", ")) };
        format!(
            "`{}`, left by an interrupted run on this machine, was removed{files}",
            removed.name
        )
    }));
    notes.extend(leftovers.left.iter().map(left_alone));
    Ok(notes)
}

fn left_alone(left: &apply::journal::Left) -> String {
    format!("`{}` looks like a leftover of aos, but was kept: {}", left.name, left.reason)
}

/// The answer to a dry run where a write must be undone first, with every path.
fn cut_off(recovery: &apply::journal::Recovery) -> Failure {
    let steps = recovery.restored.iter();
    let lines = steps.clone().map(|step| visible!("  {} {}", step.action, step.path));
    let report = Visible::joined(lines, "\n");
    let steps: Vec<_> = steps
        .map(|step| RecoveryStep { path: step.path.to_string(), action: step.action })
        .collect();
    let mut failure =
        Failure::new(ErrorCode::Conflict, "an earlier run was interrupted while it wrote")
            .hint("run the command without `--dry-run`; it first restores the old state")
            .detail("recovery", steps)
            .detail("left_alone", recovery.skipped.clone());
    failure.report = Some(report).filter(|report| !report.is_empty());
    failure
}
