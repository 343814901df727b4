//! Finds, calls and judges stand-alone CLIs for `aos conform`.

mod absence;
mod batch;
mod codes;
mod describe;
mod described;
mod envelope;
mod filters;
pub mod fixture;
mod gate;
mod host;
mod idempotency;
mod invariants;
mod kind;
mod kinds;
mod lab;
mod listing;
mod normal;
mod notice_cache;
mod notice_source;
mod notices;
mod offline;
mod optional;
mod pages;
pub mod probes;
mod queries;
mod raw;
mod redaction;
mod reference;
mod secrets;
mod shapes;
mod short_page;
mod shot;
mod signals;
mod signed;
mod stop;
mod tally;
mod target_change;
mod terms;
mod token_life;
mod token_secret;
mod tools;
mod tree;
mod unanswered;
mod update;
mod update_disk;
mod update_faults;
mod upstream;
mod values;

use std::sync::OnceLock;

use indexmap::IndexMap;

use crate::conform::family::{ProbeRequirement, ProbeSet};
use crate::conform::monitor::log::Noted;
use crate::conform::monitor::ruling::Ruling;
use crate::conform::probe::{Conclusion, Probe, ProbeVerdict};
use crate::conform::secrets::Sentinel;
use crate::conform::session::ToolCaller;
use crate::inputs::embedded;

use super::contract::{AgentCliContract, FAMILY};
use super::executable::{Requirement, RequirementLevel};

pub use tools::AgentCliTools;

/// The name of the requirement that a probe tests.
fn name(probe: &Probe) -> &str {
    probe.id.strip_prefix("cli.").unwrap_or(probe.id)
}

fn is_recommended(requirement: &Requirement) -> bool {
    requirement.level == RequirementLevel::Recommended
}

/// The requirements of the newest tag that aos has: a contract of a project can be stricter than it, and not laxer.
fn published() -> Option<&'static IndexMap<String, Requirement>> {
    static KNOWN: OnceLock<Option<IndexMap<String, Requirement>>> = OnceLock::new();
    let read = || {
        let tag = embedded::tags(FAMILY).into_iter().max()?;
        let bytes = embedded::contract_file(FAMILY, &tag, "contract.json")?;
        Some(AgentCliContract::parse(bytes, &tag).ok()?.requirements)
    };
    KNOWN.get_or_init(read).as_ref()
}

pub struct AgentCliProbes;

impl ProbeSet for AgentCliProbes {
    fn probes(&self) -> &'static [Probe] {
        probes::PROBES
    }

    fn sentinels(&self, session: &ToolCaller) -> Vec<Sentinel> {
        invariants::sentinels(session)
    }

    fn requirement(&self, probe: &Probe) -> Option<ProbeRequirement> {
        let found = published()?.get(name(probe))?;
        let capabilities = found.needs.iter().map(ToString::to_string).collect();
        Some(ProbeRequirement { level: found.level.name(), capabilities })
    }

    fn weigh(&self, session: &ToolCaller, probe: &Probe, mut finding: Conclusion) -> Conclusion {
        let Ok(contract) = session.contract.of::<AgentCliContract>() else { return finding };
        let name = name(probe);
        let is_advice = contract.requirements.get(name).is_some_and(is_recommended)
            && published().is_some_and(|known| known.get(name).is_some_and(is_recommended));
        if finding.verdict() == ProbeVerdict::Blocked
            && let Some(evidence) = published()
                .and_then(|known| known.get(name))
                .and_then(|requirement| terms::without(session, &requirement.needs))
        {
            return Conclusion::not_applicable(evidence);
        }
        if is_advice && finding.verdict() == ProbeVerdict::Fail {
            finding.advise();
        }
        finding
    }

    fn judge(&self, session: &ToolCaller, calls: &[Noted]) -> Vec<Ruling> {
        invariants::judge(session, calls)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn each_requirement_of_the_newest_contract_has_its_probe_and_each_probe_its_requirement() {
        let requirements = published().expect("the newest contract");
        let known: BTreeMap<&str, &str> = requirements
            .iter()
            .map(|(name, each)| (name.as_str(), each.section.as_str()))
            .collect();
        let probes: BTreeMap<&str, &str> =
            probes::PROBES.iter().map(|probe| (name(probe), probe.section)).collect();
        assert_eq!(known, probes);
    }
}
