//! Projects below a directory, in a stable order.

use std::path::{Path, PathBuf};

use super::project;
use super::repository;
use crate::contract::Family;

/// Deepest directory that is searched.
const MAX_DEPTH: usize = 12;
/// Largest number of projects in a fleet.
const MAX_PROJECTS: usize = 100_000;

/// Why a fleet cannot be listed.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    #[error("`{}` cannot be searched: {reason}", path.display())]
    Search { path: PathBuf, reason: String },
    #[error("no project was found below `{}`", path.display())]
    Empty { path: PathBuf },
}

/// The projects found below a directory.
#[derive(Clone, Debug, Default)]
pub struct Fleet {
    /// Sorted by path.
    pub projects: Vec<PathBuf>,
    /// Directories that could not be searched, with the reason; projects may be in them.
    pub unsearched: Vec<(PathBuf, String)>,
}

impl Fleet {
    /// These projects, with nothing left to search.
    #[must_use]
    pub fn of(projects: Vec<PathBuf>) -> Self {
        Self { projects, unsearched: Vec::new() }
    }
}

/// Every project at or below `root`; a project's own subdirectories are not searched.
///
/// # Errors
/// If `root` cannot be read or contains no project: an empty fleet is never OK.
pub fn discover(root: &Path) -> Result<Fleet, FleetError> {
    let mut fleet = Fleet::default();
    let mut walk = walkdir::WalkDir::new(root)
        .follow_links(false)
        .max_depth(MAX_DEPTH)
        .sort_by_file_name()
        .into_iter();
    while let Some(entry) = walk.next() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let path = error.path().unwrap_or(root).to_owned();
                let reason = error
                    .io_error()
                    .map_or_else(|| "it cannot be listed".to_owned(), ToString::to_string);
                if error.depth() == 0 {
                    return Err(FleetError::Search { path, reason });
                }
                fleet.unsearched.push((path, reason));
                continue;
            }
        };
        let directory = entry.file_type().is_dir();
        let name = entry.file_name().to_string_lossy();
        if entry.depth() > 0 && repository::is_skipped(&name) {
            if directory {
                walk.skip_current_dir();
            }
        } else if is_candidate(&entry) && project::is_project(entry.path()) {
            if fleet.projects.len() == MAX_PROJECTS {
                let reason = format!("it contains more than {MAX_PROJECTS} projects");
                return Err(FleetError::Search { path: root.to_owned(), reason });
            }
            fleet.projects.push(entry.into_path());
            if directory {
                walk.skip_current_dir();
            }
        } else if directory && entry.depth() == MAX_DEPTH {
            fleet
                .unsearched
                .push((entry.into_path(), format!("it is more than {MAX_DEPTH} levels deep")));
        }
    }
    if fleet.projects.is_empty() && fleet.unsearched.is_empty() {
        return Err(FleetError::Empty { path: root.to_owned() });
    }
    Ok(fleet)
}

/// A directory, or a link with the name of a project: hosts pass over those, and a rule says so.
fn is_candidate(entry: &walkdir::DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    let prefixes = || Family::all().into_iter().map(Family::prefix);
    entry.file_type().is_dir()
        || entry.file_type().is_symlink()
            && prefixes().any(|prefix| !prefix.is_empty() && name.starts_with(prefix))
}
