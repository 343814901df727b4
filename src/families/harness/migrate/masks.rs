//! `masks`: an expression that shows a part of a secret between signs becomes `"***"`.
//!
//! Only an expression that holds the secret and signs, and nothing else, is replaced: anything more would be lost.

use std::ops::Range;

use crate::audit::shadow::python::tokens::PythonKind;
use crate::families::harness::python_source::PythonSource;
use crate::families::harness::rules::is_test;
use crate::families::harness::rules::{is_mask_function, is_partial_mask};
use crate::reason::Reason;
use crate::workflows::migrate::seam::{RewriteSubject, Rewritten, UntouchedPlace};

use super::code::{CodeText, literal_around};

const MASK: &str = "\"***\"";
/// Where an expression begins.
const OPENS: &[&str] = &[
    "return", "=", "if", "else", ",", ":", "and", "or", "not", "in", ":=", ";", "lambda", "yield",
];
/// Where an expression ends.
const CLOSES: &[&str] = &["if", "else", ",", ":", "and", "or", "for", ";", "=", "in"];

/// Replaces masks.
pub fn rewrite(subject: &RewriteSubject<'_>) -> Rewritten {
    let mut result = Rewritten::default();
    let mut tests = Vec::new();
    for mut code in CodeText::all(subject.files, subject.managed) {
        if is_test(code.path) {
            tests.extend(expectations(&code));
            continue;
        }
        let source = PythonSource::read(code.text.as_bytes());
        for note in source.notes.iter().filter(|note| is_partial_mask(note)) {
            let shown = shown(&code, note.at, is_mask_function(note.function));
            let replaced = shown.and_then(|range| {
                // A mask with two parts is one expression.
                let known = code.replace(range.clone(), MASK);
                if known || code.is_replaced(&range) {
                    Ok(())
                } else {
                    Err("it overlaps with another mask".into())
                }
            });
            if let Err(reason) = replaced {
                result.untouched.push(UntouchedPlace::of(
                    code.path,
                    code.line(note.at),
                    reason.as_str(),
                ));
            }
        }
        let path = code.path.to_owned();
        if let Some(text) = code.edited() {
            result.files.insert(path, Some(text.into_bytes()));
        }
    }
    if !result.files.is_empty() {
        result.untouched.extend(tests);
    }
    result.untouched.sort();
    result.untouched.dedup();
    result
}

/// The expression that shows a part of a secret at `at`.
fn shown(code: &CodeText<'_>, at: usize, in_mask: bool) -> Result<Range<usize>, Reason> {
    if let Some(literal) = literal_around(code, at) {
        let token = code.tokens[literal];
        let inside = code.tokens[literal + 1..]
            .iter()
            .take_while(|inner| inner.at < token.at + token.text.len());
        let inside: Vec<_> = inside.collect();
        if !is_one_secret(inside.iter().map(|token| (token.kind, token.text))) {
            return Err("the text shows other values, too".into());
        }
        let outside = outside(token.text);
        if !in_mask && !has_sign(&outside) {
            return Err("the part is not between signs of a mask, so it may be needed".into());
        }
        return Ok(token.at..token.at + token.text.len());
    }
    let index = code.tokens.iter().rposition(|token| token.at <= at).ok_or("it was not found")?;
    let depth = code.tokens[index].depth;
    // A bracket that was opened before the expression ends it; brackets inside belong to it.
    let is_edge = |token: usize, edges: &[&str], brackets: &[&str]| {
        let token = &code.tokens[token];
        token.depth <= depth
            && (token.kind == PythonKind::End
                || token.kind != PythonKind::Text && edges.contains(&token.text)
                || token.depth < depth && brackets.contains(&token.text))
    };
    let start = (0..index).rev().find(|token| is_edge(*token, OPENS, &["(", "[", "{"]));
    let start = start.map_or(0, |start| start + 1);
    let end = (index..code.tokens.len()).find(|token| is_edge(*token, CLOSES, &[")", "]", "}"]));
    let end = end.unwrap_or(code.tokens.len());
    let tokens = &code.tokens[start..end];
    if tokens.is_empty() || !is_one_secret(tokens.iter().map(|token| (token.kind, token.text))) {
        return Err("the expression also contains other values".into());
    }
    let has_text =
        tokens.iter().any(|token| token.kind == PythonKind::Text && has_sign(token.literal()));
    if !has_text {
        return Err("the part is not between signs of a mask, so it may be needed".into());
    }
    if code.has_comment(start..end) {
        return Err("there is a comment in the expression".into());
    }
    Ok(tokens[0].at..code.end(end - 1))
}

/// Slices of one name, literals and signs between them.
fn is_one_secret<'t>(tokens: impl Iterator<Item = (PythonKind, &'t str)>) -> bool {
    let mut names = std::collections::BTreeSet::new();
    let mut before = "";
    for (kind, text) in tokens {
        match kind {
            PythonKind::Name if before == "." => {}
            PythonKind::Name => {
                names.insert(text);
            }
            PythonKind::Number | PythonKind::Text => {}
            PythonKind::Operator
                if matches!(
                    text,
                    "[" | "]" | ":" | "-" | "+" | "*" | "(" | ")" | "{" | "}" | "."
                ) => {}
            _ => return false,
        }
        before = text;
    }
    names.len() == 1
}

fn has_sign(text: &str) -> bool {
    ["*", "...", "\u{2026}", "\u{2022}", "xxx", "XXX", "--", "##", "redacted", "\\u2026", "\\u2022"]
        .iter()
        .any(|sign| text.contains(sign))
}

/// The text of an f-string without its code.
fn outside(literal: &str) -> String {
    let mut depth = 0_usize;
    let mut text = String::new();
    for letter in literal.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => text.push(letter),
            _ => {}
        }
    }
    text
}

/// Texts of tests that look like a mask with parts of a secret.
fn expectations(code: &CodeText<'_>) -> Vec<UntouchedPlace> {
    let is_mask = |text: &str| {
        text.split_once("***").is_some_and(|(head, tail)| {
            head.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_')
                || tail.starts_with(|letter: char| letter.is_alphanumeric())
        })
    };
    let texts = code.tokens.iter().filter(|token| token.kind == PythonKind::Text);
    texts
        .filter(|token| is_mask(token.literal()))
        .map(|token| {
            UntouchedPlace::of(code.path, code.line(token.at), "this test may expect the old mask")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<String> {
        let mut code = CodeText::read("a.py", text);
        let source = PythonSource::read(text.as_bytes());
        for note in source.notes.iter().filter(|note| is_partial_mask(note)) {
            if let Ok(range) = shown(&code, note.at, is_mask_function(note.function)) {
                code.replace(range, MASK);
            }
        }
        code.edited()
    }

    #[test]
    fn an_expression_of_a_mask_is_replaced_as_a_whole() {
        for (text, expected) in [
            ("def mask(v):\n    return v[:4] + '***' + v[-4:]  # why\n", "return \"***\"  # why\n"),
            (
                "def mask(v):\n    return v[:2] + \"...\" if v else None\n",
                "return \"***\" if v else None\n",
            ),
            ("show(token[:4] + '****', x)\n", "show(\"***\", x)\n"),
            ("x = {'a': (token[:4] + '…')}\n", "x = {'a': (\"***\")}\n"),
            ("d = f'{api_key[:3]}...{api_key[-2:]}'\n", "d = \"***\"\n"),
        ] {
            let found = of(text).unwrap_or_default();
            assert!(found.ends_with(expected), "{text}: {found}");
        }
        for kept in [
            "x = token[-4:]\n",
            "x = f'{token[:4]}'\n",
            "x = token[:4] + name + '***'\n",
            "x = (token[:4]  # first\n  + '***')\n",
        ] {
            assert_eq!(of(kept), None, "{kept}");
        }
    }
}
