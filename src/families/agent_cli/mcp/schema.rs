//! `reference` as tools: each command with the schema of its parameters, its mode and the fields of its result.

use serde_json::{Map, Value, json};

use crate::mcp::mode::ToolMode;
use crate::mcp::tool::{self, Hints, McpTool};
use crate::visible::excerpt;

use super::call::{ArgumentShape, CONFIRM, DRY_RUN};

/// Most commands, parameters of one, and fields of a result that are read.
const MAX_COMMANDS: usize = 1_000;
const MAX_PARAMETERS: usize = 200;
const MAX_FIELDS: usize = 200;
/// Longest name and longest description.
const MAX_NAME: usize = 200;
const MAX_DESCRIPTION: usize = 1_000;
/// Commands that describe the tool itself.
const META: &[&str] =
    &["changelog", "completion", "completions", "context", "doctor", "help", "reference", "update"];
/// Words of a path that say that something is destroyed.
const DESTRUCTIVE: &[&str] = &[
    "delete",
    "destroy",
    "drop",
    "erase",
    "kill",
    "purge",
    "remove",
    "revoke",
    "rm",
    "terminate",
    "void",
    "wipe",
];

/// Every command as a tool, with the way to call it.
#[must_use]
pub fn tools(name: &str, reference: &Value) -> Vec<(McpTool, ArgumentShape)> {
    let prefix = name.replace('-', "_");
    let commands = reference.get("commands").and_then(Value::as_array);
    commands
        .into_iter()
        .flatten()
        .take(MAX_COMMANDS)
        .filter_map(|command| described(&prefix, command, reference))
        .collect()
}

fn described(prefix: &str, command: &Value, reference: &Value) -> Option<(McpTool, ArgumentShape)> {
    let path = command.get("path")?.as_str()?;
    let is_path = path.len() <= MAX_NAME && path.split(' ').all(is_word);
    if !is_path {
        return None;
    }
    let is_write = writes(command);
    let policy = command.get("confirm").and_then(Value::as_str);
    let parameters: Vec<_> = command
        .get("params")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .take(MAX_PARAMETERS)
        .filter_map(|parameter| Some((parameter.get("name")?.as_str()?, parameter)))
        .filter(|(name, _)| is_word(name))
        .collect();
    let is_positional =
        |parameter: &Value| parameter.get("positional").and_then(Value::as_bool).unwrap_or(false);
    let shape = ArgumentShape {
        positional: parameters
            .iter()
            .filter(|(_, parameter)| is_positional(parameter))
            .map(|(name, _)| (*name).to_owned())
            .collect(),
        previews: is_write && policy == Some("always"),
    };
    let mode = mode(path, command, is_write);
    let mut description = excerpt(
        command.get("description").and_then(Value::as_str).unwrap_or_default(),
        MAX_DESCRIPTION,
    );
    if shape.previews {
        description.push_str(
            ". Without `confirm`, it only shows what it would do and returns a `confirm_token`; call it again with the same arguments and the token as `confirm` to make the change",
        );
    }
    let tool = McpTool {
        name: tool::name(prefix, path),
        id: path.to_owned(),
        description: description.trim_start_matches(". ").to_owned(),
        input: input(&parameters, is_write && policy != Some("exempt")),
        output: if is_write { None } else { output(command, reference) },
        mode,
        tags: path.split(' ').take(1).map(str::to_owned).collect(),
        is_meta: META.contains(&path),
        hints: Hints::of(mode, None),
    };
    Some((tool, shape))
}

/// A word of a command line that is not an option.
fn is_word(word: &str) -> bool {
    !word.is_empty()
        && word.len() <= MAX_NAME
        && !word.starts_with('-')
        && word
            .chars()
            .all(|symbol| symbol.is_ascii_alphanumeric() || matches!(symbol, '-' | '_' | '.'))
}

/// A command whose type is not known is taken for one that writes.
fn writes(command: &Value) -> bool {
    let kind = command.get("type").and_then(Value::as_str).unwrap_or_default();
    !matches!(kind, "read" | "query")
}

fn mode(path: &str, command: &Value, is_write: bool) -> ToolMode {
    let is_dangerous = command.get("dangerous").and_then(Value::as_bool).unwrap_or(false);
    let is_exempt = command.get("confirm").and_then(Value::as_str) == Some("exempt");
    let destroys = path.split([' ', '-', '_']).any(|word| DESTRUCTIVE.contains(&word));
    match (is_write, is_dangerous || is_exempt || destroys) {
        (false, _) => ToolMode::Readonly,
        (true, false) => ToolMode::Write,
        (true, true) => ToolMode::Admin,
    }
}

fn input(parameters: &[(&str, &Value)], is_confirmed: bool) -> Map<String, Value> {
    let mut properties: Map<String, Value> = parameters
        .iter()
        .map(|(name, parameter)| ((*name).to_owned(), property(parameter)))
        .collect();
    if is_confirmed {
        properties.entry(DRY_RUN).or_insert_with(
            || json!({"type": "boolean", "description": "Show what would change without changing anything"}),
        );
        properties.entry(CONFIRM).or_insert_with(
            || json!({"type": "string", "description": "Confirm token of the preview; makes the change"}),
        );
    }
    let is_required =
        |parameter: &Value| parameter.get("required").and_then(Value::as_bool).unwrap_or(false);
    let required: Vec<_> = parameters
        .iter()
        .filter(|(_, parameter)| is_required(parameter))
        .map(|(name, _)| *name)
        .collect();
    tool::input(properties, &required)
}

fn property(parameter: &Value) -> Value {
    let kind = parameter.get("type").and_then(Value::as_str).unwrap_or_default();
    let mut item = match kind {
        "integer" => json!({"type": "integer"}),
        "number" => json!({"type": "number"}),
        "boolean" => json!({"type": "boolean"}),
        _ => json!({"type": "string"}),
    };
    let choices =
        ["choices", "values", "enum"].iter().find_map(|key| parameter.get(key)?.as_array());
    if let Some(choices) = choices.filter(|choices| !choices.is_empty()) {
        item["enum"] = choices.clone().into();
    }
    for limit in ["minimum", "maximum"] {
        if let Some(number) =
            parameter.get(limit).filter(|number| number.is_number() && kind != "string")
        {
            item[limit] = number.clone();
        }
    }
    let is_multiple = parameter.get("multiple").and_then(Value::as_bool).unwrap_or(false);
    let mut property = match is_multiple || kind == "list" {
        true => json!({"type": "array", "items": item}),
        false => item,
    };
    let description = parameter.get("description").and_then(Value::as_str).unwrap_or_default();
    if !description.is_empty() {
        property["description"] = excerpt(description, MAX_DESCRIPTION).into();
    }
    property
}

/// The fields of a result. Nothing says of which type they are, or which are always there.
fn output(command: &Value, reference: &Value) -> Option<Map<String, Value>> {
    let label = command.get("output_schema")?.as_str()?;
    let schema = reference.get("schemas")?.get(label)?;
    if schema.get("shape")?.as_str()? != "object" {
        return None;
    }
    let fields = schema.get("fields")?.as_array()?;
    let properties: Map<String, Value> = fields
        .iter()
        .take(MAX_FIELDS)
        .filter_map(|field| Some((field.as_str()?.to_owned(), json!({}))))
        .collect();
    json!({"type": "object", "properties": properties}).as_object().cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(command: Value) -> (McpTool, ArgumentShape) {
        let reference = json!({
            "commands": [command],
            "schemas": {"gone": {"shape": "object", "fields": ["id"]}},
        });
        tools("acme-tool", &reference).remove(0)
    }

    #[test]
    fn a_write_that_always_asks_has_both_steps_in_its_schema() {
        let (tool, shape) = one(json!({
            "path": "message delete", "type": "write", "confirm": "always", "description": "Delete",
            "params": [{"name": "id", "type": "string", "required": true, "positional": true}],
            "output_schema": "gone",
        }));
        assert_eq!((tool.name.as_str(), tool.mode), ("acme_tool_message_delete", ToolMode::Admin));
        assert_eq!(tool.input["required"], json!(["id"]));
        assert!(tool.input["properties"]["confirm"].is_object());
        assert_eq!(shape, ArgumentShape { positional: vec!["id".to_owned()], previews: true });
        // A preview has other fields than the result.
        assert_eq!(tool.output, None);
    }

    #[test]
    fn a_query_is_readonly_and_names_its_fields() {
        let (tool, shape) = one(json!({
            "path": "message list", "type": "read", "description": "List",
            "params": [
                {"name": "tag", "type": "list", "required": false, "multiple": true},
                {"name": "limit", "type": "integer", "minimum": 1, "maximum": 9},
                {"name": "state", "type": "string", "values": ["open"]},
                {"name": "--bad", "type": "string"},
            ],
            "output_schema": "gone",
        }));
        assert_eq!(tool.mode, ToolMode::Readonly);
        assert!(!shape.previews);
        let properties = tool.input["properties"].as_object().unwrap();
        assert_eq!(properties["tag"]["items"]["type"], "string");
        assert_eq!(properties["limit"]["maximum"], 9);
        assert_eq!(properties["state"]["enum"], json!(["open"]));
        assert!(!properties.contains_key("--bad") && !properties.contains_key("confirm"));
        assert!(tool.output.unwrap()["properties"]["id"].is_object());
    }

    #[test]
    fn an_unknown_type_counts_as_a_write_and_a_dangerous_command_needs_the_highest_mode() {
        let mode = |command: Value| one(command).0.mode;
        assert_eq!(mode(json!({"path": "sync", "type": "task"})), ToolMode::Write);
        assert_eq!(mode(json!({"path": "sync"})), ToolMode::Write);
        assert_eq!(
            mode(json!({"path": "sync", "type": "write", "dangerous": true})),
            ToolMode::Admin
        );
        assert_eq!(
            mode(json!({"path": "update", "type": "write", "confirm": "exempt"})),
            ToolMode::Admin
        );
    }

    #[test]
    fn a_path_that_is_not_a_command_line_is_left_out() {
        for path in ["", "a  b", "--help", "a;b", "a $(b)"] {
            let reference = json!({"commands": [{"path": path, "type": "read"}]});
            assert!(tools("t", &reference).is_empty(), "{path}");
        }
    }
}
