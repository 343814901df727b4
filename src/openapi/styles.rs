//! The styles of the standard: how values of several parts are written in a path, a query, a header or a form.
//!
//! The words are those of `styles` in docs/presets.md; empty is the usual way of a plain value.

use super::document::Node;
use super::model::{ApiInput, InputKind, InputPlace};
use crate::reason::Reason;

/// The style of a parameter.
///
/// # Errors
/// Why it cannot be written.
pub fn of(parameter: Node<'_>, input: &ApiInput, is_json: bool) -> Result<String, Reason> {
    let style = parameter.text("style");
    let usual = if input.place == InputPlace::Query { "form" } else { "simple" };
    let style = if style.is_empty() { usual } else { style };
    let explode = parameter
        .value
        .get("explode")
        .and_then(serde_json::Value::as_bool)
        .unwrap_or(style == "form");
    if is_json {
        return match input.place {
            InputPlace::Query => Ok("json".to_owned()),
            _ => Ok(String::new()),
        };
    }
    let refused = || {
        let style = crate::visible::excerpt(style, 30);
        Err(format!("its style `{style}` is not known").into())
    };
    match input.place {
        InputPlace::Query => query(style, explode, &input.kind).map_or_else(refused, Ok),
        InputPlace::Path => path(style, explode, input).map_or_else(refused, Ok),
        _ => match input.kind {
            InputKind::List { .. } => Ok("comma".to_owned()),
            InputKind::Json if explode => Ok("equal".to_owned()),
            InputKind::Json => Ok("comma".to_owned()),
            _ => Ok(String::new()),
        },
    }
}

/// The style of a member of a form.
#[must_use]
pub fn of_form(encoding: Option<Node<'_>>, input: &ApiInput) -> String {
    let style = encoding.map_or("", |encoding| encoding.text("style"));
    let explode =
        encoding.and_then(|encoding| encoding.get("explode")).map(|node| node.value == true);
    if encoding.is_some_and(|encoding| encoding.text("contentType").contains("json")) {
        return "json".to_owned();
    }
    let style = if style.is_empty() { "form" } else { style };
    match (&input.kind, style) {
        // An object in a form is JSON unless its encoding says otherwise.
        (InputKind::Json, "form") => "json".to_owned(),
        (kind, style) => query(style, explode.unwrap_or(style == "form"), kind).unwrap_or_default(),
    }
}

/// The style of a part with a media type of its own, or of several files; `None` for any other part.
#[must_use]
pub fn of_part(kinds: &str, input: &ApiInput, is_of_files: bool) -> Option<String> {
    let is_token = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte))
    };
    let is_type = |kind: &&str| {
        kind.len() <= 100
            && kind.split_once('/').is_some_and(|(kind, of)| is_token(kind) && is_token(of))
    };
    let all = kinds.split(',').map(|kind| kind.split(';').next().unwrap_or_default().trim());
    let kind = all.into_iter().find(is_type).map(str::to_lowercase);
    match (&input.kind, kind) {
        (InputKind::List { .. }, Some(kind)) if is_of_files => Some(format!("files={kind}")),
        (InputKind::List { .. }, None) if is_of_files => Some("files".to_owned()),
        (InputKind::File, Some(kind)) if kind != "application/octet-stream" => {
            Some(format!("type={kind}"))
        }
        (InputKind::Text | InputKind::LongText, Some(kind))
            if kind != "text/plain" && !kind.contains("json") =>
        {
            Some(format!("type={kind}"))
        }
        _ => None,
    }
}

fn query(style: &str, explode: bool, kind: &InputKind) -> Option<String> {
    let word = match (kind, style, explode) {
        (InputKind::List { .. }, "form", true) => "repeat",
        (InputKind::List { .. }, "form", false) => "comma",
        (InputKind::List { .. }, "spaceDelimited", false) => "space",
        (InputKind::List { .. }, "pipeDelimited", false) => "pipe",
        (InputKind::List { .. }, "spaceDelimited" | "pipeDelimited", true) => "repeat",
        (InputKind::Json, "deepObject", _) => "deep",
        (InputKind::Json, "form", true) => "spread",
        (InputKind::Json, "form", false) => "comma",
        (InputKind::List { .. }, "deepObject", _) => "brackets",
        (InputKind::Json | InputKind::List { .. }, _, _) => return None,
        (_, "form" | "deepObject" | "spaceDelimited" | "pipeDelimited", _) => "",
        _ => return None,
    };
    Some(word.to_owned())
}

fn path(style: &str, explode: bool, input: &ApiInput) -> Option<String> {
    let has_parts = matches!(input.kind, InputKind::List { .. } | InputKind::Json);
    let star = if explode { "*" } else { "" };
    match style {
        "simple" if has_parts => Some(format!("simple{star}")),
        "simple" => Some(String::new()),
        "label" => Some(format!("label{star}")),
        "matrix" => Some(format!("matrix{star}={}", input.name)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::openapi::{ApiInput, read};

    /// The values that are sent for each style, which the tests of every runtime read.
    const SHARED: &str =
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/runtime/fixtures/serial.json"));

    fn shared() -> Value {
        serde_json::from_str(SHARED).unwrap()
    }

    fn schema(kind: &str) -> Value {
        match kind {
            "list" => json!({"type": "array", "items": {"type": "string"}}),
            "files" => {
                json!({"type": "array", "items": {"type": "string", "format": "binary"}})
            }
            "object" | "json" => {
                json!({"type": "object", "additionalProperties": {"type": "string"}})
            }
            "file" => json!({"type": "string", "format": "binary"}),
            "text" | "long" => json!({"type": "string"}),
            other => json!({"type": other}),
        }
    }

    fn inputs(operation: &Value) -> Vec<ApiInput> {
        let document = json!({"openapi": "3.1.0", "paths": {"/x/{color}/y": {"post": operation}}});
        let nothing = |_: &str| Err("no files".into());
        let api = read("api.json", document.to_string().into_bytes(), &nothing).unwrap();
        let endpoint = api.endpoints.into_iter().next().unwrap();
        assert_eq!(endpoint.obstacle, None, "{operation}");
        endpoint.inputs
    }

    #[test]
    fn a_description_leads_to_the_styles_that_every_runtime_writes() {
        let rows = shared();
        let rows = rows["parameters"].as_array().unwrap();
        assert!(rows.len() > 40, "{}", rows.len());
        for row in rows {
            let mut parameter = row["described"].clone();
            parameter["name"] = "color".into();
            parameter["in"] = row["in"].clone();
            match row["kind"].as_str().unwrap() {
                "content" => {
                    parameter["content"] =
                        json!({"application/json": {"schema": schema("object")}});
                }
                kind => parameter["schema"] = schema(kind),
            }
            let found = inputs(&json!({"parameters": [parameter]}));
            let color = found.iter().find(|input| input.place.word() == row["in"]).unwrap();
            assert_eq!(color.style, row["style"].as_str().unwrap(), "{row}");
        }
    }

    #[test]
    fn a_form_leads_to_the_styles_that_every_runtime_writes() {
        let rows = shared();
        let rows = rows["forms"].as_array().unwrap();
        let mut compared = 0;
        for row in rows {
            let (mut members, mut encoding) = (json!({}), json!({}));
            for member in row["members"].as_array().unwrap() {
                let name = member["name"].as_str().unwrap();
                let style = member["style"].as_str().unwrap();
                let kind = member["kind"].as_str().unwrap();
                members[name] = schema(if style.starts_with("files") { "files" } else { kind });
                if let Some((_, kind)) = style.split_once('=') {
                    encoding[name] = json!({"contentType": format!("image/*, {kind}; q=1")});
                }
                match style {
                    "comma" => encoding[name] = json!({"style": "form", "explode": false}),
                    "deep" => encoding[name] = json!({"style": "deepObject"}),
                    _ => {}
                }
            }
            let kind = row["content_type"].as_str().unwrap();
            if kind == "text/plain" {
                continue;
            }
            let content =
                json!({"schema": {"type": "object", "properties": members}, "encoding": encoding});
            let found = inputs(&json!({"requestBody": {"content": {kind: content}}}));
            for member in row["members"].as_array().unwrap() {
                let Some(input) = found.iter().find(|input| member["name"] == input.name) else {
                    // A name with a line break cannot be an option.
                    assert!(member["name"].to_string().contains("\\n"), "{member}");
                    continue;
                };
                assert_eq!(input.style, member["style"].as_str().unwrap(), "{member}");
                compared += 1;
            }
        }
        assert!(compared >= 9, "{compared}");
    }
}
