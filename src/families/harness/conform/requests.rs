//! The requests of a connector, compared with the facts of its API in `[harness]` of conform.toml.

use std::sync::Arc;

use serde_json::Value;

use super::call::CallableCommand;
use super::facts::{ApiFacts, Exchange, ProbedCommand};
use super::judge::Judge;
use super::results::{answered, answered_by, is_list, is_missing, succeeded};
use super::{call, facts, upstream};
use crate::conform::mock::{Behaviour, ELSEWHERE, ReceivedRequest};
use crate::conform::probe::{Conclusion, Need, Probe, ProbeVerdict};
use crate::conform::secrets::SecretShape;
use crate::conform::session::{Observed, ToolCaller};
use crate::families::harness::contract::FAMILY;

const NOTHING: &str = "there are only built-in commands";
const STATED: &[Need] = &[Need::Fixture, Need::Facts, Need::Credentials, Need::BaseUrl];
/// Most names in a message.
const MAX_NAMES: usize = 6;

pub(super) const REQUESTS: Probe = Probe {
    id: "harness.requests",
    section: "§4",
    title: "Every command sends exactly the requests that conform.toml states, and its result is their reply",
    why: "A mock that does not check requests accepts those that the real API refuses",
    fix: "correct the handler, or [[harness.commands]] in conform.toml where the documentation of the API says otherwise",
    needs: STATED,
    run: requests,
    ..Probe::of(FAMILY)
};

pub(super) const PAGES: Probe = Probe {
    id: "harness.pages",
    section: "§4",
    title: "Every list is followed to its end: each entry once, with its id and name",
    why: "Entries after the first page, or under another key, are silently lost",
    fix: "set the paging of the API in api.py, or correct `requests`, `ids` and `names` in conform.toml",
    needs: STATED,
    run: pages,
    ..Probe::of(FAMILY)
};

pub(super) const CREDENTIALS: Probe = Probe {
    id: "harness.credentials",
    section: "§9",
    title: "The credentials are sent in the form of the API, and nowhere else",
    why: "In the wrong header or form, every call fails; in other headers or to other hosts, they leak",
    fix: "set the scheme and the header in api.py, and send no secret after a redirect to another origin",
    needs: STATED,
    run: credentials,
    ..Probe::of(FAMILY)
};

pub(super) const HEALTH: Probe = Probe {
    id: "harness.health-request",
    section: "§3.2",
    title: "`health` makes the request that conform.toml states",
    why: "A state is meaningless if the API was not asked for it",
    fix: "send the health request of the API, or correct [harness.health] in conform.toml",
    needs: STATED,
    run: health,
    ..Probe::of(FAMILY)
};

pub(super) const BASE_URL: Probe = Probe {
    id: "harness.base-url",
    section: "§4",
    title: "Without an override, the connector calls the address in conform.toml",
    why: "The override in tests hides a wrong address, which then receives the key",
    fix: "correct the base URL in api.py, or `harness.base_url` in conform.toml",
    needs: &[Need::Fixture, Need::Facts, Need::Credentials, Need::BaseUrl, Need::Namespace],
    run: base_url,
    ..Probe::of(FAMILY)
};

fn requests(session: &ToolCaller) -> Conclusion {
    let Some(facts) = facts::of(session) else { return Conclusion::blocked(NOTHING) };
    let mut judge = Judge::default();
    let mut unstated = Vec::new();
    for (command, observed) in answered(session) {
        if is_missing(session, &command, &observed) {
            judge.saw();
            continue;
        }
        match facts.command(&command.id) {
            None => unstated.push(command.id),
            Some(stated) => judge.judge(&observed, deviation(session, facts, stated, &observed)),
        }
    }
    let finding = call::over_all(session, judge.verdict_or(call::absence(session, NOTHING)));
    with_unstated(finding, unstated, "states no requests of")
}

/// The verdict, blocked where conform.toml lacks something and nothing else failed.
fn with_unstated(finding: Conclusion, mut unstated: Vec<String>, lacks: &str) -> Conclusion {
    if unstated.is_empty() || finding.verdict() == ProbeVerdict::Fail {
        return finding;
    }
    let more = unstated.len().saturating_sub(MAX_NAMES);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    unstated.truncate(MAX_NAMES);
    Conclusion::blocked(format!("conform.toml {lacks} `{}`{rest}", unstated.join("`, `")))
}

/// Returns the difference between the requests of a call and those of its command.
fn deviation(
    session: &ToolCaller,
    facts: &ApiFacts,
    stated: &ProbedCommand,
    observed: &Observed,
) -> Option<String> {
    // One call of a list asks for one page.
    let wanted = if stated.ids.is_some() { &stated.requests[..1] } else { &stated.requests };
    let values = upstream::values(session.fixture.as_ref(), &observed.secrets);
    for (at, request) in observed.requests.iter().enumerate() {
        let fault = match upstream::judge(facts, &values, request) {
            Err((_, why)) => Some(why),
            Ok(found) => match wanted.get(at) {
                None => Some(format!("`{} {}` is an additional request", found.method, found.path)),
                Some(wanted) => unlike(facts, request, wanted),
            },
        };
        if fault.is_some() {
            return fault;
        }
    }
    if let Some(missing) = wanted.get(observed.requests.len()) {
        return Some(format!("it does not send `{} {}`", missing.method, missing.path));
    }
    let envelope = succeeded(observed)?;
    unlike_reply(stated, &envelope)
}

/// Returns the difference between a request and the stated one.
fn unlike(facts: &ApiFacts, request: &ReceivedRequest, wanted: &Exchange) -> Option<String> {
    let sent =
        upstream::SentRequest::of(request, facts.base_path()).without(&facts.auth.query_names());
    let name = format!("`{} {}`", request.method, sent.shown);
    if request.method != wanted.method || !sent.is_at(wanted) {
        return Some(format!("it sends {name} instead of `{} {}`", wanted.method, wanted.path));
    }
    sent.lacks(wanted).or_else(|| sent.adds(wanted)).map(|why| format!("{name} {why}"))
}

/// Returns the difference between the result and the reply of the API.
fn unlike_reply(stated: &ProbedCommand, envelope: &Value) -> Option<String> {
    let ([only], false) = (stated.requests.as_slice(), stated.result.is_empty()) else {
        return None;
    };
    if stated.ids.is_some() || only.reply.is_empty() {
        return None;
    }
    let reply = crate::strict_json::read(&only.reply).ok()?;
    (envelope.pointer(&format!("/data/{}", stated.result)) != Some(&reply))
        .then(|| format!("`data.{}` is not the response of the API", stated.result))
}

fn pages(session: &ToolCaller) -> Conclusion {
    let Some(facts) = facts::of(session) else { return Conclusion::blocked(NOTHING) };
    let mut judge = Judge::default();
    let mut unstated = Vec::new();
    let lists = |command: &CallableCommand| {
        facts.command(&command.id).is_some_and(|stated| stated.ids.is_some())
            || is_list(session, command)
    };
    for (command, first) in answered_by(session, lists) {
        let stated = facts.command(&command.id);
        match stated.and_then(|stated| stated.ids.as_ref().zip(stated.names.as_ref())) {
            Some((ids, names)) => {
                let result = stated.map_or("", |stated| stated.result.as_str());
                let (last, fault) = follow(session, &command, first, (result, ids, names));
                judge.judge(&last, fault);
            }
            None if is_list(session, &command) => unstated.push(command.id),
            None => {}
        }
    }
    with_unstated(
        call::over_all(session, judge.verdict_or(call::absence(session, "no command is a list"))),
        unstated,
        "states no `ids` and `names` of",
    )
}

/// Reads a list to its end; the last call and what is wrong.
fn follow(
    session: &ToolCaller,
    command: &CallableCommand,
    first: Arc<Observed>,
    (result, ids, names): (&str, &[String], &[String]),
) -> (Arc<Observed>, Option<String>) {
    let mut page = first;
    let (mut found_ids, mut found_names, mut rounds) = (Vec::new(), Vec::new(), 0);
    loop {
        let Some(envelope) = succeeded(&page) else {
            return (page, Some("it does not succeed".to_owned()));
        };
        let texts = |key: &str| -> Vec<String> {
            let items = envelope.pointer("/data/items").and_then(Value::as_array);
            let texts = items.into_iter().flatten().filter_map(|item| item.get(key)?.as_str());
            texts.map(str::to_owned).collect()
        };
        if let Some(fault) = without_entries(&envelope, result) {
            return (page, Some(fault));
        }
        found_ids.extend(texts("id"));
        found_names.extend(texts("name"));
        let next = envelope.pointer("/data/next_cursor").and_then(Value::as_str);
        let Some(next) = next else { break };
        // An end that never comes is seen as soon as more came than there is.
        rounds += 1;
        if found_ids.len() > ids.len() || rounds > ids.len() + 2 {
            break;
        }
        let mut call =
            call::carrying_out(session, command, Some(Behaviour::Good), SecretShape::Plain);
        call.arguments.extend(["--cursor".to_owned(), next.to_owned()]);
        page = session.observe(&call);
    }
    let shown = |texts: &[String]| texts.join(", ");
    let fault = if found_ids != ids {
        Some(format!("its entries are `{}`, but the API has `{}`", shown(&found_ids), shown(ids)))
    } else if found_names != names {
        Some(format!("its names are `{}`, but the API has `{}`", shown(&found_names), shown(names)))
    } else {
        None
    };
    (page, fault)
}

/// Returns the fault of the complete entries of a list, which are beside `items` under a separate name.
fn without_entries(envelope: &Value, result: &str) -> Option<String> {
    let count = |key: &str| {
        let list = envelope.pointer(&format!("/data/{key}")).and_then(Value::as_array);
        list.map(Vec::len)
    };
    (!result.is_empty() && count(result) != count("items"))
        .then(|| format!("`data.{result}` does not have the entries of `data.items`"))
}

fn credentials(session: &ToolCaller) -> Conclusion {
    if session.is_open() {
        return Conclusion::not_applicable("the API takes no credentials");
    }
    let Some(facts) = facts::of(session) else { return Conclusion::blocked(NOTHING) };
    let health = call::json(&["health"]).secrets(SecretShape::Plain);
    let mut calls = vec![session.observe(&health.clone().upstream(Behaviour::Good))];
    calls.extend(answered(session).into_iter().map(|(_, observed)| observed));
    let away = session.observe(&health.upstream(Behaviour::Elsewhere));
    let mut judge = Judge::default();
    for observed in calls {
        let values = upstream::values(session.fixture.as_ref(), &observed.secrets);
        for request in &observed.requests {
            let is_public =
                upstream::judge(facts, &values, request).is_ok_and(|found| found.public);
            let fault = (!is_public)
                .then(|| upstream::credentials(facts, &values, request))
                .flatten()
                .or_else(|| upstream::headers(facts, request, None))
                .or_else(|| astray(facts, &observed, request));
            judge.judge(&observed, fault);
        }
    }
    let leaked = away.requests.iter().any(|request| {
        request.target.ends_with(ELSEWHERE) && carries(&away, request, &[]).is_some()
    });
    judge.judge(&away, leaked.then(|| "it sends the secret to another origin".to_owned()));
    judge.verdict()
}

/// Returns the place of a secret outside the headers that are intended for secrets.
fn astray(facts: &ApiFacts, observed: &Observed, request: &ReceivedRequest) -> Option<String> {
    let place = carries(
        observed,
        request,
        &facts.auth.keys().map(|(header, ..)| header).collect::<Vec<_>>(),
    )?;
    Some(format!("it sends the secret in {place} too"))
}

/// Returns the place of a secret in a request, except in the headers `but`.
fn carries(observed: &Observed, request: &ReceivedRequest, but: &[&str]) -> Option<String> {
    let body = String::from_utf8_lossy(&request.body);
    let is_other = |name: &str| !but.iter().any(|but| name.eq_ignore_ascii_case(but));
    let headers = request.headers.iter().filter(|(name, _)| is_other(name));
    let mut texts = headers.map(|(name, value)| (format!("the header `{name}`"), value.as_str()));
    let leaks = |text: &str| observed.secrets.iter().any(|secret| secret.leak(text).is_some());
    let found = texts.find(|(_, text)| leaks(text)).map(|(place, _)| place);
    // An address is looked at by `harness.secret-in-url`.
    found.or_else(|| leaks(&body).then(|| "the body".to_owned()))
}

fn health(session: &ToolCaller) -> Conclusion {
    let Some(facts) = facts::of(session) else { return Conclusion::blocked(NOTHING) };
    let call = call::json(&["health"]).secrets(SecretShape::Plain).upstream(Behaviour::Good);
    let observed = session.observe(&call);
    let asked = observed.requests.iter().any(|request| {
        let sent = upstream::SentRequest::of(request, facts.base_path());
        request.method == facts.health.method
            && sent.is_at(&facts.health)
            && sent.lacks(&facts.health).is_none()
    });
    let mut judge = Judge::default();
    let wanted = format!("it does not send `{} {}`", facts.health.method, facts.health.path);
    judge.judge(&observed, (!asked).then_some(wanted));
    judge.verdict()
}

fn base_url(session: &ToolCaller) -> Conclusion {
    let (Some(facts), Some(name)) = (facts::of(session), session.base_url_env()) else {
        return Conclusion::blocked(NOTHING);
    };
    if facts.base_url.is_empty() {
        return Conclusion::not_applicable("each customer has a separate address, in a key");
    }
    let wanted = facts.base_url.trim_end_matches('/');
    let shown = session.observe(&call::json(&["config", "show"]).variable(name, ""));
    let mut urls = Vec::new();
    if let Some(envelope) = succeeded(&shown) {
        collect_urls(envelope.get("data").unwrap_or(&Value::Null), &mut urls);
    }
    let mut judge = Judge::default();
    let other = urls.iter().find(|url| url.trim_end_matches('/') != wanted);
    if !urls.is_empty() {
        judge.judge(
            &shown,
            other.map(|url| format!("`config show` reports `{url}`, not `{wanted}`")),
        );
    }
    // The proxy that every call is led to sees the host, and nothing of what is encrypted.
    let call = call::json(&["health"]).secrets(SecretShape::Plain).upstream(Behaviour::Good);
    let observed = session.observe(&call.variable(name, ""));
    let host = host(wanted);
    let mut tunnels =
        observed.requests.iter().filter(|request| request.method == "CONNECT").peekable();
    if tunnels.peek().is_some() {
        let other = tunnels.find(|request| request.target != host);
        let why = other.map(|request| format!("it calls `{}`, not `{host}`", request.target));
        judge.judge(&observed, why);
    }
    let nothing = "neither `config show` nor a proxy shows which address the connector calls";
    judge.verdict_or(Err(nothing.into()))
}

/// `host:port` of an https address.
fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split('/').next().unwrap_or_default();
    if host.contains(':') { host.to_owned() } else { format!("{host}:443") }
}

fn collect_urls(value: &Value, urls: &mut Vec<String>) {
    match value {
        Value::String(text) if text.starts_with("https://") || text.starts_with("http://") => {
            urls.push(text.clone());
        }
        Value::Array(items) => items.iter().for_each(|item| collect_urls(item, urls)),
        Value::Object(members) => members.values().for_each(|member| collect_urls(member, urls)),
        _ => {}
    }
}
