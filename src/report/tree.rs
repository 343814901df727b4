//! Many paths in few lines: one entry per directory, its files side by side.

use std::collections::BTreeMap;

use crate::visible::{Visible, visible};

use super::style::Style;

/// Widest line that is filled with file names, in characters.
const WIDTH: usize = 96;

/// The paths, grouped by directory, each line indented by two spaces.
#[must_use]
pub fn text<'a>(paths: impl IntoIterator<Item = &'a str>, style: Style) -> Visible {
    let mut directories: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for path in paths {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        directories.entry(directory).or_default().push(name);
    }
    let mut lines = Vec::new();
    for (directory, names) in directories {
        let indent = if directory.is_empty() { "  " } else { "    " };
        if !directory.is_empty() {
            lines.push(visible!("  {}", style.strong(visible!("{}/", directory))));
        }
        lines.extend(filled(&names).into_iter().map(|line| visible!("{}{}", indent, line)));
    }
    Visible::joined(lines, "\n")
}

/// Names in lines of at most [`WIDTH`] characters.
fn filled(names: &[&str]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for name in names {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 2 + name.chars().count() <= WIDTH => {
                line.push_str("  ");
                line.push_str(name);
            }
            _ => lines.push((*name).to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_listed_in_columns_below_their_directory() {
        let paths = ["a/b/c.py", "a/b/d.py", "a/e.md", "z.toml"];
        let text = text(paths, Style { color: false });
        assert_eq!(text.as_str(), "  z.toml\n  a/\n    e.md\n  a/b/\n    c.py  d.py");
    }

    #[test]
    fn a_long_list_is_wrapped_and_nothing_is_left_out() {
        let names: Vec<String> = (0..60).map(|index| format!("d/file{index}.py")).collect();
        let text = text(names.iter().map(String::as_str), Style { color: false }).into_string();
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH + 4));
        assert_eq!(text.split_whitespace().count(), 61);
    }
}
