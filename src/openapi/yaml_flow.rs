//! Indents the lines inside `{…}` and `[…]`: the YAML parser requires more indentation there than other parsers do.
//!
//! It adds only spaces at the start of such lines, so values and line numbers do not change.

use std::borrow::Cow;

/// The position of the reader.
#[derive(Default)]
struct FlowScan {
    /// How many `{` and `[` are open.
    depth: usize,
    quote: Option<char>,
    /// The column that the lines of a `|` or `>` text are right of.
    block: Option<usize>,
    /// The column that a plain value began at, as long as it may go on in the next line.
    plain: Option<usize>,
}

/// The text with more indentation in the lines of flow collections.
#[must_use]
pub fn indented(text: &str) -> Cow<'_, str> {
    let mut scan = FlowScan::default();
    let mut out = String::new();
    let mut begun = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let is_blank = line.trim().is_empty();
        if scan.depth > 0 && scan.quote.is_none() && !is_blank {
            out.extend(std::iter::repeat_n(' ', begun + 2));
        }
        out.push_str(line);
        if is_blank {
            continue;
        }
        if scan.block.is_some_and(|outer| indent > outer) {
            continue;
        }
        scan.block = None;
        let was_outside = scan.depth == 0;
        scan.line(line.trim_end_matches(['\n', '\r']), indent);
        if was_outside && scan.depth > 0 {
            begun = indent;
        }
    }
    if out.len() == text.len() { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

impl FlowScan {
    fn line(&mut self, line: &str, indent: usize) {
        // A plain value continues in a line that is indented more.
        let goes_on = self.plain.take().is_some_and(|outer| indent > outer);
        let mut key = indent;
        let mut is_start = !goes_on;
        let mut symbols = line.char_indices().skip(indent).peekable();
        let mut before = ' ';
        while let Some((at, symbol)) = symbols.next() {
            let next = symbols.peek().map(|(_, next)| *next);
            if let Some(quote) = self.quote {
                if quote == '"' && symbol == '\\' {
                    symbols.next();
                } else if symbol == quote {
                    if quote == '\'' && next == Some('\'') {
                        symbols.next();
                    } else {
                        self.quote = None;
                    }
                }
                before = symbol;
                continue;
            }
            let ends_word = next.is_none_or(char::is_whitespace);
            match symbol {
                '#' if before.is_whitespace() => return,
                '"' | '\'' if is_start || self.depth > 0 && "{[,: ".contains(before) => {
                    self.quote = Some(symbol);
                    is_start = false;
                }
                '{' | '[' if is_start || self.depth > 0 => {
                    self.depth += 1;
                    is_start = false;
                }
                '}' | ']' if self.depth > 0 => self.depth -= 1,
                '-' | '?' if is_start && ends_word && self.depth == 0 => key = at,
                ':' if ends_word && self.depth == 0 => is_start = true,
                '|' | '>' if is_start && self.depth == 0 => {
                    self.block = Some(key);
                    return;
                }
                // The name of an anchor or a tag precedes the value.
                '&' | '!' if is_start && self.depth == 0 => {
                    while symbols.next_if(|(_, next)| !next.is_whitespace()).is_some() {}
                }
                _ if symbol.is_whitespace() => {}
                _ => {
                    if is_start
                        && before.is_whitespace()
                        && key < at
                        && self.is_after_dash(line, at)
                    {
                        key = at;
                    }
                    is_start = false;
                }
            }
            before = symbol;
        }
        if self.depth == 0 && self.quote.is_none() && !is_start {
            self.plain = Some(key);
        }
    }

    /// True if a key begins behind a dash in the line: `- name: …`.
    fn is_after_dash(&self, line: &str, at: usize) -> bool {
        self.depth == 0 && line[..at].trim_start().chars().all(|symbol| "-? ".contains(symbol))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_inside_brackets_move() {
        let text = "a: {\n  b: {},\n}\nc: |\n  {\n  x\n  }\nd: it's {\n  e\n}\n- f: [\n  '[',\n  \"}\" # ]\n  ]\n- g: >-\n    [\n- h: word\n    [ more\n- i\n";
        let wanted = "a: {\n    b: {},\n  }\nc: |\n  {\n  x\n  }\nd: it's {\n  e\n}\n- f: [\n    '[',\n    \"}\" # ]\n    ]\n- g: >-\n    [\n- h: word\n    [ more\n- i\n";
        assert_eq!(indented(text), wanted);
        assert!(matches!(indented("a: 1\nb: [1, 2]\n"), Cow::Borrowed(_)));
    }
}
