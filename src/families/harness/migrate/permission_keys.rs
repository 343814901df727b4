//! `permission-keys`: permissions.json follows from connector.json, when both already say the same.

use serde_json::{Map, Value};

use crate::contract::json;
use crate::workflows::migrate::seam::{RewriteSubject, Rewritten, UntouchedPlace};

use super::places::{MANIFEST, PERMISSIONS};

/// Members that aos writes.
const MEMBERS: [&str; 4] = ["tool", "backend", "permissions", "commands"];
/// Most differences that are listed.
const MAX_LISTED: usize = 20;

/// Leaves the file to the generator.
pub fn rewrite(subject: &RewriteSubject<'_>) -> Rewritten {
    if subject.managed.contains(PERMISSIONS) {
        return Rewritten::default();
    }
    let generated = Rewritten { generates: true, ..Rewritten::default() };
    let Some(bytes) = subject.files.bytes(PERMISSIONS) else { return generated };
    let refused =
        |reason: String| Rewritten::refused(UntouchedPlace::of(PERMISSIONS, None, reason));
    let document = match json::parse(bytes) {
        Ok(Value::Object(document)) => document,
        Ok(_) => return refused("it is not an object".to_owned()),
        Err(error) => return refused(format!("it cannot be read: {error}")),
    };
    let Some(manifest) = subject.files.bytes(MANIFEST).and_then(|bytes| json::parse(bytes).ok())
    else {
        return refused("connector.json cannot be read".to_owned());
    };
    let reasons = differences(&document, &manifest);
    if reasons.is_empty() {
        return generated;
    }
    let places = reasons.into_iter().take(MAX_LISTED);
    let untouched = places.map(|reason| UntouchedPlace::of(PERMISSIONS, None, reason)).collect();
    Rewritten { untouched, ..Rewritten::default() }
}

/// Modes by id, as the manifest has them.
#[must_use]
pub fn modes(manifest: &Value) -> Map<String, Value> {
    let commands = manifest.get("commands").and_then(Value::as_array);
    let entry = |command: &Value| {
        let id = command.get("id")?.as_str()?.to_owned();
        Some((id, command.get("required_mode")?.clone()))
    };
    commands.into_iter().flatten().filter_map(entry).collect()
}

/// Returns the facts that would be lost or changed.
fn differences(document: &Map<String, Value>, manifest: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for name in document.keys().filter(|name| !MEMBERS.contains(&name.as_str())) {
        found.push(format!("aos would not keep its member `{}`", json::printable(name)));
    }
    for name in ["tool", "backend"] {
        if let (Some(here), Some(there)) = (document.get(name), manifest.get(name))
            && here != there
        {
            found.push(format!("its `{name}` differs from that of connector.json"));
        }
    }
    let wanted = modes(manifest);
    for key in ["permissions", "commands"] {
        let Some(map) = document.get(key) else { continue };
        let Some(map) = map.as_object() else {
            found.push(format!("`{key}` is not an object"));
            continue;
        };
        for (id, mode) in map {
            let id = json::printable(id);
            match wanted.get(id.as_str()) {
                None => found.push(format!("connector.json has no command `{id}`")),
                Some(other) if other != mode => {
                    found.push(format!(
                        "`{id}` has the mode {mode} here and {other} in connector.json"
                    ));
                }
                Some(_) => {}
            }
        }
        for id in wanted.keys().filter(|id| !map.contains_key(*id)) {
            found.push(format!("`{}` of connector.json has no mode here", json::printable(id)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_that_differs_is_named_with_both_sides() {
        let parse = |text: &str| json::parse(text.as_bytes()).unwrap();
        let manifest =
            parse(r#"{"backend":"b","commands":[{"id":"a.get","required_mode":"readonly"}]}"#);
        let of = |text: &str| differences(parse(text).as_object().unwrap(), &manifest);
        assert!(of(r#"{"backend":"b","permissions":{"a.get":"readonly"}}"#).is_empty());
        let found = of(r#"{"backend":"b","permissions":{"a.get":"write","x":"admin"},"note":1}"#);
        assert_eq!(found.len(), 3, "{found:?}");
    }
}
