//! Plans as JSON and as text.

use serde_json::{Value, json};

use crate::plan::{Action, Content, Edit, Plan, diff};

use super::style::Style;

/// Most diffs that one preview carries.
const MAX_DIFFS: usize = 200;

/// The changes of a plan, one object per file.
#[must_use]
pub fn json(plan: &Plan, with_diffs: bool) -> Value {
    let side =
        |content: &Option<Content>| content.as_ref().map(|content| content.digest().to_string());
    plan.edits()
        .iter()
        .enumerate()
        .map(|(index, edit)| {
            let mut change = json!({
                "action": edit.action.name(),
                "resource": "file",
                "id": edit.path.as_str(),
                "before": side(&edit.before),
                "after": side(&edit.after),
            });
            if with_diffs && index < MAX_DIFFS {
                change["diff"] = diff::unified(edit).into();
            }
            change
        })
        .collect()
}

/// All diffs of a plan, one after the other.
#[must_use]
pub fn patch(plan: &Plan) -> String {
    plan.edits().iter().take(MAX_DIFFS).map(diff::unified).collect()
}

/// The changes of a plan as a list.
#[must_use]
pub fn text(plan: &Plan, style: Style) -> String {
    plan.edits().iter().map(|edit| line(edit, style)).collect::<Vec<_>>().join("\n")
}

fn line(edit: &Edit, style: Style) -> String {
    let mark = match edit.action {
        Action::Create => style.good("+"),
        Action::Replace => style.warning("~"),
        Action::SetMode => style.warning("x"),
        Action::Delete => style.bad("-"),
    };
    format!("  {mark} {}", edit.path)
}

/// How many files a plan creates, replaces and deletes, in words.
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
