//! The document on stdout: one of two shapes, for successes and for failures.

use std::sync::Arc;

use serde_json::Value;

use super::judge::Judge;
use super::{call, results, shapes};
use crate::conform::probe::{Conclusion, Probe};
use crate::conform::session::{Observed, ToolCall, ToolCaller};
use crate::families::harness::contract::FAMILY;

pub(super) const ONE_DOCUMENT: Probe = Probe {
    id: "harness.one-document",
    section: "§4",
    title: "With `--json`, stdout contains exactly one JSON document",
    why: "The host parses all of stdout; one warning line before the document makes the connector unusable",
    fix: "write warnings and progress to stderr, and print the envelope once",
    needs: &[],
    run: one_document,
    ..Probe::of(FAMILY)
};

pub(super) const SUCCESS_KEYS: Probe = Probe {
    id: "harness.success-keys",
    section: "§4",
    title: "A success has exactly the keys of the contract",
    why: "The host reads them by name, and other members may hide them",
    fix: "print `ok`, `tool`, `command`, `data` and `meta`, and nothing else",
    needs: &[],
    run: success_keys,
    ..Probe::of(FAMILY)
};

pub(super) const ERROR_KEYS: Probe = Probe {
    id: "harness.error-keys",
    section: "§4",
    title: "A failure has exactly the keys of the contract, in the envelope and in `error`",
    why: "An agent decides by `error.code` and `error.details`",
    fix: "print `ok`, `tool`, `command`, `error` with `code`, `message`, `details`, and `meta`",
    needs: &[],
    run: error_keys,
    ..Probe::of(FAMILY)
};

pub(super) const META: Probe = Probe {
    id: "harness.meta",
    section: "§4",
    title: "`meta` has mode, duration, timestamp and version with their types",
    why: "The host writes its logs from them",
    fix: "fill `meta.mode`, `meta.duration_ms`, `meta.timestamp` (ISO 8601, UTC) and `meta.version` in every envelope",
    needs: &[],
    run: meta,
    ..Probe::of(FAMILY)
};

pub(super) const META_MODE: Probe = Probe {
    id: "harness.meta-mode",
    section: "§4",
    title: "`meta.mode` is the mode in which the call ran",
    why: "An audit needs to know what a call was allowed to do",
    fix: "put the mode of this call into `meta.mode`, not the default one",
    needs: &[],
    run: meta_mode,
    ..Probe::of(FAMILY)
};

pub(super) const COMMAND_ID: Probe = Probe {
    id: "harness.command-id",
    section: "§4",
    title: "`command` is the id of the requested command",
    why: "The host stores the response under this id, even if the command was refused",
    fix: "put the dotted id into `command`, also in refusals",
    needs: &[],
    run: command_id,
    ..Probe::of(FAMILY)
};

pub(super) const OK_IS_EXIT_ZERO: Probe = Probe {
    id: "harness.ok-is-exit-zero",
    section: "§4",
    title: "`ok` is true exactly when the exit code is 0",
    why: "One part of the host uses the exit code, another uses `ok`; they must agree",
    fix: "derive the exit code and `ok` from the same value",
    needs: &[],
    run: ok_is_exit_zero,
    ..Probe::of(FAMILY)
};

pub(super) const UNKNOWN_COMMAND: Probe = Probe {
    id: "harness.unknown-command",
    section: "§4",
    title: "An unknown command is a usage error in an envelope",
    why: "An agent that guesses must learn what was wrong",
    fix: "catch the error of the argument parser, and return exit code 2",
    needs: &[],
    run: unknown_command,
    ..Probe::of(FAMILY)
};

pub(super) const UNKNOWN_OPTION: Probe = Probe {
    id: "harness.unknown-option",
    section: "§4",
    title: "An unknown option is a usage error in an envelope",
    why: "Workflows pass fields as options, so an agent must be able to read a mismatch",
    fix: "catch the error of the argument parser, and return exit code 2",
    needs: &[],
    run: unknown_option,
    ..Probe::of(FAMILY)
};

pub(super) const BAD_MODE: Probe = Probe {
    id: "harness.bad-mode",
    section: "§2",
    title: "An unknown `--mode` is a usage error in an envelope",
    why: "A mode that is silently replaced gives unintended rights",
    fix: "compare `--mode` with the four modes, and return exit code 2",
    needs: &[],
    run: bad_mode,
    ..Probe::of(FAMILY)
};

pub(super) const BAD_MODE_VARIABLE: Probe = Probe {
    id: "harness.bad-mode-variable",
    section: "§2",
    title: "An invalid mode in the mode variable is a usage error in an envelope",
    why: "A typing error of an operator must not silently change rights",
    fix: "check `AOS_MODE` in the same way as the flag, and return exit code 2",
    needs: &[],
    run: bad_mode_variable,
    ..Probe::of(FAMILY)
};

/// Refusals of gated commands in the lowest mode.
fn refusals(session: &ToolCaller) -> Vec<(String, Arc<Observed>)> {
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
fn known(session: &ToolCaller) -> Vec<(String, Arc<Observed>)> {
    let basics = call::basics(session).into_iter().map(|(id, observed)| (id.to_owned(), observed));
    basics.chain(refusals(session)).collect()
}

/// Faulty calls of any kind, which are failures for every tool.
fn mistakes(session: &ToolCaller) -> Vec<Arc<Observed>> {
    [
        &["--json", "no-such-command"][..],
        &["--json", "capabilities", "--no-such-option"],
        &["--json", "--mode", "nobody", "capabilities"],
    ]
    .into_iter()
    .map(|arguments| session.observe(&ToolCall::new(arguments.iter().copied())))
    .collect()
}

fn one_document(session: &ToolCaller) -> Conclusion {
    let mut judge = Judge::default();
    for (_, observed) in known(session) {
        judge.judge(&observed, observed.json().err().map(String::from));
    }
    judge.verdict()
}

fn success_keys(session: &ToolCaller) -> Conclusion {
    let Some(contract) = call::contract(session) else {
        return Conclusion::blocked("no harness contract");
    };
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

fn error_keys(session: &ToolCaller) -> Conclusion {
    let Some(contract) = call::contract(session) else {
        return Conclusion::blocked("no harness contract");
    };
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

fn meta(session: &ToolCaller) -> Conclusion {
    let Some(contract) = call::contract(session) else {
        return Conclusion::blocked("no harness contract");
    };
    let mut judge = Judge::default();
    for (_, observed) in known(session) {
        let Some(value) = call::loose(&observed) else { continue };
        judge.judge(&observed, shapes::meta(contract, &value));
    }
    judge.verdict()
}

fn meta_mode(session: &ToolCaller) -> Conclusion {
    let mut judge = Judge::default();
    for mode in call::modes(session) {
        let observed =
            session.observe(&ToolCall::new(["--json", "--mode", mode.as_str(), "capabilities"]));
        let Some(value) = call::loose(&observed) else { continue };
        let Some(said) = value.pointer("/meta/mode").and_then(Value::as_str) else { continue };
        let fault = (said != mode).then(|| format!("the mode is {mode}, but it reports `{said}`"));
        judge.judge(&observed, fault);
    }
    judge.verdict()
}

fn command_id(session: &ToolCaller) -> Conclusion {
    let mut judge = Judge::default();
    for (id, observed) in known(session) {
        let Some(value) = call::loose(&observed) else { continue };
        let Some(said) = value.get("command").and_then(Value::as_str) else { continue };
        judge.judge(&observed, (said != id).then(|| format!("`command` is `{said}`, not `{id}`")));
    }
    judge.verdict()
}

fn ok_is_exit_zero(session: &ToolCaller) -> Conclusion {
    let mut judge = Judge::default();
    let known = known(session).into_iter().map(|(_, observed)| observed);
    for observed in known.chain(mistakes(session)) {
        let Some(value) = call::loose(&observed) else { continue };
        let (Some(ok), Some(exit)) = (value.get("ok").and_then(Value::as_bool), observed.exit())
        else {
            continue;
        };
        let fault =
            (ok != (exit == 0)).then(|| format!("`ok` is {ok}, but the exit code is {exit}"));
        judge.judge(&observed, fault);
    }
    judge.verdict()
}

/// Returns the fault of the answer to a wrong call.
fn not_a_usage_error(observed: &Observed) -> Option<String> {
    let Some(value) = call::loose(observed) else {
        return Some(call::no_object(observed));
    };
    if value.get("error").is_none() {
        return Some("the response is a success".to_owned());
    }
    (observed.exit() != Some(2) && observed.exit() != Some(0))
        .then(|| "its exit code is not 2".to_owned())
}

fn mistake(session: &ToolCaller, call: &ToolCall) -> Conclusion {
    let observed = session.observe(call);
    let mut judge = Judge::default();
    judge.judge(&observed, not_a_usage_error(&observed));
    judge.verdict()
}

fn unknown_command(session: &ToolCaller) -> Conclusion {
    mistake(session, &ToolCall::new(["--json", "no-such-command"]))
}

fn unknown_option(session: &ToolCaller) -> Conclusion {
    mistake(session, &ToolCall::new(["--json", "capabilities", "--no-such-option"]))
}

fn bad_mode(session: &ToolCaller) -> Conclusion {
    mistake(session, &ToolCall::new(["--json", "--mode", "nobody", "capabilities"]))
}

fn bad_mode_variable(session: &ToolCaller) -> Conclusion {
    let Some(name) = call::contract(session).and_then(|contract| contract.mode_env.clone()) else {
        return Conclusion::not_applicable("this tag has no variable for the mode");
    };
    mistake(session, &ToolCall::new(["--json", "capabilities"]).variable(name.as_str(), "nobody"))
}
