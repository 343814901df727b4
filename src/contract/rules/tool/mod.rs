//! Static rules of the family `agent-cli`: what can be seen in a repository without running the tool.

mod codes;
mod documents;
mod envelope;
mod package;
mod readiness;
mod skill;
pub(super) mod sources;
#[cfg(test)]
mod tests;
mod versions;
mod workflows;
mod yaml;

use std::collections::BTreeSet;

use super::super::agent_cli::{AgentCliContract, FAMILY};
use super::super::findings::{Finding, Severity};
use super::super::name::Constant;
use super::super::repository::Repository;
use super::collector::Collector;
use super::{RECORD, Rule, documented, secrets};
use sources::Sources;

/// Base of the rules that fail a check.
const ERROR: Rule = Rule {
    id: "",
    severity: Severity::Error,
    waivable: true,
    families: &[FAMILY],
    summary: "",
    why: "",
    fix: "",
    source: "",
};

/// Base of the rules that are only worth knowing.
const WARNING: Rule = Rule { severity: Severity::Warning, ..ERROR };

/// Every rule of the family `agent-cli`, in the order of the reference.
pub const RULES: &[Rule] = &[
    documents::MISSING,
    documents::RISK_TIER,
    documents::OTHER_GUARD,
    documented::OF_TOOL,
    versions::DIFFERS,
    versions::HEADING,
    versions::DAY,
    versions::PLATFORM_PIN,
    skill::MISSING,
    skill::FRONT_MATTER,
    skill::NAME,
    skill::DESCRIPTION,
    skill::REQUIREMENTS,
    skill::LENGTH,
    skill::PROMPTS,
    skill::INSTALL_COMMAND,
    codes::UNKNOWN,
    codes::TAUTOLOGY,
    codes::NO_TABLE,
    envelope::OMITTED,
    envelope::DATA_OMITTED,
    envelope::CAMEL_CASE,
    readiness::NO_GUARD,
    readiness::EVIDENCE,
    package::INSTALL_SCRIPT,
    package::PLATFORM_MISSING,
    package::GO_TOOLCHAIN,
    workflows::NONE,
    workflows::UNPINNED,
    workflows::UNTRUSTED_INPUT,
    workflows::PERMISSIONS,
    workflows::NO_CHECK,
];

/// What the rules take from the pinned contract and the project's own codes.
#[derive(Clone, Debug, Default)]
pub struct ToolFacts {
    /// Codes of the core.
    pub core: BTreeSet<String>,
    /// Codes of `contract-ext.json`, whether it is valid or not.
    pub own: BTreeSet<String>,
    /// Codes that any tool may add.
    pub human: BTreeSet<String>,
    /// Files that aos generates; their sources are judged, not they.
    pub generated: BTreeSet<String>,
}

impl ToolFacts {
    /// The facts of a contract; those of the project are added by who knows it.
    #[must_use]
    pub fn of(contract: &AgentCliContract) -> Self {
        let names = |codes: &mut dyn Iterator<Item = &Constant>| {
            codes.map(|code| code.as_str().to_owned()).collect()
        };
        Self {
            core: names(&mut contract.error_codes.core.keys()),
            human: names(&mut contract.extension.human_action_codes.iter()),
            ..Self::default()
        }
    }
}

/// Judges a tool against one `agent-cli` contract: findings in order, none twice.
#[must_use]
pub fn check_agent_cli(repository: &Repository, facts: &ToolFacts) -> Vec<Finding> {
    let sources = Sources::of(repository, facts);
    let mut found = Collector::default();
    documents::check(repository, &mut found);
    documented::check_tool(repository, &sources, &mut found);
    versions::check(repository, &mut found);
    skill::check(repository, &sources, &mut found);
    codes::check(&sources, facts, &mut found);
    envelope::check(&sources, &mut found);
    readiness::check(repository, &sources, &mut found);
    package::check(repository, &mut found);
    workflows::check(repository, &mut found);
    for (path, file) in &repository.files {
        secrets::scan(path, &file.bytes, &mut found);
    }
    found.into_findings(repository.files.contains_key(RECORD))
}

/// What the rules could not judge, and why.
#[must_use]
pub fn notes(repository: &Repository, facts: &ToolFacts) -> Vec<String> {
    documented::not_judged(repository, &Sources::of(repository, facts)).into_iter().collect()
}
