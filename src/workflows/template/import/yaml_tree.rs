//! The YAML of a copier.yml as a tree: one document, no tags, no aliases; bounded.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

use crate::visible::excerpt;

/// Most collections inside each other.
const MAX_DEPTH: usize = 32;

/// Why a text is not read: the line, and the reason.
pub type TreeFault = (usize, String);

enum OpenNode {
    List(Vec<Value>),
    Table(Map<String, Value>, Option<String>),
}

/// Reads one document.
///
/// # Errors
/// The first line that is wrong or has what is not supported.
pub fn read(text: &str) -> Result<Value, TreeFault> {
    let mut open: Vec<OpenNode> = Vec::new();
    let mut root = None;
    for event in Parser::new_from_str(text) {
        let (event, span) =
            event.map_err(|error| (error.marker().line(), excerpt(error.info(), 200)))?;
        let line = span.start.line();
        let value = match event {
            Event::Alias(_) => return Err((line, "aliases are not supported".to_owned())),
            Event::Scalar(text, style, _, _) => scalar(&text, style == ScalarStyle::Plain),
            Event::SequenceStart(..) => {
                open.push(OpenNode::List(Vec::new()));
                deep(&open, line)?;
                continue;
            }
            Event::MappingStart(..) => {
                open.push(OpenNode::Table(Map::new(), None));
                deep(&open, line)?;
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(OpenNode::List(items)) => Value::Array(items),
                Some(OpenNode::Table(members, _)) => Value::Object(members),
                None => return Err((line, "a collection ends that never began".to_owned())),
            },
            _ => continue,
        };
        match open.last_mut() {
            None if root.is_some() => return Err((line, "it has several documents".to_owned())),
            None => root = Some(value),
            Some(OpenNode::List(items)) => items.push(value),
            Some(OpenNode::Table(members, key)) => match key.take() {
                None => match value {
                    Value::String(text) => *key = Some(text),
                    Value::Bool(_) | Value::Number(_) => *key = Some(value.to_string()),
                    _ => return Err((line, "a key is not a text".to_owned())),
                },
                Some(key) => {
                    if members.contains_key(&key) {
                        return Err((line, format!("`{}` is a key twice", excerpt(&key, 60))));
                    }
                    members.insert(key, value);
                }
            },
        }
    }
    root.ok_or((1, "it is empty".to_owned()))
}

fn deep(open: &[OpenNode], line: usize) -> Result<(), TreeFault> {
    if open.len() > MAX_DEPTH {
        return Err((line, "it is nested too deeply".to_owned()));
    }
    Ok(())
}

fn scalar(text: &str, is_plain: bool) -> Value {
    match text {
        _ if !is_plain => Value::from(text),
        "" | "~" | "null" => Value::Null,
        "true" | "True" | "yes" | "Yes" => Value::Bool(true),
        "false" | "False" | "no" | "No" => Value::Bool(false),
        text => match text.parse::<i64>() {
            Ok(number) => Value::from(number),
            Err(_) => Value::from(text),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_a_copier_file_are_read_and_faults_have_a_line() {
        let text = "name: shop\nuse_x:\n  type: bool\n  default: yes\nport: 80\nlist: [a, 'b']\n";
        let tree = read(text).unwrap();
        let json =
            r#"{"name":"shop","use_x":{"type":"bool","default":true},"port":80,"list":["a","b"]}"#;
        assert_eq!(tree, serde_json::from_str::<Value>(json).unwrap());
        assert_eq!(read("a: 1\na: 2\n").unwrap_err().0, 2);
        assert!(read("a: *x\n").is_err());
        assert!(read("a: [").is_err());
    }
}
