//! Variables for the templates of a connector: its preset, the names and the answers.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::families::harness::connector::ToolName;
use crate::families::harness::operations::{FurtherKey, Operation, Paging, Preset};

use super::facts as connector_facts;
use super::manifest;
use crate::generate::literal::python;
use crate::generate::scaffold::ScaffoldOrigin;

/// The variables of every file.
#[must_use]
pub fn variables(
    tool: &ToolName,
    preset: &Preset,
    answers: &BTreeMap<String, String>,
    origin: &ScaffoldOrigin<'_>,
) -> Value {
    let answer = |key: &str| answers.get(key).map_or("", String::as_str);
    let headers: Vec<_> = preset
        .api
        .headers
        .iter()
        .map(|(name, value)| json!({"name": name, "value": value}))
        .collect();
    json!({
        "tool": tool.as_str(),
        "name": tool.short(),
        "package": tool.package(),
        "label": preset.label,
        "description": description(&preset.summary),
        "first": first(preset),
        "summary": preset.summary,
        "backend": preset.backend,
        "documentation": preset.documentation,
        "license": answer("license"),
        "author": answer("author"),
        "preset": answer("preset"),
        "python_requires": ">=3.10",
        "aos_version": origin.aos_version,
        "aos_repository": origin.aos_repository,
        "spec_tag": origin.spec_tag,
        "auth": preset.auth,
        "other_names": python::assignment("OTHER_NAMES", &json!(preset.auth)["other_names"]),
        "more_headers": python::assignment("MORE_HEADERS", &further(preset, |more| &more.header)),
        "more_query": python::assignment("MORE_QUERY", &further(preset, |more| &more.query)),
        "has_default_env": preset.fields.iter().any(|field| field.default_env.is_some()),
        "default_env": default_env(preset),
        "binary": python::list(binary(preset)),
        "api": {
            "base_url": preset.api.base_url,
            "base_url_key": preset.api.base_url_key,
            "url_override": preset.api.url_override,
            "headers": headers,
            "error_style": preset.api.error_style,
            "health": preset.api.health,
            "paging": preset.api.paging,
            "failures": python::assignment("FAILURES", &json!(preset.api.failures)),
            "waits": python::assignment("WAITS", &json!(preset.api.waits)),
            "messages": python::assignment("MESSAGES", &json!(preset.api.messages)),
            "rate_wait": preset.api.rate_wait,
            "slim": python::assignment("SLIM", &slim(preset)),
            "partial": python::assignment("PARTIAL", &json!(preset.api.partial)),
        },
        "resources": manifest::resources(preset),
        "facts": connector_facts::facts(preset),
    })
}

/// Returns the variables of the further keys that are sent in one kind of place, by their names there.
fn further(preset: &Preset, place: fn(&FurtherKey) -> &str) -> Value {
    let sent = preset.auth.more.iter().filter(|more| !place(more).is_empty());
    sent.map(|more| (place(more).to_owned(), json!(more.key.as_str())))
        .collect::<Map<_, _>>()
        .into()
}

/// The value of `resource` for each resource, by its name.
#[must_use]
pub fn resources(preset: &Preset) -> Vec<(String, Value)> {
    manifest::resources(preset)
        .into_iter()
        .map(|name| {
            let operations: Vec<_> = preset
                .operations
                .iter()
                .filter(|candidate| manifest::resource(candidate.id.as_str()) == name)
                .map(operation)
                .collect();
            (name.to_owned(), json!({"name": name, "operations": operations}))
        })
        .collect()
}

fn operation(operation: &Operation) -> Value {
    let wires = |pairs: Vec<(String, crate::contract::name::Key)>| -> Vec<Value> {
        pairs
            .into_iter()
            .map(|(wire, field)| json!({"wire": wire, "field": field.as_str()}))
            .collect()
    };
    let constants: Vec<_> = operation
        .constants
        .iter()
        .map(|(wire, value)| {
            let literal = python::value(value);
            json!({"wire": wire, "value": literal})
        })
        .collect();
    let nested = |name: &str, value: Value| python::argument(name, &value, 8);
    let shapes = (!operation.shapes.is_empty()).then(|| nested("shapes", json!(operation.shapes)));
    let words = (!operation.words.is_empty()).then(|| {
        let words: serde_json::Map<_, _> = operation
            .words
            .iter()
            .map(|(field, words)| (field.to_string(), json!(words)))
            .collect();
        nested("words", Value::Object(words))
    });
    let more: Vec<String> =
        [shapes, words].into_iter().flatten().chain(extras(operation)).collect();
    json!({
        "more": more,
        "pick": operation.pick.as_ref().map(|pick| json!({
            "at": pick.at, "field": pick.field.as_str(), "by": python::list(&pick.by),
        })),
        "look_up": operation.look_up.as_ref().map(|look_up| json!({
            "into": look_up.into.as_str(), "from": look_up.from.as_str(), "path": look_up.path,
            "at": look_up.at, "by": python::list(&look_up.by), "value": look_up.value,
            "is_optional": look_up.is_optional,
        })),
        "now": operation.now.as_ref().map_or("", |field| field.as_str()),
        "id": operation.id.as_str(),
        "function": function_name(operation.id.as_str()),
        "summary": operation.summary,
        "method": operation.method,
        "path": operation.path,
        "query": wires(operation.query.pairs()),
        "body": wires(operation.body.pairs()),
        "constants": constants,
        "result": operation.result,
        "list": operation.list,
        "items": operation.items,
        "item_id": operation.item_id,
        "item_name": operation.item_name,
        "item_url": operation.item_url,
        "select": operation.select.as_ref().map(|select| python::value(&json!(select))),
        "mode": operation.required_mode(),
        "action_class": operation.class(),
        "each": operation.each.as_ref().map_or("", |field| field.as_str()),
        "paging": operation.paging.as_ref().map(paging),
    })
}

/// Arguments of a call that most operations do without, one a line.
fn extras(operation: &Operation) -> Vec<String> {
    let mut lines = Vec::new();
    let headers: Map<String, Value> = operation
        .headers
        .pairs()
        .into_iter()
        .map(|(wire, field)| (wire, json!(field.as_str())))
        .collect();
    if !headers.is_empty() {
        lines.push(python::argument("headers", &Value::Object(headers), 8));
    }
    if !operation.styles.is_empty() {
        lines.push(python::argument("styles", &json!(operation.styles), 8));
    }
    if !operation.typed.is_empty() {
        lines.push(python::argument("typed", &json!(operation.typed), 8));
    }
    if !operation.content_type.is_empty() {
        lines.push(python::argument("content_type", &json!(operation.content_type), 8));
    }
    if operation.text {
        lines.push("text=True".to_owned());
    }
    if operation.public {
        lines.push("public=True".to_owned());
    }
    lines
}

/// Fields whose files are read as bytes.
fn binary(preset: &Preset) -> Vec<String> {
    let fields = preset.fields.iter().filter(|field| field.binary);
    fields.map(|field| field.id.to_string()).collect()
}

/// Returns the text that the host shows for every agent tool. The host reads text in double quotes, without escapes,
/// and stops at a capital Z.
fn description(summary: &str) -> String {
    summary.replace(['"', '\\'], "'").replace('Z', "z")
}

/// A command of its own, as an example.
fn first(preset: &Preset) -> Value {
    let id = preset.operations.first().map_or("", |operation| operation.id.as_str());
    json!({"id": id, "words": id.replace('.', " ")})
}

/// The default fields of each list.
fn slim(preset: &Preset) -> Value {
    let lists = preset.operations.iter().filter(|operation| !operation.slim.is_empty());
    lists.map(|list| (list.id.to_string(), json!(list.slim))).collect::<Map<_, _>>().into()
}

/// Variables whose values replace missing options, with their purposes.
fn default_env(preset: &Preset) -> Vec<Value> {
    let fields = preset.fields.iter();
    let named = fields.filter_map(|field| Some((field.default_env.as_ref()?, field)));
    named
        .map(|(name, field)| {
            let option = format!("--{}", field.id.as_str().replace('_', "-"));
            json!({"name": name.as_str(), "option": option})
        })
        .collect()
}

fn paging(paging: &Paging) -> Value {
    json!(paging)
}

/// `issue.list` to `list_issue`: never a Python keyword or builtin, and unique as the id is.
fn function_name(id: &str) -> String {
    let (resource, action) = id.split_once('.').unwrap_or(("", id));
    format!("{action}_{resource}").replace(['.', '-'], "_").trim_end_matches('_').to_owned()
}
