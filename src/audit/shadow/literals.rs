//! Texts in the arguments of a call that runs them as code: joined, with their escapes read, decoded, and decompressed.

use std::io::Read;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::pattern::regex;

/// Longest code that is read in one call, in bytes.
const MAX_CODE: usize = 64 * 1024;

/// Functions that make code of data and are not imitated here.
pub const UNREAD_FORMATS: &[&str] = &[
    "bz2",
    "lzma",
    "marshal",
    "brotliDecompressSync",
    "b85decode",
    "a85decode",
    "b32decode",
    "decrypt",
    "createDecipheriv",
];

/// Base64 with or without its padding.
const ANY_BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The code that an expression can evaluate to: its string literals, joined as they are written, and decoded.
pub fn codes(expression: &str) -> Vec<String> {
    let parts = parts(expression);
    let joined = parts.concat();
    let mut codes: Vec<_> = parts.iter().chain([&joined]).flat_map(|part| decoded(part)).collect();
    codes.extend(parts.iter().chain([&joined]).filter_map(|part| in_bytes(part)));
    codes.extend(numbers(expression));
    codes.push(joined.chars().rev().collect());
    codes.push(joined.chars().map(rotated).collect());
    if joined.contains('%') {
        codes.push(percent_decoded(&joined));
    }
    codes.push(joined);
    codes
}

/// The string literals of an expression, without their escapes.
pub fn parts(expression: &str) -> Vec<String> {
    let Ok(string) = regex(
        r#"(?s)"""(.*?)"""|'''(.*?)'''|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`"#,
    ) else {
        return Vec::new();
    };
    let found = string.captures_iter(expression.get(..MAX_CODE).unwrap_or(expression));
    let inner = found.map(|captures| {
        let inner = (1..=5).find_map(|group| captures.get(group));
        unescaped(inner.map_or("", |inner| inner.as_str()))
    });
    inner.collect()
}

/// Text that a list of its letters' numbers makes.
fn numbers(expression: &str) -> Option<String> {
    let list = regex(r"(?:\d{1,3}\s*,\s*){7,}\d{1,3}").ok()?;
    let list = list.find(expression)?.as_str();
    let letters = list.split(',').map(|number| number.trim().parse::<u8>().ok());
    let letters: Option<Vec<u8>> = letters.collect();
    String::from_utf8(letters?).ok()
}

/// The letter that is 13 places further.
fn rotated(letter: char) -> char {
    let from = match letter {
        'a'..='z' => b'a',
        'A'..='Z' => b'A',
        _ => return letter,
    };
    u8::try_from(letter).map_or(letter, |byte| char::from((byte - from + 13) % 26 + from))
}

/// A text without the escapes of a URL.
pub fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                plain.push(byte);
                at += 3;
            }
            None => {
                plain.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}

/// Text that a string encodes in base64 or in hexadecimal digits.
fn decoded(text: &str) -> Vec<String> {
    let plain: String = text.chars().filter(|letter| !letter.is_ascii_whitespace()).collect();
    if plain.len() < 16 {
        return Vec::new();
    }
    let of_base64 = ANY_BASE64.decode(plain.replace('-', "+").replace('_', "/")).ok();
    let pairs = plain.as_bytes().chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
        u8::from_str_radix(pair, 16).ok()
    });
    let of_digits: Option<Vec<u8>> = pairs.collect();
    let texts = [of_base64, of_digits].into_iter().flatten();
    texts
        .flat_map(|bytes| [decompressed(&bytes), String::from_utf8(bytes).ok()])
        .flatten()
        .collect()
}

/// Text that bytes hold in the format of zlib or gzip.
fn decompressed(bytes: &[u8]) -> Option<String> {
    let limit = u64::try_from(MAX_CODE).unwrap_or(u64::MAX);
    let mut text = String::new();
    let read = match bytes {
        [0x1f, 0x8b, ..] => {
            flate2::read::GzDecoder::new(bytes).take(limit).read_to_string(&mut text)
        }
        [0x78, ..] => flate2::read::ZlibDecoder::new(bytes).take(limit).read_to_string(&mut text),
        _ => return None,
    };
    read.is_ok().then_some(text)
}

/// Text in the bytes that a literal has with its escapes, such as `b"x\x9c…"`.
fn in_bytes(text: &str) -> Option<String> {
    let bytes: Option<Vec<u8>> =
        text.chars().map(|letter| u8::try_from(u32::from(letter)).ok()).collect();
    decompressed(&bytes?)
}

/// A string literal without its escapes, as Python and JavaScript both read them.
pub fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some(kind @ ('x' | 'u')) => {
                let length = if kind == 'x' { 2 } else { 4 };
                let digits: String = letters.clone().take(length).collect();
                let read = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                if let Some(read) = read.filter(|_| digits.len() == length) {
                    plain.push(read);
                    letters.nth(length - 1);
                }
            }
            Some('\n') | None => {}
            Some(other) => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_in_every_form_in_which_they_are_written() {
        for expression in [
            "'a.b = 1; c'",
            "'a.b ' + \"= 1; c\"",
            "''.join(['a.b', ' = 1', '; c'])",
            "\"\"\"a.b = 1; c\"\"\"",
            "`a.b = 1; c`",
            "'a\\x2eb = 1; \\u0063'",
            "base64.b64decode('YS5iID0gMTsgYwAA')",
            "atob(\"YS5iID0gMTsgYwAA\")",
            "bytes.fromhex('612e62203d20313b2063')",
            "'c ;1 = b.a'[::-1]",
            "codecs.decode('n.o = 1; p', 'rot13')",
            "decodeURIComponent('a.b%20=%201;%20c')",
            "zlib.decompress(base64.b64decode('eJxL1EtSsFUwtFZIBgANiAJe'))",
            "gunzipSync(Buffer.from('H4sIAAAAAAACA0vUS1KwVTC0VkgGANF6XJIKAAAA', 'base64'))",
            "zlib.decompress(b'\\x78\\x9c\\x4b\\xd4\\x4b\\x52\\xb0\\x55\\x30\\xb4\\x56\\x48\\x06\\x00\\x0d\\x88\\x02\\x5e')",
            "bytes([97, 46, 98, 32, 61, 32, 49, 59, 32, 99, 10, 10, 10, 10, 10, 10, 10])",
        ] {
            let found = codes(expression);
            assert!(
                found.iter().any(|code| code.starts_with("a.b = 1; c")),
                "{expression}: {found:?}"
            );
        }
        for hostile in ["'", "\"\\", "'\\x'", "'\\u12'", "`", "é'é\\", "'''"] {
            let _ = codes(hostile);
        }
    }
}
