//! JSON with positions: what `serde_json` does not keep and findings need.
//!
//! Every value knows its byte offset; duplicate members, lone surrogates, a byte order mark and hand formatting are recorded, not lost.
//! Bounded in size and depth; never panics. Uses the size limit of `json`.

mod reader;

use std::borrow::Cow;

use super::super::json::MAX_DOCUMENT;
use reader::JsonReader;

/// Deeper nesting is refused, so that reading and dropping a value cannot exhaust the stack.
pub const MAX_DEPTH: usize = 96;

#[derive(Debug)]
pub struct JsonNode<'a> {
    pub at: usize,
    pub value: JsonValue<'a>,
}

#[derive(Debug)]
pub enum JsonValue<'a> {
    Null,
    Bool(bool),
    /// As written: a number may be larger than any type of ours.
    Number(&'a str),
    Text(Cow<'a, str>),
    List(Vec<JsonNode<'a>>),
    Object(Vec<JsonMember<'a>>),
}

#[derive(Debug)]
pub struct JsonMember<'a> {
    pub at: usize,
    pub name: Cow<'a, str>,
    pub node: JsonNode<'a>,
}

impl<'a> JsonNode<'a> {
    /// The member that counts when names repeat: the last, as in every JSON reader of the host.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&JsonMember<'a>> {
        self.members().iter().rev().find(|member| member.name == name)
    }

    #[must_use]
    pub fn members(&self) -> &[JsonMember<'a>] {
        match &self.value {
            JsonValue::Object(members) => members,
            _ => &[],
        }
    }

    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            JsonValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the kind of the value with its article, for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match &self.value {
            JsonValue::Null => "null",
            JsonValue::Bool(_) => "a boolean",
            JsonValue::Number(_) => "a number",
            JsonValue::Text(text) if text.is_empty() => "an empty string",
            JsonValue::Text(_) => "a string",
            JsonValue::List(_) => "an array",
            JsonValue::Object(_) => "an object",
        }
    }
}

#[derive(Debug)]
pub struct JsonFault {
    pub at: usize,
    pub kind: FaultKind,
}

#[derive(Debug, Eq, PartialEq)]
pub enum FaultKind {
    /// Reading stopped: what stood where something else was expected.
    Syntax(&'static str),
    /// The same member name twice in one object.
    Duplicate(String),
    /// Text that no UTF-8 file or reader of ours can hold.
    Encoding(&'static str),
}

/// The result of reading a text; `root` is absent if the text is not valid JSON to its end.
#[derive(Debug)]
pub struct JsonDocument<'a> {
    pub root: Option<JsonNode<'a>>,
    pub faults: Vec<JsonFault>,
    /// First place that is not formatted with two spaces per level and one newline at the end.
    pub untidy: Option<usize>,
}

impl<'a> JsonDocument<'a> {
    #[must_use]
    pub fn read(text: &'a str) -> Self {
        if text.len() > MAX_DOCUMENT {
            let fault = JsonFault { at: 0, kind: FaultKind::Syntax("it is larger than 4 MiB") };
            return Self { root: None, faults: vec![fault], untidy: None };
        }
        JsonReader::new(text).document()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<FaultKind> {
        JsonDocument::read(text).faults.into_iter().map(|fault| fault.kind).collect()
    }

    /// The same value for `serde_json`, to compare with its own reading.
    fn plain(node: &JsonNode<'_>) -> serde_json::Value {
        match &node.value {
            JsonValue::Null => serde_json::Value::Null,
            JsonValue::Bool(truth) => (*truth).into(),
            JsonValue::Number(digits) => serde_json::from_str(digits).unwrap_or_default(),
            JsonValue::Text(text) => text.as_ref().into(),
            JsonValue::List(items) => items.iter().map(plain).collect::<Vec<_>>().into(),
            JsonValue::Object(members) => serde_json::Value::Object(
                members.iter().map(|m| (m.name.clone().into_owned(), plain(&m.node))).collect(),
            ),
        }
    }

    #[test]
    fn it_reads_what_serde_json_reads_and_refuses_what_it_refuses() {
        for text in [
            "{}",
            "[]",
            " [1, -0, 0.5, 1e9, 12E-3] ",
            r#"{"a":{"b":[true,false,null]},"é":"\u00e9\ud83d\ude00\n"}"#,
            r#"["\"\\\/\b\f\n\r\t"]"#,
            "\"text\"",
            "01",
            "[1,]",
            "{\"a\":1,}",
            "{a:1}",
            "[1 2]",
            "\"\u{1}\"",
            "\"\\x\"",
            "tru",
            "1.",
            "-",
            "1e",
            "{\"a\" 1}",
            "[",
            "",
            "nullx",
            "\"\\u12\"",
        ] {
            let document = JsonDocument::read(text);
            match serde_json::from_str::<serde_json::Value>(text) {
                Ok(value) => {
                    assert!(document.faults.is_empty(), "{text}: {:?}", document.faults);
                    assert_eq!(document.root.as_ref().map(plain), Some(value), "{text}");
                }
                Err(_) => assert!(!document.faults.is_empty(), "{text} was accepted"),
            }
        }
    }

    #[test]
    fn duplicate_members_are_reported_in_small_and_large_objects() {
        assert_eq!(kinds(r#"{"a":1,"b":2,"a":3}"#), [FaultKind::Duplicate("a".into())]);
        let many: String = (0..40).map(|index| format!("\"k{index}\":1,")).collect();
        let text = format!("{{{many}\"k7\":2}}");
        assert_eq!(kinds(&text), [FaultKind::Duplicate("k7".into())]);
        assert_eq!(
            JsonDocument::read(&text)
                .root
                .as_ref()
                .and_then(|root| root.member("k7"))
                .map(|m| m.at),
            Some(text.len() - 7)
        );
    }

    #[test]
    fn a_lone_surrogate_and_a_byte_order_mark_are_faults_that_do_not_stop_reading() {
        let document = JsonDocument::read("\u{feff}{\"a\":\"\\ud800x\"}");
        assert_eq!(document.faults.len(), 2);
        let root = document.root.unwrap();
        assert_eq!(root.member("a").unwrap().node.text(), Some("\u{fffd}x"));
    }

    #[test]
    fn deep_nesting_stops_without_exhausting_the_stack() {
        let text = "[".repeat(3_000_000);
        assert!(matches!(kinds(&text)[..], [FaultKind::Syntax(_)]));
        let large = " ".repeat(MAX_DOCUMENT + 1);
        assert!(matches!(kinds(&large)[..], [FaultKind::Syntax(_)]));
    }

    #[test]
    fn two_spaces_per_level_and_one_newline_are_tidy() {
        for tidy in ["{}\n", "{\n  \"a\": [\n    1,\n    2\n  ]\n}\n", "{\n  \"a\": [1, 2]\n}\n"] {
            assert_eq!(JsonDocument::read(tidy).untidy, None, "{tidy}");
        }
        for untidy in [
            "{\n  \"a\": 1\n}",
            "{\n  \"a\": 1\n}\n\n",
            "{\n    \"a\": 1\n}\n",
            "{\r\n  \"a\": 1\r\n}\r\n",
            "{\n\t\"a\": 1\n}\n",
            "{\"a\":1}\n",
            "{\n  \"a\": 1 \n}\n",
        ] {
            assert!(JsonDocument::read(untidy).untidy.is_some(), "{untidy:?}");
        }
    }
}
