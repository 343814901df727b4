//! The output of a call as a report shows it: without secrets, without control characters, bounded.

use super::secrets::Sentinel;
use crate::visible::Visible;

/// Most characters of a stream, and of an argument, in a report.
const MAX_EXCERPT: usize = 1_200;
const MAX_ARGUMENT: usize = 200;

/// The start and the end of what a stream held.
#[must_use]
pub fn excerpt(bytes: &[u8], total: u64, secrets: &[Sentinel]) -> String {
    // Long enough that a secret across the edge is still seen whole.
    let window = MAX_EXCERPT * 8;
    let text = if bytes.len() > 2 * window {
        let start = String::from_utf8_lossy(&bytes[..window]).into_owned();
        let end = String::from_utf8_lossy(&bytes[bytes.len() - window..]).into_owned();
        return shortened(&clean(&start, secrets), &clean(&end, secrets), total);
    } else {
        clean(&String::from_utf8_lossy(bytes), secrets)
    };
    if text.chars().count() <= MAX_EXCERPT && total == bytes.len() as u64 {
        return text;
    }
    shortened(&text, &text, total)
}

fn shortened(start: &str, end: &str, total: u64) -> String {
    let half = MAX_EXCERPT / 2;
    let head: String = start.chars().take(half).collect();
    let skip = end.chars().count().saturating_sub(half);
    let tail: String = end.chars().skip(skip).collect();
    format!("{head} […] {tail} [{total} bytes in all]")
}

/// One word of a command line.
#[must_use]
pub fn argument(text: &str, secrets: &[Sentinel]) -> String {
    let text = clean(text, secrets);
    if text.chars().count() <= MAX_ARGUMENT {
        return text;
    }
    text.chars().take(MAX_ARGUMENT).chain("…".chars()).collect()
}

/// A command line of words that are fit for a report.
#[must_use]
pub fn line(argv: &[String]) -> String {
    let line = argv.join(" ");
    if line.chars().count() <= MAX_ARGUMENT {
        return line;
    }
    line.chars().take(MAX_ARGUMENT).chain("…".chars()).collect()
}

/// Text without secrets, with nothing that a terminal would carry out; line breaks stay.
fn clean(text: &str, secrets: &[Sentinel]) -> String {
    let redacted = secrets.iter().fold(text.to_owned(), |text, secret| secret.redact(&text));
    let lines = redacted.split('\n').map(|line| Visible::line(line).into_string());
    lines.collect::<Vec<_>>().join("\n")
}
