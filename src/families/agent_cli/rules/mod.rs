//! The rules of stand-alone CLIs, for `aos check`.

pub mod all;
mod codes;
mod documented;
mod documents;
mod envelope;
pub mod facts;
mod package;
mod readiness;
mod skill;
mod sources;
#[cfg(test)]
mod tests;
mod versions;
mod workflows;
mod yaml;

use super::contract::AgentCliContract;
use super::rules::facts::ToolFacts;
use crate::audit::rules::FamilyRules;
use crate::contract::rules::rule::Rule;
use crate::contract::{Finding, ProjectFiles, json};
use crate::generate::record::Record;
use crate::generate::record_spec::CONTRACT_DIRECTORY;
use crate::generate::vendor::Contract;

pub struct AgentCliRules;

impl FamilyRules for AgentCliRules {
    fn rules(&self) -> &'static [Rule] {
        all::RULES
    }

    fn check(
        &self,
        repository: &ProjectFiles,
        contract: &Contract,
        record: Option<&Record>,
    ) -> Vec<Finding> {
        let Ok(contract) = contract.of::<AgentCliContract>() else { return Vec::new() };
        all::check_agent_cli(repository, &facts(repository, contract, record))
    }

    fn notes(
        &self,
        repository: &ProjectFiles,
        contract: &Contract,
        record: Option<&Record>,
    ) -> Vec<String> {
        let Ok(contract) = contract.of::<AgentCliContract>() else { return Vec::new() };
        all::notes(repository, &facts(repository, contract, record))
    }
}

/// The contract, and what the project adds to it; an extension that is refused has a finding of its own.
fn facts(
    repository: &ProjectFiles,
    contract: &AgentCliContract,
    record: Option<&Record>,
) -> ToolFacts {
    let mut facts = ToolFacts::of(contract);
    let directory = record.map_or(CONTRACT_DIRECTORY, |record| record.spec.directory.as_str());
    let extension = repository.bytes(&format!("{directory}/contract-ext.json"));
    let document = extension.and_then(|bytes| json::parse(bytes).ok()).unwrap_or_default();
    let own = document["error_codes"].as_object().into_iter().flat_map(|codes| codes.keys());
    facts.own = own.cloned().collect();
    let outputs = record.into_iter().flat_map(|record| record.outputs.values().flatten());
    facts.generated = outputs.map(|output| output.path.to_string()).collect();
    facts
}
