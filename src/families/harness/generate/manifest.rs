//! `connector.json` of a new connector: the seed's keys, the host's `scope`, the commands of a preset.

use serde_json::{Map, Value, json};

use crate::families::harness::connector::ToolName;
use crate::families::harness::operations::{FieldType, Operation, Preset, PresetField};

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
    json!({
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
            "required": true,
            "service_keys": preset.auth.service_keys.iter().map(|name| name.as_str()).collect::<Vec<_>>(),
            "interactive_setup": preset.auth.interactive_setup,
        },
        "scope": {
            "kind": preset.category,
            "surface": resources.join("-"),
            "scaffold_only": false,
            "live_backend_available": true,
            "live_read_available": true,
            "write_bridge_available": true,
            "worker_visible_actions": actions,
            "pickerHints": picker_hints(preset, &taken),
            "fields": fields(preset, &taken),
        },
        "commands": commands,
    })
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
    ];
    let meta = meta
        .into_iter()
        .map(|(id, summary)| command(id, summary, "readonly", "connector", "read", Vec::new()));
    let operations = preset.operations.iter().map(|operation| {
        command(
            operation.id.as_str(),
            &operation.summary,
            operation.required_mode(),
            resource(operation.id.as_str()),
            operation.class(),
            required(operation),
        )
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

/// The list command that fills the picker of a field. The host calls it without arguments, so one that needs any
/// cannot fill a picker. A picker takes no value of an earlier step of a workflow: the id of what the commands
/// themselves make and change stays a text field.
fn picker<'a>(preset: &'a Preset, taken: &[Taken], field: &'a PresetField) -> Option<&'a str> {
    let source = field.picker.as_ref()?.as_str();
    let mut users = preset.operations.iter().zip(taken).filter_map(|(operation, taken)| {
        let requires = taken.required.iter().any(|id| id == field.id.as_str());
        requires.then(|| resource(operation.id.as_str()))
    });
    let first = users.next();
    let is_own = first == Some(resource(source)) && users.all(|user| user == resource(source));
    if field.kind != FieldType::String || is_own {
        return None;
    }
    let position =
        preset.operations.iter().position(|operation| operation.id.as_str() == source)?;
    taken.get(position)?.required.is_empty().then_some(source)
}

/// The name of a picker: `repo.list` fills `repo`, `repo.list_labels` fills `repo_list_labels`.
fn picker_name(source: &str) -> String {
    source.strip_suffix(".list").unwrap_or(source).replace('.', "_")
}

fn picker_hints(preset: &Preset, taken: &[Taken]) -> Map<String, Value> {
    let mut hints = Map::new();
    for source in preset.fields.iter().filter_map(|field| picker(preset, taken, field)) {
        let name = picker_name(source);
        hints.entry(name.clone()).or_insert_with(|| {
            json!({
                "kind": name,
                "selection_surface": resource(source),
                "resource": format!("{}.{}", preset.backend.trim_end_matches("-api"), resource(source)),
                "source_command": source,
                "source_fields": ["id", "name"],
            })
        });
    }
    hints
}

fn fields(preset: &Preset, taken: &[Taken]) -> Vec<Value> {
    let mut entries: Vec<Value> = preset
        .fields
        .iter()
        .map(|field| field_use(preset, taken, field))
        .filter(|found| !found.applies_to.is_empty())
        .map(|found| field_entry(&found, picker(preset, taken, found.field)))
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

fn field_entry(found: &Use<'_>, picker: Option<&str>) -> Value {
    let field = found.field;
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
    set("required", (found.required_by == found.applies_to.len()).into());
    set("applies_to", json!(found.applies_to));
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
    if let Some(source) = picker {
        set("pickerHint", picker_name(source).into());
    }
    Value::Object(entry)
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
        let [repo, labels] = ["repo.list", "repo.list_labels"].map(picker_name);
        assert_eq!((repo.as_str(), labels.as_str()), ("repo", "repo_list_labels"));
    }

    #[test]
    fn a_label_of_a_choice_is_readable() {
        assert_eq!(choice_label("full_name"), "Full name");
        assert_eq!(choice_label("REQUEST_CHANGES"), "Request changes");
    }
}
