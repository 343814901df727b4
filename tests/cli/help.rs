//! The exact text of help and reference, so that a review shows every change.

use std::collections::BTreeSet;

use crate::sandbox::Sandbox;

/// Leaf commands, as the help of aos lists them.
pub fn commands_of_help(help: &str) -> Vec<String> {
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

/// Every command by its path; a command with others below it is one itself.
fn paths(sandbox: &Sandbox) -> Vec<String> {
    let mut paths = Vec::new();
    for command in commands_of_help(&sandbox.aos(&["--help"]).stdout) {
        let inner = commands_of_help(&sandbox.aos(&[&command, "--help"]).stdout);
        paths.push(command.clone());
        paths.extend(inner.into_iter().map(|name| format!("{command} {name}")));
    }
    assert!(paths.len() > 5, "{paths:?}");
    paths
}

/// The help of a command by its path.
fn help_of(sandbox: &Sandbox, path: &str) -> String {
    let mut arguments: Vec<_> = path.split(' ').collect();
    arguments.push("--help");
    sandbox.aos(&arguments).stdout
}

#[test]
fn the_help_of_aos_is_as_recorded() {
    insta::assert_snapshot!("help", Sandbox::new().aos(&["--help"]).stdout);
}

#[test]
fn the_help_of_every_command_is_as_recorded() {
    let sandbox = Sandbox::new();
    for path in paths(&sandbox) {
        insta::assert_snapshot!(
            format!("help_{}", path.replace(['-', ' '], "_")),
            help_of(&sandbox, &path)
        );
    }
}

#[test]
fn the_reference_is_as_recorded() {
    let data = Sandbox::new().aos(&["reference"]).data();
    let mut text = serde_json::to_string_pretty(&data).expect("JSON");
    text = text.replace(
        &format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION")),
        "\"version\": \"[version]\"",
    );
    insta::assert_snapshot!("reference", text);
}

#[test]
fn help_lists_every_leaf_of_reference_and_nothing_else() {
    let sandbox = Sandbox::new();
    // A group without an action is not a command.
    let is_group = |path: &String| {
        let help = help_of(&sandbox, path);
        !path.contains(' ')
            && help.lines().any(|line| line.starts_with("Usage:") && line.ends_with(" <COMMAND>"))
    };
    let help: BTreeSet<_> = paths(&sandbox).into_iter().filter(|path| !is_group(path)).collect();
    let reference = sandbox.aos(&["reference"]).data();
    let leaves: BTreeSet<_> = reference["commands"]
        .as_array()
        .expect("commands")
        .iter()
        .map(|command| command["path"].as_str().expect("a path").to_owned())
        .collect();
    assert_eq!(help, leaves);
    assert!(leaves.len() > 5);
}

// The same for the options of every command.
#[test]
fn the_help_of_a_command_lists_every_parameter_of_reference_and_nothing_else() {
    let sandbox = Sandbox::new();
    let reference = sandbox.aos(&["reference"]).data();
    let names = |parameters: &serde_json::Value| -> BTreeSet<String> {
        let options = parameters.as_array().expect("parameters").iter();
        options
            .filter(|parameter| parameter["positional"] == false)
            .map(|parameter| format!("--{}", parameter["name"].as_str().expect("a name")))
            .collect()
    };
    let global = names(&reference["global_flags"]);
    for command in reference["commands"].as_array().expect("commands") {
        let path = command["path"].as_str().expect("a path");
        let help = help_of(&sandbox, path);
        let shown: BTreeSet<_> = help
            .lines()
            .map(str::trim_start)
            .filter(|line| line.starts_with('-'))
            .filter_map(|line| line.split_whitespace().find(|word| word.starts_with("--")))
            .filter(|word| *word != "--help")
            .map(|word| word.trim_end_matches(',').to_owned())
            .collect();
        let expected: BTreeSet<_> = names(&command["params"]).union(&global).cloned().collect();
        assert_eq!(shown, expected, "{path}");
        for parameter in command["params"].as_array().expect("parameters") {
            let name = parameter["name"].as_str().expect("a name");
            assert!(
                parameter["positional"] == false || help.contains(&name.to_uppercase()),
                "{path} {name}"
            );
        }
    }
}
