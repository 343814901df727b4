//! The kind of a command, by the words of `reference`: those of the contract (since v1.2.0), else the usual ones, which
//! `cli.command-types` reports. An unknown word proves nothing.

use serde_json::Value;

use crate::families::agent_cli::executable::CommandRules;

const READS: &[&str] = &[
    "read",
    "reads",
    "read-only",
    "readonly",
    "query",
    "queries",
    "get",
    "list",
    "view",
    "show",
    "search",
    "stream",
    "subscription",
    "watch",
];
const WRITES: &[&str] = &[
    "write",
    "writes",
    "read-write",
    "mutation",
    "mutate",
    "mutating",
    "create",
    "update",
    "delete",
    "destructive",
    "modify",
    "change",
    "upsert",
    "patch",
    "batch",
    "bulk",
];

/// The kind of a command.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CommandKind {
    Reads,
    Writes,
    /// `reference` does not state the kind, or uses an unknown word.
    Unknown,
}

/// Returns the kind of a command according to `reference`.
pub fn of(rules: &CommandRules, command: &Value) -> CommandKind {
    let word = command["type"].as_str().unwrap_or_default().trim().to_lowercase();
    let word = word.replace([' ', '_'], "-");
    // How it is confirmed is said of writes alone, in words that the contract defines.
    let is_confirmed = command.get("confirm").is_some_and(|confirm| !confirm.is_null());
    let defined = command["type"].as_str().and_then(|word| rules.changes(word));
    let (reads, writes) = match defined {
        Some(changes) => (!changes, changes),
        None => (READS.contains(&word.as_str()), WRITES.contains(&word.as_str())),
    };
    match (reads, writes) {
        (true, _) if is_confirmed || command["dangerous"] == true => CommandKind::Unknown,
        (true, _) => CommandKind::Reads,
        (_, true) => CommandKind::Writes,
        _ => CommandKind::Unknown,
    }
}

pub fn reads(rules: &CommandRules, command: &Value) -> bool {
    of(rules, command) == CommandKind::Reads
}

pub fn writes(rules: &CommandRules, command: &Value) -> bool {
    of(rules, command) == CommandKind::Writes
}

/// True if a command is a write that always requires a token, which is also the default.
pub fn is_gated(rules: &CommandRules, command: &Value) -> bool {
    writes(rules, command) && command.get("confirm").is_none_or(|confirm| confirm == "always")
}

/// Returns the reason for an unknown word.
pub fn unclear(rules: &CommandRules, path: &str, command: &Value) -> Option<String> {
    if of(rules, command) != CommandKind::Unknown {
        return None;
    }
    let word = command["type"].as_str().unwrap_or_default();
    Some(format!(
        "in `reference`, `{path}` has the type `{word}`, which does not show whether it reads or writes"
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn open() -> CommandRules {
        CommandRules::default()
    }

    #[test]
    fn usual_words_mean_the_same_and_unknown_ones_show_nothing() {
        for word in ["read", "Query", "read_only"] {
            assert_eq!(of(&open(), &json!({"type": word})), CommandKind::Reads, "{word}");
        }
        for word in ["write", "mutation", "Delete"] {
            assert_eq!(of(&open(), &json!({"type": word})), CommandKind::Writes, "{word}");
        }
        for command in [json!({}), json!({"type": "thing"}), json!({"type": 7})] {
            assert_eq!(of(&open(), &command), CommandKind::Unknown, "{command}");
            assert!(unclear(&open(), "x", &command).is_some());
        }
        assert_eq!(
            of(&open(), &json!({"type": "read", "confirm": "always"})),
            CommandKind::Unknown
        );
        assert!(is_gated(&open(), &json!({"type": "mutation"})));
        assert!(!is_gated(&open(), &json!({"type": "write", "confirm": "exempt"})));
    }

    #[test]
    fn the_words_of_the_contract_come_first() {
        let rules = r#"{"types": {"list": {"changes": true}}, "required": []}"#;
        let rules: CommandRules = serde_json::from_str(rules).unwrap();
        assert_eq!(of(&rules, &json!({"type": "list"})), CommandKind::Writes);
        assert_eq!(of(&rules, &json!({"type": "read"})), CommandKind::Reads);
        assert_eq!(of(&rules, &json!({"type": "levitate"})), CommandKind::Unknown);
    }
}
