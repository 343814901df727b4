//! The values of a sample as they are written in a request, derived independently of the runtimes that write them.
//!
//! Pure functions of a value and the style of its input; nothing is read or sent here.

use indexmap::IndexMap;
use serde_json::{Map, Value};

/// The entries of a query or form that one value becomes, decoded.
pub fn entries(name: &str, value: &Value, style: &str) -> Vec<(String, Vec<String>)> {
    let one = |text: String| vec![(name.to_owned(), vec![text])];
    let texts = || value.as_array().map(|values| values.iter().map(wire).collect());
    // An input that may be an object or something else is written as what it is.
    let style =
        if matches!(style, "deep" | "spread") && !value.is_object() { "repeat" } else { style };
    match style {
        "repeat" => vec![(name.to_owned(), texts().unwrap_or_else(|| vec![wire(value)]))],
        "brackets" => vec![(format!("{name}[]"), texts().unwrap_or_else(|| vec![wire(value)]))],
        "deep" => {
            let mut found = Vec::new();
            deep(name, value, &mut found);
            found
        }
        "spread" => {
            let members = value.as_object().into_iter().flatten();
            members.map(|(key, part)| (key.clone(), vec![wire(part)])).collect()
        }
        "json" => one(value.to_string()),
        // Several files of one name.
        style if style.starts_with("files") => entries(name, value, "repeat"),
        style => one(joined(value, style)),
    }
}

fn deep(name: &str, value: &Value, found: &mut Vec<(String, Vec<String>)>) {
    match value {
        Value::Object(members) => {
            for (key, part) in members {
                deep(&format!("{name}[{key}]"), part, found);
            }
        }
        Value::Array(values) => found.push((name.to_owned(), values.iter().map(wire).collect())),
        other => found.push((name.to_owned(), vec![wire(other)])),
    }
}

/// The parts of a value, with the sign of the style between them.
pub fn joined(value: &Value, style: &str) -> String {
    let sign = match style {
        "space" => " ",
        "pipe" => "|",
        _ => ",",
    };
    match value {
        Value::Object(members) if matches!(style, "comma" | "equal") => {
            let between = if style == "equal" { "=" } else { sign };
            let parts = members.iter().map(|(key, part)| format!("{key}{between}{}", wire(part)));
            parts.collect::<Vec<_>>().join(sign)
        }
        Value::Array(values) => values.iter().map(wire).collect::<Vec<_>>().join(sign),
        other => wire(other),
    }
}

/// A value in a path, encoded.
pub fn in_path(value: &Value, style: &str) -> String {
    let (style, name) = style.split_once('=').unwrap_or((style, ""));
    let (style, explodes) = style.strip_suffix('*').map_or((style, false), |style| (style, true));
    let encoded = |value: &Value| percent(&wire(value), false);
    let parts: Vec<String> = match value {
        Value::Array(values) => values.iter().map(encoded).collect(),
        Value::Object(members) if explodes => members
            .iter()
            .map(|(key, part)| format!("{}={}", percent(key, false), encoded(part)))
            .collect(),
        Value::Object(members) => {
            members.iter().flat_map(|(key, part)| [percent(key, false), encoded(part)]).collect()
        }
        other => vec![encoded(other)],
    };
    match style {
        "label" => {
            let sign = if explodes { "." } else { "," };
            format!(".{}", parts.join(sign))
        }
        "matrix" if explodes && value.is_object() => {
            parts.iter().map(|part| format!(";{part}")).collect()
        }
        "matrix" if explodes => {
            parts.iter().map(|part| format!(";{}={part}", percent(name, false))).collect()
        }
        "matrix" => format!(";{}={}", percent(name, false), parts.join(",")),
        _ => parts.join(","),
    }
}

/// Texts as the numbers and truths that they are.
pub fn typed(value: &Value) -> Value {
    match value {
        Value::Array(values) => values.iter().map(typed).collect(),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(found @ (Value::Number(_) | Value::Bool(_))) => found,
            _ => value.clone(),
        },
        other => other.clone(),
    }
}

/// A value on the command line: entries that hold a comma go as JSON.
pub fn argument(value: &Value) -> String {
    let has_comma = |values: &Vec<Value>| values.iter().any(|value| wire(value).contains(','));
    match value {
        Value::Array(values) if has_comma(values) || values.iter().any(Value::is_boolean) => {
            // Options take texts and numbers.
            let texts: Vec<Value> = values
                .iter()
                .map(
                    |value| {
                        if value.is_boolean() { Value::from(wire(value)) } else { value.clone() }
                    },
                )
                .collect();
            Value::Array(texts).to_string()
        }
        Value::Array(values)
            if values.iter().any(|value| value.is_object() || value.is_array()) =>
        {
            value.to_string()
        }
        Value::Array(_) => wire(value),
        other => wire(other),
    }
}

/// The members of a form as the texts that travel.
pub fn form(body: &[(String, Value)], styles: &IndexMap<String, String>) -> Vec<(String, Value)> {
    if let [(name, whole)] = body
        && name.is_empty()
    {
        return vec![(String::new(), Value::from(wire(whole)))];
    }
    let mut members: Map<String, Value> = Map::new();
    for (name, value) in body {
        let style = styles.get(name).map_or("", String::as_str);
        for (name, texts) in entries(name, value, style) {
            let value = match texts.as_slice() {
                [one] => Value::from(one.as_str()),
                several => several.iter().map(|text| Value::from(text.as_str())).collect(),
            };
            members.insert(name, value);
        }
    }
    // One member of the body, so that its name is not taken apart at dots.
    vec![(String::new(), Value::Object(members))]
}

/// A value as text: in a query and on the command line.
pub fn wire(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(wire).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// A text in a path or a query.
pub fn percent(text: &str, keeps_slashes: bool) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            b'/' if keeps_slashes => "/".to_owned(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}
