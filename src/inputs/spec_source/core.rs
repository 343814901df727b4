//! The core of a family, which each new tag keeps.

use crate::contract::{Family, SpecTag};
use crate::generate::vendor::Contract;
use crate::inputs::embedded;
use crate::inputs::frozen::FROZEN;

use super::carried::embedded_release;
use super::fault::SpecError;

/// A new tag may add to the core; what is released keeps its meaning.
///
/// # Errors
/// The first code that `contract` lacks or defines differently.
pub fn is_kept(
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
