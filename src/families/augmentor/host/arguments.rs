//! Arguments of a call, validated before the package sees them.

use serde_json::{Value, json};

use crate::contract::json_schema;
use crate::families::augmentor::contract::AugmentorContract;
use crate::visible::excerpt;

use super::facts::PackageFacts;
use super::outcome::CallError;

use crate::workflows::augmentor::seam::Callee;

/// Checks that the package has the callee, and that the arguments match its schema.
///
/// # Errors
/// `unknown_command`, `unknown_agent` or `invalid_input`.
pub fn validate(
    facts: &PackageFacts,
    contract: &AugmentorContract,
    callee: &Callee<'_>,
) -> Result<(), CallError> {
    let (schema, arguments) = match callee {
        Callee::Command { name, args } => match facts.command(name) {
            Some(command) => (&command.schema, (*args).clone()),
            None => return Err(unknown("command", name, facts.command_names())),
        },
        Callee::Agent { id, message, history } => {
            let Some(agent) = facts.agent(id) else {
                return Err(unknown("agent", id, facts.agent_ids()));
            };
            let mut input = json!({"message": message});
            if let Some(history) = history {
                history_fits(contract, history)?;
                input["history"] = (*history).clone();
            }
            (&agent.schema, input)
        }
    };
    let faults = json_schema::faults(schema, &arguments)
        .map_err(|fault| CallError::load_failed("not_usable", fault.to_string()))?;
    if faults.is_empty() { Ok(()) } else { Err(invalid(faults)) }
}

fn unknown<'n>(kind: &str, name: &str, known: impl Iterator<Item = &'n str>) -> CallError {
    let known: Vec<_> = known.take(50).collect();
    let message = format!("the package has no {kind} `{}`", excerpt(name, 80));
    CallError::host(&format!("unknown_{kind}"), message, json!({"known": known}))
}

fn invalid(faults: Vec<Value>) -> CallError {
    let first = faults.first();
    let text = |member: &str| {
        first.and_then(|fault| fault[member].as_str()).unwrap_or_default().to_owned()
    };
    let place = text("path");
    let place = if place.is_empty() { String::new() } else { format!("`{place}`: ") };
    let message = format!("the arguments do not match the schema: {place}{}", text("message"));
    CallError::host("invalid_input", message, json!({"errors": faults}))
}

fn history_fits(contract: &AugmentorContract, history: &Value) -> Result<(), CallError> {
    let roles = contract.history.get("roles").and_then(Value::as_array);
    let is_role = |role: &Value| role.is_string() && roles.is_none_or(|roles| roles.contains(role));
    let fits = |entry: &Value| {
        entry.as_object().is_some_and(|entry| {
            entry.len() == 2
                && entry.get("role").is_some_and(is_role)
                && entry.get("content").is_some_and(Value::is_string)
        })
    };
    let Some(entries) = history.as_array() else {
        return Err(invalid(vec![json!({"path": "/history", "message": "it is not a list"})]));
    };
    match entries.iter().position(|entry| !fits(entry)) {
        None => Ok(()),
        Some(index) => {
            let message = "an entry must have a `role` of the contract and a `content`, a string";
            Err(invalid(vec![json!({"path": format!("/history/{index}"), "message": message})]))
        }
    }
}
