//! Secrets and the audit log (agent-cli §10): what must never be seen, and what must be kept.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::conform::mock::{ReceivedRequest, Reply};
use crate::conform::secrets::Sentinel;
use crate::system::files::{self, Kind};

use super::fixture::{Role, Sample};
use super::gate::{WRITES, meant, token};
use super::lab::{Account, ProbeCaller, and, examine, words};
use super::shot::Answered;
use super::stop::{ProbeStep, Unfinished};
use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::FAMILY;

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
    title: "No stream and no file contains a secret, whole, in part or encoded, even if the upstream repeats it",
    why: "Everything that an agent reads can reach logs and models",
    fix: "redact known secrets in output, in the audit log and in every file",
    run: |session| examine(session, secrets),
    ..Probe::of(FAMILY)
};

fn secrets(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Get)?;
    if lab.secrets().is_empty() {
        return Err(Unfinished::Blocked("conform.toml has no [agent_cli.credentials]".to_owned()));
    }
    // Commands that describe the tool also run with the secret in the environment.
    let own = ["reference", "changelog", "context", "doctor"];
    let mut calls: Vec<_> = own.iter().map(|command| words(&[command])).collect();
    calls.push(sample.call());
    if let Some(create) = lab.samples(Role::Create).next() {
        calls.push(and(&meant(lab, create, &create.call()), &["--dry-run"]));
    }
    for call in &calls {
        silent(lab, &lab.call(call))?;
    }
    let readers: Vec<_> =
        [Role::Get, Role::List].into_iter().flat_map(|role| lab.samples(role)).collect();
    for call in echoed(lab, &readers)? {
        silent(lab, &call)?;
    }
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
            let message =
                format!("the file `{}` contains the secret {how}", name.unwrap_or_default());
            return Err(Unfinished::Fail(message, None));
        }
    }
    Ok(())
}

/// The ways in which an upstream repeats a secret.
#[derive(Clone, Copy)]
enum Echo {
    /// In an error that holds every header of the request.
    Headers,
    /// Bare, as the message of an error.
    Message,
    /// Bare, deep in an error of another shape.
    Nested,
    /// In a page that is not JSON.
    Page,
}

const ECHOES: [Echo; 4] = [Echo::Headers, Echo::Message, Echo::Nested, Echo::Page];

/// Calls against upstreams that repeat the secret, in JSON and as text for people.
fn echoed(lab: &ProbeCaller<'_>, samples: &[&Sample]) -> ProbeStep<Vec<Answered>> {
    let secrets = lab.secrets_of(Account::One);
    let mut shots = Vec::new();
    for form in ECHOES {
        let secrets = secrets.clone();
        lab.with_upstream(|upstream| {
            upstream.replace(move |request| echo(form, request, &secrets));
        })?;
        for sample in samples {
            for format in [&[][..], &["--format", "text"]] {
                shots.push(lab.call(&and(&sample.call(), format)));
            }
        }
    }
    Ok(shots)
}

/// An upstream that repeats in its error what it was asked with.
fn echo(form: Echo, request: &ReceivedRequest, secrets: &[Sentinel]) -> Reply {
    let headers: Vec<_> =
        request.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let sent = format!("{} {}", request.target, headers.join("; "));
    // The tool knows the secrets of the account that calls, however it sends them.
    let bare: Vec<_> = secrets.iter().map(|secret| secret.value.as_str()).collect();
    let bare = bare.join(" ");
    let error = |text: &str| serde_json::json!({"error": {"code": "refused", "message": text}, "message": text});
    match form {
        Echo::Headers => json(&error(&format!("refused: {sent}"))),
        Echo::Message => json(&error(&bare)),
        Echo::Nested => json(&serde_json::json!({
            "errors": [{"field": "key", "detail": bare, "source": {"value": bare}}],
            "title": bare,
        })),
        Echo::Page => Reply::new(400, "text/plain", format!("refused: {bare}\n")),
    }
}

fn json(body: &Value) -> Reply {
    Reply::new(400, "application/json", body.to_string())
}

fn silent(lab: &ProbeCaller<'_>, shot: &Answered) -> ProbeStep {
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
    title: "Every attempted write adds a line to the audit log, without tokens, also with --quiet",
    why: "It is the only record of what an agent did on this machine",
    fix: "append command, redacted arguments, account, time, exit code and duration; only the user may read the file",
    run: |session| examine(session, audit),
    ..Probe::of(FAMILY)
};

/// Options that change what is printed and must not change what is kept.
const SILENCERS: [&[&str]; 4] = [&[], &["--quiet"], &["--compact"], &["--format", "text"]];

fn audit(lab: &ProbeCaller<'_>) -> ProbeStep {
    lab.sample(Role::Create)?;
    let samples: Vec<_> = WRITES.into_iter().flat_map(|role| lab.samples(role)).collect();
    let mut tokens = Vec::new();
    for sample in samples {
        tokens.extend(attempts(lab, sample)?);
    }
    if tokens.is_empty() {
        return Err(Unfinished::Blocked("no write can be confirmed".to_owned()));
    }
    let look = lab.call(&words(&["context"]));
    let (log, text) =
        read_log(lab)?.ok_or_else(|| look.fail("there is no audit log in the home of the tool"))?;
    let leaked = tokens.iter().any(|token| text.contains(token.as_str()));
    look.expect(!leaked, "the audit log contains a confirm token")?;
    let is_private = !cfg!(unix) || files::is_private(&log).unwrap_or(false);
    look.expect(is_private, "others can read the audit log")
}

/// Confirms a write in every way and sees each attempt in the log: with options that silence the answer, with a token
/// that was used, and against an upstream that fails. Gives the tokens.
fn attempts(lab: &ProbeCaller<'_>, sample: &Sample) -> ProbeStep<Vec<String>> {
    let call = meant(lab, sample, &sample.call());
    let mut tokens = Vec::new();
    for silencer in SILENCERS {
        // A target that is gone, or a command without a gate, gives no token: other probes say whether it should.
        let Ok(token) = token(lab, &call) else { continue };
        attempt(lab, sample, &and(&and(&call, &["--confirm", &token]), silencer))?;
        tokens.push(token);
    }
    if let Some(used) = tokens.first() {
        attempt(lab, sample, &and(&call, &["--confirm", used]))?;
    }
    if let Ok(token) = token(lab, &call) {
        lab.with_upstream(|upstream| upstream.replace(|_| Reply::new(503, "text/plain", "busy")))?;
        let outcome = attempt(lab, sample, &and(&call, &["--confirm", &token]));
        lab.with_upstream(super::upstream::UpstreamProcess::restore)?;
        outcome?;
        tokens.push(token);
    }
    Ok(tokens)
}

/// One attempt to write, and the line about it.
fn attempt(lab: &ProbeCaller<'_>, sample: &Sample, call: &[String]) -> ProbeStep {
    let before = lines_about(lab, sample)?.len();
    let shot = lab.call(call);
    // An option that the tool does not have is not an attempt.
    if shot.at("/error/code") == "E_USAGE" {
        return Ok(());
    }
    let lines = lines_about(lab, sample)?;
    let missing = format!("the audit log has no line for this call of `{}`", sample.path);
    shot.expect(lines.len() > before, missing)?;
    for line in lines.get(before..).unwrap_or_default() {
        let has_time = holds(line, &|value| {
            value.as_str().is_some_and(|text| super::gate::utc(text).is_some())
        });
        shot.expect(has_time, "a line of the audit log has no time in UTC")?;
        for part in ["exit", "duration", "account"] {
            let there =
                line.as_object().is_some_and(|line| line.keys().any(|key| key.contains(part)));
            shot.expect(there, format!("a line of the audit log has no `{part}`"))?;
        }
    }
    Ok(())
}

/// Lines of the log that name the command of a sample.
fn lines_about(lab: &ProbeCaller<'_>, sample: &Sample) -> ProbeStep<Vec<Value>> {
    let Some((_, text)) = read_log(lab)? else { return Ok(Vec::new()) };
    let lines = text.lines().filter_map(|line| crate::strict_json::read(line).ok());
    Ok(lines.filter(|line| holds(line, &|value| value == sample.path.as_str())).collect())
}

fn read_log(lab: &ProbeCaller<'_>) -> ProbeStep<Option<(PathBuf, String)>> {
    let Some(log) = audit_log(lab) else { return Ok(None) };
    let loaded = files::read(&log, MAX_FILE)
        .map_err(|error| Unfinished::Blocked(format!("the audit log cannot be read: {error}")))?;
    Ok(Some((log, String::from_utf8_lossy(&loaded.bytes).into_owned())))
}

/// The audit log, by its name.
pub fn audit_log(lab: &ProbeCaller<'_>) -> Option<PathBuf> {
    let is_log = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        name.is_some_and(|name| name.contains("audit") && !name.ends_with(".lock"))
    };
    files_below(&lab.sandbox.path().join("home")).into_iter().find(is_log)
}

/// True if a value or something in it fits.
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
