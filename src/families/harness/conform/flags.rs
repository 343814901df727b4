//! The four global flags, in every position.

use serde_json::Value;

use super::call;
use super::judge::Judge;
use crate::conform::probe::{Conclusion, Probe};
use crate::conform::session::{Observed, ToolCall, ToolCaller};
use crate::families::harness::contract::FAMILY;

pub(super) const BEFORE: Probe = Probe {
    id: "harness.flags-before",
    section: "§2",
    title: "`--json` and `--mode` are accepted before the command",
    why: "The host probes and runs every command in this way",
    fix: "parse the global flags before looking up the command",
    needs: &[],
    run: before,
    ..Probe::of(FAMILY)
};

pub(super) const AFTER: Probe = Probe {
    id: "harness.flags-after",
    section: "§2",
    title: "`--json` and `--mode` are accepted after the command",
    why: "Documented calls and the canvas put the flags there",
    fix: "remove the global flags from the argument list at any position",
    needs: &[],
    run: after,
    ..Probe::of(FAMILY)
};

pub(super) const BETWEEN: Probe = Probe {
    id: "harness.flags-between",
    section: "§2",
    title: "Global flags are accepted between the words of a command",
    why: "Callers that build their arguments from parts may put them there",
    fix: "remove the global flags from the argument list at any position",
    needs: &[],
    run: between,
    ..Probe::of(FAMILY)
};

pub(super) const VERSION: Probe = Probe {
    id: "harness.version-flag",
    section: "§2",
    title: "`--version` prints the version, with exit code 0",
    why: "People and installers use it; it must match `capabilities`",
    fix: "print the version of the package",
    needs: &[],
    run: version,
    ..Probe::of(FAMILY)
};

pub(super) const VERBOSE: Probe = Probe {
    id: "harness.verbose-flag",
    section: "§2",
    title: "`--verbose` is accepted, and stdout stays one document",
    why: "Details for people must not make the response unreadable for the host",
    fix: "accept `--verbose` in every command, and write details to stderr",
    needs: &[],
    run: verbose,
    ..Probe::of(FAMILY)
};

/// Returns the fault of an answer that must be a success of the command `id`.
fn refused(observed: &Observed, id: &str) -> Option<String> {
    let Some(envelope) = call::loose(observed) else {
        let reason = observed.json().err().map(String::from).unwrap_or_default();
        return Some(format!("there was no envelope: {reason}"));
    };
    // Which exit and which shape a success has is judged elsewhere.
    let is_error = envelope.get("ok") == Some(&Value::Bool(false)) || observed.exit() == Some(2);
    is_error.then(|| format!("the call was refused instead of carrying out `{id}`"))
}

fn before(session: &ToolCaller) -> Conclusion {
    let mut judge = Judge::default();
    for (id, words) in call::BUILTIN {
        for flags in [&["--json"][..], &["--json", "--mode", "readonly"]] {
            let observed = session.observe(&ToolCall::new(flags.iter().chain(words).copied()));
            judge.judge(&observed, refused(&observed, id));
        }
    }
    judge.verdict()
}

fn after(session: &ToolCaller) -> Conclusion {
    let mut judge = Judge::default();
    for (id, words) in call::BUILTIN {
        for flags in [&["--json"][..], &["--mode", "readonly", "--json"]] {
            let observed = session.observe(&ToolCall::new(words.iter().chain(flags).copied()));
            judge.judge(&observed, refused(&observed, id));
        }
    }
    judge.verdict()
}

fn between(session: &ToolCaller) -> Conclusion {
    if !call::is_strict(session) {
        return Conclusion::not_applicable("this tag does not require it");
    }
    let mut judge = Judge::default();
    for arguments in
        [&["config", "--json", "show"][..], &["config", "--json", "--mode", "readonly", "show"]]
    {
        let observed = session.observe(&ToolCall::new(arguments.iter().copied()));
        judge.judge(&observed, refused(&observed, "config.show"));
    }
    judge.verdict()
}

fn version(session: &ToolCaller) -> Conclusion {
    let observed = session.observe(&ToolCall::new(["--version"]));
    let mut judge = Judge::default();
    let known = call::capabilities(session).ok();
    let known = known.and_then(|(_, data)| Some(data.get("version")?.as_str()?.to_owned()));
    let said = String::from_utf8_lossy(observed.stdout()).into_owned();
    let fault = match (observed.exit(), known) {
        (Some(0), Some(known)) if !said.contains(&known) => {
            Some(format!("it does not print `{known}`, the version in `capabilities`"))
        }
        (Some(0), _) if said.trim().is_empty() => Some("it prints nothing on stdout".to_owned()),
        (Some(0), _) => None,
        _ => Some("its exit code is not 0".to_owned()),
    };
    judge.judge(&observed, fault);
    judge.verdict()
}

fn verbose(session: &ToolCaller) -> Conclusion {
    let mut judge = Judge::default();
    for (id, words) in call::BUILTIN {
        let observed =
            session.observe(&ToolCall::new(["--verbose", "--json"].iter().chain(words).copied()));
        let plain = session.observe(&call::json(words));
        let noisy = observed.json().err().filter(|_| plain.json().is_ok()).map(String::from);
        judge.judge(&observed, noisy.or_else(|| refused(&observed, id)));
    }
    judge.verdict()
}
