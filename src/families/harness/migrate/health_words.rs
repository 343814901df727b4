//! `health-words`: `health` reports `healthy` if everything works, and code that compares with `ready` accepts both words.
//!
//! A word of something else is left alone: only a function that is named after the probe words the state.

use crate::audit::shadow::python::tokens::PythonKind;
use crate::families::harness::python_source::{NoteKind, PythonSource};
use crate::families::harness::rules::{is_probe, is_test};
use crate::workflows::migrate::seam::{RewriteSubject, Rewritten, UntouchedPlace};

use super::code::CodeText;

const OLD: &str = "ready";
const NEW: &str = "healthy";
const BOTH: &str = "(\"ready\", \"healthy\")";
const COMPARISONS: &[&str] = &["==", "!=", "<", ">", "<=", ">=", "in", "is"];
/// Where an operand of a comparison begins.
const EDGES: &[&str] = &[
    "and", "or", "not", "if", "elif", "while", "else", "assert", "return", "=", ",", ":", "(", "[",
    "{", ":=", "lambda", "yield", "+=",
];

/// The use of a literal.
enum Occurrence {
    /// The state that the probe reports.
    Reported,
    /// The right side of `==` or `!=`.
    Compared { negated: bool },
    /// An entry of a list after `in`.
    Listed,
    /// A word of something else.
    Other,
    /// Not understood.
    Odd(&'static str),
}

/// Replaces the word.
pub fn rewrite(subject: &RewriteSubject<'_>) -> Rewritten {
    let mut codes = CodeText::all(subject.files, subject.managed);
    let mut odd = Vec::new();
    let mut reported = 0;
    let mut edits = Vec::new();
    for (file, code) in codes.iter().enumerate() {
        let in_test = is_test(code.path);
        let probes = if in_test { Vec::new() } else { reports(code) };
        let words = &code.tokens;
        let says_healthy = |index: usize| code.is_literal(index, NEW);
        if !in_test && (0..words.len()).any(says_healthy) && is_the_state(code) {
            return Rewritten::default();
        }
        for index in (0..words.len()).filter(|index| code.is_literal(*index, OLD)) {
            let at = words[index].at;
            let place = |reason: &str| UntouchedPlace::of(code.path, code.line(at), reason);
            match occurrence(code, index, &probes, in_test) {
                Occurrence::Reported => {
                    reported += 1;
                    edits.push((file, at..code.end(index), "\"healthy\"".to_owned()));
                }
                Occurrence::Compared { negated } => {
                    let operator = &words[index - 1];
                    let word = if negated { "not in" } else { "in" };
                    edits.push((file, operator.at..code.end(index), format!("{word} {BOTH}")));
                }
                Occurrence::Listed => {
                    edits.push((
                        file,
                        code.end(index)..code.end(index),
                        ", \"healthy\"".to_owned(),
                    ));
                }
                Occurrence::Other if in_test => {
                    odd.push((false, place("this test may expect the old word")));
                }
                Occurrence::Other => {}
                Occurrence::Odd(reason) => odd.push((true, place(reason))),
            }
        }
    }
    let is_blocked = odd.iter().any(|(blocks, _)| *blocks);
    let untouched = odd.into_iter().map(|(_, place)| place).collect();
    if reported == 0 {
        let untouched = if is_blocked { untouched } else { Vec::new() };
        return Rewritten { untouched, ..Rewritten::default() };
    }
    if is_blocked {
        // The old word would no longer be reported, but other code still compares with it.
        return Rewritten { untouched, ..Rewritten::default() };
    }
    for (file, range, text) in edits {
        codes[file].replace(range, text);
    }
    let mut result = Rewritten { untouched, ..Rewritten::default() };
    for code in codes {
        let path = code.path.to_owned();
        if let Some(text) = code.edited() {
            result.files.insert(path, Some(text.into_bytes()));
        }
    }
    result
}

/// Returns the offsets at which the probe words the state.
fn reports(code: &CodeText<'_>) -> Vec<usize> {
    let module = code.path.rsplit('/').next().unwrap_or_default();
    let source = PythonSource::read(code.text.as_bytes());
    let words = source.notes.iter().filter(|note| {
        note.what == NoteKind::HealthWord(OLD) && (is_probe(note.function) || is_probe(module))
    });
    words.map(|note| note.at).collect()
}

/// True if the file words a state `healthy` already, where the rule looks for it.
fn is_the_state(code: &CodeText<'_>) -> bool {
    let module = code.path.rsplit('/').next().unwrap_or_default();
    let source = PythonSource::read(code.text.as_bytes());
    source.notes.iter().any(|note| {
        note.what == NoteKind::HealthWord(NEW)
            && (is_probe(note.function)
                || is_probe(module)
                || note.function.is_empty() && !note.assigned.is_empty()
                || ["status", "check", "readiness"].iter().any(|word| note.function.contains(word)))
    })
}

fn occurrence(code: &CodeText<'_>, index: usize, probes: &[usize], in_test: bool) -> Occurrence {
    let text = |token: Option<&crate::audit::shadow::python::tokens::PythonToken<'_>>| {
        token.map_or(String::new(), |token| token.text.to_owned())
    };
    let (before, after) = (text(code.before(index)), text(code.after(index)));
    if before == "==" || before == "!=" {
        if COMPARISONS.contains(&after.as_str()) || is_chain(code, index - 1) {
            return Occurrence::Odd("it is compared in a chain");
        }
        return Occurrence::Compared { negated: before == "!=" };
    }
    if after == "==" || after == "!=" {
        return Occurrence::Odd("the word is on the left of a comparison");
    }
    if before == "case" {
        return Occurrence::Odd("it is a pattern of `match`");
    }
    if let Some(open) = opening(code, index)
        && code.before(open).is_some_and(|token| token.is("in"))
    {
        let close =
            (index..code.tokens.len()).find(|at| code.tokens[*at].depth <= code.tokens[open].depth);
        let knows = (open..close.unwrap_or(index)).any(|at| code.is_literal(at, NEW));
        return if knows { Occurrence::Other } else { Occurrence::Listed };
    }
    let is_value = probes.contains(&code.tokens[index].at) && after != ":";
    if !is_value || in_test {
        return Occurrence::Other;
    }
    match before.as_str() {
        ":" => {
            let key = index.checked_sub(2).filter(|key| code.tokens[*key].kind == PythonKind::Text);
            match key.map(|key| code.tokens[key].literal()) {
                Some("status" | "state" | "health") => Occurrence::Reported,
                _ => Occurrence::Odd("it is the value of another member than `status`"),
            }
        }
        "=" | "return" | "else" | "(" => Occurrence::Reported,
        _ => Occurrence::Odd("the probe uses the word in a way that aos does not know"),
    }
}

/// The bracket around a token.
fn opening(code: &CodeText<'_>, index: usize) -> Option<usize> {
    let depth = code.tokens[index].depth.checked_sub(1)?;
    (0..index).rev().find(|at| {
        let token = &code.tokens[*at];
        token.depth == depth
            && matches!(token.text, "(" | "[" | "{")
            && token.kind == PythonKind::Operator
    })
}

/// True if another comparison belongs to the same chain.
fn is_chain(code: &CodeText<'_>, operator: usize) -> bool {
    let depth = code.tokens[operator].depth;
    for at in (0..operator).rev() {
        let token = &code.tokens[at];
        if token.kind == PythonKind::End || token.depth < depth {
            return false;
        }
        if token.depth == depth && token.kind != PythonKind::Text {
            if COMPARISONS.contains(&token.text) {
                return true;
            }
            if EDGES.contains(&token.text) && !matches!(token.text, "(" | "[" | "{") {
                return false;
            }
        }
    }
    false
}
