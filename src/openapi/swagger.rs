//! Swagger 2.0 in the form of OpenAPI 3.0, in memory.
//!
//! Converts what commands are made from: servers, parameters, bodies, replies, security. References stay where they are.

use serde_json::{Map, Value, json};

const METHODS: [&str; 7] = ["get", "put", "post", "delete", "options", "head", "patch"];
const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";
/// Members of a parameter that are about its schema.
const SCHEMA_MEMBERS: [&str; 14] = [
    "type",
    "format",
    "items",
    "enum",
    "default",
    "maximum",
    "minimum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
];

/// The description in the newer form.
#[must_use]
pub fn converted(mut tree: Value) -> Value {
    let servers = servers(&tree);
    let schemes = security_schemes(&tree);
    let consumes = texts(tree.get("consumes"));
    let produces = texts(tree.get("produces"));
    let shared = tree.get("parameters").cloned().unwrap_or(Value::Null);
    let shared_replies = tree.get("responses").cloned().unwrap_or(Value::Null);
    if let Some(paths) = tree.get_mut("paths").and_then(Value::as_object_mut) {
        for (_, item) in paths.iter_mut() {
            let Some(item) = item.as_object_mut() else { continue };
            let common = split_parameters(item.get("parameters"), &shared);
            if item.contains_key("parameters") {
                item.insert("parameters".to_owned(), Value::Array(common.plain.clone()));
            }
            for method in METHODS {
                let Some(operation) = item.get_mut(method).and_then(Value::as_object_mut) else {
                    continue;
                };
                convert_operation(
                    operation,
                    &common,
                    &shared,
                    &shared_replies,
                    (&consumes, &produces),
                );
            }
        }
    }
    if let Some(top) = tree.as_object_mut() {
        top.insert("openapi".to_owned(), "3.0.3".into());
        top.insert("servers".to_owned(), servers);
        top.insert("components".to_owned(), json!({"securitySchemes": schemes}));
    }
    tree
}

fn servers(tree: &Value) -> Value {
    let base = tree.get("basePath").and_then(Value::as_str).unwrap_or_default();
    let Some(host) = tree.get("host").and_then(Value::as_str) else {
        return json!([{"url": if base.is_empty() { "/" } else { base }}]);
    };
    let mut schemes = texts(tree.get("schemes"));
    if schemes.is_empty() {
        schemes.push("https".to_owned());
    }
    schemes.iter().map(|scheme| json!({"url": format!("{scheme}://{host}{base}")})).collect()
}

fn security_schemes(tree: &Value) -> Value {
    let schemes = tree.get("securityDefinitions").and_then(Value::as_object);
    let converted = schemes.into_iter().flatten().map(|(name, scheme)| {
        let mut scheme = scheme.clone();
        if scheme.get("type").and_then(Value::as_str) == Some("basic") {
            scheme = json!({"type": "http", "scheme": "basic"});
        }
        (name.clone(), scheme)
    });
    Value::Object(converted.collect())
}

/// Parameters as version 3 has them, and those that are the body.
#[derive(Default)]
struct Split {
    plain: Vec<Value>,
    body: Option<Value>,
    form: Vec<Value>,
}

fn split_parameters(parameters: Option<&Value>, shared: &Value) -> Split {
    let mut split = Split::default();
    for parameter in parameters.and_then(Value::as_array).into_iter().flatten() {
        let target = parameter.get("$ref").and_then(Value::as_str);
        let known = target.and_then(|target| target.strip_prefix("#/parameters/"));
        let parameter = known.and_then(|name| shared.get(name)).unwrap_or(parameter);
        match parameter.get("in").and_then(Value::as_str) {
            Some("body") => split.body = Some(parameter.clone()),
            Some("formData") => split.form.push(parameter.clone()),
            _ => split.plain.push(with_schema(parameter)),
        }
    }
    split
}

/// A parameter with its type in `schema`, and with style and explode in place of `collectionFormat`.
fn with_schema(parameter: &Value) -> Value {
    let Some(members) = parameter.as_object() else { return parameter.clone() };
    if !members.contains_key("type") {
        return parameter.clone();
    }
    let (mut schema, mut rest) = (Map::new(), Map::new());
    for (name, value) in members {
        let target = if SCHEMA_MEMBERS.contains(&name.as_str()) { &mut schema } else { &mut rest };
        target.insert(name.clone(), value.clone());
    }
    let is_list = schema.get("type").and_then(Value::as_str) == Some("array");
    let place = members.get("in").and_then(Value::as_str).unwrap_or_default();
    if is_list && matches!(place, "query" | "formData") {
        let (style, explode) = match members.get("collectionFormat").and_then(Value::as_str) {
            Some("multi") => ("form", true),
            Some("ssv") => ("spaceDelimited", false),
            Some("pipes") => ("pipeDelimited", false),
            Some("tsv") => ("tabDelimited", false),
            _ => ("form", false),
        };
        rest.insert("style".to_owned(), style.into());
        rest.insert("explode".to_owned(), explode.into());
    }
    rest.insert("schema".to_owned(), Value::Object(schema));
    Value::Object(rest)
}

fn convert_operation(
    operation: &mut Map<String, Value>,
    common: &Split,
    shared: &Value,
    shared_replies: &Value,
    (consumes, produces): (&[String], &[String]),
) {
    let own = split_parameters(operation.get("parameters"), shared);
    operation.insert("parameters".to_owned(), Value::Array(own.plain));
    let own_consumes = texts(operation.get("consumes"));
    let consumes = if own_consumes.is_empty() { consumes } else { &own_consumes };
    let own_produces = texts(operation.get("produces"));
    let produces = if own_produces.is_empty() { produces } else { &own_produces };
    let body = own.body.or_else(|| common.body.clone());
    let form: Vec<_> = common.form.iter().chain(&own.form).cloned().collect();
    if let Some(body) = body {
        let schema = body.get("schema").cloned().unwrap_or_else(|| json!({}));
        let content = content(consumes, &schema);
        let required = body.get("required").cloned().unwrap_or(false.into());
        let description = body.get("description").cloned().unwrap_or("".into());
        operation.insert(
            "requestBody".to_owned(),
            json!({"content": content, "required": required, "description": description}),
        );
    } else if !form.is_empty() {
        operation.insert("requestBody".to_owned(), form_body(&form, consumes));
    }
    let Some(replies) = operation.get_mut("responses").and_then(Value::as_object_mut) else {
        return;
    };
    for (_, reply) in replies.iter_mut() {
        let target = reply.get("$ref").and_then(Value::as_str).map(str::to_owned);
        let known = target.as_deref().and_then(|target| target.strip_prefix("#/responses/"));
        if let Some(found) = known.and_then(|name| shared_replies.get(name)) {
            *reply = found.clone();
        }
        if let Some(schema) = reply.get("schema").cloned() {
            reply["content"] = content(produces, &schema);
        }
    }
}

fn content(types: &[String], schema: &Value) -> Value {
    let usual = ["application/json".to_owned()];
    let types = if types.is_empty() { &usual[..] } else { types };
    let entries = types.iter().map(|kind| (kind.clone(), json!({"schema": schema})));
    Value::Object(entries.collect())
}

fn form_body(form: &[Value], consumes: &[String]) -> Value {
    let (mut properties, mut required, mut encoding) = (Map::new(), Vec::new(), Map::new());
    let mut has_file = false;
    for parameter in form {
        let name = parameter.get("name").and_then(Value::as_str).unwrap_or_default();
        let converted = with_schema(parameter);
        let mut schema = converted.get("schema").cloned().unwrap_or_else(|| json!({}));
        if schema.get("type").and_then(Value::as_str) == Some("file") {
            schema = json!({"type": "string", "format": "binary"});
            has_file = true;
        }
        if let Some(description) = parameter.get("description") {
            schema["description"] = description.clone();
        }
        if let (Some(style), Some(explode)) = (converted.get("style"), converted.get("explode")) {
            encoding.insert(name.to_owned(), json!({"style": style, "explode": explode}));
        }
        if parameter.get("required").and_then(Value::as_bool) == Some(true) {
            required.push(Value::from(name));
        }
        properties.insert(name.to_owned(), schema);
    }
    let is_multipart = has_file
        || consumes.iter().any(|kind| kind == MULTIPART)
            && !consumes.iter().any(|kind| kind == FORM);
    let kind = if is_multipart { MULTIPART } else { FORM };
    json!({"content": {kind: {
        "schema": {"type": "object", "properties": properties, "required": required},
        "encoding": encoding,
    }}})
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_description_takes_the_newer_form() {
        let tree = converted(json!({
            "swagger": "2.0", "host": "api.example.com", "basePath": "/v1", "schemes": ["http", "https"],
            "securityDefinitions": {"b": {"type": "basic"}},
            "parameters": {"Page": {"name": "page", "in": "query", "type": "integer"}},
            "paths": {"/pets": {"post": {
                "parameters": [
                    {"$ref": "#/parameters/Page"},
                    {"name": "ids", "in": "query", "type": "array", "items": {"type": "integer"}, "collectionFormat": "multi"},
                    {"name": "file", "in": "formData", "type": "file", "required": true},
                ],
                "responses": {"200": {"schema": {"type": "object"}}},
            }}},
        }));
        assert_eq!(tree["servers"][1]["url"], "https://api.example.com/v1");
        let operation = &tree["paths"]["/pets"]["post"];
        assert_eq!(operation["parameters"][0]["schema"]["type"], "integer");
        assert_eq!(operation["parameters"][1]["explode"], true);
        let form = &operation["requestBody"]["content"][MULTIPART]["schema"];
        assert_eq!(form["properties"]["file"]["format"], "binary");
        assert_eq!(form["required"], json!(["file"]));
        assert_eq!(
            operation["responses"]["200"]["content"]["application/json"]["schema"]["type"],
            "object"
        );
        assert_eq!(tree["components"]["securitySchemes"]["b"]["scheme"], "basic");
    }
}
