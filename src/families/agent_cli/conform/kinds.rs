//! Kinds of fields (agent-cli §3.2): those of the published objects, and those that the schema of a command declares.

use std::collections::BTreeMap;

use semver::Version;
use serde_json::Value;

use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::FAMILY;
use crate::families::agent_cli::executable::{FieldRules, ValueKind};

use super::gate::utc;
use super::lab::{ProbeCaller, examine};
use super::stop::ProbeStep;
use super::terms;

pub const FIELD_KINDS: Probe = Probe {
    id: "cli.field-kinds",
    section: "§3.2",
    title: "Published fields, and those whose kind a schema declares, have values of their kind",
    why: "A program converts a value by its kind, and fails on another one",
    fix: "convert the value where the answer is built, or correct `kinds` of the schema",
    run: |session| examine(session, field_kinds),
    ..Probe::of(FAMILY)
};

fn field_kinds(lab: &ProbeCaller<'_>) -> ProbeStep {
    let rules = &lab.contract.fields;
    terms::since(lab, !rules.kinds.is_empty(), "kinds of fields")?;
    for path in ["reference", "context", "doctor", "changelog"] {
        let shot = lab.look(&[path]);
        if shot.is_ok() {
            shot.without(published(rules, path, shot.at("")).fault)?;
        }
    }
    let reference = lab.reference()?;
    let schemas = reference["schemas"].as_object().into_iter().flatten();
    let unknown = schemas.into_iter().find_map(|(label, schema)| unknown_kind(label, schema));
    lab.look(&["reference"]).without(unknown)
}

/// A line of `kinds` that names no field of the schema, or no kind of the contract.
fn unknown_kind(label: &str, schema: &Value) -> Option<String> {
    let fields = schema["fields"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut lines = schema["kinds"].as_array().into_iter().flatten();
    lines.find_map(|line| {
        let parts = line.as_str().and_then(|line| line.split_once(": "));
        let is_known = parts.is_some_and(|(name, kind)| {
            ValueKind::from_name(kind).is_some() && fields.iter().any(|field| field == name)
        });
        (!is_known).then(|| {
            format!("`kinds` of the schema `{label}` has {line}, which is not a field and its kind")
        })
    })
}

/// Returns the fault of a value of this kind, as `it is …`; null is valid for every kind.
#[must_use]
pub fn fault(kind: ValueKind, value: &Value) -> Option<&'static str> {
    let text = value.as_str();
    let (is_right, fault) = match kind {
        _ if value.is_null() => return None,
        ValueKind::Count => (value.is_u64(), "not a whole number of 0 or more"),
        ValueKind::Date => (text.is_some_and(is_day), "not a day as YYYY-MM-DD"),
        ValueKind::Id => (text.is_some(), "not a string"),
        ValueKind::Text => (text.is_some(), "not a text"),
        ValueKind::Token => (text.is_some_and(|text| !text.is_empty()), "not a token"),
        ValueKind::Time => (text.is_some_and(|text| utc(text).is_some()), "not a time in UTC"),
        ValueKind::Version => {
            (text.is_some_and(|text| Version::parse(text).is_ok()), "not a version")
        }
        ValueKind::Secret => (value.is_boolean(), "the value of a secret"),
        ValueKind::Untrusted => return None,
    };
    (!is_right).then_some(fault)
}

/// A day of the calendar as `YYYY-MM-DD`.
#[must_use]
pub fn is_day(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()
}

/// Fields that were compared with their kinds.
#[derive(Debug, Default, Eq, PartialEq)]
pub struct ComparedKinds {
    pub fields: usize,
    /// The fault of the first invalid value.
    pub fault: Option<String>,
}

impl ComparedKinds {
    fn compare(&mut self, rules: &FieldRules, object: &Value, field: &str, kind: ValueKind) {
        // `cli.ids-and-times` tests a field whose name already determines the kind.
        let is_named = rules.by_name(field) == Some(kind);
        if let Some(value) = object.get(field).filter(|_| !is_named) {
            self.fields += 1;
            self.fault = self.fault.take().or_else(|| wrong(value, field, kind));
        }
    }
}

/// The fields of the published objects in an answer of a command.
pub fn published(rules: &FieldRules, path: &str, document: &Value) -> ComparedKinds {
    let (meta, data) = (&document["meta"], &document["data"]);
    let mut objects: Vec<(&str, &Value)> = vec![("meta", meta)];
    match path {
        "reference" | "changelog" | "update" => objects.push((path, data)),
        "context" => objects.extend([(path, data), ("credentials", &data["credentials"])]),
        _ => {}
    }
    let entries = match path {
        "doctor" => ("doctor_check", &data["checks"]),
        "changelog" => ("changelog_entry", &data["entries"]),
        _ => ("notice", &Value::Null),
    };
    for (name, list) in [("notice", &meta["notices"]), ("notice", &data["notices"]), entries] {
        objects.extend(list.as_array().into_iter().flatten().map(|item| (name, item)));
    }
    if data.get("confirm_token").is_some() {
        objects.push(("dry_run", data));
    }
    if data["items"].is_array() {
        objects.extend([("page", data), ("batch_summary", &data["summary"])]);
    }
    let mut compared = ComparedKinds::default();
    for (name, object) in objects {
        for (field, kind) in rules.of(name).into_iter().flatten() {
            compared.compare(rules, object, field.as_str(), *kind);
        }
    }
    compared
}

/// The fields whose kind the schema of the command declares, in the data and its items.
pub fn declared(
    rules: &FieldRules,
    reference: &Value,
    schema: &Value,
    data: &Value,
) -> ComparedKinds {
    let kinds = kinds_of(schema);
    let rows = data.as_array().map_or(std::slice::from_ref(data), Vec::as_slice);
    let of_items = schema["items_schema"].as_str().map(|label| &reference["schemas"][label]);
    let item_kinds = of_items.map(kinds_of).unwrap_or_default();
    let items = data["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut compared = ComparedKinds::default();
    for (objects, kinds) in [(rows, &kinds), (items, &item_kinds)] {
        for (object, (name, kind)) in
            objects.iter().flat_map(|row| kinds.iter().map(move |kind| (row, kind)))
        {
            compared.compare(rules, object, name, *kind);
        }
    }
    compared
}

/// The kinds that a schema declares, as `name: kind`.
fn kinds_of(schema: &Value) -> BTreeMap<&str, ValueKind> {
    let lines = schema["kinds"].as_array().into_iter().flatten().filter_map(Value::as_str);
    lines
        .filter_map(|line| {
            let (name, kind) = line.split_once(": ")?;
            Some((name, ValueKind::from_name(kind)?))
        })
        .collect()
}

fn wrong(value: &Value, field: &str, kind: ValueKind) -> Option<String> {
    let fault = fault(kind, value)?;
    // A secret that is printed must not be printed once more.
    let shown = if kind == ValueKind::Secret { String::new() } else { format!(" {value},") };
    Some(format!("`{field}` is{shown} {fault}, although its kind is {}", kind.name()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::contract::SpecTag;
    use crate::families::agent_cli::contract::AgentCliContract;

    use super::*;

    #[test]
    fn each_kind_has_values_that_are_right_and_values_that_are_wrong() {
        for (kind, right, wrong) in [
            (ValueKind::Count, json!(0), json!(-1)),
            (ValueKind::Count, json!(7), json!(1.5)),
            (ValueKind::Date, json!("2026-01-31"), json!("2026-02-30")),
            (ValueKind::Id, json!("7"), json!(7)),
            (ValueKind::Text, json!(""), json!([])),
            (ValueKind::Time, json!("2026-01-01T00:00:00Z"), json!("2026-01-01T00:00:00")),
            (ValueKind::Token, json!("ct_1"), json!("")),
            (ValueKind::Version, json!("1.2.0-rc.1"), json!("1.2")),
            (ValueKind::Secret, json!(true), json!("x")),
        ] {
            assert_eq!(fault(kind, &right), None, "{kind:?} {right}");
            assert!(fault(kind, &wrong).is_some(), "{kind:?} {wrong}");
            assert_eq!(fault(kind, &Value::Null), None);
        }
    }

    #[test]
    fn a_schema_gives_the_kinds_of_its_fields_and_of_the_items_of_a_page() {
        let rules = FieldRules::default();
        let reference = json!({"schemas": {"thing": {"kinds": ["born: date"]}}});
        let page = json!({"items_schema": "thing", "kinds": ["seen: count"]});
        let data = json!({"seen": 2, "items": [{"born": "2026-01-01"}, {"born": "today"}]});
        assert!(
            declared(&rules, &reference, &page, &data)
                .fault
                .unwrap()
                .contains("`born` is \"today\"")
        );
        let data = json!({"seen": "2", "items": []});
        assert!(declared(&rules, &reference, &page, &data).fault.unwrap().contains("`seen`"));
        let secret = json!({"kinds": ["key: secret"]});
        let fault =
            declared(&rules, &reference, &secret, &json!({"key": "hunter2"})).fault.unwrap();
        assert!(!fault.contains("hunter2"), "{fault}");
    }

    #[test]
    fn each_published_field_of_the_newest_contract_is_compared() {
        let bytes = include_bytes!("../../../../contract/agent-cli/v1.2.0/contract.json");
        let tag = SpecTag::parse("v1.2.0").unwrap();
        let rules = AgentCliContract::parse(bytes, &tag).unwrap().fields;
        let around = |object: &str, value: Value| match object {
            "meta" => ("item list", json!({"meta": value})),
            "notice" => ("item list", json!({"meta": {"notices": [value]}})),
            "page" => {
                let mut page = value;
                page["items"] = json!([]);
                ("item list", json!({"data": page}))
            }
            "batch_summary" => ("item close", json!({"data": {"items": [], "summary": value}})),
            "dry_run" => {
                let mut preview = json!({"confirm_token": "ct_1"});
                preview.as_object_mut().unwrap().extend(value.as_object().unwrap().clone());
                ("item close", json!({"data": preview}))
            }
            "credentials" => ("context", json!({"data": {"credentials": value}})),
            "doctor_check" => ("doctor", json!({"data": {"checks": [value]}})),
            "changelog_entry" => ("changelog", json!({"data": {"entries": [value]}})),
            other => (
                ["reference", "context", "changelog", "update"]
                    .into_iter()
                    .find(|path| *path == other)
                    .expect(other),
                json!({"data": value}),
            ),
        };
        for (object, fields) in &rules.published {
            for (field, kind) in fields {
                let (path, document) = around(object.as_str(), json!({field.as_str(): ["wrong"]}));
                let found = published(&rules, path, &document).fault;
                // Times and ids whose name says so have a probe of their own.
                let is_named = rules.by_name(field.as_str()) == Some(*kind);
                assert_eq!(found.is_some(), !is_named, "{object}.{field}");
            }
        }
    }

    #[test]
    fn a_line_of_kinds_names_a_field_and_a_kind_of_the_contract() {
        let schema = |line: &str| json!({"fields": ["state"], "kinds": [line]});
        assert_eq!(unknown_kind("x", &schema("state: text")), None);
        for line in ["state: banana", "other: text", "state", "state:text"] {
            assert!(unknown_kind("x", &schema(line)).is_some(), "{line}");
        }
    }
}
