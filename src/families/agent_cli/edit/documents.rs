//! README, Skill and other documents of a CLI: a new command is named in them, a renamed one is called by its new name.

use crate::workflows::add::name::CommandName;
use crate::workflows::add::seam::{Blueprint, CommandMode, Desk, InputShape};

const README: &str = "README.md";

/// Names a new command in README and Skill.
pub fn add(desk: &mut Desk<'_>, blueprint: &Blueprint) {
    let (path, summary) = (blueprint.name.path(), &blueprint.summary);
    let needs = if blueprint.mode == CommandMode::Admin { "; needs `--dangerous`" } else { "" };
    let row = format!("| `{path}` | {}{needs} |", lower(summary));
    let readme = desk.text(README).and_then(|text| with_row(text, "## Capabilities", &row));
    match readme {
        Some(text) => desk.set(README, text),
        None => missing(desk, README, "a table below `## Capabilities`"),
    }
    for skill in desk.below("skills", "/SKILL.md") {
        let reads = matches!(blueprint.shape, InputShape::List | InputShape::Get);
        let line = match reads {
            true => format!("- **{summary}**: `{path}`."),
            false => format!("- **{summary}**: `{path} … --dry-run`, compare, confirm."),
        };
        let text = desk.text(&skill).and_then(|text| with_item(text, "## Playbooks", &line));
        match text {
            Some(text) => desk.set(&skill, text),
            None => missing(desk, &skill, "a list below `## Playbooks`"),
        }
    }
}

fn missing(desk: &mut Desk<'_>, path: &str, what: &str) {
    desk.edited.by_hand.push(format!("`{path}`: it does not have {what}; add the command there"));
}

/// Calls a command by its new name.
pub fn rename(desk: &mut Desk<'_>, old: &CommandName, new: &CommandName) {
    for path in documents(desk) {
        let Some(text) = desk.text(&path) else { continue };
        let changed = replaced(text, &old.path(), &new.path());
        if changed != text {
            desk.set(&path, changed);
        }
    }
}

/// Takes rows and items out that are about a command alone; other places are for a person.
pub fn remove(desk: &mut Desk<'_>, name: &CommandName) {
    let called = format!("`{}", name.path());
    for path in documents(desk) {
        let Some(text) = desk.text(&path) else { continue };
        let is_about = |line: &str| {
            let line = line.trim_start();
            let starts = line.starts_with(&format!("| {called}`"));
            starts || line.starts_with("- **") && line.contains(&format!(": {called}"))
        };
        let kept: String = text.split_inclusive('\n').filter(|line| !is_about(line)).collect();
        let lost = text.lines().count() - kept.lines().count();
        let rest = replaced(&kept, &name.path(), "\0").matches('\0').count();
        if lost > 0 {
            let lines = if lost == 1 { "line" } else { "lines" };
            desk.edited.lost.push(format!("{lost} {lines} of `{path}`"));
            desk.set(&path, kept);
        }
        if rest > 0 {
            let places = if rest == 1 { "place" } else { "places" };
            desk.edited.by_hand.push(format!("`{path}`: it names `{name}` in {rest} {places}"));
        }
    }
}

fn documents(desk: &Desk<'_>) -> Vec<String> {
    let top = ["README.md", "AGENTS.md"].iter().map(|path| (*path).to_owned());
    let mut paths: Vec<_> = top.filter(|path| desk.text(path).is_some()).collect();
    paths.extend(desk.below("docs", ".md"));
    paths.extend(desk.below("skills", ".md"));
    paths.extend(desk.below("skills", ".json"));
    paths
}

/// Replaces `item get` where it is a call: behind a space or a backtick, with no letter behind it.
fn replaced(text: &str, old: &str, new: &str) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(old) {
        let (before, after) = (&rest[..at], &rest[at + old.len()..]);
        let starts = before.ends_with(['`', ' ', '"']) || before.is_empty();
        let ends =
            !after.starts_with(|symbol: char| symbol.is_alphanumeric() || "-_".contains(symbol));
        // Two words of a sentence are not a call.
        let is_call =
            before.ends_with(['`', '"']) || after.starts_with([' ', '`']) && names_tool(before);
        changed.push_str(before);
        changed.push_str(if starts && ends && is_call { new } else { old });
        rest = after;
    }
    changed + rest
}

/// True if the word before is that of a program: at the start of a line of code, or after a backtick.
fn names_tool(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let code = line.starts_with("    ") || line.matches('`').count() % 2 == 1;
    code && line.ends_with(' ')
}

/// The text with a row at the end of the first table below a heading.
pub fn with_row(text: &str, heading: &str, row: &str) -> Option<String> {
    with_line(text, heading, row, |line| line.starts_with('|'))
}

/// The text with an item at the end of the first list below a heading.
fn with_item(text: &str, heading: &str, item: &str) -> Option<String> {
    with_line(text, heading, item, |line| line.starts_with("- ") || line.starts_with("  "))
}

fn with_line(
    text: &str,
    heading: &str,
    added: &str,
    belongs: impl Fn(&str) -> bool,
) -> Option<String> {
    let (mut at, mut below, mut place) = (0, false, None);
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let content = line.trim_end();
        if content == heading {
            below = true;
        } else if below && content.starts_with("## ") {
            break;
        } else if below && belongs(content) {
            place = Some(end);
        } else if place.is_some() {
            break;
        }
        at = end;
    }
    let place = place?;
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let (head, tail) = text.split_at(place);
    let gap = if head.ends_with('\n') { "" } else { newline };
    Some(format!("{head}{gap}{added}{newline}{tail}"))
}

fn lower(text: &str) -> String {
    let mut symbols = text.chars();
    symbols.next().map_or_else(String::new, |first| {
        first.to_lowercase().collect::<String>() + symbols.as_str()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_and_an_item_go_below_their_heading() {
        let text = "# A\n\n| x |\n\n## Capabilities\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\ntext\n\n| no |\n";
        let with = with_row(text, "## Capabilities", "| 3 | 4 |").unwrap();
        assert!(with.contains("| 1 | 2 |\n| 3 | 4 |\n\ntext"), "{with}");
        assert_eq!(with_row("# A\n", "## Capabilities", "| 3 |"), None);
        assert_eq!(
            with_item("## P\n\n- a\n  b\n- c", "## P", "- d").unwrap(),
            "## P\n\n- a\n  b\n- c\n- d\n"
        );
    }

    #[test]
    fn only_calls_get_the_new_name() {
        let text = "Every item get better. `item get --id 1`, \"item get\", `item getter`\n    acme item get\n";
        let found = replaced(text, "item get", "item show");
        assert_eq!(
            found,
            "Every item get better. `item show --id 1`, \"item show\", `item getter`\n    acme item get\n"
        );
        assert!(
            replaced("    acme item get --id 1\n", "item get", "item show")
                .contains("acme item show --id")
        );
    }
}
