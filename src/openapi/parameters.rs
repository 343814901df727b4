//! Parameters of an operation: those of its path and its own, merged, each with its kind and its style.
//!
//! A parameter that cannot be sent is left out with a note; if it is required, the whole operation is left out.

use indexmap::IndexMap;

use super::document::{DocumentTrees, Node};
use super::model::{ApiInput, Endpoint, InputKind, InputPlace, SecurityScheme};
use super::reading::{OWN_HEADERS, input, is_header_byte};
use super::schema::FlatSchema;
use super::{secrets, styles, text};
use crate::visible::{excerpt, is_invisible};

/// Most members of an object that become parameters of their own.
const MAX_SPREAD: usize = 30;

/// Parameters of the path and of the operation by name and place: the operation wins.
pub fn read<'a>(
    trees: &'a DocumentTrees,
    endpoint: &mut Endpoint,
    item: Node<'a>,
    operation: Node<'a>,
) {
    let mut merged: IndexMap<(String, &str), Node<'a>> = IndexMap::new();
    let shared = trees.entries(item, "parameters");
    for parameter in shared.chain(trees.entries(operation, "parameters")) {
        match trees.followed(parameter) {
            Ok(found) => {
                let (name, place) = (found.text("name"), found.text("in"));
                // The case of a header's name means nothing.
                let key = if place == "header" { name.to_lowercase() } else { name.to_owned() };
                merged.insert((key, place), found);
            }
            Err(lost) => endpoint.obstacle = Some(format!("a parameter is missing: {lost}")),
        }
    }
    let in_query: Vec<&str> = merged
        .values()
        .filter(|parameter| parameter.text("in") == "query")
        .map(|parameter| parameter.text("name"))
        .collect();
    for parameter in merged.values().copied() {
        let name = parameter.text("name");
        let shown = excerpt(name, 60);
        let place = match parameter.text("in") {
            "path" => InputPlace::Path,
            "query" => InputPlace::Query,
            "header" if OWN_HEADERS.contains(&name.to_lowercase().as_str()) => {
                if name.eq_ignore_ascii_case("authorization") {
                    endpoint.credential = Some(SecurityScheme::Header("Authorization".to_owned()));
                }
                endpoint.notes.push(format!("`{shown}` is left out: the tool sends it itself"));
                continue;
            }
            "header" => InputPlace::Header,
            other => {
                let place = text::sentence(other, 20);
                if parameter.is_set("required") {
                    endpoint.obstacle = Some(format!("it needs `{shown}` in the {place}"));
                }
                endpoint.notes.push(format!("`{shown}` in the {place} is left out"));
                continue;
            }
        };
        if name.is_empty() || name.len() > 120 || name.chars().any(is_invisible) {
            let place = parameter.text("in");
            endpoint.notes.push(unusable("parameter", name, place));
            if parameter.is_set("required") {
                endpoint.obstacle = Some(format!("it needs {}", quoted_name(name)));
            }
            continue;
        }
        if place == InputPlace::Header && !name.bytes().all(is_header_byte) {
            endpoint.notes.push(format!("`{shown}` is not a header and is left out"));
            continue;
        }
        if parameter.is_set("deprecated") && !parameter.is_set("required") {
            endpoint.notes.push(format!("`{shown}` is deprecated and left out"));
            continue;
        }
        if place == InputPlace::Path && !endpoint.path.contains(&format!("{{{name}}}")) {
            endpoint.notes.push(format!("`{shown}` is not in the path and is left out"));
            continue;
        }
        let (schema, is_json) = match parameter.get("schema") {
            Some(schema) => (schema, false),
            None => match trees.members(parameter, "content").next() {
                Some((_, content)) => (content.get("schema").unwrap_or(content), true),
                None => (parameter, false),
            },
        };
        let is_required = place == InputPlace::Path || parameter.is_set("required");
        let mut input = input(trees, (name, place), schema, is_required);
        if !parameter.text("description").is_empty() {
            let flat = FlatSchema::of(trees, schema);
            input.help = flat.help(parameter.text("description"), &input.kind, trees);
        }
        match styles::of(parameter, &input, is_json) {
            Ok(style) if style == "spread" && spread(trees, endpoint, parameter, &in_query) => {
                continue;
            }
            Ok(style) => input.style = style,
            Err(reason) if is_required => {
                endpoint.obstacle = Some(format!("`{shown}`: {reason}"));
            }
            Err(reason) => {
                endpoint.notes.push(format!("`{shown}` is left out: {reason}"));
                continue;
            }
        }
        with_default(&mut input, &FlatSchema::of(trees, schema), endpoint);
        if secrets::is_key(&input) {
            endpoint.credential = match place {
                InputPlace::Header => Some(SecurityScheme::Header(name.to_owned())),
                _ => Some(SecurityScheme::Query(name.to_owned())),
            };
        }
        endpoint.inputs.push(input);
    }
    for name in
        endpoint.path.clone().split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0))
    {
        let is_known = endpoint.in_place(InputPlace::Path).any(|input| input.name == name);
        if !is_known && !name.is_empty() {
            endpoint.notes.push(format!("`{}` in the path is not described", excerpt(name, 60)));
            endpoint.inputs.push(ApiInput {
                name: name.to_owned(),
                place: InputPlace::Path,
                kind: InputKind::Text,
                is_required: true,
                help: String::new(),
                style: String::new(),
                sample: None,
                default: None,
                most: None,
            });
        }
    }
}

/// Makes an input of each member of an object whose members are parameters of the query by themselves; false if the
/// object must be given as one value.
fn spread<'a>(
    trees: &'a DocumentTrees,
    endpoint: &mut Endpoint,
    parameter: Node<'a>,
    in_query: &[&str],
) -> bool {
    let Some(schema) = parameter.get("schema") else { return false };
    let flat = FlatSchema::of(trees, schema);
    let is_name = |name: &str| {
        !name.is_empty()
            && name.len() <= 120
            && !name.contains(['[', ']', '.'])
            && !name.chars().any(is_invisible)
    };
    let is_single = |member: &Node<'a>| {
        let kind = FlatSchema::of(trees, *member).kind(trees, "");
        !matches!(kind, InputKind::Json | InputKind::List { .. } | InputKind::File)
    };
    if flat.is_open
        || !flat.is_flat_object(MAX_SPREAD)
        || !flat.members.iter().all(|(name, member)| is_name(name) && is_single(member))
    {
        return false;
    }
    for (name, member) in &flat.members {
        let is_known = endpoint.in_place(InputPlace::Query).any(|input| input.name == *name);
        if is_known || in_query.contains(name) {
            let outer = excerpt(parameter.text("name"), 60);
            endpoint.notes.push(format!("`{name}` of `{outer}` is the parameter `{name}`"));
            continue;
        }
        let is_required = parameter.is_set("required") && flat.required.contains(name);
        endpoint.inputs.push(input(trees, (name, InputPlace::Query), *member, is_required));
    }
    true
}

/// Returns the note about an input that is left out because its name cannot be written; `place` is its location.
pub fn unusable(what: &str, name: &str, place: &str) -> String {
    format!("a {what} in the {place} is left out: {} cannot be an option", quoted_name(name))
}

fn quoted_name(name: &str) -> String {
    if name.is_empty() { "an empty name".to_owned() } else { format!("`{}`", excerpt(name, 60)) }
}

/// Takes a default over, when it is one of the values that the schema allows.
fn with_default(input: &mut ApiInput, schema: &FlatSchema<'_>, endpoint: &mut Endpoint) {
    let Some(default) = schema.default.filter(|default| !default.is_null()) else { return };
    let fits = match &input.kind {
        InputKind::Choice(choices) => choices.contains(default),
        InputKind::Integer => default.is_i64() || default.is_u64(),
        InputKind::Decimal => default.is_number(),
        InputKind::Flag => default.is_boolean(),
        InputKind::Text | InputKind::LongText => default.is_string(),
        InputKind::List { .. } => default.is_array(),
        InputKind::Json | InputKind::File => true,
    };
    if fits {
        input.default = Some(default.clone());
    } else {
        endpoint.notes.push(format!(
            "the default of `{}` breaks its own schema and is not used",
            excerpt(&input.name, 60)
        ));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::openapi::{Endpoint, read};

    fn endpoint(path: &str, parameters: &Value) -> Endpoint {
        let document = json!({"openapi": "3.1.0", "paths": {path: {
            "parameters": [{"name": "x-trace", "in": "header", "schema": {"type": "string"}}],
            "get": {"parameters": parameters},
        }}});
        let nothing = |_: &str| Err("no files".into());
        let api = read("api.json", document.to_string().into_bytes(), &nothing).unwrap();
        api.endpoints.into_iter().next().unwrap()
    }

    fn names(endpoint: &Endpoint) -> Vec<&str> {
        endpoint.inputs.iter().map(|input| input.name.as_str()).collect()
    }

    #[test]
    fn members_of_an_exploded_object_are_parameters_and_share_no_name() {
        let object = json!({"type": "object", "properties": {
            "before": {"type": "string"}, "limit": {"type": "integer"}, "is_open": {"type": "boolean"},
        }});
        let found = endpoint(
            "/a",
            &json!([
                {"name": "page", "in": "query", "schema": object},
                {"name": "limit", "in": "query", "schema": {"type": "integer"}},
            ]),
        );
        assert_eq!(names(&found), ["x-trace", "before", "is_open", "limit"]);
        assert_eq!(found.notes[0], "`limit` of `page` is the parameter `limit`");
        // An object that may have any member, or has lists, is one value.
        for more in [
            json!({"additionalProperties": true}),
            json!({"properties": {"a": {"type": "array", "items": {"type": "string"}}}}),
        ] {
            let mut whole = object.clone();
            for (name, value) in more.as_object().unwrap() {
                whole[name] = value.clone();
            }
            let found = endpoint("/a", &json!([{"name": "page", "in": "query", "schema": whole}]));
            assert_eq!(names(&found), ["x-trace", "page"]);
            assert_eq!(found.inputs[1].style, "spread");
        }
    }

    #[test]
    fn a_header_is_the_same_in_any_case() {
        let own = json!([{"name": "X-Trace", "in": "header", "required": true, "schema": {"type": "integer"}}]);
        let found = endpoint("/a", &own);
        assert_eq!(names(&found), ["X-Trace"]);
        assert!(found.inputs[0].is_required);
    }

    #[test]
    fn a_fragment_distinguishes_operations_and_is_not_sent() {
        let found = endpoint("/files/{id}#add_link", &json!([]));
        assert_eq!(found.obstacle, None);
        assert_eq!(found.sent_path(), "/files/{id}");
        assert_eq!(found.request(), "GET /files/{id}#add_link");
        assert_eq!(names(&found), ["x-trace", "id"]);
    }
}
