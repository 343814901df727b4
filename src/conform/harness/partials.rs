//! Whether a connector repeats that an answer is only a part, by `[[harness.partials]]` of conform.toml.

use serde_json::Value;

use super::super::mock::Behaviour;
use super::super::probe::{Finding, Need, Probe};
use super::super::secrets::Shape;
use super::super::session::Session;
use super::facts::Partial;
use super::judge::Judge;
use super::results::succeeded;
use super::{call, harness};

pub(super) const PARTIALS: Probe = harness(
    "harness.partial-answers",
    "§4",
    (
        "A response that the API marks as partial has `complete: false` and the reason",
        "an agent that treats a partial response as complete may report that something does not exist",
        "correct how api.py recognizes partial responses, or correct [[harness.partials]] in conform.toml",
    ),
    &[Need::Fixture, Need::Facts, Need::Credentials, Need::BaseUrl],
    partials,
);

fn partials(session: &Session) -> Finding {
    if let Some(blocked) = call::uncontained(session) {
        return blocked;
    }
    let Some(facts) = session.facts() else {
        return Finding::blocked("conform.toml does not state how the API answers");
    };
    let commands = call::commands(session);
    let mut judge = Judge::default();
    for (at, partial) in facts.partials.iter().enumerate() {
        let Some(command) = commands.iter().find(|command| command.id == partial.command) else {
            return Finding::blocked(format!(
                "[[harness.partials]] names `{}`, which connector.json lacks",
                partial.command
            ));
        };
        let behaviour = Some(Behaviour::Partial(at));
        let observed =
            session.observe(&call::carrying_out(session, command, behaviour, Shape::Plain));
        let fault = match succeeded(&observed) {
            Some(envelope) => misread(&envelope, partial),
            None => Some(format!("`{}` does not succeed", partial.command)),
        };
        judge.judge(&observed, fault);
    }
    judge.verdict_or(Ok("conform.toml describes no partial response"))
}

/// How an answer differs from what the API said of it.
fn misread(envelope: &Value, partial: &Partial) -> Option<String> {
    let text = |key: &str| envelope.pointer(&format!("/data/{key}")).and_then(Value::as_str);
    let said = text("incomplete_reason").unwrap_or_default();
    let is_part = envelope.pointer("/data/complete") == Some(&Value::Bool(false));
    if partial.reason.is_empty() {
        return is_part
            .then(|| format!("`{}` reports a complete response as partial", partial.command));
    }
    if !is_part {
        return Some(format!("`data.complete` of `{}` is not false", partial.command));
    }
    (said != partial.reason).then(|| {
        let wanted = &partial.reason;
        format!("`data.incomplete_reason` of `{}` is not `{wanted}`", partial.command)
    })
}
