//! Relative paths of a call with `-C`, in full: an error says which file it is about.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, CommandFactory as _, ValueHint};

use crate::cli::Cli;
use crate::report::Failure;

/// Adds the full form of each relative path among `arguments` that the message names. All of them are relative to
/// `directory`, which `-C` entered.
pub(super) fn named(mut failure: Failure, arguments: &[OsString], directory: &Path) -> Failure {
    let mut cli = Cli::command();
    let Ok(matches) = cli.try_get_matches_from_mut(arguments) else { return failure };
    // Many commands use the current directory if no path is given.
    let mut paths = vec![".".to_owned()];
    collect(&cli, &matches, &mut paths);
    let mut full: Vec<String> = Vec::new();
    for path in paths {
        if path.is_empty() || Path::new(&path).is_absolute() {
            continue;
        }
        let shown =
            format!("`{}`", directory.join(&path).components().collect::<PathBuf>().display());
        if failure.message.contains(&format!("`{path}`")) && !full.contains(&shown) {
            full.push(shown);
        }
    }
    if !full.is_empty() {
        failure.message = format!("{} (looked at {})", failure.message, full.join(" and "));
    }
    failure
}

/// The values of the arguments that are paths, in the command and in the subcommand that was called.
fn collect(command: &clap::Command, matches: &ArgMatches, paths: &mut Vec<String>) {
    for argument in command.get_arguments().filter(|argument| is_path(argument)) {
        let may_be_name = argument.get_value_hint() == ValueHint::FilePath;
        let values = matches.try_get_raw(argument.get_id().as_str()).ok().flatten();
        for value in values.into_iter().flatten() {
            let value = value.to_string_lossy();
            if may_be_name && (value.contains(':') || !value.contains(['/', '.'])) {
                continue;
            }
            // `FORMAT=FILE` and `@FILE`.
            let file = value.split_once('=').map_or(value.as_ref(), |(_, file)| file);
            paths.push(file.trim_start_matches('@').to_owned());
        }
    }
    if let Some((name, inner)) = matches.subcommand()
        && let Some(command) = command.find_subcommand(name)
    {
        collect(command, inner, paths);
    }
}

/// True if values of the argument are paths relative to the current directory: those of type `PathBuf`, which clap gives
/// the hint `AnyPath`, and texts with the hint `FilePath`, which may also be names. `-C` itself comes before it.
fn is_path(argument: &clap::Arg) -> bool {
    let hints = [ValueHint::AnyPath, ValueHint::FilePath];
    argument.get_id() != "directory" && hints.contains(&argument.get_value_hint())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::ErrorCode;

    fn said(line: &str, message: &str) -> String {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        named(Failure::new(ErrorCode::NotFound, message), &words, Path::new("/srv/shop")).message
    }

    #[test]
    fn a_relative_path_that_the_message_names_is_shown_in_full() {
        let line = "aos -C shop new x --template ./web --dir ../a";
        assert_eq!(
            said(line, "`./web` cannot be read"),
            "`./web` cannot be read (looked at `/srv/shop/web`)"
        );
        assert_eq!(said(line, "the name `x` is taken"), "the name `x` is taken");
        assert_eq!(said("aos -C s check", "`.` is none"), "`.` is none (looked at `/srv/shop`)");
        let line = "aos -C s check --report sarif=no/x.sarif";
        assert_eq!(
            said(line, "`no/x.sarif`: no"),
            "`no/x.sarif`: no (looked at `/srv/shop/no/x.sarif`)"
        );
        for text in ["/web", "github:a/b", "cli-go"] {
            let message = format!("`{text}`: no");
            assert_eq!(said(&format!("aos -C s new x --template {text}"), &message), message);
        }
    }

    #[test]
    fn an_argument_whose_placeholder_is_a_path_is_known_as_one() {
        // Arguments with the placeholder of a path whose value is not a path in the current directory.
        const OTHERS: [&str; 3] = ["restore", "heal", "select"];
        let mut unknown = Vec::new();
        let cli = Cli::command();
        let mut commands: Vec<&clap::Command> = vec![&cli];
        while let Some(command) = commands.pop() {
            commands.extend(command.get_subcommands());
            for argument in command.get_arguments() {
                let id = argument.get_id().as_str();
                let shown = argument.get_value_names().unwrap_or_default();
                let words = ["FILE", "DIR", "PATH", "ROOT", "CHECKOUT", "TEMPLATE"];
                let is_like =
                    shown.iter().any(|shown| words.iter().any(|word| shown.contains(word)));
                if is_like && !is_path(argument) && !OTHERS.contains(&id) && id != "directory" {
                    unknown.push(format!("{} {id}", command.get_name()));
                }
            }
        }
        assert_eq!(unknown, Vec::<String>::new());
    }
}
