//! The part of a family that its released tags share, which a new tag from a directory may not change.

use crate::contract::family::FamilyParts;
use crate::generate::vendor::Contract;

/// The part that all released tags of a family share.
pub trait FrozenCore: Sync {
    /// The first code that `new` lacks or defines differently than `old`.
    fn changed(&self, old: &Contract, new: &Contract) -> Option<String>;
}

/// The frozen part of each family.
pub static FROZEN: FamilyParts<dyn FrozenCore> = FamilyParts::new();
