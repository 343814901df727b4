//! The values that an option accepts, for an error about its value.
//!
//! Reads the command line and the values that completions know; never prints.

use std::ffi::OsString;

use clap::{Arg, Command, CommandFactory as _};

use crate::cli::Cli;
use crate::commands::completions::shell;

/// More values than these are not listed.
const FEW: usize = 12;

/// An option and what it takes.
pub struct OptionValue {
    /// As it is written: `--template <TEMPLATE>`.
    written: String,
    help: String,
    /// Its values, if they are few.
    pub values: Vec<String>,
    /// True if no other value is allowed.
    is_closed: bool,
    /// The command whose help describes it.
    command: String,
}

impl OptionValue {
    /// The option, its help, and its values.
    pub fn hint(&self) -> String {
        let Self { written, help, values, command, is_closed } = self;
        let which = if *is_closed { "possible" } else { "known" };
        let values = match values.as_slice() {
            [] => String::new(),
            values => format!("; {which} values are {}", values.join(", ")),
        };
        let help = if help.is_empty() { String::new() } else { format!(": {help}") };
        format!("write `{written}`{help}{values}; `{command} --help` describes it")
    }
}

/// The values of the argument that the parser calls `written`, in the command that `arguments` call.
pub fn find(written: &str, arguments: &[OsString]) -> Option<OptionValue> {
    let mut whole = Cli::command();
    // Global options are then arguments of every command.
    whole.build();
    let (path, command) = called(&whole, arguments);
    let name = written.split([' ', '=']).next()?;
    let is_it = |argument: &&Arg| match name.strip_prefix("--") {
        Some(long) => argument.get_long() == Some(long),
        None => argument.is_positional() && argument.to_string() == written,
    };
    let argument = command.get_arguments().find(is_it)?;
    let first = path.first().copied().unwrap_or_default();
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    Some(OptionValue {
        written: written.to_owned(),
        help: in_a_sentence(&help),
        values: values(argument, first),
        is_closed: !argument.get_possible_values().is_empty(),
        command: std::iter::once("aos").chain(path.iter().copied()).collect::<Vec<_>>().join(" "),
    })
}

/// The command that the words name, without the words themselves being parsed.
fn called<'c>(whole: &'c Command, arguments: &[OsString]) -> (Vec<&'c str>, &'c Command) {
    let (mut path, mut command) = (Vec::new(), whole);
    for word in arguments.iter().skip(1) {
        let Some(word) = word.to_str() else { continue };
        if word == "--" {
            break;
        }
        if let Some(found) = command.find_subcommand(word) {
            path.push(found.get_name());
            command = found;
        }
    }
    (path, command)
}

fn values(argument: &Arg, command: &str) -> Vec<String> {
    let possible = argument.get_possible_values();
    let shown = possible.iter().filter(|value| !value.is_hide_set());
    let mut values: Vec<_> = shown.map(|value| value.get_name().to_owned()).collect();
    if values.is_empty() {
        values = shell::values(command, argument.get_id().as_str());
    }
    if values.len() > FEW { Vec::new() } else { values }
}

/// Help begins with a capital letter, unless its first word is a name.
fn in_a_sentence(help: &str) -> String {
    let mut letters = help.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if first.is_uppercase() && second.is_lowercase() => {
            first.to_lowercase().chain(help.chars().skip(1)).collect()
        }
        _ => help.to_owned(),
    }
}
