//! What stands on stdout: one document of one of two shapes, for successes and for every failure.

use std::sync::Arc;

use serde_json::Value;

use super::super::probe::{Finding, Probe};
use super::super::session::{Call, Observed, Session};
use super::judge::Judge;
use super::{call, harness, results, shapes};

pub(super) const ONE_DOCUMENT: Probe = harness(
    "harness.one-document",
    "§4",
    (
        "With `--json`, stdout contains exactly one JSON document",
        "the host parses all of stdout; one additional line makes the connector unusable",
        "write warnings and progress to stderr, and print the envelope once",
    ),
    &[],
    one_document,
);

pub(super) const SUCCESS_KEYS: Probe = harness(
    "harness.success-keys",
    "§4",
    (
        "A success has exactly the keys of the contract",
        "the host looks for these keys by name",
        "print `ok`, `tool`, `command`, `data` and `meta`, and nothing else",
    ),
    &[],
    success_keys,
);

pub(super) const ERROR_KEYS: Probe = harness(
    "harness.error-keys",
    "§4",
    (
        "A failure has exactly the keys of the contract, in the envelope and in `error`",
        "agents use `error.code` and `error.details` to decide what to do",
        "print `ok`, `tool`, `command`, `error` with `code`, `message`, `details`, and `meta`",
    ),
    &[],
    error_keys,
);

pub(super) const META: Probe = harness(
    "harness.meta",
    "§4",
    (
        "`meta` has mode, duration, timestamp and version with the right types",
        "the host logs them",
        "fill `meta.mode`, `meta.duration_ms`, `meta.timestamp` (ISO 8601, UTC) and `meta.version` in every envelope",
    ),
    &[],
    meta,
);

pub(super) const META_MODE: Probe = harness(
    "harness.meta-mode",
    "§4",
    (
        "`meta.mode` is the mode in which the call ran",
        "an audit needs to know what a call was allowed to do",
        "put the mode of this call into `meta.mode`, not the default mode",
    ),
    &[],
    meta_mode,
);

pub(super) const COMMAND_ID: Probe = harness(
    "harness.command-id",
    "§4",
    (
        "`command` is the id of the called command",
        "the host stores the response under this id, even if the command was refused",
        "put the dotted id into `command`, also in refusals",
    ),
    &[],
    command_id,
);

pub(super) const OK_IS_EXIT_ZERO: Probe = harness(
    "harness.ok-is-exit-zero",
    "§4",
    (
        "`ok` is true exactly when the exit code is 0",
        "parts of the host use the exit code, and others `ok`; they must agree",
        "derive the exit code and `ok` from the same value",
    ),
    &[],
    ok_is_exit_zero,
);

pub(super) const UNKNOWN_COMMAND: Probe = harness(
    "harness.unknown-command",
    "§4",
    (
        "An unknown command is a usage error in an envelope",
        "an agent that guesses wrong must be able to read what went wrong",
        "catch the error of the argument parser, and exit with code 2",
    ),
    &[],
    unknown_command,
);

pub(super) const UNKNOWN_OPTION: Probe = harness(
    "harness.unknown-option",
    "§4",
    (
        "An unknown option is a usage error in an envelope",
        "workflows send fields as options, so a wrong option must be reported",
        "catch the error of the argument parser, and exit with code 2",
    ),
    &[],
    unknown_option,
);

pub(super) const BAD_MODE: Probe = harness(
    "harness.bad-mode",
    "§2",
    (
        "An unknown `--mode` is a usage error in an envelope",
        "silently replacing an unknown mode would grant unintended permissions",
        "check `--mode` against the four modes, and exit with code 2",
    ),
    &[],
    bad_mode,
);

pub(super) const BAD_MODE_VARIABLE: Probe = harness(
    "harness.bad-mode-variable",
    "§2",
    (
        "An unknown mode in the mode variable is a usage error in an envelope",
        "a typing error must not silently change permissions",
        "check `AOS_MODE` like the flag, and exit with code 2",
    ),
    &[],
    bad_mode_variable,
);

/// Refusals of gated commands in the lowest mode.
fn refusals(session: &Session) -> Vec<(String, Arc<Observed>)> {
    let gated = call::gated(session).into_iter();
    gated
        .map(|(command, lower)| {
            let mode = lower.first().map(String::as_str);
            let call = if call::is_strict(session) {
                command.call(mode)
            } else {
                command.sampled(session, mode)
            };
            (command.id, session.observe(&call))
        })
        .collect()
}

/// Calls whose answer has a known id.
fn known(session: &Session) -> Vec<(String, Arc<Observed>)> {
    let basics = call::basics(session).into_iter().map(|(id, observed)| (id.to_owned(), observed));
    basics.chain(refusals(session)).collect()
}

/// Faulty calls of any kind, which are failures whatever the tool is.
fn mistakes(session: &Session) -> Vec<Arc<Observed>> {
    [
        &["--json", "no-such-command"][..],
        &["--json", "capabilities", "--no-such-option"],
        &["--json", "--mode", "nobody", "capabilities"],
    ]
    .into_iter()
    .map(|arguments| session.observe(&Call::new(arguments.iter().copied())))
    .collect()
}

fn one_document(session: &Session) -> Finding {
    let mut judge = Judge::default();
    for (_, observed) in known(session) {
        judge.judge(&observed, observed.json().err());
    }
    judge.verdict()
}

fn success_keys(session: &Session) -> Finding {
    let Some(contract) = session.harness() else { return Finding::blocked("no harness contract") };
    let mut judge = Judge::default();
    let builtin = call::basics(session).into_iter().map(|(id, observed)| (id.to_owned(), observed));
    let own =
        results::answered(session).into_iter().map(|(command, observed)| (command.id, observed));
    for (id, observed) in builtin.chain(own) {
        let Some(value) = call::loose(&observed) else { continue };
        if value.get("ok") == Some(&Value::Bool(false)) {
            continue;
        }
        judge.judge(&observed, shapes::success(contract, &id, &value));
    }
    judge.verdict()
}

fn error_keys(session: &Session) -> Finding {
    let Some(contract) = session.harness() else { return Finding::blocked("no harness contract") };
    let refusals = refusals(session).into_iter().map(|(_, observed)| observed);
    let mut judge = Judge::default();
    for observed in refusals.chain(mistakes(session)) {
        let Some(value) = call::loose(&observed) else { continue };
        if value.get("ok") == Some(&Value::Bool(true)) {
            continue;
        }
        judge.judge(&observed, shapes::failure(contract, &value));
    }
    judge.verdict()
}

fn meta(session: &Session) -> Finding {
    let Some(contract) = session.harness() else { return Finding::blocked("no harness contract") };
    let mut judge = Judge::default();
    for (_, observed) in known(session) {
        let Some(value) = call::loose(&observed) else { continue };
        judge.judge(&observed, shapes::meta(contract, &value));
    }
    judge.verdict()
}

fn meta_mode(session: &Session) -> Finding {
    let mut judge = Judge::default();
    for mode in call::modes(session) {
        let observed =
            session.observe(&Call::new(["--json", "--mode", mode.as_str(), "capabilities"]));
        let Some(value) = call::loose(&observed) else { continue };
        let Some(said) = value.pointer("/meta/mode").and_then(Value::as_str) else { continue };
        let fault = (said != mode).then(|| format!("the mode is {mode}, and it says `{said}`"));
        judge.judge(&observed, fault);
    }
    judge.verdict()
}

fn command_id(session: &Session) -> Finding {
    let mut judge = Judge::default();
    for (id, observed) in known(session) {
        let Some(value) = call::loose(&observed) else { continue };
        let Some(said) = value.get("command").and_then(Value::as_str) else { continue };
        judge.judge(&observed, (said != id).then(|| format!("`command` is `{said}`, not `{id}`")));
    }
    judge.verdict()
}

fn ok_is_exit_zero(session: &Session) -> Finding {
    let mut judge = Judge::default();
    let known = known(session).into_iter().map(|(_, observed)| observed);
    for observed in known.chain(mistakes(session)) {
        let Some(value) = call::loose(&observed) else { continue };
        let (Some(ok), Some(exit)) = (value.get("ok").and_then(Value::as_bool), observed.exit())
        else {
            continue;
        };
        let fault = (ok != (exit == 0)).then(|| format!("`ok` is {ok} with exit {exit}"));
        judge.judge(&observed, fault);
    }
    judge.verdict()
}

/// What is wrong with the answer to a faulty call.
fn not_a_usage_error(observed: &Observed) -> Option<String> {
    let Some(value) = call::loose(observed) else {
        return Some(observed.json().err().unwrap_or_else(|| "it is no object".to_owned()));
    };
    if value.get("error").is_none() {
        return Some("it is answered as a success".to_owned());
    }
    (observed.exit() != Some(2) && observed.exit() != Some(0))
        .then(|| "it does not exit 2".to_owned())
}

fn mistake(session: &Session, call: &Call) -> Finding {
    let observed = session.observe(call);
    let mut judge = Judge::default();
    judge.judge(&observed, not_a_usage_error(&observed));
    judge.verdict()
}

fn unknown_command(session: &Session) -> Finding {
    mistake(session, &Call::new(["--json", "no-such-command"]))
}

fn unknown_option(session: &Session) -> Finding {
    mistake(session, &Call::new(["--json", "capabilities", "--no-such-option"]))
}

fn bad_mode(session: &Session) -> Finding {
    mistake(session, &Call::new(["--json", "--mode", "nobody", "capabilities"]))
}

fn bad_mode_variable(session: &Session) -> Finding {
    let Some(name) = session.harness().and_then(|contract| contract.mode_env.clone()) else {
        return Finding::not_applicable("this tag has no variable for the mode");
    };
    mistake(session, &Call::new(["--json", "capabilities"]).variable(name.as_str(), "nobody"))
}
