//! Words as a POSIX shell takes them, for commands that a report offers.

/// One word, quoted where a shell would read something else.
#[must_use]
pub fn word(text: &str) -> String {
    let is_plain = |symbol: char| symbol.is_ascii_alphanumeric() || "_@%+=:,./-".contains(symbol);
    let is_assignment = text.split_once('=').is_some_and(|(name, _)| !name.starts_with('-'));
    if !text.is_empty() && !is_assignment && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A command line of these words.
#[must_use]
pub fn line<S: AsRef<str>>(words: &[S]) -> String {
    words.iter().map(|text| word(text.as_ref())).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_only_where_a_shell_would_read_something_else() {
        for (text, wanted) in [
            ("--probe", "--probe"),
            ("./tool", "./tool"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", "'it'\\''s'"),
            ("A=1", "'A=1'"),
            ("--port=1", "--port=1"),
            ("$HOME;x", "'$HOME;x'"),
        ] {
            assert_eq!(word(text), wanted);
        }
    }
}
