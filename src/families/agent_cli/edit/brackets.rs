//! Places in source code of Python and Go: where a bracket closes, and what is listed inside it.
//!
//! Follows strings and comments and nothing else of the languages; what it does not find is reported, never guessed.

use std::ops::Range;

/// The syntax of strings and comments.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Language {
    Python,
    Go,
}

/// Longest line that the formatter of Python leaves alone.
const WIDTH: usize = 88;

impl Language {
    /// The end of the string or comment that begins at `at`, if one does.
    fn skip(self, text: &str, at: usize) -> Option<usize> {
        let rest = text.get(at..)?;
        let line_end = || at + rest.find('\n').unwrap_or(rest.len());
        let quoted = |quote: &str, escapes: bool| {
            let mut place = quote.len();
            while let Some(symbol) = rest.get(place..).and_then(|rest| rest.chars().next()) {
                if escapes && symbol == '\\' {
                    place += 1 + rest
                        .get(place + 1..)
                        .and_then(|rest| rest.chars().next())
                        .map_or(0, char::len_utf8);
                } else if rest.get(place..).is_some_and(|rest| rest.starts_with(quote)) {
                    return at + place + quote.len();
                } else {
                    place += symbol.len_utf8();
                }
            }
            text.len()
        };
        match (self, rest.as_bytes().first()?) {
            (Self::Python, b'#') => Some(line_end()),
            (Self::Python, b'"') if rest.starts_with("\"\"\"") => Some(quoted("\"\"\"", true)),
            (Self::Python, b'\'') if rest.starts_with("'''") => Some(quoted("'''", true)),
            (_, b'"') => Some(quoted("\"", true)),
            (_, b'\'') => Some(quoted("'", true)),
            (Self::Go, b'`') => Some(quoted("`", false)),
            (Self::Go, b'/') if rest.starts_with("//") => Some(line_end()),
            (Self::Go, b'/') if rest.starts_with("/*") => {
                Some(at + rest.find("*/").map_or(rest.len(), |end| end + 2))
            }
            _ => None,
        }
    }

    fn is_comment(self, text: &str, at: usize) -> bool {
        let rest = text.get(at..).unwrap_or_default();
        match self {
            Self::Python => rest.starts_with('#'),
            Self::Go => rest.starts_with("//") || rest.starts_with("/*"),
        }
    }

    /// The bracket that closes the one at `open`.
    #[must_use]
    pub fn closing(self, text: &str, open: usize) -> Option<usize> {
        let (mut at, mut depth) = (open, 0_usize);
        while let Some(symbol) = text.get(at..)?.chars().next() {
            if let Some(end) = self.skip(text, at) {
                at = end.max(at + 1);
                continue;
            }
            match symbol {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
            at += symbol.len_utf8();
        }
        None
    }

    /// Returns the entries between the bracket at `open` and its closing bracket, without comments before an entry.
    #[must_use]
    pub fn entries(self, text: &str, open: usize) -> Option<Vec<Range<usize>>> {
        let close = self.closing(text, open)?;
        let mut found = Vec::new();
        let (mut at, mut start, mut end) = (open + 1, None, open + 1);
        while at < close {
            let symbol = text.get(at..)?.chars().next()?;
            let next = match symbol {
                ',' => {
                    found.extend(start.take().map(|start| start..end));
                    at += 1;
                    continue;
                }
                '(' | '[' | '{' => self.closing(text, at)? + 1,
                _ if self.is_comment(text, at) => {
                    at = self.skip(text, at)?.max(at + 1);
                    continue;
                }
                _ => self.skip(text, at).unwrap_or(at + symbol.len_utf8()),
            };
            if !symbol.is_whitespace() {
                start.get_or_insert(at);
                end = next;
            }
            at = next;
        }
        found.extend(start.map(|start| start..end));
        Some(found)
    }

    /// The value that the entry `name` has in the list at `open`: `name=value` or `name: value`.
    #[must_use]
    pub fn value(self, text: &str, open: usize, name: &str) -> Option<Range<usize>> {
        let separator = match self {
            Self::Python => '=',
            Self::Go => ':',
        };
        self.entries(text, open)?.into_iter().find_map(|entry| {
            let inner = text.get(entry.clone())?.strip_prefix(name)?;
            let value = inner.trim_start().strip_prefix(separator)?.trim_start();
            Some(entry.end - value.len()..entry.end)
        })
    }

    /// The text with one more entry at the end of the list at `open`, laid out as the others.
    #[must_use]
    pub fn appended(self, text: &str, open: usize, entry: &str) -> Option<String> {
        let close = self.closing(text, open)?;
        let entries = self.entries(text, open)?;
        let mut changed = text.to_owned();
        let inside = text.get(open + 1..close)?;
        let line = text[..open].rfind('\n').map_or(0, |end| end + 1);
        let opening = indent(&text[line..]);
        if inside.contains('\n') {
            let closing_line = text[..close].rfind('\n').map_or(0, |end| end + 1);
            let last = entries.last();
            let inner = last.map_or_else(
                || format!("{opening}{}", self.unit()),
                |last| indent(&text[text[..last.start].rfind('\n').map_or(0, |end| end + 1)..]),
            );
            let lines: String = entry.lines().map(|line| format!("{inner}{line}\n")).collect();
            changed.insert_str(closing_line, &lines);
            // The entry before it may lack its comma.
            if let Some(last) = last
                && !text.get(last.end..close)?.trim_start().starts_with(',')
            {
                changed.insert(last.end, ',');
            }
            return Some(changed);
        }
        let single = entry.trim_end().trim_end_matches(',');
        let place = entries.last().map_or(open + 1, |last| last.end);
        let is_tuple = self == Self::Python && text[open..].starts_with('(');
        let added = match entries.is_empty() {
            // Without the comma, parentheses around one value do not make a tuple.
            true if is_tuple => format!("{single},"),
            true => single.to_owned(),
            false => format!(", {single}"),
        };
        changed.replace_range(place..close, &added);
        let end = changed[place..].find('\n').map_or(changed.len(), |end| place + end);
        if self == Self::Python && changed[line..end].chars().count() > WIDTH {
            let inner = format!("{opening}{}", self.unit());
            let mut lines: Vec<String> = Vec::new();
            for range in &entries {
                lines.push(format!("{inner}{},\n", text.get(range.clone())?));
            }
            lines.push(format!("{inner}{single},\n"));
            let close = self.closing(&changed, open)?;
            changed.replace_range(open + 1..close, &format!("\n{}{opening}", lines.concat()));
        }
        Some(changed)
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Python => "    ",
            Self::Go => "\t",
        }
    }
}

fn indent(line: &str) -> String {
    line.chars().take_while(|symbol| matches!(symbol, ' ' | '\t')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_past_strings_comments_and_brackets() {
        let text = "f(\n    a=(1, 2),  # one, two)\n    b={\"x)\": 'y,'},\n    # c=3,\n    d=\"\"\"\n,)\"\"\",\n)";
        let open = 1;
        let found: Vec<_> = Language::Python
            .entries(text, open)
            .unwrap()
            .into_iter()
            .map(|range| &text[range])
            .collect();
        assert_eq!(found, ["a=(1, 2)", "b={\"x)\": 'y,'}", "d=\"\"\"\n,)\"\"\""]);
        assert_eq!(&text[Language::Python.value(text, open, "b").unwrap()], "{\"x)\": 'y,'}");
        assert_eq!(Language::Python.closing("(\"", 0), None);
        assert_eq!(Language::Go.closing("{ ')', `\\`, \"}\" /* } */ }", 0), Some(24));
    }

    #[test]
    fn an_entry_is_laid_out_as_the_others() {
        let added = |language: Language, text: &str| {
            language.appended(text, text.find(['(', '{']).unwrap(), "new,").unwrap()
        };
        assert_eq!(
            added(Language::Python, "x = (\n    a,\n    b  # last\n)\n"),
            "x = (\n    a,\n    b,  # last\n    new,\n)\n"
        );
        assert_eq!(added(Language::Go, "x{\n\ta,\n}\n"), "x{\n\ta,\n\tnew,\n}\n");
        assert_eq!(added(Language::Go, "x{a, b}\n"), "x{a, b, new}\n");
        assert_eq!(added(Language::Python, "x = ()\n"), "x = (new,)\n");
        let long = format!("x = (\"{}\", b)\n", "a".repeat(76));
        assert_eq!(
            added(Language::Python, &long),
            format!("x = (\n    \"{}\",\n    b,\n    new,\n)\n", "a".repeat(76))
        );
    }
}
