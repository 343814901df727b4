//! The description of every command for agents: kind, data, examples. Parameters come from the parser itself, fields
//! from the types of answers.

mod entries;

use clap::CommandFactory as _;

use crate::cli::Cli;
use crate::report::answers::AnswerShape;
use crate::report::answers::reference::{CommandDescription, ParameterDescription};

pub use entries::{ENTRIES, EntryKind, LeafCommand};

/// How ready this release is, for `reference` and `doctor`.
pub const READINESS_LEVEL: &str = "beta";

/// The entry of the command called `path`.
#[must_use]
pub fn find(path: &str) -> Option<&'static LeafCommand> {
    ENTRIES.iter().find(|entry| entry.path == path)
}

/// Fields of the command's data whose text comes from outside.
#[must_use]
pub fn untrusted_fields(entry: &LeafCommand) -> &'static [&'static str] {
    AnswerShape::find(entry.schema).map_or(&[], |answer| answer.untrusted_fields)
}

/// Fields that the data of a command may have.
#[must_use]
pub fn fields(entry: &LeafCommand) -> Vec<String> {
    AnswerShape::find(entry.schema).map(AnswerShape::fields).unwrap_or_default()
}

/// One command as `reference` describes it.
#[must_use]
pub fn describe(entry: &LeafCommand) -> CommandDescription {
    let cli = Cli::command();
    let command = entry.path.split(' ').try_fold(&cli, |parent, name| parent.find_subcommand(name));
    let about =
        command.and_then(clap::Command::get_about).map(ToString::to_string).unwrap_or_default();
    let parameters: Vec<_> = command.map(parameters).unwrap_or_default();
    let (kind, confirm) = match entry.kind {
        EntryKind::Query => ("query", None),
        EntryKind::Write => ("write", Some("when_lossy")),
        EntryKind::SelfUpdate => ("write", Some("exempt")),
    };
    CommandDescription {
        path: entry.path,
        kind,
        description: about,
        params: parameters,
        output_schema: entry.schema,
        examples: entry.examples.to_vec(),
        confirm,
        raw: entry.raw,
    }
}

/// Options that every command takes.
#[must_use]
pub fn global_parameters() -> Vec<ParameterDescription> {
    Cli::command()
        .get_arguments()
        .filter(|argument| argument.is_global_set())
        .map(parameter)
        .collect()
}

fn parameters(command: &clap::Command) -> Vec<ParameterDescription> {
    command
        .get_arguments()
        .filter(|argument| {
            !argument.is_global_set() && !matches!(argument.get_id().as_str(), "help" | "version")
        })
        .map(parameter)
        .collect()
}

fn parameter(argument: &clap::Arg) -> ParameterDescription {
    let takes_value = argument.get_action().takes_values();
    let values: Vec<_> = argument
        .get_possible_values()
        .iter()
        .filter(|_| takes_value)
        .map(|value| value.get_name().to_owned())
        .collect();
    let multiple = matches!(argument.get_action(), clap::ArgAction::Append);
    // A positional argument has the name that the help shows.
    let shown = argument.get_value_names().and_then(|names| names.first());
    let positional = || shown.map_or(argument.get_id().as_str(), |name| name).to_lowercase();
    let default = argument.get_default_values().first().filter(|_| takes_value);
    ParameterDescription {
        name: argument.get_long().map_or_else(positional, str::to_owned),
        kind: if takes_value { "string" } else { "boolean" },
        required: argument.is_required_set(),
        multiple,
        positional: argument.is_positional(),
        description: argument.get_help().map(ToString::to_string).unwrap_or_default(),
        short: argument.get_short().map(|short| short.to_string()),
        placeholder: shown.filter(|_| takes_value).map(ToString::to_string),
        values,
        default: default.map(|default| default.to_string_lossy().into_owned()),
    }
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
            assert!(!fields(entry).is_empty(), "{}", entry.path);
            assert!(!entry.examples.is_empty());
            assert!(!describe(entry).description.is_empty());
        }
    }
}
