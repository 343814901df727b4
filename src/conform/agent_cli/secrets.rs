//! Secrets and the audit log (agent-cli §10): what must never be seen, and what must be kept.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::conform::mock::{Reply, Request};
use crate::system::files::{self, Kind};

use super::fixture::Role;
use super::gate::{meant, token};
use super::lab::{Lab, Outcome, Shot, Stop, and, examine, words};
use super::{PROBE, Probe};

/// Most files of a home that are looked at, largest of them, deepest directory.
const MAX_FILES: usize = 2_000;
const MAX_FILE: u64 = 4 * 1024 * 1024;
const MAX_DEPTH: usize = 8;

/// The files below a directory.
pub fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![(directory.to_owned(), 0)];
    while let Some((directory, depth)) = open.pop() {
        for name in files::names(&directory).unwrap_or_default() {
            let path = directory.join(name);
            match files::kind(&path) {
                Ok(Kind::Directory) if depth < MAX_DEPTH => open.push((path, depth + 1)),
                Ok(Kind::File { .. }) if found.len() < MAX_FILES => found.push(path),
                _ => {}
            }
        }
    }
    found
}

pub const SECRETS: Probe = Probe {
    id: "cli.secrets",
    section: "§10",
    title: "A secret is on neither stream and in no file, whole, in part or encoded, also when the upstream echoes it",
    why: "What an agent reads ends in logs and in other people's models",
    fix: "Redact known secrets in the printer, in the audit and in everything that is written",
    run: |session| examine(session, secrets),
    ..PROBE
};

fn secrets(lab: &Lab<'_>) -> Outcome {
    let sample = lab.sample(Role::Get)?;
    if lab.secrets().is_empty() {
        return Err(Stop::Blocked("conform.toml has no [agent_cli.credentials]".to_owned()));
    }
    let mut calls = vec![words(&["context"]), words(&["doctor"]), sample.call()];
    if let Some(create) = lab.samples(Role::Create).next() {
        calls.push(and(&meant(lab, create, &create.call()), &["--dry-run"]));
    }
    for call in &calls {
        silent(lab, &lab.call(call))?;
    }
    lab.with_upstream(|upstream| upstream.replace(echo))?;
    silent(lab, &lab.call(&sample.call()))?;
    lab.with_upstream(|upstream| {
        upstream.replace(|_| Reply { hangs_up: true, ..Reply::default() })
    })?;
    silent(lab, &lab.call(&sample.call()))?;
    let secrets = lab.secrets();
    for path in files_below(&lab.sandbox.path().join("home")) {
        let Ok(loaded) = files::read(&path, MAX_FILE) else { continue };
        let text = String::from_utf8_lossy(&loaded.bytes).into_owned();
        if let Some(how) = secrets.iter().find_map(|secret| secret.leak(&text)) {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            let message = format!("the file `{}` holds the secret {how}", name.unwrap_or_default());
            return Err(Stop::Fail(message, None));
        }
    }
    Ok(())
}

/// An upstream that repeats in its error what it was asked with.
fn echo(request: &Request) -> Reply {
    let headers: Vec<_> =
        request.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let text = format!("refused: {} {}", request.target, headers.join("; "));
    let body = serde_json::json!({"error": {"code": "refused", "message": text}, "message": text});
    Reply::new(400, "application/json", body.to_string())
}

fn silent(lab: &Lab<'_>, shot: &Shot) -> Outcome {
    let said = shot.observed.said();
    match lab.secrets().iter().find_map(|secret| secret.leak(&said)) {
        Some(how) => return Err(shot.fail(format!("the secret was printed {how}"))),
        None if !said.trim().is_empty() => shot.judged(),
        None => {}
    }
    Ok(())
}

pub const AUDIT: Probe = Probe {
    id: "cli.audit",
    section: "§10",
    title: "Every attempt to write leaves a line in the audit log, without tokens, also with --quiet",
    why: "It is the only trace of what an agent did on this machine",
    fix: "Append command, redacted arguments, account, time, exit and duration, readable by the user alone",
    run: |session| examine(session, audit),
    ..PROBE
};

fn audit(lab: &Lab<'_>) -> Outcome {
    let sample = lab.sample(Role::Create)?;
    let call = meant(lab, sample, &sample.call());
    let token = token(lab, &call)?;
    let confirmed = lab.call(&and(&call, &["--confirm", &token, "--quiet"]));
    if !confirmed.is_ok() {
        return Err(Stop::Blocked("the write cannot be confirmed".to_owned()));
    }
    let again = lab.call(&and(&call, &["--confirm", &token]));
    let Some(log) = audit_log(lab) else {
        return Err(confirmed.fail("there is no audit log in the home of the tool"));
    };
    let loaded = files::read(&log, MAX_FILE);
    let loaded =
        loaded.map_err(|error| Stop::Blocked(format!("the audit log cannot be read: {error}")))?;
    let text = String::from_utf8_lossy(&loaded.bytes).into_owned();
    again.expect(!text.contains(&token), "the audit log holds a confirm token")?;
    let is_private = !cfg!(unix) || files::is_private(&log).unwrap_or(false);
    again.expect(is_private, "others can read the audit log")?;
    let lines: Vec<Value> =
        text.lines().filter_map(|line| crate::strict_json::read(line).ok()).collect();
    let attempts: Vec<_> =
        lines.iter().filter(|line| holds(line, &|value| value == sample.path.as_str())).collect();
    again.expect(attempts.len() >= 2, "the audit log has no line for each attempt to write")?;
    for line in &attempts {
        let has_time = holds(line, &|value| {
            value.as_str().is_some_and(|text| super::gate::utc(text).is_some())
        });
        again.expect(has_time, "a line of the audit log has no time in UTC")?;
        for part in ["exit", "duration", "account"] {
            let there =
                line.as_object().is_some_and(|line| line.keys().any(|key| key.contains(part)));
            again.expect(there, format!("a line of the audit log has no `{part}`"))?;
        }
    }
    Ok(())
}

/// The audit log, by its name.
pub fn audit_log(lab: &Lab<'_>) -> Option<PathBuf> {
    let is_log = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        name.is_some_and(|name| name.contains("audit") && !name.ends_with(".lock"))
    };
    files_below(&lab.sandbox.path().join("home")).into_iter().find(is_log)
}

/// Whether a value or something in it fits.
fn holds(value: &Value, test: &dyn Fn(&Value) -> bool) -> bool {
    test(value)
        || match value {
            Value::Array(items) => items.iter().any(|item| holds(item, test)),
            Value::Object(members) => members.iter().any(|(_, member)| holds(member, test)),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_at_any_depth() {
        let value = serde_json::json!({"a": [{"b": "note create"}]});
        assert!(holds(&value, &|value| value == "note create"));
        assert!(!holds(&value, &|value| value == "note"));
    }
}
