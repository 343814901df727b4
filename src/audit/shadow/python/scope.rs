//! Determines whether a name in Python source belongs to a function or to the module.

use super::super::pattern::regex;

/// True if `name` at `at` belongs to the function or class around it: its parameters or statements bind it, and no
/// `global` says otherwise. `binds` says that the statement at `at` itself gives it a value.
#[must_use]
pub fn is_local(code: &str, at: usize, name: &str, binds: bool) -> bool {
    let Some((header, block)) = enclosing(code, at) else { return false };
    let name = regex::escape(name);
    let has =
        |pattern: String, text: &str| regex(&pattern).is_ok_and(|pattern| pattern.is_match(text));
    if has(format!(r"(?m)^[ \t]*(?:global|nonlocal)\b[^\n;]*\b{name}\b"), block) {
        return false;
    }
    let is_class = header.trim_start().starts_with("class");
    let parameters = header.split_once('(').map_or("", |(_, parameters)| parameters);
    let is_parameter = !is_class && has(format!(r"(?:^|[(,*\s]){name}\s*(?:[,:=)]|$)"), parameters);
    let bound = format!(
        r"(?m)(?:^|;)[ \t]*{name}[ \t]*(?::[^=\n]*)?=[^=]|\bfor[ \t]+[^\n]*?\b{name}\b[^\n]*?\bin\b|\bas[ \t]+{name}\b"
    );
    binds || is_parameter || !is_class && has(bound, block)
}

/// True if `name` at `at` is another value than the module that was imported: a parameter or a variable of the function
/// around it. An import of one of `modules` under that name makes it the module.
#[must_use]
pub fn is_bound(code: &str, at: usize, name: &str, modules: &[&str]) -> bool {
    let Some((header, block)) = enclosing(code, at) else { return false };
    let name = regex::escape(name);
    let has =
        |pattern: String, text: &str| regex(&pattern).is_ok_and(|pattern| pattern.is_match(text));
    if has(format!(r"(?m)^[ \t]*(?:global|nonlocal)\b[^\n;]*\b{name}\b"), block)
        || header.trim_start().starts_with("class")
    {
        return false;
    }
    let parameters = header.split_once('(').map_or("", |(_, parameters)| parameters);
    let bound = format!(
        r"(?m)(?:^|;)[ \t]*{name}[ \t]*(?::[^=\n]*)?=[^=]|\bfor[ \t]+{name}[ \t]+in\b|[)\]}}][ \t]+as[ \t]+{name}\b"
    );
    let renamed = regex(&format!(r"\b(\w+)[ \t]+as[ \t]+{name}\b"));
    let is_renamed = renamed.is_ok_and(|renamed| {
        renamed.captures_iter(block).any(|found| !modules.contains(&&found[1]))
    });
    has(format!(r"(?:^|[(,*\s]){name}\s*(?:[,:=)]|$)"), parameters)
        || has(bound, block)
        || is_renamed
}

/// Header and whole text of the innermost function or class around a position.
fn enclosing(code: &str, at: usize) -> Option<(&str, &str)> {
    let start = code.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    let line = code.get(start..)?.lines().next().unwrap_or_default();
    if is_header(line) && code.get(start..at)?.contains(':') {
        return Some((line, line));
    }
    let mut indent = width(line);
    let mut end = start;
    while end > 0 && indent > 0 {
        let above = code.get(..end - 1)?;
        let begin = above.rfind('\n').map_or(0, |end| end + 1);
        let line = above.get(begin..)?;
        // A header of several lines ends with a line of its own, `):`, which is as far left as its `def`.
        let ends_header = line.trim_start().starts_with(')');
        if !line.trim().is_empty() && !ends_header && width(line) < indent {
            indent = width(line);
            if is_header(line) {
                return Some(block(code, begin, indent));
            }
        }
        end = begin;
    }
    None
}

fn block(code: &str, begin: usize, indent: usize) -> (&str, &str) {
    let text = code.get(begin..).unwrap_or_default();
    let mut length = 0;
    let mut header = 0;
    let mut depth = 0_i32;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if header > 0 && !line.trim().is_empty() && width(line) <= indent {
            break;
        }
        if header == 0 {
            depth += balance(line);
            if depth <= 0 || number > 200 {
                header = length + line.len();
            }
        }
        length += line.len();
    }
    (text.get(..header).unwrap_or(text), text.get(..length).unwrap_or(text))
}

fn balance(line: &str) -> i32 {
    line.chars()
        .map(|symbol| match symbol {
            '(' | '[' | '{' => 1,
            ')' | ']' | '}' => -1,
            _ => 0,
        })
        .sum()
}

fn is_header(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("async ").map_or(line, str::trim_start);
    ["def ", "class "].iter().any(|word| line.starts_with(word))
}

fn width(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_functions_are_told_from_names_of_the_module() {
        for (code, binds, expected) in [
            ("X[0]\n", false, false),
            ("if a:\n    X = 1\n", true, false),
            ("def f():\n    X = 1\n    X[0]\n", false, true),
            ("def f(a, X):\n    X[0]\n", false, true),
            ("def f(\n    a,\n    X=1,\n):\n    if a:\n        X[0]\n", false, true),
            ("def f(a):\n    X[0]\n", false, false),
            ("def f(a=X):\n    X[0]\n", false, false),
            ("def f():\n    global X\n    X = 1\n", true, false),
            ("class A:\n    X = 1\n", true, true),
            ("class A:\n    X = 1\n    def f(self):\n        X[0]\n", false, false),
            ("def f():\n    for X in y:\n        X[0]\n", false, true),
            ("def f():\n    X = 1\nX[0]\n", false, false),
            ("def f(): X = 1\n", true, true),
        ] {
            let at = code.rfind('X').unwrap();
            assert_eq!(is_local(code, at, "X", binds), expected, "{code}");
        }
    }
}
