//! Bodies of requests by their media types: JSON, forms, texts.
//!
//! A form becomes an object whose members are texts or lists of texts; any other text is a text.

use serde_json::{Map, Value};

use super::upstream::decoded;
use crate::strict_json;

/// Returns the value of a body; `None` without a body, and for invalid JSON.
#[must_use]
pub fn body(content_type: &str, bytes: &[u8]) -> Option<Value> {
    if bytes.is_empty() {
        return None;
    }
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_lowercase();
    let text = String::from_utf8_lossy(bytes);
    match kind.as_str() {
        "application/x-www-form-urlencoded" => {
            let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                (decoded(&name.replace('+', " ")), decoded(&value.replace('+', " ")))
            });
            Some(members(pairs))
        }
        "multipart/form-data" => {
            let boundary = content_type.split_once("boundary=").map_or("", |(_, rest)| rest);
            let boundary = boundary.split(';').next().unwrap_or_default().trim_matches('"');
            Some(members(parts(&text, boundary).into_iter()))
        }
        kind if kind.is_empty() || kind.ends_with("json") => strict_json::read(&text).ok(),
        _ => Some(Value::from(text.into_owned())),
    }
}

fn members(pairs: impl Iterator<Item = (String, String)>) -> Value {
    let mut members: Map<String, Value> = Map::new();
    for (name, text) in pairs {
        match members.get_mut(&name) {
            None => {
                members.insert(name, text.into());
            }
            Some(Value::Array(several)) => several.push(text.into()),
            Some(one) => *one = Value::Array(vec![one.clone(), text.into()]),
        }
    }
    Value::Object(members)
}

/// Names and contents of the parts.
fn parts(text: &str, boundary: &str) -> Vec<(String, String)> {
    if boundary.is_empty() {
        return Vec::new();
    }
    let boundary = format!("--{boundary}");
    let parts = text.split(boundary.as_str()).skip(1);
    parts
        .filter_map(|part| {
            let (head, content) = part.split_once("\r\n\r\n")?;
            let name = head.split_once("name=\"")?.1.split('"').next()?;
            Some((name.to_owned(), content.strip_suffix("\r\n").unwrap_or(content).to_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bodies_are_read_by_their_media_type() {
        let multipart = b"--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x\r\n\
            Content-Disposition: form-data; name=\"a\"; filename=\"f\"\r\n\r\n2\r\n--x--\r\n";
        for (kind, bytes, wanted) in [
            ("application/json", &b"{\"a\":1}"[..], json!({"a": 1})),
            ("application/merge-patch+json; charset=utf-8", b"[1]", json!([1])),
            (
                "application/x-www-form-urlencoded",
                b"a=1&b=x+y&a=2%2F",
                json!({"a": ["1", "2/"], "b": "x y"}),
            ),
            ("multipart/form-data; boundary=x", multipart, json!({"a": ["1", "2"]})),
            ("text/plain", b"1", json!("1")),
        ] {
            assert_eq!(body(kind, bytes), Some(wanted), "{kind}");
        }
        assert_eq!(body("application/json", b"{"), None);
    }
}
