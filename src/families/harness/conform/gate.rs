//! The permission gate: each command in each mode.

use serde_json::Value;

use super::call::CallableCommand;
use super::judge::Judge;
use super::{call, results};
use crate::conform::probe::{Conclusion, Probe};
use crate::conform::secrets::SecretShape;
use crate::conform::session::{Observed, ToolCaller};
use crate::families::harness::contract::FAMILY;
use crate::reason::Reason;

const NOTHING: &str = "no command needs more than the lowest mode";

pub(super) const REFUSES: Probe = Probe {
    id: "harness.gate",
    section: "§6",
    title: "Every command refuses each mode below its own",
    why: "The mode is the only protection against a destructive call of an agent",
    fix: "refuse with exit code 3 and `PERMISSION_DENIED`, with `required_mode` and `actual_mode` in `details`",
    needs: &[],
    run: refuses,
    ..Probe::of(FAMILY)
};

pub(super) const FIRST: Probe = Probe {
    id: "harness.gate-first",
    section: "§6",
    title: "The gate is checked before the arguments are parsed",
    why: "Otherwise a forbidden call looks like a typing error, and the agent tries again",
    fix: "check the mode before parsing the options of the command",
    needs: &[],
    run: first,
    ..Probe::of(FAMILY)
};

pub(super) const DEFAULT: Probe = Probe {
    id: "harness.gate-default",
    section: "§6",
    title: "Without a mode, the lowest one applies",
    why: "The workflow runner passes no mode",
    fix: "use the lowest mode if neither flag nor variable sets one",
    needs: &[],
    run: default,
    ..Probe::of(FAMILY)
};

pub(super) const ADMITS: Probe = Probe {
    id: "harness.gate-admits",
    section: "§6",
    title: "A command runs in its own mode and in each higher one",
    why: "The host asks for exactly the mode of the manifest",
    fix: "compare the rank of the mode with the rank of the required mode",
    needs: &[],
    run: admits,
    ..Probe::of(FAMILY)
};

pub(super) const VARIABLE: Probe = Probe {
    id: "harness.mode-variable",
    section: "§2",
    title: "The mode variable applies without the flag, and the flag overrides it",
    why: "Operators use it to allow writes in workflows",
    fix: "use `--mode`, then `AOS_MODE`, then the lowest mode",
    needs: &[],
    run: variable,
    ..Probe::of(FAMILY)
};

/// Returns the fault of a refusal.
fn not_refused(observed: &Observed, command: &CallableCommand, mode: &str) -> Option<String> {
    if observed.exit() != Some(3) {
        let id = &command.id;
        return Some(format!(
            "`{id}` needs {}, but does not refuse {mode} with exit code 3",
            command.required_mode
        ));
    }
    let Some(envelope) = call::loose(observed) else {
        return Some(call::no_object(observed));
    };
    let code = call::error_code(&envelope);
    if !code.is_empty() && code != "PERMISSION_DENIED" {
        return Some(format!("the code is `{code}`, not `PERMISSION_DENIED`"));
    }
    let details = envelope.pointer("/error/details").and_then(Value::as_object)?;
    let wanted = [("required_mode", command.required_mode.as_str()), ("actual_mode", mode)];
    let wrong = wanted
        .iter()
        .find(|(name, mode)| details.get(*name).and_then(Value::as_str) != Some(*mode))?;
    Some(format!("`details.{}` is not `{}`", wrong.0, wrong.1))
}

/// One command for each mode that is needed: what all commands share is looked at with these.
fn one_per_mode(session: &ToolCaller) -> Vec<(CallableCommand, Vec<String>)> {
    let mut seen: Vec<String> = Vec::new();
    let mut chosen = Vec::new();
    for (command, lower) in call::gated(session) {
        let refused = lower.first().is_some_and(|mode| is_refused(session, &command, mode));
        if refused && !seen.contains(&command.required_mode) {
            seen.push(command.required_mode.clone());
            chosen.push((command, lower));
        }
    }
    chosen
}

/// Returns evidence that nothing is gated; a gate that refuses nothing is not such evidence.
fn ungated(session: &ToolCaller) -> Result<&'static str, Reason> {
    if !call::gated(session).is_empty() {
        return Err("no command is refused in a lower mode, which `harness.gate` judges".into());
    }
    call::absence(session, NOTHING)
}

/// The plain refusal that the other probes build on.
fn is_refused(session: &ToolCaller, command: &CallableCommand, mode: &str) -> bool {
    let call = if call::is_strict(session) {
        command.call(Some(mode))
    } else {
        command.sampled(session, Some(mode))
    };
    session.observe(&call).exit() == Some(3)
}

fn refuses(session: &ToolCaller) -> Conclusion {
    let mut judge = Judge::default();
    let mut undecided = 0;
    for (command, lower) in call::gated(session) {
        for mode in lower {
            let is_strict = call::is_strict(session);
            let call = if is_strict {
                command.call(Some(&mode))
            } else {
                command.sampled(session, Some(&mode))
            };
            let observed = session.observe(&call);
            // The first tag does not say that the gate comes before the arguments.
            if !is_strict && observed.exit() == Some(2) && command.sample(session).is_none() {
                undecided += 1;
                continue;
            }
            judge.judge(&observed, not_refused(&observed, &command, &mode));
        }
    }
    let finding = call::over_all(session, judge.verdict_or(call::absence(session, NOTHING)));
    if undecided > 0 && finding.verdict() != crate::conform::probe::ProbeVerdict::Fail {
        return Conclusion::blocked(format!(
            "{undecided} calls without arguments were usage errors; give the commands samples in conform.toml"
        ));
    }
    finding
}

fn first(session: &ToolCaller) -> Conclusion {
    if !call::is_strict(session) {
        return Conclusion::not_applicable("this tag does not require it");
    }
    let mut judge = Judge::of("commands");
    for (command, lower) in call::gated(session) {
        let Some(mode) = lower.first().filter(|mode| is_refused(session, &command, mode)) else {
            continue;
        };
        let mut call = command.call(Some(mode));
        call.arguments.extend(["--no-such-option".to_owned(), "x".to_owned()]);
        let observed = session.observe(&call);
        let fault = (observed.exit() != Some(3))
            .then(|| "with an invalid option, its exit code is not 3".to_owned());
        judge.judge(&observed, fault);
    }
    call::over_all(session, judge.verdict_or(ungated(session)))
}

fn default(session: &ToolCaller) -> Conclusion {
    let lowest = call::modes(session).into_iter().next().unwrap_or_default();
    let mut judge = Judge::default();
    for (command, _) in one_per_mode(session) {
        let call = if call::is_strict(session) {
            command.call(None)
        } else {
            command.sampled(session, None)
        };
        let observed = session.observe(&call);
        judge.judge(&observed, not_refused(&observed, &command, &lowest));
    }
    judge.verdict_or(ungated(session))
}

fn admits(session: &ToolCaller) -> Conclusion {
    if let Some(blocked) = call::uncontained(session) {
        return blocked;
    }
    let highest = call::modes(session).pop().unwrap_or_default();
    let mut seen = Vec::new();
    let mut judge = Judge::default();
    for (command, observed) in call::carried_out(session, None, SecretShape::Plain) {
        // A call that did not end was neither admitted nor refused.
        if observed.exit().is_some() {
            judge.judge(&observed, denied(&observed, &command.required_mode));
        }
        if command.required_mode != highest && !seen.contains(&command.required_mode) {
            seen.push(command.required_mode.clone());
            let call = command.sampled(session, Some(&highest)).secrets(SecretShape::Plain);
            let observed = session.observe(&call);
            if observed.exit().is_some() {
                judge.judge(&observed, denied(&observed, &highest));
            }
        }
    }
    call::over_all(session, judge.verdict_or(call::absence(session, results::NOTHING)))
}

fn denied(observed: &Observed, mode: &str) -> Option<String> {
    (observed.exit() == Some(3)).then(|| format!("it is refused in the mode {mode}"))
}

fn variable(session: &ToolCaller) -> Conclusion {
    let Some(name) = call::contract(session).and_then(|contract| contract.mode_env.clone()) else {
        return Conclusion::not_applicable("this tag has no variable for the mode");
    };
    if let Some(blocked) = call::uncontained(session) {
        return blocked;
    }
    let mut judge = Judge::default();
    for (command, lower) in one_per_mode(session) {
        let Some(lowest) = lower.first() else { continue };
        let call = command.sampled(session, None).secrets(SecretShape::Plain);
        let granted = session.observe(&call.variable(name.as_str(), &command.required_mode));
        let admitted = session.observe(
            &command.sampled(session, Some(&command.required_mode)).secrets(SecretShape::Plain),
        );
        if admitted.exit() != Some(3) {
            let fault = denied(&granted, &command.required_mode);
            judge.judge(&granted, fault.map(|_| format!("{name} does not grant the mode")));
        }
        let call = command.call(Some(lowest)).variable(name.as_str(), &command.required_mode);
        let observed = session.observe(&call);
        let fault = (observed.exit() != Some(3)).then(|| format!("{name} overrides the flag"));
        judge.judge(&observed, fault);
    }
    judge.verdict_or(ungated(session))
}
