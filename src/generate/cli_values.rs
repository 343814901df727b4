//! Variables for the templates of an agent-cli tool: its names and the answers.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::contract::cli_name::CliName;

use super::scaffold::ScaffoldOrigin;

/// The names; questions may use them in their defaults.
#[must_use]
pub fn names(name: &CliName) -> Map<String, Value> {
    let names = [
        ("tool", name.to_string()),
        ("package", name.package()),
        ("env_prefix", name.env_prefix()),
        ("title", name.title()),
        ("type_name", name.type_name()),
    ];
    names.into_iter().map(|(key, value)| (key.to_owned(), json!(value))).collect()
}

/// The variables of every file.
#[must_use]
pub fn variables(
    name: &CliName,
    answers: &BTreeMap<String, String>,
    origin: &ScaffoldOrigin<'_>,
) -> Value {
    with_answers(names(name), answers, origin)
}

/// Names of a project, with the answers and where it comes from.
#[must_use]
pub fn with_answers(
    names: Map<String, Value>,
    answers: &BTreeMap<String, String>,
    origin: &ScaffoldOrigin<'_>,
) -> Value {
    let mut variables: Map<_, _> =
        answers.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
    for (key, value) in [
        ("spec_tag", origin.spec_tag),
        ("aos_version", origin.aos_version),
        ("aos_repository", origin.aos_repository),
    ] {
        variables.insert(key.to_owned(), json!(value));
    }
    variables.extend(names);
    variables.into()
}
