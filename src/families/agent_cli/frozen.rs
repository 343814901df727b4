//! What released tags of the family share for ever.

use super::contract::AgentCliContract;
use crate::generate::vendor::Contract;
use crate::inputs::frozen::FrozenCore;

pub struct AgentCliCore;

impl FrozenCore for AgentCliCore {
    fn changed(&self, old: &Contract, new: &Contract) -> Option<String> {
        changed_code(old.of::<AgentCliContract>().ok()?, new.of::<AgentCliContract>().ok()?)
    }
}

fn changed_code(old: &AgentCliContract, new: &AgentCliContract) -> Option<String> {
    let mut codes = old.error_codes.core.iter();
    let changed = codes.find(|(code, spec)| new.error_codes.core.get(*code) != Some(spec));
    changed.map(|(code, _)| code.to_string())
}
