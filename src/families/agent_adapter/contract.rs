//! The `agent-adapter` contract: the port of the orchestrator as an adapter sees it.

use indexmap::IndexMap;
use serde::Deserialize;

use crate::contract::Family;
use crate::contract::document::{self, ContractError};
use crate::contract::family::{Description, Marker};
use crate::contract::name::{Identifier, Key};
use crate::contract::{SpecTag, json};

/// Adapters that let Agent Orchestrator run a coding agent.
pub const FAMILY: Family = Family::of(&Description {
    name: "agent-adapter",
    spec_file: "ADAPTER-SPEC.md",
    noun: "adapter",
    marker: Marker::Record,
    prefix: "",
});

/// `contract.json` of the family. An empty list says that the tag leaves it open.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdapterContract {
    pub contract: Key,
    pub tag: String,
    pub language: Key,
    pub port: Port,
    /// Methods that an adapter may have beside the port.
    pub optional_methods: Vec<PortMethod>,
    /// Name of a type to its fields and their types.
    pub types: IndexMap<String, IndexMap<String, String>>,
    pub permission_modes: Vec<Key>,
    pub permission_constants: Vec<Identifier>,
    pub prompt_strategies: Vec<Key>,
    pub config_field_types: Vec<Key>,
    pub hook: Hook,
    pub activity_states: Vec<Key>,
    pub metadata_keys: Vec<Identifier>,
    pub auth_statuses: Vec<Key>,
    pub capabilities: Vec<Key>,
    pub gitignore: Gitignore,
    pub hook_families: Vec<Key>,
    pub required_files: Vec<String>,
}

/// The interface that the orchestrator calls.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Port {
    pub package: String,
    pub interface: Identifier,
    pub methods: Vec<PortMethod>,
}

/// One method, with the types of its parameters and results in Go.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortMethod {
    pub name: Identifier,
    pub parameters: Vec<String>,
    pub results: Vec<String>,
}

/// The command that an agent runs at its hooks.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hook {
    pub command: Vec<String>,
    pub session_env: Option<Identifier>,
    pub events: Vec<ContractEvent>,
    pub exit: Option<i32>,
    pub stdout: Option<String>,
    pub report_path: Option<String>,
    pub report_keys: Vec<Identifier>,
    pub log_file: Option<String>,
    pub environment: Vec<Identifier>,
}

/// One event, and the activity states that it can report.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContractEvent {
    pub name: EventName,
    pub states: Vec<Key>,
}

/// How files of the orchestrator stay out of git.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gitignore {
    pub sentinel: Option<String>,
    pub patterns: Vec<String>,
}

impl AdapterContract {
    /// Parses and validates `contract.json`.
    ///
    /// # Errors
    /// Returns an error if it is not a complete contract of this family and tag.
    pub fn parse(bytes: &[u8], tag: &SpecTag) -> Result<Self, ContractError> {
        let contract: Self = json::parse_as(bytes)?;
        document::identify(FAMILY, tag, &contract.contract, &contract.tag)?;
        match contract.fault() {
            None => Ok(contract),
            Some(fault) => Err(ContractError::Inconsistent(fault)),
        }
    }

    fn fault(&self) -> Option<String> {
        if self.port.methods.is_empty() {
            return Some("`port.methods` is empty".to_owned());
        }
        let states = self.hook.events.iter().flat_map(|event| &event.states);
        let known = &self.activity_states;
        let stray = states.into_iter().find(|state| !known.is_empty() && !known.contains(state));
        if let Some(state) = stray {
            return Some(format!(
                "`hook.events` names the state `{state}`, which is not one of `activity_states`"
            ));
        }
        let is_bad = |path: &&String| {
            path.starts_with(['/', '.']) || path.split('/').any(|part| part == "..")
        };
        self.required_files
            .iter()
            .find(is_bad)
            .map(|_| "`required_files` contains a path outside the project".to_owned())
    }
}

/// The name of an event: words joined by dashes, or an identifier where a tag uses those.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(untagged)]
pub enum EventName {
    Words(Key),
    Identifier(Identifier),
}

impl std::fmt::Display for EventName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Words(name) => name.fmt(formatter),
            Self::Identifier(name) => name.fmt(formatter),
        }
    }
}
