//! `health`: four words, a quick answer, and never well when the upstream is not.

use std::sync::Arc;

use serde_json::Value;

use super::call;
use super::judge::Judge;
use crate::conform::mock::Behaviour;
use crate::conform::probe::{Conclusion, Need, Probe};
use crate::conform::secrets::SecretShape;
use crate::conform::session::{Observed, ToolCall, ToolCaller};
use crate::families::harness::contract::FAMILY;

/// Longest time of a health call, and what the host itself allows.
const MOST_MS: u64 = 2_500;
const HOST_MS: u64 = 4_000;
const STRICT_ONLY: &str = "this tag does not require it";

pub(super) const VOCABULARY: Probe = Probe {
    id: "harness.health-words",
    section: "§3.2",
    title: "`data.status` is one of the four words",
    why: "The host shows `healthy` as ready, and every other word as needing setup",
    fix: "report `healthy`, `needs_setup`, `degraded` or `error`",
    needs: &[],
    run: vocabulary,
    ..Probe::of(FAMILY)
};

pub(super) const READINESS: Probe = Probe {
    id: "harness.health-readiness",
    section: "§3.2",
    title: "The health envelope has the readiness keys at its top level",
    why: "The canvas of the host reads them there, and asks for a setup without them",
    fix: "add the keys of the contract to the envelope of `health`, with `ready` if `data.status` is `healthy`",
    needs: &[],
    run: readiness,
    ..Probe::of(FAMILY)
};

pub(super) const NEEDS_SETUP: Probe = Probe {
    id: "harness.health-needs-setup",
    section: "§3.2",
    title: "Without credentials, `health` reports `needs_setup` with exit code 0",
    why: "With another exit code, the host cannot show what is missing",
    fix: "report `needs_setup` with `ok: true` and exit code 0 if a key is missing",
    needs: &[Need::Credentials],
    run: needs_setup,
    ..Probe::of(FAMILY)
};

pub(super) const QUIET: Probe = Probe {
    id: "harness.health-quiet",
    section: "§3.2",
    title: "Without credentials, `health` makes no network call",
    why: "The host calls all connectors at once, without any key",
    fix: "look for the keys before opening a connection",
    needs: &[Need::Credentials],
    run: quiet,
    ..Probe::of(FAMILY)
};

pub(super) const GOOD: Probe = Probe {
    id: "harness.health-good",
    section: "§3.2",
    title: "With credentials and a working upstream, `health` reports `healthy`",
    why: "Without that word the host never shows the connector as ready",
    fix: "report `healthy` after a successful request to the upstream",
    needs: &[Need::Credentials, Need::BaseUrl],
    run: |session| {
        upstream(
            session,
            Case { behaviour: Some(Behaviour::Good), words: &["healthy"], most_ms: HOST_MS },
        )
    },
    ..Probe::of(FAMILY)
};

/// The probe of one fault of the upstream.
macro_rules! fault {
    ($name:ident, $id:literal, $title:literal, $needs:expr, $behaviour:expr, $words:expr, $most:expr) => {
        pub(super) const $name: Probe = Probe {
            id: $id,
            section: "§3.2",
            title: $title,
            why: "An agent that trusts a wrong `healthy` fails at its first real call",
            fix: "map the response of the upstream to a state, with exit code 0, in less than 2.5 s",
            needs: $needs,
            run: |session| {
                upstream(session, Case { behaviour: $behaviour, words: $words, most_ms: $most })
            },
            ..Probe::of(FAMILY)
        };
    };
}

const TROUBLE: &[&str] = &["degraded", "error"];
const REFUSED: &[&str] = &["needs_setup", "error"];
const NOT_WELL: &[&str] = &["needs_setup", "degraded", "error"];
const MOCKED: &[Need] = &[Need::Credentials, Need::BaseUrl];

fault!(
    UNREACHABLE,
    "harness.health-unreachable",
    "If the upstream cannot be reached, `health` reports it",
    &[Need::Credentials],
    None,
    TROUBLE,
    MOST_MS
);
fault!(
    SLOW,
    "harness.health-slow",
    "If the upstream does not respond, `health` ends in time",
    MOCKED,
    Some(Behaviour::Slow),
    TROUBLE,
    MOST_MS
);
fault!(
    STATUS_401,
    "harness.health-401",
    "Refused credentials (401) are not healthy",
    MOCKED,
    Some(Behaviour::Status(401)),
    REFUSED,
    HOST_MS
);
fault!(
    STATUS_403,
    "harness.health-403",
    "Forbidden credentials (403) are not healthy",
    MOCKED,
    Some(Behaviour::Status(403)),
    NOT_WELL,
    HOST_MS
);
fault!(
    STATUS_404,
    "harness.health-404",
    "A wrong address (404) is not healthy",
    MOCKED,
    Some(Behaviour::Status(404)),
    NOT_WELL,
    HOST_MS
);
fault!(
    STATUS_429,
    "harness.health-429",
    "A rate limit (429) is not healthy",
    MOCKED,
    Some(Behaviour::Status(429)),
    TROUBLE,
    HOST_MS
);
fault!(
    STATUS_500,
    "harness.health-500",
    "A failing upstream (500) is not healthy",
    MOCKED,
    Some(Behaviour::Status(500)),
    TROUBLE,
    HOST_MS
);
fault!(
    HTML,
    "harness.health-html",
    "A sign-in page instead of data is not healthy",
    MOCKED,
    Some(Behaviour::Html),
    NOT_WELL,
    HOST_MS
);
fault!(
    MALFORMED,
    "harness.health-malformed",
    "A malformed document is not healthy",
    MOCKED,
    Some(Behaviour::Malformed),
    NOT_WELL,
    HOST_MS
);

/// A behaviour of the upstream, and the answers of `health` that are allowed then.
struct Case {
    /// Without a behaviour, nothing listens.
    behaviour: Option<Behaviour>,
    words: &'static [&'static str],
    most_ms: u64,
}

fn health(behaviour: Option<Behaviour>) -> ToolCall {
    let call = call::json(&["health"]).secrets(SecretShape::Plain);
    match behaviour {
        Some(behaviour) => call.upstream(behaviour),
        None => call,
    }
}

fn observed(session: &ToolCaller, behaviour: Option<Behaviour>) -> Arc<Observed> {
    session.observe(&health(behaviour))
}

fn status(envelope: &Value) -> Option<&str> {
    envelope.pointer("/data/status").and_then(Value::as_str)
}

fn words(session: &ToolCaller) -> Vec<String> {
    call::contract(session)
        .map(|contract| contract.health.statuses.iter().map(ToString::to_string).collect())
        .unwrap_or_default()
}

fn upstream(session: &ToolCaller, case: Case) -> Conclusion {
    let observed = observed(session, case.behaviour);
    let mut judge = Judge::default();
    let fault = match call::loose(&observed) {
        None => Some(call::no_object(&observed)),
        Some(envelope) => {
            let fault = wrong_state(session, &observed, &envelope, &case);
            if fault.is_none() && call::is_strict(session) && status(&envelope).is_none() {
                let why = "`health` has no `data.status`, so its view of the upstream is unknown";
                return Conclusion::blocked(why).with(observed.evidence(why));
            }
            fault
        }
    };
    judge.judge(&observed, fault);
    judge.verdict()
}

fn wrong_state(
    session: &ToolCaller,
    observed: &Observed,
    envelope: &Value,
    case: &Case,
) -> Option<String> {
    if observed.has_traceback() {
        return Some("a traceback is not a response".to_owned());
    }
    if !call::is_strict(session) {
        // The first tag asks for a state, and leaves open with which exit.
        let is_well = status(envelope) == Some("healthy");
        return (is_well && !case.words.contains(&"healthy"))
            .then(|| "it says `healthy`".to_owned());
    }
    if observed.exit() != Some(0) {
        return Some("its exit code is not 0, which hides the state from the host".to_owned());
    }
    // A busy machine starts the tool slowly; that is not a fault of its time limits.
    let start = session.observe(&call::json(&["capabilities"])).duration_ms();
    let most = case.most_ms + start;
    let took = session.timed_ms(&health(case.behaviour), observed, most);
    if took > most {
        return Some(format!("it took {took} ms; {most} are allowed"));
    }
    // A word outside the vocabulary is the fault of another probe.
    let said = status(envelope)?;
    let known = words(session).iter().any(|word| word == said);
    (known && !case.words.contains(&said))
        .then(|| format!("it reports `{said}`, but {} is correct", case.words.join(" or ")))
}

fn vocabulary(session: &ToolCaller) -> Conclusion {
    let known = words(session);
    let plain = session.observe(&call::json(&["health"]));
    let mut all = vec![plain];
    if !session.credentials.is_empty() {
        all.push(observed(session, None));
        if session.base_url_env().is_some() {
            all.push(observed(session, Some(Behaviour::Good)));
        }
    }
    let mut judge = Judge::default();
    for observed in all {
        let Some(envelope) = call::loose(&observed) else { continue };
        let fault = match status(&envelope) {
            Some(said) if known.iter().any(|word| word == said) => None,
            Some(said) => Some(format!("`data.status` is `{said}`")),
            // A call that failed is judged by the probe of that upstream.
            None if envelope.get("ok") == Some(&Value::Bool(false)) => continue,
            None => Some("`data.status` is not a string".to_owned()),
        };
        judge.judge(&observed, fault);
    }
    judge.verdict()
}

fn readiness(session: &ToolCaller) -> Conclusion {
    let keys: Vec<_> = call::contract(session)
        .map(|contract| contract.health.envelope_keys.iter().map(ToString::to_string).collect())
        .unwrap_or_default();
    if keys.is_empty() {
        return Conclusion::not_applicable(STRICT_ONLY);
    }
    let observed = session.observe(&call::json(&["health"]));
    let mut judge = Judge::default();
    if let Some(envelope) = call::loose(&observed) {
        judge.judge(&observed, unready(&envelope, &keys));
    }
    judge.verdict()
}

/// Returns the fault of the readiness keys of an envelope.
fn unready(envelope: &Value, keys: &[String]) -> Option<String> {
    if let Some(missing) = keys.iter().find(|key| envelope.get(key.as_str()).is_none()) {
        return Some(format!("`{missing}` is missing at the top level"));
    }
    let wanted = match status(envelope) {
        Some("healthy") => "ready",
        Some(other) => other,
        None => return None,
    };
    if envelope.get("status").and_then(Value::as_str) != Some(wanted) {
        return Some(format!("the top-level `status` is not `{wanted}`"));
    }
    let is_flag = |key: &&String| !["status", "checks"].contains(&key.as_str());
    let other = keys.iter().filter(is_flag).find(|key| !envelope[key.as_str()].is_boolean());
    if let Some(key) = other {
        return Some(format!("`{key}` is not a boolean"));
    }
    let checks = envelope.get("checks").and_then(Value::as_array);
    let named = |check: &&Value| check.get("name").and_then(Value::as_str) == Some("required_env");
    match checks.and_then(|checks| checks.iter().find(named)) {
        None => Some("`checks` has no check `required_env`".to_owned()),
        Some(check) => (!check.pointer("/details/missing_keys").is_some_and(Value::is_array))
            .then(|| "`required_env` has no list `details.missing_keys`".to_owned()),
    }
}

/// True if the manifest says that the connector cannot work without credentials.
fn requires(session: &ToolCaller) -> bool {
    let required =
        session.manifest.as_ref().and_then(|manifest| manifest.pointer("/auth/required"));
    required.and_then(Value::as_bool).unwrap_or(true)
}

fn needs_setup(session: &ToolCaller) -> Conclusion {
    if session.is_open() {
        return Conclusion::not_applicable("the API takes no credentials");
    }
    if !requires(session) {
        return Conclusion::not_applicable("the manifest says that it needs no credentials");
    }
    let observed = session.observe(&call::json(&["health"]));
    let mut judge = Judge::default();
    let fault = match call::loose(&observed) {
        None => Some(call::no_object(&observed)),
        Some(envelope) => {
            let case = Case { behaviour: None, words: &["needs_setup"], most_ms: HOST_MS };
            wrong_state(session, &observed, &envelope, &case)
        }
    };
    judge.judge(&observed, fault);
    judge.verdict()
}

fn quiet(session: &ToolCaller) -> Conclusion {
    if session.is_open() {
        return Conclusion::not_applicable("the API takes no credentials");
    }
    if !call::is_strict(session) || !requires(session) {
        return Conclusion::not_applicable(STRICT_ONLY);
    }
    let observed = session.observe(&call::json(&["health"]).upstream(Behaviour::Good));
    let mut judge = Judge::default();
    if call::loose(&observed).is_none() {
        return judge.verdict();
    }
    let count = observed.connections;
    judge.judge(&observed, (count > 0).then(|| format!("it made {count} connections")));
    judge.verdict()
}
