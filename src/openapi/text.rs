//! Texts of an API's author as data: one plain sentence, bounded, without markup and without invisible characters.
//!
//! Nothing here becomes code. A text that contains instructions remains outside text.

use crate::visible::is_invisible;

/// Longest summary of a command, longest help of an option.
pub const MAX_SUMMARY: usize = 90;
pub const MAX_HELP: usize = 160;
/// How much of a text is looked at.
const MAX_READ: usize = 2_000;

/// The first sentence of `text` in plain words, at most `max` characters.
#[must_use]
pub fn sentence(text: &str, max: usize) -> String {
    let text: String = text.chars().take(MAX_READ).collect();
    let plain = collapsed(&unmarked(&without_tags(&first_paragraph(&text))));
    bounded(first_sentence(&plain), max)
}

/// The first lines that say something: no heading, rule or table, up to the next empty line.
fn first_paragraph(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        let is_decoration = line.chars().all(|symbol| "=-*_#`~|".contains(symbol));
        if is_decoration {
            if lines.is_empty() {
                continue;
            }
            break;
        }
        lines.push(line.trim_start_matches(['#', '>', '*']).trim());
    }
    lines.join(" ")
}

fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        plain.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let opens =
            after.starts_with(|first: char| first.is_ascii_alphabetic() || "/!".contains(first));
        match after.find('>').filter(|_| opens) {
            Some(end) => {
                plain.push(' ');
                rest = &after[end + 1..];
            }
            None => {
                plain.push('<');
                rest = after;
            }
        }
    }
    plain + rest
}

/// `[text](address)` becomes `text`; marks of emphasis and code go.
fn unmarked(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        plain.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let Some((name, behind)) = after.split_once(']') else {
            rest = after;
            break;
        };
        plain.push_str(name);
        rest = behind;
        if let Some(address) = behind.strip_prefix('(') {
            rest = address.split_once(')').map_or("", |(_, rest)| rest);
        }
    }
    plain.push_str(rest);
    plain.replace("**", "").replace("__", "").replace("&amp;", "&").replace("&nbsp;", " ")
}

/// One line; quotes are single, for a summary is read between double quotes.
fn collapsed(text: &str) -> String {
    let symbols = text.chars().map(|symbol| match symbol {
        '"' | '`' | '\u{201c}' | '\u{201d}' => '\'',
        '\\' | '|' => '/',
        '{' => '(',
        '}' => ')',
        other if other.is_whitespace() => ' ',
        other => other,
    });
    let visible: String = symbols.filter(|symbol| !is_invisible(*symbol)).collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn first_sentence(text: &str) -> &str {
    let mut from = 0;
    while let Some(at) = text[from..].find(". ") {
        let end = from + at;
        let word = text[..end].rsplit(' ').next().unwrap_or_default();
        let is_short = matches!(word, "e.g" | "i.e" | "etc" | "vs" | "(e.g" | "(i.e" | "eg" | "ie");
        if !is_short {
            return &text[..end];
        }
        from = end + 2;
    }
    text.trim_end_matches(['.', ':', ' '])
}

fn bounded(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let cut: String = text.chars().take(max.saturating_sub(1)).collect();
    let whole = cut.rfind(' ').filter(|at| *at > max / 2).map_or(cut.as_str(), |at| &cut[..at]);
    format!("{}\u{2026}", whole.trim_end_matches([',', ';', ':', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_becomes_one_plain_sentence() {
        for (text, wanted) in [
            ("Lists **all** [pets](https://x.example/y). More.", "Lists all pets"),
            ("<p>Get <b>one</b></p>\n\n# More", "Get one"),
            ("## Heading\ntext", "Heading text"),
            ("Uses e.g. this. Then that.", "Uses e.g. this"),
            ("say \"hi\"\u{202e} to\u{0}\nme | you \\ them", "say 'hi' to me / you / them"),
            ("a < b and {x}", "a < b and (x)"),
            ("---\n\nThe rest", "The rest"),
            ("", ""),
        ] {
            assert_eq!(sentence(text, 80), wanted);
        }
        let long = sentence(&"word ".repeat(5_000), 20);
        assert_eq!(long, "word word word\u{2026}");
    }
}
