//! Imports as the lines of a source have them, by the place of their names in the code.

use std::ops::Range;

use super::super::pattern::regex;

/// One imported name; the places are those of its words in the code.
#[derive(Debug)]
pub struct ListedImport {
    pub at: usize,
    /// The module that a `from` names; empty without a `from`.
    pub origin: Range<usize>,
    pub name: Range<usize>,
    pub alias: Range<usize>,
}

impl ListedImport {
    /// Every import in `code`, first those with `from`.
    #[must_use]
    pub fn all(code: &str) -> Vec<Self> {
        let mut found = Vec::new();
        let (Ok(from), Ok(plain)) = (
            regex(r"(?m)^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]*(?:\(([^)]*)\)|([^\n;]*))"),
            regex(r"(?m)^[ \t]*import[ \t]+([^\n;]+)"),
        ) else {
            return found;
        };
        for captures in from.captures_iter(code) {
            let list = captures.get(2).or_else(|| captures.get(3));
            if let (Some(origin), Some(list)) = (captures.get(1), list) {
                items(code, &origin.range(), &list.range(), &mut found);
            }
        }
        for captures in plain.captures_iter(code) {
            if let Some(list) = captures.get(1) {
                items(code, &(0..0), &list.range(), &mut found);
            }
        }
        found
    }
}

/// The names in a list, each with the name that it gets.
fn items(code: &str, origin: &Range<usize>, list: &Range<usize>, found: &mut Vec<ListedImport>) {
    let text = code.get(list.clone()).unwrap_or_default();
    let mut start = list.start;
    for item in text.split(',') {
        let mut words = words(item, start);
        if let Some(name) = words.next() {
            let alias = words.nth(1).unwrap_or_else(|| name.clone());
            let origin = origin.clone();
            found.push(ListedImport { at: list.start, origin, name, alias });
        }
        start += item.len() + 1;
    }
}

/// The places of the words of `item`, which begins at `start`.
fn words(item: &str, start: usize) -> impl Iterator<Item = Range<usize>> {
    let base = item.as_ptr().addr();
    item.split_whitespace().map(move |word| {
        let at = start + (word.as_ptr().addr() - base);
        at..at + word.len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_a_list_is_found_with_the_name_that_it_gets() {
        let code =
            "from a.b import (\n    c,\n    d as e,\n)\nimport f.g as h, i\nfrom . import j\n";
        let found = ListedImport::all(code);
        let text = |place: &Range<usize>| code.get(place.clone()).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|import| (text(&import.origin), text(&import.name), text(&import.alias)))
            .collect();
        assert_eq!(
            found,
            [
                ("a.b", "c", "c"),
                ("a.b", "d", "e"),
                (".", "j", "j"),
                ("", "f.g", "h"),
                ("", "i", "i")
            ]
        );
    }
}
