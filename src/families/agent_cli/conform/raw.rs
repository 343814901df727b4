//! Raw output (agent-cli §2): the bytes that the upstream sent, with nothing added or removed.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::kind;
use super::lab::ProbeCaller;
use super::listing::{commands, split};
use super::stop::ProbeStep;
use super::upstream::UpstreamProcess;

/// Most commands with raw output that are called.
const MOST: usize = 3;

/// Calls the queries with raw output against the mock upstream.
///
/// # Errors
/// Returns an error if white space at an end of the output is not that of the upstream.
pub fn examine(lab: &ProbeCaller<'_>) -> ProbeStep {
    let Some(reference) = lab.session_reference() else { return Ok(()) };
    let rules = &lab.contract.commands;
    let calls = commands(&reference).filter(|(_, command)| kind::reads(rules, command));
    let calls: Vec<_> =
        calls.filter_map(|(path, command)| raw_call(lab, &reference, path, command)).collect();
    if calls.is_empty() || lab.start_upstream().is_err() {
        return Ok(());
    }
    for call in calls.iter().take(MOST) {
        let sent: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
        let kept = Arc::clone(&sent);
        lab.with_upstream(|upstream| {
            upstream.alter(
                |_| {},
                move |_, reply| {
                    kept.lock().unwrap_or_else(PoisonError::into_inner).push(reply.body.clone());
                },
            );
        })?;
        let shot = lab.call(call);
        lab.with_upstream(UpstreamProcess::restore)?;
        let sent = sent.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if shot.exit() == Some(0) {
            let message = format!(
                "`{}` adds or removes white space that the upstream did not send",
                call.join(" ")
            );
            shot.without(is_changed(shot.observed.stdout(), &sent).then_some(message))?;
        }
    }
    Ok(())
}

/// The call of a command with raw output: its sample in conform.toml, or an example.
fn raw_call(
    lab: &ProbeCaller<'_>,
    reference: &Value,
    path: &str,
    command: &Value,
) -> Option<Vec<String>> {
    let is_raw = |words: &[String]| words.windows(2).any(|pair| pair == ["--format", "raw"]);
    let examples = command["examples"].as_array().into_iter().flatten();
    let examples: Vec<_> = examples.filter_map(Value::as_str).map(split).collect();
    let formats = command["formats"].as_array().into_iter().flatten();
    let has_raw = formats.into_iter().any(|format| format == "raw")
        || examples.iter().any(|words| is_raw(words));
    if !has_raw || command["stream"] == true {
        return None;
    }
    let sample = lab.fixture.commands.iter().find(|sample| sample.path == path);
    let example = examples.iter().find(|words| is_raw(words)).or_else(|| examples.first());
    let mut call = match (sample, example) {
        (Some(sample), _) => sample.call(),
        (None, Some(words)) if reference["tool"] == words.first()?.as_str() => words[1..].to_vec(),
        _ => return None,
    };
    if !is_raw(&call) {
        call.extend(["--format", "raw"].map(str::to_owned));
    }
    Some(call)
}

/// True if the output differs in nothing but white space at its ends from what the upstream sent.
fn is_changed(output: &[u8], sent: &[Vec<u8>]) -> bool {
    let texts = sent.iter().flat_map(|body| {
        let mut texts = vec![body.clone()];
        if let Ok(document) = serde_json::from_slice(body) {
            strings(&document, &mut texts);
        }
        texts
    });
    let texts: Vec<_> = texts.collect();
    let inner = output.trim_ascii();
    !inner.is_empty()
        && texts.iter().all(|text| text != output)
        && texts.iter().any(|text| text.trim_ascii() == inner)
}

fn strings(value: &Value, found: &mut Vec<Vec<u8>>) {
    match value {
        Value::String(text) => found.push(text.as_bytes().to_vec()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(members) => members.iter().for_each(|(_, member)| strings(member, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_at_the_ends_must_be_that_of_the_upstream() {
        let sent = [b"{\"text\": \"one\\n\"}".to_vec(), b"two".to_vec()];
        assert!(!is_changed(b"one\n", &sent));
        assert!(!is_changed(b"two", &sent));
        assert!(!is_changed(b"", &sent));
        // What the tool makes itself of a response is its own.
        assert!(!is_changed(b"one and two\n", &sent));
        for changed in [&b"one"[..], b"one\n\n", b"two\n", b" two"] {
            assert!(is_changed(changed, &sent), "{changed:?}");
        }
    }
}
