//! The changes of a new contract to the values of the old one: tools compile against them, and tests assert them.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::plan::Plan;
use crate::visible::excerpt;

/// Most values that are named.
const MAX_NAMED: usize = 60;
/// Longest value that is shown, in characters.
const MAX_SHOWN: usize = 80;
/// Deepest member that is compared by itself.
const MAX_DEPTH: usize = 12;

/// One note for each value that a vendored contract loses or changes, and one for those that are new.
#[must_use]
pub fn changed(plan: &Plan) -> Vec<String> {
    let edit = plan.edits().iter().find(|edit| edit.path.as_str().ends_with("/contract.json"));
    let sides = edit.and_then(|edit| Some((edit.before.as_ref()?, edit.after.as_ref()?)));
    let Some((before, after)) = sides else { return Vec::new() };
    let (Some(before), Some(after)) = (values(&before.bytes), values(&after.bytes)) else {
        return Vec::new();
    };
    let mut notes = Vec::new();
    for (name, old) in &before {
        let (shown, was) = (excerpt(name, MAX_SHOWN), excerpt(old, MAX_SHOWN));
        match after.get(name) {
            Some(new) if new == old => {}
            Some(new) => {
                let now = excerpt(new, MAX_SHOWN);
                notes.push(format!(
                    "the contract changes a value: `{shown}` was {was}, becomes {now}"
                ));
            }
            None => notes.push(format!("the contract loses a value: `{shown}` was {was}")),
        }
    }
    let more = notes.len().saturating_sub(MAX_NAMED);
    notes.truncate(MAX_NAMED);
    if more > 0 {
        notes
            .push(format!("the contract changes or loses {more} more values; `--diff` shows them"));
    }
    let new = after.keys().filter(|name| !before.contains_key(*name)).count();
    if new > 0 {
        notes.push(format!("the contract has {new} values that are new"));
    }
    notes
}

/// Every value by the names of the members above it.
fn values(bytes: &[u8]) -> Option<BTreeMap<String, String>> {
    let document: Value = serde_json::from_slice(bytes).ok()?;
    let mut found = BTreeMap::new();
    collect(&document, String::new(), 0, &mut found);
    Some(found)
}

fn collect(value: &Value, name: String, depth: usize, found: &mut BTreeMap<String, String>) {
    let below = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
    match value {
        Value::Object(members) if depth < MAX_DEPTH => {
            for (key, member) in members {
                collect(member, below(key), depth + 1, found);
            }
        }
        // A list of objects that have names is compared by them, every other one as a whole.
        Value::Array(entries)
            if depth < MAX_DEPTH && entries.iter().all(|each| named(each).is_some()) =>
        {
            for entry in entries {
                let key = named(entry).unwrap_or_default();
                collect(entry, below(key), depth + 1, found);
            }
        }
        _ => {
            found.insert(name, value.to_string());
        }
    }
}

fn named(entry: &Value) -> Option<&str> {
    ["code", "id", "name"].into_iter().find_map(|key| entry.get(key)?.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_named_entries_are_values_of_their_own() {
        let text = br#"{"exit": {"0": "fine"}, "codes": [{"code": "E_A", "exit": 1}], "list": [1, 2], "none": []}"#;
        let found = values(text).unwrap();
        let expected = [
            ("codes.E_A.code", "\"E_A\""),
            ("codes.E_A.exit", "1"),
            ("exit.0", "\"fine\""),
            ("list", "[1,2]"),
        ];
        let expected: BTreeMap<_, _> =
            expected.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        assert_eq!(found, expected);
    }
}
