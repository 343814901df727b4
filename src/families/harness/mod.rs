//! The family `harness`: AOS connectors, `aos-<name>`.

mod adoption;
mod api_answers;
mod conform;
pub mod connector;
pub mod contract;
mod declared;
mod described;
mod described_changes;
mod edit;
mod frozen;
mod generate;
mod grants;
mod host;
mod manifest;
mod mcp;
mod migrate;
pub mod operations;
mod outputs;
pub mod profile;
mod python_source;
mod rules;
mod scaffold;
mod surface;
mod switched_off;

use self::contract::FAMILY;
use crate::audit::rules::FAMILY_RULES;
use crate::conform::family::PROBES;
use crate::conform::fixture::section::SECTIONS;
use crate::conform::tools::TOOLS;
use crate::contract::surface::SURFACES;
use crate::generate::outputs::OUTPUTS;
use crate::inputs::adoption::ADOPTERS;
use crate::inputs::frozen::FROZEN;
use crate::mcp::provider::OPENERS;
use crate::workflows::add::seam::EDITORS;
use crate::workflows::discover::seam::HOSTS;
use crate::workflows::migrate::seam::MIGRATORS;
use crate::workflows::new::subject::SCAFFOLDERS;
use crate::workflows::sync::switched_off::GUARDS;

/// Adds the family to every layer.
pub fn install() {
    FAMILY.install();
    OUTPUTS.add(FAMILY, &outputs::HarnessOutputs);
    ADOPTERS.add(FAMILY, &adoption::HarnessAdopter);
    FROZEN.add(FAMILY, &frozen::HarnessCore);
    FAMILY_RULES.add(FAMILY, &rules::HarnessRules);
    PROBES.add(FAMILY, &conform::HarnessProbes);
    TOOLS.add(FAMILY, &conform::HarnessTools);
    SECTIONS.add(FAMILY, &conform::facts::HarnessSection);
    OPENERS.add(FAMILY, &mcp::HarnessOpener);
    SURFACES.add(FAMILY, &surface::HarnessSurface);
    GUARDS.add(FAMILY, &switched_off::HarnessGuard);
    HOSTS.add(FAMILY, &host::ArgentOs);
    EDITORS.add(FAMILY, &edit::HarnessEditor);
    MIGRATORS.add(FAMILY, &migrate::HarnessMigrator);
    SCAFFOLDERS.add(FAMILY, &scaffold::HarnessScaffolder);
}
