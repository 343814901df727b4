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
            let compared = published(rules, path, shot.data());
            if compared.fields > 0 {
                shot.without(compared.fault)?;
            }
        }
    }
    Ok(())
}

/// What is wrong with a value of this kind, as `it is …`; null is right for every kind.
#[must_use]
pub fn fault(kind: ValueKind, value: &Value) -> Option<&'static str> {
    let text = value.as_str();
    let (is_right, fault) = match kind {
        _ if value.is_null() => return None,
        ValueKind::Count => (value.is_u64(), "no whole number of 0 or more"),
        ValueKind::Date => (text.is_some_and(is_day), "no day as YYYY-MM-DD"),
        ValueKind::Id => (text.is_some(), "no string"),
        ValueKind::Text => (text.is_some(), "no text"),
        ValueKind::Token => (text.is_some_and(|text| !text.is_empty()), "no token"),
        ValueKind::Time => (text.is_some_and(|text| utc(text).is_some()), "no time in UTC"),
        ValueKind::Version => (text.is_some_and(|text| Version::parse(text).is_ok()), "no version"),
        ValueKind::Secret => (value.is_boolean(), "the value of a secret"),
        ValueKind::Untrusted => return None,
    };
    (!is_right).then_some(fault)
}

fn is_day(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()
}

/// Fields that were compared with their kinds.
#[derive(Debug, Default, Eq, PartialEq)]
pub struct ComparedKinds {
    pub fields: usize,
    /// What is wrong with the first one that is wrong.
    pub fault: Option<String>,
}

impl ComparedKinds {
    fn compare(&mut self, rules: &FieldRules, object: &Value, field: &str, kind: ValueKind) {
        // What its name says already is a matter of `cli.ids-and-times`.
        let is_named = rules.by_name(field) == Some(kind);
        if let Some(value) = object.get(field).filter(|_| !is_named) {
            self.fields += 1;
            self.fault = self.fault.take().or_else(|| wrong(value, field, kind));
        }
    }
}

/// The fields of the published objects in the data of a command.
pub fn published(rules: &FieldRules, path: &str, data: &Value) -> ComparedKinds {
    let mut objects: Vec<(&str, &Value)> = Vec::new();
    match path {
        "reference" | "changelog" | "update" => objects.push((path, data)),
        "context" => objects.extend([(path, data), ("credentials", &data["credentials"])]),
        _ => {}
    }
    let lists = [("notice", "notices", path), ("doctor_check", "checks", "doctor")];
    for (name, list, command) in
        lists.into_iter().chain([("changelog_entry", "entries", "changelog")])
    {
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
            let (name, kind) = line.split_once(':')?;
            Some((name.trim(), ValueKind::from_name(kind.trim())?))
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
}
