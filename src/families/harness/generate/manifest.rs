//! `connector.json` of a new connector: the seed's keys, the host's `scope`, the commands of a preset.

use serde_json::{Map, Value, json};

use crate::contract::name::Constant;
use crate::families::harness::connector::ToolName;
use crate::families::harness::operations::{
    AuthScheme, ConnectorEvent, FieldType, Operation, Preset, PresetField,
};

/// Order of a field among the inputs of a command, and which commands take it.
struct Use<'a> {
    field: &'a PresetField,
    applies_to: Vec<&'a str>,
    required_by: usize,
}

/// The field ids that one operation takes, and those among them that it requires.
struct Taken {
    all: Vec<String>,
    required: Vec<String>,
}

impl Taken {
    fn by(operation: &Operation) -> Self {
        Self { all: inputs(operation), required: required(operation) }
    }
}

/// The manifest document.
#[must_use]
pub fn connector(tool: &ToolName, preset: &Preset) -> Value {
    let resources = resources(preset);
    let commands = commands(preset);
    let taken: Vec<Taken> = preset.operations.iter().map(Taken::by).collect();
    let actions: Vec<_> = preset.operations.iter().map(|operation| operation.id.as_str()).collect();
    let mut document = json!({
        "tool": tool.as_str(),
        "backend": preset.backend,
        "manifest_schema_version": "1.0.0",
        "connector": {
            "label": preset.label,
            "category": preset.category,
            "categories": preset.categories,
            "resources": resources,
        },
        "auth": {
            "kind": preset.auth.kind,
            "required": preset.auth.scheme != AuthScheme::None,
            "service_keys": preset.auth.service_keys.iter().map(|name| name.as_str()).collect::<Vec<_>>(),
            "interactive_setup": preset.auth.interactive_setup,
        },
        "scope": {
            "kind": preset.category,
            "surface": resources.join("-"),
            "scaffold_only": false,
            "live_backend_available": true,
            "live_read_available": true,
            "write_bridge_available": preset.operations.iter().any(|one| !one.is_read()),
            "worker_visible_actions": actions,
            "pickerHints": picker_hints(preset, &taken),
            "fields": fields(preset, &taken),
        },
        "commands": commands,
    });
    if !preset.events.is_empty() {
        let hints = picker_hints(preset, &taken);
        document["events"] = preset.events.iter().map(|one| event(preset, one, &hints)).collect();
    }
    document
}

/// Resource names in order of first use.
#[must_use]
pub fn resources(preset: &Preset) -> Vec<&str> {
    let mut names = Vec::new();
    for operation in &preset.operations {
        let name = resource(operation.id.as_str());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The part of a command id before the first dot.
#[must_use]
pub fn resource(id: &str) -> &str {
    id.split('.').next().unwrap_or(id)
}

/// Every field an operation takes, required ones included.
pub fn inputs(operation: &Operation) -> Vec<String> {
    let mut ids: Vec<String> = operation.path_fields().iter().map(ToString::to_string).collect();
    ids.extend(operation.query.pairs().into_iter().map(|(_, field)| field.to_string()));
    ids.extend(operation.body.pairs().into_iter().map(|(_, field)| field.to_string()));
    ids.extend(operation.headers.pairs().into_iter().map(|(_, field)| field.to_string()));
    ids.extend(operation.shape_fields().iter().map(ToString::to_string));
    ids.extend(operation.pick.iter().map(|pick| pick.field.to_string()));
    ids.extend(operation.look_up.iter().map(|look_up| look_up.from.to_string()));
    ids.extend(operation.now.iter().map(ToString::to_string));
    ids.extend(operation.each.iter().chain(&operation.required).map(ToString::to_string));
    if operation.list {
        ids.extend(["limit".to_owned(), "cursor".to_owned()]);
    }
    ids.retain(|id| id != "each_item");
    ids
}

/// Fields without which an operation is a usage error.
#[must_use]
pub fn required(operation: &Operation) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    let path = operation.path_fields();
    for field in path.iter().chain(&operation.each).chain(&operation.required) {
        if !ids.iter().any(|id| id == field.as_str()) {
            ids.push(field.to_string());
        }
    }
    ids
}

fn commands(preset: &Preset) -> Vec<Value> {
    let meta = [
        ("capabilities", "Describe the connector, its modes and its commands"),
        ("health", "Report whether the connector is ready to work"),
        ("config.show", "Show the configuration without any secret"),
        ("doctor", "Say for each command whether it can run, and what to do if not"),
    ];
    let meta = meta
        .into_iter()
        .map(|(id, summary)| command(id, summary, "readonly", "connector", "read", Vec::new()));
    let operations = preset.operations.iter().map(|operation| {
        let entry = command(
            operation.id.as_str(),
            &operation.summary,
            operation.required_mode(),
            resource(operation.id.as_str()),
            operation.class(),
            required(operation),
        );
        with_source(entry, operation)
    });
    meta.chain(operations).collect()
}

fn command(
    id: &str,
    summary: &str,
    mode: &str,
    resource: &str,
    class: &str,
    required: Vec<String>,
) -> Value {
    json!({
        "id": id,
        "summary": summary,
        "required_mode": mode,
        "supports_json": true,
        "resource": resource,
        "action_class": class,
        "side_effect_level": if class == "read" { "none" } else { "external_mutation" },
        "required_fields": required,
    })
}

/// Adds the operationId of the description, by which another description finds the operation again.
fn with_source(mut entry: Value, operation: &Operation) -> Value {
    if !operation.x_operation_id.is_empty() {
        entry["x_operation_id"] = operation.x_operation_id.as_str().into();
    }
    entry
}

/// The list command that a picker of a field can name, and the fields that it cannot run without.
fn picker_source<'a>(
    preset: &'a Preset,
    taken: &'a [Taken],
    field: &PresetField,
) -> Option<ManifestSource<'a>> {
    let source = field.picker.as_ref()?.as_str();
    let position =
        preset.operations.iter().position(|operation| operation.id.as_str() == source)?;
    let command = preset.operations.get(position)?.id.as_str();
    Some(ManifestSource { command, required: &taken.get(position)?.required })
}

struct ManifestSource<'a> {
    command: &'a str,
    required: &'a [String],
}

impl ManifestSource<'_> {
    /// True if the host can call it without arguments: what it requires then comes from the environment.
    fn has_defaults(&self, preset: &Preset, is_good: impl Fn(&Constant) -> bool) -> bool {
        self.required.iter().all(|id| {
            let field = preset.fields.iter().find(|field| field.id.as_str() == id);
            field.is_some_and(|field| {
                field.default.is_some() || field.default_env.as_ref().is_some_and(&is_good)
            })
        })
    }
}

/// The list command that fills the picker of a field. The host calls it with the credentials and nothing else, so one
/// that needs more cannot fill a picker. A picker takes no value of an earlier step of a workflow: the id of what the
/// commands themselves make and change stays a text field.
fn picker<'a>(preset: &'a Preset, taken: &'a [Taken], field: &'a PresetField) -> Option<&'a str> {
    let source = picker_source(preset, taken, field)?;
    let mut users = preset.operations.iter().zip(taken).filter_map(|(operation, taken)| {
        let requires = taken.required.iter().any(|id| id == field.id.as_str());
        requires.then(|| resource(operation.id.as_str()))
    });
    let first = users.next();
    let own = resource(source.command);
    let is_own = first == Some(own) && users.all(|user| user == own);
    if field.kind != FieldType::String || is_own {
        return None;
    }
    let is_credential = |name: &Constant| preset.auth.service_keys.contains(name);
    source.has_defaults(preset, is_credential).then_some(source.command)
}

/// The name of a picker: `repo.list` fills `repo`, `repo.list_labels` fills `repo_list_labels`, unless the preset says
/// another one.
fn picker_name(preset: &Preset, source: &str) -> String {
    let own = preset.picker_names.iter().find(|(command, _)| command.as_str() == source);
    if let Some((_, name)) = own {
        return name.to_string();
    }
    source.strip_suffix(".list").unwrap_or(source).replace('.', "_")
}

/// Every list that fills a picker, also with defaults that the operator sets.
fn picker_hints(preset: &Preset, taken: &[Taken]) -> Map<String, Value> {
    let mut hints = Map::new();
    let filters = preset.events.iter().flat_map(|event| &event.filters);
    for field in preset.fields.iter().chain(filters) {
        let Some(source) = picker_source(preset, taken, field) else { continue };
        if !source.has_defaults(preset, |_| true) {
            continue;
        }
        let name = picker_name(preset, source.command);
        hints.entry(name.clone()).or_insert_with(|| {
            json!({
                "kind": name,
                "resource": format!("{}.{}", preset.backend.trim_end_matches("-api"), resource(source.command)),
                "source_command": source.command,
                "source_fields": ["id", "name"],
            })
        });
    }
    hints
}

fn event(preset: &Preset, event: &ConnectorEvent, hints: &Map<String, Value>) -> Value {
    let filters: Vec<_> = event
        .filters
        .iter()
        .map(|filter| {
            let source = filter.picker.as_ref().map(|source| picker_name(preset, source.as_str()));
            Value::Object(described(filter, source.filter(|name| hints.contains_key(name))))
        })
        .collect();
    json!({
        "id": event.id,
        "resource": event.resource.as_str(),
        "summary": event.summary,
        "delivery": "webhook",
        "configFields": filters,
    })
}

fn fields(preset: &Preset, taken: &[Taken]) -> Vec<Value> {
    let mut entries: Vec<Value> = preset
        .fields
        .iter()
        .map(|field| field_use(preset, taken, field))
        .filter(|found| !found.applies_to.is_empty())
        .map(|found| {
            let source = picker(preset, taken, found.field);
            field_entry(&found, source.map(|source| picker_name(preset, source)))
        })
        .collect();
    let lists: Vec<_> = preset
        .operations
        .iter()
        .filter(|operation| operation.list)
        .map(|operation| operation.id.as_str())
        .collect();
    if !lists.is_empty() {
        entries.push(json!({
            "id": "limit", "label": "Limit", "type": "number", "renderAs": "number", "required": false,
            "applies_to": lists, "description": "How many entries to return", "default": 30,
        }));
        entries.push(json!({
            "id": "cursor", "label": "Cursor", "type": "string", "renderAs": "text", "required": false,
            "applies_to": lists, "description": "Where to continue: next_cursor of the previous page",
        }));
    }
    entries
}

fn field_use<'a>(preset: &'a Preset, taken: &[Taken], field: &'a PresetField) -> Use<'a> {
    let is_field = |id: &String| id == field.id.as_str();
    let users =
        preset.operations.iter().zip(taken).filter(|(_, taken)| taken.all.iter().any(is_field));
    let (mut applies_to, mut required_by) = (Vec::new(), 0);
    for (operation, taken) in users {
        applies_to.push(operation.id.as_str());
        required_by += usize::from(taken.required.iter().any(is_field));
    }
    Use { field, applies_to, required_by }
}

fn field_entry(found: &Use<'_>, picker: Option<String>) -> Value {
    let field = found.field;
    let mut entry = Map::new();
    for (name, value) in described(field, picker) {
        entry.insert(name.clone(), value);
        if name == "renderAs" {
            let is_required = found.required_by == found.applies_to.len();
            entry.insert("required".to_owned(), is_required.into());
            entry.insert("applies_to".to_owned(), json!(found.applies_to));
        }
    }
    if !field.aliases.is_empty() {
        let aliases: Vec<_> = field.aliases.iter().map(|alias| alias.as_str()).collect();
        entry.insert("aliases".to_owned(), json!(aliases));
    }
    if let Some(name) = &field.default_env {
        entry.insert("default_env".to_owned(), name.as_str().into());
    }
    Value::Object(entry)
}

/// Returns the members that the form shows for a field.
fn described(field: &PresetField, picker: Option<String>) -> Map<String, Value> {
    let (kind, render_as) = match field.kind {
        FieldType::String if picker.is_some() => ("string", "select"),
        FieldType::String => ("string", "text"),
        FieldType::Richtext => ("richtext", "richtext"),
        // A number widget takes no `{{previous.…}}`, and most numbers are ids that an earlier step found.
        FieldType::Number => ("number", "text"),
        FieldType::Boolean => ("boolean", "boolean"),
        FieldType::Select => ("select", "select"),
        // A multiselect offers its options and nothing else; a list is typed: `a, b` or a JSON array.
        FieldType::List => ("json", "text"),
        FieldType::Json => ("json", "json"),
    };
    let mut entry = Map::new();
    let mut set = |name: &str, value: Value| {
        entry.insert(name.to_owned(), value);
    };
    set("id", field.id.as_str().into());
    set("label", field.label.as_str().into());
    set("type", kind.into());
    set("renderAs", render_as.into());
    // The only text that the form shows.
    set("description", field.help.as_str().into());
    let placeholder = match field.kind {
        FieldType::List => field.placeholder.as_deref().or(Some("first, second")),
        _ => field.placeholder.as_deref(),
    };
    if let Some(placeholder) = placeholder {
        set("placeholder", placeholder.into());
    }
    if !field.options.is_empty() {
        let choices: Vec<_> = field
            .options
            .iter()
            .map(|value| json!({"value": value, "label": choice_label(value)}))
            .collect();
        set("options", Value::Array(choices));
    }
    if let Some(default) = &field.default {
        set("default", default.clone());
    }
    if let Some(name) = picker {
        set("pickerHint", name.into());
    }
    entry
}

/// `full_name` to `Full name`.
fn choice_label(value: &str) -> String {
    let words = value.replace(['_', '-'], " ").to_lowercase();
    let mut symbols = words.chars();
    symbols.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + symbols.as_str()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_picker_has_the_source_that_its_preset_names() {
        let preset: Preset = serde_json::from_str(
            r#"{"label": "", "summary": "", "backend": "", "category": "", "categories": [], "documentation": "",
            "picker_names": {"actions.list_runs": "actions"},
            "auth": {"kind": "", "service_keys": [], "interactive_setup": [], "scheme": "bearer", "header": "", "secret_key": ""},
            "api": {"error_style": "status", "health": {"method": "GET", "path": "/"}}, "fields": [], "operations": []}"#,
        )
        .unwrap();
        let names = ["repo.list", "repo.list_labels", "actions.list_runs"];
        let names = names.map(|source| picker_name(&preset, source));
        assert_eq!(names, ["repo", "repo_list_labels", "actions"]);
    }

    #[test]
    fn a_label_of_a_choice_is_readable() {
        assert_eq!(choice_label("full_name"), "Full name");
        assert_eq!(choice_label("REQUEST_CHANGES"), "Request changes");
    }
}
