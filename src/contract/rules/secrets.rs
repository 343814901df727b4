//! Secrets and merge markers in the files of a project, for every family. No message repeats any part of a value.

use std::ops::Range;

use super::collector::{Collector, SourceText};
use super::rule::Rule;
use crate::contract::remembered::Remembered;

pub const COMMITTED: Rule = Rule {
    id: "secrets/committed",
    summary: "No committed file contains a live token or a private key",
    why: "Anyone who can read the repository can use it; in one fleet connector, only a manual scan found one",
    fix: "revoke the secret, remove it from the history, and read it from the environment",
    source: "failure map, failure 23",
    ..Rule::error(&[])
};
pub const MERGE_MARKER: Rule = Rule {
    id: "layout/merge-marker",
    summary: "No file contains an unresolved merge conflict",
    why: "A file with conflict markers does not work",
    fix: "resolve the conflict",
    source: "failure map, failure 7",
    ..Rule::error(&[])
};

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

const MARKER: &[u8] = b"<<<<<<< ";

/// Pairs of bytes within the first four of any start: one of three neighbouring pairs shows whether a start may be near.
static PAIRS: [bool; 1 << 14] = {
    let mut table = [false; 1 << 14];
    let mut shape = 0;
    while shape <= SHAPES.len() {
        let start = if shape < SHAPES.len() { SHAPES[shape].1 } else { MARKER };
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

/// Finds them in one file; a text in which nothing was found is not searched again.
pub fn scan(path: &str, bytes: &[u8], found: &mut Collector) {
    static CLEAN: Remembered<bool> = Remembered::new();
    let is_clean = |text: &'static str| {
        let mut nothing = Collector::default();
        search(path, text.as_bytes(), &mut nothing);
        nothing.is_empty()
    };
    let text = std::str::from_utf8(bytes).ok();
    if text.and_then(|text| CLEAN.of(text, is_clean)) != Some(true) {
        search(path, bytes, found);
    }
}

fn search(path: &str, bytes: &[u8], found: &mut Collector) {
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
    if rest.starts_with(MARKER) {
        if at == 0 || bytes.get(at - 1) == Some(&b'\n') {
            let message = "an unresolved merge conflict starts here".to_owned();
            found.at(&MERGE_MARKER, &SourceText::new(path, bytes), at, message);
        }
    } else if let Some(what) = secret_at(rest) {
        found.at(
            &COMMITTED,
            &SourceText::new(path, bytes),
            at,
            format!("the file contains {what}"),
        );
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
    const EXAMPLES: &[&str] =
        &["example", "sample", "sentinel", "test", "fake", "dummy", "secret", "token", "xxxx"];
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
