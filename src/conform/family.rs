//! The probes of each family, and its rules for every call of a tool.

use crate::contract::Family;
use crate::contract::family::FamilyParts;

use super::monitor::log::Noted;
use super::monitor::ruling::Ruling;
use super::probe::{Conclusion, Probe};
use super::secrets::Sentinel;
use super::session::ToolCaller;

/// The requirement of a probe in the newest contract of a family.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ProbeRequirement {
    /// `exact`, `at_least` or `recommended`.
    pub level: &'static str,
    /// Without all of these it asks nothing of a tool.
    pub capabilities: Vec<String>,
}

/// The probes of a family, and how their findings are weighed.
pub trait ProbeSet: Sync {
    /// Every probe, in the order of the reference.
    fn probes(&self) -> &'static [Probe];

    /// Secrets that no call may show.
    fn sentinels(&self, _session: &ToolCaller) -> Vec<Sentinel> {
        Vec::new()
    }

    /// Returns the requirement of a probe in the contract; `None` if only the text of the contract states it.
    fn requirement(&self, _probe: &Probe) -> Option<ProbeRequirement> {
        None
    }

    /// Adjusts a finding to the level of the requirement in the contract.
    fn weigh(&self, _session: &ToolCaller, _probe: &Probe, finding: Conclusion) -> Conclusion {
        finding
    }

    /// Returns the rulings on each call of the run, by the rules for every call.
    fn judge(&self, _session: &ToolCaller, calls: &[Noted]) -> Vec<Ruling> {
        calls.iter().map(|_| Ruling::default()).collect()
    }
}

/// The probes of each family.
pub static PROBES: FamilyParts<dyn ProbeSet> = FamilyParts::new();

/// Every probe of a family.
#[must_use]
pub fn of(family: Family) -> &'static [Probe] {
    PROBES.of(family).map(ProbeSet::probes).unwrap_or_default()
}

/// Returns the requirement of a probe in the contract.
#[must_use]
pub fn requirement(probe: &Probe) -> Option<ProbeRequirement> {
    PROBES.of(probe.family)?.requirement(probe)
}

/// Every probe of every family.
#[must_use]
pub fn all() -> Vec<&'static Probe> {
    PROBES.entries().into_iter().flat_map(|(_, part)| part.probes()).collect()
}

/// The probe called `id`.
#[must_use]
pub fn find(id: &str) -> Option<&'static Probe> {
    all().into_iter().find(|probe| probe.id == id)
}
