//! Plans as answers and as text.

use crate::plan::{Action, Content, Edit, Plan, diff};

use crate::visible::{Visible, visible};

use super::answers::changes::{ChangeCounts, FileChange};
use super::style::Style;

/// Most diffs that one preview carries: far above any template, so that "everything" is true.
const MAX_DIFFS: usize = 5000;

/// The changes of a plan, one object per file.
#[must_use]
pub fn listed(plan: &Plan, with_diffs: bool) -> Vec<FileChange> {
    let side =
        |content: &Option<Content>| content.as_ref().map(|content| content.digest().to_string());
    plan.edits()
        .iter()
        .enumerate()
        .map(|(index, edit)| FileChange {
            action: edit.action.name(),
            resource: "file",
            id: edit.path.to_string(),
            before: side(&edit.before),
            after: side(&edit.after),
            diff: (with_diffs && index < MAX_DIFFS).then(|| diff::unified(edit)),
        })
        .collect()
}

/// All diffs of a plan, one after the other.
#[must_use]
pub fn patch(plan: &Plan) -> Visible {
    Visible::block(&plan.edits().iter().take(MAX_DIFFS).map(diff::unified).collect::<String>())
}

/// All diffs of a plan for a person.
#[must_use]
pub fn diffs(plan: &Plan, style: Style) -> Visible {
    let text: String = plan.edits().iter().take(MAX_DIFFS).map(diff::unified).collect();
    Visible::joined(style.diff(&text), "\n")
}

/// The changes of a plan as a list.
#[must_use]
pub fn text(plan: &Plan, style: Style) -> Visible {
    Visible::joined(plan.edits().iter().map(|edit| line(edit, style)), "\n")
}

fn line(edit: &Edit, style: Style) -> Visible {
    let mark = match edit.action {
        Action::Create => style.good("+"),
        Action::Replace => style.warning("~"),
        Action::SetMode => style.warning("x"),
        Action::Delete => style.bad("-"),
    };
    visible!("  {} {}", mark, edit.path)
}

/// Counts the files that a plan creates, replaces and deletes.
#[must_use]
pub fn counts(plan: &Plan) -> ChangeCounts {
    let count = |wanted: &[Action]| {
        plan.edits().iter().filter(|edit| wanted.contains(&edit.action)).count()
    };
    ChangeCounts {
        created: count(&[Action::Create]),
        replaced: count(&[Action::Replace]),
        mode_set: count(&[Action::SetMode]),
        deleted: count(&[Action::Delete]),
    }
}

/// Counts the files that a plan creates, replaces and deletes, in words.
#[must_use]
pub fn summary(plan: &Plan) -> String {
    let count = |wanted: &[Action]| {
        plan.edits().iter().filter(|edit| wanted.contains(&edit.action)).count()
    };
    let parts = [
        (count(&[Action::Create]), "created"),
        (count(&[Action::Replace, Action::SetMode]), "replaced"),
        (count(&[Action::Delete]), "deleted"),
    ];
    let parts: Vec<_> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    if parts.is_empty() { "nothing to change".to_owned() } else { parts.join(", ") }
}

/// Longest diff of one file in a text, in lines, and longest line of it; `--format raw` shows all.
const MAX_DIFF_LINES: usize = 40;
const MAX_DIFF_COLUMNS: usize = 200;

/// A diff as far as a person reads it.
#[must_use]
pub fn shortened(diff: &str) -> String {
    let count = diff.lines().count();
    let mut text: String = diff.lines().take(MAX_DIFF_LINES).map(cut).collect();
    if count > MAX_DIFF_LINES {
        text.push_str(&format!("… {} more lines\n", count - MAX_DIFF_LINES));
    }
    text
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(MAX_DIFF_COLUMNS) {
        Some((end, _)) => format!("{}…\n", &line[..end]),
        None => format!("{line}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_diff_keeps_its_head_and_says_how_much_is_left_out() {
        let diff: String = (0..100).map(|line| format!("+{line}\n")).collect();
        let text = shortened(&diff);
        assert_eq!(text.lines().count(), MAX_DIFF_LINES + 1);
        assert!(text.ends_with("… 60 more lines\n"), "{text}");
        assert_eq!(shortened("+short\n"), "+short\n");
        assert!(shortened(&"é".repeat(500)).chars().count() < 210);
    }
}
