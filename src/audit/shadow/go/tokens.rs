//! Tokens of Go source: no comments, and an end of a statement where Go puts one.

const OPERATORS: &[&str] = &[
    "<<=", ">>=", "&^=", "...", ":=", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=", "^=", "++", "--", "&&", "||", "<-", "<<", "&^",
];

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum GoKind {
    Name,
    /// A number, or a literal with its quotes.
    Value,
    Operator,
    /// A semicolon, written or not.
    End,
}

#[derive(Clone, Copy, Debug)]
pub struct GoToken<'t> {
    pub kind: GoKind,
    pub text: &'t str,
    /// Offset in the source.
    pub at: usize,
    /// How many brackets are open before the token.
    pub depth: usize,
}

impl GoToken<'_> {
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        self.text == text && matches!(self.kind, GoKind::Name | GoKind::Operator)
    }

    /// True if a bracket or an operator after the token belongs to a value.
    #[must_use]
    pub fn is_value(&self) -> bool {
        match self.kind {
            GoKind::Name => !matches!(
                self.text,
                "return"
                    | "range"
                    | "if"
                    | "for"
                    | "switch"
                    | "case"
                    | "go"
                    | "defer"
                    | "else"
                    | "var"
                    | "select"
            ),
            GoKind::Value => true,
            GoKind::Operator => matches!(self.text, ")" | "]" | "}"),
            GoKind::End => false,
        }
    }

    /// True if the token assigns a value to the text before it.
    #[must_use]
    pub fn is_assignment(&self) -> bool {
        self.kind == GoKind::Operator
            && (matches!(self.text, "=" | ":=" | "++" | "--")
                || self.text.ends_with('=') && !matches!(self.text, "==" | "!=" | "<=" | ">="))
    }
}

/// The tokens of `text`. Never fails: text that is not Go has tokens too.
#[must_use]
pub fn tokens(text: &str) -> Vec<GoToken<'_>> {
    let mut tokens: Vec<GoToken<'_>> = Vec::new();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(symbol) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = &text[at..];
        let start = at;
        let mut put = |kind: GoKind, end: usize, depth: usize| {
            let text = text.get(start..end).unwrap_or_default();
            tokens.push(GoToken { kind, text, at: start, depth });
        };
        match symbol {
            '\n' => {
                at += 1;
                let ends = tokens.last().is_some_and(|last| match last.kind {
                    GoKind::Name | GoKind::Value => true,
                    GoKind::Operator => matches!(last.text, "++" | "--" | ")" | "]" | "}"),
                    GoKind::End => false,
                });
                if ends {
                    tokens.push(GoToken { kind: GoKind::End, text: "\n", at: start, depth });
                }
            }
            _ if symbol.is_whitespace() || symbol == '\u{feff}' => at += symbol.len_utf8(),
            _ if rest.starts_with("//") => {
                at += memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
            }
            _ if rest.starts_with("/*") => {
                let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
                at += end;
            }
            '"' | '\'' | '`' => {
                at += literal(rest, symbol);
                put(GoKind::Value, at, depth);
            }
            ';' => {
                at += 1;
                put(GoKind::End, at, depth);
            }
            _ if symbol.is_ascii_digit() => {
                at += word(rest);
                put(GoKind::Value, at, depth);
            }
            _ if symbol.is_alphabetic() || symbol == '_' => {
                at += word(rest);
                put(GoKind::Name, at, depth);
            }
            _ => {
                // The second byte of every long operator is one of these.
                let is_long = matches!(
                    rest.as_bytes().get(1),
                    Some(b'<' | b'>' | b'^' | b'.' | b'=' | b'+' | b'-' | b'&' | b'|')
                );
                let long = OPERATORS.iter().filter(|_| is_long).find(|one| rest.starts_with(**one));
                at += long.map_or(symbol.len_utf8(), |operator| operator.len());
                if matches!(symbol, ')' | ']' | '}') {
                    depth = depth.saturating_sub(1);
                }
                put(GoKind::Operator, at, depth);
                if matches!(symbol, '(' | '[' | '{') {
                    depth += 1;
                }
            }
        }
    }
    tokens.push(GoToken { kind: GoKind::End, text: "", at: text.len(), depth: 0 });
    tokens
}

fn word(rest: &str) -> usize {
    rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len())
}

/// The length of a literal; one that is not closed ends with its line.
fn literal(rest: &str, quote: char) -> usize {
    if quote == '`' {
        return rest[1..].find('`').map_or(rest.len(), |end| end + 2);
    }
    let mut symbols = rest.char_indices().skip(1);
    while let Some((at, symbol)) = symbols.next() {
        match symbol {
            '\\' => {
                symbols.next();
            }
            '\n' => return at,
            _ if symbol == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The bracket that closes the one at `open`; the last token when there is none.
#[must_use]
pub fn closing(tokens: &[GoToken<'_>], open: usize) -> usize {
    let depth = tokens[open].depth;
    let end = (open + 1..tokens.len())
        .find(|at| tokens[*at].depth <= depth && matches!(tokens[*at].text, ")" | "]" | "}"));
    end.unwrap_or(tokens.len().saturating_sub(1))
}

/// The bracket that is open around the token at `at`.
#[must_use]
pub fn opening(tokens: &[GoToken<'_>], at: usize) -> Option<usize> {
    let depth = tokens[at].depth.checked_sub(1)?;
    (0..at)
        .rev()
        .find(|open| tokens[*open].depth == depth && matches!(tokens[*open].text, "(" | "[" | "{"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_those_that_go_sees() {
        for (text, expected) in [
            ("a . b = 1 // c\n", "a . b = 1 ; ;"),
            ("a := `\\`; b = `\n`\n", "a := ` ; b = ` ; ;"),
            ("f(\n\ta,\n\t'\\'',\n)\n", "f ( a , ` , ) ; ;"),
            ("a /* x\n */ b", "a b ;"),
            ("if x {\n}\n", "if x { } ; ;"),
            ("a, b = \"x\\\"y\", c++", "a , b = ` , c ++ ;"),
        ] {
            let found = tokens(text);
            let words = found.iter().map(|token| match (token.kind, token.text.chars().next()) {
                (GoKind::End, _) => ";",
                (GoKind::Value, Some('"' | '\'' | '`')) => "`",
                _ => token.text,
            });
            assert_eq!(words.collect::<Vec<_>>().join(" "), expected, "{text}");
        }
        for hostile in ["\"", "`", "/*", "'\\", ")", "é'é", "]]]"] {
            assert_eq!(tokens(hostile).last().unwrap().kind, GoKind::End, "{hostile}");
        }
    }
}
