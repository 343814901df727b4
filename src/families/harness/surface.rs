//! Reads what a connector offers from any manifest, also one that aos did not write. Judges nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::manifest::{ConnectorManifest, ManifestField, ManifestText};
use crate::contract::rules::json_document::{FaultKind, JsonDocument, JsonNode, JsonValue};
use crate::contract::surface::{MOST, OfferedCommand, Surface, SurfaceError, SurfaceReader};

pub struct HarnessSurface;

impl SurfaceReader for HarnessSurface {
    fn read(&self, text: &str) -> Result<Surface, SurfaceError> {
        let document = JsonDocument::read(text);
        let Some(root) = &document.root else {
            let reason = document.faults.iter().find_map(|fault| match &fault.kind {
                FaultKind::Syntax(text) | FaultKind::Encoding(text) => Some(*text),
                FaultKind::Duplicate(_) => None,
            });
            return Err(SurfaceError::Json(reason.unwrap_or("it cannot be read").to_owned()));
        };
        if !matches!(root.value, JsonValue::Object(_)) {
            return Err(SurfaceError::Shape(root.kind()));
        }
        let manifest = ConnectorManifest::read(root);
        if manifest.commands.is_empty() {
            return Err(SurfaceError::Commands);
        }
        if manifest.commands.len() > MOST {
            return Err(SurfaceError::TooMany("commands"));
        }
        if manifest.fields().count() > MOST {
            return Err(SurfaceError::TooMany("fields"));
        }
        Ok(offer(&manifest))
    }
}

fn offer(manifest: &ConnectorManifest<'_>) -> Surface {
    let text =
        |text: Option<ManifestText<'_>>| text.map(|text| text.text.to_owned()).unwrap_or_default();
    let offered: BTreeSet<&str> =
        manifest.scope.worker_visible_actions.iter().map(|action| action.text).collect();
    let mut surface = Surface {
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
        ..Surface::default()
    };
    for (member, names) in &manifest.auth.other_keys {
        for name in names {
            surface.variables.insert((*name).to_owned(), format!("`auth.{}`", member.text));
        }
    }
    for (id, command) in manifest.identified() {
        let entry = OfferedCommand {
            mode: text(command.required_mode),
            class: text(command.action_class),
            // No list at all means that every command is offered.
            is_offered: offered.is_empty() || offered.contains(id.text),
            required: command.required_fields.iter().map(|id| id.text.to_owned()).collect(),
        };
        surface.commands.insert(id.text.to_owned(), entry);
    }
    for field in &manifest.scope.fields {
        add(&mut surface, field, field);
        field.children.iter().for_each(|child| add(&mut surface, child, field));
    }
    surface
}

/// Adds a field; what it applies to is said by `owner`, the group that it is in.
fn add(surface: &mut Surface, field: &ManifestField<'_>, owner: &ManifestField<'_>) {
    let Some(id) = field.id.filter(|_| field.children.is_empty()) else { return };
    let commands: BTreeSet<String> = match owner.named_commands() {
        Some(named) => named.iter().map(|command| command.text.to_owned()).collect(),
        None => surface.commands.keys().filter(|id| !is_built_in(id)).cloned().collect(),
    };
    let texts = |name: &str| {
        let mut texts = Vec::new();
        if let Some(member) = field.node.member(name) {
            super::manifest::collect_texts(&member.node, &mut texts);
        }
        texts.into_iter().map(str::to_owned)
    };
    for name in texts("default_env") {
        surface.variables.insert(name, format!("the default of `{}`", id.text));
    }
    if field.is_always_required() {
        for command in commands.iter() {
            if let Some(entry) = surface.commands.get_mut(command) {
                entry.required.insert(id.text.to_owned());
            }
        }
    }
    let is_select = field.widget().is_some_and(|widget| widget.text == "select");
    let options = field.options.iter().flatten().filter(|_| is_select);
    let entry = surface.fields.entry(id.text.to_owned()).or_default();
    entry.commands.extend(commands);
    entry.choices.extend(options.map(|option| option.text.to_owned()));
    entry.default = field.node.member("default").and_then(|member| scalar(&member.node));
    entry.picker = field.picker_hint.map(|hint| hint.text.to_owned()).unwrap_or_default();
    entry.aliases.extend(texts("aliases"));
}

/// Commands that take no input of the form.
fn is_built_in(id: &str) -> bool {
    super::connector::is_meta(id)
}

/// A default as text; none for an empty one.
fn scalar(node: &JsonNode<'_>) -> Option<String> {
    match &node.value {
        JsonValue::Text(text) if text.is_empty() => None,
        JsonValue::Text(text) => Some(text.to_string()),
        JsonValue::Bool(value) => Some(value.to_string()),
        JsonValue::Number(number) => Some((*number).to_owned()),
        JsonValue::Null | JsonValue::List(_) | JsonValue::Object(_) => None,
    }
}

fn events(root: &JsonNode<'_>) -> BTreeMap<String, BTreeSet<String>> {
    let list = |node: &JsonNode<'_>, name: &str| -> Vec<(String, Vec<String>)> {
        let Some(member) = node.member(name) else { return Vec::new() };
        let JsonValue::List(items) = &member.node.value else { return Vec::new() };
        let id = |item: &JsonNode<'_>| Some(item.member("id")?.node.text()?.to_owned());
        items
            .iter()
            .filter_map(|item| {
                let Some(filters) = item.member("configFields") else {
                    return Some((id(item)?, Vec::new()));
                };
                let JsonValue::List(filters) = &filters.node.value else {
                    return Some((id(item)?, Vec::new()));
                };
                Some((id(item)?, filters.iter().filter_map(id).collect()))
            })
            .collect()
    };
    let found = list(root, "events").into_iter();
    found.map(|(id, filters)| (id, filters.into_iter().collect())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::surface::differences;

    fn surface(scope: &str, commands: &str, more: &str) -> Surface {
        let text = format!(
            r#"{{"tool": "aos-x", "backend": "x", "auth": {{"service_keys": ["X_KEY"]}}, "scope": {{{scope}}},
            "commands": [{commands}]{more}}}"#
        );
        HarnessSurface.read(&text).unwrap()
    }

    fn seen(old: &Surface, new: &Surface) -> Vec<String> {
        let found = differences(old, new);
        found.iter().map(|one| format!("{:?} {} {}", one.effect, one.kind, one.name)).collect()
    }

    const GET: &str = r#"{"id": "a.get", "required_mode": "readonly"}"#;

    #[test]
    fn equal_surfaces_have_no_differences() {
        let one = surface("", GET, "");
        assert_eq!(differences(&one, &one), []);
    }

    #[test]
    fn a_higher_mode_is_lost_and_a_lower_one_gained() {
        let high = surface("", r#"{"id": "a.get", "required_mode": "admin"}"#, "");
        let low = surface("", GET, "");
        assert_eq!(seen(&low, &high), ["Lost mode a.get"]);
        assert_eq!(seen(&high, &low), ["Gained mode a.get"]);
    }

    #[test]
    fn an_alias_keeps_a_field_and_a_variable_does_not_keep_a_key() {
        let old = surface(r#""fields": [{"id": "project", "applies_to": ["a.get"]}]"#, GET, "");
        let new = surface(
            r#""fields": [{"id": "project_key", "aliases": ["project"], "applies_to": ["a.get"]}]"#,
            GET,
            "",
        );
        assert_eq!(seen(&old, &new), ["Changed field project"]);
        assert_eq!(seen(&new, &old), ["Lost field project_key", "Gained field project"]);
    }

    #[test]
    fn an_event_and_its_filters_count() {
        let events = r#", "events": [{"id": "push", "configFields": [{"id": "branch"}]}]"#;
        let fewer = r#", "events": [{"id": "push"}]"#;
        let [full, less, none] = [events, fewer, ""].map(|events| surface("", GET, events));
        assert_eq!(seen(&full, &less), ["Lost event push branch"]);
        assert_eq!(seen(&full, &none), ["Lost event push"]);
    }
}
