//! The action of an operation's id, derived from the method and the last word of the path.

use crate::contract::rules::{Effect, effect};

/// Verbs at the end of a path: what is done to the thing before them.
const VERBS: &[&str] = &[
    "search",
    "query",
    "cancel",
    "archive",
    "unarchive",
    "close",
    "reopen",
    "open",
    "approve",
    "reject",
    "merge",
    "lock",
    "unlock",
    "enable",
    "disable",
    "activate",
    "deactivate",
    "start",
    "stop",
    "restart",
    "pause",
    "resume",
    "retry",
    "rerun",
    "run",
    "send",
    "publish",
    "unpublish",
    "revoke",
    "rotate",
    "reset",
    "refresh",
    "sync",
    "verify",
    "validate",
    "accept",
    "decline",
    "confirm",
    "complete",
    "void",
    "refund",
    "capture",
    "pay",
    "finalize",
    "transfer",
    "move",
    "copy",
    "clone",
    "duplicate",
    "rename",
    "restore",
    "purge",
    "prune",
    "resize",
    "wait",
    "unpause",
    "import",
    "export",
    "upload",
    "download",
    "invite",
    "join",
    "leave",
    "subscribe",
    "unsubscribe",
    "follow",
    "unfollow",
    "star",
    "unstar",
    "watch",
    "unwatch",
    "assign",
    "unassign",
    "add",
    "remove",
    "delete",
    "create",
    "update",
    "dismiss",
    "submit",
    "trigger",
    "dispatch",
    "ping",
    "test",
    "preview",
    "render",
    "count",
    "check",
    "login",
    "logout",
    "suspend",
    "unsuspend",
    "ban",
    "unban",
    "block",
    "unblock",
    "mute",
    "unmute",
    "pin",
    "unpin",
    "batch",
    "bulk",
    "generate",
    "convert",
    "compare",
    "find",
    "list",
    "get",
    "set",
    "apply",
    "attach",
    "detach",
    "evaluate",
    "execute",
    "kill",
    "hold",
    "release",
    "sign",
    "ship",
    "fulfill",
    "snooze",
    "acknowledge",
    "resolve",
    "promote",
    "demote",
    "clear",
    "flush",
    "scan",
    "trash",
    "untrash",
    "like",
    "unlike",
    "vote",
    "freeze",
    "unfreeze",
    "redeliver",
    "regenerate",
    "replay",
    "split",
    "escalate",
    "terminate",
    "commit",
    "rollback",
    "reboot",
    "resend",
    "reply",
    "forward",
    "exchange",
    "graphql",
];
/// First words of a path that say nothing.
const PREFIXES: [&str; 5] = ["api", "rest", "latest", "public", "wp_json"];
pub fn is_prefix(word: &str) -> bool {
    let digits = word.strip_prefix('v').or_else(|| word.strip_prefix("nv")).unwrap_or(word);
    let is_version = digits.starts_with(|first: char| first.is_ascii_digit())
        && digits.trim_start_matches(|symbol: char| symbol.is_ascii_digit() || symbol == '_').len()
            <= 6
        && (digits.len() < word.len()
            || digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_'));
    is_version || PREFIXES.contains(&word)
}

pub fn is_verb(word: &str) -> bool {
    let first = word.split('_').next().unwrap_or_default();
    VERBS.contains(&word) || word.contains('_') && VERBS.contains(&first)
}

/// Returns the action of a verb at the end of a path, for this method.
pub fn verb_action(method: &str, verb: &str) -> String {
    let is_read = matches!(method, "GET" | "HEAD");
    match method {
        "DELETE" => format!("delete_{verb}"),
        _ if is_read && effect(verb) != Effect::Reads => format!("get_{verb}"),
        _ => verb.trim_end_matches('_').to_owned(),
    }
}

pub fn item_action(method: &str, has: &dyn Fn(&str) -> bool) -> String {
    let action = match method {
        "GET" => "get",
        "HEAD" => "check",
        "DELETE" => "delete",
        "PATCH" => "update",
        "PUT" if has("PATCH") => "replace",
        "PUT" => "update",
        "POST" if has("PATCH") || has("PUT") => "submit",
        _ => "update",
    };
    action.to_owned()
}

pub fn collection_action(
    method: &str,
    is_many: bool,
    is_list: bool,
    has: &dyn Fn(&str) -> bool,
) -> String {
    let action = match method {
        "GET" if is_many => "list",
        "GET" => "get",
        "HEAD" => "check",
        "POST" if is_list && !is_many => "search",
        "POST" => "create",
        "PATCH" => "update",
        "PUT" if has("PATCH") => "replace",
        "PUT" if is_many => "replace",
        "PUT" => "update",
        "DELETE" if is_many => "delete_all",
        _ => "delete",
    };
    action.to_owned()
}
