//! Edits of a JSON document that leave the rest of its text alone: layout, order and spacing of the author stay.
//!
//! Knows no schema. The document is valid JSON before and after; every place is looked up again for each edit.

use serde_json::Value;

/// A step from a value to one inside it.
#[derive(Clone, Copy, Debug)]
pub enum PathStep<'a> {
    Name(&'a str),
    At(usize),
}

/// Why a document cannot be edited.
#[derive(Debug, thiserror::Error, Eq, PartialEq)]
pub enum JsonEditError {
    #[error("it is not JSON: {0}")]
    Syntax(String),
    #[error("`{0}` does not exist")]
    Missing(String),
    #[error("`{path}` is not {expected}")]
    Kind { path: String, expected: &'static str },
}

/// A document with its layout.
#[derive(Clone, Debug)]
pub struct JsonText {
    text: String,
}

/// One entry of an array or member of an object.
#[derive(Clone, Debug)]
struct JsonChild {
    name: Option<String>,
    /// Where the entry begins: at its value, or at the name of a member.
    start: usize,
    value: usize,
    end: usize,
}

impl JsonText {
    /// # Errors
    /// Returns an error if the text is not JSON, or deeper than 128 levels.
    pub fn parse(text: &str) -> Result<Self, JsonEditError> {
        let parsed: Result<Value, _> = serde_json::from_str(text);
        parsed.map_err(|error| JsonEditError::Syntax(error.to_string()))?;
        Ok(Self { text: text.to_owned() })
    }

    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }

    /// The document as a value.
    #[must_use]
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    /// Adds an entry at the end of an array, laid out as the entries before it.
    ///
    /// # Errors
    /// Returns an error if there is no array at the path.
    pub fn push(&mut self, path: &[PathStep<'_>], value: &Value) -> Result<(), JsonEditError> {
        let (start, _) = self.find(path, '[', "an array")?;
        self.append(start, None, value);
        Ok(())
    }

    /// Adds a member at the end of an object.
    ///
    /// # Errors
    /// Returns an error if there is no object at the path.
    pub fn insert(
        &mut self,
        path: &[PathStep<'_>],
        name: &str,
        value: &Value,
    ) -> Result<(), JsonEditError> {
        let (start, _) = self.find(path, '{', "an object")?;
        self.append(start, Some(name), value);
        Ok(())
    }

    /// Puts another value in place of one.
    ///
    /// # Errors
    /// Returns an error if there is nothing at the path.
    pub fn replace(&mut self, path: &[PathStep<'_>], value: &Value) -> Result<(), JsonEditError> {
        let (start, end) = self.span(path)?;
        let text = self.laid_out(value, &self.indent_at(start));
        self.text.replace_range(start..end, &text);
        Ok(())
    }

    /// Takes an entry or a member out, with its comma.
    ///
    /// # Errors
    /// Returns an error if there is nothing at the path.
    pub fn remove(&mut self, path: &[PathStep<'_>]) -> Result<(), JsonEditError> {
        let Some((last, parents)) = path.split_last() else {
            return Err(JsonEditError::Missing(shown(path)));
        };
        let (start, _) = self.span(parents)?;
        let (children, close) = self.children(start);
        let at = position(&children, last).ok_or_else(|| JsonEditError::Missing(shown(path)))?;
        let range =
            match (at.checked_sub(1).and_then(|before| children.get(before)), children.get(at + 1))
            {
                (_, Some(next)) => children[at].start..next.start,
                (Some(before), None) => before.end..children[at].end,
                (None, None) => start + 1..close,
            };
        self.text.replace_range(range, "");
        Ok(())
    }

    fn append(&mut self, start: usize, name: Option<&str>, value: &Value) {
        let (children, close) = self.children(start);
        let opening = self.indent_at(start);
        let newline = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let is_wide = |from: usize, to: usize| self.text[from..to].contains('\n');
        let entry = |indent: &str| {
            let value = self.laid_out(value, indent);
            match name {
                Some(name) => format!("{}: {value}", Value::from(name)),
                None => value,
            }
        };
        let (place, inserted) = match children.last() {
            Some(last) if is_wide(start, children[0].start) => {
                let indent = self.indent_at(last.start);
                let model = &self.text[last.value..last.end];
                let is_narrow = model.starts_with('{') && !model.contains('\n');
                let entry = match (name, value) {
                    (Some(name), Value::Object(members)) if is_narrow => {
                        format!("{}: {}", Value::from(name), narrow(members, model))
                    }
                    _ => entry(&indent),
                };
                (last.end..last.end, format!(",{newline}{indent}{entry}"))
            }
            Some(last) => (last.end..last.end, format!(", {}", compact(name, value))),
            None if name.is_none() && !value.is_object() && !value.is_array() => {
                (start + 1..close, compact(name, value))
            }
            None => {
                let indent = format!("{opening}{}", self.unit());
                let text = format!("{newline}{indent}{}{newline}{opening}", entry(&indent));
                (start + 1..close, text)
            }
        };
        self.text.replace_range(place, &inserted);
    }

    /// A value over several lines, with the indentation of this document.
    fn laid_out(&self, value: &Value, indent: &str) -> String {
        let pretty = serde_json::to_string_pretty(value).unwrap_or_default();
        let newline = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let unit = self.unit();
        let lines: Vec<_> = pretty
            .lines()
            .enumerate()
            .map(|(at, line)| {
                let inner = line.trim_start_matches(' ');
                let depth = (line.len() - inner.len()) / 2;
                if at == 0 {
                    line.to_owned()
                } else {
                    format!("{indent}{}{inner}", unit.repeat(depth))
                }
            })
            .collect();
        lines.join(newline)
    }

    /// One level of indentation: that of the first indented line.
    fn unit(&self) -> String {
        let indented = self.text.lines().find(|line| line.starts_with([' ', '\t']));
        let unit: String = indented
            .unwrap_or("  ")
            .chars()
            .take_while(|symbol| matches!(symbol, ' ' | '\t'))
            .collect();
        if unit.is_empty() || unit.len() > 8 { "  ".to_owned() } else { unit }
    }

    /// White space at the start of the line of `at`.
    fn indent_at(&self, at: usize) -> String {
        let line = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        self.text[line..].chars().take_while(|symbol| matches!(symbol, ' ' | '\t')).collect()
    }

    fn find(
        &self,
        path: &[PathStep<'_>],
        opening: char,
        expected: &'static str,
    ) -> Result<(usize, usize), JsonEditError> {
        let (start, end) = self.span(path)?;
        if self.text[start..].starts_with(opening) {
            Ok((start, end))
        } else {
            Err(JsonEditError::Kind { path: shown(path), expected })
        }
    }

    fn span(&self, path: &[PathStep<'_>]) -> Result<(usize, usize), JsonEditError> {
        let mut start = skip_space(self.text.as_bytes(), 0);
        let mut end = value_end(self.text.as_bytes(), start);
        for step in path {
            let (children, _) = self.children(start);
            let child = position(&children, step).and_then(|at| children.get(at));
            let child = child.ok_or_else(|| JsonEditError::Missing(shown(path)))?;
            (start, end) = (child.value, child.end);
        }
        Ok((start, end))
    }

    /// The entries of the array or object at `start`, and the place of its closing bracket.
    fn children(&self, start: usize) -> (Vec<JsonChild>, usize) {
        let bytes = self.text.as_bytes();
        let is_object = bytes.get(start) == Some(&b'{');
        let mut found = Vec::new();
        let mut at = skip_space(bytes, start + 1);
        while !matches!(bytes.get(at), None | Some(b']' | b'}')) {
            let entry = at;
            let name = is_object.then(|| {
                let end = value_end(bytes, entry);
                let name = serde_json::from_str(&self.text[entry..end]).unwrap_or_default();
                at = skip_space(bytes, skip_space(bytes, end) + 1);
                name
            });
            let end = value_end(bytes, at);
            found.push(JsonChild { name, start: entry, value: at, end });
            at = skip_space(bytes, end);
            if bytes.get(at) == Some(&b',') {
                at = skip_space(bytes, at + 1);
            }
        }
        (found, at)
    }
}

fn compact(name: Option<&str>, value: &Value) -> String {
    match name {
        Some(name) => format!("{}: {value}", Value::from(name)),
        None => value.to_string(),
    }
}

/// An object on one line, with or without space inside its braces as `model` has it.
fn narrow(members: &serde_json::Map<String, Value>, model: &str) -> String {
    let members: Vec<_> = members
        .iter()
        .map(|(name, value)| format!("{}: {value}", Value::from(name.as_str())))
        .collect();
    let space = if model.starts_with("{ ") { " " } else { "" };
    format!("{{{space}{}{space}}}", members.join(", "))
}

/// The last member of a name counts, as in every reader.
fn position(children: &[JsonChild], step: &PathStep<'_>) -> Option<usize> {
    match step {
        PathStep::Name(name) => {
            children.iter().rposition(|child| child.name.as_deref() == Some(*name))
        }
        PathStep::At(at) => (*at < children.len() && children[*at].name.is_none()).then_some(*at),
    }
}

fn shown(path: &[PathStep<'_>]) -> String {
    let steps = path.iter().map(|step| match step {
        PathStep::Name(name) => (*name).to_owned(),
        PathStep::At(at) => at.to_string(),
    });
    steps.collect::<Vec<_>>().join(".")
}

fn skip_space(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// The end of the value at `at`, in a valid document.
fn value_end(bytes: &[u8], at: usize) -> usize {
    let mut depth = 0_usize;
    let mut place = at;
    loop {
        match bytes.get(place) {
            None => return bytes.len(),
            Some(b'"') => place = string_end(bytes, place),
            Some(b'[' | b'{') => {
                depth += 1;
                place += 1;
                continue;
            }
            Some(b']' | b'}') => {
                depth = depth.saturating_sub(1);
                place += 1;
            }
            Some(_) => {
                let is_part =
                    |byte: &&u8| !byte.is_ascii_whitespace() && !b"[]{},:\"".contains(byte);
                let length = bytes[place..].iter().take_while(is_part).count();
                place += length.max(1);
            }
        }
        if depth == 0 {
            return place;
        }
    }
}

fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut place = at + 1;
    while let Some(byte) = bytes.get(place) {
        match byte {
            b'\\' => place += 2,
            b'"' => return place + 1,
            _ => place += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json as literal;

    fn edited(text: &str, edit: impl Fn(&mut JsonText)) -> String {
        let mut document = JsonText::parse(text).unwrap();
        edit(&mut document);
        let text = document.into_text();
        assert!(JsonText::parse(&text).is_ok(), "{text}");
        text
    }

    #[test]
    fn an_entry_is_laid_out_as_those_before_it() {
        let wide = "{\n    \"a\": [\n        \"x\"\n    ],\n    \"b\": 1\n}\n";
        let path = [PathStep::Name("a")];
        let found = edited(wide, |it| it.push(&path, &literal!("y")).unwrap());
        assert_eq!(
            found,
            "{\n    \"a\": [\n        \"x\",\n        \"y\"\n    ],\n    \"b\": 1\n}\n"
        );
        let narrow = "{\"a\": [ \"x\" ], \"b\": 1}";
        let found = edited(narrow, |it| it.push(&path, &literal!({"k": 1})).unwrap());
        assert_eq!(found, "{\"a\": [ \"x\", {\"k\":1} ], \"b\": 1}");
        let empty = "{\r\n\t\"a\": []\r\n}";
        let found = edited(empty, |it| it.push(&path, &literal!({"k": 1})).unwrap());
        assert_eq!(found, "{\r\n\t\"a\": [\r\n\t\t{\r\n\t\t\t\"k\": 1\r\n\t\t}\r\n\t]\r\n}");
        assert_eq!(
            edited("{\"a\": [ ]}", |it| it.push(&path, &literal!("y")).unwrap()),
            "{\"a\": [\"y\"]}"
        );
    }

    #[test]
    fn an_entry_is_removed_with_its_comma() {
        let text = "[\n  1,\n  {\"a\": \"]}\\\"\"},\n  3\n]";
        let without = |at: usize| edited(text, |it| it.remove(&[PathStep::At(at)]).unwrap());
        assert_eq!(without(0), "[\n  {\"a\": \"]}\\\"\"},\n  3\n]");
        assert_eq!(without(1), "[\n  1,\n  3\n]");
        assert_eq!(without(2), "[\n  1,\n  {\"a\": \"]}\\\"\"}\n]");
        assert_eq!(edited("{\"a\": 1}", |it| it.remove(&[PathStep::Name("a")]).unwrap()), "{}");
    }

    #[test]
    fn members_are_added_and_replaced_and_what_is_not_there_is_named() {
        let text = "{\n  \"a\": {\n    \"b\": [1, 2]\n  }\n}\n";
        let found = edited(text, |it| {
            it.insert(&[PathStep::Name("a")], "c", &literal!("x")).unwrap();
            it.replace(&[PathStep::Name("a"), PathStep::Name("b"), PathStep::At(1)], &literal!(7))
                .unwrap();
        });
        assert_eq!(found, "{\n  \"a\": {\n    \"b\": [1, 7],\n    \"c\": \"x\"\n  }\n}\n");
        let narrow = "{\n  \"a\": { \"x\": 1 }\n}\n";
        let found =
            edited(narrow, |it| it.insert(&[], "b", &literal!({"x": 2, "y": true})).unwrap());
        assert_eq!(found, "{\n  \"a\": { \"x\": 1 },\n  \"b\": { \"x\": 2, \"y\": true }\n}\n");
        let mut document = JsonText::parse(text).unwrap();
        let missing = document.push(&[PathStep::Name("x")], &literal!(1)).unwrap_err();
        assert_eq!(missing, JsonEditError::Missing("x".to_owned()));
        assert!(document.push(&[PathStep::Name("a")], &literal!(1)).is_err());
        assert!(JsonText::parse("{").is_err());
    }
}
