//! The facts that a loaded package reports about itself, and their faults (items L4, L5 and L7).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::contract::json_schema;
use crate::families::augmentor::contract::AugmentorContract;
use crate::visible::excerpt;

/// Where a limit is missing in the contract.
const MAX_COMMANDS: u64 = 256;
const MAX_AGENTS: u64 = 64;
const MAX_SCHEMA_BYTES: u64 = 65_536;

/// The description of a loaded package, as its runner reports it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct PackageFacts {
    pub runtime: String,
    pub runtime_version: String,
    pub file: String,
    pub returned: String,
    pub commands_type: String,
    pub agents_type: String,
    pub tools_type: String,
    /// The location of `shutdown`: `package`, `module`, or none.
    pub shutdown: Option<String>,
    pub commands: Vec<PackageCommand>,
    pub agents: Vec<PackageAgent>,
    pub tools: Vec<PackageTool>,
}

/// A command of the package; members that are not JSON are null.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct PackageCommand {
    pub name: Value,
    pub description: Value,
    pub schema: Value,
    pub callable: bool,
    #[serde(default, rename = "async")]
    pub is_async: bool,
    #[serde(default)]
    pub faults: Vec<String>,
}

/// An agent of the package.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct PackageAgent {
    pub id: Value,
    pub description: Value,
    pub schema: Value,
    pub callable: bool,
    #[serde(default, rename = "async")]
    pub is_async: bool,
    /// Whether it takes the history; null where that cannot be known.
    pub history: Option<bool>,
    #[serde(default)]
    pub faults: Vec<String>,
}

/// The description of a command as a tool.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct PackageTool {
    pub name: Value,
    pub description: Value,
    #[serde(rename = "inputSchema")]
    pub input_schema: Value,
    #[serde(default)]
    pub faults: Vec<String>,
}

/// A fault of a package, with the item of the contract's list that it breaks.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Item {
    pub id: &'static str,
    pub message: String,
}

fn item(id: &'static str, message: impl Into<String>) -> Item {
    Item { id, message: message.into() }
}

impl PackageFacts {
    /// The command of this name.
    #[must_use]
    pub fn command(&self, name: &str) -> Option<&PackageCommand> {
        self.commands.iter().find(|command| command.name == name)
    }

    /// The agent of this id.
    #[must_use]
    pub fn agent(&self, id: &str) -> Option<&PackageAgent> {
        self.agents.iter().find(|agent| agent.id == id)
    }

    /// The names of every command.
    pub fn command_names(&self) -> impl Iterator<Item = &str> {
        self.commands.iter().filter_map(|command| command.name.as_str())
    }

    /// The ids of every agent.
    pub fn agent_ids(&self) -> impl Iterator<Item = &str> {
        self.agents.iter().filter_map(|agent| agent.id.as_str())
    }

    /// Faults that make the package unfit for a host: L4 and L5.
    #[must_use]
    pub fn faults(&self, contract: &AugmentorContract) -> Vec<Item> {
        let mut found = Vec::new();
        self.lists(contract, &mut found);
        self.names(contract, &mut found);
        self.schemas(contract, &mut found);
        found
    }

    fn lists(&self, contract: &AugmentorContract, found: &mut Vec<Item>) {
        let lists = [
            ("commands", &self.commands_type, self.commands.len()),
            ("agents", &self.agents_type, self.agents.len()),
            ("tools", &self.tools_type, self.tools.len()),
        ];
        for (key, kind, count) in lists {
            if !matches!(kind.as_str(), "list" | "absent") {
                found.push(item("L4", format!("`{key}` is a {}, not a list", excerpt(kind, 60))));
            }
            let most = match key {
                "agents" => contract.limit(key, MAX_AGENTS),
                _ => contract.limit("commands", MAX_COMMANDS),
            };
            if count as u64 > most {
                found.push(item("L4", format!("there are more than {most} {key}")));
            }
        }
    }

    fn names(&self, contract: &AugmentorContract, found: &mut Vec<Item>) {
        let commands: Vec<_> = self.commands.iter().map(|command| &command.name).collect();
        let agents: Vec<_> = self.agents.iter().map(|agent| &agent.id).collect();
        let patterns = &contract.patterns;
        unique_names("command", &commands, patterns.command_name.as_deref(), found);
        unique_names("agent", &agents, patterns.agent_id.as_deref(), found);
        let callables =
            self.commands.iter().map(|command| (&command.name, command.callable, "run"));
        let handlers = self.agents.iter().map(|agent| (&agent.id, agent.callable, "handle"));
        for (name, is_callable, member) in callables.chain(handlers) {
            if !is_callable {
                found.push(item("L4", format!("`{member}` of {} is not a function", shown(name))));
            }
        }
        for agent in self.agents.iter().filter(|agent| agent.history == Some(false)) {
            let message = format!("`handle` of {} does not accept `history`", shown(&agent.id));
            found.push(item("L4", message));
        }
        for tool in self.tools.iter().filter(|tool| !commands.contains(&&tool.name)) {
            found.push(item("L4", format!("the tool {} is not a command", shown(&tool.name))));
        }
    }

    fn schemas(&self, contract: &AugmentorContract, found: &mut Vec<Item>) {
        let most = contract.limit("schema_bytes", MAX_SCHEMA_BYTES);
        let commands =
            self.commands.iter().map(|one| ("command", &one.name, &one.schema, &one.faults));
        let agents = self.agents.iter().map(|one| ("agent", &one.id, &one.schema, &one.faults));
        let tools =
            self.tools.iter().map(|one| ("tool", &one.name, &one.input_schema, &one.faults));
        for (kind, name, schema, faults) in commands.chain(agents).chain(tools) {
            let fault = match faults.first() {
                Some(fault) => Some(excerpt(fault, 200)),
                None => json_schema::fault(schema, most),
            };
            if let Some(fault) = fault {
                found
                    .push(item("L5", format!("the schema of the {kind} {}: {fault}", shown(name))));
            }
        }
    }

    /// Caps that are declared and do not hold, or hold and are not declared (L7).
    #[must_use]
    pub fn caps(&self, contract: &AugmentorContract, caps: &[String]) -> Vec<Item> {
        let count = |key: &str| match key {
            "commands" => self.commands.len(),
            "agents" => self.agents.len(),
            _ => self.tools.len(),
        };
        let members = contract.package.cap_members.iter();
        let differs = members.filter_map(|(cap, key)| {
            let is_declared = caps.iter().any(|declared| declared == cap.as_str());
            let count = count(key.as_str());
            match (is_declared, count) {
                (true, 0) => Some(format!("the cap `{cap}` is declared, but there are no {key}")),
                (false, 1..) => {
                    Some(format!("there are {count} {key}, but the cap `{cap}` is not declared"))
                }
                _ => None,
            }
        });
        differs.map(|message| item("L7", message)).collect()
    }
}

fn unique_names(kind: &str, names: &[&Value], pattern: Option<&str>, found: &mut Vec<Item>) {
    let pattern = pattern.and_then(|pattern| regex::Regex::new(pattern).ok());
    for (index, name) in names.iter().enumerate() {
        let is_valid = name.as_str().is_some_and(|name| {
            !name.is_empty() && pattern.as_ref().is_none_or(|pattern| pattern.is_match(name))
        });
        if !is_valid {
            found.push(item("L4", format!("{} is not a valid name of a {kind}", shown(name))));
        } else if names[..index].contains(name) {
            found.push(item("L4", format!("the {kind} {} exists twice", shown(name))));
        }
    }
}

/// A name for a message.
fn shown(name: &Value) -> String {
    match name.as_str() {
        Some(name) => format!("`{}`", excerpt(name, 80)),
        None => excerpt(&name.to_string(), 80),
    }
}
