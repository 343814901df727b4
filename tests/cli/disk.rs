//! The disk as a test sees it: every entry with its bytes and mode, and the identity of each file.

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

/// One entry below a directory.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Entry {
    Directory,
    Link(String),
    File { bytes: Vec<u8>, mode: u32 },
}

/// Everything below `root` but `.git`: directories, links and files with all permission bits.
pub fn state(root: &Path) -> BTreeMap<String, Entry> {
    let walk = walkdir::WalkDir::new(root).min_depth(1).into_iter();
    walk.filter_entry(|entry| entry.file_name() != ".git")
        .map(|entry| {
            let entry = entry.expect("a readable tree");
            let path = entry.path().strip_prefix(root).expect("below root");
            let kind = if entry.file_type().is_symlink() {
                let target = std::fs::read_link(entry.path()).expect("a link");
                Entry::Link(target.to_string_lossy().into_owned())
            } else if entry.file_type().is_dir() {
                Entry::Directory
            } else {
                let mode = entry.metadata().expect("metadata").permissions().mode() & 0o7777;
                Entry::File { bytes: std::fs::read(entry.path()).expect("a file"), mode }
            };
            (path.to_string_lossy().into_owned(), kind)
        })
        .collect()
}

/// Inode and modification time of every file below `root`: equal only when nothing was written.
pub fn identities(root: &Path) -> BTreeMap<String, (u64, i64, i64)> {
    let files =
        walkdir::WalkDir::new(root).into_iter().map(|entry| entry.expect("a readable tree"));
    files
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let metadata = entry.metadata().expect("metadata");
            let path = entry.path().strip_prefix(root).expect("below root");
            let identity = (metadata.ino(), metadata.mtime(), metadata.mtime_nsec());
            (path.to_string_lossy().into_owned(), identity)
        })
        .collect()
}

/// Names in a directory, sorted.
pub fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(directory)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

pub fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("permissions");
}

pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Replaces the one occurrence of `from` in a file.
#[track_caller]
pub fn edit(path: &Path, from: &str, to: &str) {
    let text = read(path);
    assert!(text.contains(from), "`{from}` is not in {}", path.display());
    replace(path, &text.replacen(from, to, 1));
}

/// Writes a source that was run before. Its time moves by two seconds at least: Python knows a changed source by its
/// size and the second of its last change.
pub fn replace(path: &Path, text: &str) {
    let before = std::fs::metadata(path).and_then(|metadata| metadata.modified()).expect("a file");
    std::fs::write(path, text).expect("a file");
    let now = std::time::SystemTime::now().max(before + std::time::Duration::from_secs(2));
    let file = std::fs::File::options().append(true).open(path).expect("a file");
    file.set_modified(now).expect("a time");
}

/// Adds a line below `[outputs]` of the aos.toml of a project.
pub fn add_output(project: &Path, line: &str) {
    let path = project.join("aos.toml");
    let record = read(&path);
    assert!(record.contains("[outputs]\n"), "{record}");
    let more = format!("[outputs]\n{line}\n");
    std::fs::write(&path, record.replacen("[outputs]\n", &more, 1)).expect("a file");
}

/// Adds text at the end of a file.
pub fn append(path: &Path, text: &str) {
    replace(path, &(read(path) + text));
}
