//! Sentinel secrets in everything that leaves the tool: whole, encoded, or four characters of them.

use std::sync::Arc;

use super::judge::Judge;
use super::{call, results};
use crate::conform::mock::Behaviour;
use crate::conform::probe::{Conclusion, Need, Probe, ProbeVerdict};
use crate::conform::secrets::SecretShape;
use crate::conform::session::{Observed, ToolCall, ToolCaller};
use crate::families::harness::contract::FAMILY;

const WHY: &str =
    "Output reaches agents, logs and screens, and four characters are enough to identify a key";
const SHAPES: [SecretShape; 2] = [SecretShape::Plain, SecretShape::Special];

pub(super) const CONFIG: Probe = Probe {
    id: "harness.config-redacted",
    section: "§3.3",
    title: "`config show` prints no character of a secret",
    why: WHY,
    fix: "report only whether a key is set: no first or last characters, no length",
    needs: &[Need::Credentials],
    run: config,
    ..Probe::of(FAMILY)
};

pub(super) const HEALTH: Probe = Probe {
    id: "harness.health-secrets",
    section: "§9",
    title: "`health` prints no part of a secret, even if the upstream repeats it",
    why: WHY,
    fix: "remove the values of all credentials from every string that the process prints",
    needs: &[Need::Credentials],
    run: health,
    ..Probe::of(FAMILY)
};

pub(super) const ERRORS: Probe = Probe {
    id: "harness.error-secrets",
    section: "§9",
    title: "Errors and `capabilities` print no part of a secret",
    why: WHY,
    fix: "remove the values of all credentials from every string that the process prints",
    needs: &[Need::Credentials],
    run: errors,
    ..Probe::of(FAMILY)
};

pub(super) const COMMANDS: Probe = Probe {
    id: "harness.command-secrets",
    section: "§9",
    title: "No command prints a part of a secret, even if the upstream repeats it",
    why: WHY,
    fix: "remove the values of all credentials from results and errors of commands",
    needs: &[Need::Credentials],
    run: commands,
    ..Probe::of(FAMILY)
};

pub(super) const URL: Probe = Probe {
    id: "harness.secret-in-url",
    section: "§9",
    title: "No secret is part of an address",
    why: "Every proxy and server on the way writes addresses to its logs",
    fix: "send the secret in a header",
    needs: &[Need::Credentials, Need::BaseUrl],
    run: url,
    ..Probe::of(FAMILY)
};

/// Describes the first secret that appears in the output.
fn leak(observed: &Observed) -> Option<String> {
    let said = observed.said();
    observed.secrets.iter().find_map(|secret| {
        secret.leak(&said).map(|how| format!("{} is printed {how}", secret.name))
    })
}

/// True if there is something in which a secret could be.
fn spoke(observed: &Observed) -> bool {
    !observed.stdout().is_empty() || !observed.stderr().is_empty()
}

fn judged(calls: impl IntoIterator<Item = Arc<Observed>>) -> Conclusion {
    let mut judge = Judge::default();
    for observed in calls {
        if spoke(&observed) {
            judge.judge(&observed, leak(&observed));
        }
    }
    judge.verdict()
}

/// The same call for each shape of secrets.
fn shaped(session: &ToolCaller, call: &ToolCall) -> Vec<Arc<Observed>> {
    SHAPES.into_iter().map(|shape| session.observe(&call.clone().secrets(shape))).collect()
}

fn config(session: &ToolCaller) -> Conclusion {
    if session.is_open() {
        return Conclusion::not_applicable("the API takes no credentials");
    }
    let calls = [
        &["--json", "config", "show"][..],
        &["config", "show"],
        &["--json", "--verbose", "config", "show"],
    ];
    judged(
        calls
            .into_iter()
            .flat_map(|arguments| shaped(session, &ToolCall::new(arguments.iter().copied()))),
    )
}

fn health(session: &ToolCaller) -> Conclusion {
    if session.is_open() {
        return Conclusion::not_applicable("the API takes no credentials");
    }
    let behaviours =
        [None, Some(Behaviour::Echo), Some(Behaviour::Status(500)), Some(Behaviour::Malformed)];
    judged(behaviours.into_iter().flat_map(|behaviour| {
        let call = ToolCall::new(["--json", "--verbose", "health"]);
        shaped(
            session,
            &match behaviour {
                Some(behaviour) => call.upstream(behaviour),
                None => call,
            },
        )
    }))
}

fn errors(session: &ToolCaller) -> Conclusion {
    if session.is_open() {
        return Conclusion::not_applicable("the API takes no credentials");
    }
    let mut calls: Vec<ToolCall> = [
        &["--json", "capabilities"][..],
        &["--json", "no-such-command"],
        &["--json", "--verbose", "capabilities", "--no-such-option"],
        &["--json", "--mode", "nobody", "capabilities"],
        &["no-such-command"],
    ]
    .into_iter()
    .map(|arguments| ToolCall::new(arguments.iter().copied()))
    .collect();
    // One refusal is enough, because all commands share the gate.
    if let Some((command, lower)) = call::gated(session).into_iter().next() {
        calls.push(command.call(lower.first().map(String::as_str)));
    }
    judged(calls.iter().flat_map(|call| shaped(session, call)))
}

fn commands(session: &ToolCaller) -> Conclusion {
    if session.is_open() {
        return Conclusion::not_applicable("the API takes no credentials");
    }
    if let Some(blocked) = call::uncontained(session) {
        return blocked;
    }
    let mut judge = Judge::default();
    let runs = [(Some(Behaviour::Echo), SecretShape::Special), (None, SecretShape::Plain)];
    let (mut asked, mut all) = (0, 0);
    for (behaviour, shape) in runs {
        for (_, observed) in call::carried_out(session, behaviour, shape) {
            all += 1;
            asked += observed.connections.min(1);
            if spoke(&observed) {
                judge.judge(&observed, leak(&observed));
            }
        }
    }
    let finding = judge.verdict_or(call::absence(session, results::NOTHING));
    if finding.verdict() == ProbeVerdict::Pass && all > 0 && asked == 0 {
        return Conclusion::blocked(
            "no command sent a request to the upstream, so it could not repeat a secret; add samples for the commands to conform.toml",
        );
    }
    call::over_all(session, finding)
}

/// A target without these names of its query.
fn without(target: &str, names: &[&str]) -> String {
    let Some((path, query)) = target.split_once('?').filter(|_| !names.is_empty()) else {
        return target.to_owned();
    };
    let is_other = |pair: &&str| pair.split('=').next().is_none_or(|name| !names.contains(&name));
    format!("{path}?{}", query.split('&').filter(is_other).collect::<Vec<_>>().join("&"))
}

fn url(session: &ToolCaller) -> Conclusion {
    if session.is_open() {
        return Conclusion::not_applicable("the API takes no credentials");
    }
    if !call::is_strict(session) {
        return Conclusion::not_applicable("this tag does not require it");
    }
    let health = call::json(&["health"]).secrets(SecretShape::Plain).upstream(Behaviour::Good);
    let mut calls = vec![session.observe(&health)];
    let commands = call::carried_out(session, Some(Behaviour::Echo), SecretShape::Special);
    calls.extend(commands.into_iter().map(|(_, observed)| observed));
    // An API that takes its key nowhere else says so in conform.toml.
    let stated = super::facts::of(session).map_or_else(Vec::new, |facts| facts.auth.query_names());
    let mut judge = Judge::default();
    for observed in calls.into_iter().filter(|observed| !observed.requests.is_empty()) {
        let secret = observed.secrets.iter().find(|secret| {
            let targets = observed.requests.iter().map(|request| without(&request.target, &stated));
            targets.into_iter().any(|target| secret.leak(&target).is_some())
        });
        let fault = secret.map(|secret| format!("{} is part of an address", secret.name));
        judge.judge(&observed, fault);
    }
    judge
        .verdict_unless_empty("no call sent a request to the upstream, so no URL could be examined")
}
