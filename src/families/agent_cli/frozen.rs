//! The parts of the contract that all released tags of the family must share.

use super::contract::AgentCliContract;
use crate::contract::name::Key;
use crate::generate::vendor::Contract;
use crate::inputs::frozen::{CoreChange, FrozenCore};

pub struct AgentCliCore;

impl FrozenCore for AgentCliCore {
    fn changed(&self, old: &Contract, new: &Contract) -> Option<CoreChange> {
        changed(old.of::<AgentCliContract>().ok()?, new.of::<AgentCliContract>().ok()?)
    }
}

/// Codes, the meaning of exits, envelopes, the token of a write, marks of untrusted text and the commands that describe a
/// tool: a caller relies on each of them, whatever contract a tool follows.
fn changed(old: &AgentCliContract, new: &AgentCliContract) -> Option<CoreChange> {
    let mut codes = old.error_codes.core.iter();
    let code = codes.find(|(code, spec)| new.error_codes.core.get(*code) != Some(spec));
    if let Some((code, _)) = code {
        return Some(code.to_string().into());
    }
    let mut exits = old.exit_codes.table.iter();
    let exit = exits.find(|(exit, meaning)| new.exit_codes.table.get(*exit) != Some(meaning));
    if let Some((exit, _)) = exit {
        return Some(format!("exit_codes.table.{exit}").into());
    }
    let mut statuses = old.http_status.iter();
    let status = statuses.find(|(status, code)| new.http_status.get(*status) != Some(code));
    if let Some((status, _)) = status {
        return Some(format!("http_status.{status}").into());
    }
    let (was, now) = (&old.envelope, &new.envelope);
    let lists = [
        ("envelope.success_keys", &was.success_keys, &now.success_keys),
        ("envelope.error_keys", &was.error_keys, &now.error_keys),
        ("envelope.error_object_keys", &was.error_object_keys, &now.error_object_keys),
        ("envelope.meta_required_keys", &was.meta_required_keys, &now.meta_required_keys),
        ("envelope.stream_keys", &was.stream_keys, &now.stream_keys),
        ("write.dry_run_keys", &old.write.dry_run_keys, &new.write.dry_run_keys),
    ];
    if let Some(change) = lists.iter().find_map(|(name, was, now)| lost(name, was, now)) {
        return Some(change);
    }
    let same = [
        ("envelope.stream_last_type", now.stream_last_type == was.stream_last_type),
        ("untrusted_key", new.untrusted_key == old.untrusted_key),
        ("naming.convention", new.naming.convention == old.naming.convention),
        (
            "extension.human_action_exit",
            new.extension.human_action_exit == old.extension.human_action_exit,
        ),
    ];
    let redefined = same.iter().find(|(_, kept)| !kept).map(|(name, _)| (*name).to_owned());
    redefined.map(CoreChange::from).or_else(|| lost_description(old, new))
}

/// A list of `self_description` that lost members.
fn lost_description(old: &AgentCliContract, new: &AgentCliContract) -> Option<CoreChange> {
    let (was, now) = (&old.self_description, &new.self_description);
    let commands = [
        ("reference", &was.reference, &now.reference),
        ("context", &was.context, &now.context),
        ("doctor", &was.doctor, &now.doctor),
        ("changelog", &was.changelog, &now.changelog),
    ];
    commands.into_iter().find_map(|(command, was, now)| {
        was.iter().find_map(|(list, keys)| {
            let kept = now.get(list).map_or(&[][..], Vec::as_slice);
            lost(&format!("self_description.{command}.{list}"), keys, kept)
        })
    })
}

/// The keys that the list called `name` lost.
fn lost(name: &str, was: &[Key], now: &[Key]) -> Option<CoreChange> {
    let lacks: Vec<_> =
        was.iter().filter(|key| !now.contains(key)).map(ToString::to_string).collect();
    (!lacks.is_empty()).then(|| CoreChange { member: name.to_owned(), lacks })
}
