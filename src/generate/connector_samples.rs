//! Samples of a new connector for `aos conform`: arguments of each command, and what a good API answers to them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::contract::operations::{ErrorStyle, Field, FieldType, Method, Operation, Preset};

use super::manifest;

/// The values of a list.
const EACH: [&str; 2] = ["one", "two"];

/// The values of the two lists of `conform.toml`, bodies as text.
#[must_use]
pub fn fixture(preset: &Preset) -> Value {
    let fields: BTreeMap<&str, &Field> =
        preset.fields.iter().map(|field| (field.id.as_str(), field)).collect();
    let mut bodies: BTreeMap<(String, String), String> = BTreeMap::new();
    let (mut samples, mut routes) = (Vec::new(), Vec::new());
    for operation in &preset.operations {
        let method = json!(operation.method).as_str().unwrap_or_default().to_owned();
        let body = body(operation, preset.api.error_style);
        let places: Vec<_> =
            paths(operation, &fields).into_iter().map(|path| (method.clone(), path)).collect();
        // Two commands with one request: the mock can answer only one of them.
        if places.iter().any(|place| bodies.get(place).is_some_and(|other| *other != body)) {
            continue;
        }
        for (method, path) in places {
            bodies.entry((method, path)).or_insert_with_key(|(method, path)| {
                routes.push(json!({"method": method, "path": path, "body": body}));
                body.clone()
            });
        }
        let arguments: Vec<_> = manifest::required(operation)
            .into_iter()
            .flat_map(|field| {
                let value = value(fields.get(field.as_str()).copied());
                [format!("--{}", field.replace('_', "-")), value]
            })
            .collect();
        samples.push(json!({"command": operation.id.as_str(), "arguments": arguments}));
    }
    json!({"samples": samples, "routes": routes})
}

/// What to type for a field.
fn value(field: Option<&Field>) -> String {
    let Some(field) = field else { return "sample".to_owned() };
    match field.kind {
        FieldType::String | FieldType::Richtext => "sample".to_owned(),
        FieldType::Number => "7".to_owned(),
        FieldType::Boolean => "true".to_owned(),
        FieldType::Select => field.options.first().cloned().unwrap_or_default(),
        FieldType::List => EACH.join(","),
        FieldType::Json => "{\"sample\": true}".to_owned(),
    }
}

/// Where the requests go when the inputs have their sample values: one for each value of a bulk command.
fn paths(operation: &Operation, fields: &BTreeMap<&str, &Field>) -> Vec<String> {
    let template = operation.path.split('?').next().unwrap_or_default();
    let filled = |each: &str| {
        let mut parts = template.split('{');
        let mut path = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (name, rest) = part.split_once('}').unwrap_or((part, ""));
            match name.trim_start_matches('+') {
                "each_item" => path.push_str(each),
                name => path.push_str(&value(fields.get(name).copied()).replace(',', "%2C")),
            }
            path.push_str(rest);
        }
        path
    };
    let mut paths = vec![filled(EACH[0])];
    if template.contains("{each_item}") {
        paths.push(filled(EACH[1]));
    }
    paths
}

/// A reply in the shape that the operation reads.
fn body(operation: &Operation, style: ErrorStyle) -> String {
    if operation.method == Method::Head {
        return String::new();
    }
    let mut body = if operation.list {
        let mut entry = Value::Object(Map::new());
        set(&mut entry, &operation.item_id, "1".into());
        if operation.item_name != operation.item_id {
            set(&mut entry, &operation.item_name, "one".into());
        }
        if operation.items.is_empty() {
            Value::Array(vec![entry])
        } else {
            let mut tree = Value::Object(Map::new());
            set(&mut tree, &operation.items, Value::Array(vec![entry]));
            tree
        }
    } else {
        json!({"id": "1"})
    };
    if let (ErrorStyle::OkField, Some(members)) = (style, body.as_object_mut()) {
        members.insert("ok".to_owned(), true.into());
    }
    body.to_string()
}

/// Sets a value at a dotted place.
fn set(tree: &mut Value, place: &str, value: Value) {
    let mut here = tree;
    for key in place.split('.').filter(|key| !key.is_empty()) {
        let Value::Object(members) = here else { return };
        here = members.entry(key).or_insert_with(|| Value::Object(Map::new()));
    }
    // No name at all means the entry has none.
    if !place.is_empty() {
        *here = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(text: &str) -> Operation {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_reply_has_the_shape_that_the_operation_reads() {
        let list = operation(
            r#"{"id": "a.list", "summary": "s", "method": "GET", "path": "/a", "list": true,
                "items": "data.list", "item_id": "gid", "item_name": "properties.name"}"#,
        );
        assert_eq!(
            body(&list, ErrorStyle::OkField),
            r#"{"data":{"list":[{"gid":"1","properties":{"name":"one"}}]},"ok":true}"#
        );
    }

    #[test]
    fn a_path_has_the_sample_values_and_a_bulk_command_one_for_each() {
        let many = operation(
            r#"{"id": "a.close", "summary": "s", "method": "POST", "path": "/o/{owner}/a/{each_item}/close?x=1", "each": "ids"}"#,
        );
        let expected = ["/o/sample/a/one/close", "/o/sample/a/two/close"];
        assert_eq!(paths(&many, &BTreeMap::new()), expected);
    }
}
