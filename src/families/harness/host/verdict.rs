//! The install state of a connector, from the answers to its probes: the host's actual verdict, and the one that its
//! document promises.

use serde_json::Value;

use crate::visible::excerpt;
use crate::workflows::discover::seam::{Answers, Described, Judged, Said, State};

use super::files::is_meta;

/// Longest text of a probe that is quoted, in bytes, and most names that are taken from it.
const MAX_QUOTED: usize = 160;
const MAX_NAMES: usize = 200;

/// Why the host cannot use an answer.
#[derive(Clone, Debug)]
pub struct Unusable {
    reason: UnusableKind,
    detail: String,
}

#[derive(Clone, Copy, Debug)]
enum UnusableKind {
    NotStarted,
    TimedOut,
    TooMuch,
    Failed,
    NotJson,
}

/// The document that a probe wrote, when the host accepts it: exit 0 and one JSON document.
pub fn document(said: &Said) -> Result<Value, Unusable> {
    let unusable = |reason, detail: String| Err(Unusable { reason, detail });
    match said {
        Said::NotStarted(why) => unusable(UnusableKind::NotStarted, why.clone()),
        Said::TimedOut => unusable(UnusableKind::TimedOut, "it did not end within 4 s".to_owned()),
        Said::TooMuch => {
            unusable(UnusableKind::TooMuch, "it wrote more than 1,000,000 bytes".to_owned())
        }
        Said::Signalled(signal) => {
            unusable(UnusableKind::Failed, format!("signal {signal} ended it"))
        }
        Said::Exited { exit: 0, stdout, .. } => match serde_json::from_slice(stdout) {
            Ok(value) => Ok(value),
            Err(_) if stdout.iter().all(u8::is_ascii_whitespace) => {
                unusable(UnusableKind::NotJson, "stdout is empty".to_owned())
            }
            Err(_) => {
                let stdout = String::from_utf8_lossy(stdout);
                let first = excerpt(stdout.trim_start().lines().next().unwrap_or_default(), 80);
                unusable(UnusableKind::NotJson, format!("stdout begins with `{first}`"))
            }
        },
        Said::Exited { exit, stdout, stderr } => {
            let last = stderr.trim_end().lines().next_back().unwrap_or_default();
            let stdout = String::from_utf8_lossy(stdout);
            let quoted = if last.is_empty() { stdout.trim() } else { last };
            unusable(UnusableKind::Failed, format!("exit {exit}: {}", excerpt(quoted, MAX_QUOTED)))
        }
    }
}

/// `{ok, data}` is unwrapped; anything else is used as it is.
fn data(document: &Value) -> &Value {
    match document.get("ok") {
        Some(Value::Bool(_)) => document.get("data").unwrap_or(document),
        _ => document,
    }
}

/// A connector with a program.
pub fn of(answers: &Answers) -> Judged {
    let capabilities = match answers.first.as_ref().map(document) {
        Some(Ok(document)) => document,
        Some(Err(unusable)) => return failed(unusable),
        None => {
            return failed(Unusable { reason: UnusableKind::NotStarted, detail: String::new() });
        }
    };
    let own = data(&capabilities);
    let text = |name: &str| own.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let commands = own.get("commands").and_then(Value::as_array).map(|commands| {
        let ids = commands.iter().filter_map(|command| match command {
            Value::String(id) => Some(id.as_str()),
            other => other.get("id").and_then(Value::as_str),
        });
        ids.filter(|id| !is_meta(id)).take(MAX_NAMES).map(str::to_owned).collect()
    });
    let mut judged = match answers.second.as_ref().map(document) {
        Some(Ok(document)) => healthy(&document),
        Some(Err(unusable)) => unhealthy(unusable),
        None => unhealthy(Unusable { reason: UnusableKind::NotStarted, detail: String::new() }),
    };
    judged.tool = text("tool").map(str::to_owned);
    judged.version = text("version").map(str::to_owned);
    judged.commands = commands;
    judged
}

/// A connector that no program runs.
pub fn without_program(described: &Described) -> Judged {
    let (reason, meaning, fix) = match described.is_installable {
        true => (
            "no_program",
            "it is not installed: there is no program on PATH or in its directory",
            "install it: in agent-harness, `python3 -m venv .venv`, then `.venv/bin/pip install -e .`",
        ),
        false => (
            "no_harness",
            "it cannot be installed: agent-harness/pyproject.toml does not exist",
            "add the harness; `aos check` in its directory lists what is missing",
        ),
    };
    judged(State::RepoOnly, State::RepoOnly, (reason, meaning, fix), None)
}

type Words = (&'static str, &'static str, &'static str);

fn judged(
    state: State,
    promised: State,
    (reason, meaning, fix): Words,
    detail: Option<String>,
) -> Judged {
    Judged {
        state,
        promised,
        reason,
        meaning,
        fix,
        detail,
        tool: None,
        version: None,
        commands: None,
        missing: Vec::new(),
    }
}

fn failed(unusable: Unusable) -> Judged {
    let words = match unusable.reason {
        UnusableKind::NotStarted => (
            "not_started",
            "its program does not start",
            "install it again: the program is not executable, or its interpreter was removed",
        ),
        UnusableKind::TimedOut => (
            "capabilities_timed_out",
            "`--json capabilities` did not end within 4 s",
            "return it from the program's own data, without a connection",
        ),
        UnusableKind::TooMuch => (
            "capabilities_too_large",
            "`--json capabilities` wrote more than 1,000,000 bytes",
            "write one small JSON document",
        ),
        UnusableKind::Failed => (
            "capabilities_failed",
            "`--json capabilities` did not exit with 0",
            "run it in agent-harness and fix what it reports",
        ),
        UnusableKind::NotJson => (
            "capabilities_not_json",
            "`--json capabilities` did not write one JSON document",
            "write everything else to stderr",
        ),
    };
    judged(State::Error, State::Error, words, Some(unusable.detail))
}

/// A health probe that failed: `needs-setup` for the host, `error` in its document.
fn unhealthy(unusable: Unusable) -> Judged {
    let words = match unusable.reason {
        UnusableKind::NotStarted => (
            "health_not_started",
            "`--json health` does not start",
            "install it again: the program was removed between two calls",
        ),
        UnusableKind::TimedOut => (
            "health_timed_out",
            "`--json health` did not end within 4 s",
            "limit each connection of health to 2 s",
        ),
        UnusableKind::TooMuch => (
            "health_too_large",
            "`--json health` wrote more than 1,000,000 bytes",
            "write one small JSON document",
        ),
        UnusableKind::Failed => (
            "health_failed",
            "`--json health` did not exit with 0, so the host cannot read its status",
            "exit with 0 and report the status in the document",
        ),
        UnusableKind::NotJson => (
            "health_not_json",
            "`--json health` did not write one JSON document",
            "write everything else to stderr",
        ),
    };
    judged(State::NeedsSetup, State::Error, words, Some(unusable.detail))
}

/// A health document that the host accepts; it takes the lack of a status for a good one.
fn healthy(document: &Value) -> Judged {
    let own = data(document);
    let status = own.get("status").and_then(Value::as_str);
    let detail = status.map(|status| format!("status `{}`", excerpt(status, 60)));
    let lower = status.map(str::to_lowercase);
    let (state, promised, words) = match lower.as_deref() {
        Some("healthy") => (State::Ready, State::Ready, ("healthy", "its health is good", "")),
        Some("ok") => (
            State::Ready,
            State::Error,
            (
                "health_ok",
                "health reports `ok`, which the host accepts but its document does not list",
                "report `healthy`",
            ),
        ),
        None => (
            State::Ready,
            State::Error,
            (
                "no_status",
                "health reports no status, which the host treats as ready",
                "report `healthy`, `needs_setup`, `degraded` or `error` in `data.status`",
            ),
        ),
        Some("needs_setup") => (
            State::NeedsSetup,
            State::NeedsSetup,
            (
                "needs_setup",
                "it reports that its configuration is missing",
                "set the missing configuration",
            ),
        ),
        Some("degraded") => (
            State::NeedsSetup,
            State::NeedsSetup,
            ("degraded", "it reports that its backend is degraded", "look at the backend"),
        ),
        Some("error") => (
            State::NeedsSetup,
            State::Error,
            (
                "health_error",
                "its health is `error`, which the host shows as missing set-up",
                "run `--json health` in agent-harness and fix what it reports",
            ),
        ),
        Some(_) => (
            State::NeedsSetup,
            State::Error,
            (
                "unknown_status",
                "its health has a status that the host does not know, so it is never ready",
                "report `healthy`, `needs_setup`, `degraded` or `error` in `data.status`",
            ),
        ),
    };
    let mut judged = judged(state, promised, words, detail);
    judged.missing = missing(document).or_else(|| missing(own)).unwrap_or_default();
    judged
}

/// Names of variables that a health document reports as missing.
fn missing(document: &Value) -> Option<Vec<String>> {
    let checks = document.get("checks")?.as_array()?;
    let named = |check: &&Value| check.get("name").and_then(Value::as_str) == Some("required_env");
    let keys = checks.iter().find(named)?.pointer("/details/missing_keys")?.as_array()?;
    let keys = keys.iter().filter_map(Value::as_str);
    Some(keys.take(MAX_NAMES).map(str::to_owned).collect())
}
