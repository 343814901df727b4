//! Every rule of the family `agent-cli`, in files by topic: what can be seen in a repository without running the tool.

use crate::contract::findings::Finding;
use crate::contract::repository::ProjectFiles;
use crate::contract::rules::collector::Collector;
use crate::contract::rules::rule::Rule;
use crate::contract::rules::{RECORD, secrets};

use super::facts::ToolFacts;
use super::sources::ToolSources;
use super::{
    codes, documented, documents, envelope, package, readiness, skill, versions, workflows,
};

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
];

/// Judges a tool against one `agent-cli` contract: findings in order, none twice.
#[must_use]
pub fn check_agent_cli(repository: &ProjectFiles, facts: &ToolFacts) -> Vec<Finding> {
    let sources = ToolSources::of(repository, facts);
    let mut found = Collector::default();
    documents::check(repository, &mut found);
    documented::check(repository, &sources, &mut found);
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

/// Returns notes about facts that the rules could not judge, with the reasons.
#[must_use]
pub fn notes(repository: &ProjectFiles, facts: &ToolFacts) -> Vec<String> {
    documented::not_judged(repository, &ToolSources::of(repository, facts)).into_iter().collect()
}
