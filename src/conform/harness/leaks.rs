//! Sentinel secrets in everything that leaves the tool: whole, encoded, or four characters of them.

use std::sync::Arc;

use super::super::mock::Behaviour;
use super::super::probe::{Finding, Need, Probe, Verdict};
use super::super::secrets::Shape;
use super::super::session::{Call, Observed, Session};
use super::judge::Judge;
use super::{call, harness, results};

const WHY: &str =
    "output reaches agents, logs and screens, and four characters are enough to recognise a key";
const SHAPES: [Shape; 2] = [Shape::Plain, Shape::Special];

pub(super) const CONFIG: Probe = harness(
    "harness.config-redacted",
    "§3.3",
    (
        "`config show` prints no character of a secret",
        WHY,
        "report only whether a key is set, without its first or last characters or its length",
    ),
    &[Need::Credentials],
    config,
);

pub(super) const HEALTH: Probe = harness(
    "harness.health-secrets",
    "§9",
    (
        "`health` prints no part of a secret, whatever the upstream returns",
        WHY,
        "remove the values of all credentials from every output string",
    ),
    &[Need::Credentials],
    health,
);

pub(super) const ERRORS: Probe = harness(
    "harness.error-secrets",
    "§9",
    (
        "Errors and `capabilities` print no part of a secret",
        WHY,
        "remove the values of all credentials from every output string",
    ),
    &[Need::Credentials],
    errors,
);

pub(super) const COMMANDS: Probe = harness(
    "harness.command-secrets",
    "§9",
    (
        "No command prints a part of a secret, even if the upstream repeats it",
        WHY,
        "remove the values of all credentials from results and errors of commands",
    ),
    &[Need::Credentials],
    commands,
);

pub(super) const URL: Probe = harness(
    "harness.secret-in-url",
    "§9",
    ("No secret is part of a URL", "proxies and servers log URLs", "send the secret in a header"),
    &[Need::Credentials, Need::BaseUrl],
    url,
);

/// How the first secret that shows does so.
fn leak(observed: &Observed) -> Option<String> {
    let said = observed.said();
    observed.secrets.iter().find_map(|secret| {
        secret.leak(&said).map(|how| format!("{} is printed {how}", secret.name))
    })
}

/// Whether there is something in which a secret could be.
fn spoke(observed: &Observed) -> bool {
    !observed.stdout().is_empty() || !observed.stderr().is_empty()
}

fn judged(calls: impl IntoIterator<Item = Arc<Observed>>) -> Finding {
    let mut judge = Judge::default();
    for observed in calls {
        if spoke(&observed) {
            judge.judge(&observed, leak(&observed));
        }
    }
    judge.verdict()
}

/// The same call for each shape of secrets.
fn shaped(session: &Session, call: &Call) -> Vec<Arc<Observed>> {
    SHAPES.into_iter().map(|shape| session.observe(&call.clone().secrets(shape))).collect()
}

fn config(session: &Session) -> Finding {
    let calls = [
        &["--json", "config", "show"][..],
        &["config", "show"],
        &["--json", "--verbose", "config", "show"],
    ];
    judged(
        calls
            .into_iter()
            .flat_map(|arguments| shaped(session, &Call::new(arguments.iter().copied()))),
    )
}

fn health(session: &Session) -> Finding {
    let behaviours =
        [None, Some(Behaviour::Echo), Some(Behaviour::Status(500)), Some(Behaviour::Malformed)];
    judged(behaviours.into_iter().flat_map(|behaviour| {
        let call = Call::new(["--json", "--verbose", "health"]);
        shaped(
            session,
            &match behaviour {
                Some(behaviour) => call.upstream(behaviour),
                None => call,
            },
        )
    }))
}

fn errors(session: &Session) -> Finding {
    let mut calls: Vec<Call> = [
        &["--json", "capabilities"][..],
        &["--json", "no-such-command"],
        &["--json", "--verbose", "capabilities", "--no-such-option"],
        &["--json", "--mode", "nobody", "capabilities"],
        &["no-such-command"],
    ]
    .into_iter()
    .map(|arguments| Call::new(arguments.iter().copied()))
    .collect();
    // One refusal stands for all: they share the gate.
    if let Some((command, lower)) = call::gated(session).into_iter().next() {
        calls.push(command.call(lower.first().map(String::as_str)));
    }
    judged(calls.iter().flat_map(|call| shaped(session, call)))
}

fn commands(session: &Session) -> Finding {
    if let Some(blocked) = call::uncontained(session) {
        return blocked;
    }
    let mut judge = Judge::default();
    let runs = [(Some(Behaviour::Echo), Shape::Special), (None, Shape::Plain)];
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
    if finding.verdict() == Verdict::Pass && all > 0 && asked == 0 {
        return Finding::blocked(
            "no command sent a request to the upstream, so it could not repeat a secret; add samples for the commands to conform.toml",
        );
    }
    call::over_all(session, finding)
}

fn url(session: &Session) -> Finding {
    if !call::is_strict(session) {
        return Finding::not_applicable("this tag does not ask for it");
    }
    let health = call::json(&["health"]).secrets(Shape::Plain).upstream(Behaviour::Good);
    let mut calls = vec![session.observe(&health)];
    let commands = call::carried_out(session, Some(Behaviour::Echo), Shape::Special);
    calls.extend(commands.into_iter().map(|(_, observed)| observed));
    let mut judge = Judge::default();
    for observed in calls.into_iter().filter(|observed| !observed.requests.is_empty()) {
        let secret = observed.secrets.iter().find(|secret| {
            observed.requests.iter().any(|request| secret.leak(&request.target).is_some())
        });
        let fault = secret.map(|secret| format!("{} is part of an address", secret.name));
        judge.judge(&observed, fault);
    }
    judge
        .verdict_unless_empty("no call sent a request to the upstream, so no URL could be examined")
}
