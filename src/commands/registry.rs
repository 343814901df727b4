//! What every command is to an agent: kind, schema of its data, examples. Parameters come from the parser itself.

mod entries;
mod schemas;

use clap::CommandFactory as _;
use serde_json::{Value, json};

use crate::cli::Cli;

pub use entries::{ENTRIES, Entry, Kind};
pub use schemas::{SCHEMAS, Schema};

/// The entry of the command called `path`.
#[must_use]
pub fn find(path: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.path == path)
}

/// Fields of the command's data whose text comes from outside.
#[must_use]
pub fn untrusted_fields(entry: &Entry) -> &'static [&'static str] {
    SCHEMAS
        .iter()
        .find(|schema| schema.name == entry.schema)
        .map_or(&[], |schema| schema.untrusted_fields)
}

/// Fields that the data of a command may have.
#[must_use]
pub fn fields(entry: &Entry) -> &'static [&'static str] {
    SCHEMAS.iter().find(|schema| schema.name == entry.schema).map_or(&[], |schema| schema.fields)
}

/// One command as `reference` describes it.
#[must_use]
pub fn describe(entry: &Entry) -> Value {
    let cli = Cli::command();
    let command = entry.path.split(' ').try_fold(&cli, |parent, name| parent.find_subcommand(name));
    let about =
        command.and_then(clap::Command::get_about).map(ToString::to_string).unwrap_or_default();
    let parameters: Vec<_> = command.map(parameters).unwrap_or_default();
    let mut object = json!({
        "path": entry.path,
        "type": match entry.kind { Kind::Query => "query", Kind::Write | Kind::SelfUpdate => "write" },
        "description": about,
        "params": parameters,
        "output_schema": entry.schema,
        "examples": entry.examples,
    });
    match entry.kind {
        Kind::Query => {}
        Kind::Write => object["confirm"] = "when_lossy".into(),
        Kind::SelfUpdate => object["confirm"] = "exempt".into(),
    }
    if let Some(raw) = entry.raw {
        object["raw"] = raw.into();
    }
    object
}

/// Options that every command takes.
#[must_use]
pub fn global_parameters() -> Vec<Value> {
    Cli::command()
        .get_arguments()
        .filter(|argument| argument.is_global_set())
        .map(parameter)
        .collect()
}

fn parameters(command: &clap::Command) -> Vec<Value> {
    command
        .get_arguments()
        .filter(|argument| {
            !argument.is_global_set() && !matches!(argument.get_id().as_str(), "help" | "version")
        })
        .map(parameter)
        .collect()
}

fn parameter(argument: &clap::Arg) -> Value {
    let takes_value = argument.get_action().takes_values();
    let choices: Vec<_> = argument
        .get_possible_values()
        .iter()
        .filter(|_| takes_value)
        .map(|value| value.get_name().to_owned())
        .collect();
    let multiple = matches!(argument.get_action(), clap::ArgAction::Append);
    // A positional argument has the name that the help shows.
    let shown = argument.get_value_names().and_then(|names| names.first());
    let positional = || shown.map_or(argument.get_id().as_str(), |name| name).to_lowercase();
    let mut object = json!({
        "name": argument.get_long().map_or_else(positional, str::to_owned),
        "type": if takes_value { "string" } else { "boolean" },
        "required": argument.is_required_set(),
        "multiple": multiple,
        "positional": argument.is_positional(),
        "description": argument.get_help().map(ToString::to_string).unwrap_or_default(),
    });
    if let Some(short) = argument.get_short() {
        object["short"] = short.to_string().into();
    }
    if let Some(value) =
        argument.get_value_names().and_then(|names| names.first()).filter(|_| takes_value)
    {
        object["value"] = value.to_string().into();
    }
    if !choices.is_empty() {
        object["choices"] = choices.into();
    }
    if let Some(default) = argument.get_default_values().first().filter(|_| takes_value) {
        object["default"] = default.to_string_lossy().into();
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subcommand_is_registered_and_every_entry_is_a_subcommand() {
        let cli = Cli::command();
        let mut commands = Vec::new();
        for command in cli.get_subcommands() {
            let name = command.get_name();
            // `aos augmentor` alone does nothing: only its subcommands are commands.
            if !command.is_subcommand_required_set() {
                commands.push(name.to_owned());
            }
            let inner =
                command.get_subcommands().map(|inner| format!("{name} {}", inner.get_name()));
            commands.extend(inner);
        }
        let mut entries: Vec<_> = ENTRIES.iter().map(|entry| entry.path.to_owned()).collect();
        commands.sort();
        entries.sort();
        assert_eq!(commands, entries);
    }

    #[test]
    fn every_entry_has_a_schema_an_example_and_a_description() {
        for entry in ENTRIES {
            assert!(
                SCHEMAS
                    .iter()
                    .any(|schema| schema.name == entry.schema && !schema.fields.is_empty())
            );
            assert!(!entry.examples.is_empty());
            assert!(!describe(entry)["description"].as_str().unwrap().is_empty());
        }
    }

    #[test]
    fn untrusted_fields_are_fields() {
        for schema in SCHEMAS {
            assert!(schema.untrusted_fields.iter().all(|field| schema.fields.contains(field)));
        }
    }
}
