//! Short texts that match the `pattern` of a schema, for samples.
//!
//! A pattern that this syntax of regular expressions does not have, such as one that looks ahead, has no text.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

/// Longest pattern that is read, and longest text that is made, in characters.
const MAX_PATTERN: usize = 500;
const MAX_TEXT: usize = 300;
/// How deep a pattern may be nested.
const MAX_NESTING: u32 = 30;

/// A text of `least` to `most` characters that matches `pattern`.
#[must_use]
pub fn text(pattern: &str, least: usize, most: usize) -> Option<String> {
    if pattern.len() > MAX_PATTERN {
        return None;
    }
    let tree = ParserBuilder::new().nest_limit(MAX_NESTING).build().parse(pattern).ok()?;
    let most = most.min(MAX_TEXT);
    // Each repetition can be longer than it must be.
    (0..=least.min(MAX_TEXT)).find_map(|more| {
        let mut made = String::new();
        write(&tree, more, &mut made)?;
        let length = made.chars().count();
        (length > 0 && (least..=most).contains(&length)).then_some(made)
    })
}

/// True if a text matches a pattern, or nothing is known about the pattern.
#[must_use]
pub fn fits(pattern: &str, text: &str) -> bool {
    let build = || regex::RegexBuilder::new(pattern).size_limit(1 << 20).build().ok();
    (pattern.len() <= MAX_PATTERN).then(build).flatten().is_none_or(|known| known.is_match(text))
}

/// Writes the shortest text of a part; `more` is added to each repetition that may be longer. `None` if it is too long.
fn write(part: &Hir, more: usize, made: &mut String) -> Option<()> {
    if made.len() > MAX_TEXT * 4 {
        return None;
    }
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => made.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => made.push(symbol(class)?),
        HirKind::Repetition(repetition) => {
            let least = usize::try_from(repetition.min).ok()?;
            let most = repetition.max.and_then(|most| usize::try_from(most).ok());
            let count = (least + more).min(most.unwrap_or(usize::MAX));
            if count > MAX_TEXT {
                return None;
            }
            for _ in 0..count {
                write(&repetition.sub, more, made)?;
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, more, made)?,
        HirKind::Concat(parts) => {
            for part in parts {
                write(part, more, made)?;
            }
        }
        // The last one is most often the usual one: `0|[1-9][0-9]*`.
        HirKind::Alternation(parts) => write(parts.last()?, more, made)?,
    }
    Some(())
}

/// A letter or digit of a class, else its first symbol that can be seen.
fn symbol(class: &Class) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => {
            class.ranges().iter().map(|range| (range.start(), range.end())).collect()
        }
        Class::Bytes(class) => class
            .ranges()
            .iter()
            .map(|range| (char::from(range.start()), char::from(range.end())))
            .collect(),
    };
    let has = |symbol: char| ranges.iter().any(|(start, end)| (*start..=*end).contains(&symbol));
    let usual = ['a', 'A', '1', '0', '-', '_'].into_iter().chain('b'..='z').chain('B'..='Z');
    let seen = ('!'..='~').chain(ranges.iter().map(|(start, _)| *start));
    usual
        .chain('2'..='9')
        .chain(seen)
        .find(|symbol| has(*symbol) && !crate::visible::is_invisible(*symbol) && *symbol != ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_matches_its_pattern_and_its_length() {
        for (pattern, least, most) in [
            ("^(0|[1-9][0-9]*)$", 0, 40),
            ("^[a-zA-Z0-9\\-_.]+$", 1, 256),
            ("^[A-Z]{3}$", 0, 40),
            ("^#[0-9a-f]{6}$", 0, 40),
            ("^\\+[1-9]\\d{1,14}$", 0, 40),
            ("^psc_[a-zA-Z0-9]+$", 12, 40),
            ("^\\S{1,100}@\\S{1,100}$", 0, 200),
            ("^[^\\s]+$", 3, 3),
            ("[0-9]{4}-[0-9]{2}", 0, 40),
        ] {
            let made = text(pattern, least, most).unwrap_or_else(|| panic!("{pattern}"));
            assert!(fits(pattern, &made), "{pattern}: {made}");
            assert!((least..=most).contains(&made.chars().count()), "{pattern}: {made}");
        }
        assert!(!fits("^[0-9]+$", "a"));
        assert!(fits("(?=a)b", "anything"), "it is not known");
    }

    #[test]
    fn an_unsatisfiable_pattern_has_no_sample() {
        for pattern in ["(?=a)b", "[", "^$", "a{1000}", "(((a{90}){90}){90}){90}"] {
            assert_eq!(text(pattern, 0, 40), None, "{pattern}");
        }
        assert_eq!(text("^[A-Z]{3}$", 5, 9), None);
        assert_eq!(text(&"(".repeat(400), 0, 9), None);
    }
}
