//! The strict view of `connector.json` that generators work from: every name typed, every reference resolved.
//!
//! `manifest` is the tolerant view that rules judge; a document that passes here can become code.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

use crate::visible::excerpt;

use super::contract::HarnessContract;
use crate::contract::json;
use crate::contract::json::JsonError;
use crate::contract::name::{Constant, Key};

/// The manifest of a connector.
pub const CONNECTOR_PATH: &str = "connector.json";

/// `connector.json`, as far as generated files depend on it.
#[derive(Clone, Debug)]
pub struct Connector {
    pub tool: ToolName,
    pub backend: String,
    pub service_keys: Vec<Constant>,
    pub fields: IndexMap<Key, ConnectorField>,
    pub commands: IndexMap<Key, ConnectorCommand>,
    /// The whole document, members in order.
    pub document: Value,
}

/// `aos-<name>`: directory, tool, script and project name of a connector.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ToolName(String);

impl ToolName {
    /// Parses the full name, prefix included.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let name = text.strip_prefix("aos-")?;
        let valid = name.len() <= 40
            && name.starts_with(|first: char| first.is_ascii_lowercase() || first.is_ascii_digit())
            && !name.ends_with('-')
            && !name.contains("--")
            && name.chars().all(|symbol| {
                symbol.is_ascii_lowercase() || symbol.is_ascii_digit() || symbol == '-'
            });
        valid.then(|| Self(text.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name without `aos-`.
    #[must_use]
    pub fn short(&self) -> &str {
        self.0.strip_prefix("aos-").unwrap_or(&self.0)
    }

    /// The unique top-level Python package.
    #[must_use]
    pub fn package(&self) -> String {
        self.0.replace('-', "_")
    }
}

impl std::fmt::Display for ToolName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// One input; the option `--<id>` of every command in `applies_to`.
#[derive(Clone, Debug)]
pub struct ConnectorField {
    pub kind: FieldKind,
    pub choices: Vec<String>,
    pub default: Option<Value>,
    pub help: String,
    pub applies_to: Vec<String>,
    /// Other names of its option.
    pub aliases: Vec<Key>,
    /// The variable whose value counts when the option is not given.
    pub default_env: Option<Constant>,
}

/// How the text of an option becomes a value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum FieldKind {
    String,
    Richtext,
    Number,
    Boolean,
    Select,
    List,
    Json,
}

impl FieldKind {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Richtext => "richtext",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Select => "select",
            Self::List => "list",
            Self::Json => "json",
        }
    }

    /// True if the option could be given this value; null and "" mean no default.
    fn accepts(self, value: &Value, choices: &[String]) -> bool {
        match (self, value) {
            (_, Value::Null) | (Self::Json, _) => true,
            (_, Value::String(text)) if text.is_empty() => true,
            (Self::Number, Value::String(text)) => text.parse::<i64>().is_ok(),
            (Self::Number, Value::Number(number)) => number.is_i64() || number.is_u64(),
            (Self::Boolean, Value::String(text)) => matches!(text.as_str(), "true" | "false"),
            (Self::Boolean, Value::Bool(_)) => true,
            (Self::Select, Value::String(text)) => choices.iter().any(|choice| choice == text),
            (Self::List, Value::Array(items)) => {
                items.iter().all(|item| item.is_string() || item.is_number())
            }
            (Self::String | Self::Richtext | Self::List, Value::String(_)) => true,
            (Self::String | Self::Richtext, Value::Number(_)) => true,
            _ => false,
        }
    }

    fn of(kind: &str, render_as: &str, has_choices: bool) -> Self {
        match (kind, render_as) {
            // JSON in one line of text is a list: `a, b` or `["a", "b"]`.
            (_, "multiselect") | ("json" | "object", "text") | ("list" | "array", _) => Self::List,
            ("richtext", _) => Self::Richtext,
            ("number" | "integer", _) => Self::Number,
            ("boolean", _) => Self::Boolean,
            ("json" | "object", _) => Self::Json,
            ("select", _) if has_choices => Self::Select,
            _ => Self::String,
        }
    }
}

/// One command of the connector.
#[derive(Clone, Debug)]
pub struct ConnectorCommand {
    pub summary: String,
    pub required_mode: Key,
    pub action_class: String,
    /// Field ids, in the order of the fields.
    pub options: Vec<Key>,
    pub required: Vec<Key>,
}

/// Why a manifest cannot be generated from.
#[derive(Debug, thiserror::Error)]
pub enum ConnectorError {
    #[error(transparent)]
    Json(#[from] JsonError),
    #[error("`{member}`: {reason}")]
    Member { member: String, reason: String },
}

#[derive(Deserialize)]
struct ConnectorDocument {
    tool: String,
    backend: String,
    auth: ConnectorAuth,
    #[serde(default)]
    scope: ScopeMembers,
    commands: Vec<CommandEntry>,
}

#[derive(Deserialize)]
struct ConnectorAuth {
    #[serde(default)]
    service_keys: Vec<Constant>,
}

#[derive(Default, Deserialize)]
struct ScopeMembers {
    #[serde(default)]
    fields: Vec<FieldEntry>,
}

#[derive(Deserialize)]
struct FieldEntry {
    id: Key,
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default, rename = "renderAs")]
    render_as: String,
    #[serde(default)]
    options: Vec<Choice>,
    default: Option<Value>,
    /// The text that the form of the host shows.
    description: Option<String>,
    /// The older name of `description`, which only older connectors have.
    help: Option<String>,
    applies_to: Option<Vec<String>>,
    #[serde(default)]
    aliases: Vec<Key>,
    default_env: Option<Constant>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Choice {
    Plain(String),
    Labelled { value: String },
}

#[derive(Deserialize)]
struct CommandEntry {
    id: Key,
    #[serde(default)]
    summary: String,
    required_mode: Key,
    #[serde(default)]
    action_class: String,
    #[serde(default)]
    required_fields: Vec<Key>,
}

/// Ids that the global options take.
pub const RESERVED_FIELDS: &[&str] = &["json", "mode", "verbose", "version", "help"];

impl Connector {
    /// Parses `connector.json` under the pinned contract.
    ///
    /// # Errors
    /// Names the first member that cannot become code.
    pub fn parse(bytes: &[u8], contract: &HarnessContract) -> Result<Self, ConnectorError> {
        let document = json::parse(bytes)?;
        let parsed: ConnectorDocument =
            serde_path_to_error::deserialize(&document).map_err(|error| {
                ConnectorError::Member {
                    member: json::printable(&error.path().to_string()),
                    reason: json::printable(&error.inner().to_string()),
                }
            })?;
        let tool = ToolName::parse(&parsed.tool).ok_or_else(|| {
            fault("tool", "it must be `aos-<name>`: lower-case letters, digits and single dashes")
        })?;
        let mut connector = Self {
            tool,
            backend: parsed.backend,
            service_keys: parsed.auth.service_keys,
            fields: IndexMap::new(),
            commands: IndexMap::new(),
            document,
        };
        for entry in parsed.commands {
            connector.add_command(entry, contract)?;
        }
        for entry in parsed.scope.fields {
            connector.add_field(entry)?;
        }
        connector.resolve_required()?;
        connector.aliases_are_free()?;
        Ok(connector)
    }

    fn add_command(
        &mut self,
        entry: CommandEntry,
        contract: &HarnessContract,
    ) -> Result<(), ConnectorError> {
        let member = format!("commands[{}]", entry.id);
        let segments_valid = entry.id.as_str().split('.').all(|segment| {
            segment.starts_with(|first: char| first.is_ascii_lowercase())
                && !segment.ends_with(['-', '_'])
        });
        if !segments_valid {
            return Err(fault(&member, "each part of a command id begins with a letter"));
        }
        if !contract.modes.contains(&entry.required_mode) {
            let known: Vec<_> = contract.modes.iter().map(Key::as_str).collect();
            return Err(fault(
                &format!("{member}.required_mode"),
                &format!("`{}` is not a mode; modes are {}", entry.required_mode, known.join(", ")),
            ));
        }
        let command = ConnectorCommand {
            summary: entry.summary,
            required_mode: entry.required_mode,
            action_class: entry.action_class,
            options: Vec::new(),
            required: entry.required_fields,
        };
        match self.commands.insert(entry.id, command) {
            None => Ok(()),
            Some(_) => Err(fault(&member, "the id is used twice")),
        }
    }

    fn add_field(&mut self, entry: FieldEntry) -> Result<(), ConnectorError> {
        let member = format!("scope.fields[{}]", entry.id);
        if entry.id.as_str().contains(['.', '-']) || RESERVED_FIELDS.contains(&entry.id.as_str()) {
            return Err(fault(
                &member,
                "a field id must be in snake_case, and must not be json, mode, verbose, version or help",
            ));
        }
        let choices: Vec<String> = entry
            .options
            .into_iter()
            .map(|choice| match choice {
                Choice::Plain(value) | Choice::Labelled { value } => value,
            })
            .collect();
        // A field without `applies_to` is an input of every command that is not a meta command.
        let everywhere = || {
            self.commands
                .keys()
                .filter(|id| !is_meta(id.as_str()))
                .map(|id| id.as_str().to_owned())
                .collect()
        };
        let applies_to: Vec<String> = entry.applies_to.unwrap_or_else(everywhere);
        for id in &applies_to {
            let command = Key::parse(id).and_then(|id| self.commands.get_mut(&id));
            let Some(command) = command else {
                return Err(fault(
                    &format!("{member}.applies_to"),
                    &format!("`{}` is not a command", excerpt(id, 200)),
                ));
            };
            command.options.push(entry.id.clone());
        }
        let kind = FieldKind::of(&entry.kind, &entry.render_as, !choices.is_empty());
        if let Some(default) = &entry.default
            && !kind.accepts(default, &choices)
        {
            return Err(fault(
                &format!("{member}.default"),
                &format!("it is not a value of the type {}", kind.name()),
            ));
        }
        let help = entry.description.or(entry.help).unwrap_or_default();
        let field = ConnectorField {
            kind,
            choices,
            default: entry.default,
            help,
            applies_to,
            aliases: entry.aliases,
            default_env: entry.default_env,
        };
        match self.fields.insert(entry.id, field) {
            None => Ok(()),
            Some(_) => Err(fault(&member, "the id is used twice")),
        }
    }

    /// Checks that each alias is a separate option: not of another field, and not a global one.
    fn aliases_are_free(&self) -> Result<(), ConnectorError> {
        let mut taken: Vec<&str> = RESERVED_FIELDS.to_vec();
        taken.extend(self.fields.keys().map(Key::as_str));
        for (id, field) in &self.fields {
            for alias in &field.aliases {
                let name = alias.as_str();
                if taken.contains(&name) || name.contains(['.', '-']) {
                    return Err(fault(
                        &format!("scope.fields[{id}].aliases"),
                        &format!("`{name}` is not free as an option"),
                    ));
                }
                taken.push(name);
            }
        }
        Ok(())
    }

    fn resolve_required(&mut self) -> Result<(), ConnectorError> {
        for (id, command) in &self.commands {
            if let Some(unknown) =
                command.required.iter().find(|field| !command.options.contains(field))
            {
                return Err(fault(
                    &format!("commands[{id}].required_fields"),
                    &format!("`{unknown}` is not a field that applies to `{id}`"),
                ));
            }
        }
        Ok(())
    }
}

/// Commands that every connector has and that the host keeps from workers.
#[must_use]
pub fn is_meta(id: &str) -> bool {
    matches!(id, "capabilities" | "health" | "doctor" | "config") || id.starts_with("config.")
}

fn fault(member: &str, reason: &str) -> ConnectorError {
    ConnectorError::Member { member: member.to_owned(), reason: reason.to_owned() }
}
