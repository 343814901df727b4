//! The rules of `.gitignore` files and of `info/exclude`, as git applies them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::contract::remembered::Remembered;
use crate::system::files;

/// Largest file of rules, in bytes.
const MAX_FILE: u64 = 64 * 1024;
/// Longest rule, in bytes.
const MAX_LINE: usize = 1024;
/// Most bytes of rules for one project; later files of rules count as empty, so more files are looked at.
const MAX_TOTAL: usize = 1024 * 1024;

pub struct Rules {
    /// Where the rules begin: the root of the working tree, or the project itself.
    top: PathBuf,
    /// The project below `top`, empty when they are the same.
    prefix: String,
    exclude: Option<Arc<Gitignore>>,
    skipped: fn(&str) -> bool,
    /// The rules of each directory below `top` that was looked at.
    files: HashMap<String, Arc<Gitignore>>,
    /// The verdict on each directory below `top` that was looked at.
    directories: HashMap<String, bool>,
    total: usize,
}

impl Rules {
    pub fn new(
        top: PathBuf,
        prefix: String,
        exclude: Option<PathBuf>,
        skipped: fn(&str) -> bool,
    ) -> Self {
        let mut rules = Self {
            top,
            prefix,
            exclude: None,
            skipped,
            files: HashMap::new(),
            directories: HashMap::new(),
            total: 0,
        };
        rules.exclude = exclude.map(|place| rules.read(&place));
        rules
    }

    pub fn ignore_the_project(&mut self) -> bool {
        let prefix = self.prefix.clone();
        self.directory_is_ignored(&prefix)
    }

    /// True if `path`, relative to the project, is ignored by itself or with a directory above it.
    pub fn ignore(&mut self, path: &str, is_directory: bool) -> bool {
        let path = match self.prefix.is_empty() {
            true => path.to_owned(),
            false => format!("{}/{path}", self.prefix),
        };
        if is_directory { self.directory_is_ignored(&path) } else { self.file_is_ignored(&path) }
    }

    fn directory_is_ignored(&mut self, path: &str) -> bool {
        if path.is_empty() {
            return false;
        }
        if let Some(known) = self.directories.get(path) {
            return *known;
        }
        let (above, name) = split(path);
        let of_project = path.len() > self.prefix.len();
        let verdict = self.directory_is_ignored(above)
            || of_project && (self.skipped)(name)
            || self.is_matched(path, true);
        self.directories.insert(path.to_owned(), verdict);
        verdict
    }

    fn file_is_ignored(&mut self, path: &str) -> bool {
        let (above, name) = split(path);
        // In a worktree `.git` is a file.
        name == ".git" || self.directory_is_ignored(above) || self.is_matched(path, false)
    }

    /// The nearest file of rules that says anything about `path` decides.
    fn is_matched(&mut self, path: &str, is_directory: bool) -> bool {
        let mut directory = path;
        while !directory.is_empty() {
            directory = split(directory).0;
            if !self.files.contains_key(directory) {
                let rules = self.read(&self.top.join(directory).join(".gitignore"));
                self.files.insert(directory.to_owned(), rules);
            }
            let Some(rules) = self.files.get(directory) else { continue };
            let inside = path[directory.len()..].trim_start_matches('/');
            match rules.matched(inside, is_directory) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        let exclude = self.exclude.as_ref();
        exclude.is_some_and(|rules| rules.matched(path, is_directory).is_ignore())
    }

    /// Git follows no link here either.
    fn read(&mut self, place: &Path) -> Arc<Gitignore> {
        static KNOWN: Remembered<Arc<Gitignore>> = Remembered::new();
        let Ok(loaded) = files::read(place, MAX_FILE) else { return Arc::new(Gitignore::empty()) };
        self.total += loaded.bytes.len();
        if self.total > MAX_TOTAL {
            return Arc::new(Gitignore::empty());
        }
        // Projects of a fleet have the same rules: they are built once.
        let known = std::str::from_utf8(&loaded.bytes).ok();
        let known = known.and_then(|text| KNOWN.of(text, |text| built(text.as_bytes())));
        known.unwrap_or_else(|| built(&loaded.bytes))
    }
}

fn built(bytes: &[u8]) -> Arc<Gitignore> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // Paths are given relative to the directory of the file.
    let mut builder = GitignoreBuilder::new(".");
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| line.len() <= MAX_LINE) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let Ok(line) = std::str::from_utf8(line) {
            // An invalid pattern ignores nothing.
            let _ = builder.add_line(None, line);
        }
    }
    Arc::new(builder.build().unwrap_or_else(|_| Gitignore::empty()))
}

/// The directory of `path`, empty at the top, and its name.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}
