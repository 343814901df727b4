//! The data of every command as types. Their JSON Schemas are what `aos reference` and `contract/schema/` publish.
//!
//! Holds shapes only: workflows fill them in. A member that is here is promised to agents.

pub mod augmentor;
mod catalogue;
pub mod changelog;
pub mod changes;
pub mod check;
pub mod command_change;
pub mod completions;
pub mod conform_fleet;
pub mod conformance;
pub mod context;
pub mod doctor;
pub mod findings;
pub mod fleet;
pub mod fleet_run;
pub mod generated;
pub mod mcp;
pub mod migrate;
pub mod new;
pub mod notice;
pub mod openapi;
pub mod reference;
pub mod runtime;
pub mod sync;
pub mod template;
pub mod update;
pub mod upgrade;
pub mod verify;
pub mod wire;

use serde::Serialize;
use serde_json::{Map, Value};

pub use catalogue::{ANSWERS, AnswerShape};

/// An answer as JSON. The members of these types have text for names, so nothing can be lost.
#[must_use]
pub fn value(answer: &impl Serialize) -> Value {
    serde_json::to_value(answer).unwrap_or_default()
}

/// The members of an answer that is an object.
#[must_use]
pub fn members(answer: &impl Serialize) -> Map<String, Value> {
    match value(answer) {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
