//! Counts with their nouns: `1 file`, `2 files`, `2 entries`.

/// A count with its word in singular or plural.
#[must_use]
pub fn counted(count: usize, word: &str) -> String {
    match (count, word.strip_suffix('y')) {
        (1, _) => format!("1 {word}"),
        (count, Some(stem)) => format!("{count} {stem}ies"),
        (count, None) => format!("{count} {word}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_a_final_y_changes() {
        let said =
            [counted(0, "file"), counted(1, "file"), counted(1, "entry"), counted(2, "entry")];
        assert_eq!(said, ["0 files", "1 file", "1 entry", "2 entries"]);
    }
}
