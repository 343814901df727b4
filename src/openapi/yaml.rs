//! YAML as a tree of JSON values: version 1.2, its core schema, one document.
//!
//! Duplicate keys are refused, aliases are copied within a bound, and only text can be a key. Nothing is constructed.

use std::borrow::Cow;

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use serde_json::{Map, Number, Value};

use super::yaml_flow;
use crate::visible::excerpt;

/// Most collections inside each other.
const MAX_DEPTH: usize = 64;
/// How much larger than its text a document may become by its aliases.
const MAX_GROWTH: usize = 10;

/// Why a text cannot be read.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum YamlError {
    #[error("line {line}: {reason}")]
    Syntax { line: usize, reason: String },
    #[error("line {line}: the key `{key}` is duplicated")]
    Duplicate { line: usize, key: String },
    #[error("line {line}: it is nested too deeply")]
    Depth { line: usize },
    #[error("line {line}: its aliases make it more than {MAX_GROWTH} times as large as its text")]
    Growth { line: usize },
    #[error("line {line}: `*` refers to an anchor that is not complete there")]
    Alias { line: usize },
    #[error("line {line}: a key must be a text or a number")]
    Key { line: usize },
    #[error("it contains more than one document")]
    Documents,
    #[error("it is empty")]
    Empty,
}

/// Reads one document.
///
/// # Errors
/// Names the first line that is wrong.
pub fn read(text: &str) -> Result<Value, YamlError> {
    let result = read_as_it_is(text);
    if let Err(YamlError::Syntax { reason, .. }) = &result
        && reason.contains("indentation")
        && let Cow::Owned(indented) = yaml_flow::indented(text)
    {
        return read_as_it_is(&indented);
    }
    result
}

fn read_as_it_is(text: &str) -> Result<Value, YamlError> {
    let mut builder = Builder {
        open: Vec::new(),
        anchors: Vec::new(),
        budget: text.len().saturating_mul(MAX_GROWTH).saturating_add(1000),
        root: None,
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| YamlError::Syntax {
            line: error.marker().line(),
            reason: excerpt(error.info(), 200),
        })?;
        builder.take(event, span.start.line())?;
    }
    builder.root.ok_or(YamlError::Empty)
}

/// A value that was read, and how large it is.
#[derive(Clone)]
struct Sized {
    value: Value,
    size: usize,
}

/// A collection whose end was not seen yet.
enum Collection {
    List(Vec<Value>),
    Table { members: Map<String, Value>, merged: Vec<Value>, key: Option<String> },
}

struct Open {
    collection: Collection,
    anchor: usize,
    size: usize,
}

struct Builder {
    open: Vec<Open>,
    anchors: Vec<Option<Sized>>,
    budget: usize,
    root: Option<Value>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, line: usize) -> Result<(), YamlError> {
        match event {
            Event::DocumentStart(_) if self.root.is_some() => Err(YamlError::Documents),
            Event::Alias(anchor) => {
                let found = self.anchors.get(anchor).and_then(Clone::clone);
                self.place(found.ok_or(YamlError::Alias { line })?, 0, line)
            }
            Event::Scalar(text, style, anchor, tag) => {
                let is_key = self.wants_key();
                let value = if is_key {
                    Value::String(text.into_owned())
                } else {
                    scalar(&text, style, tag.as_deref())
                };
                let size = value.as_str().map_or(8, str::len) + 8;
                self.place(Sized { value, size }, anchor, line)
            }
            Event::SequenceStart(anchor, _) => {
                self.begin(Collection::List(Vec::new()), anchor, line)
            }
            Event::MappingStart(anchor, _) => {
                let table =
                    Collection::Table { members: Map::new(), merged: Vec::new(), key: None };
                self.begin(table, anchor, line)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(line),
            _ => Ok(()),
        }
    }

    fn wants_key(&self) -> bool {
        let innermost = self.open.last().map(|open| &open.collection);
        matches!(innermost, Some(Collection::Table { key: None, .. }))
    }

    fn begin(
        &mut self,
        collection: Collection,
        anchor: usize,
        line: usize,
    ) -> Result<(), YamlError> {
        if self.wants_key() {
            return Err(YamlError::Key { line });
        }
        if self.open.len() == MAX_DEPTH {
            return Err(YamlError::Depth { line });
        }
        self.open.push(Open { collection, anchor, size: 8 });
        Ok(())
    }

    fn end(&mut self, line: usize) -> Result<(), YamlError> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let value = match open.collection {
            Collection::List(items) => Value::Array(items),
            Collection::Table { mut members, merged, .. } => {
                for other in merged {
                    merge(&mut members, other, line)?;
                }
                Value::Object(members)
            }
        };
        // Its parts were counted when they came.
        self.budget = self.budget.saturating_add(open.size);
        self.place(Sized { value, size: open.size }, open.anchor, line)
    }

    fn place(&mut self, found: Sized, anchor: usize, line: usize) -> Result<(), YamlError> {
        self.budget = self.budget.checked_sub(found.size).ok_or(YamlError::Growth { line })?;
        if anchor > 0 {
            if self.anchors.len() <= anchor {
                self.anchors.resize(anchor + 1, None);
            }
            self.anchors[anchor] = Some(found.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(found.value);
            return Ok(());
        };
        open.size = open.size.saturating_add(found.size);
        match &mut open.collection {
            Collection::List(items) => items.push(found.value),
            Collection::Table { members, merged, key } => match key.take() {
                None => *key = Some(key_text(found.value, line)?),
                Some(name) if name == "<<" && !found.value.is_string() => merged.push(found.value),
                Some(name) => {
                    if members.contains_key(&name) {
                        return Err(YamlError::Duplicate { line, key: excerpt(&name, 60) });
                    }
                    members.insert(name, found.value);
                }
            },
        }
        Ok(())
    }
}

fn key_text(value: Value, line: usize) -> Result<String, YamlError> {
    match value {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(truth) => Ok(truth.to_string()),
        _ => Err(YamlError::Key { line }),
    }
}

/// Adds the members of `other` that are not there yet: what a table says itself comes first.
fn merge(members: &mut Map<String, Value>, other: Value, line: usize) -> Result<(), YamlError> {
    match other {
        Value::Object(more) => {
            for (name, value) in more {
                if !members.contains_key(&name) {
                    members.insert(name, value);
                }
            }
            Ok(())
        }
        Value::Array(tables) => {
            tables.into_iter().try_for_each(|table| merge(members, table, line))
        }
        _ => Err(YamlError::Key { line }),
    }
}

/// A scalar under the core schema: only plain ones can be anything but text.
fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    let core = tag.filter(|tag| tag.is_yaml_core_schema()).map(|tag| tag.suffix.as_str());
    let is_plain = style == ScalarStyle::Plain && tag.is_none();
    if !is_plain && !matches!(core, Some("int" | "float" | "bool" | "null")) {
        return Value::String(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

fn number(text: &str) -> Option<Number> {
    let digits = text.trim_start_matches(['+', '-']);
    if text.len() - digits.len() > 1 {
        return None;
    }
    let based = |prefix: &str, base: u32| {
        let rest = text.strip_prefix(prefix)?;
        u64::from_str_radix(rest, base).ok().map(Number::from)
    };
    if let Some(found) = based("0x", 16).or_else(|| based("0o", 8)) {
        return Some(found);
    }
    let is_decimal = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && digits.contains(|symbol: char| symbol.is_ascii_digit())
        && digits
            .chars()
            .all(|symbol| symbol.is_ascii_digit() || matches!(symbol, '.' | 'e' | 'E' | '+' | '-'));
    if !is_decimal {
        return None;
    }
    let text = text.trim_start_matches('+');
    text.parse::<i64>()
        .map(Number::from)
        .or_else(|_| text.parse::<u64>().map(Number::from))
        .ok()
        .or_else(|| text.parse::<f64>().ok().and_then(Number::from_f64))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plain_words_follow_the_core_schema() {
        let text = "a: yes\nb: no\nc: on\nd: 2020-01-01\ne: 010\nf: 0o10\ng: 0x1f\nh: 1.5\ni: ~\n\
                    j: 'true'\nk: true\nl: 1_000\nm: 12:30\nn: .5\no: !!str 7\np: -1\nq: 1.2.3\n200: ok\n";
        assert_eq!(
            read(text).unwrap(),
            json!({"a": "yes", "b": "no", "c": "on", "d": "2020-01-01", "e": 10, "f": 8, "g": 31,
                "h": 1.5, "i": null, "j": "true", "k": true, "l": "1_000", "m": "12:30", "n": 0.5,
                "o": "7", "p": -1, "q": "1.2.3", "200": "ok"})
        );
    }

    #[test]
    fn aliases_are_copied_and_merge_keys_give_way() {
        let text = "base: &base {a: 1, b: 2}\nuse: {<<: *base, b: 3}\ncopy: *base\n";
        assert_eq!(
            read(text).unwrap(),
            json!({"base": {"a": 1, "b": 2}, "use": {"b": 3, "a": 1}, "copy": {"a": 1, "b": 2}})
        );
    }

    #[test]
    fn brackets_may_close_at_the_column_of_their_key() {
        let text = "x:\n  a: {\n    \"80/tcp\": {},\n    \"b\": [1]\n  }\n  c:\n  - d: {\n    e: 1\n    }\n  f: 2\n";
        let wanted = json!({"x": {"a": {"80/tcp": {}, "b": [1]}, "c": [{"d": {"e": 1}}], "f": 2}});
        assert_eq!(read(text).unwrap(), wanted);
        let said = read("x:\n  a: {\n  b\n  }}\n").unwrap_err().to_string();
        assert!(said.starts_with("line 4"), "{said}");
    }

    #[test]
    fn hostile_yaml_is_refused_with_its_line() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let items = vec![format!("*a{}", level - 1); 10].join(", ");
            bomb += &format!("a{level}: &a{level} [{items}]\n");
        }
        for (text, wanted) in [
            (bomb.as_str(), "times as large as its text"),
            ("a: 1\na: 2\n", "line 2: the key `a` is duplicated"),
            ("a: &a [*a]\n", "anchor that is not complete"),
            ("a:\n\t- b\n", "line 2: "),
            ("[a]: 1\n", "a key must be a text"),
            ("a: 1\n---\nb: 2\n", "more than one document"),
            ("", "it is empty"),
        ] {
            let said = read(text).unwrap_err().to_string();
            assert!(said.contains(wanted), "{wanted}: {said}");
        }
        let deep = "[".repeat(10_000);
        assert!(read(&deep).is_err());
    }
}
