//! Code in directories that git ignores and that a source imports or the import path of Python names: it is not
//! committed, but this checkout runs it.
//!
//! Distributions that a package manager installed there are left alone, like those in a virtual environment.

use std::collections::BTreeSet;
use std::path::Path;

use regex::Regex;

use crate::contract::repository::SourceFile;
use crate::contract::{FileBytes, ProjectFiles};
use crate::system::files;

use super::import_path;

/// Most files of all these directories, and the deepest directory that is entered.
const MAX_FILES: usize = 5_000;
const MAX_DEPTH: usize = 16;
/// Largest file that is read, in bytes.
const MAX_FILE: u64 = 2 * 1024 * 1024;
/// Sources, and the other files that Python loads.
const ENDINGS: [&str; 16] = [
    ".py", ".pyw", ".pyc", ".pyd", ".so", ".pth", ".go", ".rs", ".ts", ".mts", ".cts", ".tsx",
    ".js", ".mjs", ".cjs", ".jsx",
];

/// Adds the code of each directory on the import path that `is_ignored`, and of each of `skipped` that a source imports.
pub fn add(
    repository: &mut ProjectFiles,
    root: &Path,
    skipped: &[String],
    has_python: bool,
    mut is_ignored: impl FnMut(&str) -> bool,
) {
    let mut directories = BTreeSet::new();
    if has_python {
        directories = import_path::directories(root, repository);
        directories.retain(|directory| is_ignored(directory));
    }
    directories
        .extend(skipped.iter().filter(|directory| is_imported(repository, directory)).cloned());
    let mut seen = 0;
    for directory in directories {
        if !read(repository, root, &directory, &mut seen) {
            let reason = "code is imported from it, and it has more files than aos reads";
            repository.unlisted.push((directory, reason.to_owned()));
            return;
        }
    }
}

/// Reads the code of one directory; false when there are too many files.
fn read(repository: &mut ProjectFiles, root: &Path, directory: &str, seen: &mut usize) -> bool {
    let place = root.join(directory);
    let installed = installed(&place);
    let walk = walkdir::WalkDir::new(&place).follow_links(false).min_depth(1).max_depth(MAX_DEPTH);
    let mut walk = walk.into_iter();
    while let Some(entry) = walk.next() {
        *seen += 1;
        if *seen > MAX_FILES {
            return false;
        }
        let Ok(entry) = entry else { continue };
        let name = entry.file_name().to_string_lossy();
        let is_installed = entry.depth() == 1 && installed.contains(name.as_ref());
        if entry.file_type().is_dir() {
            if is_installed || name == "__pycache__" || name == "node_modules" {
                walk.skip_current_dir();
            }
            continue;
        }
        let Ok(inner) = entry.path().strip_prefix(root) else { continue };
        let path = inner.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
        let is_code = ENDINGS.iter().any(|ending| path.ends_with(ending));
        if is_installed || !is_code || repository.holds(&path) {
            continue;
        }
        // A file that aos cannot read is loaded nevertheless.
        let (bytes, executable) = match files::read(entry.path(), MAX_FILE) {
            Ok(loaded) => (loaded.bytes, loaded.executable),
            Err(_) => (Vec::new(), false),
        };
        let file = SourceFile { bytes: FileBytes::shared(bytes), executable };
        repository.ignored.insert(path, file);
    }
    true
}

/// Whether a source of the project imports from `directory`, in any of the four languages.
fn is_imported(repository: &ProjectFiles, directory: &str) -> bool {
    let name = directory.rsplit('/').next().unwrap_or(directory);
    let escaped = regex::escape(name);
    let patterns = [
        (
            &[".py", ".pyw"][..],
            format!(
                r#"(?m)^[ \t]*(?:from|import)[ \t][^\n#]*\b{escaped}\b|(?:import_module|__import__)[^\n]*["'.]{escaped}\b"#
            ),
        ),
        (&[".go"], format!(r#""[^"\n]*/{}(?:/[^"\n]*)?""#, regex::escape(directory))),
        (
            &[".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx"],
            format!(
                r#"\b(?:from|import|require)[ \t(]*["'`]\.{{1,2}}/(?:[^"'`\n]*/)?{escaped}(?:/[^"'`\n]*)?["'`]"#
            ),
        ),
        (&[".rs"], format!(r#"\bpath[ \t]*=[ \t]*"(?:[^"\n]*/)?{escaped}/"#)),
    ];
    let mut compiled: Vec<Option<Regex>> = patterns.iter().map(|_| None).collect();
    repository.files.iter().any(|(path, file)| {
        let Some(kind) = patterns
            .iter()
            .position(|(endings, _)| endings.iter().any(|ending| path.ends_with(ending)))
        else {
            return false;
        };
        let Some(text) = file.bytes.text().filter(|text| text.contains(name)) else { return false };
        let ascii = |pattern: &str| Regex::new(&pattern.replace(r"\b", r"(?-u:\b)")).ok();
        let pattern = &mut compiled[kind];
        if pattern.is_none() {
            *pattern = ascii(&patterns[kind].1);
        }
        pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
    })
}

/// Names in `directory` that belong to an installed distribution, as the record of each lists them.
fn installed(directory: &Path) -> BTreeSet<String> {
    let mut installed = BTreeSet::new();
    for name in files::names(directory).unwrap_or_default() {
        if !name.to_string_lossy().ends_with(".dist-info") {
            continue;
        }
        let record = directory.join(name).join("RECORD");
        let Ok(record) = files::read(&record, MAX_FILE) else { continue };
        let text = String::from_utf8_lossy(&record.bytes).into_owned();
        let paths = text.lines().filter_map(|line| line.split(',').next());
        installed.extend(paths.filter_map(|path| path.split('/').next()).map(str::to_owned));
    }
    installed
}
