//! The files of a repository that becomes a template: those that git would keep.

use std::path::Path;

use crate::inputs::git::Checkout;
use crate::inputs::repository::is_skipped;
use crate::system::files::{self, Kind};

use super::fault::TemplateError;
use super::tree::MAX_FILE;

/// Most entries that are looked at.
const MAX_ENTRIES: usize = 20_000;
/// Deepest directory that is entered.
const MAX_DEPTH: usize = 32;
const SUBMODULES: &str = "it lists submodules, which a template cannot contain; add them to each new project with `git submodule add`";

/// A file of the repository.
#[derive(Clone, Debug)]
pub struct RepositoryFile {
    /// `/`-separated, relative to the repository.
    pub path: String,
    pub bytes: Vec<u8>,
    pub executable: bool,
}

/// The path of a file that was passed over, and the reason.
pub type NotRead = (String, String);

/// The files below `root`, a canonical path, in order; and what was passed over, with the reason.
///
/// # Errors
/// Returns an error if the directory cannot be read or has too many files.
pub fn repository_files(root: &Path) -> Result<(Vec<RepositoryFile>, Vec<NotRead>), TemplateError> {
    let mut checkout = Checkout::of(root, is_skipped);
    let (mut found, mut passed) = (Vec::new(), Vec::new());
    let walk = walkdir::WalkDir::new(root).follow_links(false).min_depth(1).max_depth(MAX_DEPTH);
    let mut walk = walk.sort_by_file_name().into_iter();
    let mut seen = 0;
    while let Some(entry) = walk.next() {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(root).to_owned();
            TemplateError::Read { path, source: error.into() }
        })?;
        seen += 1;
        if seen > MAX_ENTRIES {
            let reason = format!("it has more than {MAX_ENTRIES} files");
            return Err(super::tree::unusable(&root.display().to_string(), reason));
        }
        let inner = entry.path().strip_prefix(root).unwrap_or(entry.path());
        let path = inner.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
        if entry.file_type().is_dir() {
            let name = entry.file_name().to_string_lossy();
            if name == ".git" || checkout.ignores(&path, true) && !checkout.tracks_below(&path) {
                walk.skip_current_dir();
            } else if !matches!(files::kind(&entry.path().join(".git")), Ok(Kind::Absent)) {
                passed.push((path, "it is another repository, or a submodule".to_owned()));
                walk.skip_current_dir();
            }
            continue;
        }
        if path == ".gitmodules" {
            passed.push((path, SUBMODULES.to_owned()));
            continue;
        }
        if checkout.ignores(&path, false) && !checkout.is_tracked(&path) || path == ".git" {
            continue;
        }
        if entry.file_type().is_symlink() {
            passed.push((path, "it is a symbolic link".to_owned()));
            continue;
        }
        match files::read(entry.path(), MAX_FILE) {
            Ok(loaded) => {
                let (bytes, executable) = (loaded.bytes, loaded.executable);
                found.push(RepositoryFile { path, bytes, executable });
            }
            Err(error) => passed.push((path, error.to_string())),
        }
    }
    Ok((found, passed))
}
