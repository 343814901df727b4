//! Faults in the shape of an answer (agent-cli §3 to §6), as pure functions of the contract and the answer.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::contract::name::Key;
use crate::families::agent_cli::contract::AgentCliContract;
use crate::families::agent_cli::contract::EnvelopeKeys;
use crate::reason::Reason;
use crate::strict_json;

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect()
}

fn wanted(keys: &[Key]) -> BTreeSet<&str> {
    keys.iter().map(Key::as_str).collect()
}

fn listed(keys: &BTreeSet<&str>) -> String {
    keys.iter().copied().collect::<Vec<_>>().join(", ")
}

/// Returns the fault of the bytes around a document that can be read.
pub fn stdout(bytes: &[u8], document: &Value) -> Option<String> {
    if bytes.contains(&b'\r') {
        return Some("stdout has carriage returns".to_owned());
    }
    if bytes.contains(&0x1b) {
        return Some("stdout has control sequences of a terminal".to_owned());
    }
    (!document.is_object()).then(|| "stdout is not a JSON object".to_owned())
}

/// Returns the fault of the members of an envelope.
pub fn envelope(rules: &EnvelopeKeys, document: &Value) -> Option<String> {
    if !document["ok"].is_boolean() {
        return Some("`ok` is not a boolean".to_owned());
    }
    let rule = if document["ok"] == true { &rules.success_keys } else { &rules.error_keys };
    let (found, wanted) = (keys(document), wanted(rule));
    (found != wanted).then(|| format!("the keys are {}, not {}", listed(&found), listed(&wanted)))
}

/// Returns the fault of the member `error` of a failure.
pub fn error(rules: &EnvelopeKeys, document: &Value) -> Option<String> {
    let error = &document["error"];
    let (found, wanted) = (keys(error), wanted(&rules.error_object_keys));
    if found != wanted {
        let (found, wanted) = (listed(&found), listed(&wanted));
        return Some(format!("the keys of the error are {found}, not {wanted}"));
    }
    if !error["details"].is_object() {
        return Some("`error.details` is not an object".to_owned());
    }
    if !error["retryable"].is_boolean() {
        return Some("`error.retryable` is not a boolean".to_owned());
    }
    let says = error["message"].as_str().is_some_and(|message| !message.trim().is_empty());
    (!says).then(|| "`error.message` is empty".to_owned())
}

/// Returns the fault of the member `meta`.
pub fn meta(rules: &EnvelopeKeys, document: &Value) -> Option<String> {
    let meta = &document["meta"];
    let required = wanted(&rules.meta_required_keys);
    let allowed: BTreeSet<&str> =
        required.union(&wanted(&rules.meta_optional_keys)).copied().collect();
    let found = keys(meta);
    if !found.is_superset(&required) || !found.is_subset(&allowed) {
        return Some(format!("the keys of `meta` are {}", listed(&found)));
    }
    if !meta["duration_ms"].is_u64() {
        return Some("`meta.duration_ms` is not a whole number".to_owned());
    }
    let is_empty = meta["notices"].as_array().is_some_and(Vec::is_empty);
    is_empty.then(|| "`meta.notices` is present but empty".to_owned())
}

/// Returns the fault of the member `schema_version`.
pub fn schema_version(rules: &EnvelopeKeys, document: &Value) -> Option<String> {
    let (found, wanted) = (&document["schema_version"], rules.schema_version_value.as_str());
    (found.as_str() != Some(wanted))
        .then(|| format!("`schema_version` is {found}, not \"{wanted}\""))
}

/// Returns the contradiction between `ok` and the exit code.
pub fn ok_and_exit(document: &Value, exit: Option<i32>) -> Option<String> {
    let ok = document["ok"] == true;
    let agree = exit.is_some_and(|exit| ok == (exit == 0));
    let exit = exit.map_or("none".to_owned(), |exit| exit.to_string());
    (!agree).then(|| format!("`ok` is {ok}, but the exit code is {exit}"))
}

/// Returns the contradiction between code, exit code and `retryable` of a failure, and the table.
pub fn code(
    contract: &AgentCliContract,
    reference: &Value,
    document: &Value,
    exit: Option<i32>,
) -> Option<String> {
    let code = document["error"]["code"].as_str().unwrap_or_default();
    let core = contract.error_codes.core.iter().find(|(name, _)| name.as_str() == code);
    let own = &reference["error_codes"][code];
    let known = match core {
        Some((_, spec)) => Some((i64::from(spec.exit), spec.retryable)),
        None => own["exit"].as_i64().zip(own["retryable"].as_bool()),
    };
    let Some((wanted, retryable)) = known else {
        return Some(format!("`{code}` is neither a core code nor one of `reference`"));
    };
    if exit.map(i64::from) != Some(wanted) {
        return Some(format!(
            "`{code}` has the exit code {wanted}, but the program ended with another one"
        ));
    }
    (document["error"]["retryable"] != retryable)
        .then(|| format!("`retryable` of `{code}` is {retryable}, but the envelope differs"))
}

/// The first key with a capital letter behind a small one.
pub fn camel(value: &Value) -> Option<String> {
    let is_camel = |key: &str| {
        let symbols: Vec<char> = key.chars().collect();
        symbols.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
    };
    match value {
        Value::Object(members) => {
            members.iter().find_map(
                |(key, member)| if is_camel(key) { Some(key.clone()) } else { camel(member) },
            )
        }
        Value::Array(items) => items.iter().find_map(camel),
        _ => None,
    }
}

/// The lines of a stream; what is wrong with the first one that is wrong.
///
/// # Errors
/// Says what is wrong with a line.
pub fn stream(rules: &EnvelopeKeys, text: &str) -> Result<Vec<Value>, Reason> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let object = strict_json::read(line).ok().filter(Value::is_object);
        let object = object.ok_or("a line of the stream is not a JSON object")?;
        if let Some(key) = rules.stream_keys.iter().find(|key| object.get(key.as_str()).is_none()) {
            return Err(format!("a line of the stream has no `{key}`").into());
        }
        lines.push(object);
    }
    Ok(lines)
}

/// Returns the fault of the end of a stream that ended by itself.
pub fn summary(rules: &EnvelopeKeys, lines: &[Value]) -> Option<String> {
    let last = lines.last().map_or("", |line| line["type"].as_str().unwrap_or_default());
    (last != rules.stream_last_type.as_str())
        .then(|| format!("the last line has the type `{last}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn camel_case_is_found_at_any_depth_and_codes_are_not_camel_case() {
        let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(camel(&value("{\"a\":[{\"userId\":1}]}")), Some("userId".to_owned()));
        assert_eq!(camel(&value("{\"E_NOT_FOUND\":{\"exit\":3}}")), None);
    }
}
