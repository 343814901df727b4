//! What an operator and an agent can rely on in a connector: everything that its manifest offers, in comparable form.
//!
//! Read tolerantly from any manifest, also one that aos did not write; judges nothing. `difference` compares two.

mod difference;

use std::collections::{BTreeMap, BTreeSet};

use super::manifest::{Field, Manifest};
use super::rules::json_document::{Document, FaultKind, Node, Value};

pub use difference::{Difference, Effect, differences};

/// Most commands, and most fields: a field without `applies_to` belongs to every command.
const MOST: usize = 1_000;

/// Why a text is no manifest.
#[derive(Debug, thiserror::Error)]
pub enum SurfaceError {
    #[error("it is not JSON: {0}")]
    Json(String),
    #[error("it is {0}, not an object")]
    Shape(&'static str),
    #[error("it has no `commands`, so it is no connector.json")]
    Commands,
    #[error("it has more than {MOST} {0}")]
    TooMany(&'static str),
}

/// The whole offer.
#[derive(Debug, Default)]
pub struct Surface {
    pub tool: String,
    pub backend: String,
    /// Keys that the host injects.
    pub keys: BTreeSet<String>,
    /// Other variables that the manifest says are read, and what for.
    pub variables: BTreeMap<String, String>,
    pub resources: BTreeSet<String>,
    pub commands: BTreeMap<String, Command>,
    pub fields: BTreeMap<String, Input>,
    /// Name of each picker and the command that fills it.
    pub pickers: BTreeMap<String, String>,
    /// Id of each event and its filters.
    pub events: BTreeMap<String, BTreeSet<String>>,
}

#[derive(Debug, Default)]
pub struct Command {
    pub mode: String,
    pub class: String,
    /// Whether the form offers it.
    pub is_offered: bool,
    /// Fields that it cannot run without.
    pub required: BTreeSet<String>,
}

#[derive(Debug, Default)]
pub struct Input {
    /// The commands that take it.
    pub commands: BTreeSet<String>,
    pub default: Option<String>,
    /// The values that a select offers; empty for any other widget.
    pub choices: BTreeSet<String>,
    pub picker: String,
    pub aliases: BTreeSet<String>,
}

impl Surface {
    /// Reads a manifest.
    ///
    /// # Errors
    /// When the text is no JSON object with commands.
    pub fn read(text: &str) -> Result<Self, SurfaceError> {
        let document = Document::read(text);
        let Some(root) = &document.root else {
            let reason = document.faults.iter().find_map(|fault| match &fault.kind {
                FaultKind::Syntax(text) | FaultKind::Encoding(text) => Some(*text),
                FaultKind::Duplicate(_) => None,
            });
            return Err(SurfaceError::Json(reason.unwrap_or("it cannot be read").to_owned()));
        };
        if !matches!(root.value, Value::Object(_)) {
            return Err(SurfaceError::Shape(root.kind()));
        }
        let manifest = Manifest::read(root);
        if manifest.commands.is_empty() {
            return Err(SurfaceError::Commands);
        }
        if manifest.commands.len() > MOST {
            return Err(SurfaceError::TooMany("commands"));
        }
        if manifest.fields().count() > MOST {
            return Err(SurfaceError::TooMany("fields"));
        }
        Ok(Self::of(&manifest))
    }

    fn of(manifest: &Manifest<'_>) -> Self {
        let text = |text: Option<super::manifest::Text<'_>>| {
            text.map(|text| text.text.to_owned()).unwrap_or_default()
        };
        let offered: BTreeSet<&str> =
            manifest.scope.worker_visible_actions.iter().map(|action| action.text).collect();
        let mut surface = Self {
            tool: text(manifest.tool),
            backend: text(manifest.backend),
            keys: manifest.auth.service_keys.iter().map(|key| key.text.to_owned()).collect(),
            resources: manifest.resources.iter().map(|name| name.text.to_owned()).collect(),
            pickers: manifest
                .scope
                .picker_hints
                .iter()
                .map(|(name, source)| (name.text.to_owned(), text(*source)))
                .collect(),
            events: events(manifest.root),
            ..Self::default()
        };
        for (member, names) in &manifest.auth.other_keys {
            for name in names {
                surface.variables.insert((*name).to_owned(), format!("`auth.{}`", member.text));
            }
        }
        for (id, command) in manifest.identified() {
            let entry = Command {
                mode: text(command.required_mode),
                class: text(command.action_class),
                // No list at all means that every command is offered.
                is_offered: offered.is_empty() || offered.contains(id.text),
                required: command.required_fields.iter().map(|id| id.text.to_owned()).collect(),
            };
            surface.commands.insert(id.text.to_owned(), entry);
        }
        for field in &manifest.scope.fields {
            surface.add(field, field);
            field.children.iter().for_each(|child| surface.add(child, field));
        }
        surface
    }

    /// Adds a field; what it applies to is said by `owner`, the group that it is in.
    fn add(&mut self, field: &Field<'_>, owner: &Field<'_>) {
        let Some(id) = field.id.filter(|_| field.children.is_empty()) else { return };
        let commands: BTreeSet<String> = match owner.named_commands() {
            Some(named) => named.iter().map(|command| command.text.to_owned()).collect(),
            None => self.commands.keys().filter(|id| !is_built_in(id)).cloned().collect(),
        };
        let texts = |name: &str| {
            let mut texts = Vec::new();
            if let Some(member) = field.node.member(name) {
                super::manifest::collect_texts(&member.node, &mut texts);
            }
            texts.into_iter().map(str::to_owned)
        };
        for name in texts("default_env") {
            self.variables.insert(name, format!("the default of `{}`", id.text));
        }
        if field.is_always_required() {
            for command in commands.iter() {
                if let Some(entry) = self.commands.get_mut(command) {
                    entry.required.insert(id.text.to_owned());
                }
            }
        }
        let is_select = field.widget().is_some_and(|widget| widget.text == "select");
        let options = field.options.iter().flatten().filter(|_| is_select);
        let entry = self.fields.entry(id.text.to_owned()).or_default();
        entry.commands.extend(commands);
        entry.choices.extend(options.map(|option| option.text.to_owned()));
        entry.default = field.node.member("default").and_then(|member| scalar(&member.node));
        entry.picker = field.picker_hint.map(|hint| hint.text.to_owned()).unwrap_or_default();
        entry.aliases.extend(texts("aliases"));
    }

    /// The field that an option with this name reaches.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<(&str, &Input)> {
        let same = self.fields.get_key_value(name);
        let alias = || self.fields.iter().find(|(_, field)| field.aliases.contains(name));
        same.or_else(alias).map(|(id, field)| (id.as_str(), field))
    }
}

/// Commands that take no input of the form.
fn is_built_in(id: &str) -> bool {
    super::connector::is_meta(id)
}

/// A default as text; none for an empty one.
fn scalar(node: &Node<'_>) -> Option<String> {
    match &node.value {
        Value::Text(text) if text.is_empty() => None,
        Value::Text(text) => Some(text.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(number) => Some((*number).to_owned()),
        Value::Null | Value::List(_) | Value::Object(_) => None,
    }
}

fn events(root: &Node<'_>) -> BTreeMap<String, BTreeSet<String>> {
    let list = |node: &Node<'_>, name: &str| -> Vec<(String, Vec<String>)> {
        let Some(member) = node.member(name) else { return Vec::new() };
        let Value::List(items) = &member.node.value else { return Vec::new() };
        let id = |item: &Node<'_>| Some(item.member("id")?.node.text()?.to_owned());
        items
            .iter()
            .filter_map(|item| {
                let Some(filters) = item.member("configFields") else {
                    return Some((id(item)?, Vec::new()));
                };
                let Value::List(filters) = &filters.node.value else {
                    return Some((id(item)?, Vec::new()));
                };
                Some((id(item)?, filters.iter().filter_map(id).collect()))
            })
            .collect()
    };
    let found = list(root, "events").into_iter();
    found.map(|(id, filters)| (id, filters.into_iter().collect())).collect()
}
