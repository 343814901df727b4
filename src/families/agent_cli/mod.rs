//! The family `agent-cli`: stand-alone CLIs that agents call.

mod adoption;
mod conform;
pub mod contract;
mod described;
mod edit;
pub mod executable;
pub mod extension;
mod frozen;
mod mcp;
mod modules;
mod outputs;
mod rules;
mod scaffold;

use self::contract::FAMILY;
use crate::audit::rules::FAMILY_RULES;
use crate::conform::family::PROBES;
use crate::conform::fixture::section::SECTIONS;
use crate::conform::tools::TOOLS;
use crate::generate::outputs::OUTPUTS;
use crate::inputs::adoption::ADOPTERS;
use crate::inputs::frozen::FROZEN;
use crate::mcp::provider::OPENERS;
use crate::workflows::add::seam::EDITORS;
use crate::workflows::new::subject::SCAFFOLDERS;

/// Adds the family to every layer.
pub fn install() {
    FAMILY.install();
    OUTPUTS.add(FAMILY, &outputs::AgentCliOutputs);
    ADOPTERS.add(FAMILY, &adoption::AgentCliAdopter);
    FROZEN.add(FAMILY, &frozen::AgentCliCore);
    FAMILY_RULES.add(FAMILY, &rules::AgentCliRules);
    PROBES.add(FAMILY, &conform::AgentCliProbes);
    TOOLS.add(FAMILY, &conform::AgentCliTools);
    SECTIONS.add(FAMILY, &conform::fixture::AgentCliSection);
    OPENERS.add(FAMILY, &mcp::AgentCliOpener);
    EDITORS.add(FAMILY, &edit::AgentCliEditor);
    SCAFFOLDERS.add(FAMILY, &scaffold::AgentCliScaffolder);
}
