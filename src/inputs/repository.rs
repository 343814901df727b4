//! A project read into memory for the static rules: bounded, sorted, links never followed.

use std::path::Path;

use crate::contract::Repository;
use crate::contract::repository::SourceFile;
use crate::generate::record::{AGENT_DIRECTORY, CONTRACT_DIRECTORY};
use crate::plan::{Content, RelativePath, Tree, TreeEntry};
use crate::system::files;

use super::project::Project;
use super::tree;

/// Largest file that rules read, in bytes.
const MAX_FILE: u64 = 2 * 1024 * 1024;
/// Most files of one project that are looked at.
const MAX_FILES: usize = 20_000;
/// Most bytes of one project that are held.
const MAX_TOTAL: usize = 64 * 1024 * 1024;
/// Deepest directory that is entered.
const MAX_DEPTH: usize = 24;

/// Directories that hold what tools made, not what people wrote.
const SKIPPED: [&str; 14] = [
    ".git",
    ".hg",
    ".venv",
    "venv",
    "node_modules",
    "target",
    "__pycache__",
    ".pytest_cache",
    ".ruff_cache",
    ".mypy_cache",
    ".tox",
    "build",
    "dist",
    ".aos-transaction",
];

/// Reads the files of `project`.
#[must_use]
pub fn load(project: &Project) -> Repository {
    let mut repository = Repository {
        directory_name: project.directory_name.clone(),
        directory_is_symlink: project.directory_is_symlink,
        ..Repository::default()
    };
    let walk = walkdir::WalkDir::new(&project.root)
        .follow_links(false)
        .max_depth(MAX_DEPTH)
        .into_iter()
        .filter_entry(|entry| {
            entry.depth() == 0
                || !entry.file_type().is_dir()
                || entry.file_name().to_str().is_none_or(|name| !is_skipped(name))
                || is_managed(&project.root, entry.path())
        });
    let mut total = 0;
    for (index, entry) in walk.enumerate() {
        if index >= MAX_FILES || total > MAX_TOTAL {
            repository
                .unlisted
                .push((".".to_owned(), "the project has more files than aos reads".to_owned()));
            break;
        }
        match entry {
            Ok(entry) if entry.file_type().is_dir() => {
                if entry.depth() == MAX_DEPTH {
                    let reason = format!("it is more than {MAX_DEPTH} levels deep");
                    repository.unlisted.push((relative(&project.root, entry.path()), reason));
                }
            }
            Ok(entry) => total += add(&mut repository, &project.root, &entry),
            Err(error) => {
                let path = error
                    .path()
                    .map(|path| relative(&project.root, path))
                    .unwrap_or_else(|| ".".to_owned());
                repository.unlisted.push((path, "it cannot be listed".to_owned()));
            }
        }
    }
    repository
}

/// Inside a directory that aos owns nothing is passed over.
fn is_managed(root: &Path, path: &Path) -> bool {
    let inside = path.strip_prefix(root).unwrap_or(path);
    [AGENT_DIRECTORY, CONTRACT_DIRECTORY].iter().any(|directory| inside.starts_with(directory))
}

#[must_use]
pub fn is_skipped(directory: &str) -> bool {
    SKIPPED.contains(&directory)
        || directory.ends_with(".egg-info")
        || directory.starts_with(".aos-tmp-")
}

/// Adds one entry; gives the bytes it takes.
fn add(repository: &mut Repository, root: &Path, entry: &walkdir::DirEntry) -> usize {
    let path = relative(root, entry.path());
    if entry.file_type().is_symlink() {
        repository.symlinks.push(path);
        return 0;
    }
    if !entry.file_type().is_file() {
        repository.unreadable.push((path, "it is not a regular file".to_owned()));
        return 0;
    }
    match files::read(entry.path(), MAX_FILE) {
        Ok(loaded) => {
            let size = loaded.bytes.len();
            let file = SourceFile { bytes: loaded.bytes, executable: loaded.executable };
            repository.files.insert(path, file);
            size
        }
        Err(error) => {
            repository.unreadable.push((path, error.to_string()));
            0
        }
    }
}

fn relative(root: &Path, path: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path).to_string_lossy();
    if path.is_empty() { ".".to_owned() } else { path.replace(std::path::MAIN_SEPARATOR, "/") }
}

/// The state of `paths` for a plan, from what was read already; only what is not there is looked at again.
#[must_use]
pub fn tree<'a>(
    root: &Path,
    repository: &Repository,
    paths: impl IntoIterator<Item = &'a RelativePath>,
) -> Tree {
    let mut known = Tree::default();
    let mut others = Vec::new();
    for path in paths {
        match repository.files.get(path.as_str()) {
            Some(file) => {
                let content =
                    Content { bytes: file.bytes.as_slice().into(), executable: file.executable };
                known.entries.insert(path.clone(), TreeEntry::File(content));
            }
            None => others.push(path),
        }
    }
    known.entries.extend(tree::snapshot(root, others).entries);
    known
}

/// Every file and link of the repository below `directory`.
pub fn below<'a>(repository: &'a Repository, directory: &'a str) -> impl Iterator<Item = &'a str> {
    let unreadable = repository.unreadable.iter().map(|(path, _)| path.as_str());
    let links = repository.symlinks.iter().map(String::as_str);
    repository
        .files
        .keys()
        .map(String::as_str)
        .chain(links)
        .chain(unreadable)
        .filter(move |path| path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/')))
}
