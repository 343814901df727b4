//! The table of an API from what was decided about its operations.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::table::{
    DescribedAuth, DescribedInput, DescribedKey, DescribedListing, DescribedOperation,
    DescribedTool,
};
use crate::openapi::{
    ApiCommand, ApiCredentials, ApiDescription, ApiInput, ApiPlan, CredentialForm, InputKind,
    InputPlace, ListForm, ReplyKind,
};
use crate::visible::excerpt;

/// Largest made-up reply that is kept whole, in bytes of JSON.
const MAX_SAMPLE: usize = 3_000;

/// The table.
#[must_use]
pub fn table((name, prefix): (&str, &str), api: &ApiDescription, plan: &ApiPlan) -> DescribedTool {
    let title = if api.title.is_empty() { name } else { &api.title };
    DescribedTool {
        title: excerpt(title, 60),
        summary: if api.summary.is_empty() { title.to_owned() } else { api.summary.clone() },
        documentation: api.documentation.clone(),
        base_url: plan.base_url.clone(),
        health: plan.health.clone().unwrap_or_default(),
        auth: auth(prefix, &plan.credentials),
        operations: same_things(
            plan.commands
                .iter()
                .map(|command| operation(command, &plan.credentials.form))
                .collect(),
        ),
    }
}

/// Operations name one thing by one sample, even if only one of them describes its form.
fn same_things(mut operations: Vec<DescribedOperation>) -> Vec<DescribedOperation> {
    let mut samples = BTreeMap::new();
    for operation in &operations {
        for input in operation.inputs_in("path") {
            if let Some(sample) = &input.sample {
                samples
                    .entry((path_to(&operation.path, &input.name), input.kind.clone()))
                    .or_insert_with(|| sample.clone());
            }
        }
    }
    for operation in &mut operations {
        let path = operation.path.clone();
        for input in operation.inputs.iter_mut().filter(|input| input.place == "path") {
            let key = (path_to(&path, &input.name), input.kind.clone());
            if let Some(sample) = samples.get(&key) {
                input.sample = Some(sample.clone());
            }
        }
    }
    operations
}

/// `/apps/{}/keys/{}` of `/apps/{app}/keys/{key}/uses`, up to the parameter `key`.
fn path_to(path: &str, name: &str) -> String {
    let end = format!("{{{name}}}");
    let before = path.split_once(&end).map_or(path, |(before, _)| before);
    let parts = before.split('{').map(|part| part.split_once('}').map_or(part, |(_, after)| after));
    format!("{}{{}}", parts.collect::<Vec<_>>().join("{}"))
}

/// Variables that every tool has for itself.
const OWN_VARIABLES: [&str; 9] = [
    "HOME",
    "BASE_URL",
    "TIMEOUT",
    "KEYRING",
    "CONFIRM_LIFETIME",
    "UPDATE_API_URL",
    "UPDATE_TIMEOUT",
    "REFRESH_TOKEN",
    "TOKEN_EXPIRES_AT",
];

/// How the credential, or each of several keys, is sent.
fn auth(prefix: &str, credentials: &ApiCredentials) -> DescribedAuth {
    let (form, name) = match &credentials.form {
        CredentialForm::None => ("none", ""),
        CredentialForm::Bearer => ("bearer", ""),
        CredentialForm::Basic => ("basic", ""),
        CredentialForm::Header(name) => ("header", name.as_str()),
        CredentialForm::Query(name) => ("query", name.as_str()),
    };
    if credentials.more.is_empty() {
        return DescribedAuth { form: form.to_owned(), name: name.to_owned(), keys: Vec::new() };
    }
    let short = |variable: &str| {
        let own = variable.strip_prefix(prefix).unwrap_or(variable).trim_start_matches('_');
        let is_taken = OWN_VARIABLES.contains(&own);
        if is_taken { format!("{own}_KEY") } else { own.to_owned() }
    };
    let is_key = matches!(form, "header" | "query");
    let first = DescribedKey {
        variable: if is_key { short(&credentials.secret) } else { "TOKEN".to_owned() },
        form: form.to_owned(),
        name: name.to_owned(),
    };
    let more = credentials.more.iter().map(|key| DescribedKey {
        variable: short(&key.variable),
        form: if key.in_query { "query" } else { "header" }.to_owned(),
        name: key.name.clone(),
    });
    DescribedAuth {
        form: "keys".to_owned(),
        name: String::new(),
        keys: std::iter::once(first).chain(more).collect(),
    }
}

fn operation(command: &ApiCommand, credentials: &CredentialForm) -> DescribedOperation {
    let endpoint = &command.endpoint;
    let is_json = endpoint.content_type.is_empty() || endpoint.content_type.ends_with("json");
    let summary =
        if endpoint.summary.is_empty() { endpoint.request() } else { endpoint.summary.clone() };
    let help = |option: &str, input: &ApiInput| {
        if input.help.is_empty() { option.replace('_', " ") } else { input.help.clone() }
    };
    let inputs = endpoint.inputs.iter().zip(&command.options).map(|(input, option)| {
        let (kind, values) = kind(&input.kind);
        DescribedInput {
            option: option.clone(),
            name: input.name.clone(),
            place: place(input.place).to_owned(),
            kind: kind.to_owned(),
            required: input.is_required || input.place == InputPlace::Path,
            help: help(option, input),
            style: input.style.clone(),
            typed: is_json && input.place == InputPlace::Body && is_typed(&input.kind),
            values,
            sample: input.sample.as_ref().and_then(writable),
        }
    });
    DescribedOperation {
        id: command.id.clone(),
        request: endpoint.request(),
        operation_id: endpoint.operation_id.clone(),
        summary,
        method: endpoint.method.clone(),
        path: format!("{}{}", command.prefix, endpoint.sent_path()),
        mode: command.decision.mode.to_owned(),
        class: command.decision.class.to_owned(),
        content_type: endpoint.content_type.clone(),
        reply: match endpoint.reply.kind {
            ReplyKind::Empty => "empty",
            ReplyKind::Accepted => "accepted",
            ReplyKind::Text => "text",
            ReplyKind::Json | ReplyKind::Binary | ReplyKind::Stream => "json",
        }
        .to_owned(),
        public: command.is_public || *credentials == CredentialForm::None,
        members: endpoint.reply.members.clone(),
        sample: writable(&bounded(&endpoint.reply.sample)),
        list: endpoint.reply.list.as_ref().map(listing),
        inputs: inputs.collect(),
    }
}

fn listing(list: &ListForm) -> DescribedListing {
    let paging = list.paging.clone().unwrap_or_default();
    DescribedListing {
        items: list.items.clone(),
        item_id: list.item_id.clone(),
        style: if paging.style.is_empty() { "none" } else { paging.style }.to_owned(),
        limit: paging.limit,
        max_limit: paging.max_limit,
        position: paging.position,
        next: paging.next,
        more: paging.more,
        total: paging.total,
        place: if paging.is_in_body { "body" } else { "" }.to_owned(),
    }
}

fn place(place: InputPlace) -> &'static str {
    match place {
        InputPlace::Path => "path",
        InputPlace::Query => "query",
        InputPlace::Header => "header",
        InputPlace::Body => "body",
        InputPlace::WholeBody => "whole",
    }
}

fn kind(kind: &InputKind) -> (&'static str, Vec<String>) {
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match kind {
        InputKind::Text => ("text", Vec::new()),
        InputKind::LongText => ("long", Vec::new()),
        InputKind::Integer => ("integer", Vec::new()),
        InputKind::Decimal => ("number", Vec::new()),
        InputKind::Flag => ("boolean", Vec::new()),
        InputKind::Choice(choices) => ("choice", choices.iter().map(shown).collect()),
        InputKind::List { .. } => ("list", Vec::new()),
        InputKind::Json => ("json", Vec::new()),
        InputKind::File => ("file", Vec::new()),
    }
}

fn is_typed(kind: &InputKind) -> bool {
    match kind {
        InputKind::Integer | InputKind::Decimal | InputKind::Flag => true,
        InputKind::List { is_typed } => *is_typed,
        InputKind::Choice(choices) => !choices.iter().all(Value::is_string),
        _ => false,
    }
}

/// A large reply without the objects in it.
fn bounded(sample: &Value) -> Value {
    let Value::Object(members) = sample else { return sample.clone() };
    if sample.to_string().len() <= MAX_SAMPLE {
        return sample.clone();
    }
    let plain = members.iter().filter(|(_, value)| !value.is_object() && !value.is_array());
    let mut kept = Map::new();
    let mut size = 0;
    for (name, value) in plain {
        size += name.len() + value.to_string().len();
        if size <= MAX_SAMPLE {
            kept.insert(name.clone(), value.clone());
        }
    }
    Value::Object(kept)
}

/// A value as TOML can say it: without null, and with numbers that it has.
fn writable(value: &Value) -> Option<Value> {
    Some(match value {
        Value::Null => return None,
        Value::Number(number) if number.is_u64() && !number.is_i64() => Value::from(i64::MAX),
        Value::Array(values) => values.iter().filter_map(writable).collect(),
        Value::Object(members) => Value::Object(
            members
                .iter()
                .filter_map(|(name, value)| Some((name.clone(), writable(value)?)))
                .collect(),
        ),
        other => other.clone(),
    })
}
