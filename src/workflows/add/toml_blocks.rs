//! Blocks of an array of tables in a TOML file: added at the end, copied, taken out. Comments and layout stay.
//!
//! Works on lines: a block begins at its header and ends at the next header that is not below it.

use std::ops::Range;

/// The text with one more block at its end.
#[must_use]
pub fn appended(text: &str, block: &str) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = block.trim_start_matches('\n').replace('\n', newline);
    let gap = if text.is_empty() || text.ends_with(&newline.repeat(2)) {
        String::new()
    } else if text.ends_with(newline) {
        newline.to_owned()
    } else {
        newline.repeat(2)
    };
    format!("{text}{gap}{block}")
}

/// The lines of the blocks under `header` whose member `key` is `value`, with the blocks below them.
#[must_use]
pub fn find(text: &str, header: &str, key: &str, value: &str) -> Vec<Range<usize>> {
    let inner = format!("{}.", header.trim_end_matches(']'));
    let mut blocks: Vec<(usize, usize, bool)> = Vec::new();
    let (mut at, mut open, mut in_text) = (0, false, false);
    // Comments and blank lines before a header belong to it.
    let mut lead = None;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        if !in_text && trimmed.starts_with('[') && trimmed.contains(']') && is_header(trimmed) {
            let start = lead.unwrap_or(at);
            if open && !trimmed.starts_with(&inner) {
                if let Some(last) = blocks.last_mut() {
                    last.1 = start;
                }
                open = false;
            }
            if trimmed.starts_with(header) {
                blocks.push((start, text.len(), false));
                open = true;
            }
        } else if open && !in_text {
            let member = trimmed.strip_prefix(key).map(str::trim_start);
            let given = member.and_then(|rest| rest.strip_prefix('=')).map(str::trim);
            let wanted = given.is_some_and(|given| {
                given.starts_with(&format!("\"{value}\""))
                    || given.starts_with(&format!("'{value}'"))
            });
            if let Some(last) = blocks.last_mut().filter(|_| wanted) {
                last.2 = true;
            }
        }
        if line.matches("\"\"\"").count() % 2 == 1 || line.matches("'''").count() % 2 == 1 {
            in_text = !in_text;
        }
        lead = match trimmed.is_empty() || trimmed.starts_with('#') {
            true => lead.or(Some(at)),
            false => None,
        };
        at += line.len();
    }
    blocks.into_iter().filter(|(.., wanted)| *wanted).map(|(start, end, _)| start..end).collect()
}

/// A line that begins with a bracket and is not a value of an array.
fn is_header(line: &str) -> bool {
    let name = line.trim_start_matches('[').split(']').next().unwrap_or_default();
    !name.is_empty()
        && name.chars().all(|symbol| symbol.is_ascii_alphanumeric() || "_-. ".contains(symbol))
}

/// The text without those blocks, and how many there were.
#[must_use]
pub fn without(text: &str, header: &str, key: &str, value: &str) -> (String, usize) {
    let found = find(text, header, key, value);
    let mut changed = text.to_owned();
    for range in found.iter().rev() {
        changed.replace_range(range.clone(), "");
    }
    let changed = match changed.strip_prefix('\n') {
        Some(rest) if !text.starts_with('\n') => rest.to_owned(),
        _ => changed,
    };
    (changed, found.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# top\nversion = 1\n\n[[a.b]]\nid = \"x\"\nlist = [\n  \"1\", \"2\",\n]\n\n[[a.b.c]]\npath = \"/x\"\n\n# about y\n[[a.b]]\nid = \"y\"\n\n[other]\nid = \"x\"\n";

    #[test]
    fn a_block_goes_with_what_is_below_it_and_comments_stay() {
        let (text, count) = without(TEXT, "[[a.b]]", "id", "x");
        assert_eq!(count, 1);
        assert_eq!(
            text,
            "# top\nversion = 1\n\n# about y\n[[a.b]]\nid = \"y\"\n\n[other]\nid = \"x\"\n"
        );
        let (text, count) = without(&text, "[[a.b]]", "id", "y");
        assert_eq!((text.as_str(), count), ("# top\nversion = 1\n\n[other]\nid = \"x\"\n", 1));
        assert_eq!(without(TEXT, "[[a.b]]", "id", "z"), (TEXT.to_owned(), 0));
    }

    #[test]
    fn a_block_is_added_after_one_blank_line() {
        assert_eq!(appended("a = 1\n", "\n[[b]]\n"), "a = 1\n\n[[b]]\n");
        assert_eq!(appended("a = 1", "[[b]]\n"), "a = 1\n\n[[b]]\n");
        assert_eq!(appended("a = 1\r\n", "[[b]]\n"), "a = 1\r\n\r\n[[b]]\r\n");
    }
}
