//! Whether a connector repeats that an answer is only a part, by `[[harness.partials]]` of conform.toml.

use serde_json::Value;

use super::facts::StatedPartial;
use super::judge::Judge;
use super::results::succeeded;
use super::{call, facts, upstream};
use crate::conform::mock::Behaviour;
use crate::conform::probe::{Conclusion, Need, Probe};
use crate::conform::secrets::SecretShape;
use crate::conform::session::ToolCaller;
use crate::families::harness::contract::FAMILY;

pub(super) const PARTIALS: Probe = Probe {
    id: "harness.partial-answers",
    section: "§4",
    title: "A response that the API marks as incomplete has `complete: false` and the reason",
    why: "An agent that mistakes a part for the whole concludes that something does not exist",
    fix: "set the signs of a partial response in api.py, or correct [[harness.partials]] in conform.toml",
    needs: &[Need::Fixture, Need::Facts, Need::Credentials, Need::BaseUrl],
    run: partials,
    ..Probe::of(FAMILY)
};

fn partials(session: &ToolCaller) -> Conclusion {
    if let Some(blocked) = call::uncontained(session) {
        return blocked;
    }
    let Some(facts) = facts::of(session) else {
        return Conclusion::blocked("conform.toml does not state how the API answers");
    };
    let commands = call::commands(session);
    let mut judge = Judge::default();
    for (at, partial) in facts.partials.iter().enumerate() {
        let Some(command) = commands.iter().find(|command| command.id == partial.command) else {
            return Conclusion::blocked(format!(
                "[[harness.partials]] names `{}`, which connector.json lacks",
                partial.command
            ));
        };
        let behaviour = Some(Behaviour::Listed(upstream::PARTIALS, at));
        let observed =
            session.observe(&call::carrying_out(session, command, behaviour, SecretShape::Plain));
        let fault = match succeeded(&observed) {
            Some(envelope) => misread(&envelope, partial),
            None => Some(format!("`{}` does not succeed", partial.command)),
        };
        judge.judge(&observed, fault);
    }
    judge.verdict_or(Ok("conform.toml describes no partial response"))
}

/// Returns the difference between an answer and the completeness that the API stated.
fn misread(envelope: &Value, partial: &StatedPartial) -> Option<String> {
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
