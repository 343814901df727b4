//! The surface of a connector, on which operators and agents rely: everything that its manifest offers, in comparable
//! form.
//!
//! A family reads it from a manifest; nothing here judges. `difference` compares two.

mod difference;

use std::collections::{BTreeMap, BTreeSet};

use super::family::FamilyParts;

pub use difference::{SurfaceDifference, SurfaceEffect, differences};

/// Most commands, and most fields: a field without `applies_to` belongs to every command.
pub const MOST: usize = 1_000;

/// Why a text is not a manifest.
#[derive(Debug, thiserror::Error)]
pub enum SurfaceError {
    #[error("it is not JSON: {0}")]
    Json(String),
    #[error("it is {0}, not an object")]
    Shape(&'static str),
    #[error("it has no `commands`, so it is not a connector.json")]
    Commands,
    #[error("it has more than {MOST} {0}")]
    TooMany(&'static str),
}

/// The whole offer.
#[derive(Debug, Default)]
pub struct Surface {
    pub tool: String,
    pub backend: String,
    /// Keys that the host injects.
    pub keys: BTreeSet<String>,
    /// Other variables that the manifest says are read, and what for.
    pub variables: BTreeMap<String, String>,
    pub resources: BTreeSet<String>,
    pub commands: BTreeMap<String, OfferedCommand>,
    pub fields: BTreeMap<String, OfferedField>,
    /// Name of each picker and the command that fills it.
    pub pickers: BTreeMap<String, String>,
    /// Id of each event and its filters.
    pub events: BTreeMap<String, BTreeSet<String>>,
}

#[derive(Debug, Default)]
pub struct OfferedCommand {
    pub mode: String,
    pub class: String,
    /// Whether the form offers it.
    pub is_offered: bool,
    /// Fields that it cannot run without.
    pub required: BTreeSet<String>,
}

#[derive(Debug, Default)]
pub struct OfferedField {
    /// The commands that take it.
    pub commands: BTreeSet<String>,
    pub default: Option<String>,
    /// The values that a select offers; empty for any other widget.
    pub choices: BTreeSet<String>,
    pub picker: String,
    pub aliases: BTreeSet<String>,
}

impl Surface {
    /// The field that an option with this name reaches.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<(&str, &OfferedField)> {
        let same = self.fields.get_key_value(name);
        let alias = || self.fields.iter().find(|(_, field)| field.aliases.contains(name));
        same.or_else(alias).map(|(id, field)| (id.as_str(), field))
    }
}

/// A reader of the manifest of a family.
pub trait SurfaceReader: Sync {
    /// Reads a manifest.
    ///
    /// # Errors
    /// Returns an error if the text is not a manifest of the family.
    fn read(&self, text: &str) -> Result<Surface, SurfaceError>;
}

/// The reader of each family whose tools have a manifest that can be compared.
pub static SURFACES: FamilyParts<dyn SurfaceReader> = FamilyParts::new();
