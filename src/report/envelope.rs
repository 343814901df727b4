//! The envelope of every answer (agent-cli §3) and the two values a command ends with.

use serde::Serialize;
use serde_json::{Map, Value};

use super::answers;
use super::contract_gen::{ErrorCode, SCHEMA_VERSION};
use crate::visible::{Visible, visible};

use super::style::Style;

/// Member that names the members beside it whose text comes from outside (agent-cli §15.8).
pub(super) const UNTRUSTED_KEY: &str = "_untrusted";

/// The result of a command that succeeded.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Business payload of the envelope.
    pub data: Value,
    /// The same for a person; no final newline.
    pub text: Visible,
    /// Bytes for `--format raw`, where the command offers it.
    pub raw: Option<Visible>,
    /// Lines for other programs that read stderr, such as workflow annotations.
    pub annotations: Vec<Visible>,
    /// Everything has been said: a server leaves stdout to its protocol.
    pub is_silent: bool,
}

impl Outcome {
    #[must_use]
    pub fn new(answer: impl Serialize, text: impl Into<Visible>) -> Self {
        let data = answers::value(&answer);
        Self { data, text: text.into(), raw: None, annotations: Vec::new(), is_silent: false }
    }

    /// Nothing more to say.
    #[must_use]
    pub fn silent() -> Self {
        Self { is_silent: true, ..Self::new(Map::new(), Visible::default()) }
    }

    #[must_use]
    pub fn raw(mut self, raw: impl Into<Visible>) -> Self {
        self.raw = Some(raw.into());
        self
    }
}

/// The failure of a command.
#[derive(Clone, Debug)]
pub struct Failure {
    pub code: ErrorCode,
    /// The fault and its reason, one sentence without a full stop.
    pub message: String,
    /// The fix: a command or an edit.
    pub hint: Option<String>,
    /// Context for machines; `hint` is added to it as `fix`.
    pub details: Map<String, Value>,
    /// A longer account for a person, shown before the error.
    pub report: Option<Visible>,
    /// Bytes for `--format raw`, where the command offers it.
    pub raw: Option<Visible>,
    /// Lines for other programs that read stderr, such as workflow annotations.
    pub annotations: Vec<Visible>,
}

impl Failure {
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
            details: Map::new(),
            report: None,
            raw: None,
            annotations: Vec::new(),
        }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Serialize) -> Self {
        self.details.insert(name.to_owned(), answers::value(&value));
        self
    }

    /// Adds all members of an answer to the details.
    #[must_use]
    pub fn with(mut self, answer: &impl Serialize) -> Self {
        self.details.extend(answers::members(answer));
        self
    }

    /// The error in two lines: what and why, then the fix.
    #[must_use]
    pub fn text(&self, style: Style) -> Visible {
        let label = style.bad(visible!("error[{}]:", self.code.as_str()));
        let mut text = visible!("{} {}", label, Visible::sentence(&self.message));
        if let Some(hint) = &self.hint {
            text.push(&visible!("\n  {} {}", style.accent("fix:"), Visible::sentence(hint)));
        }
        text
    }
}

/// Names those members of `object` that are in `untrusted`.
pub fn mark_untrusted(object: &mut Map<String, Value>, untrusted: &[&str]) {
    let present: Vec<_> = untrusted
        .iter()
        .filter(|field| object.get(**field).is_some_and(|value| !value.is_null()))
        .copied()
        .collect();
    if !present.is_empty() {
        object.insert(UNTRUSTED_KEY.to_owned(), present.into());
    }
}

/// Facts of one run that every envelope carries.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Meta {
    pub duration_ms: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Value>,
}

/// An answer around its data, or around its error.
#[derive(Serialize)]
struct AnswerEnvelope<'a> {
    ok: bool,
    schema_version: &'static str,
    /// Only in a line of a stream.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    line: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<FailedAnswer<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<&'a Meta>,
}

/// The error of an envelope.
#[derive(Serialize)]
struct FailedAnswer<'a> {
    code: &'static str,
    message: &'a str,
    details: Map<String, Value>,
    retryable: bool,
}

/// The envelope of a success.
#[must_use]
pub fn success(data: &Value, meta: &Meta) -> Value {
    answers::value(&AnswerEnvelope {
        ok: true,
        schema_version: SCHEMA_VERSION,
        line: None,
        data: Some(data),
        error: None,
        meta: Some(meta),
    })
}

/// One line of a stream.
#[must_use]
pub fn item(data: &Value) -> Value {
    answers::value(&AnswerEnvelope {
        ok: true,
        schema_version: SCHEMA_VERSION,
        line: Some("item"),
        data: Some(data),
        error: None,
        meta: None,
    })
}

/// The last line of a stream: an envelope that says that it is the last one.
#[must_use]
pub fn summary(envelope: &Value) -> Value {
    let mut line = Map::new();
    for (name, value) in envelope.as_object().into_iter().flatten() {
        line.insert(name.clone(), value.clone());
        if name == "schema_version" {
            line.insert("type".to_owned(), "summary".into());
        }
    }
    Value::Object(line)
}

/// The envelope of a failure.
#[must_use]
pub fn failure(failure: &Failure, meta: &Meta) -> Value {
    let mut details = failure.details.clone();
    if let Some(hint) = &failure.hint {
        details.insert("fix".to_owned(), hint.as_str().into());
    }
    let message = Visible::sentence(&failure.message);
    answers::value(&AnswerEnvelope {
        ok: false,
        schema_version: SCHEMA_VERSION,
        line: None,
        data: None,
        error: Some(FailedAnswer {
            code: failure.code.as_str(),
            message: message.as_str(),
            details,
            retryable: failure.code.retryable(),
        }),
        meta: Some(meta),
    })
}

/// Why a field selection cannot be made.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{field}` is not a field of this response; {}", offered(known))]
pub struct UnknownField {
    pub field: String,
    pub known: Vec<String>,
}

fn offered(known: &[String]) -> String {
    if known.is_empty() {
        "a plain value has no members".to_owned()
    } else {
        format!("it has {}", known.join(", "))
    }
}

/// Keeps the named fields of `data`; dots go into objects, and into every entry of an array.
/// A null member stays null, so that the same selection works whether the member has a value or not.
///
/// # Errors
/// Names the first field that is not there.
pub fn select(data: &Value, fields: &[String]) -> Result<Value, UnknownField> {
    let mut selected = Value::Null;
    for field in fields {
        let path: Vec<_> = field.split('.').collect();
        selected = pick(data, &path, selected)
            .map_err(|known| UnknownField { field: field.clone(), known })?;
    }
    if let (Value::Object(object), Some(Value::Array(untrusted))) =
        (&mut selected, data.get(UNTRUSTED_KEY))
    {
        let untrusted: Vec<_> = untrusted.iter().filter_map(Value::as_str).collect();
        mark_untrusted(object, &untrusted);
    }
    Ok(selected)
}

fn pick(data: &Value, path: &[&str], kept: Value) -> Result<Value, Vec<String>> {
    let Some((name, rest)) = path.split_first() else { return Ok(data.clone()) };
    match data {
        Value::Object(members) => {
            let Some(member) = members.get(*name) else {
                let known = members.keys().filter(|key| *key != UNTRUSTED_KEY);
                return Err(known.cloned().collect());
            };
            let mut object = match kept {
                Value::Object(object) => object,
                _ => Map::new(),
            };
            let before = object.remove(*name).unwrap_or(Value::Null);
            object.insert((*name).to_owned(), pick(member, rest, before)?);
            Ok(Value::Object(object))
        }
        Value::Array(entries) => {
            let mut kept = match kept {
                Value::Array(kept) => kept.into_iter(),
                _ => Vec::new().into_iter(),
            };
            entries
                .iter()
                .map(|entry| pick(entry, path, kept.next().unwrap_or(Value::Null)))
                .collect::<Result<_, _>>()
                .map(Value::Array)
        }
        Value::Null => Ok(Value::Null),
        _ => Err(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::report::contract_gen::{
        ERROR_ENVELOPE_KEYS, ERROR_OBJECT_KEYS, SUCCESS_ENVELOPE_KEYS,
    };

    fn keys(value: &Value) -> Vec<&str> {
        value.as_object().unwrap().keys().map(String::as_str).collect()
    }

    #[test]
    fn envelopes_have_exactly_the_keys_of_the_contract() {
        let meta = Meta::default();
        assert_eq!(keys(&success(&json!({}), &meta)), SUCCESS_ENVELOPE_KEYS);
        let failed = failure(&Failure::new(ErrorCode::Unknown, "x"), &meta);
        assert_eq!(keys(&failed), ERROR_ENVELOPE_KEYS);
        assert_eq!(keys(&failed["error"]), ERROR_OBJECT_KEYS);
        assert_eq!(keys(&failed["meta"]), ["duration_ms"]);
    }

    /// The cases of every language; selections of pages are not ours.
    #[test]
    fn envelopes_are_those_of_every_language() {
        let shared = include_str!("../../runtime/fixtures/envelopes.json");
        let shared: Value = serde_json::from_str(shared).unwrap();
        let rows = |name: &str| shared[name].as_array().unwrap().clone();
        let bare = |mut envelope: Value| {
            let meta = envelope["meta"].as_object_mut().unwrap();
            assert_eq!(meta.remove("duration_ms"), Some(7.into()));
            envelope
        };
        for row in rows("successes") {
            let notices = row["notices"].as_array().unwrap().clone();
            let found = success(&row["data"], &Meta { duration_ms: 7, notices });
            assert_eq!(bare(found), row["answer"], "{}", row["case"]);
        }
        for row in rows("failures") {
            let code = ErrorCode::ALL.iter().find(|code| row["code"] == code.as_str()).unwrap();
            let mut failed = Failure::new(*code, row["message"].as_str().unwrap());
            failed.details = row["details"].as_object().unwrap().clone();
            let found = failure(&failed, &Meta { duration_ms: 7, notices: Vec::new() });
            assert_eq!(bare(found), row["answer"], "{}", row["case"]);
        }
        for row in rows("fields")
            .iter()
            .filter(|row| row["data"].get("items").is_none_or(|items| !items.is_array()))
        {
            let fields: Vec<String> = serde_json::from_value(row["fields"].clone()).unwrap();
            assert_eq!(select(&row["data"], &fields), Ok(row["answer"].clone()), "{}", row["case"]);
        }
    }

    #[test]
    fn selected_fields_reach_into_objects_and_arrays() {
        let data = json!({"a": 1, "b": [{"x": 1, "y": 2}, {"x": 3, "y": 4}]});
        let fields = ["b.x".to_owned(), "a".to_owned()];
        assert_eq!(select(&data, &fields).unwrap(), json!({"b": [{"x": 1}, {"x": 3}], "a": 1}));
        let both = ["b.x".to_owned(), "b.y".to_owned()];
        assert_eq!(
            select(&data, &both).unwrap(),
            json!({"b": [{"x": 1, "y": 2}, {"x": 3, "y": 4}]})
        );
    }

    #[test]
    fn the_names_of_untrusted_fields_follow_the_selection() {
        let mut data = json!({"a": 1, "b": 2});
        mark_untrusted(data.as_object_mut().unwrap(), &["b", "c"]);
        assert_eq!(data, json!({"a": 1, "b": 2, "_untrusted": ["b"]}));
        assert_eq!(select(&data, &["a".to_owned()]).unwrap(), json!({"a": 1}));
        assert_eq!(select(&data, &["b".to_owned()]).unwrap(), json!({"b": 2, "_untrusted": ["b"]}));
    }

    #[test]
    fn null_has_every_field_and_a_plain_value_has_none() {
        let data = json!({"a": null, "b": 1});
        assert_eq!(select(&data, &["a.x".to_owned()]).unwrap(), json!({"a": null}));
        assert!(select(&data, &["b.x".to_owned()]).is_err());
    }

    #[test]
    fn a_message_cannot_drive_a_terminal() {
        let failure = Failure::new(ErrorCode::Usage, "a\u{1b}[31m\nb").hint("c\td");
        assert_eq!(
            failure.text(Style { color: false }).as_str(),
            "error[E_USAGE]: a\\u{1b}[31m b\n  fix: c\\td"
        );
    }

    #[test]
    fn an_unknown_field_names_those_that_exist() {
        let error = select(&json!({"a": 1}), &["b".to_owned()]).unwrap_err();
        assert_eq!(error.known, ["a"]);
    }
}
