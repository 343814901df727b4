//! connector.json with other commands: entries, fields and resources; its layout stays.

use serde::Serialize;
use serde_json::Value;

use crate::workflows::add::json_text::{JsonEditError, JsonText, PathStep};
use crate::workflows::add::name::{CommandName, capitalised};
use crate::workflows::add::seam::{
    AddedKind, Blueprint, CommandMode, Desk, EditError, InputShape, Segment,
};

const PATH: &str = "connector.json";
const COMMANDS: [PathStep<'static>; 1] = [PathStep::Name("commands")];
const FIELDS: [PathStep<'static>; 2] = [PathStep::Name("scope"), PathStep::Name("fields")];
const VISIBLE: [PathStep<'static>; 2] =
    [PathStep::Name("scope"), PathStep::Name("worker_visible_actions")];
const RESOURCES: [PathStep<'static>; 2] =
    [PathStep::Name("connector"), PathStep::Name("resources")];
/// The first words of the summary of a former name.
const FORMER: &str = "Former name of";

/// connector.json, open for edits.
pub struct Manifest {
    document: JsonText,
}

/// An input as the command line and the manifest call it.
#[derive(Clone, Debug)]
pub struct Field {
    /// In the path: `{id}`; in query and body: the name of the input.
    pub wire: String,
    pub id: String,
    pub kind: AddedKind,
    pub required: bool,
    /// Values of a select; the first one is used in samples.
    pub options: Vec<String>,
}

#[derive(Serialize)]
struct ManifestEntry<'a> {
    id: &'a str,
    summary: &'a str,
    required_mode: &'static str,
    supports_json: bool,
    resource: &'a str,
    action_class: &'static str,
    side_effect_level: &'static str,
    required_fields: Vec<&'a str>,
}

#[derive(Serialize)]
struct EditedField<'a> {
    id: &'a str,
    label: String,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(rename = "renderAs")]
    render_as: &'static str,
    required: bool,
    applies_to: [&'a str; 1],
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    placeholder: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<u32>,
}

impl Manifest {
    /// # Errors
    /// Returns an error if it is not there or not JSON.
    pub fn read(desk: &Desk<'_>) -> Result<Self, EditError> {
        let document = JsonText::parse(desk.needed(PATH)?).map_err(fault)?;
        Ok(Self { document })
    }

    pub fn store(self, desk: &mut Desk<'_>) {
        desk.set(PATH, self.document.into_text());
    }

    /// The id of a command, with `-` or `_` between its words.
    ///
    /// # Errors
    /// Returns an error if there is none of that name.
    pub fn known(&self, name: &CommandName) -> Result<String, EditError> {
        let ids = self.ids();
        let alike = |id: &&String| id.replace('-', "_") == name.id();
        if matches!(name.id().as_str(), "config.show") {
            return Err(EditError::Reserved(name.id()));
        }
        ids.iter().find(alike).cloned().ok_or_else(|| EditError::unknown(name.id(), &ids))
    }

    fn ids(&self) -> Vec<String> {
        let value = self.document.value();
        let commands = value["commands"].as_array().cloned().unwrap_or_default();
        commands.iter().filter_map(|command| command["id"].as_str().map(str::to_owned)).collect()
    }

    /// Adds a command; returns its inputs.
    ///
    /// # Errors
    /// Returns an error if the id is taken, or a field of that name has another type.
    pub fn add(&mut self, blueprint: &Blueprint) -> Result<Vec<Field>, EditError> {
        let id = blueprint.name.id();
        if self.ids().iter().any(|known| known.replace('-', "_") == id) {
            return Err(EditError::Taken(id));
        }
        let resource = blueprint.name.group.as_str();
        let mut fields = inputs(blueprint);
        for field in &mut fields {
            self.field(field, &id, resource)?;
        }
        let class = match blueprint.shape {
            InputShape::List | InputShape::Get => "read",
            _ if blueprint.mode == CommandMode::Admin => "destructive",
            _ => "write",
        };
        let entry = ManifestEntry {
            id: &id,
            summary: &blueprint.summary,
            required_mode: blueprint.mode.name(),
            supports_json: true,
            resource,
            action_class: class,
            side_effect_level: if class == "read" { "none" } else { "external_mutation" },
            required_fields: fields
                .iter()
                .filter(|field| field.required)
                .map(|field| field.id.as_str())
                .collect(),
        };
        self.push(&COMMANDS, &value(&entry))?;
        self.include(&VISIBLE, &id)?;
        self.include(&RESOURCES, resource)?;
        Ok(fields)
    }

    /// A field that also applies to the command.
    fn field(&mut self, field: &mut Field, command: &str, resource: &str) -> Result<(), EditError> {
        let document = self.document.value();
        let entries = document["scope"]["fields"].as_array().cloned().unwrap_or_default();
        let known = entries.iter().position(|entry| entry["id"] == field.id.as_str());
        let Some(at) = known else {
            let (kind, render_as) = match field.kind {
                AddedKind::Text => ("string", "text"),
                AddedKind::Number if field.id == "limit" => ("number", "number"),
                AddedKind::Number => ("number", "text"),
                AddedKind::Boolean => ("boolean", "boolean"),
                AddedKind::List => ("json", "text"),
            };
            let words = field.id.replace('_', " ");
            let entry = EditedField {
                id: &field.id,
                label: capitalised(&words),
                kind,
                render_as,
                required: field.required,
                applies_to: [command],
                description: match field.id.as_str() {
                    "limit" => "How many entries to return".to_owned(),
                    "cursor" => "Where to continue: next_cursor of the previous page".to_owned(),
                    _ => format!("The {words} of the {}", resource.replace('_', " ")),
                },
                placeholder: (field.kind == AddedKind::List).then_some("first, second"),
                default: (field.id == "limit").then_some(30),
            };
            return self.push(&FIELDS, &value(&entry));
        };
        let entry = &entries[at];
        field.options = texts(&entry["options"], |option| option["value"].as_str());
        let kind = match entry["type"].as_str() {
            Some("number") => AddedKind::Number,
            Some("boolean") => AddedKind::Boolean,
            Some("json") => AddedKind::List,
            _ => AddedKind::Text,
        };
        if kind != field.kind {
            return Err(EditError::Refused(format!(
                "connector.json has a field `{}` of another type; give the input another name",
                field.id
            )));
        }
        let place = [FIELDS[0], FIELDS[1], PathStep::At(at)];
        let applies = [FIELDS[0], FIELDS[1], PathStep::At(at), PathStep::Name("applies_to")];
        // Without the list it applies to all.
        if entry["applies_to"].is_array() {
            self.push(&applies, &command.into())?;
        }
        if !field.required && entry["required"] == true {
            let required = [place[0], place[1], place[2], PathStep::Name("required")];
            self.document.replace(&required, &false.into()).map_err(fault)?;
        }
        Ok(())
    }

    fn push(&mut self, path: &[PathStep<'_>], value: &Value) -> Result<(), EditError> {
        self.document.push(path, value).map_err(fault)
    }

    /// Adds a text to a list that may have it.
    fn include(&mut self, path: &[PathStep<'_>], text: &str) -> Result<(), EditError> {
        let document = self.document.value();
        let list = path.iter().fold(&document, |value, step| match step {
            PathStep::Name(name) => &value[*name],
            PathStep::At(at) => &value[*at],
        });
        let has = list.as_array().is_some_and(|list| list.iter().any(|entry| entry == text));
        if has { Ok(()) } else { self.push(path, &text.into()) }
    }

    /// The same command under another id; the old one says whose name it was.
    ///
    /// # Errors
    /// Returns an error if the id is taken.
    pub fn copy(&mut self, old: &str, new: &str) -> Result<(), EditError> {
        if self.ids().iter().any(|known| known == new) {
            return Err(EditError::Taken(new.to_owned()));
        }
        let document = self.document.value();
        let commands = document["commands"].as_array().cloned().unwrap_or_default();
        let Some(at) = commands.iter().position(|command| command["id"] == old) else {
            return Err(EditError::unknown(old.to_owned(), &self.ids()));
        };
        let mut entry = commands[at].clone();
        let summary = entry["summary"].as_str().unwrap_or_default().to_owned();
        let resource = new.split('.').next().unwrap_or_default();
        entry["id"] = new.into();
        entry["resource"] = resource.into();
        self.push(&COMMANDS, &entry)?;
        let place = [COMMANDS[0], PathStep::At(at), PathStep::Name("summary")];
        let former = format!("{FORMER} `{new}`: {summary}");
        self.document.replace(&place, &former.into()).map_err(fault)?;
        self.include(&RESOURCES, resource)?;
        let visible = texts(&document["scope"]["worker_visible_actions"], Value::as_str);
        if visible.iter().any(|id| id == old) {
            self.push(&VISIBLE, &new.into())?;
        }
        let fields = document["scope"]["fields"].as_array().cloned().unwrap_or_default();
        for (at, field) in fields.iter().enumerate() {
            if texts(&field["applies_to"], Value::as_str).iter().any(|id| id == old) {
                let place = [FIELDS[0], FIELDS[1], PathStep::At(at), PathStep::Name("applies_to")];
                self.push(&place, &new.into())?;
            }
        }
        Ok(())
    }

    /// Takes a command out, with fields and resources that nothing else needs; says what went.
    ///
    /// # Errors
    /// Returns an error if a place cannot be edited.
    pub fn remove(&mut self, id: &str) -> Result<Vec<String>, EditError> {
        let mut lost = Vec::new();
        self.exclude(&COMMANDS, |entry| entry["id"] == id)?;
        self.exclude(&VISIBLE, |entry| entry == id)?;
        let document = self.document.value();
        let fields = document["scope"]["fields"].as_array().cloned().unwrap_or_default();
        for (at, field) in fields.iter().enumerate().rev() {
            let applies = texts(&field["applies_to"], Value::as_str);
            if !applies.iter().any(|known| known == id) {
                continue;
            }
            if applies.len() == 1 {
                let place = [FIELDS[0], FIELDS[1], PathStep::At(at)];
                self.document.remove(&place).map_err(fault)?;
                lost.push(format!("the field `{}`", field["id"].as_str().unwrap_or_default()));
            } else {
                let place = [FIELDS[0], FIELDS[1], PathStep::At(at), PathStep::Name("applies_to")];
                self.exclude(&place, |entry| entry == id)?;
            }
        }
        let resource = id.split('.').next().unwrap_or_default();
        let prefix = format!("{resource}.");
        if !self.ids().iter().any(|known| known.starts_with(&prefix)) {
            self.exclude(&RESOURCES, |entry| entry == resource)?;
            lost.push(format!("the resource `{resource}`"));
        }
        Ok(lost)
    }

    fn exclude(
        &mut self,
        path: &[PathStep<'_>],
        goes: impl Fn(&Value) -> bool,
    ) -> Result<(), EditError> {
        let document = self.document.value();
        let list = path.iter().fold(&document, |value, step| match step {
            PathStep::Name(name) => &value[*name],
            PathStep::At(at) => &value[*at],
        });
        let entries = list.as_array().cloned().unwrap_or_default();
        for at in (0..entries.len()).rev().filter(|at| goes(&entries[*at])) {
            let place: Vec<_> = path.iter().copied().chain([PathStep::At(at)]).collect();
            self.document.remove(&place).map_err(fault)?;
        }
        Ok(())
    }
}

/// The inputs of a command in the order of its command line.
fn inputs(blueprint: &Blueprint) -> Vec<Field> {
    let resource = &blueprint.name.group;
    let field = |wire: &str, id: String, kind: AddedKind, required: bool| Field {
        wire: wire.to_owned(),
        id,
        kind,
        required,
        options: Vec::new(),
    };
    let mut fields = Vec::new();
    if blueprint.shape == InputShape::Many {
        fields.push(field("ids", format!("{resource}_ids"), AddedKind::List, true));
    }
    for segment in blueprint.segments() {
        match segment {
            Segment::Value("id") if blueprint.shape == InputShape::Many => {}
            Segment::Value("id") => {
                fields.push(field("id", format!("{resource}_id"), AddedKind::Text, true));
            }
            Segment::Value(name) => {
                fields.push(field(name, name.to_owned(), AddedKind::Text, true))
            }
            Segment::Text(_) => {}
        }
    }
    for input in &blueprint.inputs {
        fields.push(field(&input.name, input.name.clone(), input.kind, input.required));
    }
    if blueprint.shape == InputShape::List {
        fields.push(field("limit", "limit".to_owned(), AddedKind::Number, false));
        fields.push(field("cursor", "cursor".to_owned(), AddedKind::Text, false));
    }
    fields
}

fn value(entry: &impl Serialize) -> Value {
    serde_json::to_value(entry).unwrap_or_default()
}

fn texts(list: &Value, text: impl Fn(&Value) -> Option<&str>) -> Vec<String> {
    let entries = list.as_array().into_iter().flatten();
    entries.filter_map(|entry| text(entry).map(str::to_owned)).collect()
}

fn fault(source: JsonEditError) -> EditError {
    EditError::json(PATH, source)
}
