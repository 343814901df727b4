//! Targets of Python statements: everything that gets a value, however it is written.

use regex::Regex;

use super::super::pattern::regex;

/// Returns every position, in order, at which one of `names` (an expression for regular expressions) is a target or a
/// part of one: in an assignment of any shape, a `for`, or a `with`.
#[must_use]
pub fn targets(code: &str, names: &str) -> Vec<usize> {
    let Ok(names) = regex(&format!(r"(?:^|[^\w.])({names})")) else { return Vec::new() };
    let (Ok(each), Ok(taken)) = (
        regex(r"\bfor\s+([^\n:]*?)\s+in\b"),
        regex(r"\bas\s+(\([^()\n]*\)|\[[^\[\]\n]*\]|[\w.]+)"),
    ) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (start, part) in parts(code) {
        let (skipped, target) = target(part);
        found.extend(among(&names, target).map(|at| start + skipped + at));
    }
    for captures in each.captures_iter(code).chain(taken.captures_iter(code)) {
        let Some(part) = captures.get(1) else { continue };
        found.extend(among(&names, part.as_str()).map(|at| part.start() + at));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Positions in a target where a name is itself assigned to, and is not an index or an argument.
fn among<'t>(names: &'t Regex, part: &'t str) -> impl Iterator<Item = usize> + 't {
    let starts = names.captures_iter(part).filter_map(|captures| Some(captures.get(1)?.start()));
    starts.filter(|at| {
        let mut open: Vec<bool> = Vec::new();
        let mut last = ' ';
        for symbol in part[..*at].chars() {
            match symbol {
                // After a value a bracket is an index or a call, else a tuple or a list.
                '(' | '[' => open.push(last.is_alphanumeric() || "_)]\"'".contains(last)),
                ')' | ']' => {
                    open.pop();
                }
                _ => {}
            }
            if !symbol.is_whitespace() {
                last = symbol;
            }
        }
        !open.contains(&true)
    })
}

/// The target in the text before an `=`: without the head of a statement on the same line, and without its annotation.
fn target(part: &str) -> (usize, &str) {
    const HEADS: &[&str] = &[
        "if", "elif", "else", "while", "for", "with", "try", "except", "finally", "async", "case",
        "def", "class",
    ];
    let first = part.trim_start().split(|symbol: char| !symbol.is_alphanumeric()).next();
    let mut depth = 0_usize;
    let colons = part.char_indices().filter(|(_, symbol)| {
        match symbol {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        *symbol == ':' && depth == 0
    });
    let colons: Vec<usize> = colons.map(|(at, _)| at).collect();
    let (start, end) = match (colons.first(), colons.last()) {
        (Some(_), Some(last)) if first.is_some_and(|word| HEADS.contains(&word)) => {
            (last + 1, part.len())
        }
        (Some(first), _) => (0, *first),
        _ => (0, part.len()),
    };
    (start, part.get(start..end).unwrap_or_default())
}

/// Returns the text before each `=` of an assignment, statement by statement.
fn parts(code: &str) -> Vec<(usize, &str)> {
    let bytes = code.as_bytes();
    let mut found = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'\n' | b';' if depth == 0 => start = at + 1,
            b'=' if depth == 0 => {
                let before = at.checked_sub(1).map_or(b' ', |before| bytes[before]);
                let compares = bytes.get(at + 1) == Some(&b'=') || b"=!<>:".contains(&before);
                let shifts = at >= 2 && matches!(&bytes[at - 2..at], b"<<" | b">>");
                if !compares || shifts {
                    if let Some(part) = code.get(start..at) {
                        found.push((start, part));
                    }
                    start = at + 1;
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_of_every_shape_are_found_and_nothing_else() {
        for code in [
            "m.X = 1",
            "a = m.X = 1",
            "a, m.X = 1, 2",
            "(a, m.X) = 1, 2",
            "[*m.X] = y",
            "*m.X, a = y",
            "(\n    a,\n    m.X,\n) = y",
            "m.X += 1",
            "m.X <<= 1",
            "for m.X in y:",
            "for a, m.X in y:",
            "[0 for m.X in y]",
            "with f() as m.X:",
            "with f() as (a, m.X):",
            "m.X[0], a = 1, 2",
            "if a: m.X = 1",
            "m.X: int = 1",
        ] {
            assert_eq!(targets(code, r"m\.X\b").len(), 1, "{code}");
        }
        for code in [
            "a = m.X",
            "f(m.X, y=1)",
            "f(y=m.X)",
            "a[m.X] = 1",
            "f(m.X)[0] = 1",
            "if m.X == 1:",
            "if m.X <= 1:",
            "for a in m.X:",
            "with f(m.X) as g:",
            "with f() as g, h(m.X) as i:",
            "self.m.X = 1",
            "if m.X: a = 1",
            "for a in m.X: b = 1",
            "a: m.X = 1",
            "def f(a=m.X, b=1): pass",
            "{m.X: 1}",
            "if (a := m.X): pass",
        ] {
            assert_eq!(targets(code, r"m\.X\b"), [0; 0], "{code}");
        }
    }
}
