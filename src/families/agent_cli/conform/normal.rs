//! `reference` in the form that the contract asks for, converted from the usual forms in which tools print it.
//!
//! The program's name in a path, commands nested below commands, maps in place of lists, and other names of members are
//! understood; each such form is a deviation, which one probe reports. A form that is not understood gives no command.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Members that hold the commands below a command.
const NESTED: &[&str] = &["commands", "subcommands", "children"];
/// Members that hold the name of a command, the first one as the contract has it.
const PATHS: &[&str] = &["path", "name", "command", "use"];
/// Members that hold the options of a command, the first one as the contract has it.
const PARAMS: &[&str] = &["params", "parameters", "flags", "options", "arguments", "args"];
/// Members that hold the name of an option.
const PARAM_NAMES: &[&str] = &["name", "flag", "long", "option"];
/// Other names of members: as the contract has it, and as tools have it.
const RENAMED: &[(&str, &[&str])] = &[
    ("description", &["short", "summary", "help", "about"]),
    ("type", &["kind", "permission", "access"]),
    ("output_schema", &["schema", "output"]),
    ("examples", &["example"]),
];
/// Most commands that are read, and how deep.
const MAX_COMMANDS: usize = 2_000;
const MAX_DEPTH: usize = 6;

/// The data of `reference` in the form of the contract, and how it deviates from that form.
#[derive(Clone, Debug, Default)]
pub struct NormalReference {
    pub data: Value,
    /// One sentence each, without a full stop.
    pub deviations: Vec<String>,
}

/// Reads the data of `reference`; `None` if no command in it can be read.
#[must_use]
pub fn read(data: &Value) -> Option<NormalReference> {
    let mut reader = CommandReader {
        tool: data["tool"].as_str().unwrap_or_default().to_owned(),
        commands: Vec::new(),
        deviations: BTreeSet::new(),
    };
    if !reader.list(&data["commands"], &[], 0) || reader.commands.is_empty() {
        return None;
    }
    let mut data = data.clone();
    data["commands"] = Value::Array(reader.commands);
    Some(NormalReference { data, deviations: reader.deviations.into_iter().collect() })
}

struct CommandReader {
    tool: String,
    commands: Vec<Value>,
    deviations: BTreeSet<String>,
}

impl CommandReader {
    /// Reads a list or a map of commands; false if one of them cannot be read.
    fn list(&mut self, commands: &Value, above: &[String], depth: usize) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        match commands {
            Value::Array(commands) => {
                commands.iter().all(|command| self.command(command, None, above, depth))
            }
            Value::Object(commands) => {
                self.deviates("`commands` is an object, not a list");
                let mut all = commands.iter();
                all.all(|(name, command)| self.command(command, Some(name), above, depth))
            }
            _ => false,
        }
    }

    fn command(
        &mut self,
        command: &Value,
        key: Option<&str>,
        above: &[String],
        depth: usize,
    ) -> bool {
        let Some(members) = command.as_object() else { return false };
        let Some(path) = self.path(members, key, above) else { return false };
        if self.commands.len() >= MAX_COMMANDS {
            return false;
        }
        let nested = NESTED.iter().find_map(|name| {
            members
                .get(*name)
                .filter(|below| !is_empty(below) && (below.is_array() || below.is_object()))
        });
        // A group without an answer of its own is not a command.
        let is_group = nested.is_some()
            && !["output_schema", "schema", "type", "kind"]
                .iter()
                .any(|key| members.contains_key(*key));
        if !is_group {
            let mut normal = members.clone();
            NESTED.iter().for_each(|name| drop(normal.remove(*name)));
            normal.insert("path".to_owned(), path.join(" ").into());
            self.rename(&mut normal);
            self.params(&mut normal);
            self.commands.push(Value::Object(normal));
        }
        let Some(nested) = nested else { return true };
        self.deviates("commands are nested below commands");
        self.list(nested, &path, depth + 1)
    }

    /// The words of a command without the name of the tool.
    fn path(
        &mut self,
        members: &Map<String, Value>,
        key: Option<&str>,
        above: &[String],
    ) -> Option<Vec<String>> {
        let found = PATHS.iter().find_map(|name| Some((*name, members.get(*name)?)));
        let mut words: Vec<String> = match found {
            Some((name, Value::String(text))) => {
                if name != "path" {
                    self.deviates(format!("the path of a command is called `{name}`"));
                }
                text.split_whitespace().map(str::to_owned).collect()
            }
            Some((_, Value::Array(list))) => {
                self.deviates("the path of a command is a list, not a text");
                list.iter().map(|word| word.as_str().map(str::to_owned)).collect::<Option<_>>()?
            }
            Some(_) => return None,
            None => key?.split_whitespace().map(str::to_owned).collect(),
        };
        if words.len() > 1 && words.first() == Some(&self.tool) && !self.tool.is_empty() {
            words.remove(0);
            self.deviates("paths of commands begin with the name of the tool");
        }
        // `use` of cobra has placeholders of arguments behind the name.
        words.retain(|word| !word.starts_with(['<', '[', '-']));
        if !words.starts_with(above) {
            words = above.iter().cloned().chain(words).collect();
        }
        let is_word = |word: &String| {
            word.starts_with(|first: char| first.is_ascii_alphanumeric())
                && word.chars().all(|each| each.is_ascii_alphanumeric() || "-_.:".contains(each))
        };
        (!words.is_empty() && words.iter().all(is_word)).then_some(words)
    }

    fn rename(&mut self, members: &mut Map<String, Value>) {
        for (wanted, others) in RENAMED {
            if members.contains_key(*wanted) {
                continue;
            }
            let other = others.iter().find(|other| members.get(**other).is_some_and(is_text));
            if let Some((other, value)) =
                other.and_then(|name| Some((name, members.get(*name)?.clone())))
            {
                self.deviates(format!("`{wanted}` of a command is called `{other}`"));
                members.insert((*wanted).to_owned(), value);
            }
        }
        if let Some(Value::String(example)) = members.get("examples") {
            let lines = example.lines().map(str::trim).filter(|line| !line.is_empty());
            let lines: Vec<Value> = lines.map(Value::from).collect();
            self.deviates("`examples` is a text, not a list");
            members.insert("examples".to_owned(), Value::Array(lines));
        }
    }

    /// Options as the contract has them; what cannot be read stays as it is.
    fn params(&mut self, members: &mut Map<String, Value>) {
        let found: Vec<&str> =
            PARAMS.iter().copied().filter(|name| members.contains_key(*name)).collect();
        if found.is_empty()
            || found == ["params"]
                && members["params"].is_array()
                && members["params"]
                    .as_array()
                    .is_some_and(|list| list.iter().all(|param| param["name"].is_string()))
        {
            return;
        }
        let mut params = Vec::new();
        for name in &found {
            let Some(read) = options(&members[*name]) else { return };
            params.extend(read);
        }
        let names = found.join("` and `");
        self.deviates(if found == ["params"] {
            "`params` is not a list of objects with a `name`".to_owned()
        } else {
            format!("`params` of a command is called `{names}`")
        });
        members.insert("params".to_owned(), Value::Array(params));
    }

    fn deviates(&mut self, how: impl Into<String>) {
        self.deviations.insert(how.into());
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(Map::is_empty)
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty()) || value.is_array()
}

/// A list of texts or objects, or a map from name to description, as objects with a `name`.
fn options(value: &Value) -> Option<Vec<Value>> {
    let named = |name: &str, members: Option<&Map<String, Value>>| {
        // `--limit, -l` and `--limit=COUNT` name `limit`.
        let word = name.split([',', ' ', '=']).find(|word| !word.is_empty())?;
        let mut members = members.cloned().unwrap_or_default();
        members.insert("name".to_owned(), word.trim_start_matches('-').into());
        Some(Value::Object(members))
    };
    match value {
        Value::Null => Some(Vec::new()),
        Value::Array(list) => list
            .iter()
            .map(|each| match each {
                Value::String(name) => named(name, None),
                Value::Object(members) => {
                    let name = PARAM_NAMES.iter().find_map(|key| members.get(*key)?.as_str())?;
                    named(name, Some(members))
                }
                _ => None,
            })
            .collect(),
        Value::Object(map) => {
            map.iter().map(|(name, each)| named(name, each.as_object())).collect()
        }
        _ => None,
    }
}

/// All deviations in one sentence; `None` if there is none.
#[must_use]
pub fn finding(deviations: &[String]) -> Option<String> {
    (!deviations.is_empty()).then(|| {
        format!("`reference` does not have the form of the contract: {}", deviations.join("; "))
    })
}

/// The message about a `reference` in which no command can be read.
pub const UNREADABLE: &str = "`reference` lists no commands that can be read: `commands` must be a list of objects, each with the text `path`";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    fn paths(normal: &NormalReference) -> Vec<&str> {
        let commands = normal.data["commands"].as_array().into_iter().flatten();
        commands.filter_map(|command| command["path"].as_str()).collect()
    }

    #[test]
    fn the_form_of_the_contract_stays_as_it_is() {
        let data = parsed(
            r#"{"tool": "t", "commands": [{"path": "item list", "type": "read", "params": [{"name": "limit"}], "examples": ["t item list"]}]}"#,
        );
        let normal = read(&data).unwrap();
        assert_eq!(normal.data, data);
        assert_eq!(normal.deviations, Vec::<String>::new());
    }

    #[test]
    fn usual_forms_give_the_same_commands_and_one_finding() {
        for (text, deviation) in [
            (
                r#"{"tool": "t", "commands": [{"path": "t item list"}, {"path": "t item get"}]}"#,
                "name of the tool",
            ),
            (
                r#"{"tool": "t", "commands": [{"name": "item", "commands": [{"name": "list"}, {"name": "get"}]}]}"#,
                "nested",
            ),
            (
                r#"{"tool": "t", "commands": [{"path": "t item", "subcommands": [{"path": "t item list"}, {"path": "t item get"}]}]}"#,
                "nested",
            ),
            (r#"{"tool": "t", "commands": {"item list": {}, "item get": {}}}"#, "an object"),
            (
                r#"{"tool": "t", "commands": [{"path": ["item", "list"]}, {"path": ["item", "get"]}]}"#,
                "a list, not a text",
            ),
            (
                r#"{"tool": "t", "commands": [{"use": "item", "children": [{"use": "list"}, {"use": "get <id>"}]}]}"#,
                "called `use`",
            ),
        ] {
            let normal = read(&parsed(text)).unwrap();
            assert_eq!(paths(&normal), ["item list", "item get"], "{text}");
            let said = finding(&normal.deviations).unwrap();
            assert!(said.contains(deviation), "{said}");
        }
    }

    #[test]
    fn options_and_texts_have_other_names_too() {
        let data = parsed(
            r#"{"tool": "t", "commands": [{"path": "a", "short": "Does", "permission": "write", "flags": ["--limit, -l", {"flag": "--cursor"}], "args": {"id": {"required": true}}, "examples": "t a\n"}]}"#,
        );
        let normal = read(&data).unwrap();
        let command = &normal.data["commands"][0];
        assert_eq!((&command["description"], &command["type"]), (&json!("Does"), &json!("write")));
        let names: Vec<_> =
            command["params"].as_array().unwrap().iter().map(|param| &param["name"]).collect();
        assert_eq!(names, ["limit", "cursor", "id"]);
        assert_eq!(command["examples"], json!(["t a"]));
        assert_eq!(normal.deviations.len(), 4);
    }

    #[test]
    fn an_unknown_form_has_no_commands() {
        for text in [
            r#"{}"#,
            r#"{"commands": []}"#,
            r#"{"commands": ["a"]}"#,
            r#"{"commands": [{"path": 7}]}"#,
            r#"{"commands": [{"path": "a"}, {"cmd": "b"}]}"#,
            r#"{"commands": [{"path": "; rm"}]}"#,
        ] {
            assert!(read(&parsed(text)).is_none(), "{text}");
        }
    }
}
