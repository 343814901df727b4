//! Unified diffs of edits, bounded so that a report stays readable.

use similar::TextDiff;

use super::edit::Edit;
use super::file_set::Content;

/// Files above this size are summarized, not diffed.
const MAX_DIFFED_BYTES: usize = 512 * 1024;
/// Longest diff that is shown, in bytes.
const MAX_DIFF_BYTES: usize = 64 * 1024;

/// The unified diff of one edit: from the file on disk to the bytes that will be written.
#[must_use]
pub fn unified(edit: &Edit) -> String {
    let (before, after) = (side(edit.before.as_ref()), side(edit.after.as_ref()));
    let old_name = name("a", edit.path.as_str(), edit.before.as_ref());
    let new_name = name("b", edit.path.as_str(), edit.after.as_ref());
    let mut text = mode_lines(edit);
    match (before, after) {
        (Some(before), Some(after)) => {
            if let Some(note) = line_ending_note(before, after) {
                text.push_str(&format!("--- {old_name}\n+++ {new_name}\n{note}\n"));
            } else {
                let diff = TextDiff::from_lines(before, after);
                text.push_str(&diff.unified_diff().header(&old_name, &new_name).to_string());
            }
        }
        _ => text.push_str(&format!("Binary or large files {old_name} and {new_name} differ\n")),
    }
    cut(text)
}

fn side(content: Option<&Content>) -> Option<&str> {
    let bytes = content.map_or(&b""[..], |content| &content.bytes);
    if bytes.len() > MAX_DIFFED_BYTES || bytes.contains(&0) {
        return None;
    }
    std::str::from_utf8(bytes).ok()
}

fn name(prefix: &str, path: &str, content: Option<&Content>) -> String {
    match content {
        Some(_) => format!("{prefix}/{path}"),
        None => "/dev/null".to_owned(),
    }
}

fn mode_lines(edit: &Edit) -> String {
    match (&edit.before, &edit.after) {
        (Some(before), Some(after)) if before.executable != after.executable => {
            let mode = |executable| if executable { "100755" } else { "100644" };
            format!("old mode {}\nnew mode {}\n", mode(before.executable), mode(after.executable))
        }
        _ => String::new(),
    }
}

/// Says that only line endings differ, which a line diff would show as the whole file.
#[must_use]
pub fn line_ending_note(before: &str, after: &str) -> Option<&'static str> {
    (before != after
        && before.contains('\r')
        && before.replace("\r\n", "\n").replace('\r', "\n") == after)
        .then_some("only the line endings differ (CR where LF is expected)")
}

fn cut(mut text: String) -> String {
    if text.len() > MAX_DIFF_BYTES {
        let end = (0..=MAX_DIFF_BYTES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.push_str("\n… diff truncated\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Action, RelativePath};

    fn edit(before: Option<&str>, after: Option<&str>) -> Edit {
        Edit {
            path: RelativePath::parse("f").unwrap(),
            action: Action::Replace,
            before: before.map(Content::plain),
            after: after.map(Content::plain),
        }
    }

    #[test]
    fn a_replaced_line_is_shown_both_ways() {
        let text = unified(&edit(Some("one\ntwo\n"), Some("one\n2\n")));
        assert_eq!(text, "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
    }

    #[test]
    fn converted_line_endings_are_named_and_not_shown_line_by_line() {
        let text = unified(&edit(Some("one\r\ntwo\r\n"), Some("one\ntwo\n")));
        assert!(text.contains("only the line endings differ"), "{text}");
    }

    #[test]
    fn a_missing_side_is_dev_null() {
        assert!(unified(&edit(None, Some("x\n"))).starts_with("--- /dev/null\n+++ b/f\n"));
    }
}
