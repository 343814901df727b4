//! The facts of an API for `conform.toml`: each command with all its options, the requests it makes then, the replies.
//!
//! They come from the preset and never from the generated code, which is compared with them.

mod samples;

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use crate::families::harness::operations::{
    AuthScheme, ErrorStyle, FurtherKey, Operation, Preset, PresetAuth,
};

use self::samples::Samples;
use super::pages::IDS;

/// Most samples that a command is tried with.
const MOST_SAMPLES: usize = 9;

/// The facts of the API for conform.toml; JSON is text.
#[must_use]
pub fn facts(preset: &Preset) -> Value {
    let mut known = BTreeMap::new();
    let commands: Vec<_> =
        preset.operations.iter().map(|operation| distinct(preset, operation, &mut known)).collect();
    let (path, query) = split(&preset.api.health.path);
    let reply = match preset.api.error_style {
        ErrorStyle::OkField => json!({"id": IDS[0], "ok": true}),
        // If only the status decides, the body is arbitrary.
        ErrorStyle::Status => json!({"id": IDS[0], "ok": false}),
    };
    // A command may make the same request, and there is one reply to it.
    let mut reply = reply.to_string();
    let health_query = named(query);
    for request in commands.iter().filter_map(|command| command["requests"].as_array()).flatten() {
        let is_same = request["method"] == json!(preset.api.health.method)
            && request["path"] == path.as_str()
            && request["query"] == health_query
            && request["body"] == "";
        if let Some(text) = request["reply"].as_str().filter(|_| is_same) {
            text.clone_into(&mut reply);
        }
    }
    let refusals: Vec<_> = preset
        .refusals
        .iter()
        .map(|refusal| {
            let mut entry = json!(refusal);
            entry["headers"] = headers(&refusal.headers);
            entry
        })
        .collect();
    let partials: Vec<_> = preset
        .partials
        .iter()
        .map(|partial| {
            let mut entry = json!(partial);
            entry["headers"] = headers(&partial.headers);
            entry
        })
        .collect();
    json!({
        "base_url": preset.api.base_url,
        "auth": {
            "header": header(&preset.auth),
            "query": if preset.auth.scheme == AuthScheme::Query { preset.auth.header.as_str() } else { "" },
            "value": credentials(&preset.auth),
            "more": further(&preset.auth),
        },
        "headers": headers(&preset.api.headers),
        "health": {"method": preset.api.health.method, "path": path, "query": health_query, "reply": reply},
        "commands": commands,
        "refusals": refusals,
        "partials": partials,
    })
}

/// A command whose requests are told from those of the commands before it: where two commands of an API make the same
/// request, their samples differ, so that the mock knows which reply is wanted.
fn distinct(preset: &Preset, operation: &Operation, known: &mut BTreeMap<String, Value>) -> Value {
    let mut command = Samples::of(preset, operation, 1).command(operation);
    for number in 2..=MOST_SAMPLES {
        if requests(&command).all(|(key, reply)| known.get(&key).is_none_or(|other| other == reply))
        {
            break;
        }
        command = Samples::of(preset, operation, number).command(operation);
    }
    let made: Vec<_> = requests(&command).map(|(key, reply)| (key, reply.clone())).collect();
    known.extend(made);
    command
}

/// Returns the requests of a command by everything that distinguishes them, with their replies.
fn requests(command: &Value) -> impl Iterator<Item = (String, &Value)> {
    let requests = command["requests"].as_array().into_iter().flatten();
    requests.map(|request| {
        let parts = ["method", "path", "query", "body"].map(|part| request[part].to_string());
        (parts.join(" "), &request["reply"])
    })
}

fn headers(headers: &IndexMap<String, String>) -> Value {
    pairs(headers.iter().map(|(name, value)| (name, json!(value))))
}

fn header(auth: &PresetAuth) -> &str {
    if matches!(auth.scheme, AuthScheme::Query | AuthScheme::None) {
        return "";
    }
    let is_usual = auth.scheme == AuthScheme::Basic || auth.header.is_empty();
    if is_usual { "Authorization" } else { &auth.header }
}

fn credentials(auth: &PresetAuth) -> String {
    match auth.scheme {
        AuthScheme::Bearer => format!("Bearer {{{}}}", auth.secret_key),
        AuthScheme::None => String::new(),
        AuthScheme::Header | AuthScheme::Query => format!("{{{}}}", auth.secret_key),
        AuthScheme::Basic => format!("Basic {{{}:{}}}", auth.user_key, auth.secret_key),
    }
}

fn further(auth: &PresetAuth) -> Value {
    let entry = |more: &FurtherKey| json!({"header": more.header, "query": more.query, "value": format!("{{{}}}", more.key)});
    auth.more.iter().map(entry).collect()
}

/// Names and values in their order, which a table of the template engine would lose.
fn pairs<N: Into<String>>(entries: impl Iterator<Item = (N, Value)>) -> Value {
    entries.map(|(name, value)| json!({"name": name.into(), "value": value})).collect()
}

fn named(entries: Vec<(String, Vec<String>)>) -> Value {
    let mut merged: Vec<(String, Vec<String>)> = Vec::new();
    for (name, texts) in entries {
        // Members of an object can be parameters by themselves, and have the name of another one.
        match merged.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => known.extend(texts),
            None => merged.push((name, texts)),
        }
    }
    pairs(merged.into_iter().map(|(name, texts)| (name, json!(texts))))
}

/// A path and the query that is written behind it.
fn split(path: &str) -> (String, Vec<(String, Vec<String>)>) {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let parts = query.split('&').filter(|part| !part.is_empty());
    let entries = parts.map(|part| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        (name.to_owned(), vec![value.to_owned()])
    });
    (path.to_owned(), entries.collect())
}

/// A success, for an API that reports success in the body.
pub fn with_ok(mut body: Value, style: ErrorStyle) -> Value {
    if let (ErrorStyle::OkField, Some(members)) = (style, body.as_object_mut()) {
        members.insert("ok".to_owned(), true.into());
    }
    body
}

/// Sets a value at a dotted place; no name at all means that there is no such place.
pub fn set(tree: &mut Value, place: &str, value: Value) {
    if place.is_empty() {
        return;
    }
    let mut here = tree;
    for key in place.split('.') {
        let Value::Object(members) = here else { return };
        here = members.entry(key).or_insert_with(|| Value::Object(Map::new()));
    }
    *here = value;
}

#[cfg(test)]
mod tests;
