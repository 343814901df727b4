//! Python literals.

use serde_json::Value;

/// A pure ASCII Python string literal; double-quoted unless single quotes need fewer escapes, as formatters want it.
#[must_use]
pub fn string(text: &str) -> String {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    if text.bytes().all(is_plain) {
        return format!("\"{text}\"");
    }
    let count = |quote: char| text.chars().filter(|symbol| *symbol == quote).count();
    let quote = if count('"') > count('\'') { '\'' } else { '"' };
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push(quote);
    for symbol in text.chars() {
        match symbol {
            _ if symbol == quote => {
                literal.push('\\');
                literal.push(quote);
            }
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            ' '..='~' => literal.push(symbol),
            _ if u32::from(symbol) <= 0xff => {
                literal.push_str(&format!("\\x{:02x}", u32::from(symbol)))
            }
            _ if u32::from(symbol) <= 0xffff => {
                literal.push_str(&format!("\\u{:04x}", u32::from(symbol)))
            }
            _ => literal.push_str(&format!("\\U{:08x}", u32::from(symbol))),
        }
    }
    literal.push(quote);
    literal
}

/// A JSON value as a Python expression on one line.
#[must_use]
pub fn value(value: &Value) -> String {
    let mut text = String::new();
    write(&mut text, value);
    text
}

fn write(text: &mut String, value: &Value) {
    match value {
        Value::Null => text.push_str("None"),
        Value::Bool(true) => text.push_str("True"),
        Value::Bool(false) => text.push_str("False"),
        Value::Number(number) => text.push_str(&number.to_string()),
        Value::String(value) => text.push_str(&string(value)),
        Value::Array(values) => {
            text.push('[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                write(text, value);
            }
            text.push(']');
        }
        Value::Object(members) => {
            text.push('{');
            for (index, (name, value)) in members.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                text.push_str(&string(name));
                text.push_str(": ");
                write(text, value);
            }
            text.push('}');
        }
    }
}

/// The width that the standard formatters of Python keep to.
const WIDTH: usize = 88;

/// `name = value` as formatters lay it out: on one line when it fits, else one entry on each line.
#[must_use]
pub fn assignment(name: &str, data: &Value) -> String {
    let mut text = format!("{name} = ");
    let used = text.len();
    write_lines(&mut text, data, 0, used, 0);
    text
}

/// `name=value` as an argument on a line of its own, at this indentation, without the comma behind it.
#[must_use]
pub fn argument(name: &str, data: &Value, indent: usize) -> String {
    let mut text = format!("{name}=");
    let used = indent + text.len();
    write_lines(&mut text, data, indent, used, 1);
    text
}

/// Writes a value that begins at column `used`, is followed by `after` more characters, and whose closing bracket has
/// this indentation.
fn write_lines(text: &mut String, data: &Value, indent: usize, used: usize, after: usize) {
    let flat = value(data);
    let entries: Vec<(String, &Value)> = match data {
        Value::Array(values) => values.iter().map(|value| (String::new(), value)).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (format!("{}: ", string(name)), value)).collect()
        }
        _ => Vec::new(),
    };
    if used + flat.len() + after <= WIDTH || entries.is_empty() {
        text.push_str(&flat);
        return;
    }
    let (open, close) = if data.is_array() { ("[", "]") } else { ("{", "}") };
    text.push_str(open);
    for (name, value) in entries {
        let inner = indent + 4;
        text.push_str(&format!("\n{}{name}", " ".repeat(inner)));
        write_lines(text, value, inner, inner + name.len(), 1);
        text.push(',');
    }
    text.push_str(&format!("\n{}{close}", " ".repeat(indent)));
}

/// A tuple of strings: `("a", "b")`, `("a",)`, `()`.
#[must_use]
pub fn tuple<T: AsRef<str>>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<_> = items.into_iter().map(|item| string(item.as_ref())).collect();
    match items.as_slice() {
        [only] => format!("({only},)"),
        _ => format!("({})", items.join(", ")),
    }
}

/// A list of strings: `["a", "b"]`.
#[must_use]
pub fn list<T: AsRef<str>>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<_> = items.into_iter().map(|item| string(item.as_ref())).collect();
    format!("[{}]", items.join(", "))
}

/// A string literal, or `None`.
#[must_use]
pub fn optional(text: Option<&str>) -> String {
    text.map_or_else(|| "None".to_owned(), string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_its_literal() {
        assert_eq!(string("a'b\\c\nd\r\u{0}"), r#""a'b\\c\nd\r\x00""#);
        assert_eq!(string("a\"b"), "'a\"b'");
        assert_eq!(string("a\"b'c"), r#""a\"b'c""#);
        assert_eq!(string("é\u{2028}😀"), r#""\xe9\u2028\U0001f600""#);
    }

    #[test]
    fn tuples_of_any_length_are_tuples() {
        assert_eq!(tuple::<&str>([]), "()");
        assert_eq!(tuple(["a"]), "(\"a\",)");
        assert_eq!(tuple(["a", "b"]), "(\"a\", \"b\")");
    }

    #[test]
    fn an_assignment_breaks_only_what_does_not_fit() {
        let json: Value = serde_json::from_str(&format!(
            r#"[{{"a": 1, "b": ["{}", "{}"]}}, {{"c": {{}}}}]"#,
            "x".repeat(40),
            "y".repeat(40)
        ))
        .unwrap();
        let expected = format!(
            "N = [\n    {{\n        \"a\": 1,\n        \"b\": [\n            \"{}\",\n            \"{}\",\n        ],\n    }},\n    {{\"c\": {{}}}},\n]",
            "x".repeat(40),
            "y".repeat(40),
        );
        assert_eq!(assignment("N", &json), expected);
        assert_eq!(assignment("N", &serde_json::json!([])), "N = []");
    }

    #[test]
    fn values_keep_their_types() {
        let json: Value = serde_json::from_str(r#"{"a":[1,-2.5,true,null,"x"]}"#).unwrap();
        assert_eq!(value(&json), r#"{"a": [1, -2.5, True, None, "x"]}"#);
    }
}
