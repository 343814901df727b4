//! Regular expressions over source text: small to compile, and compiled once for all files that need them.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, RwLock};

use regex::Regex;

/// Most expressions that are kept.
const MAX_KEPT: usize = 512;

static KEPT: LazyLock<RwLock<HashMap<String, Arc<Regex>>>> = LazyLock::new(RwLock::default);

/// The expression for `pattern`. A word is made of ASCII letters, digits, `_` and everything that is not ASCII: the
/// tables of Unicode would cost more than the rest of a check. All users share it with what it has learnt about texts:
/// a clone would start empty.
///
/// # Errors
/// Returns an error if the pattern is none, or too large.
pub fn regex(pattern: &str) -> Result<Arc<Regex>, regex::Error> {
    let kept = KEPT.read().ok().and_then(|kept| kept.get(pattern).cloned());
    if let Some(regex) = kept {
        return Ok(regex);
    }
    let small = pattern
        .replace(r"\w", r"[[:word:]\x{80}-\x{10FFFF}]")
        .replace(r"\s", "[[:space:]]")
        .replace(r"\b", r"(?-u:\b)");
    let regex = Arc::new(Regex::new(&small)?);
    if let Ok(mut kept) = KEPT.write() {
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert(pattern.to_owned(), Arc::clone(&regex));
    }
    Ok(regex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_spaces_and_edges_mean_the_same_in_and_out_of_brackets() {
        for (pattern, text, found) in [
            (r"\w+", "é_1 x", Some("é_1")),
            (r"[\w.]+", "a.é b", Some("a.é")),
            (r"(?:^|[^\w.])x", "a.x éx (x", Some("(x")),
            (r"\bx\b", "ax x", Some("x")),
            (r"a\s*b", "a\n\tb", Some("a\n\tb")),
        ] {
            let regex = regex(pattern).unwrap();
            assert_eq!(regex.find(text).map(|found| found.as_str()), found, "{pattern}");
        }
        assert!(regex("(").is_err());
    }
}
