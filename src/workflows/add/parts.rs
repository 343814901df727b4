//! The parts of a project's files that belong to one command: those that its removal deletes.
//!
//! `aos add` records their digests in aos.toml; `aos remove` compares the files with them and reports the edited
//! parts. A part has the same digest wherever it is in a file.

use std::collections::BTreeMap;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::contract::ProjectFiles;
use crate::contract::repository::SourceFile;
use crate::generate::record::RECORD_PATH;
use crate::generate::record_added::with_parts;
use crate::plan::{Digest, RelativePath};
use crate::report::answers::command_change::EditedPart;
use crate::visible::counted;

use super::Change;
use super::name::CommandName;
use super::seam::{CommandEditor, EditError, Edited, Sources};

/// The part of one file.
struct CommandPart {
    digest: Digest,
    /// Where it begins, from 1.
    line: usize,
}

type Parts = BTreeMap<RelativePath, CommandPart>;

/// Adds the record of the parts to the edits, or takes it out of them. Returns the parts that were edited since they were
/// added.
///
/// # Errors
/// Returns an error if aos.toml cannot be edited.
pub fn record(
    editor: &dyn CommandEditor,
    sources: Sources<'_>,
    change: &Change<'_>,
    edited: &mut Edited,
) -> Result<Vec<EditedPart>, EditError> {
    let after = with_edits(sources.repository, &edited.files);
    let after = Sources { repository: &after, ..sources };
    let removal = |name: &CommandName| {
        let removal = editor.remove(after, name).ok();
        removal.map(|removal| parts(after.repository, &removal)).unwrap_or_default()
    };
    let known = |name: &CommandName| sources.record.added.get(&name.path());
    match change {
        Change::Add(blueprint) => {
            let all = removal(&blueprint.name).into_iter().map(|(path, part)| (path, part.digest));
            save(sources, edited, &[(&blueprint.name, Some(all.collect()))])?;
            Ok(Vec::new())
        }
        Change::Rename { old, new } => {
            let Some(known) = known(old) else { return Ok(Vec::new()) };
            let before = editor.remove(sources, old)?;
            let changed = unlike(&parts(sources.repository, &before), known);
            let all = removal(new).into_iter().map(|(path, part)| (path, part.digest));
            let same =
                all.filter(|(path, _)| changed.iter().all(|part| part.path != path.as_str()));
            save(sources, edited, &[(old, None), (new, Some(same.collect()))])?;
            Ok(Vec::new())
        }
        Change::Remove(name) => {
            let Some(known) = known(name) else {
                edited.notes.push(format!(
                    "aos.toml does not record that `aos add` wrote `{name}`, so aos cannot tell which of its parts were edited"
                ));
                return Ok(Vec::new());
            };
            let changed = unlike(&parts(sources.repository, edited), known);
            if !changed.is_empty() {
                let count = counted(changed.len(), "part");
                edited.lost.push(format!("your edits of {count}, see `edited`"));
            }
            save(sources, edited, &[(name, None)])?;
            Ok(changed)
        }
        Change::AddCode(_) => Ok(Vec::new()),
    }
}

/// The files as they are after the edits.
#[must_use]
pub fn with_edits(files: &ProjectFiles, edits: &BTreeMap<String, Option<String>>) -> ProjectFiles {
    let mut patched = files.clone();
    for (path, text) in edits {
        let executable = files.files.get(path).is_some_and(|file| file.executable);
        match text {
            Some(text) => {
                let file = SourceFile { bytes: text.clone().into(), executable };
                patched.files.insert(path.clone(), file);
            }
            None => {
                patched.files.remove(path);
            }
        }
    }
    patched
}

type NewParts<'a> = (&'a CommandName, Option<BTreeMap<RelativePath, Digest>>);

fn save(
    sources: Sources<'_>,
    edited: &mut Edited,
    commands: &[NewParts<'_>],
) -> Result<(), EditError> {
    let Some(text) = sources.repository.text(RECORD_PATH) else { return Ok(()) };
    let mut changed = text.to_owned();
    for (name, parts) in commands {
        let parts = parts.as_ref().filter(|parts| !parts.is_empty());
        changed = with_parts(&changed, &name.path(), parts)
            .map_err(|error| EditError::place(RECORD_PATH, error.to_string()))?;
    }
    if changed != text {
        edited.files.insert(RECORD_PATH.to_owned(), Some(changed));
    }
    Ok(())
}

/// Parts that have another digest than the recorded one.
fn unlike(parts: &Parts, known: &BTreeMap<RelativePath, Digest>) -> Vec<EditedPart> {
    let changed = parts.iter().filter(|(path, part)| known.get(*path) != Some(&part.digest));
    changed.map(|(path, part)| EditedPart { path: path.to_string(), line: part.line }).collect()
}

fn parts(files: &ProjectFiles, removal: &Edited) -> Parts {
    let part = |(path, after): (&String, &Option<String>)| {
        let part = part(files.text(path)?, after.as_deref().unwrap_or_default())?;
        Some((RelativePath::parse(path).ok()?, part))
    };
    removal.files.iter().filter_map(part).collect()
}

/// The lines of `before` that `after` lacks; `None` if it lacks none.
fn part(before: &str, after: &str) -> Option<CommandPart> {
    let (old, new) = (meaningful(before), meaningful(after));
    let texts = |lines: &[(usize, &str)]| -> Vec<String> {
        lines.iter().map(|(_, text)| (*text).to_owned()).collect()
    };
    let (old_texts, new_texts) = (texts(&old), texts(&new));
    let mut lacking: Vec<Vec<String>> = Vec::new();
    let mut first = None;
    for operation in capture_diff_slices(Algorithm::Myers, &old_texts, &new_texts) {
        let (start, gone) = match operation {
            DiffOp::Delete { old_index, old_len, .. } => {
                (old_index, old_texts[old_index..old_index + old_len].to_vec())
            }
            // Commands share these lines, such as a list of modules: only the words that go belong to this one.
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                let old = words(&old_texts[old_index..old_index + old_len]);
                let new = words(&new_texts[new_index..new_index + new_len]);
                (old_index, without(&old, &new))
            }
            DiffOp::Equal { .. } | DiffOp::Insert { .. } => continue,
        };
        if !gone.is_empty() {
            first.get_or_insert(start);
            lacking.push(least_rotation(&gone));
        }
    }
    let line = old.get(first?).map_or(1, |(line, _)| *line);
    lacking.sort();
    let text: Vec<String> = lacking.iter().map(|lines| lines.join("\n")).collect();
    Some(CommandPart { digest: Digest::of(text.join("\n\n").as_bytes()), line })
}

/// Lines that are not blank, with their numbers, without what a neighbour in a list changes: the comma at the end.
fn meaningful(text: &str) -> Vec<(usize, &str)> {
    let lines = text.lines().map(|line| line.trim_end().trim_end_matches(','));
    lines
        .enumerate()
        .map(|(at, line)| (at + 1, line))
        .filter(|(_, line)| !line.is_empty())
        .collect()
}

fn words(lines: &[String]) -> Vec<String> {
    let is_of_word = |symbol: char| symbol.is_alphanumeric() || symbol == '_';
    let words = lines.iter().flat_map(|line| line.split(|symbol| !is_of_word(symbol)));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The words of `old` that a diff to `new` takes out.
fn without(old: &[String], new: &[String]) -> Vec<String> {
    let operations = capture_diff_slices(Algorithm::Myers, old, new);
    let gone = operations.into_iter().filter_map(|operation| match operation {
        DiffOp::Delete { old_index, old_len, .. } | DiffOp::Replace { old_index, old_len, .. } => {
            Some(&old[old_index..old_index + old_len])
        }
        DiffOp::Equal { .. } | DiffOp::Insert { .. } => None,
    });
    gone.flatten().cloned().collect()
}

/// The rotation that sorts first. A diff may begin a block at any line that also follows it, which is a rotation.
fn least_rotation(lines: &[String]) -> Vec<String> {
    let rotated = |start: usize| [&lines[start..], &lines[..start]].concat();
    (0..lines.len()).map(rotated).min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(before: &str, after: &str) -> Option<Digest> {
        part(before, after).map(|part| part.digest)
    }

    #[test]
    fn a_part_has_the_same_digest_among_other_neighbours() {
        let own = "fn b() {\n    one();\n}\n\n";
        let alone = format!("{own}fn z() {{\n    two();\n}}\n");
        let among = format!("fn a() {{\n    zero();\n}}\n\n{own}fn c() {{\n    two();\n}}\n");
        let left = "fn a() {\n    zero();\n}\n\nfn c() {\n    two();\n}\n";
        assert_eq!(digest(&alone, "fn z() {\n    two();\n}\n"), digest(&among, left));
        let last = "{\n  \"a\": 1,\n  \"b\": 2\n}\n";
        let first = "{\n  \"b\": 2,\n  \"c\": 3\n}\n";
        let of_list = digest(last, "{\n  \"a\": 1\n}\n");
        assert_eq!(of_list, digest(first, "{\n  \"c\": 3\n}\n"));
        let crlf = alone.replace('\n', "\r\n");
        assert_eq!(digest(&crlf, "fn z() {\r\n    two();\r\n}\r\n"), digest(&among, left));
    }

    #[test]
    fn of_a_line_that_commands_share_only_the_own_words_count() {
        let two = digest("all = (*a.X, *b.X)\n", "all = (*a.X)\n");
        assert_eq!(two, digest("all = (*b.X, *c.X, *d.X)\n", "all = (*c.X, *d.X)\n"));
        assert_ne!(two, digest("all = (*a.X, *b.Y)\n", "all = (*a.X)\n"));
    }

    #[test]
    fn an_edit_changes_the_digest_and_the_line_is_that_of_the_part() {
        let text = "a\n\nfn b() {\n    one();\n}\n";
        let part = part(text, "a\n").unwrap();
        assert_eq!(part.line, 3);
        assert_ne!(Some(part.digest), digest(&text.replace("one", "two"), "a\n"));
        assert_ne!(Some(part.digest), digest(&text.replace("    one", "one"), "a\n"));
        assert_eq!(digest(text, text), None);
        assert_eq!(least_rotation(&[]), Vec::<String>::new());
    }
}
