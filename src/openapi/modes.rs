//! The mode that a command needs, and the class of its effect.
//!
//! In doubt, the mode is the higher one; `--mode ID=MODE` overrides it.

use super::actions::is_verb;
use super::called::{called_by_name, may_change};
use super::model::Endpoint;
use crate::contract::rules::{Effect, effect, is_about_many};

/// The modes, the lowest first.
pub const MODES: [&str; 4] = ["readonly", "write", "full", "admin"];
/// Words of a path or an operation that say that something cannot be undone.
const FINAL: &[&str] = &[
    "archive",
    "purge",
    "prune",
    "revoke",
    "rotate",
    "regenerate",
    "transfer",
    "deactivate",
    "terminate",
    "destroy",
    "wipe",
    "erase",
    "reset",
    "cancel",
    "void",
    "uninstall",
];
/// Words that say that a GET changes something.
const CHANGING: [&str; 25] = [
    "reset",
    "delete",
    "remove",
    "revoke",
    "rotate",
    "purge",
    "cancel",
    "activate",
    "deactivate",
    "enable",
    "disable",
    "start",
    "stop",
    "restart",
    "trigger",
    "approve",
    "reject",
    "logout",
    "unsubscribe",
    "send",
    "uninstall",
    "terminate",
    "destroy",
    "wipe",
    "erase",
];
/// Words at the end of a POST that only asks.
const ASKING: [&str; 10] = [
    "search", "query", "graphql", "preview", "validate", "evaluate", "compare", "count", "get",
    "list",
];

/// The decision about one command.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ModeDecision {
    pub mode: &'static str,
    pub class: &'static str,
    pub reason: String,
}

/// Decides the mode of an operation whose id is known.
#[must_use]
pub fn decide(endpoint: &Endpoint, id: &str) -> ModeDecision {
    let action = id.split_once('.').map_or(id, |(_, action)| action);
    let path = endpoint.path.to_lowercase();
    let words: Vec<&str> =
        path.split(['/', ':', '-', '_', '.']).filter(|word| !word.starts_with('{')).collect();
    let last = words.last().copied().unwrap_or_default();
    let has = |known: &[&'static str]| known.iter().find(|word| words.contains(word)).copied();
    let first = action.split('_').next().unwrap_or_default();
    let decided =
        |mode, class, reason: &str| ModeDecision { mode, class, reason: reason.to_owned() };
    match endpoint.method.as_str() {
        "GET" | "HEAD" => {
            if endpoint.is_marked_unsafe {
                return decided(
                    "write",
                    "write",
                    "its author marks it as one that changes something",
                );
            }
            if let Some((_, called)) = called_by_name(&endpoint.path)
                && may_change(&called, is_verb)
            {
                return ModeDecision {
                    reason: format!("`{first}` in its path changes something"),
                    ..final_or_write(first, action)
                };
            }
            // A noun at the end is what is read; the verb before it names nothing that is done.
            match CHANGING.iter().find(|word| last == **word || **word == first) {
                Some(word) if !action.starts_with("get") || last == *word => ModeDecision {
                    reason: format!("`{word}` in its path changes something"),
                    ..final_or_write(word, action)
                },
                _ => decided("readonly", "read", "it only reads"),
            }
        }
        "DELETE" => decided("admin", "destructive", "DELETE"),
        method => {
            if effect(action) == Effect::Irreversible || FINAL.contains(&first) {
                return decided("admin", "destructive", &format!("`{first}` can rarely be undone"));
            }
            if let Some(word) = has(FINAL).filter(|word| last == *word) {
                return decided("admin", "destructive", &format!("`{word}` can rarely be undone"));
            }
            if is_about_many(id)
                || matches!(first, "bulk" | "batch" | "import")
                || has(&["bulk", "batch"]).is_some()
            {
                return decided("full", "write", "it changes several things at once");
            }
            if ASKING.contains(&last) && method == "POST" {
                return decided(
                    "write",
                    "write",
                    &format!(
                        "a POST to `{last}` may only read: choose `--mode {id}=readonly` if so"
                    ),
                );
            }
            decided("write", "write", method)
        }
    }
}

fn final_or_write(word: &str, action: &str) -> ModeDecision {
    let is_final = FINAL.contains(&word)
        || matches!(word, "delete" | "remove")
        || effect(action) == Effect::Irreversible;
    if is_final {
        ModeDecision { mode: "admin", class: "destructive", reason: String::new() }
    } else {
        ModeDecision { mode: "write", class: "write", reason: String::new() }
    }
}

/// Why a mode cannot be chosen.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ModeFault {
    Unknown,
    /// It would let a caller change something who may not.
    TooLow {
        lowest: &'static str,
        why: String,
    },
}

/// A mode by its name, with the class that belongs to it.
///
/// # Errors
/// Returns an error if there is no such mode, or it is lower than what the request does.
pub fn chosen(
    mode: &str,
    endpoint: &Endpoint,
    id: &str,
    before: &ModeDecision,
) -> Result<ModeDecision, ModeFault> {
    let place = MODES.iter().position(|known| *known == mode).ok_or(ModeFault::Unknown)?;
    if let Some((lowest, why)) = lowest(endpoint, id)
        && MODES.iter().position(|known| *known == lowest).is_some_and(|least| place < least)
    {
        return Err(ModeFault::TooLow { lowest, why });
    }
    let mode = MODES[place];
    let class = match (mode, before.class) {
        ("readonly", _) => "read",
        ("admin", "destructive") => "destructive",
        (_, "read") => "read",
        (_, _) => "write",
    };
    let class = if class == "read" && mode != "readonly" { "write" } else { class };
    Ok(ModeDecision { mode, class, reason: "--mode".to_owned() })
}

/// The lowest mode that can be chosen: verbs that the contract reserves, and methods that always change something.
fn lowest(endpoint: &Endpoint, id: &str) -> Option<(&'static str, String)> {
    let action = id.split_once('.').map_or(id, |(_, action)| action);
    if effect(action) == Effect::Irreversible {
        return Some(("admin", format!("`{action}` cannot be undone")));
    }
    match endpoint.method.as_str() {
        "GET" | "HEAD" | "POST" => None,
        method => Some(("write", format!("a {method} changes something"))),
    }
}
