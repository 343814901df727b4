//! The meaning of names: verbs of command ids, names of secrets.
//!
//! Word lists and the heuristics around them, so that every rule reads a name the same way.

/// Verbs that only look: a command that starts with one is not judged by the words after it.
const READING: &[&str] = &[
    "get", "list", "read", "show", "search", "find", "fetch", "view", "query", "count", "check",
    "describe", "lookup", "status", "preview", "export", "download", "inspect", "browse", "stat",
];

/// Verbs that cannot mean a read of the backend.
const MUTATING: &[&str] = &[
    "create",
    "update",
    "delete",
    "remove",
    "send",
    "add",
    "insert",
    "upsert",
    "edit",
    "rename",
    "move",
    "publish",
    "assign",
    "invite",
    "revoke",
    "merge",
    "cancel",
    "archive",
    "close",
    "reopen",
    "approve",
    "reject",
    "transfer",
    "destroy",
    "purge",
    "kill",
    "terminate",
    "reply",
    "comment",
    "append",
    "patch",
    "post",
    "upload",
];

/// Verbs whose effect a person cannot take back, or not without losing something.
const IRREVERSIBLE: &[&str] = &[
    "delete",
    "revoke",
    "remove",
    "destroy",
    "purge",
    "wipe",
    "erase",
    "drop",
    "terminate",
    "kill",
    "cancel",
    "void",
    "merge",
    "archive",
    "leave",
    "prune",
    "reset",
    "expire",
];

/// Words in front of a verb that say how it is done, not what is done.
const MODIFIERS: &[&str] =
    &["bulk", "batch", "mass", "multi", "force", "hard", "soft", "permanently"];

/// The effect that a verb implies for a command.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Effect {
    Reads,
    Changes,
    /// Can rarely be undone.
    Irreversible,
    /// The word may mean either.
    Unknown,
}

/// Returns the effect that the last part of a command id, such as `issue.delete`, implies.
#[must_use]
pub fn effect(id: &str) -> Effect {
    let verb = verb(id);
    if READING.contains(&verb) {
        Effect::Reads
    } else if is_irreversible(verb) {
        Effect::Irreversible
    } else if is_mutating(verb) {
        Effect::Changes
    } else {
        Effect::Unknown
    }
}

/// True if the last part of a command id says that several objects change at once.
#[must_use]
pub fn is_about_many(id: &str) -> bool {
    let first = words(id).next().unwrap_or_default();
    !READING.contains(&first)
        && words(id).any(|word| MODIFIERS[..4].contains(&word) || word == "import")
}

/// The verb of a command id: `issue.bulk_delete` is about `delete`.
pub fn verb(id: &str) -> &str {
    let mut words = words(id);
    let first = words.next().unwrap_or_default();
    if MODIFIERS.contains(&first) {
        return words.find(|word| !MODIFIERS.contains(word)).unwrap_or(first);
    }
    first
}

/// True when the last segment of an id says that many things change at once.
pub fn is_bulk(id: &str, bulk_verbs: &[String]) -> bool {
    let listed = |word: &str| bulk_verbs.iter().any(|verb| verb == word);
    let first = words(id).next().unwrap_or_default();
    // `import` is only a verb in front; `bulk` and `batch` say it anywhere (`email.send_batch`).
    !READING.contains(&first)
        && (listed(first) || words(id).any(|word| MODIFIERS.contains(&word) && listed(word)))
}

pub fn is_mutating(verb: &str) -> bool {
    MUTATING.contains(&verb)
}

pub fn is_irreversible(verb: &str) -> bool {
    IRREVERSIBLE.contains(&verb)
}

fn words(id: &str) -> impl Iterator<Item = &str> {
    let action = id.rsplit('.').next().unwrap_or_default();
    action.split(['_', '-']).filter(|word| !word.is_empty())
}

/// `GITHUB_TOKEN`: capitals, digits and underscores, starting with a letter.
pub fn is_environment_name(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_uppercase())
        && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// True if an environment variable holds a secret, judged by its name.
///
/// A name that ends in `KEY` counts unless the word before says that it is an identifier:
/// `JIRA_ISSUE_KEY` and `JIRA_PROJECT_KEY` are read by people and printed in links.
pub fn is_secret_variable(name: &str) -> bool {
    const WORDS: &[&str] =
        &["TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "CREDENTIALS", "APIKEY", "PAT"];
    const IDENTIFIERS: &[&str] = &[
        "ISSUE",
        "PROJECT",
        "SPACE",
        "OBJECT",
        "CACHE",
        "SORT",
        "IDEMPOTENCY",
        "PRIMARY",
        "FOREIGN",
        "PARTITION",
        "ROW",
        "FIELD",
        "EPIC",
        "BOARD",
        "PUBLIC",
        "PUBLISHABLE",
        "TEAM",
        "CONFIG",
    ];
    // Names of settings about a secret, not of the secret: where it is, how long it lives.
    // `…_ENV` holds the name of another variable.
    const ABOUT: &[&str] =
        &["URL", "ID", "TYPE", "NAME", "PATH", "FILE", "TTL", "LIMIT", "LIMITS", "ENV"];
    if !is_environment_name(name) {
        return false;
    }
    let words: Vec<&str> = name.split('_').collect();
    let (Some(last), before) = (words.last(), words.iter().rev().nth(1)) else { return false };
    if *last == "KEY" || *last == "KEYS" {
        return before.is_some_and(|word| !IDENTIFIERS.contains(word));
    }
    let counts_tokens = words.contains(&"MAX") || words.contains(&"PAGE");
    !ABOUT.contains(last) && !counts_tokens && words.iter().any(|word| WORDS.contains(word))
}

/// True if a Python name holds a secret, judged by its last part: `self._token`, `api_key`.
pub fn is_secret_identifier(name: &str) -> bool {
    let last = last(name).to_ascii_lowercase();
    if POSITIONS.contains(&last.as_str()) {
        return false;
    }
    last == "key" || is_secret_value(name) || last.contains("secret_") && !last.ends_with("_id")
}

/// The same where a bare `key` or `secret_name` would be an identifier, as in a path.
pub fn is_secret_value(name: &str) -> bool {
    const ENDS: &[&str] =
        &["token", "secret", "password", "passwd", "credential", "api_key", "apikey"];
    let last = last(name).to_ascii_lowercase();
    !POSITIONS.contains(&last.as_str())
        && (ENDS.iter().any(|word| last.ends_with(word))
            || ["access_key", "private_key", "service_key"].contains(&last.as_str()))
}

/// Tokens that say where a list continues.
const POSITIONS: &[&str] = &["page_token", "next_token", "sync_token", "continuation_token"];

/// The last part of a dotted name without its leading underscores: `self._token` is about `token`.
pub fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or_default().trim_start_matches('_')
}

/// True if a length is that of a few characters that stay visible; an empty one counts as a small number.
pub fn is_shown_length(name: &str) -> bool {
    const WORDS: &[&str] =
        &["keep", "visible", "show", "reveal", "chars", "prefix", "suffix", "head", "tail", "edge"];
    let name = name.to_ascii_lowercase();
    name.is_empty() || name == "n" || WORDS.iter().any(|word| name.contains(word))
}

/// True if a variable holds the address of a service, which as a rule has a default.
pub fn is_service_address(name: &str) -> bool {
    const ENDS: &[&str] =
        &["BASE_URL", "API_URL", "TOKEN_URL", "AUTH_URL", "OAUTH_URL", "API_HOST", "ENDPOINT"];
    is_environment_name(name) && ENDS.iter().any(|end| name.ends_with(end))
}

/// True if an input of a command asks for a secret, which would be visible in the list of processes.
pub fn is_secret_option(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "token",
        "api_token",
        "access_token",
        "auth_token",
        "bearer_token",
        "refresh_token",
        "bot_token",
        "api_key",
        "apikey",
        "secret",
        "client_secret",
        "api_secret",
        "secret_key",
        "private_key",
        "password",
        "passwd",
    ];
    NAMES.contains(&name.trim_start_matches('-').replace('-', "_").as_str())
}

/// Query parameters that carry a credential by their name alone.
pub fn is_secret_query(name: &str) -> bool {
    is_secret_option(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_is_found_behind_its_modifiers_and_not_in_nouns() {
        assert_eq!(verb("issue.bulk_delete"), "delete");
        assert_eq!(verb("merge_request.list"), "list");
        assert_eq!(verb("pr.list_merge_commits"), "list");
        assert_eq!(verb("prune"), "prune");
        assert_eq!(verb("batch"), "batch");
        assert_eq!(verb("..."), "");
        let bulk = ["bulk", "batch", "import"].map(str::to_owned);
        assert!(is_bulk("email.batch_send", &bulk) && is_bulk("email.send_batch", &bulk));
        assert!(is_bulk("data.import", &bulk) && is_bulk("batch", &bulk));
        assert!(!is_bulk("batch.list", &bulk) && !is_bulk("job.get_batch", &bulk));
    }

    /// Word by word: a verb that leaves the list has to leave it here as well.
    #[test]
    fn each_verb_that_cannot_be_taken_back_is_known() {
        let verbs = "delete revoke remove destroy purge wipe erase drop terminate kill cancel void merge archive leave \
                     prune reset expire";
        for verb in verbs.split_whitespace() {
            assert!(is_irreversible(verb), "{verb}");
        }
        for verb in ["create", "list", "update", "send", "deleted", ""] {
            assert!(!is_irreversible(verb), "{verb}");
        }
    }

    #[test]
    fn identifiers_and_counters_are_not_taken_for_secrets() {
        for secret in
            ["GITHUB_TOKEN", "STRIPE_WEBHOOK_SECRET", "SUPABASE_ANON_KEY", "PD_ROUTING_KEY"]
        {
            assert!(is_secret_variable(secret), "{secret}");
        }
        for plain in [
            "JIRA_ISSUE_KEY",
            "AOS_MODE",
            "GITHUB_API_URL",
            "MAX_TOKENS",
            "TEAMS_TOKEN_URL",
            "token",
        ] {
            assert!(!is_secret_variable(plain), "{plain}");
        }
        assert!(is_secret_identifier("self._api_token") && is_secret_identifier("key"));
        assert!(!is_secret_identifier("missing_keys") && !is_secret_identifier("page_token"));
        assert!(!is_secret_identifier("tokens") && !is_secret_identifier("errors"));
        assert!(is_secret_option("--api-key") && !is_secret_option("--key"));
    }
}
