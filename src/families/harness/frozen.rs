//! The parts of the contract that all released tags of the family share.

use super::contract::HarnessContract;
use crate::contract::name::Key;
use crate::generate::vendor::Contract;
use crate::inputs::frozen::FrozenCore;

pub struct HarnessCore;

impl FrozenCore for HarnessCore {
    fn changed(&self, old: &Contract, new: &Contract) -> Option<String> {
        changed_in_harness(old.of::<HarnessContract>().ok()?, new.of::<HarnessContract>().ok()?)
    }
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
