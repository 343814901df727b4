//! Functional contract coverage (agent-cli §13): every leaf command, every flag and every code that the live
//! `reference` declares is exercised by a test that runs the binary.
//!
//! The guard reads the sources of these tests and collects the argument lists they contain.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::sandbox::Sandbox;

/// Argument lists in the test sources, each as its string literals; `None` is a computed argument.
type Invocation = Vec<Option<String>>;

fn sources() -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli");
    walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.expect("the tests").into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter(|path| path.file_name().is_some_and(|name| name != "fcc.rs"))
        .map(|path| std::fs::read_to_string(path).expect("a source"))
        // Tests of the update leave its name to what prepares them.
        .map(|source| source.replace(".update(&[", ".aos(&[\"update\", "))
        .collect()
}

/// Every `[…]` in `source` that holds only literals and names, split at its commas.
fn invocations(source: &str) -> Vec<Invocation> {
    let mut found = Vec::new();
    for (start, _) in source.match_indices('[') {
        let Some(length) = source[start..].find(']') else { continue };
        let inside = &source[start + 1..start + length];
        if inside.contains('[') || inside.contains(';') {
            continue;
        }
        let arguments = inside.split(',').map(str::trim).filter(|part| !part.is_empty());
        found.push(
            arguments
                .map(|part| {
                    let literal = part.strip_prefix('"').and_then(|part| part.strip_suffix('"'));
                    literal.map(str::to_owned)
                })
                .collect(),
        );
    }
    found
}

/// The flags with which one leaf command is called, and the largest number of positional arguments.
#[derive(Debug, Default)]
struct Exercised {
    flags: BTreeSet<String>,
    positionals: usize,
}

fn exercised(reference: &Value, source: &str) -> BTreeMap<String, Exercised> {
    let mut leaves: BTreeMap<String, Exercised> = BTreeMap::new();
    for invocation in invocations(source) {
        let words: Vec<_> = invocation.iter().map(|word| word.as_deref().unwrap_or("\0")).collect();
        // Global options may precede the command.
        let Some(position) = words.iter().position(|word| !word.starts_with('-')) else { continue };
        // A leaf may have two words.
        let two = words.get(position..position + 2).map(|words| words.join(" "));
        let two = two.filter(|path| command(reference, path).is_some());
        let end = position + if two.is_some() { 2 } else { 1 };
        let path = two.unwrap_or_else(|| words[position].to_owned());
        let Some(command) = command(reference, &path) else { continue };
        let entry = leaves.entry(path).or_default();
        let mut positionals = 0;
        let mut rest = words[..position].iter().chain(&words[end..]);
        while let Some(word) = rest.next() {
            let Some((name, inline)) = flag(word) else {
                positionals += 1;
                continue;
            };
            entry.flags.insert(name.clone());
            if !inline && takes_value(reference, command, &name) {
                rest.next();
            }
        }
        entry.positionals = entry.positionals.max(positionals);
    }
    leaves
}

fn command<'a>(reference: &'a Value, path: &str) -> Option<&'a Value> {
    reference["commands"].as_array()?.iter().find(|command| command["path"] == path)
}

/// The name of a flag, and whether its value follows in the same word.
fn flag(word: &str) -> Option<(String, bool)> {
    if word == "-C" {
        return Some(("directory".to_owned(), false));
    }
    let name = word.strip_prefix("--")?;
    let name_alone = name.split('=').next().unwrap_or(name);
    Some((name_alone.to_owned(), name.contains('=')))
}

fn parameters<'a>(reference: &'a Value, command: &'a Value) -> impl Iterator<Item = &'a Value> {
    let of = |list: &'a Value| list.as_array().map(Vec::as_slice).unwrap_or_default().iter();
    of(&command["params"]).chain(of(&reference["global_flags"]))
}

fn takes_value(reference: &Value, command: &Value, name: &str) -> bool {
    parameters(reference, command)
        .any(|parameter| parameter["name"] == name && parameter["type"] != "boolean")
}

#[test]
fn every_leaf_of_the_live_reference_is_invoked_by_a_test_with_every_parameter() {
    let reference = Sandbox::new().aos(&["reference"]).data();
    let commands = reference["commands"].as_array().expect("commands");
    assert!(!commands.is_empty(), "reference lists no command, so this guard would prove nothing");
    let exercised = exercised(&reference, &sources());
    let mut missing = Vec::new();
    for command in commands {
        let path = command["path"].as_str().expect("a path");
        let Some(seen) = exercised.get(path) else {
            missing.push(path.to_owned());
            continue;
        };
        let mut positionals = 0;
        for parameter in command["params"].as_array().expect("parameters") {
            let name = parameter["name"].as_str().expect("a name");
            if parameter["positional"] == true {
                positionals += 1;
                if seen.positionals < positionals {
                    missing.push(format!("{path} <{name}>"));
                }
            } else if !seen.flags.contains(name) {
                missing.push(format!("{path} --{name}"));
            }
        }
    }
    assert!(missing.is_empty(), "no test runs the binary with: {missing:#?}");
}

#[test]
fn every_global_flag_is_used_by_a_test() {
    let reference = Sandbox::new().aos(&["reference"]).data();
    let used: BTreeSet<String> =
        exercised(&reference, &sources()).into_values().flat_map(|leaf| leaf.flags).collect();
    let global = reference["global_flags"].as_array().expect("parameters");
    assert!(!global.is_empty());
    for parameter in global {
        let name = parameter["name"].as_str().expect("a name");
        assert!(used.contains(name), "no test uses --{name}");
    }
}

#[test]
fn every_reachable_code_is_provoked_by_a_test() {
    let reference = Sandbox::new().aos(&["reference"]).data();
    let codes = reference["error_codes"].as_object().expect("codes");
    assert!(!codes.is_empty());
    let source = sources().split_whitespace().collect::<Vec<_>>().join(" ");
    for (code, description) in codes {
        let exit = &description["exit"];
        // The last one is a row of a table: code and exit.
        let calls = [
            format!(".error(\"{code}\""),
            format!("case(\"{code}\""),
            format!("\"{code}\", {exit})"),
        ];
        let provoked = calls.iter().any(|call| source.contains(call.as_str()));
        let reserved = description["reserved"] == true;
        assert!(provoked != reserved, "{code}: provoked {provoked}, declared reserved {reserved}");
    }
}

#[test]
fn every_environment_variable_of_reference_is_set_by_a_test() {
    let reference = Sandbox::new().aos(&["reference"]).data();
    let source = sources();
    for variable in reference["environment"].as_array().expect("variables") {
        let name = variable["name"].as_str().expect("a name");
        assert!(source.contains(&format!("\"{name}\"")), "no test sets {name}");
    }
}

#[test]
fn the_guard_sees_what_is_called_and_what_is_not() {
    let reference = serde_json::json!({
        "commands": [{"path": "new", "params": [
            {"name": "name", "type": "string", "positional": true},
            {"name": "dir", "type": "string", "positional": false},
        ]}],
        "global_flags": [{"name": "json", "type": "boolean"}],
    });
    let seen = exercised(&reference, r#"aos(&["--json", "new", "--dir", "x"]); other(["gone"]);"#);
    assert_eq!(seen.len(), 1);
    assert_eq!(seen["new"].positionals, 0, "the value of a flag is no positional argument");
    assert!(seen["new"].flags.contains("dir") && seen["new"].flags.contains("json"));
    let seen = exercised(&reference, r#"aos(&["new", name, "--dir=x"])"#);
    assert_eq!(seen["new"].positionals, 1, "a computed argument counts");
}
