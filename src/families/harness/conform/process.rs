//! The tool as a process: dead upstream, exit codes, signals, pipes, size and time.

use std::time::Duration;

use crate::system::subject::Ending;

use super::judge::Judge;
use super::{call, results, shapes};
use crate::conform::mock::Behaviour;
use crate::conform::probe::{Conclusion, Need, Probe};
use crate::conform::secrets::SecretShape;
use crate::conform::session::{Event, Observed, ToolCaller, Upstream};
use crate::families::harness::contract::FAMILY;

/// The number of bytes that the host reads from a probe.
const HOST_BYTES: u64 = 1_000_000;
const HOST_MS: u64 = 4_000;
/// How long a tool may take to end after SIGINT.
const REACTION_MS: u64 = 2_000;

pub(super) const BACKEND_DOWN: Probe = Probe {
    id: "harness.backend-down",
    section: "§4",
    title: "With a dead upstream, every command returns an envelope",
    why: "Uncaught exceptions are the most frequent failure of real connectors",
    fix: "catch every exception in one place, and return the code of the contract",
    needs: &[],
    run: backend_down,
    ..Probe::of(FAMILY)
};

pub(super) const EXIT_CODES: Probe = Probe {
    id: "harness.exit-codes",
    section: "§5",
    title: "Exit codes are those of the contract and agree with the error code",
    why: "The host and agents decide by them whether to retry",
    fix: "map every error to one of the seven exit codes",
    needs: &[],
    run: exit_codes,
    ..Probe::of(FAMILY)
};

pub(super) const START: Probe = Probe {
    id: "harness.start-time",
    section: "§11",
    title: "`capabilities` and `health` respond within the host's time limit",
    why: "The host stops waiting after four seconds, and shows an error",
    fix: "start faster: import late, read no files, make no calls",
    needs: &[],
    run: start,
    ..Probe::of(FAMILY)
};

pub(super) const SIZE: Probe = Probe {
    id: "harness.output-size",
    section: "§4",
    title: "A response has fewer than 1,000,000 bytes",
    why: "The host reads no more than that, and treats a longer response as a failure",
    fix: "end long lists after a page, and set `has_more`",
    needs: &[],
    run: size,
    ..Probe::of(FAMILY)
};

pub(super) const INTERRUPT: Probe = Probe {
    id: "harness.interrupt",
    section: "§4",
    title: "SIGINT ends a waiting call soon, without a traceback",
    why: "A host that cancels must not wait, and still needs a valid response",
    fix: "handle the interruption in the place that catches all exceptions",
    needs: &[Need::Credentials, Need::BaseUrl],
    run: interrupt,
    ..Probe::of(FAMILY)
};

pub(super) const CLOSED_STDOUT: Probe = Probe {
    id: "harness.closed-stdout",
    section: "§4",
    title: "A closed stdout causes no traceback and no endless run",
    why: "Pipes can close early, and a traceback would then appear in the log of another program",
    fix: "exit without output if the pipe is broken",
    needs: &[],
    run: closed_stdout,
    ..Probe::of(FAMILY)
};

fn backend_down(session: &ToolCaller) -> Conclusion {
    if let Some(blocked) = call::uncontained(session) {
        return blocked;
    }
    let mut judge = Judge::default();
    for (command, observed) in call::carried_out(session, None, SecretShape::Plain) {
        let has_sample =
            command.sample(session).is_some() && !results::is_missing(session, &command, &observed);
        judge.judge(&observed, no_answer(session, &observed, has_sample));
    }
    call::over_all(session, judge.verdict_or(call::absence(session, results::NOTHING)))
}

fn no_answer(session: &ToolCaller, observed: &Observed, has_sample: bool) -> Option<String> {
    if observed.has_traceback() {
        return Some("a traceback is not a response".to_owned());
    }
    let Some(envelope) = call::loose(observed) else {
        return Some(call::no_object(observed));
    };
    // With arguments that do their work, only the upstream is missing.
    let asked = has_sample && call::is_strict(session) && session.base_url_env().is_some();
    let is_wrong = asked && call::error_code(&envelope) != "BACKEND_UNAVAILABLE";
    is_wrong.then(|| "the code is not `BACKEND_UNAVAILABLE`".to_owned())
}

fn exit_codes(session: &ToolCaller) -> Conclusion {
    let Some(contract) = call::contract(session) else {
        return Conclusion::blocked("no harness contract");
    };
    let mut calls: Vec<_> =
        call::basics(session).into_iter().map(|(_, observed)| observed).collect();
    if call::uncontained(session).is_none() {
        let commands = call::carried_out(session, None, SecretShape::Plain);
        calls.extend(commands.into_iter().map(|(_, observed)| observed));
    }
    let mut judge = Judge::default();
    for observed in calls {
        let Some(exit) = observed.exit() else { continue };
        // Without an envelope the call is judged by the probes of the envelope.
        let Some(envelope) = call::loose(&observed) else { continue };
        let fault = shapes::exit(contract, call::error_code(&envelope), exit);
        judge.judge(&observed, fault);
    }
    judge.verdict()
}

fn start(session: &ToolCaller) -> Conclusion {
    let mut judge = Judge::default();
    for (id, observed) in call::basics(session) {
        if id == "config.show" {
            continue;
        }
        // A call that did not end has no duration, unless it timed out.
        if call::loose(&observed).is_none() && observed.duration_ms() <= HOST_MS {
            continue;
        }
        let took = session.timed_ms(&call::json(&[id]), &observed, HOST_MS);
        let fault = (took > HOST_MS).then(|| format!("it took {took} ms"));
        judge.judge(&observed, fault);
    }
    judge.verdict()
}

fn size(session: &ToolCaller) -> Conclusion {
    let mut calls: Vec<_> =
        call::basics(session).into_iter().map(|(_, observed)| observed).collect();
    if call::uncontained(session).is_none() && session.base_url_env().is_some() {
        for command in call::commands(session) {
            // Without its arguments a command has no result that could be long.
            if !command.is_builtin() && command.sample(session).is_some() {
                let mode = Some(command.required_mode.as_str());
                let call = command.sampled(session, mode).secrets(SecretShape::Plain);
                calls.push(session.observe(&call.upstream(Behaviour::Good)));
            }
        }
    }
    let mut judge = Judge::default();
    for observed in calls {
        let length = observed.ran.as_ref().map_or(0, |ran| ran.stdout_length);
        if length == 0 {
            continue;
        }
        let fault = (length >= HOST_BYTES).then(|| format!("stdout has {length} bytes"));
        judge.judge(&observed, fault);
    }
    judge.verdict()
}

fn interrupt(session: &ToolCaller) -> Conclusion {
    if cfg!(not(unix)) {
        return Conclusion::not_applicable("this operating system has no SIGINT for one program");
    }
    let mut call = call::json(&["health"]).secrets(SecretShape::Plain);
    call.upstream = Upstream::Mock(Behaviour::Slow);
    call.event = Event::InterruptWhenConnected;
    let observed = session.observe(&call);
    let Ok(ran) = &observed.ran else {
        let mut judge = Judge::default();
        judge.judge(&observed, Some("it could not be started".to_owned()));
        return judge.verdict();
    };
    let Some(reaction) = ran.reaction_ms else {
        return Conclusion::blocked("`health` ended before it had a connection to the mock")
            .with(observed.evidence("no connection came"));
    };
    let fault = if ran.ending == Ending::TimedOut || reaction > REACTION_MS {
        Some(format!("it was still running {reaction} ms after SIGINT"))
    } else if observed.has_traceback() {
        Some("it prints a traceback".to_owned())
    } else if !ran.stdout.is_empty() && observed.json().is_err() {
        Some("its output is not a response".to_owned())
    } else {
        None
    };
    let mut judge = Judge::default();
    judge.judge(&observed, fault);
    judge.verdict()
}

fn closed_stdout(session: &ToolCaller) -> Conclusion {
    let mut call = call::json(&["capabilities"]).event(Event::CloseStdout);
    call.limit = Duration::from_secs(5);
    let observed = session.observe(&call);
    let is_over = observed
        .ran
        .as_ref()
        .is_ok_and(|ran| matches!(ran.ending, Ending::Exited(_) | Ending::Signalled(_)));
    let stderr = String::from_utf8_lossy(observed.stderr()).into_owned();
    let fault = if !is_over {
        Some("it does not end".to_owned())
    } else if observed.has_traceback() || stderr.contains("BrokenPipeError") {
        Some("it prints a stack trace".to_owned())
    } else {
        None
    };
    let mut judge = Judge::default();
    judge.judge(&observed, fault);
    judge.verdict()
}
