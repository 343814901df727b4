//! One file of three trees: content, line endings and execute bit.

use std::borrow::Cow;

use crate::plan::Content;

use super::lines::{self, Labels, Merge};

/// Largest text that is merged line by line, in bytes.
const MAX_MERGED: usize = 2 * 1024 * 1024;

/// The result for the user's copy of one file after the template changed it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum MergeOutcome {
    /// The user's file stays byte for byte.
    Stays,
    /// The user changed nothing, so the file becomes that of the template.
    Follows(Content),
    /// Changes of both sides are in it.
    Merged(Content),
    /// Both sides changed the same lines.
    Clash(Blend),
    /// Both sides changed a file that has no lines, or is too large for a line merge.
    Opaque,
}

/// A text with conflicts, in the line ending of the user's file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Blend {
    merge: Merge,
    crlf: bool,
    pub executable: bool,
}

impl Blend {
    /// Returns the number of places that a person must resolve.
    #[must_use]
    pub fn conflicts(&self) -> usize {
        self.merge.conflicts()
    }

    /// The file with markers.
    #[must_use]
    pub fn inline(&self, labels: Labels<'_>) -> Content {
        self.content(self.merge.inline(labels))
    }

    /// The file without the conflicting changes of the template, and those changes as a diff.
    #[must_use]
    pub fn rejected(&self) -> (Content, Vec<u8>) {
        let (kept, left_out) = self.merge.rejected();
        (self.content(kept), left_out)
    }

    fn content(&self, bytes: Vec<u8>) -> Content {
        content(bytes, self.crlf, self.executable)
    }
}

/// Merges one file; without `base` both sides added it.
#[must_use]
pub fn merge(base: Option<&Content>, ours: &Content, theirs: &Content) -> MergeOutcome {
    if base == Some(theirs) {
        return MergeOutcome::Stays;
    }
    let others = [base.map(|base| &*base.bytes), Some(&*theirs.bytes)];
    let crlf = is_crlf(&ours.bytes) && !others.into_iter().flatten().any(has_crlf);
    let own = if crlf { Cow::Owned(as_lf(&ours.bytes)) } else { Cow::Borrowed(&*ours.bytes) };
    let executable = match base {
        Some(base) if ours.executable == base.executable => theirs.executable,
        _ => ours.executable,
    };
    let finished = |bytes: &[u8]| content(bytes.to_vec(), crlf, executable);
    let ours_kept = |kind: fn(Content) -> MergeOutcome| match executable == ours.executable {
        true => MergeOutcome::Stays,
        false => kind(Content { executable, ..ours.clone() }),
    };
    if *own == *theirs.bytes {
        return ours_kept(MergeOutcome::Follows);
    }
    if let Some(base) = base {
        if *own == *base.bytes {
            return MergeOutcome::Follows(finished(&theirs.bytes));
        }
        if base.bytes == theirs.bytes {
            return ours_kept(MergeOutcome::Merged);
        }
    }
    let sides = [&*own, &*theirs.bytes, base.map_or(&[][..], |base| &*base.bytes)];
    if sides.iter().any(|side| side.len() > MAX_MERGED || side.contains(&0)) {
        return MergeOutcome::Opaque;
    }
    let merge = match base {
        Some(base) => lines::merge(&base.bytes, &own, &theirs.bytes),
        None => lines::without_base(&own, &theirs.bytes),
    };
    if merge.conflicts() > 0 {
        return MergeOutcome::Clash(Blend { merge, crlf, executable });
    }
    let (bytes, _) = merge.rejected();
    MergeOutcome::Merged(content(bytes, crlf, executable))
}

/// True if `ours` is the file `theirs`, line endings of a whole file left aside.
#[must_use]
pub fn is_same(ours: &Content, theirs: &Content) -> bool {
    if ours.executable != theirs.executable {
        return false;
    }
    ours.bytes == theirs.bytes
        || is_crlf(&ours.bytes) && !has_crlf(&theirs.bytes) && *as_lf(&ours.bytes) == *theirs.bytes
}

/// A text that ends every line with CRLF, with LF instead; `None` for any other.
#[must_use]
pub fn without_crlf(text: &[u8]) -> Option<Vec<u8>> {
    is_crlf(text).then(|| as_lf(text)).filter(|text| !has_crlf(text))
}

/// The bytes of `theirs` in the line ending that the user's file has throughout.
#[must_use]
pub fn in_ending_of(ours: Option<&Content>, theirs: &Content) -> Content {
    let crlf = ours.is_some_and(|ours| is_crlf(&ours.bytes)) && !has_crlf(&theirs.bytes);
    let is_text = !theirs.bytes.contains(&0);
    content(theirs.bytes.to_vec(), crlf && is_text, theirs.executable)
}

fn content(bytes: Vec<u8>, crlf: bool, executable: bool) -> Content {
    let bytes = if crlf { as_crlf(&bytes) } else { bytes };
    Content { bytes: bytes.into(), executable }
}

/// True if every line ends with CRLF, and there is one.
fn is_crlf(text: &[u8]) -> bool {
    // The first end decides for nearly every file.
    let Some(first) = text.iter().position(|byte| *byte == b'\n') else { return false };
    let is_pair = |end: usize| end > 0 && text[end - 1] == b'\r';
    is_pair(first) && (first + 1..text.len()).filter(|end| text[*end] == b'\n').all(is_pair)
}

fn has_crlf(text: &[u8]) -> bool {
    text.contains(&b'\r') && text.windows(2).any(|pair| pair == b"\r\n")
}

fn as_lf(text: &[u8]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(text.len());
    let mut rest = text.iter().peekable();
    while let Some(byte) = rest.next() {
        if *byte == b'\r' && rest.peek() == Some(&&b'\n') {
            continue;
        }
        lines.push(*byte);
    }
    lines
}

fn as_crlf(text: &[u8]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(text.len() + text.len() / 16);
    for byte in text {
        if *byte == b'\n' {
            lines.push(b'\r');
        }
        lines.push(*byte);
    }
    lines
}
