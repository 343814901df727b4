//! Tokens of Python source as its parser sees them: comments, blanks and joined lines are gone, code in f-strings is there.

/// Most levels of f-strings in f-strings that are read.
const MAX_NESTING: usize = 8;
const OPERATORS: &[&str] = &[
    "**=", "//=", ">>=", "<<=", "...", "!=", "==", "<=", ">=", "->", ":=", "+=", "-=", "*=", "/=",
    "%=", "&=", "|=", "^=", "@=", "**", "//", "<<", ">>",
];

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PythonKind {
    /// A name or a keyword.
    Name,
    Number,
    /// A whole string literal with its prefix and quotes.
    Text,
    Operator,
    /// The end of a logical line.
    End,
}

#[derive(Clone, Copy, Debug)]
pub struct PythonToken<'t> {
    pub kind: PythonKind,
    pub text: &'t str,
    /// Offset in the source.
    pub at: usize,
    /// How many brackets are open before the token.
    pub depth: usize,
}

impl PythonToken<'_> {
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        self.text == text && matches!(self.kind, PythonKind::Name | PythonKind::Operator)
    }

    /// Returns the content of the literal without prefix and quotes; empty for other tokens.
    #[must_use]
    pub fn literal(&self) -> &str {
        match self.kind {
            PythonKind::Text => {
                let body =
                    self.text.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
                body.trim_matches(['"', '\''])
            }
            _ => "",
        }
    }
}

/// The tokens of `text`. Never fails: text that is not Python has tokens too.
#[must_use]
pub fn tokens(text: &str) -> Vec<PythonToken<'_>> {
    let mut reader = TokenReader { text, at: 0, depth: 0, tokens: Vec::new() };
    reader.code(0, false);
    reader.put(PythonKind::End, text.len(), text.len());
    reader.tokens
}

struct TokenReader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    tokens: Vec<PythonToken<'t>>,
}

impl TokenReader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn put(&mut self, kind: PythonKind, start: usize, end: usize) {
        let Some(text) = self.text.get(start..end) else { return };
        self.tokens.push(PythonToken { kind, text, at: start, depth: self.depth });
    }

    /// Code up to the end of the text, or up to the end of an expression in an f-string.
    fn code(&mut self, nesting: usize, in_text: bool) {
        let outside = self.depth;
        while let Some(symbol) = self.rest().chars().next() {
            let start = self.at;
            if in_text && self.depth == outside && self.ends_expression(symbol) {
                return;
            }
            match symbol {
                '\n' | '\r' => {
                    self.at += 1;
                    if self.depth == 0 {
                        self.put(PythonKind::End, start, self.at);
                    }
                }
                '#' => {
                    let rest = self.rest().as_bytes();
                    self.at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
                }
                '\\' => {
                    self.at += 1;
                    let joined =
                        ["\r\n", "\n", "\r"].iter().find(|end| self.rest().starts_with(**end));
                    self.at += joined.map_or(0, |end| end.len());
                }
                '"' | '\'' => self.string(start, nesting),
                _ if symbol.is_whitespace() || symbol == '\u{feff}' => self.at += symbol.len_utf8(),
                _ if symbol.is_ascii_digit() => {
                    let end = self
                        .rest()
                        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.');
                    self.at += end.unwrap_or(self.rest().len());
                    self.put(PythonKind::Number, start, self.at);
                }
                _ if symbol.is_alphabetic() || symbol == '_' || !symbol.is_ascii() => {
                    let end = self
                        .rest()
                        .find(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && c != '_');
                    self.at += end.unwrap_or(self.rest().len());
                    let is_prefix = self.rest().starts_with(['"', '\''])
                        && is_prefix(&self.text[start..self.at]);
                    match is_prefix {
                        true => self.string(start, nesting),
                        false => self.put(PythonKind::Name, start, self.at),
                    }
                }
                _ => self.operator(start),
            }
        }
    }

    fn ends_expression(&self, symbol: char) -> bool {
        let rest = self.rest();
        match symbol {
            '}' => true,
            ':' => true,
            '!' => !rest.starts_with("!="),
            // `{name=}` shows the name, too.
            '=' => rest[1..].trim_start().starts_with(['}', '!', ':']),
            _ => false,
        }
    }

    fn operator(&mut self, start: usize) {
        let rest = self.rest();
        // The second byte of every long operator is one of these.
        let is_long =
            matches!(rest.as_bytes().get(1), Some(b'*' | b'/' | b'>' | b'<' | b'=' | b'.'));
        let long = OPERATORS.iter().filter(|_| is_long).find(|one| rest.starts_with(**one));
        let length = long.map_or_else(
            || rest.chars().next().map_or(1, char::len_utf8),
            |operator| operator.len(),
        );
        self.at += length;
        let text = &self.text[start..self.at];
        if matches!(text, ")" | "]" | "}") {
            self.depth = self.depth.saturating_sub(1);
        }
        self.put(PythonKind::Operator, start, self.at);
        if matches!(text, "(" | "[" | "{") {
            self.depth += 1;
        }
    }

    /// A literal that starts at `start`, with its quote at the current position.
    fn string(&mut self, start: usize, nesting: usize) {
        let prefix = self.text[start..self.at].to_ascii_lowercase();
        let quote = if self.rest().starts_with('"') { "\"" } else { "'" };
        let triple = quote.repeat(3);
        let is_triple = self.rest().starts_with(&triple);
        let closing = if is_triple { triple.as_str() } else { quote };
        let is_formatted = prefix.contains(['f', 't']) && nesting < MAX_NESTING;
        self.at += closing.len();
        let inner = self.at;
        let place = self.tokens.len();
        loop {
            let plain = self.plain(quote.as_bytes()[0], is_triple, is_formatted);
            self.at += plain;
            let rest = self.rest();
            let Some(symbol) = rest.chars().next() else { break };
            if rest.starts_with(closing) {
                self.at += closing.len();
                break;
            }
            match symbol {
                '\\' => {
                    let escaped = rest[1..].chars().next().map_or(0, char::len_utf8);
                    self.at +=
                        1 + if rest.starts_with("\\{") && is_formatted { 0 } else { escaped };
                }
                '\n' | '\r' if !is_triple => break,
                '{' if is_formatted && !rest.starts_with("{{") => self.expression(nesting),
                '{' if is_formatted => self.at += 2,
                _ => self.at += symbol.len_utf8(),
            }
        }
        let end = self.at.max(inner);
        let Some(text) = self.text.get(start..end) else { return };
        let token = PythonToken { kind: PythonKind::Text, text, at: start, depth: self.depth };
        self.tokens.insert(place, token);
    }

    /// Number of bytes before the next one of a literal that has a meaning of its own.
    fn plain(&self, quote: u8, is_triple: bool, is_formatted: bool) -> usize {
        let rest = self.rest().as_bytes();
        let next = match (is_triple, is_formatted) {
            (true, true) => memchr::memchr3(quote, b'\\', b'{', rest),
            (true, false) => memchr::memchr2(quote, b'\\', rest),
            (false, _) => rest
                .iter()
                .position(|byte| *byte == quote || matches!(*byte, b'\\' | b'\n' | b'\r' | b'{')),
        };
        next.unwrap_or(rest.len())
    }

    /// `{expression!r:format}` in an f-string; the expression is put between brackets.
    fn expression(&mut self, nesting: usize) {
        let start = self.at;
        self.at += 1;
        self.put(PythonKind::Operator, start, self.at);
        self.depth += 1;
        let depth = self.depth;
        self.code(nesting + 1, true);
        self.depth = depth;
        // The format may hold expressions of its own.
        while let Some(symbol) = self.rest().chars().next() {
            match symbol {
                '}' => break,
                '{' if nesting + 1 < MAX_NESTING => {
                    self.depth = depth;
                    let before = self.at;
                    self.expression(nesting + 1);
                    self.at = self.at.max(before + 1);
                }
                '\n' | '\r' | '"' | '\'' => break,
                _ => self.at += symbol.len_utf8(),
            }
        }
        self.depth = depth - 1;
        let end = self.at;
        if self.rest().starts_with('}') {
            self.at += 1;
        }
        self.put(PythonKind::Operator, end, self.at);
    }
}

fn is_prefix(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ["r", "u", "b", "f", "t", "br", "rb", "fr", "rf", "tr", "rt"].contains(&word.as_str())
}

/// True if Python may read `name` as `wanted`: it treats letters of other forms, such as wide ones, as the plain ones.
#[must_use]
pub fn same_name(name: &str, wanted: &str) -> bool {
    name == wanted
        || !name.is_ascii()
            && name.chars().count() == wanted.chars().count()
            && name.chars().zip(wanted.chars()).all(|(found, wanted)| {
                found == wanted || !found.is_ascii() && !is_letter_of_its_own(found)
            })
}

/// Letters that stay what they are; all others may have a plain form.
fn is_letter_of_its_own(letter: char) -> bool {
    !matches!(u32::from(letter),
        0xAA | 0xBA | 0x17F | 0x2B0..=0x2E4 | 0x1D2C..=0x1DBF | 0x2070..=0x218F | 0x2C7C..=0x2C7D
            | 0xA69C..=0xA7F9 | 0xAB5B..=0xAB69 | 0xFB00..=0xFB06 | 0xFF00..=0xFFEF
            | 0x10780..=0x107BF | 0x1D400..=0x1D7FF | 0x1DF00..=0x1E06F | 0x1F100..=0x1F1FF)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let tokens = tokens(text);
        let words = tokens.iter().map(|token| match token.kind {
            PythonKind::End => "|",
            PythonKind::Text => "\"\"",
            _ => token.text,
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tokens_are_those_that_python_sees() {
        for (text, expected) in [
            ("a . b = 1 # c\n", "a . b = 1 | |"),
            ("a \\\n .b", "a . b |"),
            ("a \\\r\n .b", "a . b |"),
            ("# note\ra.b = 1\r", "| a . b = 1 | |"),
            ("f(a,\n b)\n", "f ( a , b ) | |"),
            ("x = 'a # b' + r\"\\\"\nc", "x = \"\" + \"\" | c |"),
            ("x = \"\"\"a\n'b'\n\"\"\"\nc", "x = \"\" | c |"),
            ("f'{a.b!r:>{c}} {{d}}' + e", "\"\" { a . b { c } } + e |"),
            ("f\"{a['x']}\"", "\"\" { a [ \"\" ] } |"),
            ("f'{a=}'", "\"\" { a } |"),
            ("f'{a != b}'", "\"\" { a != b } |"),
            ("rb'\\'' x", "\"\" x |"),
            ("a //= b ** c", "a //= b ** c |"),
            ("'open\nb", "\"\" | b |"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
        for hostile in
            ["f'{", "f'{a:{", "\\", "'\\", "é'é", "f'{f'{f'{", "f'{a:}", ")", "\u{feff}a", "f'\\{"]
        {
            let found = tokens(hostile);
            assert_eq!(found.last().unwrap().kind, PythonKind::End, "{hostile}");
        }
        let deep = "f'{".repeat(2000);
        assert!(tokens(&deep).len() < 20_000);
    }

    #[test]
    fn letters_of_other_shapes_make_the_same_name() {
        assert!(same_name("contract_gen", "contract_gen"));
        assert!(same_name("\u{ff43}ontract_gen", "contract_gen"));
        assert!(same_name("\u{1d41c}ontract_ge\u{207f}", "contract_gen"));
        assert!(!same_name("côntract_gen", "contract_gen"));
        assert!(!same_name("contract_gem", "contract_gen"));
    }
}
