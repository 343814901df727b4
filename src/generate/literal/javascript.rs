//! JavaScript and TypeScript literals.

/// A string literal in pure ASCII, double-quoted.
#[must_use]
pub fn string(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    let mut units = [0; 2];
    for symbol in text.chars() {
        match symbol {
            '"' | '\\' => {
                literal.push('\\');
                literal.push(symbol);
            }
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            ' '..='~' => literal.push(symbol),
            _ => {
                for unit in symbol.encode_utf16(&mut units) {
                    literal.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    literal.push('"');
    literal
}

/// An array of strings: `["a", "b"]`.
#[must_use]
pub fn strings<T: AsRef<str>>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<_> = items.into_iter().map(|item| string(item.as_ref())).collect();
    format!("[{}]", items.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_its_literal() {
        assert_eq!(string("a\"b\\c\nd\r\u{0}`'"), r#""a\"b\\c\nd\r\u0000`'""#);
        assert_eq!(string("é\u{2028}😀"), r#""\u00e9\u2028\ud83d\ude00""#);
        assert_eq!(strings(["a", "b"]), r#"["a", "b"]"#);
    }
}
