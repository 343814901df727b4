//! The calls that a connector allows, read from the maps of its `permissions.json`, and those that another state of
//! that file would deny.
//!
//! Tolerant: the file may be kept by hand. Judges nothing; `sync-spec` decides.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::contract::json;

/// Command id to required mode.
type Modes = BTreeMap<String, String>;

/// The maps of one `permissions.json`, by their key.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Grants {
    maps: BTreeMap<String, Modes>,
}

/// Something that was allowed and would be denied.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Loss {
    /// A reader of this key finds no command any more.
    Key { key: String },
    /// The command has no mode any more, so that the gate does not know it.
    Command { command: String },
    /// The command needs `after` where `before` was enough.
    Mode { command: String, before: String, after: String },
}

impl Grants {
    /// Every map of commands in the document; none when it is not readable as JSON.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
        let Ok(Value::Object(members)) = json::parse(bytes) else { return Self::default() };
        let maps = members.into_iter().filter_map(|(key, member)| {
            let Value::Object(entries) = member else { return None };
            let modes: Modes = entries
                .into_iter()
                .filter_map(|(id, mode)| Some((id, mode.as_str()?.to_owned())))
                .collect();
            (!modes.is_empty()).then_some((key, modes))
        });
        Self { maps: maps.collect() }
    }

    /// Returns the commands and modes that `self` allows and `after` denies, each command once; `modes` are ordered,
    /// lowest first.
    #[must_use]
    pub fn lost(&self, after: &Self, modes: &[&str]) -> Vec<Loss> {
        let mut losses = Vec::new();
        for (key, before) in &self.maps {
            let Some(now) = after.maps.get(key) else {
                losses.push(Loss::Key { key: key.clone() });
                continue;
            };
            let found = before.iter().filter_map(|(command, mode)| match now.get(command) {
                None => Some(Loss::Command { command: command.clone() }),
                Some(wanted) => denies(mode, wanted, modes).then(|| Loss::Mode {
                    command: command.clone(),
                    before: mode.clone(),
                    after: wanted.clone(),
                }),
            });
            for loss in found.collect::<Vec<_>>() {
                if !losses.contains(&loss) {
                    losses.push(loss);
                }
            }
        }
        losses
    }
}

/// True if a mode that was enough is not enough any more.
fn denies(before: &str, after: &str, modes: &[&str]) -> bool {
    let rank = |mode: &str| modes.iter().position(|known| *known == mode);
    // The host ranks a mode that it does not know lowest.
    rank(after).is_none_or(|needed| rank(before).unwrap_or_default() < needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODES: [&str; 4] = ["readonly", "write", "full", "admin"];

    fn grants(text: &str) -> Grants {
        Grants::read(text.as_bytes())
    }

    fn lost(before: &str, after: &str) -> Vec<Loss> {
        grants(before).lost(&grants(after), &MODES)
    }

    #[test]
    fn a_map_a_command_and_a_mode_can_be_lost() {
        let before = r#"{"tool": "x", "permissions": {"a.get": "readonly", "a.set": "write"}}"#;
        for (after, expected) in [
            (
                r#"{"commands": {"a.get": "readonly", "a.set": "write"}}"#,
                vec![Loss::Key { key: "permissions".into() }],
            ),
            (
                r#"{"permissions": {"a.get": "readonly"}}"#,
                vec![Loss::Command { command: "a.set".into() }],
            ),
            (
                r#"{"permissions": {"a.get": "readonly", "a.set": "admin"}}"#,
                vec![Loss::Mode {
                    command: "a.set".into(),
                    before: "write".into(),
                    after: "admin".into(),
                }],
            ),
            (
                r#"{"permissions": {"a.get": "readonly", "a.set": "readonly", "b": "admin"}}"#,
                vec![],
            ),
        ] {
            assert_eq!(lost(before, after), expected, "{after}");
        }
    }

    #[test]
    fn each_command_is_named_once_and_an_empty_file_loses_nothing() {
        let both = r#"{"permissions": {"a": "write"}, "commands": {"a": "write"}}"#;
        let after = r#"{"permissions": {"b": "write"}, "commands": {"b": "write"}}"#;
        assert_eq!(lost(both, after).len(), 1);
        for before in ["", "[]", "{}", r#"{"permissions": {}}"#, r#"{"commands": [1]}"#] {
            assert_eq!(lost(before, after), [], "{before}");
        }
    }

    #[test]
    fn a_mode_that_nobody_knows_is_the_lowest() {
        let unknown = r#"{"permissions": {"a": "anyone"}}"#;
        assert_eq!(lost(unknown, r#"{"permissions": {"a": "full"}}"#).len(), 1);
        assert_eq!(lost(unknown, r#"{"permissions": {"a": "readonly"}}"#), []);
    }
}
