//! Go literals.

/// An interpreted string literal in pure ASCII.
#[must_use]
pub fn string(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
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
            _ if u32::from(symbol) <= 0xffff => {
                literal.push_str(&format!("\\u{:04x}", u32::from(symbol)))
            }
            _ => literal.push_str(&format!("\\U{:08x}", u32::from(symbol))),
        }
    }
    literal.push('"');
    literal
}

/// A slice of strings: `[]string{"a", "b"}`.
#[must_use]
pub fn strings<T: AsRef<str>>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<_> = items.into_iter().map(|item| string(item.as_ref())).collect();
    format!("[]string{{{}}}", items.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_its_literal() {
        assert_eq!(string("a\"b\\c\nd\r\u{0}`'"), r#""a\"b\\c\nd\r\u0000`'""#);
        assert_eq!(string("é\u{2028}\u{feff}😀"), r#""\u00e9\u2028\ufeff\U0001f600""#);
        assert_eq!(strings::<&str>([]), "[]string{}");
        assert_eq!(strings(["a", "b"]), r#"[]string{"a", "b"}"#);
    }
}
