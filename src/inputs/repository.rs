//! A project read into memory for the static rules: bounded, sorted, links never followed.
//!
//! A file belongs to the snapshot when it is in the git index or not ignored, and everywhere in the directories of aos.

use std::path::Path;

use crate::contract::pipelines::is_pipeline;
use crate::contract::repository::SourceFile;
use crate::contract::{FileBytes, ProjectFiles};
use crate::generate::record::AGENT_DIRECTORY;
use crate::generate::record_spec::CONTRACT_DIRECTORY;
use crate::plan::{Content, RelativePath, Tree, TreeEntry};
use crate::system::files;

use super::git::Checkout;
use super::imported;
use super::project::{Project, TRANSACTION_DIRECTORY};
use super::tree;

/// Largest file that rules read, in bytes.
const MAX_FILE: u64 = 2 * 1024 * 1024;
/// Largest number of files of a project.
const MAX_FILES: usize = 20_000;
/// Most bytes of one project that are held.
const MAX_TOTAL: usize = 64 * 1024 * 1024;
/// Deepest directory that is entered.
const MAX_DEPTH: usize = 24;

/// Settings of cargo, which it reads whether git ignores them or not.
const CARGO_DIRECTORY: &str = ".cargo";

/// Directories of tools. Their files count as ignored, whatever `.gitignore` says; in the index they are committed.
const SKIPPED: &[&str] = &[
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
pub fn load(project: &Project) -> ProjectFiles {
    let mut repository = ProjectFiles {
        directory_name: project.directory_name.clone(),
        directory_is_symlink: project.directory_is_symlink,
        ..ProjectFiles::default()
    };
    let mut scope = RepositoryScope::of(project);
    repository.ci_is_known = scope.checkout.has_all(&project.root, is_pipeline);
    repository.notes.extend(scope.checkout.note.clone());
    repository.around = std::mem::take(&mut scope.checkout.around);
    let mut walk = walkdir::WalkDir::new(&project.root)
        .follow_links(false)
        .min_depth(1)
        .max_depth(MAX_DEPTH)
        .into_iter();
    let mut seen = 0;
    let mut total = 0;
    let mut is_whole = true;
    let mut skipped = Vec::new();
    while let Some(entry) = walk.next() {
        if seen >= MAX_FILES || total > MAX_TOTAL {
            is_whole = false;
            repository
                .unlisted
                .push((".".to_owned(), "the project has more files than aos reads".to_owned()));
            break;
        }
        seen += 1;
        match entry {
            Ok(entry) if entry.file_type().is_dir() => {
                let path = relative(&project.root, entry.path());
                add_name(&mut repository, &path);
                if entry.depth() > 1 && is_write(&path) {
                    repository.writes.push(path.clone());
                }
                if !scope.enters(&path) {
                    walk.skip_current_dir();
                    repository.ignored_directories += 1;
                    let name = path.rsplit('/').next().unwrap_or(&path);
                    if !is_skipped(name) && !name.starts_with('.') {
                        skipped.push(path);
                    }
                } else if entry.depth() == MAX_DEPTH {
                    let reason = format!("it is more than {MAX_DEPTH} levels deep");
                    repository.unlisted.push((path, reason));
                }
            }
            Ok(entry) => {
                let path = relative(&project.root, entry.path());
                add_name(&mut repository, &path);
                repository.walked += 1;
                match scope.standing(&path) {
                    Standing::Committed => total += add(&mut repository, path, &entry),
                    Standing::Loadable => total += add_ignored(&mut repository, path, &entry),
                    Standing::Foreign => repository.ignored_files += 1,
                }
            }
            Err(error) => {
                is_whole = false;
                let path = error
                    .path()
                    .map(|path| relative(&project.root, path))
                    .unwrap_or_else(|| ".".to_owned());
                repository.unlisted.push((path, "it cannot be listed".to_owned()));
            }
        }
    }
    if scope.has_modules {
        let has_python = scope.has_python;
        imported::add(&mut repository, &project.root, &skipped, has_python, |directory| {
            scope.checkout.ignores(directory, true)
        });
    }
    match is_whole {
        true => repository.names.values_mut().for_each(|names| names.sort_unstable()),
        false => repository.names.clear(),
    }
    repository
}

fn add_name(repository: &mut ProjectFiles, path: &str) {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    match repository.names.get_mut(directory) {
        Some(names) => names.push(name.to_owned()),
        None => drop(repository.names.insert(directory.to_owned(), vec![name.to_owned()])),
    }
}

/// How the rules treat a file.
enum Standing {
    /// In the index, or in the next commit because git does not ignore it.
    Committed,
    /// Ignored, but a program that runs in this checkout can load it.
    Loadable,
    Foreign,
}

/// The parts of a project that are read.
struct RepositoryScope {
    checkout: Checkout,
    /// Directories and files that aos keeps: everything in them counts as committed.
    managed: Vec<String>,
    /// Directories with a generated module: ignored code in them is loaded with it.
    sources: Vec<String>,
    /// The directory of the runtime.
    runtime: Option<String>,
    /// Whether a module is generated, and whether one for Python is.
    has_modules: bool,
    has_python: bool,
}

impl RepositoryScope {
    fn of(project: &Project) -> Self {
        let mut managed = vec![AGENT_DIRECTORY.to_owned(), CONTRACT_DIRECTORY.to_owned()];
        let mut sources = Vec::new();
        if let Some(record) = project.record.good() {
            managed.push(record.spec.directory.to_string());
            for (generator, outputs) in &record.outputs {
                let is_module = matches!(
                    generator.as_str(),
                    "go" | "javascript" | "python" | "rust" | "typescript"
                );
                for path in outputs.iter().map(|output| output.path.to_string()) {
                    let directory = path.rsplit_once('/').filter(|_| is_module);
                    sources.extend(directory.map(|(directory, _)| directory.to_owned()));
                    managed.push(path);
                }
            }
        }
        let runtime = project.record.good().and_then(|record| record.runtime.as_ref());
        let runtime = runtime.map(|runtime| runtime.path.to_string());
        let outputs = project.record.good().map(|record| &record.outputs);
        let has_python = outputs.is_some_and(|outputs| outputs.contains_key("python"));
        let has_modules = !sources.is_empty() || has_python;
        let checkout = Checkout::of(&project.root, is_skipped);
        Self { checkout, managed, sources, runtime, has_modules, has_python }
    }

    fn enters(&mut self, directory: &str) -> bool {
        let leads_to = |place: &String| is_within(place, directory) || is_within(directory, place);
        self.managed.iter().any(leads_to)
            || !self.checkout.ignores(directory, true)
            || self.checkout.tracks_below(directory)
            || self.is_source(directory)
            || directory.rsplit('/').next() == Some(CARGO_DIRECTORY)
    }

    fn standing(&mut self, path: &str) -> Standing {
        let is_managed = self.managed.iter().any(|place| is_within(path, place));
        let is_kept = is_managed || self.runtime.iter().any(|place| is_within(path, place));
        if is_kept && is_left_by_a_program(path) && !self.checkout.is_tracked(path) {
            return Standing::Foreign;
        }
        if is_managed || self.checkout.is_tracked(path) || !self.checkout.ignores(path, false) {
            return Standing::Committed;
        }
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        let beside_others = directory.is_empty()
            || directory.rsplit('/').next() == Some(CARGO_DIRECTORY)
            || !self.checkout.ignores(directory, true);
        if is_code(path) && (beside_others || self.is_source(directory)) {
            return Standing::Loadable;
        }
        Standing::Foreign
    }

    /// Whether a generated module is in `directory` or above it, with no directory of a tool between.
    fn is_source(&self, directory: &str) -> bool {
        self.sources.iter().any(|source| {
            is_within(directory, source) && !directory[source.len()..].split('/').any(is_skipped)
        })
    }
}

fn is_within(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether an interpreter, a compiler or a bundler of one of the four languages takes a file of this name.
fn is_code(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_setting = matches!(name, ".envrc" | ".env" | "rust-toolchain")
        || name.starts_with(".env.")
        || path.ends_with(".cargo/config");
    if is_setting {
        return true;
    }
    let ending = path.rsplit('.').next().unwrap_or_default();
    matches!(
        ending,
        "py" | "pyw"
            | "pyc"
            | "pyd"
            | "so"
            | "pth"
            | "go"
            | "mod"
            | "work"
            | "rs"
            | "toml"
            | "ts"
            | "mts"
            | "cts"
            | "tsx"
            | "js"
            | "mjs"
            | "cjs"
            | "jsx"
            | "json"
            | "node"
    )
}

/// Whether the file is one that an editor or a system leaves; it is not committed, and nothing reads it.
fn is_left_by_a_program(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let swap = name.starts_with('.')
        && name.rsplit('.').next().is_some_and(|ending| {
            ending.len() == 3
                && ending.starts_with("sw")
                && ending.ends_with(|last: char| last.is_ascii_lowercase())
        });
    swap || matches!(
        name,
        ".DS_Store"
            | "Thumbs.db"
            | "ehthumbs.db"
            | "desktop.ini"
            | "Desktop.ini"
            | ".directory"
            | ".localized"
            | "4913"
    ) || name.ends_with('~')
        || name.starts_with("._")
        || name.starts_with(".#")
        || name.starts_with('#') && name.ends_with('#')
        || name.starts_with(".nfs")
        || name.starts_with(".fuse_hidden")
        || name.ends_with("___jb_tmp___")
        || name.ends_with("___jb_old___")
}

/// Whether a directory has the name of a journal of aos.
fn is_write(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name == TRANSACTION_DIRECTORY || name.starts_with(".aos-draft-")
}

#[must_use]
pub fn is_skipped(directory: &str) -> bool {
    SKIPPED.contains(&directory)
        || directory.ends_with(".egg-info")
        || directory.starts_with(".aos-tmp-")
}

/// Adds a file that is loaded but not committed.
fn add_ignored(repository: &mut ProjectFiles, path: String, entry: &walkdir::DirEntry) -> usize {
    // A file that is too large, or that aos cannot read, is loaded nevertheless.
    let (bytes, executable) = match files::read(entry.path(), MAX_FILE) {
        Ok(loaded) => (loaded.bytes, loaded.executable),
        Err(_) => (Vec::new(), false),
    };
    let size = bytes.len();
    repository.ignored.insert(path, SourceFile { bytes: FileBytes::shared(bytes), executable });
    size
}

/// Adds one entry; returns the bytes it takes.
fn add(repository: &mut ProjectFiles, path: String, entry: &walkdir::DirEntry) -> usize {
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
            if loaded.special {
                repository.special.insert(path.clone());
            }
            let file = SourceFile {
                bytes: FileBytes::shared(loaded.bytes),
                executable: loaded.executable,
            };
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
    repository: &ProjectFiles,
    paths: impl IntoIterator<Item = &'a RelativePath>,
) -> Tree {
    let mut known = Tree::default();
    let mut others = Vec::new();
    for path in paths {
        match repository.files.get(path.as_str()) {
            Some(file) => {
                let content = Content { bytes: file.bytes.to_arc(), executable: file.executable };
                known.entries.insert(path.clone(), TreeEntry::File(content));
            }
            None => others.push(path),
        }
    }
    known.entries.extend(tree::snapshot(root, others).entries);
    known
}

/// Every file and link of the repository below `directory`.
pub fn below<'a>(
    repository: &'a ProjectFiles,
    directory: &'a str,
) -> impl Iterator<Item = &'a str> {
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
