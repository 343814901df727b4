//! The family `agent-adapter`: adapters that let Agent Orchestrator run a coding agent.

mod adoption;
mod agent;
mod conform;
pub mod contract;
mod frozen;
mod module;
mod name;
mod outputs;
mod rules;
mod scaffold;
mod wiring;

use self::contract::FAMILY;
use crate::audit::rules::FAMILY_RULES;
use crate::conform::family::PROBES;
use crate::conform::fixture::section::SECTIONS;
use crate::conform::tools::TOOLS;
use crate::generate::outputs::OUTPUTS;
use crate::inputs::adoption::ADOPTERS;
use crate::inputs::frozen::FROZEN;
use crate::workflows::new::subject::SCAFFOLDERS;
use crate::workflows::wire::seam::WIRERS;

/// Adds the family to every layer.
pub fn install() {
    FAMILY.install();
    OUTPUTS.add(FAMILY, &outputs::AdapterOutputs);
    ADOPTERS.add(FAMILY, &adoption::AdapterAdopter);
    FROZEN.add(FAMILY, &frozen::AdapterCore);
    FAMILY_RULES.add(FAMILY, &rules::AdapterRules);
    PROBES.add(FAMILY, &conform::AdapterProbes);
    TOOLS.add(FAMILY, &conform::AdapterTools);
    SECTIONS.add(FAMILY, &conform::facts::AdapterSection);
    SCAFFOLDERS.add(FAMILY, &scaffold::AdapterScaffolder);
    WIRERS.add(FAMILY, &wiring::AdapterWirer);
}
