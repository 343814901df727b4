//! Edits of a Python source by tokens: what is not edited keeps every byte.

use std::ops::Range;

use crate::audit::shadow::python::tokens::{PythonKind, PythonToken, tokens};
use crate::contract::repository::ProjectFiles;

use super::places::HARNESS;

/// A source with its tokens and the edits so far.
pub struct CodeText<'t> {
    pub path: &'t str,
    pub text: &'t str,
    pub tokens: Vec<PythonToken<'t>>,
    edits: Vec<(Range<usize>, String)>,
}

impl<'t> CodeText<'t> {
    #[must_use]
    pub fn read(path: &'t str, text: &'t str) -> Self {
        Self { path, text, tokens: tokens(text), edits: Vec::new() }
    }

    /// Every Python source of the harness that is text and not written by aos, tests included.
    #[must_use]
    pub fn all(files: &'t ProjectFiles, managed: &std::collections::BTreeSet<String>) -> Vec<Self> {
        let sources = files.below(HARNESS, ".py").filter(|(path, _)| !managed.contains(*path));
        let sources = sources.filter_map(|(path, file)| {
            std::str::from_utf8(&file.bytes).ok().map(|text| Self::read(path, text))
        });
        sources.collect()
    }

    /// 1-based line of an offset.
    #[must_use]
    pub fn line(&self, at: usize) -> Option<u32> {
        let head = self.text.as_bytes().get(..at)?;
        u32::try_from(head.iter().filter(|byte| **byte == b'\n').count() + 1).ok()
    }

    /// Returns the end of the token.
    #[must_use]
    pub fn end(&self, index: usize) -> usize {
        self.tokens.get(index).map_or(self.text.len(), |token| token.at + token.text.len())
    }

    /// Replaces a range of the text; a range that overlaps with another one is refused.
    pub fn replace(&mut self, range: Range<usize>, text: impl Into<String>) -> bool {
        let is_free = self
            .edits
            .iter()
            .all(|(other, _)| other.end <= range.start || range.end <= other.start);
        if is_free {
            self.edits.push((range, text.into()));
        }
        is_free
    }

    /// True if exactly this range was replaced.
    #[must_use]
    pub fn is_replaced(&self, range: &Range<usize>) -> bool {
        self.edits.iter().any(|(other, _)| other == range)
    }

    /// The new text; `None` when nothing was edited.
    #[must_use]
    pub fn edited(mut self) -> Option<String> {
        if self.edits.is_empty() {
            return None;
        }
        self.edits.sort_by_key(|(range, _)| range.start);
        let mut result = String::with_capacity(self.text.len());
        let mut at = 0;
        for (range, text) in self.edits {
            result.push_str(self.text.get(at..range.start)?);
            result.push_str(&text);
            at = range.end;
        }
        result.push_str(self.text.get(at..)?);
        Some(result)
    }

    /// True if a comment is between the tokens of a range.
    #[must_use]
    pub fn has_comment(&self, tokens: Range<usize>) -> bool {
        let pairs = tokens.start..tokens.end.saturating_sub(1);
        pairs.into_iter().any(|index| {
            let next = self.tokens.get(index + 1).map_or(self.text.len(), |token| token.at);
            self.text.get(self.end(index)..next).is_some_and(|gap| gap.contains('#'))
        })
    }

    /// The token before, `None` at the beginning of a logical line.
    #[must_use]
    pub fn before(&self, index: usize) -> Option<&PythonToken<'t>> {
        let token = self.tokens.get(index.checked_sub(1)?)?;
        (token.kind != PythonKind::End).then_some(token)
    }

    /// The token after.
    #[must_use]
    pub fn after(&self, index: usize) -> Option<&PythonToken<'t>> {
        self.tokens.get(index + 1).filter(|token| token.kind != PythonKind::End)
    }

    /// True if a token is a plain literal with exactly this content.
    #[must_use]
    pub fn is_literal(&self, index: usize, content: &str) -> bool {
        self.tokens.get(index).is_some_and(|token| {
            token.kind == PythonKind::Text
                && !token.text.starts_with(['f', 'F', 'b', 'B', 't', 'T'])
                && token.literal() == content
        })
    }
}

/// The tokens of the literal at an offset: the literal itself, and the code in it.
#[must_use]
pub fn literal_around(code: &CodeText<'_>, at: usize) -> Option<usize> {
    code.tokens.iter().position(|token| {
        token.kind == PythonKind::Text && (token.at..token.at + token.text.len()).contains(&at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_keep_every_other_byte_and_never_overlap() {
        let mut code = CodeText::read("a.py", "x  =  f( 1 )  # note\r\n");
        assert!(code.replace(6..12, "2"));
        assert!(!code.replace(9..10, "3"));
        assert_eq!(code.edited().as_deref(), Some("x  =  2  # note\r\n"));
    }
}
