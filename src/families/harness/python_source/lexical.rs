//! Bytes of Python: classes, words, string literals, brackets.
//!
//! Every function takes any offset and any bytes; out of range means nothing found.

use std::ops::Range;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ByteKind {
    Other,
    Word,
    Blank,
    Newline,
    Quote,
    Hash,
    Open,
    Close,
    At,
    Backslash,
}

static CLASSES: [ByteKind; 256] = {
    let mut table = [ByteKind::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | 128..=255 => ByteKind::Word,
            b' ' | b'\t' | b'\r' => ByteKind::Blank,
            b'\n' => ByteKind::Newline,
            b'"' | b'\'' => ByteKind::Quote,
            b'#' => ByteKind::Hash,
            b'(' | b'[' | b'{' => ByteKind::Open,
            b')' | b']' | b'}' => ByteKind::Close,
            b'@' => ByteKind::At,
            b'\\' => ByteKind::Backslash,
            _ => ByteKind::Other,
        };
        byte += 1;
    }
    table
};

#[inline]
pub(super) fn class(byte: u8) -> ByteKind {
    CLASSES[byte as usize]
}

/// The characters in a string literal, as bits that are collected while its end is searched for.
pub(super) struct Holds;

impl Holds {
    const STOP: u8 = 1;
    /// `?` or `&`
    pub const QUERY: u8 = 2;
    pub const BRACKET: u8 = 4;
    pub const DOT: u8 = 8;
    pub const DASH: u8 = 16;
    pub const BRACE: u8 = 32;
    pub const SLASH: u8 = 64;
}

static STRING_BITS: [u8; 256] = {
    let mut table = [0; 256];
    table[b'"' as usize] = Holds::STOP;
    table[b'\'' as usize] = Holds::STOP;
    table[b'\\' as usize] = Holds::STOP;
    table[b'\n' as usize] = Holds::STOP;
    table[b'?' as usize] = Holds::QUERY;
    table[b'&' as usize] = Holds::QUERY;
    table[b'[' as usize] = Holds::BRACKET;
    table[b'.' as usize] = Holds::DOT;
    table[b'-' as usize] = Holds::DASH;
    table[b'{' as usize] = Holds::BRACE;
    table[b'/' as usize] = Holds::SLASH;
    table
};

/// The literal whose opening quote is at `at`: its content, the offset after it, and the bits of what it holds.
pub(super) fn string(bytes: &[u8], at: usize) -> Option<(Range<usize>, usize, u8)> {
    let quote = *bytes.get(at).filter(|byte| matches!(byte, b'"' | b'\''))?;
    let triple = bytes.get(at + 1) == Some(&quote) && bytes.get(at + 2) == Some(&quote);
    let start = at + if triple { 3 } else { 1 };
    let mut end = start;
    let mut seen = 0;
    while let Some(&byte) = bytes.get(end) {
        let bits = STRING_BITS[byte as usize];
        seen |= bits;
        if bits & Holds::STOP != 0 {
            if byte == b'\\' {
                end += 2;
                continue;
            }
            if byte == quote {
                if !triple {
                    return Some((start..end, end + 1, seen));
                }
                if bytes.get(end + 1) == Some(&quote) && bytes.get(end + 2) == Some(&quote) {
                    return Some((start..end, end + 3, seen));
                }
            }
            if byte == b'\n' && !triple {
                return Some((start..end, end, seen));
            }
        }
        end += 1;
    }
    Some((start.min(bytes.len())..bytes.len(), bytes.len(), seen))
}

/// Offset of the first byte at or after `at` that cannot be part of a name.
#[inline]
pub(super) fn word_end(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|byte| class(*byte) == ByteKind::Word) {
        at += 1;
    }
    at
}

/// A decimal number, and the offset after it; absurdly large ones saturate.
pub(super) fn digits(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let mut end = at;
    let mut value: usize = 0;
    while let Some(digit @ b'0'..=b'9') = bytes.get(end) {
        value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
        end += 1;
    }
    (end > at).then_some((value, end))
}

pub(super) fn contains(text: &[u8], wanted: &[u8]) -> bool {
    text.windows(wanted.len()).any(|window| window == wanted)
}

/// The last position of a text.
pub(super) fn last(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).rposition(|window| window == wanted)
}

pub(super) fn count(text: &[u8], wanted: &[u8]) -> usize {
    text.windows(wanted.len()).filter(|window| *window == wanted).count()
}

/// The text between the bracket at `open` and the one that closes it; bounded, because it is looked at twice.
pub(super) fn argument_list(bytes: &[u8], open: usize) -> &[u8] {
    let limit = bytes.len().min(open.saturating_add(2000));
    let mut depth = 0_usize;
    let mut at = open;
    while at < limit {
        match class(bytes[at]) {
            ByteKind::Open => depth += 1,
            ByteKind::Close if depth <= 1 => break,
            ByteKind::Close => depth -= 1,
            ByteKind::Quote => {
                at = string(bytes, at).map_or(limit, |(_, end, _)| end);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    bytes.get(open + 1..at.min(bytes.len())).unwrap_or_default()
}

/// Letters that may precede a string literal.
pub(super) fn is_prefix(word: &[u8]) -> bool {
    word.iter().all(|letter| b"rRbBfFuUtT".contains(letter))
}

/// Functions of the fleet that read the environment by name: `service_key_env`, `_first_present`, `resolve_service_key`.
pub(super) fn names_environment(word: &[u8]) -> bool {
    contains(word, b"env") && !contains(word, b"envelope")
        || contains(word, b"service_key")
        || contains(word, b"first_")
}

/// Constants that hold names of environment variables: `TOKEN_ENV`, `ENV_API_KEYS`.
pub(super) fn holds_variables(word: &[u8]) -> bool {
    word.first().is_some_and(u8::is_ascii_uppercase)
        && word.split(|byte| *byte == b'_').any(|part| part == b"ENV")
}

/// Names under which a query carries a secret; `key` alone is left to its value.
pub(super) fn carries_secret(word: &[u8]) -> bool {
    matches!(
        word,
        b"token"
            | b"access_token"
            | b"api_token"
            | b"api_key"
            | b"apikey"
            | b"secret"
            | b"client_secret"
            | b"password"
    )
}

/// A name with its dots: `self._token`. The offset after it; the same when there is none.
pub(super) fn dotted_end(bytes: &[u8], at: usize) -> usize {
    let mut end = word_end(bytes, at);
    while end > at && bytes.get(end) == Some(&b'.') {
        end = word_end(bytes, end + 1);
    }
    end
}

/// Returns the position of the innermost open bracket at the end of a text.
pub(super) fn innermost_open(text: &[u8]) -> Option<usize> {
    let mut closed = 0_usize;
    text.iter().rposition(|byte| match class(*byte) {
        ByteKind::Close => {
            closed += 1;
            false
        }
        ByteKind::Open if closed == 0 => true,
        ByteKind::Open => {
            closed -= 1;
            false
        }
        _ => false,
    })
}

/// The name that ends where a text ends.
pub(super) fn last_word(text: &[u8]) -> &[u8] {
    let start = text.iter().rposition(|byte| class(*byte) != ByteKind::Word).map_or(0, |at| at + 1);
    text.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> &str {
        let (range, _, _) = string(text.as_bytes(), 0).unwrap();
        &text[range]
    }

    #[test]
    fn string_literals_end_where_python_ends_them() {
        assert_eq!(content("\"a\\\"b\" c"), "a\\\"b");
        assert_eq!(content("'''a\n'b''' c"), "a\n'b");
        assert_eq!(content("'' x"), "");
        assert_eq!(content("'open\nnext'"), "open");
        assert_eq!(content("\"\"\"open"), "open");
        assert_eq!(string(b"\"\\", 0), Some((1..2, 2, Holds::STOP)));
    }

    #[test]
    fn an_argument_list_ends_at_its_own_bracket() {
        assert_eq!(argument_list(b"f(a, (b), \")\") c", 1), b"a, (b), \")\"");
        assert_eq!(argument_list(b"f(a", 1), b"a");
        assert_eq!(argument_list(b"", 7), b"");
    }
}
