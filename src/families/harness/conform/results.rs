//! The results of commands when their upstream responds: with the samples of the fixture, compared with the replies of
//! its routes.

use std::sync::Arc;

use serde_json::Value;

use super::call;
use super::call::CallableCommand;
use super::judge::Judge;
use crate::conform::mock::Behaviour;
use crate::conform::probe::{Conclusion, Need, Probe, ProbeVerdict};
use crate::conform::secrets::SecretShape;
use crate::conform::session::{Observed, ToolCaller};
use crate::families::harness::contract::FAMILY;

pub(super) const NOTHING: &str = "there are only built-in commands";
const NOT_ASKED: &str = "this tag does not require it";
/// Keys that the workflow runner puts beside those of `data`.
const RUNNER_KEYS: [&str; 4] = ["ok", "connectorId", "operation", "resource"];
/// Most names in a message.
const MAX_NAMES: usize = 6;

pub(super) const WORK: Probe = Probe {
    id: "harness.commands-work",
    section: "§4",
    title: "Every command succeeds with its sample and a working upstream",
    why: "Refusals and failures can be correct although no command works",
    fix: "make the command succeed with the sample and the replies of conform.toml, or fix those",
    needs: &[Need::Fixture, Need::Credentials, Need::BaseUrl],
    run: work,
    ..Probe::of(FAMILY)
};

pub(super) const DATA: Probe = Probe {
    id: "harness.data-keys",
    section: "§4",
    title: "`data` is an object without the keys of the workflow runner",
    why: "The runner merges `data` into an object with these keys, and one of the two values is lost",
    fix: "put lists and texts under a key, and use no key named ok, connectorId, operation or resource",
    needs: &[Need::BaseUrl],
    run: data,
    ..Probe::of(FAMILY)
};

pub(super) const LISTS: Probe = Probe {
    id: "harness.lists",
    section: "§4",
    title: "A list has `items` with `id` and `name`, the same list under its own name, and a reference to the next page",
    why: "Pickers of the host read `items`, and an agent must know whether there are more entries",
    fix: "return the list under the name of the resource and as `items`, with `next_cursor` and `has_more`",
    needs: &[Need::Fixture, Need::Credentials, Need::BaseUrl],
    run: lists,
    ..Probe::of(FAMILY)
};

/// Calls of every command with secrets, against the routes of the fixture.
/// None where they might reach a real upstream.
pub(super) fn answered(session: &ToolCaller) -> Vec<(CallableCommand, Arc<Observed>)> {
    answered_by(session, |_| true)
}

/// The same of the commands that a probe is about.
pub(super) fn answered_by(
    session: &ToolCaller,
    is_meant: impl Fn(&CallableCommand) -> bool,
) -> Vec<(CallableCommand, Arc<Observed>)> {
    if call::uncontained(session).is_some() {
        return Vec::new();
    }
    let commands = call::commands(session).into_iter().filter(is_meant).collect();
    call::carried_out_of(commands, session, Some(Behaviour::Good), SecretShape::Plain)
}

/// True if the command did something with its sample: more than any parser of arguments could say. The other calls of
/// this run need the same answer, so it costs nothing.
pub(super) fn shows_that_it_exists(session: &ToolCaller, command: &CallableCommand) -> bool {
    if command.is_builtin()
        || call::uncontained(session).is_some()
        || session.base_url_env().is_none()
    {
        return false;
    }
    let observed = session.observe(&call::carrying_out(
        session,
        command,
        Some(Behaviour::Good),
        SecretShape::Plain,
    ));
    matches!(observed.exit(), Some(0 | 4 | 5 | 6))
}

/// True if the command does not exist at all, which another probe reports: a usage error, and no help.
pub(super) fn is_missing(
    session: &ToolCaller,
    command: &CallableCommand,
    observed: &Observed,
) -> bool {
    observed.exit() == Some(2) && call::help(session, command).exit() != Some(0)
}

pub(super) fn succeeded(observed: &Observed) -> Option<Value> {
    let envelope = call::loose(observed)?;
    (observed.exit() == Some(0) && envelope.get("ok") == Some(&Value::Bool(true)))
        .then_some(envelope)
}

fn work(session: &ToolCaller) -> Conclusion {
    let mut judge = Judge::of("commands");
    let mut without = Vec::new();
    for (command, observed) in answered(session) {
        if command.sample(session).is_none() {
            without.push(command.id);
            continue;
        }
        if is_missing(session, &command, &observed) {
            continue;
        }
        let said = call::loose(&observed);
        let code = said.as_ref().map(call::error_code).filter(|code| !code.is_empty());
        let fault = succeeded(&observed).is_none().then(|| match code {
            Some(code) => format!("it fails with {code}"),
            None => "it does not succeed".to_owned(),
        });
        judge.judge(&observed, fault);
    }
    let finding = if without.is_empty() {
        judge.verdict_or(call::absence(session, NOTHING))
    } else {
        judge.verdict()
    };
    let finding = call::over_all(session, finding);
    if without.is_empty() || finding.verdict() == ProbeVerdict::Fail {
        return finding;
    }
    let more = without.len().saturating_sub(MAX_NAMES);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    without.truncate(MAX_NAMES);
    Conclusion::blocked(format!(
        "conform.toml has no [[samples]] for `{}`{rest}, so it is unknown whether they work",
        without.join("`, `")
    ))
}

fn data(session: &ToolCaller) -> Conclusion {
    if !call::is_strict(session) {
        return Conclusion::not_applicable(NOT_ASKED);
    }
    let builtin = call::basics(session).into_iter().map(|(_, observed)| observed);
    let commands = answered(session).into_iter().map(|(_, observed)| observed);
    let mut judge = Judge::default();
    for observed in builtin.chain(commands) {
        let Some(envelope) = succeeded(&observed) else { continue };
        judge.judge(&observed, wrong_data(&envelope));
    }
    judge.verdict()
}

/// Returns the reason why the workflow runner cannot use the data of a success.
pub(super) fn wrong_data(envelope: &Value) -> Option<String> {
    match envelope.get("data") {
        Some(Value::Object(members)) => RUNNER_KEYS
            .into_iter()
            .find(|key| members.contains_key(*key))
            .map(|key| format!("`data` has the key `{key}`, which is the runner's")),
        // That it is there at all is another probe.
        None => None,
        Some(_) => Some("`data` is not an object".to_owned()),
    }
}

/// A command that returns a list: by its name, or because the manifest fills a picker from it.
pub(super) fn is_list(session: &ToolCaller, command: &CallableCommand) -> bool {
    let action = command.id.rsplit('.').next().unwrap_or_default();
    let hints =
        session.manifest.as_ref().and_then(|manifest| manifest.pointer("/scope/pickerHints"));
    let fills = |hint: &Value| {
        hint.get("source_command").and_then(Value::as_str) == Some(command.id.as_str())
    };
    action == "list"
        || action.starts_with("list_")
        || hints.and_then(Value::as_object).is_some_and(|hints| hints.values().any(fills))
}

fn lists(session: &ToolCaller) -> Conclusion {
    if !call::is_strict(session) {
        return Conclusion::not_applicable(NOT_ASKED);
    }
    let listing: Vec<_> =
        answered(session).into_iter().filter(|(command, _)| is_list(session, command)).collect();
    if listing.is_empty() {
        return no_lists(session);
    }
    let mut judge = Judge::of("lists");
    let mut unseen = None;
    for (command, observed) in listing {
        let Some(envelope) = succeeded(&observed) else {
            unseen = unseen.or(Some(command.id));
            continue;
        };
        let data = envelope.get("data").unwrap_or(&Value::Null);
        judge.judge(&observed, not_a_list(data, &command));
    }
    let finding = judge.verdict();
    match unseen {
        Some(id) if finding.verdict() != ProbeVerdict::Fail => Conclusion::blocked(format!(
            "`{id}` does not succeed, so its list could not be examined"
        )),
        _ => finding,
    }
}

/// No command is called a list. A word in a name shows nothing while an answer looks like a page.
fn no_lists(session: &ToolCaller) -> Conclusion {
    let unclear = call::unreadable(session).or_else(|| {
        let pages = answered(session).into_iter().find(|(_, observed)| {
            succeeded(observed).is_some_and(|envelope| {
                envelope.pointer("/data/items").is_some_and(Value::is_array)
            })
        });
        let (command, _) = pages?;
        Some(format!("`{}` returns `items`, but its name is not that of a list", command.id))
    });
    match unclear {
        Some(why) => Conclusion::blocked(why),
        None => Conclusion::not_applicable(
            "no command of the manifest is a list, and no answer has `items`",
        ),
    }
}

/// Returns the fault of the data of a list.
pub(super) fn not_a_list(data: &Value, command: &CallableCommand) -> Option<String> {
    let Some(items) = data.get("items").and_then(Value::as_array) else {
        return Some("`data.items` is not a list".to_owned());
    };
    for (index, item) in items.iter().enumerate() {
        for key in ["id", "name"] {
            if item.get(key).and_then(Value::as_str).is_none_or(str::is_empty) {
                return Some(format!("`data.items[{index}].{key}` is not a string"));
            }
        }
    }
    let is_same = |(key, value): (&String, &Value)| {
        let list = value.as_array().filter(|list| list.len() == items.len());
        key != "items" && list.is_some_and(|list| list.iter().all(Value::is_object))
    };
    let has_own = data.as_object().is_some_and(|members| members.iter().any(is_same));
    // A resource may be called `items` itself; its entries are whole ones then.
    let are_whole = items.iter().any(|item| item.as_object().is_some_and(|item| item.len() > 2));
    if !has_own && !are_whole && !command.id.starts_with("item.") {
        return Some("the list is missing under the name of its resource".to_owned());
    }
    if !data.get("next_cursor").is_some_and(|cursor| cursor.is_string() || cursor.is_null()) {
        return Some("`data.next_cursor` is neither a string nor null".to_owned());
    }
    match (data.get("has_more").and_then(Value::as_bool), data.get("next_cursor")) {
        (None, _) => Some("`data.has_more` is not a boolean".to_owned()),
        (Some(true), Some(Value::Null)) => {
            Some("`data.has_more` is true, but there is no `next_cursor`".to_owned())
        }
        (Some(false), Some(Value::String(next))) if !next.is_empty() => {
            Some("`data.has_more` is false, but there is a `next_cursor`".to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_is_distinguished_from_other_results() {
        let command =
            |id: &str| CallableCommand { id: id.to_owned(), required_mode: String::new() };
        let list = |items: Value| json!({"items": items, "issues": items, "next_cursor": null, "has_more": false});
        let issues = command("issue.list");
        assert_eq!(not_a_list(&list(json!([{"id": "1", "name": "a"}])), &issues), None);
        assert_eq!(not_a_list(&list(json!([])), &issues), None);
        let items = json!({"items": [], "next_cursor": "x", "has_more": true});
        assert_eq!(not_a_list(&items, &command("item.list")), None);
        let faults = [
            (json!({"issues": []}), "`data.items` is not a list"),
            (list(json!([{"id": 1, "name": "a"}])), "`data.items[0].id` is not a string"),
            (list(json!([{"id": "1", "name": ""}])), "`data.items[0].name` is not a string"),
            (
                json!({"items": [{"id": "1", "name": "a"}], "warnings": [9], "next_cursor": null, "has_more": false}),
                "the list is missing under the name of its resource",
            ),
            (
                json!({"items": [], "issues": [], "next_cursor": null, "has_more": true}),
                "`data.has_more` is true, but there is no `next_cursor`",
            ),
            (
                json!({"items": [], "issues": [], "next_cursor": "x", "has_more": false}),
                "`data.has_more` is false, but there is a `next_cursor`",
            ),
            (list(json!([{"id": "1"}])), "`data.items[0].name` is not a string"),
            (
                json!({"items": [], "issues": [], "has_more": true}),
                "`data.next_cursor` is neither a string nor null",
            ),
            (
                json!({"items": [], "issues": [], "next_cursor": null, "has_more": "no"}),
                "`data.has_more` is not a boolean",
            ),
            (
                json!({"items": [], "next_cursor": null, "has_more": false}),
                "the list is missing under the name of its resource",
            ),
        ];
        for (data, fault) in faults {
            assert_eq!(not_a_list(&data, &issues).as_deref(), Some(fault));
        }
    }
}
