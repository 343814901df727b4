//! Kinds of fields (agent-cli §3.2): those of the published objects, and those that the schema of a command declares.

use std::collections::BTreeMap;

use semver::Version;
use serde_json::Value;

use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::FAMILY;
use crate::families::agent_cli::executable::{FieldKind, FieldRules};

use super::gate::utc;
use super::lab::{ProbeCaller, examine};
use super::stop::ProbeStep;
use super::terms;

pub const FIELD_KINDS: Probe = Probe {
    id: "cli.field-kinds",
    section: "§3.2",
    title: "Published fields, and those whose kind a schema declares, have values of their kind",
    why: "A program converts a value by its kind, and fails on another one",
    fix: "Convert the value where the answer is built, or correct `kinds` of the schema",
    run: |session| examine(session, field_kinds),
    ..Probe::of(FAMILY)
};

fn field_kinds(lab: &ProbeCaller<'_>) -> ProbeStep {
    let rules = &lab.contract.fields;
    terms::since(lab, !rules.kinds.is_empty(), "kinds of fields")?;
    for path in ["reference", "context", "doctor", "changelog"] {
        let shot = lab.look(&[path]);
        if shot.is_ok() {
            shot.without(published(rules, path, shot.data()))?;
        }
    }
    Ok(())
}

/// What is wrong with a value of this kind, as `it is …`; null is right for every kind.
#[must_use]
pub fn fault(kind: FieldKind, value: &Value) -> Option<&'static str> {
    let text = value.as_str();
    let (is_right, fault) = match kind {
        _ if value.is_null() => return None,
        FieldKind::Count => (value.is_u64(), "no whole number of 0 or more"),
        FieldKind::Date => (text.is_some_and(is_day), "no day as YYYY-MM-DD"),
        FieldKind::Id => (text.is_some(), "no string"),
        FieldKind::Text => (text.is_some(), "no text"),
        FieldKind::Token => (text.is_some_and(|text| !text.is_empty()), "no token"),
        FieldKind::Time => (text.is_some_and(|text| utc(text).is_some()), "no time in UTC"),
        FieldKind::Version => (text.is_some_and(|text| Version::parse(text).is_ok()), "no version"),
        FieldKind::Secret => (value.is_boolean(), "the value of a secret"),
        FieldKind::Untrusted => return None,
    };
    (!is_right).then_some(fault)
}

fn is_day(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()
}

/// The first field of a published object in the data of a command that has another kind.
pub fn published(rules: &FieldRules, path: &str, data: &Value) -> Option<String> {
    let mut objects: Vec<(&str, &Value)> = Vec::new();
    match path {
        "reference" | "changelog" | "update" => objects.push((path, data)),
        "context" => objects.extend([(path, data), ("credentials", &data["credentials"])]),
        _ => {}
    }
    let lists = [("notice", "notices", path), ("doctor_check", "checks", "doctor")];
    for (name, list, command) in lists.into_iter().chain([("changelog_entry", "entries", "changelog")]) {
        if command == path {
            let items = data[list].as_array().into_iter().flatten();
            objects.extend(items.map(|item| (name, item)));
        }
    }
    if data.get("confirm_token").is_some() {
        objects.push(("dry_run", data));
    }
    if data["items"].is_array() {
        objects.extend([("page", data), ("batch_summary", &data["summary"])]);
    }
    objects.into_iter().find_map(|(name, object)| {
        let mut fields = rules.of(name)?.iter();
        fields.find_map(|(field, kind)| wrong(object, field.as_str(), *kind))
    })
}

/// The first field whose value has not the kind that the schema of the command declares, in the data or its items.
pub fn declared(reference: &Value, schema: &Value, data: &Value) -> Option<String> {
    let kinds = kinds_of(schema);
    let rows = data.as_array().map_or(std::slice::from_ref(data), Vec::as_slice);
    let of_items = schema["items_schema"].as_str().map(|label| &reference["schemas"][label]);
    let item_kinds = of_items.map(kinds_of).unwrap_or_default();
    let items = data["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    let here = rows.iter().find_map(|row| first_wrong(row, &kinds));
    here.or_else(|| items.iter().find_map(|item| first_wrong(item, &item_kinds)))
}

/// The kinds that a schema declares, as `name: kind`.
fn kinds_of(schema: &Value) -> BTreeMap<&str, FieldKind> {
    let lines = schema["kinds"].as_array().into_iter().flatten().filter_map(Value::as_str);
    lines
        .filter_map(|line| {
            let (name, kind) = line.split_once(':')?;
            Some((name.trim(), FieldKind::from_name(kind.trim())?))
        })
        .collect()
}

fn first_wrong(object: &Value, kinds: &BTreeMap<&str, FieldKind>) -> Option<String> {
    kinds.iter().find_map(|(name, kind)| wrong(object, name, *kind))
}

fn wrong(object: &Value, field: &str, kind: FieldKind) -> Option<String> {
    let value = object.get(field)?;
    let fault = fault(kind, value)?;
    // A secret that is printed must not be printed once more.
    let shown = if kind == FieldKind::Secret { String::new() } else { format!(" {value},") };
    Some(format!("`{field}` is{shown} {fault}, although its kind is {}", kind.name()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_kind_has_values_that_are_right_and_values_that_are_wrong() {
        for (kind, right, wrong) in [
            (FieldKind::Count, json!(0), json!(-1)),
            (FieldKind::Count, json!(7), json!(1.5)),
            (FieldKind::Date, json!("2026-01-31"), json!("2026-02-30")),
            (FieldKind::Id, json!("7"), json!(7)),
            (FieldKind::Text, json!(""), json!([])),
            (FieldKind::Time, json!("2026-01-01T00:00:00Z"), json!("2026-01-01T00:00:00")),
            (FieldKind::Token, json!("ct_1"), json!("")),
            (FieldKind::Version, json!("1.2.0-rc.1"), json!("1.2")),
            (FieldKind::Secret, json!(true), json!("x")),
        ] {
            assert_eq!(fault(kind, &right), None, "{kind:?} {right}");
            assert!(fault(kind, &wrong).is_some(), "{kind:?} {wrong}");
            assert_eq!(fault(kind, &Value::Null), None);
        }
    }

    #[test]
    fn a_schema_gives_the_kinds_of_its_fields_and_of_the_items_of_a_page() {
        let reference = json!({"schemas": {"thing": {"kinds": ["born: date"]}}});
        let page = json!({"items_schema": "thing", "kinds": ["seen: count"]});
        let data = json!({"seen": 2, "items": [{"born": "2026-01-01"}, {"born": "today"}]});
        assert!(declared(&reference, &page, &data).unwrap().contains("`born` is \"today\""));
        let data = json!({"seen": "2", "items": []});
        assert!(declared(&reference, &page, &data).unwrap().contains("`seen`"));
        let secret = json!({"kinds": ["key: secret"]});
        let fault = declared(&reference, &secret, &json!({"key": "hunter2"})).unwrap();
        assert!(!fault.contains("hunter2"), "{fault}");
    }
}
