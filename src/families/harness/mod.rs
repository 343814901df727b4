//! The family `harness`: AOS connectors, `aos-<name>`.

mod adoption;
mod edit;
mod frozen;
mod host;
mod mcp;
mod outputs;
mod probe_set;
mod rules;
mod scaffold;

use crate::audit::rules::FAMILY_RULES;
use crate::commands::new::subject::SCAFFOLDERS;
use crate::conform::family::PROBES;
use crate::contract::harness::FAMILY;
use crate::generate::outputs::OUTPUTS;
use crate::inputs::adoption::ADOPTERS;
use crate::inputs::frozen::FROZEN;
use crate::mcp::provider::OPENERS;
use crate::workflows::add::seam::EDITORS;
use crate::workflows::discover::seam::HOSTS;

/// Adds the family to every layer.
pub fn install() {
    FAMILY.install();
    OUTPUTS.add(FAMILY, &outputs::HarnessOutputs);
    ADOPTERS.add(FAMILY, &adoption::HarnessAdopter);
    FROZEN.add(FAMILY, &frozen::HarnessCore);
    FAMILY_RULES.add(FAMILY, &rules::HarnessRules);
    PROBES.add(FAMILY, &probe_set::HarnessProbes);
    OPENERS.add(FAMILY, &mcp::HarnessOpener);
    HOSTS.add(FAMILY, &host::ArgentOs);
    EDITORS.add(FAMILY, &edit::HarnessEditor);
    SCAFFOLDERS.add(FAMILY, &scaffold::HarnessScaffolder);
}
