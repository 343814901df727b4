//! The parts of the contract that all released tags of the family share.

use crate::contract::name::Key;
use crate::generate::vendor::Contract;
use crate::inputs::frozen::FrozenCore;

use super::contract::AugmentorContract;

pub struct AugmentorCore;

impl FrozenCore for AugmentorCore {
    fn changed(&self, old: &Contract, new: &Contract) -> Option<String> {
        changed(old.of().ok()?, new.of().ok()?)
    }
}

/// Runtimes, caps, permissions, members and codes: a package that fits one tag must fit the next.
fn changed(old: &AugmentorContract, new: &AugmentorContract) -> Option<String> {
    let code = old.error.codes.iter().find(|(name, code)| {
        new.error.codes.get(*name).is_none_or(|now| now.retryable != code.retryable)
    });
    if let Some((name, _)) = code {
        return Some(name.to_string());
    }
    let kept = [
        ("runtimes", holds(&new.runtimes, &old.runtimes)),
        ("caps", holds(&new.caps, &old.caps)),
        ("permissions.filesystem", holds(&new.permissions.filesystem, &old.permissions.filesystem)),
        ("permissions.network", holds(&new.permissions.network, &old.permissions.network)),
        ("package.keys", holds(&new.package.keys, &old.package.keys)),
        ("error.keys", holds(&new.error.keys, &old.error.keys)),
        ("manifest.file", old.manifest.file == new.manifest.file),
        ("manifest.keys", old.manifest.keys.keys().all(|key| new.manifest.keys.contains_key(key))),
    ];
    kept.iter().find(|(_, kept)| !kept).map(|(name, _)| (*name).to_owned())
}

fn holds(all: &[Key], wanted: &[Key]) -> bool {
    wanted.iter().all(|key| all.contains(key))
}
