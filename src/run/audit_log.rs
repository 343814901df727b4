//! The audit log of aos: one line for each attempt to change something, in its state directory (agent-cli §10).

use std::ffi::OsString;
use std::path::PathBuf;

use serde::Serialize;

use crate::contract::rules::{Collector, names, secrets};
use crate::report::{Failure, Outcome};
use crate::system::{clock, environment, files, private_log, program};
use crate::visible::excerpt;

const FILE: &str = "audit.jsonl";
/// A log of this size is set aside as `audit.jsonl.1`, in bytes.
const MAX_SIZE: u64 = 5 * 1024 * 1024;
/// Longest argument and most arguments of a line.
const MAX_ARGUMENT: usize = 500;
const MAX_ARGUMENTS: usize = 100;
/// The replacement of a secret value.
const MASK: &str = "[redacted]";

/// One attempt.
#[derive(Debug, Serialize)]
struct AuditLine {
    /// When it ended, RFC 3339 in UTC.
    time: String,
    command: &'static str,
    /// `dry_run`, `confirm` or `call`.
    step: &'static str,
    arguments: Vec<String>,
    /// Where aos ran.
    directory: Option<PathBuf>,
    /// The owner of the log; aos has no accounts.
    account: Option<String>,
    /// Code of the error; `null` for a success.
    code: Option<&'static str>,
    exit: u8,
    duration_ms: u64,
    version: &'static str,
}

/// An attempt of the command `path`, before it is known how it ends.
#[derive(Debug)]
pub struct Attempt {
    command: &'static str,
    step: &'static str,
    arguments: Vec<String>,
}

impl Attempt {
    /// The attempt that these words make.
    #[must_use]
    pub fn new(command: &'static str, arguments: &[OsString]) -> Self {
        let words: Vec<_> = arguments
            .iter()
            .skip(1)
            .take(MAX_ARGUMENTS)
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let has = |option: &str| {
            words.iter().any(|word| word == option || word.starts_with(&format!("{option}=")))
        };
        let step = match () {
            () if has("--dry-run") => "dry_run",
            () if has("--confirm") => "confirm",
            () => "call",
        };
        Self { command, step, arguments: redacted(&words) }
    }

    /// Appends the line. That it cannot be written stops nothing.
    ///
    /// # Errors
    /// Returns an error if the log cannot be written.
    pub fn ended(self, answer: &Result<Outcome, Failure>, duration_ms: u64) -> std::io::Result<()> {
        let Some(directory) = environment::state_directory() else { return Ok(()) };
        let failed = answer.as_ref().err().map(|failure| failure.code);
        let line = AuditLine {
            time: clock::iso8601(clock::now_seconds()),
            command: self.command,
            step: self.step,
            arguments: self.arguments,
            directory: environment::current_directory().ok(),
            account: None,
            code: failed.map(|code| code.as_str()),
            exit: failed.map_or(0, |code| code.exit()),
            duration_ms,
            version: program::version(),
        };
        let mut text = serde_json::to_string(&line).unwrap_or_default();
        text.push('\n');
        files::create_private_directory(&directory)?;
        private_log::append(&directory.join(FILE), text.as_bytes(), MAX_SIZE)
    }
}

/// Returns the words without secrets: values of options that carry a secret, and texts that contain one.
fn redacted(words: &[String]) -> Vec<String> {
    let mut hide_next = false;
    let mut shown = Vec::new();
    for word in words {
        let hides = std::mem::take(&mut hide_next);
        let option = word.strip_prefix("--").map(|rest| rest.split('=').next().unwrap_or(rest));
        let is_secret =
            option.is_some_and(|name| name == "confirm" || names::is_secret_option(name));
        let mut found = Collector::default();
        secrets::scan("", word.as_bytes(), &mut found);
        shown.push(match word.split_once('=') {
            _ if hides || !found.into_findings(false).is_empty() => MASK.to_owned(),
            Some((name, _)) if is_secret => format!("{name}={MASK}"),
            _ => excerpt(word, MAX_ARGUMENT),
        });
        hide_next = is_secret && !word.contains('=');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_token_and_no_secret_is_kept() {
        let secret = format!("ghp_{}", "a1B2c3D4e5".repeat(4));
        let words = ["new", "--confirm", "ct_1", "--confirm=ct_2", "--set", secret.as_str(), "x"];
        let words: Vec<_> = words.iter().map(ToString::to_string).collect();
        let shown = redacted(&words);
        let wanted = ["new", "--confirm", MASK, &format!("--confirm={MASK}"), "--set", MASK, "x"];
        assert_eq!(shown, wanted);
    }
}
