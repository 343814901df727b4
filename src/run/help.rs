//! `aos help [COMMAND…]`: another form of `aos [COMMAND…] --help`, rewritten before the command line is parsed.

use std::ffi::OsString;

use clap::CommandFactory as _;

use crate::cli::Cli;
use crate::report::Failure;

use super::usage;

const HELP: &str = "help";

/// The arguments with `--help` after the words of the command, if they ask for help with `help`.
///
/// # Errors
/// Returns an error if the words after `help` are not those of a command.
pub(super) fn as_option(arguments: &[OsString]) -> Result<Vec<OsString>, Failure> {
    if !arguments.iter().any(|argument| argument == HELP) {
        return Ok(arguments.to_vec());
    }
    let cli = Cli::command();
    let Some(at) = first_word(&cli, arguments).filter(|at| arguments[*at] == HELP) else {
        return Ok(arguments.to_vec());
    };
    let (before, after) = (&arguments[..at], &arguments[at + 1..]);
    let (mut words, mut options) = (Vec::new(), Vec::new());
    let mut rest = after.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        if text.starts_with('-') {
            options.push(argument.clone());
            if takes_value(&cli, &text) {
                options.extend(rest.next().cloned());
            }
        } else {
            words.push(argument);
        }
    }
    let mut command = &cli;
    for (index, word) in words.iter().enumerate() {
        let inner = word.to_str().and_then(|word| command.find_subcommand(word));
        command = inner.ok_or_else(|| {
            let path: Vec<_> = words[..=index].iter().map(|word| word.to_string_lossy()).collect();
            usage::unknown_path(command, &path.join(" "), index)
        })?;
    }
    let mut rewritten = before.to_vec();
    rewritten.extend(words.iter().map(|word| (*word).clone()));
    rewritten.push("--help".into());
    rewritten.extend(options);
    Ok(rewritten)
}

/// The position of the first argument that is neither a global option nor the value of one.
fn first_word(cli: &clap::Command, arguments: &[OsString]) -> Option<usize> {
    let mut at = 1;
    while let Some(argument) = arguments.get(at) {
        let text = argument.to_string_lossy();
        if !text.starts_with('-') {
            return Some(at);
        }
        at += if takes_value(cli, &text) { 2 } else { 1 };
    }
    None
}

/// True if the argument after `option` is the value of this global option.
fn takes_value(cli: &clap::Command, option: &str) -> bool {
    let named = |argument: &&clap::Arg| {
        argument.get_long().is_some_and(|name| option.strip_prefix("--") == Some(name))
            || argument.get_short().is_some_and(|name| option == format!("-{name}"))
    };
    cli.get_arguments().find(named).is_some_and(|found| found.get_action().takes_values())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(line: &str) -> Result<String, Failure> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let words = as_option(&words)?;
        Ok(words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn help_before_a_command_is_the_option_after_it() {
        for (line, wanted) in [
            ("aos help", "aos --help"),
            ("aos help check", "aos check --help"),
            ("aos help template check --json", "aos template check --help --json"),
            (
                "aos -C help --format json help add code",
                "aos -C help --format json add code --help",
            ),
            ("aos --format=json help check", "aos --format=json check --help"),
            ("aos --compact check help", "aos --compact check help"),
            ("aos help --format text add code", "aos add code --help --format text"),
            ("aos help add --compact code", "aos add code --help --compact"),
            ("aos", "aos"),
        ] {
            assert_eq!(rewritten(line).unwrap(), wanted);
        }
    }

    #[test]
    fn help_about_something_else_is_refused_with_the_nearest_command() {
        let failure = rewritten("aos help chek").unwrap_err();
        assert_eq!(failure.message, "the command `chek` does not exist");
        assert_eq!(failure.hint.as_deref(), Some("did you mean `check`?"));
        let failure = rewritten("aos help template chek").unwrap_err();
        assert_eq!(failure.message, "the command `template chek` does not exist");
        assert_eq!(failure.hint.as_deref(), Some("did you mean `template check`?"));
        let failure = rewritten("aos help check it").unwrap_err();
        assert_eq!(failure.hint.as_deref(), Some("`aos help check` describes it"));
    }
}
