//! The family `augmentor`: packages of commands and agents that any host loads.

mod adoption;
mod answers;
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

use self::contract::FAMILY;
use crate::audit::rules::FAMILY_RULES;
use crate::conform::family::PROBES;
use crate::conform::tools::TOOLS;
use crate::generate::outputs::OUTPUTS;
use crate::inputs::adoption::ADOPTERS;
use crate::inputs::frozen::FROZEN;
use crate::mcp::provider::OPENERS;
use crate::workflows::augmentor::seam::HOSTS;
use crate::workflows::new::subject::SCAFFOLDERS;

/// Adds the family to every layer.
pub fn install() {
    FAMILY.install();
    OUTPUTS.add(FAMILY, &outputs::AugmentorOutputs);
    ADOPTERS.add(FAMILY, &adoption::AugmentorAdopter);
    FROZEN.add(FAMILY, &frozen::AugmentorCore);
    FAMILY_RULES.add(FAMILY, &rules::AugmentorRules);
    PROBES.add(FAMILY, &conform::AugmentorProbes);
    TOOLS.add(FAMILY, &conform::AugmentorTools);
    HOSTS.add(FAMILY, &commands::AugmentorHost);
    OPENERS.add(FAMILY, &mcp::AugmentorOpener);
    SCAFFOLDERS.add(FAMILY, &scaffold::AugmentorScaffolder);
}
