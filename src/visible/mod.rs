//! Outside text that is safe for a terminal and a log: the only text that `system::terminal` writes.
//!
//! A `Visible` cannot hold a symbol that moves a cursor, reorders or hides text, or ends a line that is not ours. It
//! has no `Display`, so it enters other text through `visible!` only, and `visible!` cleans every other argument.

mod counted;
mod invisible;
mod or_empty;

use std::fmt::{self, Write as _};

pub use counted::counted;
pub use invisible::is_invisible;
pub use or_empty::or_empty;

/// Clean text. Line breaks, tabs and colours in it were put there by aos.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Visible(String);

impl Visible {
    /// Text of aos itself.
    #[must_use]
    pub fn literal(text: &'static str) -> Self {
        Self(text.to_owned())
    }

    /// Outside text on one line: line breaks and tabs are spelled out.
    #[must_use]
    pub fn line(text: &str) -> Self {
        Self(spelled(text, |_| false))
    }

    /// Outside text as one sentence: its lines are joined by spaces.
    #[must_use]
    pub fn sentence(text: &str) -> Self {
        let lines = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
        Self::line(&lines.collect::<Vec<_>>().join(" "))
    }

    /// A line of a file or a diff: tabs stay.
    #[must_use]
    pub fn content(line: &str) -> Self {
        Self(spelled(line, |symbol| symbol == '\t'))
    }

    /// The lines of a file, a diff or a help text: tabs and line feeds stay.
    #[must_use]
    pub fn block(text: &str) -> Self {
        Self(spelled(text, |symbol| matches!(symbol, '\t' | '\n')))
    }

    /// Help of the command line, with the colours of the parser when `color` is asked for.
    #[must_use]
    pub fn help(text: &clap::builder::StyledStr, color: bool) -> Self {
        if !color {
            return Self::block(&text.to_string());
        }
        let styled = text.ansi().to_string();
        let mut parts = styled.split("\u{1b}[");
        let mut shown = Self::block(parts.next().unwrap_or_default());
        for part in parts {
            let codes = part.find(|symbol: char| !symbol.is_ascii_digit() && symbol != ';');
            let (codes, rest) = part.split_at(codes.unwrap_or(part.len()));
            let text = match rest.strip_prefix('m') {
                Some(rest) => format!("\u{1b}[{codes}m{}", Self::block(rest).0),
                None => Self::block(part).0,
            };
            shown.0.push_str(&text);
        }
        shown
    }

    /// A JSON document of one or more lines. What is invisible, and what could start a command of a CI system, is
    /// escaped; a reader gets the same values.
    #[must_use]
    pub fn json(document: &str) -> Self {
        let mut text = String::with_capacity(document.len());
        let mut units = [0; 2];
        let mut before = Marks::default();
        for symbol in document.chars() {
            if symbol != '\n' && (is_invisible(symbol) || before.starts_command(symbol)) {
                for unit in symbol.encode_utf16(&mut units) {
                    // Writing to a string cannot fail.
                    let _ = write!(text, "\\u{unit:04x}");
                }
            } else {
                text.push(symbol);
            }
        }
        Self(text)
    }

    /// For `visible!` only: every argument was cleaned.
    #[must_use]
    pub fn of_cleaned(text: fmt::Arguments<'_>) -> Self {
        Self(text.to_string())
    }

    /// The lines of the text; parts of clean text are clean.
    #[must_use]
    pub fn lines(&self) -> Vec<Self> {
        self.0.lines().map(|line| Self(line.to_owned())).collect()
    }

    /// The text in a colour.
    #[must_use]
    pub fn painted(self, style: anstyle::Style) -> Self {
        Self(format!("{}{}{}", style.render(), self.0, style.render_reset()))
    }

    /// The parts one after the other, with a separator of aos between them.
    pub fn joined(parts: impl IntoIterator<Item = Self>, separator: &'static str) -> Self {
        let parts: Vec<String> = parts.into_iter().map(|part| part.0).collect();
        Self(parts.join(separator))
    }

    /// Appends `other`.
    pub fn push(&mut self, other: &Self) {
        self.0.push_str(&other.0);
    }

    /// The first `most` characters, with a mark when there are more.
    #[must_use]
    pub fn cut(self, most: usize) -> Self {
        if self.0.chars().count() <= most {
            return self;
        }
        Self(self.0.chars().take(most.saturating_sub(1)).chain("…".chars()).collect())
    }

    /// The same with no line that a workflow runner would carry out: `::error::` at the start of a line.
    #[must_use]
    pub fn without_commands(self) -> Self {
        let starts = |line: &str| line.trim_start().starts_with("::");
        if !self.0.lines().any(starts) {
            return self;
        }
        let lines = self.0.split_inclusive('\n').map(|line| {
            if starts(line) { line.replacen("::", "\\u{3a}:", 1) } else { line.to_owned() }
        });
        Self(lines.collect())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&'static str> for Visible {
    fn from(text: &'static str) -> Self {
        Self::literal(text)
    }
}

/// One line of outside text for a message, at most `most` characters of it.
#[must_use]
pub fn excerpt(text: &str, most: usize) -> String {
    let mut symbols = text.chars();
    let head: String = symbols.by_ref().take(most).collect();
    let more = if symbols.next().is_some() { "…" } else { "" };
    Visible::line(&head).0 + more
}

/// Escapes invisible characters, except those that `keeps` allows.
fn spelled(text: &str, keeps: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut before = Marks::default();
    for symbol in text.chars() {
        if (is_invisible(symbol) && !keeps(symbol)) || before.starts_command(symbol) {
            match symbol {
                '\n' | '\r' | '\t' => shown.extend(symbol.escape_default()),
                _ => shown.extend(symbol.escape_unicode()),
            }
        } else {
            shown.push(symbol);
        }
    }
    shown
}

/// Finds the bracket of `##[error]` and `##vso[…]`, which runners look for anywhere in a line.
#[derive(Default)]
struct Marks {
    /// Hashes in a row, then letters after two of them.
    hashes: usize,
}

impl Marks {
    fn starts_command(&mut self, symbol: char) -> bool {
        let armed = self.hashes >= 2;
        self.hashes = match symbol {
            '#' => self.hashes + 1,
            letter if armed && letter.is_ascii_alphabetic() => self.hashes,
            _ => 0,
        };
        armed && symbol == '['
    }
}

/// Arguments of `visible!`: escaped text is used unchanged, everything else is escaped as one line.
pub trait Shown {
    fn shown(&self) -> Visible;
}

impl<T: fmt::Display + ?Sized> Shown for T {
    fn shown(&self) -> Visible {
        Visible::line(&self.to_string())
    }
}

impl Shown for Visible {
    fn shown(&self) -> Visible {
        self.clone()
    }
}

impl Shown for &Visible {
    fn shown(&self) -> Visible {
        (*self).clone()
    }
}

/// Like `format!`, giving a [`Visible`]. Arguments are named after the text, never inside its braces: the compiler
/// refuses `{name}`, which would not be cleaned.
macro_rules! visible {
    ($text:literal $(, $argument:expr)* $(,)?) => {
        $crate::visible::Visible::of_cleaned(format_args!(
            concat!($text)
            $(, $crate::visible::Shown::shown(&$argument).as_str())*
        ))
    };
}
pub(crate) use visible;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_of_outside_text_stays_one_line() {
        let hostile = "a\u{1b}[31m\n\r\t\u{202e}b\u{9b}c\u{2028}d\u{200b}\u{e0041}é😀";
        assert_eq!(
            Visible::line(hostile).as_str(),
            "a\\u{1b}[31m\\n\\r\\t\\u{202e}b\\u{9b}c\\u{2028}d\\u{200b}\\u{e0041}é😀"
        );
        assert_eq!(Visible::sentence(" a\r\n  b\rc\n").as_str(), "a b c");
        assert_eq!(Visible::content("+\ta\r").as_str(), "+\ta\\r");
        assert_eq!(Visible::block("a\n\tb\u{7f}\n").as_str(), "a\n\tb\\u{7f}\n");
    }

    #[test]
    fn the_macro_cleans_what_is_not_clean_and_keeps_what_is() {
        let clean = Visible::joined([Visible::line("a\n"), Visible::literal("b")], "\n");
        assert_eq!(visible!("{} {:>3} {}", clean, 7, "\u{7}").as_str(), "a\\n\nb   7 \\u{7}");
    }

    #[test]
    fn documents_have_the_bytes_that_they_have_in_every_language() {
        let shared = include_str!("../../runtime/fixtures/envelopes.json");
        let shared: serde_json::Value = serde_json::from_str(shared).unwrap();
        for row in shared["documents"].as_array().unwrap() {
            let document = Visible::json(&row["data"].to_string());
            assert_eq!(Some(document.as_str()), row["document"].as_str(), "{}", row["case"]);
        }
    }

    #[test]
    fn json_keeps_its_values() {
        let value = serde_json::json!({"a\u{202e}": "\u{9b}\u{e0041}##[error]\u{2028}\n##vso[x"});
        for text in [value.to_string(), format!("{value:#}")] {
            let safe = Visible::json(&text).into_string();
            assert!(safe.is_ascii() && !safe.contains("##[") && !safe.contains("##vso["), "{safe}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), value);
        }
    }

    #[test]
    fn no_line_starts_a_workflow_command() {
        let text = Visible::block("::error::x\n  ::warning::y\na::b\n").without_commands();
        assert_eq!(text.as_str(), "\\u{3a}:error::x\n  \\u{3a}:warning::y\na::b\n");
        for command in ["##[error]x", "##vso[task]", "a ###[x", "##teamcity[x"] {
            assert!(Visible::line(command).as_str().contains("\\u{5b}"), "{command}");
        }
        assert_eq!(Visible::line("## [1.0.0] #[x]").as_str(), "## [1.0.0] #[x]");
    }

    #[test]
    fn a_shortened_text_says_that_it_was_shortened() {
        assert_eq!(excerpt("a\nbc", 2), "a\\n…");
        assert_eq!(excerpt("ab", 2), "ab");
        assert_eq!(Visible::line("abc").cut(2).as_str(), "a…");
    }
}
