//! The family `augmentor`: packages of commands and agents that any host loads.

mod adoption;
mod commands;
mod conform;
pub mod contract;
mod frozen;
pub mod host;
mod manifest;
mod mcp;
mod module;
mod outputs;
mod package;
mod rules;
mod scaffold;

use crate::audit::rules::FAMILY_RULES;
use crate::commands::augmentor::seam::HOSTS;
use crate::conform::family::PROBES;
use crate::contract::Family;
use crate::contract::family::{Description, Marker};
use crate::generate::outputs::OUTPUTS;
use crate::inputs::adoption::ADOPTERS;
use crate::inputs::frozen::FROZEN;
use crate::mcp::provider::OPENERS;
use crate::workflows::new::subject::SCAFFOLDERS;

/// The manifest of an augmentor.
pub const MANIFEST: &str = "augmentor.toml";

/// Packages of commands and agents that any host loads.
pub const FAMILY: Family = Family::of(&Description {
    name: "augmentor",
    spec_file: "AUGMENTOR-SPEC.md",
    noun: "augmentor",
    marker: Marker::File(MANIFEST),
});

/// Adds the family to every layer.
pub fn install() {
    FAMILY.install();
    OUTPUTS.add(FAMILY, &outputs::AugmentorOutputs);
    ADOPTERS.add(FAMILY, &adoption::AugmentorAdopter);
    FROZEN.add(FAMILY, &frozen::AugmentorCore);
    FAMILY_RULES.add(FAMILY, &rules::AugmentorRules);
    PROBES.add(FAMILY, &conform::AugmentorProbes);
    HOSTS.add(FAMILY, &commands::AugmentorHost);
    OPENERS.add(FAMILY, &mcp::AugmentorOpener);
    SCAFFOLDERS.add(FAMILY, &scaffold::AugmentorScaffolder);
}
