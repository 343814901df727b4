//! The family `agent-cli`: stand-alone CLIs that agents call.

mod adoption;
mod edit;
mod frozen;
mod mcp;
mod outputs;
mod probe_set;
mod rules;
mod scaffold;

use crate::audit::rules::FAMILY_RULES;
use crate::commands::new::subject::SCAFFOLDERS;
use crate::conform::family::PROBES;
use crate::contract::agent_cli::FAMILY;
use crate::generate::outputs::OUTPUTS;
use crate::inputs::adoption::ADOPTERS;
use crate::inputs::frozen::FROZEN;
use crate::mcp::provider::OPENERS;
use crate::workflows::add::seam::EDITORS;

/// Adds the family to every layer.
pub fn install() {
    FAMILY.install();
    OUTPUTS.add(FAMILY, &outputs::AgentCliOutputs);
    ADOPTERS.add(FAMILY, &adoption::AgentCliAdopter);
    FROZEN.add(FAMILY, &frozen::AgentCliCore);
    FAMILY_RULES.add(FAMILY, &rules::AgentCliRules);
    PROBES.add(FAMILY, &probe_set::AgentCliProbes);
    OPENERS.add(FAMILY, &mcp::AgentCliOpener);
    EDITORS.add(FAMILY, &edit::AgentCliEditor);
    SCAFFOLDERS.add(FAMILY, &scaffold::AgentCliScaffolder);
}
