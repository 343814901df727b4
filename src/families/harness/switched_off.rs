//! Refuses a move after which a connector would deny calls that it allows today.

use super::contract::HarnessContract;
use super::grants::{Grants, Loss};
use crate::contract::name::Key;
use crate::generate::record::Record;
use crate::inputs::desired::Desired;
use crate::inputs::project::{Project, Slot};
use crate::plan::Digest;
use crate::report::answers::sync::DeniedCall;
use crate::report::{ErrorCode, Failure};
use crate::system::files;
use crate::workflows::sync::switched_off::MoveGuard;

/// Largest file that is compared, in bytes.
const MAX_FILE: u64 = 4 * 1024 * 1024;
/// Losses that one answer lists.
const MAX_LISTED: usize = 50;

pub struct HarnessGuard;

impl MoveGuard for HarnessGuard {
    /// A change of `connector.json` alone is not a move: `aos gen` carries out what its author decided.
    fn refuse(&self, project: &Project, record: &Record, desired: &Desired) -> Result<(), Failure> {
        let Ok(contract) = desired.release.contract.of::<HarnessContract>() else { return Ok(()) };
        let adopting = !matches!(project.record, Slot::Good(_));
        let moving = project.lock.good().is_none_or(|lock| lock.tag != desired.release.tag);
        if adopting || moving {
            losses(contract, project, record, desired, adopting)
        } else {
            Ok(())
        }
    }
}

fn losses(
    contract: &HarnessContract,
    project: &Project,
    record: &Record,
    desired: &Desired,
    adopting: bool,
) -> Result<(), Failure> {
    // The modes and their order are frozen, whatever the tag.
    let modes: Vec<&str> = contract.modes.iter().map(Key::as_str).collect();
    for output in record.outputs.get("permissions").into_iter().flatten() {
        let Some(after) = desired.generated.get(&output.path) else { continue };
        let Some(before) = standing(project, &output.path) else { continue };
        let after = Grants::read(&after.bytes);
        let losses = Grants::read(&before).lost(&after, &modes);
        if !losses.is_empty() {
            return Err(denied(output.path.as_str(), &losses, adopting));
        }
    }
    Ok(())
}

/// Returns the file that decides at present; a file that was edited after aos wrote it is drift and decides nothing.
fn standing(project: &Project, path: &crate::plan::RelativePath) -> Option<Vec<u8>> {
    let bytes = files::read(&project.root.join(path.as_str()), MAX_FILE).ok()?.bytes;
    let written = project.lock.good().and_then(|lock| lock.generated.get(path));
    written.is_none_or(|digest| *digest == Digest::of(&bytes)).then_some(bytes)
}

fn denied(path: &str, losses: &[Loss], adopting: bool) -> Failure {
    let told = match &losses[0] {
        Loss::Key { key } => {
            format!("programs that read `{}` in `{path}` would find no command", shown(key))
        }
        Loss::Command { command } => {
            format!("`{}` is in `{path}`, but not in `connector.json`", shown(command))
        }
        Loss::Mode { command, before, after } => format!(
            "`{}` has the mode `{}` in `{path}`, but `{}` in `connector.json`",
            shown(command),
            shown(before),
            shown(after)
        ),
    };
    let more = match losses.len() - 1 {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let fix = match (&losses[0], adopting) {
        (Loss::Key { key }, _) => format!(
            "let the connector read `permissions`, and delete `{}` from `{path}`",
            shown(key)
        ),
        (_, true) => format!(
            "make `connector.json` and `{path}` agree on every command and its mode, then run `aos sync-spec` again"
        ),
        (_, false) => "run `aos gen` if `connector.json` is correct, otherwise correct it; then run `aos sync-spec` again".to_owned(),
    };
    let listed: Vec<_> = losses
        .iter()
        .take(MAX_LISTED)
        .map(|loss| match loss {
            Loss::Key { key } => DeniedCall::Key { key: key.clone() },
            Loss::Command { command } => DeniedCall::Command { command: command.clone() },
            Loss::Mode { command, before, after } => DeniedCall::Mode {
                command: command.clone(),
                mode: before.clone(),
                mode_after: after.clone(),
            },
        })
        .collect();
    refusal(format!("{told}{more}"), fix)
        .detail("denied", listed)
        .detail("denied_total", losses.len())
}

fn refusal(reason: String, fix: String) -> Failure {
    Failure::new(
        ErrorCode::Validation,
        format!("nothing was written: the connector would deny calls that it allows today, because {reason}"),
    )
    .hint(fix)
}

/// A name from the file in a message, of bounded length.
fn shown(text: &str) -> String {
    text.chars().take(60).collect()
}
