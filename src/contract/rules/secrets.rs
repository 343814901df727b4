//! Rules about secrets: in the tree, in URLs, in options, in masked output. No message repeats any part of a value.

use std::ops::Range;

use super::super::python_source::{Note, What};
use super::collector::{Collector, Source, shown};
use super::subject::{PythonFile, Subject};
use super::{ERROR, Rule, layout, names};

pub(super) const COMMITTED: Rule = Rule {
    id: "secrets/committed",
    summary: "No committed file contains a live token or a private key",
    why: "Anyone who can read the repository can use it; in one fleet connector, only a manual scan found one",
    fix: "revoke the secret, remove it from the history, and read it from the environment",
    source: "failure map, failure 23",
    families: &[],
    ..ERROR
};
pub(super) const PARTIAL_MASK: Rule = Rule {
    id: "secrets/partial-mask",
    summary: "No part of a secret is printed, not even its first or last characters",
    why: "33 fleet connectors print parts of secrets in `config show`, which reveals most of a short secret",
    fix: "report only whether the secret is set",
    source: "CONNECTOR-SPEC §9; CONNECTOR-SPEC §11",
    ..ERROR
};
pub(super) const IN_URL: Rule = Rule {
    id: "secrets/in-url",
    summary: "No secret is in a URL: not in the path, the query or before the host",
    why: "URLs appear in errors and logs; aos-trello and aos-pipedrive print their tokens in this way",
    fix: "send the secret in a header",
    source: "CONNECTOR-SPEC §9; failure map, failure 25",
    ..ERROR
};
pub(super) const OPTION: Rule = Rule {
    id: "secrets/option",
    summary: "No command accepts a secret as an option",
    why: "The host prints the command line in errors, and other processes can read it",
    fix: "declare the secret in `auth.service_keys` and read it from the environment",
    source: "CONNECTOR-SPEC §9",
    ..ERROR
};

pub(super) fn check(subject: &Subject<'_>, found: &mut Collector) {
    for (path, file) in &subject.repository.files {
        scan(path, &file.bytes, found);
    }
    for file in subject.python.iter().chain(&subject.scripts) {
        for note in &file.content.notes {
            source_note(file, note, found);
        }
    }
    for file in &subject.python {
        options(file, found);
    }
    let Some((manifest, source)) = subject.judged_manifest() else { return };
    for id in manifest.fields().filter_map(|field| field.id) {
        if names::is_secret_option(id.text) {
            let message = format!("the field {} asks for a secret", shown(id.text));
            found.at(&OPTION, source, id.at, message);
        }
    }
}

fn source_note(file: &PythonFile<'_>, note: &Note<'_>, found: &mut Collector) {
    match note.what {
        What::Slice { base, length } => {
            let masks = ["mask", "redact", "obscure", "obfuscate", "censor"];
            let function = note.function.to_ascii_lowercase();
            // A computed length of a `key` is that of an entry in a map.
            let is_secret = names::is_secret_identifier(base)
                && (length.is_empty() || names::last(base) != "key");
            let in_mask = masks.iter().any(|word| function.contains(word));
            if names::is_shown_length(length) && (is_secret || in_mask) {
                let message = format!("a part of {} is kept", shown(base));
                found.at(&PARTIAL_MASK, &file.source, note.at, message);
            }
        }
        What::Query { name, value } => {
            let carries = names::is_secret_query(name)
                && (value.is_empty() || names::is_secret_identifier(value));
            // `key` alone is a common name: only the value tells.
            let is_key = matches!(name, "key" | "auth") && names::is_secret_identifier(value);
            if carries || is_key {
                let message = format!("the query parameter {} carries a secret", shown(name));
                found.at(&IN_URL, &file.source, note.at, message);
            }
        }
        What::InUrl(value) if names::is_secret_value(value) => {
            let message = format!("the URL contains the secret {}", shown(value));
            found.at(&IN_URL, &file.source, note.at, message);
        }
        _ => {}
    }
}

fn options(file: &PythonFile<'_>, found: &mut Collector) {
    for decorated in &file.content.decorated {
        let options = decorated.decorators.iter().filter(|decorator| decorator.method == "option");
        for option in options {
            let name = option.strings.iter().find(|name| name.starts_with("--"));
            if let Some(name) = name.filter(|name| names::is_secret_option(name)) {
                let message = format!("the option {} asks for a secret", shown(name));
                found.at(&OPTION, &file.source, option.at, message);
            }
        }
    }
}

/// Starts of well-known secrets: what it is, how it starts, and how many characters follow at least.
const SHAPES: &[(&str, &[u8], usize)] = &[
    ("a GitHub token", b"ghp_", 30),
    ("a GitHub token", b"gho_", 30),
    ("a GitHub token", b"ghu_", 30),
    ("a GitHub token", b"ghs_", 30),
    ("a GitHub token", b"ghr_", 30),
    ("a GitHub token", b"github_pat_", 40),
    ("a GitLab token", b"glpat-", 20),
    ("a Slack token", b"xoxa-", 20),
    ("a Slack token", b"xoxb-", 20),
    ("a Slack token", b"xoxp-", 20),
    ("a Slack token", b"xoxr-", 20),
    ("a Slack token", b"xoxs-", 20),
    ("a Stripe key", b"sk_live_", 16),
    ("a Stripe key", b"rk_live_", 16),
    ("an AWS access key", b"AKIA", 16),
    ("an AWS access key", b"ASIA", 16),
    ("a Google API key", b"AIza", 35),
    ("a private key", b"-BEGIN ", 0),
];

const MERGE_MARKER: &[u8] = b"<<<<<<< ";

/// Pairs of bytes within the first four of any start: one of three neighbouring pairs shows whether a start may be near.
const PAIRS: [bool; 1 << 14] = {
    let mut table = [false; 1 << 14];
    let mut shape = 0;
    while shape <= SHAPES.len() {
        let start = if shape < SHAPES.len() { SHAPES[shape].1 } else { MERGE_MARKER };
        table[pair(start[0], start[1])] = true;
        table[pair(start[1], start[2])] = true;
        table[pair(start[2], start[3])] = true;
        shape += 1;
    }
    table
};

#[inline]
const fn pair(first: u8, second: u8) -> usize {
    ((first & 127) as usize) << 7 | (second & 127) as usize
}

/// Bytes that are judged at once; eight pairs, one at each multiple of three.
const BLOCK: usize = 24;

pub fn scan(path: &str, bytes: &[u8], found: &mut Collector) {
    // A start at any place puts one of its three pairs at a multiple of three.
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    for (index, block) in blocks.iter().enumerate() {
        let mut near = false;
        let mut at = 0;
        while at < BLOCK {
            near |= PAIRS[pair(block[at], block[at + 1])];
            at += 3;
        }
        if near {
            starts_near(path, bytes, index * BLOCK..(index + 1) * BLOCK, found);
        }
    }
    starts_near(path, bytes, bytes.len() - rest.len()..bytes.len(), found);
}

fn starts_near(path: &str, bytes: &[u8], block: Range<usize>, found: &mut Collector) {
    let is_near = |at: &usize| match bytes.get(*at..at + 2) {
        Some([first, second]) => PAIRS[pair(*first, *second)],
        _ => false,
    };
    for middle in block.step_by(3).filter(is_near) {
        for at in middle.saturating_sub(2)..=middle {
            if let Some([a, b, c, d]) = bytes.get(at..at + 4)
                && PAIRS[pair(*a, *b)]
                && PAIRS[pair(*b, *c)]
                && PAIRS[pair(*c, *d)]
            {
                start_at(path, bytes, at, found);
            }
        }
    }
}

fn start_at(path: &str, bytes: &[u8], at: usize, found: &mut Collector) {
    let rest = bytes.get(at..).unwrap_or_default();
    if rest.starts_with(MERGE_MARKER) {
        if at == 0 || bytes.get(at - 1) == Some(&b'\n') {
            let message = "an unresolved merge conflict starts here".to_owned();
            found.at(&layout::MERGE_MARKER, &Source::new(path, bytes), at, message);
        }
    } else if let Some(what) = secret_at(rest) {
        found.at(&COMMITTED, &Source::new(path, bytes), at, format!("the file contains {what}"));
    }
}

fn secret_at(rest: &[u8]) -> Option<&'static str> {
    let (what, start, least) = SHAPES.iter().find(|(_, start, _)| rest.starts_with(start))?;
    let body = rest.get(start.len()..).unwrap_or_default();
    let found = if *least == 0 { is_private_key(body) } else { is_token(body, *least) };
    found.then_some(what)
}

/// Enough varied letters to be a token, and none of the words that examples are made of.
fn is_token(body: &[u8], least: usize) -> bool {
    const EXAMPLES: [&str; 9] =
        ["example", "sample", "sentinel", "test", "fake", "dummy", "secret", "token", "xxxx"];
    let letter = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let token: Vec<u8> = body.iter().take(100).take_while(letter).copied().collect();
    let text = String::from_utf8_lossy(&token).to_ascii_lowercase();
    let mut letters = token.clone();
    letters.sort_unstable();
    letters.dedup();
    token.len() >= least && letters.len() >= 8 && !EXAMPLES.iter().any(|word| text.contains(word))
}

/// The header of a private key and a line of its content: code that only looks for the header has none.
fn is_private_key(body: &[u8]) -> bool {
    let header = body.get(..body.len().min(60)).unwrap_or_default();
    let Some(end) = header.windows(16).position(|window| window == b"PRIVATE KEY-----") else {
        return false;
    };
    let content = body.get(end + 16..body.len().min(end + 300)).unwrap_or_default();
    let base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    content.split(|byte| !base64(byte)).any(|run| run.len() >= 40)
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, findings, only};

    /// Letters that look like a token, made here so that no token stands in our own tree.
    fn random(length: usize) -> String {
        (0..length).map(|at| char::from(b"a7Qk2Zr9Bx4Lm6Tw"[at % 16])).collect()
    }

    #[test]
    fn well_known_secrets_are_found_in_any_file_and_never_repeated() {
        for (start, length) in [
            ("ghp_", 36),
            ("github_pat_", 60),
            ("xoxb-", 40),
            ("sk_live_", 24),
            ("AKIA", 16),
            ("glpat-", 20),
        ] {
            let secret = format!("{start}{}", random(length));
            let sample = Sample::good().file("docs/notes.md", &format!("a\nkey: {secret}\n"));
            let findings = findings(&sample);
            assert_eq!(findings.len(), 1, "{start}");
            assert_eq!((findings[0].rule, findings[0].line), ("secrets/committed", Some(2)));
            assert!(!format!("{findings:?}").contains(&secret[start.len()..start.len() + 4]));
        }
        let key = format!("-----BEGIN {}PRIVATE KEY-----\n{}\n", "RSA ", random(64));
        assert_eq!(only(&Sample::good().file("key.pem", &key)), ["secrets/committed"]);
    }

    #[test]
    fn examples_and_code_that_looks_for_secrets_are_left_alone() {
        let text = format!(
            "ghp_{} AKIAIOSFODNN7EXAMPLE ghp_short `-----BEGIN PRIVATE KEY-----` ghp_sentinel{} xoxb-test-{}",
            "x".repeat(36),
            random(30),
            random(30)
        );
        assert!(only(&Sample::good().file("docs/notes.md", &text)).is_empty());
    }

    #[test]
    fn a_merge_conflict_is_found_at_the_start_of_a_line() {
        let marker = "<".repeat(7);
        let conflict = format!("a\n{marker} HEAD\nb\n");
        assert_eq!(only(&Sample::good().file("notes.txt", &conflict)), ["layout/merge-marker"]);
        assert!(
            only(&Sample::good().file("notes.txt", &format!("see {marker} HEAD\n"))).is_empty()
        );
    }

    #[test]
    fn masks_urls_and_options_that_show_secrets_are_reported() {
        for (code, rules) in [
            ("def _mask(v):\n    return f\"{v[:4]}***\"\n", &["secrets/partial-mask"][..]),
            ("x = token[-4:]\n", &["secrets/partial-mask"]),
            ("x = keys[:5] + names[:3] + page_token[:4]\n", &[]),
            ("u = f\"{base}?api_token={token}\"\n", &["secrets/in-url"]),
            ("u = base + \"&access_token=\" + token\n", &["secrets/in-url"]),
            ("all_params = {\"api_token\": self._api_token}\n", &["secrets/in-url"]),
            ("query_params = [(\"key\", self._api_key)]\n", &["secrets/in-url"]),
            ("u = f\"{base}?page_token={token}&key={issue}\"\n", &[]),
            ("body = {\"token\": token}\n", &[]),
            ("send(params=params, json={\"token\": token})\n", &[]),
            ("@click.option(\"--api-key\")\ndef f(): pass\n", &["secrets/option"]),
            ("@click.option(\"--key\")\ndef f(): pass\n", &[]),
        ] {
            assert_eq!(only(&Sample::good().code(code)), rules, "{code}");
        }
        let field = Sample::good()
            .manifest("\"id\": \"title\"", "\"id\": \"password\"")
            .manifest(", \"title\"]", "]");
        assert_eq!(only(&field), ["secrets/option"]);
    }
}
