//! Replaces a word in the names and texts of a TOML document; everything else keeps its bytes.

use std::ops::Range;

use toml_edit::{Document, Item, Value};

use crate::reason::Reason;

/// The document with `old` as a whole word replaced by `new` in its keys and texts.
///
/// # Errors
/// Returns an error if it is not TOML, or the position of a value is unknown.
pub fn replace_word(text: &str, old: &str, new: &str) -> Result<String, Reason> {
    let document = Document::parse(text).map_err(|error| Reason::from(error.message()))?;
    let mut ranges = Vec::new();
    table(document.as_item(), old, &mut ranges)?;
    ranges.sort_by_key(|range: &Range<usize>| range.start);
    ranges.dedup();
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        let (Some(head), Some(part)) = (text.get(at..range.start), text.get(range.clone())) else {
            return Err("the places of its values are not known".into());
        };
        result.push_str(head);
        result.push_str(&replaced(part, old, new));
        at = range.end;
    }
    result.push_str(text.get(at..).unwrap_or_default());
    Ok(result)
}

fn table(item: &Item, word: &str, found: &mut Vec<Range<usize>>) -> Result<(), Reason> {
    match item {
        Item::None => Ok(()),
        Item::Value(inner) => value(inner, word, found),
        Item::Table(inner) => {
            for (name, child) in inner.iter() {
                key(inner.key(name), name, word, found)?;
                table(child, word, found)?;
            }
            Ok(())
        }
        Item::ArrayOfTables(inner) => {
            for child in inner.iter() {
                for (name, item) in child.iter() {
                    key(child.key(name), name, word, found)?;
                    table(item, word, found)?;
                }
            }
            Ok(())
        }
    }
}

fn value(value_: &Value, word: &str, found: &mut Vec<Range<usize>>) -> Result<(), Reason> {
    match value_ {
        Value::String(text) if holds(text.value(), word) => {
            found.push(text.span().ok_or("the place of a text is not known")?);
            Ok(())
        }
        Value::Array(entries) => entries.iter().try_for_each(|entry| value(entry, word, found)),
        Value::InlineTable(members) => members.iter().try_for_each(|(name, member)| {
            key(members.key(name), name, word, found)?;
            value(member, word, found)
        }),
        _ => Ok(()),
    }
}

fn key(
    key: Option<&toml_edit::Key>,
    name: &str,
    word: &str,
    found: &mut Vec<Range<usize>>,
) -> Result<(), Reason> {
    if holds(name, word) {
        found.push(key.and_then(toml_edit::Key::span).ok_or("the place of a name is not known")?);
    }
    Ok(())
}

/// True if a text has the word, not as a part of a longer one.
#[must_use]
pub fn holds(text: &str, word: &str) -> bool {
    replaced(text, word, "") != text
}

/// The text with another word.
#[must_use]
pub fn replaced(text: &str, old: &str, new: &str) -> String {
    let is_word = |letter: Option<char>| {
        letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
    };
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for (start, _) in text.match_indices(old) {
        let end = start + old.len();
        let inside =
            is_word(text[..start].chars().next_back()) || is_word(text[end..].chars().next());
        if !inside && start >= at {
            result.push_str(&text[at..start]);
            result.push_str(new);
            at = end;
        }
    }
    result.push_str(&text[at..]);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_word_changes() {
        let text = "# cli_aos stays\n[project.scripts]\naos-x = \"cli_aos.x.cli:cli\"   # why\n\n[tool.setuptools]\npy-modules = [ 'cli_aos', \"cli_aos.x\" ]\npackage-data = { cli_aos = [\"*.json\"] }\n[tool.setuptools.packages.find]\ninclude = [\"cli_aos*\", \"my_cli_aos\"]\n";
        let expected = text
            .replace("\"cli_aos.x.cli:cli\"", "\"aos_x.x.cli:cli\"")
            .replace("'cli_aos', \"cli_aos.x\"", "'aos_x', \"aos_x.x\"")
            .replace("{ cli_aos =", "{ aos_x =")
            .replace("\"cli_aos*\"", "\"aos_x*\"");
        assert_eq!(replace_word(text, "cli_aos", "aos_x").unwrap(), expected);
    }
}
