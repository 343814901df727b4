//! `permissions.json` of a connector: the mode of each command, under every key that some reader looks for, at every tag.

use serde_json::{Map, Value};

use crate::contract::json;
use crate::families::harness::connector::Connector;
use crate::families::harness::contract::HarnessContract;

/// The document for one connector.
#[must_use]
pub fn document(contract: &HarnessContract, connector: &Connector) -> String {
    let modes: Map<String, Value> = connector
        .commands
        .iter()
        .map(|(id, command)| (id.to_string(), Value::from(command.required_mode.as_str())))
        .collect();
    let mut members = Map::new();
    members.insert("tool".to_owned(), Value::from(connector.tool.as_str()));
    members.insert("backend".to_owned(), Value::from(connector.backend.as_str()));
    for key in contract.permission_keys() {
        members.insert(key, Value::Object(modes.clone()));
    }
    json::pretty(&Value::Object(members))
}
