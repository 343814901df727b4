//! The changes of a new contract to the values of the old one: tools compile against them, and tests assert them.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::plan::Plan;
use crate::visible::{counted, excerpt};

/// Most notes about values that change or go.
const MAX_NOTES: usize = 8;
/// Most names and most values in one note.
const MAX_NAMED: usize = 4;
/// Longest value that is shown, in characters.
const MAX_SHOWN: usize = 60;
/// Deepest member that is compared by itself.
const MAX_DEPTH: usize = 12;

/// Notes about the values that a vendored contract changes or loses, grouped by their place, and one for those that are
/// new.
#[must_use]
pub fn changed(plan: &Plan) -> Vec<String> {
    let edit = plan.edits().iter().find(|edit| edit.path.as_str().ends_with("/contract.json"));
    let sides = edit.and_then(|edit| Some((edit.before.as_ref()?, edit.after.as_ref()?)));
    let Some((before, after)) = sides else { return Vec::new() };
    let (Some(before), Some(after)) = (values(&before.bytes), values(&after.bytes)) else {
        return Vec::new();
    };
    let mut notes = changes(&before, &after);
    notes.extend(losses(&before, &after));
    let more = notes.len().saturating_sub(MAX_NOTES);
    if more > 1 {
        let left_out: usize = notes.drain(MAX_NOTES - 1..).map(|(count, _)| count).sum();
        notes.push((
            left_out,
            format!("the contract changes or loses {left_out} more values; `--diff` shows them"),
        ));
    }
    let mut notes: Vec<_> = notes.into_iter().map(|(_, note)| note).collect();
    let new = after.keys().filter(|name| !before.contains_key(*name)).count();
    if new > 0 {
        notes.push(format!("the contract has {}", counted(new, "new value")));
    }
    notes
}

type Values = BTreeMap<String, String>;

/// A note for each place with values that are others now, and the number of these values.
fn changes(before: &Values, after: &Values) -> Vec<(usize, String)> {
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (name, old) in before {
        let Some(new) = after.get(name).filter(|new| *new != old) else { continue };
        let (was, now) = shown(old, new);
        let change = format!("`{}` was {was}, becomes {now}", excerpt(name, MAX_SHOWN));
        places.entry(place(name)).or_default().push(change);
    }
    places
        .into_iter()
        .map(|(place, changes)| match changes.as_slice() {
            [only] => (1, format!("the contract changes a value: {only}")),
            several => {
                let (count, place) = (several.len(), of(place));
                (
                    count,
                    format!(
                        "the contract changes {count} values{place}: {}",
                        listed(several, "; ")
                    ),
                )
            }
        })
        .collect()
}

/// The old and the new value, each from a little before the first difference if it is further back.
fn shown(old: &str, new: &str) -> (String, String) {
    let same = old.chars().zip(new.chars()).take_while(|(was, now)| was == now).count();
    let start = same.saturating_sub(MAX_SHOWN / 3);
    let from = |text: &str| {
        if same < MAX_SHOWN * 2 / 3 {
            return excerpt(text, MAX_SHOWN);
        }
        let rest: String = text.chars().skip(start).collect();
        format!("…{}", excerpt(&rest, MAX_SHOWN))
    };
    (from(old), from(new))
}

/// A note for each place that loses members, and the number of values in them.
fn losses(before: &Values, after: &Values) -> Vec<(usize, String)> {
    // A member that is gone as a whole is one loss.
    let mut members: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for (name, old) in before.iter().filter(|(name, _)| !after.contains_key(*name)) {
        members.entry(gone(name, after)).or_default().push((name, old));
    }
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for member in members.keys() {
        places.entry(place(member)).or_default().push(member);
    }
    let values = |member: &str| members.get(member).map(Vec::as_slice).unwrap_or_default();
    let note = |(place, lost): (&str, Vec<&str>)| {
        let count = lost.iter().map(|member| values(member).len()).sum();
        let note = match lost.as_slice() {
            [only] => {
                let shown = values(only).iter().map(|(name, old)| {
                    let inner = name.strip_prefix(only).unwrap_or(name).trim_start_matches('.');
                    let inner = if inner.is_empty() { "it" } else { inner };
                    format!("{} was {}", excerpt(inner, MAX_SHOWN), excerpt(old, MAX_SHOWN))
                });
                let shown: Vec<_> = shown.collect();
                format!(
                    "the contract loses `{}`: {}",
                    excerpt(only, MAX_SHOWN),
                    listed(&shown, ", ")
                )
            }
            several => {
                let names = several.iter().map(|member| {
                    let inner = member.strip_prefix(place).unwrap_or(member);
                    format!("`{}`", excerpt(inner.trim_start_matches('.'), MAX_SHOWN))
                });
                let names: Vec<_> = names.collect();
                let place = of(place);
                format!(
                    "the contract loses {} members{place}: {}",
                    names.len(),
                    listed(&names, ", ")
                )
            }
        };
        (count, note)
    };
    places.into_iter().map(note).collect()
}

/// Names a member, unless it is the document.
fn of(place: &str) -> String {
    match place {
        "" => String::new(),
        place => format!(" of `{}`", excerpt(place, MAX_SHOWN)),
    }
}

/// The name of the member above.
fn place(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(place, _)| place)
}

/// The highest member on the way to a value of which nothing is left.
fn gone<'a>(name: &'a str, after: &Values) -> &'a str {
    let ends = name.match_indices('.').map(|(end, _)| end);
    let is_gone = |member: &&str| {
        let below = format!("{member}.");
        let next = after.range(below.clone()..).next();
        !after.contains_key(*member) && next.is_none_or(|(name, _)| !name.starts_with(&below))
    };
    ends.map(|end| &name[..end]).find(is_gone).unwrap_or(name)
}

/// The first entries of a list, and how many more there are.
fn listed(entries: &[String], separator: &str) -> String {
    let shown = entries.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>();
    let more = match entries.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", shown.join(separator))
}

/// Every value by the names of the members above it.
fn values(bytes: &[u8]) -> Option<Values> {
    let document: Value = serde_json::from_slice(bytes).ok()?;
    let mut found = BTreeMap::new();
    collect(&document, String::new(), 0, &mut found);
    Some(found)
}

fn collect(value: &Value, name: String, depth: usize, found: &mut Values) {
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
    fn long_values_are_shown_where_they_differ() {
        assert_eq!(shown("1", "2"), ("1".to_owned(), "2".to_owned()));
        let long = "a".repeat(100);
        let (was, now) = shown(&format!("{long}b{long}"), &format!("{long}c{long}"));
        let same = "a".repeat(20);
        assert!(was.starts_with(&format!("…{same}b")) && was.ends_with('…'), "{was}");
        assert!(now.starts_with(&format!("…{same}c")) && now.len() < 80, "{now}");
    }

    #[test]
    fn values_are_grouped_by_the_member_that_has_them() {
        let of = |text: &str| values(text.as_bytes()).unwrap();
        let before = of(
            r#"{"a": {"x": 1, "y": 2, "z": 3}, "rules": {"p": {"level": 1, "section": 2}, "q": 1, "r": 2},
                "codes": [{"code": "E_A", "exit": 1}, {"code": "E_B", "exit": 2}], "one": 1}"#,
        );
        let after = of(r#"{"a": {"x": 2, "y": 3, "z": 3}, "rules": {"r": 2},
                "codes": [{"code": "E_B", "exit": 2}], "one": 2}"#);
        let notes = |list: Vec<(usize, String)>| list.into_iter().collect::<Vec<_>>();
        assert_eq!(
            notes(changes(&before, &after)),
            [
                (1, "the contract changes a value: `one` was 1, becomes 2".to_owned()),
                (
                    2,
                    "the contract changes 2 values of `a`: `a.x` was 1, becomes 2; `a.y` was 2, becomes 3"
                        .to_owned()
                ),
            ]
        );
        assert_eq!(
            notes(losses(&before, &after)),
            [
                (2, "the contract loses `codes.E_A`: code was \"E_A\", exit was 1".to_owned()),
                (3, "the contract loses 2 members of `rules`: `p`, `q`".to_owned()),
            ]
        );
    }

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
