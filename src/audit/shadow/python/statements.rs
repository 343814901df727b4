//! Statements of Python: where one begins and ends, and which parts of it get a value.

use std::ops::Range;

use super::tokens::{PythonKind, PythonToken};

const COMPOUND: &[&str] = &[
    "if", "elif", "else", "while", "for", "with", "try", "except", "finally", "async", "case",
    "match", "def", "class",
];
/// Words after which a bracket is not a call and no index.
const KEYWORDS: &[&str] = &[
    "and", "as", "assert", "async", "await", "case", "del", "elif", "else", "except", "finally",
    "for", "from", "if", "import", "in", "is", "lambda", "match", "not", "or", "raise", "return",
    "while", "with", "yield",
];
const ASSIGNMENTS: &[&str] =
    &["=", "+=", "-=", "*=", "/=", "//=", "%=", "&=", "|=", "^=", "@=", "**=", ">>=", "<<="];

/// The simple statements of a file, and the ranges of tokens that get a value.
pub struct Statements {
    ranges: Vec<Range<usize>>,
    /// Between `for` and `in`, and after `as`.
    targets: Vec<Range<usize>>,
    /// Between the brackets of a `def`.
    headers: Vec<Range<usize>>,
}

impl Statements {
    /// `is_import` says which tokens belong to imports.
    #[must_use]
    pub fn of(tokens: &[PythonToken<'_>], is_import: &[bool]) -> Self {
        let mut found = Self { ranges: Vec::new(), targets: Vec::new(), headers: Vec::new() };
        let mut start = 0;
        for (at, token) in tokens.iter().enumerate() {
            let first = tokens.get(start).map_or("", |token| token.text);
            let ends = match token.kind {
                PythonKind::End => true,
                PythonKind::Operator if token.depth > 0 => false,
                PythonKind::Operator => {
                    token.text == ";"
                        || token.text == ":"
                            && COMPOUND.contains(&first)
                            && !is_lambda(tokens, start..at)
                }
                _ => false,
            };
            if ends {
                found.ranges.push(start..at);
                start = at + 1;
            }
            match token.text {
                "for" if token.kind == PythonKind::Name => {
                    let end = (at..tokens.len()).find(|end| {
                        tokens[*end].is("in") && tokens[*end].depth == token.depth
                            || tokens[*end].kind == PythonKind::End
                    });
                    found.targets.push(at + 1..end.unwrap_or(tokens.len()));
                }
                "as" if token.kind == PythonKind::Name && !is_import[at] => {
                    found.targets.push(at + 1..after_target(tokens, at + 1));
                }
                "def" if token.kind == PythonKind::Name => {
                    let open = (at..tokens.len().min(at + 64)).find(|open| tokens[*open].is("("));
                    if let Some(open) = open {
                        found.headers.push(open..closing(tokens, open));
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// The statement that holds a token.
    #[must_use]
    pub fn around(&self, at: usize) -> Range<usize> {
        let after = self.ranges.partition_point(|range| range.end <= at);
        self.ranges.get(after).cloned().unwrap_or(at..at + 1)
    }

    /// True if the tokens `part` are assigned or deleted.
    #[must_use]
    pub fn is_target(&self, tokens: &[PythonToken<'_>], part: &Range<usize>) -> bool {
        // Of a call only the result gets something.
        if tokens.get(part.end).is_some_and(|next| next.is("(")) {
            return false;
        }
        if self.targets.iter().any(|range| {
            range.contains(&part.start) && is_for_itself(tokens, range.start, part.start)
        }) {
            return true;
        }
        let statement = self.around(part.start);
        if !is_for_itself(tokens, statement.start, part.start) {
            return false;
        }
        if tokens.get(statement.start).is_some_and(|first| first.is("del")) {
            return true;
        }
        // After `name:` comes a type.
        let is_type = tokens[statement.start..part.start]
            .iter()
            .any(|token| token.depth == 0 && token.is(":"));
        let assigned = tokens.get(part.end..statement.end).unwrap_or_default().iter();
        let mut assigned = assigned.filter(|token| token.depth == 0);
        !is_type && assigned.any(|token| ASSIGNMENTS.contains(&token.text))
    }

    /// True if the token is the name of a parameter of a `def`.
    #[must_use]
    pub fn is_parameter(&self, tokens: &[PythonToken<'_>], at: usize) -> bool {
        let Some(header) = self.headers.iter().find(|header| header.contains(&at)) else {
            return false;
        };
        let before = at.checked_sub(1).map_or("", |before| tokens[before].text);
        tokens[at].depth == tokens[header.start].depth + 1
            && matches!(before, "(" | "," | "*" | "**" | "/")
    }

    /// True if the token is in the brackets of a `def`, which belong to the code around it.
    #[must_use]
    pub fn in_header(&self, at: usize) -> bool {
        self.headers.iter().any(|header| header.contains(&at))
    }
}

/// True if a `lambda` is open at the end of `range`: its colon ends no head.
fn is_lambda(tokens: &[PythonToken<'_>], range: Range<usize>) -> bool {
    let own = || tokens[range.clone()].iter().filter(|token| token.depth == 0);
    let lambdas = own().filter(|token| token.is("lambda")).count();
    lambdas > own().filter(|token| token.is(":")).count()
}

/// True if no index and no call that was opened after `start` holds the token.
fn is_for_itself(tokens: &[PythonToken<'_>], start: usize, at: usize) -> bool {
    let mut open = Vec::new();
    for index in start..at {
        let token = &tokens[index];
        if token.kind != PythonKind::Operator {
            continue;
        }
        match token.text {
            "(" | "[" | "{" => {
                let before = index.checked_sub(1).filter(|before| *before >= start);
                open.push(
                    before.is_some_and(|before| is_value(&tokens[before])) || token.text == "{",
                );
            }
            ")" | "]" | "}" => {
                open.pop();
            }
            _ => {}
        }
    }
    !open.contains(&true)
}

/// True if a bracket after the token is a call or an index.
#[must_use]
pub fn is_value(token: &PythonToken<'_>) -> bool {
    match token.kind {
        PythonKind::Name => !KEYWORDS.contains(&token.text),
        PythonKind::Number | PythonKind::Text => true,
        PythonKind::Operator => matches!(token.text, ")" | "]" | "}"),
        PythonKind::End => false,
    }
}

/// The end of the members and indexes that follow the token before `at`; a call ends them.
#[must_use]
pub fn after_parts(tokens: &[PythonToken<'_>], mut at: usize) -> usize {
    loop {
        match tokens.get(at) {
            Some(token) if token.is(".") => at += 2,
            Some(token) if token.is("[") => at = closing(tokens, at) + 1,
            _ => return at.min(tokens.len()),
        }
    }
}

fn after_target(tokens: &[PythonToken<'_>], at: usize) -> usize {
    match tokens.get(at) {
        Some(token) if token.is("(") || token.is("[") => closing(tokens, at),
        Some(_) => after_parts(tokens, at + 1),
        None => at,
    }
}

/// The bracket that closes the one at `open`; the last token when there is none.
#[must_use]
pub fn closing(tokens: &[PythonToken<'_>], open: usize) -> usize {
    let depth = tokens[open].depth;
    let end = (open + 1..tokens.len()).find(|at| {
        let token = &tokens[*at];
        token.depth <= depth
            && (token.kind == PythonKind::End || matches!(token.text, ")" | "]" | "}"))
    });
    end.unwrap_or(tokens.len().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    /// True if `m.X` in `code` is a target.
    fn is_target(code: &str) -> bool {
        let tokens = tokens(code);
        let statements = Statements::of(&tokens, &vec![false; tokens.len()]);
        let at = tokens.iter().position(|token| token.is("m")).unwrap();
        statements.is_target(&tokens, &(at..after_parts(&tokens, at + 1)))
    }

    #[test]
    fn targets_of_every_shape_are_found_and_nothing_else() {
        for code in [
            "m.X = 1",
            "m . X = 1",
            "m \\\n .X = 1",
            "a = m.X = 1",
            "a, m.X = 1, 2",
            "(a, m.X) = 1, 2",
            "[*m.X] = y",
            "(\n    a,\n    m.X,\n) = y",
            "m.X += 1",
            "m.X[0].y <<= 1",
            "for m.X in y: pass",
            "for a, (m.X, b) in y: pass",
            "[0 for m.X in y]",
            "with f() as m.X: pass",
            "with f() as (a, m.X): pass",
            "if a: m.X = 1",
            "if a: pass; m.X = 1",
            "else: m.X: int = 1",
            "m.X: int = 1",
            "del m.X",
            "del a, m.X",
            "x = lambda: 0; m.X = 1",
        ] {
            assert!(is_target(code), "{code}");
        }
        for code in [
            "a = m.X",
            "f(m.X, y=1)",
            "f(y=m.X)",
            "a[m.X] = 1",
            "f(m.X)[0] = 1",
            "m.X(1)[0] = 1",
            "if m.X == 1: pass",
            "for a in m.X: pass",
            "for a in m.X: b = 1",
            "with f(m.X) as g: pass",
            "if m.X: a = 1",
            "a: m.X = 1",
            "def f(a=m.X, b=1): c = 1",
            "{m.X: 1}",
            "a = {m.X: 1 for b in c}",
            "del a[m.X]",
            "a = lambda b=m.X: b",
            "return m.X",
        ] {
            assert!(!is_target(code), "{code}");
        }
    }
}
