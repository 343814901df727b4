//! Line-based three-way merge (diff3): the changes of two sides against their base, and where they meet.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// First words of the line that opens a conflict.
pub const OURS_MARK: &str = "<<<<<<< yours";
/// First words of the line above the base.
pub const BASE_MARK: &str = "||||||| template ";
/// The line between base and template.
const MIDDLE_MARK: &str = "=======";
/// First words of the line that closes a conflict.
pub const THEIRS_MARK: &str = ">>>>>>> template ";

/// The labels of the two versions of a template beside conflict markers.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'a> {
    pub base: &'a str,
    pub theirs: &'a str,
}

/// A part of a merged text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Chunk {
    Clean(Vec<u8>),
    /// Both sides changed these lines, each in its own way.
    Conflict {
        base: Vec<u8>,
        ours: Vec<u8>,
        theirs: Vec<u8>,
    },
}

/// A merged text.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Merge {
    pub chunks: Vec<Chunk>,
}

/// Merges the changes from `base` to `ours` and from `base` to `theirs`.
#[must_use]
pub fn merge(base: &[u8], ours: &[u8], theirs: &[u8]) -> Merge {
    let (base, ours, theirs) = (split(base), split(ours), split(theirs));
    let mut left = MergeSide::new(&base, &ours);
    let mut right = MergeSide::new(&base, &theirs);
    let mut merge = Merge::default();
    let mut at = 0;
    loop {
        let start = [left.next(), right.next()].into_iter().flatten().map(|hunk| hunk.start).min();
        let Some(start) = start else { break };
        merge.clean(&base[at..start]);
        let mut end = start;
        let (mut left_group, mut right_group) = (left.open(start), right.open(start));
        // Adjacent changes are one change, because their order would be unknown.
        while left.take(&mut left_group, &mut end) || right.take(&mut right_group, &mut end) {}
        let (mine, yours) = (left.lines(&left_group, end), right.lines(&right_group, end));
        match (left_group.changed, right_group.changed) {
            (true, false) => merge.clean(mine),
            (false, _) => merge.clean(yours),
            (true, true) if mine == yours => merge.clean(mine),
            (true, true) => merge.chunks.push(Chunk::Conflict {
                base: base[start..end].concat(),
                ours: mine.concat(),
                theirs: yours.concat(),
            }),
        }
        at = end;
    }
    merge.clean(&base[at..]);
    merge
}

/// Merges two texts without a base: it is unknown which side is right, so every difference is a conflict.
#[must_use]
pub fn without_base(ours: &[u8], theirs: &[u8]) -> Merge {
    let (ours, theirs) = (split(ours), split(theirs));
    let mut merge = Merge::default();
    let mut open: Option<(Vec<u8>, Vec<u8>)> = None;
    for op in capture_diff_slices(Algorithm::Histogram, &ours, &theirs) {
        let (mine, yours) = (&ours[op.old_range()], &theirs[op.new_range()]);
        if matches!(op, DiffOp::Equal { .. }) {
            merge.chunks.extend(open.take().map(apart));
            merge.clean(mine);
        } else {
            let (left, right) = open.get_or_insert_default();
            left.extend(mine.concat());
            right.extend(yours.concat());
        }
    }
    merge.chunks.extend(open.take().map(apart));
    merge
}

fn apart((ours, theirs): (Vec<u8>, Vec<u8>)) -> Chunk {
    Chunk::Conflict { base: Vec::new(), ours, theirs }
}

/// Lines with their ends.
fn split(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// One change of one side: lines of the base, and the number of lines that replace them.
#[derive(Clone, Copy, Debug)]
struct Hunk {
    start: usize,
    end: usize,
    length: usize,
}

/// The changes of one side, in order.
struct MergeSide<'a> {
    lines: &'a [&'a [u8]],
    hunks: Vec<Hunk>,
    taken: usize,
    /// Where the base line after the last taken change is on this side.
    shift: isize,
}

/// The changes of one side that belong to one place.
struct LineGroup {
    first: usize,
    changed: bool,
}

impl<'a> MergeSide<'a> {
    fn new(base: &[&[u8]], lines: &'a [&'a [u8]]) -> Self {
        let mut hunks: Vec<Hunk> = Vec::new();
        for op in capture_diff_slices(Algorithm::Histogram, base, lines) {
            if matches!(op, DiffOp::Equal { .. }) {
                continue;
            }
            let (old, new) = (op.old_range(), op.new_range());
            match hunks.last_mut().filter(|last| last.end == old.start) {
                Some(last) => {
                    last.end = old.end;
                    last.length += new.len();
                }
                None => hunks.push(Hunk { start: old.start, end: old.end, length: new.len() }),
            }
        }
        Self { lines, hunks, taken: 0, shift: 0 }
    }

    fn next(&self) -> Option<Hunk> {
        self.hunks.get(self.taken).copied()
    }

    fn open(&self, start: usize) -> LineGroup {
        LineGroup { first: self.mapped(start), changed: false }
    }

    /// Takes the next change when it touches the place that ends at `end`.
    fn take(&mut self, group: &mut LineGroup, end: &mut usize) -> bool {
        let Some(hunk) = self.next().filter(|hunk| hunk.start <= *end) else { return false };
        self.taken += 1;
        self.shift += signed(hunk.length) - signed(hunk.end - hunk.start);
        group.changed = true;
        *end = (*end).max(hunk.end);
        true
    }

    fn lines(&self, group: &LineGroup, end: usize) -> &'a [&'a [u8]] {
        &self.lines[group.first..self.mapped(end)]
    }

    fn mapped(&self, base: usize) -> usize {
        usize::try_from(signed(base) + self.shift).unwrap_or_default()
    }
}

fn signed(number: usize) -> isize {
    isize::try_from(number).unwrap_or(isize::MAX)
}

impl Merge {
    fn clean(&mut self, lines: &[&[u8]]) {
        if lines.is_empty() {
            return;
        }
        match self.chunks.last_mut() {
            Some(Chunk::Clean(text)) => text.extend(lines.concat()),
            _ => self.chunks.push(Chunk::Clean(lines.concat())),
        }
    }

    /// Returns the number of places that a person must resolve.
    #[must_use]
    pub fn conflicts(&self) -> usize {
        self.chunks.iter().filter(|chunk| matches!(chunk, Chunk::Conflict { .. })).count()
    }

    /// The whole text, each conflict between markers with its base.
    #[must_use]
    pub fn inline(&self, labels: Labels<'_>) -> Vec<u8> {
        let mut text = Vec::new();
        for chunk in &self.chunks {
            match chunk {
                Chunk::Clean(lines) => text.extend(lines),
                Chunk::Conflict { base, ours, theirs } => {
                    mark(&mut text, OURS_MARK);
                    text.extend(ours);
                    mark(&mut text, &format!("{BASE_MARK}{}", labels.base));
                    text.extend(base);
                    mark(&mut text, MIDDLE_MARK);
                    text.extend(theirs);
                    mark(&mut text, &format!("{THEIRS_MARK}{}", labels.theirs));
                }
            }
        }
        text
    }

    /// The whole text with the user's lines in each conflict, and what the template wanted there as a diff.
    #[must_use]
    pub fn rejected(&self) -> (Vec<u8>, Vec<u8>) {
        let (mut text, mut left_out) = (Vec::new(), Vec::new());
        for chunk in &self.chunks {
            match chunk {
                Chunk::Clean(lines) => text.extend(lines),
                Chunk::Conflict { base, ours, theirs } => {
                    let line = text.iter().filter(|byte| **byte == b'\n').count() + 1;
                    mark(&mut left_out, &format!("@@ line {line} @@"));
                    prefixed(&mut left_out, '-', base);
                    prefixed(&mut left_out, '+', theirs);
                    text.extend(ours);
                }
            }
        }
        (text, left_out)
    }
}

/// Text that begins on a new line, regardless of the text before it.
fn mark(text: &mut Vec<u8>, line: &str) {
    if text.last().is_some_and(|last| *last != b'\n') {
        text.push(b'\n');
    }
    text.extend(line.as_bytes());
    text.push(b'\n');
}

fn prefixed(text: &mut Vec<u8>, prefix: char, lines: &[u8]) {
    for line in split(lines) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        mark(text, &format!("{prefix}{}", String::from_utf8_lossy(line)));
    }
}

/// The first line of `text` that is a marker of a conflict, counted from 1.
#[must_use]
pub fn first_marker(text: &[u8]) -> Option<usize> {
    let marks = [OURS_MARK, BASE_MARK, THEIRS_MARK];
    let is_marker = |line: &&[u8]| marks.iter().any(|mark| line.starts_with(mark.as_bytes()));
    split(text).iter().position(is_marker).map(|index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(base: &str, ours: &str, theirs: &str) -> Merge {
        merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes())
    }

    fn text(merge: &Merge) -> String {
        String::from_utf8(merge.inline(Labels { base: "1.0.0", theirs: "1.1.0" })).unwrap()
    }

    #[test]
    fn changes_of_both_sides_in_different_places_are_both_kept() {
        let merge = merged("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nd\ne\n");
        assert_eq!((merge.conflicts(), text(&merge).as_str()), (0, "A\nb\nc\nd\ne\n"));
        let merge = merged("a\nb\nc\nd\n", "b\nc\nd\n", "a\nb\nx\nc\nd\n");
        assert_eq!((merge.conflicts(), text(&merge).as_str()), (0, "b\nx\nc\nd\n"));
    }

    #[test]
    fn the_same_change_on_both_sides_is_not_a_conflict() {
        let merge = merged("a\nb\n", "a\nx\nb\n", "a\nx\nb\n");
        assert_eq!((merge.conflicts(), text(&merge).as_str()), (0, "a\nx\nb\n"));
    }

    #[test]
    fn a_conflict_shows_both_sides_and_the_base() {
        let merge = merged("a\nb\nc\n", "a\nours\nc\n", "a\ntheirs\nc\n");
        let expected = "a\n<<<<<<< yours\nours\n||||||| template 1.0.0\nb\n=======\ntheirs\n\
                        >>>>>>> template 1.1.0\nc\n";
        assert_eq!((merge.conflicts(), text(&merge).as_str()), (1, expected));
        assert_eq!(first_marker(expected.as_bytes()), Some(2));
        let (kept, rejected) = merge.rejected();
        assert_eq!(kept, b"a\nours\nc\n");
        assert_eq!(rejected, b"@@ line 2 @@\n-b\n+theirs\n");
        assert_eq!(first_marker(&kept), None);
    }

    #[test]
    fn markers_are_lines_of_their_own_when_a_side_ends_without_a_newline() {
        let merge = merged("a\nb", "a\nours", "a\ntheirs");
        let expected = "a\n<<<<<<< yours\nours\n||||||| template 1.0.0\nb\n=======\ntheirs\n\
                        >>>>>>> template 1.1.0\n";
        assert_eq!(text(&merge), expected);
        let merge = merged("a\nb", "x\na\nb", "a\nb\n");
        assert!(merge.conflicts() == 0, "{merge:?}");
        assert_eq!(text(&merge), "x\na\nb\n");
    }

    #[test]
    fn changes_that_touch_are_one_conflict() {
        assert_eq!(merged("a\nb\nc\n", "A\nb\nc\n", "a\nB\nc\n").conflicts(), 1);
        assert_eq!(merged("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n").conflicts(), 0);
    }
}
