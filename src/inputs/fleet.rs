//! Projects below a directory, in a stable order.

use std::path::{Path, PathBuf};

use super::project;
use super::repository;

/// Deepest directory that is searched.
const MAX_DEPTH: usize = 12;
/// Most projects of one fleet.
const MAX_PROJECTS: usize = 100_000;

/// Why a fleet cannot be listed.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    #[error("`{}` cannot be searched: {reason}", path.display())]
    Search { path: PathBuf, reason: String },
    #[error("no project was found below `{}`", path.display())]
    Empty { path: PathBuf },
}

/// Every project at or below `root`, sorted by path; a project's own subdirectories are not searched.
///
/// # Errors
/// When a directory cannot be read, or there is no project at all: an empty fleet is never in order.
pub fn discover(root: &Path) -> Result<Vec<PathBuf>, FleetError> {
    let mut found = Vec::new();
    let mut walk = walkdir::WalkDir::new(root)
        .follow_links(false)
        .max_depth(MAX_DEPTH)
        .sort_by_file_name()
        .into_iter();
    while let Some(entry) = walk.next() {
        let entry = entry.map_err(|error| FleetError::Search {
            path: error.path().unwrap_or(root).to_owned(),
            reason: error
                .io_error()
                .map_or_else(|| "it cannot be listed".to_owned(), ToString::to_string),
        })?;
        if !entry.file_type().is_dir() {
            continue;
        }
        let name = entry.file_name().to_string_lossy();
        if entry.depth() > 0 && repository::is_skipped(&name) {
            walk.skip_current_dir();
        } else if project::is_project(entry.path()) {
            found.push(entry.path().to_owned());
            walk.skip_current_dir();
            if found.len() >= MAX_PROJECTS {
                break;
            }
        }
    }
    if found.is_empty() {
        return Err(FleetError::Empty { path: root.to_owned() });
    }
    Ok(found)
}
