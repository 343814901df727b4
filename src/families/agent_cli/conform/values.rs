//! Faults in the values of an answer (agent-cli §8, §15.8): ids, times, marks of outside text.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::families::agent_cli::executable::{FieldRules, ValueKind};

use super::kinds;

/// The kind of a field by its name; tags before v1.2.0 say it in their text alone.
fn by_name(rules: &FieldRules, name: &str) -> Option<ValueKind> {
    match name {
        _ if !rules.names.is_empty() => rules.by_name(name),
        _ if name == "id" || name.ends_with("_id") => Some(ValueKind::Id),
        _ if name.ends_with("_at") => Some(ValueKind::Time),
        _ => None,
    }
}

/// The same for the data of a command: labels of schemas in `reference` are not fields.
pub fn wrong_of(rules: &FieldRules, path: &str, data: &Value) -> Option<(Vec<String>, String)> {
    let Some(members) = data.as_object().filter(|_| path == "reference") else {
        return wrong(rules, data);
    };
    let own = members.iter().filter(|(key, _)| *key != "schemas");
    let labels = members.get("schemas").and_then(Value::as_object).into_iter().flatten();
    let own: Value = own.map(|(key, member)| (key.clone(), member.clone())).collect();
    wrong(rules, &own).or_else(|| labels.into_iter().find_map(|(_, schema)| wrong(rules, schema)))
}

/// The first field that is not of the kind that its name says: the names that lead to it, and what is wrong.
pub fn wrong(rules: &FieldRules, value: &Value) -> Option<(Vec<String>, String)> {
    match value {
        Value::Array(items) => items.iter().find_map(|item| wrong(rules, item)),
        Value::Object(members) => members.iter().find_map(|(key, member)| {
            let here = |fault: String| Some((vec![key.clone()], fault));
            let kind = by_name(rules, key);
            // `checked_at` of a table may be a table of its own.
            let is_plain = !member.is_object() && !member.is_array() && !member.is_boolean();
            if let Some(kind) = kind.filter(|kind| *kind == ValueKind::Id || is_plain)
                && let Some(fault) = kinds::fault(kind, member)
            {
                return here(format!("`{key}` is {member}, which is {fault}"));
            }
            let (mut path, fault) = wrong(rules, member)?;
            path.insert(0, key.clone());
            Some((path, fault))
        }),
        _ => None,
    }
}

/// The first mark that names no member of its object.
pub fn stray_mark(value: &Value, key: &str) -> Option<String> {
    match value {
        Value::Array(items) => items.iter().find_map(|item| stray_mark(item, key)),
        Value::Object(members) => {
            let marks = members.get(key).and_then(Value::as_array).into_iter().flatten();
            let stray = marks.filter_map(Value::as_str).find(|mark| !members.contains_key(*mark));
            stray
                .map(str::to_owned)
                .or_else(|| members.iter().find_map(|(_, member)| stray_mark(member, key)))
        }
        _ => None,
    }
}

/// The first foreign text that this object, not one below it, has and does not name.
pub fn unmarked_here(value: &Value, key: &str, foreign: &BTreeSet<&str>) -> Option<String> {
    let members = value.as_object()?;
    let marks = members.get(key).and_then(Value::as_array).into_iter().flatten();
    let marks: BTreeSet<&str> = marks.filter_map(Value::as_str).collect();
    let mut stray = members.iter().filter(|(name, member)| {
        foreign.contains(name.as_str()) && is_text(member) && !marks.contains(name.as_str())
    });
    stray.next().map(|(name, _)| name.clone())
}

/// A text, or a list of texts such as labels.
#[must_use]
pub fn is_text(value: &Value) -> bool {
    let texts = value.as_array().filter(|list| !list.is_empty());
    value.is_string() || texts.is_some_and(|list| list.iter().all(Value::is_string))
}

/// The first foreign text that its object does not name.
pub fn unmarked(value: &Value, key: &str, foreign: &BTreeSet<&str>) -> Option<String> {
    unmarked_here(value, key, foreign).or_else(|| below(value, key, foreign))
}

/// The same without the outermost object.
pub fn below(value: &Value, key: &str, foreign: &BTreeSet<&str>) -> Option<String> {
    match value {
        Value::Array(items) => items.iter().find_map(|item| unmarked(item, key, foreign)),
        Value::Object(members) => {
            members.iter().find_map(|(_, member)| unmarked(member, key, foreign))
        }
        _ => None,
    }
}

/// The first free text among the arguments of a write that its response has in another form. A text of one word can be
/// a name that the upstream replaces, as `close` by `closed`.
pub fn other_text(arguments: &[String], data: &Value) -> Option<String> {
    let mut pairs = arguments.windows(2).filter_map(|pair| {
        let name = pair[0].strip_prefix("--")?.replace('-', "_");
        let text = data.get(&name)?.as_str()?;
        Some((name, text, pair[1].as_str()))
    });
    let is_other = |(_, text, asked): &(String, &str, &str)| asked.contains(' ') && text != asked;
    pairs.find(is_other).map(|(name, _, _)| name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn text_of_others_has_to_be_named_on_its_own_object() {
        let foreign = BTreeSet::from(["title"]);
        let value = json!({"items": [{"title": "a", "_untrusted": ["title"]}, {"title": "b"}]});
        assert_eq!(unmarked(&value, "_untrusted", &foreign), Some("title".to_owned()));
        assert_eq!(unmarked(&value["items"][0], "_untrusted", &foreign), None);
        assert_eq!(below(&value["items"][1], "_untrusted", &foreign), None);
        let labels = BTreeSet::from(["labels"]);
        let value = json!({"labels": ["a"], "_untrusted": []});
        assert_eq!(unmarked(&value, "_untrusted", &labels), Some("labels".to_owned()));
        assert_eq!(unmarked(&json!({"labels": []}), "_untrusted", &labels), None);
        assert_eq!(unmarked(&json!({"labels": [{"id": "1"}]}), "_untrusted", &labels), None);
    }

    #[test]
    fn a_write_returns_the_texts_that_it_was_given() {
        let arguments = ["--id", "2", "--new-title", "Better title", "--state", "close"];
        let arguments = arguments.map(str::to_owned);
        let data = |title: &str| json!({"id": "2", "new_title": title, "state": "closed"});
        assert_eq!(other_text(&arguments, &data("Better title")), None);
        assert_eq!(other_text(&arguments, &data("Old")), Some("new_title".to_owned()));
        assert_eq!(other_text(&arguments, &json!({"id": "2"})), None);
    }

    #[test]
    fn a_label_of_a_schema_is_not_a_field() {
        let rules = FieldRules::default();
        let data = json!({"schemas": {"thing_by_id": {"shape": "object"}}, "made_at": null});
        assert!(wrong_of(&rules, "reference", &data).is_none());
        assert!(wrong_of(&rules, "other", &data).is_some());
        let data = json!({"schemas": {"thing": {"made_at": "today"}}});
        assert!(wrong_of(&rules, "reference", &data).is_some());
        assert!(wrong_of(&rules, "reference", &json!({"id": 7})).is_some());
    }

    #[test]
    fn a_wrong_value_is_found_with_the_names_that_lead_to_it() {
        let value = json!({"a": [{"id": "1"}, {"made_at": "2026-01-01T00:00:00+02:00"}]});
        let open = FieldRules::default();
        let (path, fault) = wrong(&open, &value).unwrap();
        assert_eq!(path, ["a", "made_at"]);
        assert!(fault.contains("not a time in UTC"));
        assert_eq!(wrong(&open, &json!({"id": 7})).unwrap().1, "`id` is 7, which is not a string");
        assert!(wrong(&open, &json!({"made_at": 1767225600})).is_some());
        assert!(wrong(&open, &json!({"id": null, "made_at": "2026-01-01T00:00:00Z"})).is_none());
    }
}
