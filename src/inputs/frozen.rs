//! What a new tag from a directory may not change: the part of a family that its released tags share.

use crate::contract::name::Key;
use crate::contract::{AgentCliContract, Family, HarnessContract, SpecTag};
use crate::generate::vendor::Contract;

use super::embedded;
use super::spec_source::{SpecError, embedded_release};

/// A new tag may add to the core; what is released keeps its meaning.
///
/// # Errors
/// Names the first thing that `contract` lacks or gives another meaning.
pub fn core_is_kept(
    path: &str,
    family: Family,
    tag: &SpecTag,
    contract: &Contract,
) -> Result<(), SpecError> {
    for since in embedded::tags(family).iter().filter(|released| *released <= tag) {
        let changed = match (&embedded_release(family, since)?.contract, contract) {
            (Contract::AgentCli(old), Contract::AgentCli(new)) => changed_code(old, new),
            (Contract::Harness(old), Contract::Harness(new)) => changed_in_harness(old, new),
            _ => None,
        };
        if let Some(code) = changed {
            return Err(SpecError::CoreChanged {
                path: path.to_owned(),
                code,
                since: since.clone(),
            });
        }
    }
    Ok(())
}

fn changed_code(old: &AgentCliContract, new: &AgentCliContract) -> Option<String> {
    let mut codes = old.error_codes.core.iter();
    let changed = codes.find(|(code, spec)| new.error_codes.core.get(*code) != Some(spec));
    changed.map(|(code, _)| code.to_string())
}

/// Codes, exits, modes and the gate itself: a connector under a weaker contract would let callers in.
fn changed_in_harness(old: &HarnessContract, new: &HarnessContract) -> Option<String> {
    let code = old.error_codes.iter().find(|(name, spec)| {
        new.error_codes
            .get(*name)
            .is_none_or(|now| (now.exit, now.retryable) != (spec.exit, spec.retryable))
    });
    if let Some((name, _)) = code {
        return Some(name.to_string());
    }
    let exit = old.exit_codes.iter().find(|exit| {
        !new.exit_codes.iter().any(|now| (now.code, &now.name) == (exit.code, &exit.name))
    });
    if let Some(exit) = exit {
        return Some(exit.name.to_string());
    }
    let same = [
        ("modes", old.modes == new.modes),
        ("default_mode", old.default_mode == new.default_mode),
        ("admin_mode", old.admin_mode == new.admin_mode),
        ("bulk_mode", old.bulk_mode == new.bulk_mode),
        ("mode_env", old.mode_env.is_none() || old.mode_env == new.mode_env),
        ("required_commands", holds(&new.required_commands, &old.required_commands)),
        ("destructive_verbs", holds(&new.destructive_verbs, &old.destructive_verbs)),
        ("permissions.keys", holds(&new.permissions.keys, &old.permissions.keys)),
        ("envelope.success_keys", holds(&new.envelope.success_keys, &old.envelope.success_keys)),
        ("envelope.error_keys", holds(&new.envelope.error_keys, &old.envelope.error_keys)),
        ("envelope.meta_keys", holds(&new.envelope.meta_keys, &old.envelope.meta_keys)),
        ("health.statuses", holds(&new.health.statuses, &old.health.statuses)),
    ];
    same.iter().find(|(_, kept)| !kept).map(|(name, _)| (*name).to_owned())
}

fn holds(all: &[Key], wanted: &[Key]) -> bool {
    wanted.iter().all(|key| all.contains(key))
}
