//! The answers of a connector to refusals of its API, which are in `[[harness.refusals]]` of conform.toml.

use serde_json::Value;

use super::call::CallableCommand;
use super::facts::{StatedRefusal, When};
use super::judge::Judge;
use super::{call, facts, upstream};
use crate::conform::mock::Behaviour;
use crate::conform::probe::{Conclusion, Need, Probe};
use crate::conform::secrets::SecretShape;
use crate::conform::session::{Observed, ToolCaller};
use crate::families::harness::contract::FAMILY;

pub(super) const REFUSALS: Probe = Probe {
    id: "harness.refusals",
    section: "§5",
    title: "Every refusal of the API has its error code, and the error repeats the reason",
    why: "With a wrong code, an agent repeats a call that cannot work, or asks for a key that is correct",
    fix: "set the rules for errors in api.py, or correct [[harness.refusals]] in conform.toml",
    needs: &[Need::Fixture, Need::Facts, Need::Credentials, Need::BaseUrl],
    run: refusals,
    ..Probe::of(FAMILY)
};

/// A secret that shares no run of letters with a text.
const DIGITS: &str = "73916482057391648205";

fn refusals(session: &ToolCaller) -> Conclusion {
    if let Some(blocked) = call::uncontained(session) {
        return blocked;
    }
    let Some((command, facts)) = reader(session).zip(facts::of(session)) else {
        return Conclusion::blocked(
            "conform.toml states no requests of any command of the manifest",
        );
    };
    let mut judge = Judge::default();
    let calls: Vec<_> = (0..facts.refusals.len())
        .map(|at| {
            let behaviour = Some(Behaviour::Listed(upstream::REFUSALS, at));
            call::carrying_out(session, &command, behaviour, SecretShape::Plain)
        })
        .collect();
    let answers = calls.iter().zip(session.observe_all(&calls));
    for (at, (refusal, (call, mut observed))) in facts.refusals.iter().zip(answers).enumerate() {
        let mut fault = misread(&observed, refusal);
        // Four characters of a text can be part of an encoded secret by chance, which keeps the whole text back.
        if fault.is_some() {
            let names = session.credentials.iter();
            let plainer = names.fold(call.clone(), |call, name| call.variable(name, DIGITS));
            observed = session.observe(&plainer);
            fault = misread(&observed, refusal);
        }
        judge.judge(&observed, fault);
        // Another probe tests how `health` reports a status alone.
        if refusal.when == When::Credentials && refusal.status < 400 {
            let health = call::json(&["health"]).secrets(SecretShape::Plain);
            let observed =
                session.observe(&health.upstream(Behaviour::Listed(upstream::REFUSALS, at)));
            judge.judge(&observed, is_healthy(&observed).then(|| "it says `healthy`".to_owned()));
        }
    }
    judge.verdict()
}

/// A command that asks the API, in the lowest mode that there is.
fn reader(session: &ToolCaller) -> Option<CallableCommand> {
    let facts = facts::of(session)?;
    let modes = call::modes(session);
    let rank =
        |command: &CallableCommand| modes.iter().position(|mode| *mode == command.required_mode);
    let asks = |command: &CallableCommand| facts.command(&command.id).is_some();
    call::commands(session).into_iter().filter(asks).min_by_key(rank)
}

/// Returns the fault of the connector's report of a refusal.
fn misread(observed: &Observed, refusal: &StatedRefusal) -> Option<String> {
    let when = refusal.when.name();
    let Some(envelope) = call::loose(observed) else {
        return Some("it prints no envelope".to_owned());
    };
    let code = call::error_code(&envelope);
    if code != refusal.code {
        let said = if code.is_empty() { "a success" } else { code };
        return Some(format!(
            "the refusal `{when}` ({}) becomes {said}, not {}",
            refusal.status, refusal.code
        ));
    }
    let error = envelope.get("error").unwrap_or(&Value::Null);
    if !refusal.says.is_empty() && !repeats(error, &refusal.says) {
        return Some(format!(
            "the error does not repeat `{}` of the refusal `{when}`",
            refusal.says
        ));
    }
    let reason = error.pointer("/details/reason").and_then(Value::as_str).unwrap_or_default();
    if !refusal.reason.is_empty() && reason != refusal.reason {
        return Some(format!(
            "`details.reason` of the refusal `{when}` ({}) is `{reason}`, not `{}`",
            refusal.status, refusal.reason
        ));
    }
    let wait = error.pointer("/details/retry_after_s").and_then(Value::as_u64);
    (refusal.retry_after.is_some() && wait != refusal.retry_after).then(|| {
        let wanted = refusal.retry_after.unwrap_or_default();
        format!(
            "`details.retry_after_s` of the refusal `{when}` ({}) is not {wanted}",
            refusal.status
        )
    })
}

fn repeats(value: &Value, wanted: &str) -> bool {
    match value {
        Value::String(text) => text.contains(wanted),
        Value::Array(items) => items.iter().any(|item| repeats(item, wanted)),
        Value::Object(members) => members.values().any(|member| repeats(member, wanted)),
        _ => false,
    }
}

fn is_healthy(observed: &Observed) -> bool {
    let envelope = call::loose(observed).unwrap_or_default();
    envelope.pointer("/data/status").and_then(Value::as_str) == Some("healthy")
}
