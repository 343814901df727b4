//! What a new tag from a directory may not change: the part of a family that its released tags share.

use crate::contract::family::FamilyParts;
use crate::generate::vendor::Contract;

/// What released tags of a family share for ever.
pub trait FrozenCore: Sync {
    /// The first code that `new` lacks or defines differently than `old`.
    fn changed(&self, old: &Contract, new: &Contract) -> Option<String>;
}

/// What each family keeps.
pub static FROZEN: FamilyParts<dyn FrozenCore> = FamilyParts::new();
