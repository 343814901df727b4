//! The commands and options that `reference` lists, and whether the list can be relied on.

use serde_json::Value;

use super::fixture::Role;
use super::kind::{self, is_gated};
use crate::families::agent_cli::contract::AgentCliContract;
use crate::families::agent_cli::executable::CommandRules;

/// True if a tool with this reference may have a command of this kind.
pub fn may_have(contract: &AgentCliContract, reference: &Value, role: Role) -> bool {
    let rules = &contract.commands;
    let any = |test: &dyn Fn(&Value) -> bool| {
        reference["commands"].as_array().is_some_and(|commands| commands.iter().any(test))
    };
    let has_param = |command: &Value, names: &[&str]| {
        params(command).any(|param| names.contains(&param.as_str()))
    };
    let has_field = |test: &dyn Fn(&str) -> bool| {
        let schemas = reference["schemas"].as_object().into_iter().flatten();
        schemas
            .flat_map(|(_, schema)| schema["fields"].as_array().into_iter().flatten())
            .filter_map(Value::as_str)
            .any(test)
    };
    // The contract names no mark of a stream, so any word about one counts.
    let speaks_of = |command: &Value, words: &[&str]| {
        // Every command may name the upstream.
        let text = command.to_string().to_lowercase().replace("upstream", "");
        words.iter().any(|word| text.contains(word))
    };
    match role {
        Role::List => any(&|command| {
            has_param(command, &["cursor", "offset", "page-token"])
                || command["path"].as_str().is_some_and(|path| path.ends_with(" list"))
        }),
        Role::Stream => any(&|command| speaks_of(command, &["stream", "ndjson", "jsonl"])),
        Role::Batch => any(&|command| {
            is_gated(rules, command)
                && (command["batch"] == true || has_param(command, &["continue-on-error"]))
        }),
        Role::Scopes => has_field(&|field| field.ends_with("_errors")),
        // An API may have jobs of its own; a command that starts one says how to ask for it. A tool at an earlier tag
        // cannot say in `capabilities` that it has none.
        Role::Job => {
            let schemas = reference["schemas"].as_object().into_iter().flatten();
            schemas.map(|(_, schema)| &schema["fields"]).any(|fields| {
                let has = |name: &str| {
                    fields.as_array().is_some_and(|fields| fields.iter().any(|field| field == name))
                };
                (has("job_id") || has("operation_id")) && (rules.is_open() || has("poll"))
            })
        }
        // Codes that ask for a person have an exit of their own.
        Role::Human => {
            let mut codes = reference["error_codes"].as_object().into_iter().flatten();
            codes.any(|(_, spec)| spec["exit"] == contract.extension.human_action_exit)
        }
        Role::Create | Role::Update | Role::Delete => any(&|command| is_gated(rules, command)),
        Role::Get | Role::Other => true,
    }
}

/// Returns the reason why nothing may be concluded from an omission in a reference.
pub fn incomplete(rules: &CommandRules, reference: &Value) -> Option<String> {
    for (path, command) in commands(reference) {
        let params = command["params"].as_array();
        if params.is_none_or(|params| params.iter().any(|param| !param["name"].is_string())) {
            return Some(format!("the `params` of `{path}` in `reference` cannot be read"));
        }
        if let Some(why) = kind::unclear(rules, path, command) {
            return Some(why);
        }
        let label = command["output_schema"].as_str().unwrap_or_default();
        if !reference["schemas"][label]["fields"].is_array() {
            return Some(format!("`reference` has no fields for the response of `{path}`"));
        }
    }
    let codes = reference["error_codes"].as_object();
    codes.is_none_or(serde_json::Map::is_empty).then(|| "`reference` lists no codes".to_owned())
}

/// Names of the parameters of a command, without dashes.
pub fn params(command: &Value) -> impl Iterator<Item = String> + '_ {
    let params = command["params"].as_array().into_iter().flatten();
    params.filter(|param| param["name"].is_string()).map(name)
}

/// The name of a parameter, without dashes.
pub fn name(param: &Value) -> String {
    let name = param["name"].as_str().unwrap_or_default();
    name.trim_start_matches('-').replace('_', "-")
}

/// The commands of a reference with their paths.
pub fn commands(reference: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let commands = reference["commands"].as_array().into_iter().flatten();
    commands.filter_map(|command| Some((command["path"].as_str()?, command)))
}

/// Returns the entry of a command in `reference`.
pub fn declared<'a>(reference: &'a Value, path: &str) -> Option<&'a Value> {
    reference["commands"].as_array()?.iter().find(|command| command["path"] == path)
}

/// The words of a command line with quotes.
pub fn split(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for symbol in line.chars() {
        match quote {
            Some(mark) if symbol == mark => quote = None,
            None if symbol == '\'' || symbol == '"' => {
                quote = Some(symbol);
                word.get_or_insert_default();
            }
            None if symbol == ' ' => words.extend(word.take()),
            _ => word.get_or_insert_default().push(symbol),
        }
    }
    words.extend(word);
    words
}
