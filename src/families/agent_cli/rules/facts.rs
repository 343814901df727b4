//! The facts that static rules of a tool take from its contract and its project.

use std::collections::BTreeSet;

use crate::contract::name::Constant;

use super::super::contract::AgentCliContract;

/// The facts from the pinned contract and from the project's own codes.
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
