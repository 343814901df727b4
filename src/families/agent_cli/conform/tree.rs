//! The files of a tool in its sandbox, before and after a call, and the ways in which a probe damages them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::conform::sandbox::Sandbox;
use crate::system::files::{self, Kind, Mode};

use super::stop::{ProbeStep, Unfinished};

/// Directories in which a tool may keep files; its program is elsewhere.
const PLACES: &[&str] = &["home", "config", "data", "cache", "state", "tmp", "work"];
/// Most entries that are looked at, largest file, deepest directory.
const MAX_ENTRIES: usize = 4_000;
const MAX_FILE: u64 = 4 * 1024 * 1024;
const MAX_DEPTH: usize = 8;

/// Files with their bytes, directories with nothing.
pub type FileTree = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// Returns the current files.
pub fn of(sandbox: &Sandbox) -> FileTree {
    let mut tree = FileTree::new();
    let mut open: Vec<_> = PLACES.iter().map(|place| (sandbox.path().join(place), 0)).collect();
    while let Some((directory, depth)) = open.pop() {
        for name in files::names(&directory).unwrap_or_default() {
            let path = directory.join(name);
            match files::kind(&path) {
                _ if tree.len() >= MAX_ENTRIES => return tree,
                Ok(Kind::Directory) => {
                    tree.insert(path.clone(), None);
                    if depth < MAX_DEPTH {
                        open.push((path, depth + 1));
                    }
                }
                Ok(Kind::File { .. }) => {
                    let bytes = files::read(&path, MAX_FILE).map(|loaded| loaded.bytes);
                    tree.insert(path, Some(bytes.unwrap_or_default()));
                }
                _ => {}
            }
        }
    }
    tree
}

/// Files that are new or hold something else. Empty files and locks say nothing, and the audit log has to say
/// something: they do not count.
pub fn written<'a>(before: &FileTree, after: &'a FileTree) -> Vec<(&'a Path, &'a [u8])> {
    let is_free = |path: &Path| {
        path.extension().is_some_and(|end| end == "lock") || name(path).contains("audit")
    };
    after
        .iter()
        .filter_map(|(path, bytes)| Some((path.as_path(), bytes.as_deref()?)))
        .filter(|(path, bytes)| !bytes.is_empty() && !is_free(path))
        .filter(|(path, bytes)| {
            before.get(*path).and_then(Option::as_deref).is_none_or(|old| old != *bytes)
        })
        .collect()
}

/// The name of a file as a message shows it.
pub fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Puts other bytes in the place of a file.
///
/// # Errors
/// Blocked when the system refuses.
pub fn replace(path: &Path, bytes: &[u8]) -> ProbeStep {
    files::remove_file(path)
        .and_then(|()| files::write_new(path, bytes, Mode::Secret))
        .map_err(refused)
}

/// Replaces a file with a directory, and a directory with a file, so that nothing can be stored there.
///
/// # Errors
/// Blocked when the system refuses.
pub fn obstruct(path: &Path) -> ProbeStep {
    let done = match files::kind(path) {
        Ok(Kind::Directory) => {
            files::remove_tree(path).and_then(|()| files::write_new(path, b"", Mode::Secret))
        }
        Ok(_) => files::remove_file(path).and_then(|()| files::create_private_directory(path)),
        Err(error) => Err(error),
    };
    done.map_err(refused)
}

fn refused(error: std::io::Error) -> Unfinished {
    Unfinished::Blocked(format!("a file of the sandbox cannot be changed: {error}"))
}

/// Changes every value for which there is another one; gives how many there were.
pub fn change(value: &mut Value, to: &dyn Fn(&Value) -> Option<Value>) -> usize {
    if let Some(other) = to(value) {
        *value = other;
        return 1;
    }
    match value {
        Value::Array(items) => items.iter_mut().map(|item| change(item, to)).sum(),
        Value::Object(members) => members.iter_mut().map(|(_, member)| change(member, to)).sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_and_changed_files_are_found_and_locks_are_ignored() {
        let file = |text: &str| Some(text.as_bytes().to_vec());
        let before = FileTree::from([("a".into(), file("1")), ("b".into(), file("1"))]);
        let after = FileTree::from([
            ("a".into(), file("1")),
            ("b".into(), file("2")),
            ("c".into(), None),
            ("d.lock".into(), file("1")),
            ("e".into(), file("")),
        ]);
        let found: Vec<_> = written(&before, &after).iter().map(|(path, _)| name(path)).collect();
        assert_eq!(found, ["b"]);
    }

    #[test]
    fn values_are_changed_at_any_depth_and_counted() {
        let mut value = serde_json::json!({"a": [{"b": "old"}], "c": "old", "d": 1});
        let count = change(&mut value, &|each| (each == "old").then(|| "new".into()));
        assert_eq!(count, 2);
        assert_eq!(value, serde_json::json!({"a": [{"b": "new"}], "c": "new", "d": 1}));
    }
}
