//! The calls of an examination: examples, arguments that do not fit, repetition, shutdown (R1 to R8, R11).

use std::time::Duration;

use serde_json::{Value, json};

use crate::families::augmentor::host::child;
use crate::families::augmentor::host::child::{Child, LostChild};
use crate::families::augmentor::host::facts::PackageFacts;
use crate::families::augmentor::host::message::{
    Context, ErrorMembers, RunnerEvent, RunnerRequest,
};
use crate::families::augmentor::host::outcome::FaultOrigin;
use crate::families::augmentor::host::package;
use crate::system::clock::Stopwatch;
use crate::system::environment;
use crate::visible::excerpt;
use crate::workflows::augmentor::seam::Callee;

use super::enforcement;
use super::examination::{ExaminedPackage, last_lines};
use super::examples::{self, Example, ExampleTarget, ExpectedAnswer};
use super::findings::evidence;
use super::projection;
use super::synthesis;

/// How long an answer may take that costs nothing.
const PROMPT: Duration = Duration::from_secs(10);
/// The beginning of the runner's warning that the data of an error is not JSON.
const DROPPED: &str = "data of the error is dropped";
const CALL_SECONDS: u64 = 60;
const SHUTDOWN_SECONDS: u64 = 5;

/// Makes all calls; stops at the first example that fails.
pub fn examine(subject: &mut ExaminedPackage<'_>, facts: &PackageFacts) {
    let examples = match examples::of(&subject.place.root, facts) {
        Ok(examples) => examples,
        Err(why) => {
            subject.findings.block("R1", why.to_string());
            return;
        }
    };
    let has_stream = subject.place.has_cap("stream");
    if !has_stream {
        subject.findings.excuse("R5", "the package does not declare the cap `stream`");
    }
    if !examples.iter().any(|example| matches!(example.expected, ExpectedAnswer::Error(_))) {
        subject.findings.excuse("R4", format!("no call of {} expects an error", examples::FILE));
    }
    projection::arguments(subject, facts, &examples);
    let streams: &[bool] = if has_stream { &[true, false] } else { &[false] };
    if is_over(subject) {
        return;
    }
    for example in &examples {
        for stream in streams {
            call(subject, example, *stream, &[]);
            if is_over(subject) {
                return;
            }
        }
        repeat(subject, example);
        if subject.findings.is_stopped() {
            return;
        }
    }
    refuse(subject, facts, &examples);
    end(subject);
    if !is_over(subject) {
        enforcement::enforce(subject, &examples);
    }
}

fn is_over(subject: &ExaminedPackage<'_>) -> bool {
    subject.findings.failed().is_some() || subject.findings.is_stopped()
}

pub(super) fn call_limit(subject: &ExaminedPackage<'_>) -> Duration {
    let seconds = subject.limit("call_seconds", CALL_SECONDS);
    if cfg!(debug_assertions)
        && let Some(limit) = environment::read(environment::AOS_TEST_CALL_LIMIT_MS)
        && let Ok(limit) = limit.parse()
    {
        return Duration::from_millis(limit);
    }
    seconds
}

/// One example in a process of its own.
fn call(subject: &mut ExaminedPackage<'_>, example: &Example, stream: bool, options: &[String]) {
    let Some((mut child, _)) = subject.loaded(options) else { return };
    let context = subject.context("conform-1");
    let limit = call_limit(subject);
    let clock = Stopwatch::start();
    let mut chunks = Vec::new();
    let mut sink = |_: u64, chunk: &Value| {
        chunks.push(chunk.clone());
        true
    };
    let callee = example.callee();
    let answer = child
        .ask(&package::request(&callee, &context, stream), limit, &mut sink)
        // Chunks and errors that come late arrive before this answer.
        .and_then(|answer| child.ask(&RunnerRequest::Describe, PROMPT, &mut sink).map(|_| answer));
    subject.session.count(clock.elapsed_ms());
    let answer = match answer {
        Ok(answer) => answer,
        Err(lost) => return broken(subject, example, &mut child, &lost),
    };
    for item in ["R6", "R7"] {
        subject.findings.looked(item, 1);
    }
    let is_late = child.strays.iter().any(|stray| matches!(stray, child::Stray::LateChunk(_)));
    if subject.place.has_cap("stream") {
        subject.findings.looked("R5", 1);
        if is_late {
            subject.findings.fail("R5", "a chunk came after the result", None);
        }
        if let Some(expected) =
            example.chunks.as_ref().filter(|expected| stream && **expected != chunks)
        {
            let note = format!("the chunks differ; {} were expected", expected.len());
            let shown = evidence(&example.words(), &json!(chunks), "chunks", &note);
            subject.findings.fail("R5", note, Some(shown));
        }
    }
    judge(subject, example, answer, stream);
}

/// The item that a wrong answer is about.
fn judge(subject: &mut ExaminedPackage<'_>, example: &Example, answer: RunnerEvent, stream: bool) {
    let words = example.words();
    match answer {
        RunnerEvent::Result { value, observed, .. } => {
            subject.observe(observed, &words[0]);
            let value = Value::Object(value);
            subject.findings.looked("R3", 1);
            match &example.expected {
                ExpectedAnswer::Result(expected) if *expected != value => {
                    let item =
                        if has_only_failed_without_a_stream(subject, stream) { "R5" } else { "R1" };
                    let note = format!(
                        "`{}` returns another result than that in {}",
                        words[0],
                        examples::FILE
                    );
                    subject.findings.fail(
                        item,
                        note.clone(),
                        Some(evidence(&words, &value, "result", &note)),
                    );
                }
                ExpectedAnswer::Error(code) => {
                    let note =
                        format!("`{}` returns a result instead of the error `{code}`", words[0]);
                    subject.findings.fail(
                        "R4",
                        note.clone(),
                        Some(evidence(&words, &value, "result", &note)),
                    );
                }
                ExpectedAnswer::Result(_) | ExpectedAnswer::Anything => {
                    subject.findings.looked("R1", 1)
                }
            }
        }
        RunnerEvent::Error { error, origin, trace, observed, warnings, .. } => {
            if let Some(warning) = warnings.iter().find(|warning| warning.starts_with(DROPPED)) {
                let note = format!("`{}`: {}", words[0], excerpt(warning, 200));
                let shown = evidence(&words, &json!(error), "error", &note);
                subject.findings.fail("R4", note, Some(shown));
            }
            if !subject.observe(observed, &words[0]) {
                raised(subject, example, &error, origin, trace.as_deref(), stream);
            }
        }
        _ => subject.findings.stop("the runner sent an unexpected response"),
    }
}

fn raised(
    subject: &mut ExaminedPackage<'_>,
    example: &Example,
    error: &ErrorMembers,
    origin: FaultOrigin,
    trace: Option<&str>,
    stream: bool,
) {
    let words = example.words();
    match &example.expected {
        ExpectedAnswer::Error(code) if *code == error.code => {
            subject.findings.looked("R4", 1);
            return;
        }
        ExpectedAnswer::Anything if origin == FaultOrigin::Package => {
            let why = format!(
                "a call made from the schema was refused; write example calls into {}",
                examples::FILE
            );
            subject.findings.block("R1", why);
            return;
        }
        _ => {}
    }
    let item = match (error.reason(), &example.expected) {
        ("chunk", _) => "R5",
        _ if has_only_failed_without_a_stream(subject, stream) => "R5",
        ("not_json", _) => "R3",
        (_, ExpectedAnswer::Error(_)) => "R4",
        _ => "R1",
    };
    let (tool, code) = (&words[0], &error.code);
    let note = match &example.expected {
        ExpectedAnswer::Error(expected) => {
            format!("`{tool}` fails with `{code}` instead of `{expected}`")
        }
        _ => format!("`{tool}` fails with `{code}`: {}", subject.explained(&error.message)),
    };
    let mut shown = evidence(&words, &json!(error), "error", &note);
    shown.stderr = trace.map(last_lines).unwrap_or_default();
    subject.findings.fail(item, note, Some(shown));
}

/// The call with a stream is made first and went well.
fn has_only_failed_without_a_stream(subject: &ExaminedPackage<'_>, stream: bool) -> bool {
    !stream && subject.place.has_cap("stream")
}

/// R6 and R7: the call did not end, or the process did.
fn broken(
    subject: &mut ExaminedPackage<'_>,
    example: &Example,
    child: &mut Child,
    lost: &LostChild,
) {
    let words = example.words();
    let (item, note) = match lost {
        LostChild::TimedOut => ("R6", format!("`{}` does not end in time", words[0])),
        LostChild::Ended => {
            let fault = child.strays.iter().find_map(|stray| match stray {
                child::Stray::Fault { error, .. } => Some(excerpt(&error.message, 200)),
                child::Stray::LateChunk(_) => None,
            });
            let note = match fault {
                Some(fault) => format!("an error outside of every call ended the process: {fault}"),
                None => format!("`{}` ended the process", words[0]),
            };
            ("R7", note)
        }
        LostChild::Invalid(why) => (
            "R7",
            format!(
                "`{}` wrote to the connection of the host: {}",
                words[0],
                excerpt(&why.to_string(), 200)
            ),
        ),
        LostChild::Interrupted | LostChild::Unwanted => {
            subject.findings.stop("interrupted");
            return;
        }
    };
    let mut shown = evidence(&words, &Value::Null, item_ending(item), &note);
    let [_, (stderr, _)] = child.output();
    shown.stderr = last_lines(&String::from_utf8_lossy(&stderr));
    subject.findings.fail(item, note, Some(shown));
}

fn item_ending(item: &str) -> &'static str {
    if item == "R6" { "timed out" } else { "ended" }
}

/// R8: the same call twice, then twice at once, in one process.
fn repeat(subject: &mut ExaminedPackage<'_>, example: &Example) {
    let Some((mut child, _)) = subject.loaded(&[]) else { return };
    let limit = call_limit(subject);
    let contexts: Vec<_> = (1..=4).map(|run| subject.context(&format!("conform-{run}"))).collect();
    let callee = example.callee();
    let fits = |child: &mut Child, contexts: &[Context]| {
        let ids: Vec<_> = contexts
            .iter()
            .map(|context| child.send(&package::request(&callee, context, false)))
            .collect();
        ids.into_iter().all(|id| {
            child
                .wait(id, limit, &mut child::ignore)
                .is_ok_and(|answer| is_expected(example, &answer))
        })
    };
    let first = fits(&mut child, &contexts[..1]);
    let again = first && fits(&mut child, &contexts[1..2]);
    let together = again && fits(&mut child, &contexts[2..]);
    subject.findings.looked("R8", 1);
    if !together {
        let when = match (first, again) {
            (false, _) => "the first time",
            (true, false) => "the second time",
            _ => "when two calls overlap",
        };
        let note = format!("`{}` returns another result {when} in one process", example.words()[0]);
        subject.findings.fail("R8", note, None);
    }
}

pub(super) fn is_expected(example: &Example, answer: &RunnerEvent) -> bool {
    match (&example.expected, answer) {
        (ExpectedAnswer::Result(expected), RunnerEvent::Result { value, .. }) => {
            expected.as_object().is_some_and(|expected| expected == value)
        }
        (ExpectedAnswer::Error(code), RunnerEvent::Error { error, .. }) => error.code == *code,
        (ExpectedAnswer::Anything, RunnerEvent::Result { .. }) => true,
        (ExpectedAnswer::Anything, RunnerEvent::Error { origin, .. }) => {
            *origin == FaultOrigin::Package
        }
        _ => false,
    }
}

/// R2: arguments that do not fit, without the validation of a host.
fn refuse(subject: &mut ExaminedPackage<'_>, facts: &PackageFacts, examples: &[Example]) {
    let mut child = None;
    for command in &facts.commands {
        let Some(name) = command.name.as_str() else { continue };
        let valid = examples.iter().find_map(|example| match (&example.what, &example.expected) {
            (
                ExampleTarget::Command { name: own, args },
                ExpectedAnswer::Result(_) | ExpectedAnswer::Anything,
            ) if own == name => Some(args),
            _ => None,
        });
        let valid = valid.cloned().unwrap_or_else(|| synthesis::instance(&command.schema));
        for args in synthesis::invalid(&command.schema, &valid) {
            if child.is_none() {
                child = subject.loaded(&[]).map(|(child, _)| child);
            }
            let Some(process) = child.as_mut() else { return };
            let context = subject.context("conform-1");
            let callee = Callee::Command { name, args: &args };
            let request = package::request(&callee, &context, false);
            let answer = process.ask(&request, call_limit(subject), &mut child::ignore);
            subject.findings.looked("R2", 1);
            let words = [name.to_owned(), args.to_string()];
            let (note, shown) = match answer {
                Ok(RunnerEvent::Error { origin: FaultOrigin::Package, .. }) => continue,
                Ok(RunnerEvent::Error { error, trace, .. }) => {
                    let note = format!(
                        "`{name}` fails on invalid arguments with `{}`, not with an AugmentorError",
                        error.code
                    );
                    let mut shown = evidence(&words, &json!(error), "error", &note);
                    shown.stderr = trace.as_deref().map(last_lines).unwrap_or_default();
                    (note, shown)
                }
                Ok(RunnerEvent::Result { value, .. }) => {
                    let note = format!("`{name}` accepts arguments that do not match its schema");
                    let shown = evidence(&words, &Value::Object(value), "result", &note);
                    (note, shown)
                }
                Err(LostChild::Interrupted) => {
                    subject.findings.stop("interrupted");
                    return;
                }
                Ok(_) | Err(_) => {
                    child = None;
                    let note =
                        format!("invalid arguments end the process, or `{name}` does not respond");
                    let shown = evidence(&words, &Value::Null, "ended", &note);
                    (note, shown)
                }
            };
            subject.findings.fail("R2", note, Some(shown));
        }
    }
    subject.findings.excuse("R2", "every argument matches the schemas of the commands");
}

/// R11: shutdown answers, and the process ends by itself.
fn end(subject: &mut ExaminedPackage<'_>) {
    let Some((mut child, _)) = subject.loaded(&[]) else { return };
    let grace = subject.limit("shutdown_seconds", SHUTDOWN_SECONDS);
    subject.findings.looked("R11", 1);
    let answer =
        child.ask(&RunnerRequest::Shutdown, grace + Duration::from_secs(1), &mut child::ignore);
    let message = match answer {
        Ok(RunnerEvent::Stopped { observed, .. }) => {
            subject.observe(observed, "shutdown");
            child
                .ends(grace)
                .is_none()
                .then(|| "the process does not end after shutdown".to_owned())
        }
        Ok(RunnerEvent::Error { error, .. }) => {
            Some(format!("shutdown fails with `{}`: {}", error.code, excerpt(&error.message, 200)))
        }
        Err(LostChild::Interrupted) => {
            subject.findings.stop("interrupted");
            return;
        }
        Ok(_) | Err(_) => Some("shutdown does not respond".to_owned()),
    };
    if let Some(message) = message {
        subject.findings.fail("R11", message, None);
    }
}
