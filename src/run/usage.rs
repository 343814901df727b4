//! Converts faults of the command line into failures, each with the nearest correct form.
//!
//! Reads the parser's own account of the fault; never prints it.

use std::ffi::OsString;

use clap::CommandFactory as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::cli::Cli;
use crate::contract::suggestion;
use crate::report::{ErrorCode, Failure, Visible};

use super::option_value;

/// Longest message, in characters; an argument may be of any length.
const MAX_MESSAGE: usize = 600;

/// A parser error about `arguments` as a failure.
#[must_use]
pub fn failure(error: &clap::Error, arguments: &[OsString]) -> Failure {
    let message: String = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            return unknown_command(&context(error, ContextKind::InvalidSubcommand));
        }
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            return no_command();
        }
        ErrorKind::UnknownArgument => {
            let argument = context(error, ContextKind::InvalidArg);
            match argument.starts_with('-') {
                true => format!("the option `{argument}` does not exist"),
                false => format!("`{argument}` is an unexpected argument"),
            }
        }
        ErrorKind::InvalidValue if !context(error, ContextKind::InvalidValue).is_empty() => {
            format!(
                "`{}` is not a valid value of `{}`",
                context(error, ContextKind::InvalidValue),
                context(error, ContextKind::InvalidArg)
            )
        }
        ErrorKind::InvalidValue => {
            format!("`{}` needs a value", context(error, ContextKind::InvalidArg))
        }
        ErrorKind::ValueValidation => {
            let reason = std::error::Error::source(error).map(ToString::to_string);
            let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
            format!(
                "`{}` is not a valid value of `{}`{reason}",
                context(error, ContextKind::InvalidValue),
                context(error, ContextKind::InvalidArg)
            )
        }
        ErrorKind::MissingRequiredArgument => {
            format!("{} is missing", missing(&context(error, ContextKind::InvalidArg)))
        }
        ErrorKind::ArgumentConflict => {
            let argument = context(error, ContextKind::InvalidArg);
            match context(error, ContextKind::PriorArg) {
                prior if prior == argument => format!("`{argument}` is given more than once"),
                prior => format!("`{argument}` cannot be used with `{prior}`"),
            }
        }
        ErrorKind::InvalidUtf8 => "an argument is not UTF-8 text".to_owned(),
        _ => first_line(error),
    };
    let message = message.chars().take(MAX_MESSAGE).collect::<String>();
    let is_about_value = matches!(
        error.kind(),
        ErrorKind::InvalidValue
            | ErrorKind::ValueValidation
            | ErrorKind::TooFewValues
            | ErrorKind::TooManyValues
            | ErrorKind::WrongNumberOfValues
            | ErrorKind::NoEquals
    );
    let value = is_about_value
        .then(|| option_value::find(&context(error, ContextKind::InvalidArg), arguments))
        .flatten();
    let failure = Failure::new(ErrorCode::Usage, message);
    match value {
        None => failure.hint(hint(error)),
        Some(value) => {
            let hint = suggested(error)
                .map_or_else(|| value.hint(), |name| format!("did you mean `{name}`?"));
            match value.values.is_empty() {
                true => failure.hint(hint),
                false => failure.hint(hint).detail("known_values", value.values),
            }
        }
    }
}

/// Names the missing arguments; alternatives are passed as `<--one <VALUE>|--other <VALUE>>`.
fn missing(arguments: &str) -> String {
    let named = arguments.split(", ").map(|argument| {
        let alternatives = argument.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
        match alternatives.filter(|alternatives| alternatives.contains('|')) {
            Some(alternatives) => format!("`{}`", alternatives.replace('|', "` or `")),
            None => format!("`{argument}`"),
        }
    });
    named.collect::<Vec<_>>().join(", ")
}

/// A person gets the help; a program gets the names.
fn no_command() -> Failure {
    let mut cli = Cli::command();
    let mut failure = Failure::new(ErrorCode::Usage, "no command was given")
        .hint("use a command, for example `aos new acme`")
        .detail("known_commands", names(&cli));
    failure.report = Some(Visible::block(cli.render_help().to_string().trim_end()));
    failure
}

fn unknown_command(name: &str) -> Failure {
    unknown_path(&Cli::command(), name, 0)
}

/// The words `path`, of which the last names no command below `parent`; `above` words lead to `parent`.
pub(super) fn unknown_path(parent: &clap::Command, path: &str, above: usize) -> Failure {
    let shown: String = path.chars().take(MAX_MESSAGE).collect();
    let prefix: String = path.split_inclusive(' ').take(above).collect();
    let known: Vec<_> = names(parent).into_iter().map(|name| format!("{prefix}{name}")).collect();
    let hint = match suggestion::nearest(path, known.iter().map(String::as_str)) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None if known.is_empty() => format!("`aos help {}` describes it", prefix.trim_end()),
        None => format!("commands are {}", known.join(", ")),
    };
    let failure =
        Failure::new(ErrorCode::Usage, format!("the command `{shown}` does not exist")).hint(hint);
    if known.is_empty() { failure } else { failure.detail("known_commands", known) }
}

fn names(cli: &clap::Command) -> Vec<String> {
    cli.get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

/// The suggestion of the parser, the allowed values, or how the command is used.
fn hint(error: &clap::Error) -> String {
    if let Some(name) = suggested(error) {
        return format!("did you mean `{name}`?");
    }
    let allowed = context(error, ContextKind::ValidValue);
    if !allowed.is_empty() {
        return format!("possible values are {allowed}");
    }
    // The usage line of an error names the command and what it needs.
    let usage = context(error, ContextKind::Usage);
    let usage = usage.trim().trim_start_matches("Usage:").trim();
    let command = usage
        .split_whitespace()
        .take_while(|word| word.starts_with(|first: char| first.is_ascii_lowercase()))
        .collect::<Vec<_>>()
        .join(" ");
    match command.as_str() {
        "" | "aos" => {
            "`aos --help` shows the commands, `aos COMMAND --help` its options".to_owned()
        }
        command => format!("usage is `{usage}`; `{command} --help` describes it"),
    }
}

fn suggested(error: &clap::Error) -> Option<String> {
    [ContextKind::SuggestedArg, ContextKind::SuggestedValue]
        .map(|kind| context(error, kind))
        .into_iter()
        .find(|name| !name.is_empty())
}

fn context(error: &clap::Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        Some(ContextValue::StyledStr(text)) => text.to_string(),
        Some(ContextValue::StyledStrs(texts)) => {
            texts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
        Some(ContextValue::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

fn first_line(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let line = rendered.lines().next().unwrap_or("the arguments cannot be used");
    line.trim_start_matches("error: ").to_owned()
}
