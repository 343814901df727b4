//! Calls as workflows make them: booleans with a value, empty values for inputs that were not given.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::call;
use super::call::CallableCommand;
use super::judge::Judge;
use crate::conform::mock::Behaviour;
use crate::conform::probe::{Conclusion, Need, Probe};
use crate::conform::secrets::SecretShape;
use crate::conform::session::{Observed, ToolCall, ToolCaller};
use crate::families::harness::contract::FAMILY;
use crate::reason::Reason;

pub(super) const BOOLEAN: Probe = Probe {
    id: "harness.workflow-boolean",
    section: "§2",
    title: "A boolean option is accepted with and without a value, and `false` does not mean `true`",
    why: "Agents send `--draft`, workflows send `--draft true`",
    fix: "make the value of boolean options optional",
    needs: &[Need::Manifest],
    run: boolean,
    ..Probe::of(FAMILY)
};

pub(super) const EMPTY: Probe = Probe {
    id: "harness.workflow-empty",
    section: "§2",
    title: "An option with an empty value counts as not given",
    why: "Workflows send every field, including empty ones",
    fix: "remove options with an empty value before checking the options",
    needs: &[Need::Manifest],
    run: empty,
    ..Probe::of(FAMILY)
};

/// Words of `type` and `renderAs` for a boolean, and for anything else.
const BOOLEANS: &[&str] = &["boolean", "bool", "checkbox", "switch", "toggle"];
const OTHERS: &[&str] = &[
    "text",
    "string",
    "textarea",
    "richtext",
    "number",
    "integer",
    "float",
    "select",
    "multiselect",
    "enum",
    "json",
    "object",
    "list",
    "array",
    "date",
    "datetime",
    "time",
    "file",
    "url",
    "email",
    "id",
    "password",
    "expression",
    "options_group",
];

/// A field of the manifest that is an option of a command.
struct FormField {
    command: CallableCommand,
    option: String,
    is_boolean: bool,
    is_required: bool,
}

fn fields(session: &ToolCaller) -> Vec<FormField> {
    let commands = call::commands(session);
    let fields = session.manifest.as_ref().and_then(|manifest| manifest.pointer("/scope/fields"));
    let mut found = Vec::new();
    for field in fields.and_then(Value::as_array).into_iter().flatten() {
        let text = |name: &str| field.get(name).and_then(Value::as_str).unwrap_or_default();
        let id = text("id");
        let is_plain =
            |symbol: char| symbol.is_ascii_alphanumeric() || symbol == '_' || symbol == '-';
        if id.is_empty() || !id.chars().all(is_plain) {
            continue;
        }
        let applies = field.get("applies_to").and_then(Value::as_array);
        let applies: Vec<_> = applies.into_iter().flatten().filter_map(Value::as_str).collect();
        for command in commands.iter().filter(|command| applies.contains(&command.id.as_str())) {
            found.push(FormField {
                command: command.clone(),
                option: format!("--{}", id.replace('_', "-")),
                is_boolean: BOOLEANS.contains(&text("type"))
                    || BOOLEANS.contains(&text("renderAs")),
                is_required: field.get("required") == Some(&Value::Bool(true))
                    || requires(session, &command.id, id),
            });
        }
    }
    found
}

/// True if the entry of a command names a field among its `required_fields`.
fn requires(session: &ToolCaller, command: &str, field: &str) -> bool {
    let commands = session.manifest.as_ref().and_then(|manifest| manifest.get("commands"));
    let mut entries = commands.and_then(Value::as_array).into_iter().flatten();
    let entry = entries.find(|entry| entry.get("id").and_then(Value::as_str) == Some(command));
    let required = entry.and_then(|entry| entry.get("required_fields")).and_then(Value::as_array);
    required.into_iter().flatten().any(|name| name.as_str() == Some(field))
}

/// The arguments of a sample without these options and their values.
fn without(sample: &[String], options: &[&str]) -> Vec<String> {
    let mut left = Vec::new();
    let mut words = sample.iter().peekable();
    while let Some(word) = words.next() {
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        if !options.contains(&name) {
            left.push(word.clone());
        } else if name == word && words.peek().is_some_and(|next| !next.starts_with("--")) {
            words.next();
        }
    }
    left
}

/// Returns the exit code and the error of a call, without the parts that differ from run to run.
fn outcome(observed: &Observed) -> (Option<i32>, String) {
    let envelope = call::loose(observed).unwrap_or_default();
    (observed.exit(), call::error_code(&envelope).to_owned())
}

fn message(observed: &Observed) -> String {
    let envelope = call::loose(observed).unwrap_or_default();
    envelope.pointer("/error/message").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A call with the sample of its command but for some options, and with more words.
fn call_with(
    session: &ToolCaller,
    command: &CallableCommand,
    options: &[&str],
    more: &[&str],
) -> ToolCall {
    let mode = Some(command.required_mode.as_str()).filter(|mode| !mode.is_empty());
    let mut call = command.call(mode).secrets(SecretShape::Plain);
    call.arguments.extend(without(command.sample(session).unwrap_or_default(), options));
    call.arguments.extend(more.iter().map(|word| (*word).to_owned()));
    call
}

/// True if a call reached its options: without a sample, it may fail for a missing argument first.
fn is_parsed(session: &ToolCaller, command: &CallableCommand, observed: &Observed) -> bool {
    match observed.exit() {
        Some(2) => command.sample(session).is_some(),
        exit => exit.is_some(),
    }
}

/// Shows that the manifest has no such field.
fn absence<'a>(session: &ToolCaller, any: bool, evidence: &'a str) -> Result<&'a str, Reason> {
    if any {
        return Err("every such command fails before it looks at its options; give the commands samples in conform.toml".into());
    }
    if let Some(kind) = unknown_kind(session) {
        return Err(
            format!("connector.json has a field of the type `{kind}`, which is not known").into()
        );
    }
    call::absence(session, evidence)
}

/// Returns a field type that the contract does not know, so that its values are unknown.
fn unknown_kind(session: &ToolCaller) -> Option<String> {
    let fields = session.manifest.as_ref().and_then(|manifest| manifest.pointer("/scope/fields"));
    let is_known = |kind: &str| BOOLEANS.contains(&kind) || OTHERS.contains(&kind);
    fields.and_then(Value::as_array).into_iter().flatten().find_map(|field| {
        let text = |name: &str| field.get(name).and_then(Value::as_str).unwrap_or_default();
        let is_clear = is_known(text("type")) || is_known(text("renderAs"));
        (!is_clear).then(|| text("type").to_owned())
    })
}

fn boolean(session: &ToolCaller) -> Conclusion {
    if !call::is_strict(session) {
        return Conclusion::not_applicable("this tag does not require it");
    }
    if let Some(blocked) = call::uncontained(session) {
        return blocked;
    }
    let mut judge = Judge::default();
    let mut any = false;
    for field in fields(session) {
        if !field.is_boolean {
            continue;
        }
        any = true;
        let option = field.option.as_str();
        let call = |more: &[&str]| call_with(session, &field.command, &[option], more);
        let bare = session.observe(&call(&[option]));
        for value in ["true", "false"] {
            let valued = session.observe(&call(&[option, value]));
            // Without a sample both calls lack the same arguments, and must fail alike.
            if !is_parsed(session, &field.command, &bare) {
                continue;
            }
            let differs = outcome(&bare) != outcome(&valued)
                || valued.exit() == Some(2) && message(&bare) != message(&valued);
            judge.judge(
                &valued,
                differs
                    .then(|| format!("`{option} {value}` and `{option}` have different results")),
            );
        }
        if let Some((observed, fault)) = meaning(session, &field) {
            judge.judge(&observed, fault);
        }
    }
    judge.verdict_or(absence(session, any, "no command has a boolean option"))
}

/// The requests for a boolean option with and without a word, and their fault. An option that changes no request shows
/// nothing.
fn meaning(session: &ToolCaller, field: &FormField) -> Option<(Arc<Observed>, Option<String>)> {
    session.fixture.as_ref()?;
    let option = field.option.as_str();
    let calls = [&[][..], &[option], &[option, "true"], &[option, "false"]]
        .map(|more| call_with(session, &field.command, &[option], more).upstream(Behaviour::Good));
    let observed = session.observe_all(&calls);
    let [absent, bare, yes, no] = observed.as_slice() else { return None };
    if sent(bare).is_empty() || sent(bare) == sent(absent) {
        return None;
    }
    if sent(yes) != sent(bare) {
        let fault = format!("`{option} true` and `{option}` send different requests");
        return Some((Arc::clone(yes), Some(fault)));
    }
    let fault = (sent(no) == sent(bare))
        .then(|| format!("`{option} false` sends the requests of `{option}`"));
    Some((Arc::clone(no), fault))
}

/// Method, target and body of each request.
fn sent(observed: &Observed) -> Vec<(&str, &str, &[u8])> {
    let requests = observed.requests.iter();
    requests
        .map(|request| (request.method.as_str(), request.target.as_str(), &request.body[..]))
        .collect()
}

fn empty(session: &ToolCaller) -> Conclusion {
    if !call::is_strict(session) {
        return Conclusion::not_applicable("this tag does not require it");
    }
    if let Some(blocked) = call::uncontained(session) {
        return blocked;
    }
    let mut judge = Judge::default();
    // All optional values of a command at once: one call shows what one of them would.
    let mut by_command: BTreeMap<String, Vec<FormField>> = BTreeMap::new();
    for field in fields(session) {
        // A required field shows nothing about optional values.
        if !field.is_required {
            by_command.entry(field.command.id.clone()).or_default().push(field);
        }
    }
    for fields in by_command.values() {
        let Some(first) = fields.first() else { continue };
        let options: Vec<_> = fields.iter().map(|field| field.option.as_str()).collect();
        let words: Vec<_> = options.iter().flat_map(|option| [*option, ""]).collect();
        let call = |more: &[&str]| call_with(session, &first.command, &options, more);
        let without = session.observe(&call(&[]));
        let with = session.observe(&call(&words));
        if !is_parsed(session, &first.command, &without) {
            continue;
        }
        let differs = outcome(&without) != outcome(&with);
        judge
            .judge(&with, differs.then(|| "an empty value is not treated as not given".to_owned()));
        if session.fixture.is_none() || differs {
            continue;
        }
        let calls = [&[][..], &words].map(|more| call(more).upstream(Behaviour::Good));
        let observed = session.observe_all(&calls);
        if let [without, with] = observed.as_slice()
            && !sent(without).is_empty()
        {
            let fault = (sent(without) != sent(with))
                .then(|| "an empty value changes the request of the command".to_owned());
            judge.judge(with, fault);
        }
    }
    judge.verdict_or(absence(session, !by_command.is_empty(), "no command has an optional option"))
}
