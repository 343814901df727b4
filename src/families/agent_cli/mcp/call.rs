//! Arguments of a tool as a command line.

use serde_json::{Map, Value};

use crate::mcp::program::option;

/// The member that carries out what was previewed.
pub const CONFIRM: &str = "confirm";
/// The member that only previews.
pub const DRY_RUN: &str = "dry-run";

/// The arguments of a command on the command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArgumentShape {
    /// Names of positional parameters, in their order.
    pub positional: Vec<String>,
    /// A call without a token only previews: the tool would refuse it.
    pub previews: bool,
}

impl ArgumentShape {
    /// The command line of a call. Every value is one word and none can be taken for an option.
    #[must_use]
    pub fn arguments(&self, path: &str, given: &Map<String, Value>) -> Vec<String> {
        let mut words: Vec<String> = path.split(' ').map(str::to_owned).collect();
        let options = given.iter().filter(|(name, _)| !self.positional.contains(name));
        for (name, value) in options {
            words.extend(options_of(name, value));
        }
        let has = |name: &str| given.get(name).is_some_and(|value| !is_absent(value));
        if self.previews && !has(CONFIRM) && !has(DRY_RUN) {
            words.push(format!("--{DRY_RUN}"));
        }
        let values: Vec<String> = self
            .positional
            .iter()
            .filter_map(|name| given.get(name))
            .flat_map(|value| match value {
                Value::Array(items) => items.iter().map(plain).collect(),
                Value::Null => Vec::new(),
                value => vec![plain(value)],
            })
            .collect();
        if !values.is_empty() {
            words.push("--".to_owned());
            words.extend(values);
        }
        words
    }
}

fn is_absent(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Bool(false)) || value.as_str() == Some("")
}

fn options_of(name: &str, value: &Value) -> Vec<String> {
    match value {
        Value::Null | Value::Bool(false) => Vec::new(),
        Value::Bool(true) => vec![format!("--{name}")],
        Value::Array(items) => items.iter().map(|item| option(name, item)).collect(),
        value => vec![option(name, value)],
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn words(shape: &ArgumentShape, given: Value) -> Vec<String> {
        shape.arguments("message delete", given.as_object().unwrap())
    }

    #[test]
    fn no_value_becomes_an_option() {
        let shape = ArgumentShape { positional: vec!["id".to_owned()], previews: false };
        let given = json!({"id": "--dangerous", "note": "--quiet", "tag": ["a", "-b"], "all": true, "no": false});
        let wanted = [
            "message",
            "delete",
            "--note=--quiet",
            "--tag=a",
            "--tag=-b",
            "--all",
            "--",
            "--dangerous",
        ];
        assert_eq!(words(&shape, given), wanted);
    }

    #[test]
    fn a_write_is_previewed_until_it_has_a_token() {
        let shape = ArgumentShape { positional: Vec::new(), previews: true };
        let preview = ["message", "delete", "--dry-run"];
        assert_eq!(words(&shape, json!({})), preview);
        assert_eq!(words(&shape, json!({"confirm": ""}))[2..], ["--confirm=", "--dry-run"]);
        assert_eq!(words(&shape, json!({"dry-run": true})), preview);
        assert_eq!(
            words(&shape, json!({"confirm": "ct_1"})),
            ["message", "delete", "--confirm=ct_1"]
        );
    }
}
