//! The part of a family that its released tags share, which a new tag from a directory may not change.

use std::fmt;

use crate::contract::family::FamilyParts;
use crate::generate::vendor::Contract;

/// A part that a contract gives up.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CoreChange {
    /// The code or member that is missing or has another meaning.
    pub member: String,
    /// The entries that a list of keys lacks.
    pub lacks: Vec<String>,
}

impl From<String> for CoreChange {
    fn from(member: String) -> Self {
        Self { member, lacks: Vec::new() }
    }
}

impl fmt::Display for CoreChange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`", self.member)?;
        if self.lacks.is_empty() {
            return Ok(());
        }
        let named: Vec<_> = self.lacks.iter().map(|key| format!("`{key}`")).collect();
        write!(formatter, " (without {})", named.join(", "))
    }
}

/// The part that all released tags of a family share.
pub trait FrozenCore: Sync {
    /// The first part that `new` lacks or defines differently than `old`.
    fn changed(&self, old: &Contract, new: &Contract) -> Option<CoreChange>;
}

/// The frozen part of each family.
pub static FROZEN: FamilyParts<dyn FrozenCore> = FamilyParts::new();
