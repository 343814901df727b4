//! Renames: which file of one tree is which file of another.

use std::collections::{BTreeMap, HashMap};

use crate::plan::{Content, RelativePath};

/// Share of its lines that two versions of one file have in common, in percent.
const MIN_SIMILARITY: usize = 50;
/// Largest number of pairs that are compared line by line.
const MAX_PAIRS: usize = 40_000;
/// Smallest file that is found again by a part of its content, in bytes: short ones are alike by chance, so they must be
/// equal.
const MIN_SIZE: usize = 40;

/// Pairs each file of `lost` with the file of `found` that it became, the most similar first.
#[must_use]
pub fn detect<'a>(
    lost: &BTreeMap<&'a RelativePath, &Content>,
    found: &BTreeMap<&'a RelativePath, &Content>,
) -> BTreeMap<RelativePath, RelativePath> {
    if lost.len() * found.len() > MAX_PAIRS {
        return BTreeMap::new();
    }
    let found: Vec<_> = found.iter().map(|(path, content)| (*path, *content)).collect();
    let counted: Vec<_> = found.iter().map(|(_, content)| Lines::of(content)).collect();
    let mut pairs = Vec::new();
    for (old, content) in lost {
        let lines = Lines::of(content);
        let wanted = match lines.size {
            0 => continue,
            size if size < MIN_SIZE => 100,
            _ => MIN_SIMILARITY,
        };
        for ((new, _), other) in found.iter().zip(&counted) {
            let similarity = lines.similarity(other);
            if similarity >= wanted {
                let same_name = name(old) == name(new);
                pairs.push((similarity, same_name, *old, *new));
            }
        }
    }
    // Of equally similar files the one with the same name; then the order of the paths decides, so that a run gives
    // what the last one gave.
    pairs.sort_by(|left, right| {
        (right.0, right.1)
            .cmp(&(left.0, left.1))
            .then_with(|| (left.2, left.3).cmp(&(right.2, right.3)))
    });
    let mut moves: BTreeMap<RelativePath, RelativePath> = BTreeMap::new();
    for (_, _, old, new) in pairs {
        if !moves.contains_key(old) && !moves.values().any(|taken| taken == new) {
            moves.insert(old.clone(), new.clone());
        }
    }
    moves
}

fn name(path: &RelativePath) -> &str {
    path.as_str().rsplit_once('/').map_or(path.as_str(), |(_, name)| name)
}

/// The lines of a file, line endings aside, each with its number of occurrences.
struct Lines<'a> {
    counts: HashMap<&'a [u8], usize>,
    /// Bytes of all lines.
    size: usize,
}

impl<'a> Lines<'a> {
    fn of(content: &'a Content) -> Self {
        let mut counts = HashMap::new();
        let mut size = 0;
        for line in content.bytes.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            size += line.len();
            *counts.entry(line).or_default() += 1;
        }
        Self { counts, size }
    }

    /// Bytes of common lines, in percent of the larger file.
    fn similarity(&self, other: &Self) -> usize {
        let common: usize = self
            .counts
            .iter()
            .map(|(line, count)| line.len() * count.min(other.counts.get(line).unwrap_or(&0)))
            .sum();
        common * 100 / self.size.max(other.size).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RelativePath {
        RelativePath::parse(text).unwrap()
    }

    fn text(lines: std::ops::Range<usize>) -> Content {
        let lines = lines.map(|line| format!("this is line {line} of a file\n"));
        Content::plain(lines.collect::<String>())
    }

    #[test]
    fn a_file_is_found_again_by_what_is_in_it_and_the_best_match_wins() {
        let (old, near, far) = (text(0..20), text(2..22), text(0..8));
        let (a, b, c) = (path("old.md"), path("docs/near.md"), path("docs/far.md"));
        let lost = BTreeMap::from([(&a, &old)]);
        let found = BTreeMap::from([(&b, &near), (&c, &far)]);
        assert_eq!(detect(&lost, &found), BTreeMap::from([(a.clone(), b.clone())]));
        let found = BTreeMap::from([(&c, &far)]);
        assert!(detect(&lost, &found).is_empty());
    }

    #[test]
    fn of_equal_files_the_one_with_the_same_name_is_it() {
        let old = text(0..20);
        let (a, b, c) = (path("src/x.py"), path("a/y.py"), path("b/x.py"));
        let lost = BTreeMap::from([(&a, &old)]);
        let found = BTreeMap::from([(&b, &old), (&c, &old)]);
        assert_eq!(detect(&lost, &found), BTreeMap::from([(a.clone(), c.clone())]));
    }

    #[test]
    fn a_short_file_is_found_again_when_it_is_equal() {
        let (a, b, c) = (path("a/x.txt"), path("b/x.txt"), path("c/y.txt"));
        let (old, other) = (Content::plain("one\ntwo\n"), Content::plain("one\ntwo2\n"));
        let lost = BTreeMap::from([(&a, &old)]);
        let found = BTreeMap::from([(&b, &old), (&c, &old)]);
        assert_eq!(detect(&lost, &found), BTreeMap::from([(a.clone(), b.clone())]));
        assert!(detect(&lost, &BTreeMap::from([(&b, &other)])).is_empty());
    }

    #[test]
    fn short_and_empty_files_are_not_found_by_chance() {
        let (a, b) = (path("a/__init__.py"), path("b/__init__.py"));
        let empty = Content::plain("");
        let lost = BTreeMap::from([(&a, &empty)]);
        assert!(detect(&lost, &BTreeMap::from([(&b, &empty)])).is_empty());
    }
}
