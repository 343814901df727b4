//! The part of a call that proves a fault: what a reader needs to see of it, in one or two lines.

use crate::conform::CallEvidence;
use crate::visible::Visible;

/// Characters of output that are shown as proof.
const MAX_PROOF: usize = 160;

/// The call that shows what is wrong: the first one with a note.
pub(super) fn telling(evidence: &[CallEvidence]) -> Option<&CallEvidence> {
    evidence.iter().find(|evidence| !evidence.note.is_empty()).or_else(|| evidence.first())
}

/// The part of what a call said that shows the fault: a secret, the member that the message names, else how it begins
/// and what it said last on stderr.
pub(super) fn proof(evidence: &CallEvidence, message: &str) -> Vec<String> {
    let streams = [("stdout", one_line(&evidence.stdout)), ("stderr", one_line(&evidence.stderr))];
    let about_secrets = ["secret", "printed", "token"].iter().any(|word| message.contains(word));
    let marks: Vec<String> = if about_secrets { redaction_marks(&streams) } else { Vec::new() };
    let named = quoted(message).map(|word| format!("\"{word}\""));
    for wanted in marks.into_iter().chain(named) {
        for (name, text) in &streams {
            if let Some(at) = text.find(&wanted) {
                return vec![format!("{name}: {}", window(text, at))];
            }
        }
    }
    let mut lines = Vec::new();
    if !streams[0].1.is_empty() {
        lines.push(format!("stdout: {}", cut(&streams[0].1, MAX_PROOF)));
    }
    let last = evidence.stderr.lines().rev().find(|line| !line.trim().is_empty());
    if let Some(last) = last {
        lines.push(format!("stderr: {}", cut(&one_line(last), MAX_PROOF)));
    }
    if lines.is_empty() && evidence.exit.is_some() {
        lines.push("it printed nothing to stdout and stderr".to_owned());
    }
    lines
}

/// The marks that replace secrets.
fn redaction_marks(streams: &[(&str, String); 2]) -> Vec<String> {
    let is_name = |mark: &str| {
        let name = mark.strip_prefix("part of ").unwrap_or(mark);
        let upper = |symbol: char| symbol.is_ascii_uppercase() || symbol.is_ascii_digit();
        !name.is_empty() && name.chars().all(|symbol| symbol == '_' || upper(symbol))
    };
    let marks = streams.iter().flat_map(|(_, text)| {
        text.split('<').skip(1).filter_map(|rest| rest.split_once('>').map(|(mark, _)| mark))
    });
    marks.filter(|mark| is_name(mark)).map(|mark| format!("<{mark}>")).collect()
}

/// Words in backticks, the last part of dotted ones.
fn quoted(message: &str) -> impl Iterator<Item = &str> {
    let words = message.split('`').skip(1).step_by(2);
    words.filter_map(|word| word.rsplit('.').next()).filter(|word| !word.is_empty())
}

/// Some text before a place and more of it after.
fn window(text: &str, at: usize) -> String {
    let before: Vec<char> = text[..at].chars().rev().take(MAX_PROOF / 4).collect();
    let start = if text[..at].chars().count() > before.len() { "… " } else { "" };
    let before: String = before.into_iter().rev().collect();
    format!("{start}{before}{}", cut(&text[at..], MAX_PROOF * 3 / 4))
}

fn one_line(text: &str) -> String {
    Visible::line(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_string()
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain("…".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(stdout: &str, stderr: &str) -> CallEvidence {
        let (stdout, stderr) = (stdout.to_owned(), stderr.to_owned());
        CallEvidence { stdout, stderr, exit: Some(0), ..CallEvidence::default() }
    }

    #[test]
    fn the_proof_of_a_leak_is_the_place_of_the_secret() {
        let long = "x".repeat(500);
        let shown = evidence(&format!("{long}<b>token=<part of ACME_TOKEN> {long}"), "note\n");
        let lines = proof(&shown, "the secret was printed in part");
        assert_eq!(lines.len(), 1);
        assert!(lines[0].starts_with("stdout: … x") && lines[0].contains("<part of ACME_TOKEN>"));
        assert!(lines[0].chars().count() < 200, "{lines:?}");
    }

    #[test]
    fn the_proof_of_a_wrong_member_is_the_member() {
        let shown = evidence("{\n  \"ok\": true,\n  \"meta\": {\"timestamp\": 1}\n}", "");
        let lines = proof(&shown, "the keys of `meta` are timestamp");
        assert_eq!(lines, ["stdout: { \"ok\": true, \"meta\": {\"timestamp\": 1} }"]);
    }

    #[test]
    fn otherwise_the_proof_is_the_start_of_stdout_and_the_last_line_of_stderr() {
        let shown = evidence("", "first\nError: \u{1b}[31mlast\n\n");
        assert_eq!(proof(&shown, "x"), ["stderr: Error: \\u{1b}[31mlast"]);
        assert_eq!(proof(&evidence("", ""), "x"), ["it printed nothing to stdout and stderr"]);
    }
}
