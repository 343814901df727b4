//! The state of chosen paths of a project, for plans; never through a symbolic link.

use std::collections::BTreeSet;
use std::path::Path;

use crate::plan::{Content, RelativePath, Tree, TreeEntry};
use crate::system::files::{self, Kind};

/// Largest file that a plan reads, in bytes.
const MAX_FILE: u64 = 16 * 1024 * 1024;

/// Reads the state of `paths` below `root`.
#[must_use]
pub fn snapshot<'a>(root: &Path, paths: impl IntoIterator<Item = &'a RelativePath>) -> Tree {
    let mut tree = Tree::default();
    let mut plain_directories = BTreeSet::new();
    for path in paths {
        if let Some(entry) = entry(root, path, &mut plain_directories) {
            tree.entries.insert(path.clone(), entry);
        }
    }
    tree
}

fn entry(root: &Path, path: &RelativePath, plain: &mut BTreeSet<String>) -> Option<TreeEntry> {
    for ancestor in path.ancestors() {
        if plain.contains(ancestor) {
            continue;
        }
        match files::kind(&root.join(ancestor)) {
            Ok(Kind::Directory) => {
                plain.insert(ancestor.to_owned());
            }
            Ok(Kind::Absent) => return None,
            Ok(Kind::Symlink) => {
                return Some(TreeEntry::Other(format!("`{ancestor}` above it is a symbolic link")));
            }
            Ok(_) => {
                return Some(TreeEntry::Other(format!("`{ancestor}` above it is not a directory")));
            }
            Err(error) => return Some(TreeEntry::Other(format!("`{ancestor}` above it: {error}"))),
        }
    }
    file_entry(&path.below(root))
}

fn file_entry(place: &Path) -> Option<TreeEntry> {
    match files::read(place, MAX_FILE) {
        Ok(loaded) => {
            return Some(TreeEntry::File(Content {
                bytes: loaded.bytes.into(),
                executable: loaded.executable,
            }));
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => {
            return Some(match files::kind(place) {
                Ok(Kind::Symlink) => TreeEntry::Symlink,
                Ok(Kind::Directory) => TreeEntry::Directory,
                _ => TreeEntry::Other(error.to_string()),
            });
        }
    }
    match files::kind(place) {
        Ok(Kind::Absent) => None,
        Ok(Kind::Symlink) => Some(TreeEntry::Symlink),
        Ok(_) => Some(TreeEntry::Other("it changed while aos read it".to_owned())),
        Err(error) => Some(TreeEntry::Other(error.to_string())),
    }
}

/// Paths of all files and links in `directory` (relative to `root`), for finding what does not belong there.
///
/// # Errors
/// Returns an error if a directory cannot be listed; a missing one is empty.
pub fn listing(root: &Path, directory: &str) -> std::io::Result<Vec<String>> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(next) = pending.pop() {
        match files::kind(&root.join(&next))? {
            Kind::Directory => {}
            _ => continue,
        }
        for name in files::names(&root.join(&next))? {
            let path = format!("{next}/{}", name.to_string_lossy());
            match files::kind(&root.join(&path))? {
                Kind::Directory => pending.push(path),
                _ => found.push(path),
            }
        }
    }
    found.sort();
    Ok(found)
}
