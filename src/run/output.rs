//! The end of a run: the answer as one document or as text, and its exit code.
//!
//! Nothing else of `run` writes an answer; what a stream or a completion prints before is written where it arises.

use serde_json::Value;

use crate::cli::{Format, Global};
use crate::commands::Run;
use crate::report::envelope::{self, Meta};
use crate::report::{Failure, Outcome, Style, answers, brief};
use crate::system::clock::Stopwatch;
use crate::system::{environment, program, terminal};
use crate::update::notice;
use crate::visible::{Visible, visible};

/// Longest message and longest hint of a brief answer, in bytes.
const MAX_MESSAGE: usize = 600;

/// Exit code when stdout cannot take the answer.
pub(super) const STDOUT_CLOSED: u8 = 1;

/// How one run ends.
pub(super) struct RunEnding {
    pub clock: Stopwatch,
    /// A completed change counts, even if its response cannot be written.
    pub keeps_exit: bool,
    /// The answer is cut to the size that suits an agent.
    pub is_brief: bool,
    /// The answer is the last line of a stream.
    pub is_stream: bool,
}

/// The response up to the size limit; see [`brief`].
fn shortened(
    answer: Result<Outcome, Failure>,
    meta: &Meta,
    compact: bool,
) -> Result<Outcome, Failure> {
    match answer {
        Ok(mut outcome) => {
            let measure =
                |data: &Value| document(&envelope::success(data, meta), compact).as_str().len();
            if brief::cuts_text(&outcome.data) {
                outcome.text = brief::screenful(&outcome.text);
            }
            outcome.data = brief::fit(&outcome.data, measure);
            Ok(outcome)
        }
        Err(mut failure) => {
            for text in std::iter::once(&mut failure.message).chain(&mut failure.hint) {
                if let Some(shorter) = brief::shortened(text, MAX_MESSAGE) {
                    *text = shorter;
                }
            }
            let whole = Value::Object(std::mem::take(&mut failure.details));
            let bare = failure.clone();
            let measure = |details: &Value| {
                let details = details.as_object().cloned().unwrap_or_default();
                let failure = Failure { details, ..bare.clone() };
                document(&envelope::failure(&failure, meta), compact).as_str().len()
            };
            if let Value::Object(details) = brief::fit(&whole, measure) {
                failure.details = details;
            }
            if brief::cuts_text(&whole) {
                failure.report = failure.report.as_ref().map(brief::screenful);
            }
            Err(failure)
        }
    }
}

/// Writes the answer to stdout and the notes to stderr, and returns the exit code.
pub(super) fn emit(
    answer: Result<Outcome, Failure>,
    global: &Global,
    run: &Run,
    ending: RunEnding,
) -> u8 {
    let notices = notices(&answer);
    let hint = hint(&notices, run);
    let RunEnding { clock, keeps_exit, is_brief, is_stream } = ending;
    // A stream that fails before its first line prints an ordinary envelope.
    let is_stream = is_stream && (answer.is_ok() || terminal::has_written());
    let meta = Meta { duration_ms: clock.elapsed_ms(), notices };
    let answer = if is_brief { shortened(answer, &meta, global.compact) } else { answer };
    let written = |envelope: &Value| match is_stream {
        true => document(&envelope::summary(envelope), true),
        false => document(envelope, global.compact),
    };
    let (stdout, annotations, notes, exit) = match &answer {
        Ok(outcome) => {
            let stdout = match run.format {
                _ if outcome.is_silent => Visible::default(),
                Format::Json => written(&envelope::success(&outcome.data, &meta)),
                Format::Text => visible!("{}\n", outcome.text),
                Format::Raw => outcome.raw.clone().unwrap_or_default(),
            };
            let hint = if outcome.is_silent { Visible::default() } else { hint };
            (stdout, lines(&outcome.annotations), hint, 0)
        }
        Err(failure) => {
            let exit = failure.code.exit();
            let error = visible!("{}\n", failure.text(Style { color: run.style.color }));
            let notes = lines(&failure.annotations);
            match run.format {
                Format::Json => {
                    let envelope = envelope::failure(failure, &meta);
                    (written(&envelope), notes, Visible::default(), exit)
                }
                Format::Text => {
                    let report = failure
                        .report
                        .as_ref()
                        .map(|report| visible!("{}\n\n", report))
                        .unwrap_or_default();
                    (report, notes, error, exit)
                }
                Format::Raw => (failure.raw.clone().unwrap_or_default(), notes, error, exit),
            }
        }
    };
    let (stdout, notes) = without_commands(stdout, notes);
    if !stdout.is_empty()
        && let Err(error) = terminal::write_stdout(&stdout)
    {
        // A closed pipe is not an error; a full disk is.
        if error.kind() != std::io::ErrorKind::BrokenPipe {
            let text = visible!("error[E_IO]: stdout cannot be written: {}\n", error);
            terminal::write_stderr(&text);
        }
        // A completed update counts, even if its response cannot be written.
        return if exit == 0 && !keeps_exit { STDOUT_CLOSED } else { exit };
    }
    let stderr = visible!("{}{}", annotations, notes);
    if !stderr.is_empty() {
        terminal::write_stderr(&stderr);
    }
    exit
}

/// In a job of GitHub Actions, only annotations start a line with `::`.
fn without_commands(stdout: Visible, notes: Visible) -> (Visible, Visible) {
    match environment::read(environment::GITHUB_ACTIONS) {
        Some(_) => (stdout.without_commands(), notes.without_commands()),
        None => (stdout, notes),
    }
}

/// The cached update notice. Only `update` and `doctor` check for updates.
fn notices(answer: &Result<Outcome, Failure>) -> Vec<Value> {
    let replaced = match answer {
        Ok(outcome) => outcome.data.get("binary_replaced"),
        Err(failure) => failure.details.get("binary_replaced"),
    };
    // This process is the old version; the one that is installed now is not.
    if replaced == Some(&Value::Bool(true)) {
        return Vec::new();
    }
    let notice = notice::current(environment::state_directory(), program::version());
    notice.iter().map(answers::value).collect()
}

/// One line for a person when an update is out.
fn hint(notices: &[Value], run: &Run) -> Visible {
    let latest = notices.first().and_then(|notice| notice["latest_version"].as_str());
    match latest.filter(|_| run.format == Format::Text && !run.quiet) {
        Some(latest) => {
            visible!("aos {} is available: run `aos update`\n", latest)
        }
        None => Visible::default(),
    }
}

fn lines(annotations: &[Visible]) -> Visible {
    Visible::joined(annotations.iter().map(|line| visible!("{}\n", line)), "")
}

/// Data as a person reads it.
pub(super) fn json_text(data: &Value) -> Visible {
    Visible::json(crate::contract::json::pretty(data).trim_end())
}

fn document(envelope: &Value, compact: bool) -> Visible {
    Visible::json(&match compact {
        true => format!("{envelope}\n"),
        false => crate::contract::json::pretty(envelope),
    })
}
