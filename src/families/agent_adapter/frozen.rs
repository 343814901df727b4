//! The parts of the contract that all released tags of the family share.

use crate::generate::vendor::Contract;
use crate::inputs::frozen::FrozenCore;

use super::contract::AdapterContract;

pub struct AdapterCore;

impl FrozenCore for AdapterCore {
    fn changed(&self, old: &Contract, new: &Contract) -> Option<String> {
        changed(old.of().ok()?, new.of().ok()?)
    }
}

/// The names of the port's methods. v1.0.0 is a draft of a port that was never built, so its signatures, modes and
/// events are not kept: v1.1.0 states the port that exists.
fn changed(old: &AdapterContract, new: &AdapterContract) -> Option<String> {
    let has = |name: &str| {
        let methods = new.port.methods.iter().chain(&new.optional_methods);
        methods.into_iter().any(|method| method.name.as_str() == name)
    };
    let lost = old.port.methods.iter().find(|method| !has(method.name.as_str()));
    if let Some(method) = lost {
        return Some(format!("port.{}", method.name));
    }
    (old.language != new.language).then(|| "language".to_owned())
}
