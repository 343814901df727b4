//! What a new tag from a directory may not change: the part of a family that its released tags share.

use crate::contract::family::Parts;
use crate::contract::{Family, SpecTag};
use crate::generate::vendor::Contract;

use super::embedded;
use super::spec_source::{SpecError, embedded_release};

/// The part that all released tags of a family share.
pub trait FrozenCore: Sync {
    /// The first code that `new` lacks or defines differently than `old`.
    fn changed(&self, old: &Contract, new: &Contract) -> Option<String>;
}

/// What each family keeps.
pub static FROZEN: Parts<dyn FrozenCore> = Parts::new();

/// A new tag may add to the core; what is released keeps its meaning.
///
/// # Errors
/// The first code that `contract` lacks or defines differently.
pub fn core_is_kept(
    path: &str,
    family: Family,
    tag: &SpecTag,
    contract: &Contract,
) -> Result<(), SpecError> {
    let Some(core) = FROZEN.of(family) else { return Ok(()) };
    for since in embedded::tags(family).iter().filter(|released| *released <= tag) {
        if let Some(code) = core.changed(&embedded_release(family, since)?.contract, contract) {
            return Err(SpecError::CoreChanged {
                path: path.to_owned(),
                code,
                since: since.clone(),
            });
        }
    }
    Ok(())
}
