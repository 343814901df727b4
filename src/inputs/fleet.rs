//! Projects below a directory, in a stable order, with what was passed over and what is a project no longer.

use std::path::{Path, PathBuf};

use super::fleet_file::{FleetFile, FleetFileError, tidy};
use super::project;
use super::repository;
use crate::contract::Family;
use crate::generate::record_origin::ARCHIVE_PATH;
use crate::system::{files, git};

/// Deepest directory that is searched.
const MAX_DEPTH: usize = 12;
/// Largest number of projects in a fleet.
const MAX_PROJECTS: usize = 100_000;
/// How far a directory of a tool is searched for projects that are passed over, in levels and entries.
const MAX_PASSED_DEPTH: usize = 3;
const MAX_PASSED_ENTRIES: usize = 5_000;
/// Directories that hold no project of anybody.
const NEVER: &[&str] = &[
    ".git",
    ".hg",
    "node_modules",
    "__pycache__",
    ".pytest_cache",
    ".ruff_cache",
    ".mypy_cache",
    ".tox",
    ".aos-transaction",
];

/// Why a fleet cannot be listed.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    #[error("`{}` cannot be searched: {reason}", path.display())]
    Search { path: PathBuf, reason: String },
    #[error("`{}` does not exist", path.display())]
    Missing { path: PathBuf },
    #[error("no project was found below `{}`", path.display())]
    Empty { path: PathBuf },
    #[error(transparent)]
    File(#[from] FleetFileError),
}

/// The projects found below a directory.
#[derive(Clone, Debug, Default)]
pub struct Fleet {
    /// Where it was searched; `None` for projects that were named.
    pub root: Option<PathBuf>,
    /// The requirements for the fleet, if it has any.
    pub file: Option<FleetFile>,
    /// Sorted by path.
    pub projects: Vec<PathBuf>,
    /// Directories that could not be searched, with the reason; projects may be in them.
    pub unsearched: Vec<(PathBuf, String)>,
    /// Projects that are not judged, with the reason.
    pub passed_over: Vec<(PathBuf, String)>,
    /// Directories that have parts of a project, but nothing that makes them one, with the reason.
    pub lost: Vec<(PathBuf, String)>,
}

impl Fleet {
    /// These projects, with nothing left to search.
    #[must_use]
    pub fn of(projects: Vec<PathBuf>) -> Self {
        Self { projects, ..Self::default() }
    }

    /// The path of a project below the root of the fleet.
    #[must_use]
    pub fn member(&self, path: &Path) -> String {
        let inner =
            self.root.as_deref().and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path);
        let text = inner.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
        tidy(&text).to_owned()
    }
}

/// Every project at or below `root`. Projects inside a project are found when that one is read.
///
/// # Errors
/// If `root` cannot be read or contains no project: an empty fleet is never OK.
pub fn discover(root: &Path) -> Result<Fleet, FleetError> {
    let mut fleet =
        Fleet { root: Some(root.to_owned()), file: FleetFile::read(root)?, ..Fleet::default() };
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
                let is_missing = error
                    .io_error()
                    .is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound);
                if error.depth() == 0 && is_missing {
                    return Err(FleetError::Missing { path });
                }
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
        let excluded = entry.depth() > 0 && {
            let member = fleet.member(entry.path());
            fleet.file.as_ref().is_some_and(|file| file.excludes(&member))
        };
        if excluded || entry.depth() > 0 && fleet.is_of_a_tool(&entry) {
            if directory {
                let reason = if excluded {
                    "aos-fleet.toml excludes it"
                } else {
                    "it is in a directory of a tool, and git does not track it"
                };
                fleet.pass_over(entry.path(), reason);
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
        } else if directory && let Some(reason) = lost(entry.path()) {
            fleet.lost.push((entry.into_path(), reason));
        }
    }
    let is_empty =
        fleet.projects.is_empty() && fleet.unsearched.is_empty() && fleet.lost.is_empty();
    let expects = fleet.file.as_ref().is_some_and(|file| !file.members.is_empty());
    if is_empty && !expects {
        return Err(FleetError::Empty { path: root.to_owned() });
    }
    Ok(fleet)
}

impl Fleet {
    /// True if a directory belongs to a tool. A directory that git tracks belongs to the people who added it.
    fn is_of_a_tool(&self, entry: &walkdir::DirEntry) -> bool {
        let name = entry.file_name().to_string_lossy();
        if !repository::is_skipped(&name) {
            return false;
        }
        let tracked = || {
            let above = entry.path().parent().filter(|above| !above.as_os_str().is_empty());
            git::tracks(above.unwrap_or(Path::new(".")), &name)
        };
        !entry.file_type().is_dir() || NEVER.contains(&&*name) || tracked() == Some(false)
    }

    /// Names the projects in a directory that is not searched.
    fn pass_over(&mut self, directory: &Path, reason: &str) {
        let name = directory.file_name().unwrap_or_default().to_string_lossy();
        if NEVER.contains(&&*name) {
            return;
        }
        let walk = walkdir::WalkDir::new(directory)
            .follow_links(false)
            .max_depth(MAX_PASSED_DEPTH)
            .sort_by_file_name();
        let places = walk.into_iter().take(MAX_PASSED_ENTRIES).filter_map(Result::ok);
        let places =
            places.filter(|entry| entry.file_type().is_dir() && project::is_project(entry.path()));
        self.passed_over.extend(places.map(|entry| (entry.into_path(), reason.to_owned())));
    }
}

/// Returns the evidence that a directory was a project once.
fn lost(directory: &Path) -> Option<String> {
    let has = |name: &str| {
        !matches!(files::kind(&directory.join(name)), Ok(files::Kind::Absent) | Err(_))
    };
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    let is_named = Family::all()
        .into_iter()
        .any(|family| !family.prefix().is_empty() && name.starts_with(family.prefix()));
    if has(".agent/spec.lock") {
        return Some("it has a lock, but no aos.toml and no pin".to_owned());
    }
    if has(ARCHIVE_PATH) {
        return Some("it has the archive of its template, but no aos.toml".to_owned());
    }
    (is_named && has("agent-harness"))
        .then(|| "it has an agent-harness, but no manifest and no aos.toml".to_owned())
}

/// A directory, or a link with the name of a project: hosts pass over those, and a rule says so.
fn is_candidate(entry: &walkdir::DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    let prefixes = || Family::all().into_iter().map(Family::prefix);
    entry.file_type().is_dir()
        || entry.file_type().is_symlink()
            && prefixes().any(|prefix| !prefix.is_empty() && name.starts_with(prefix))
}

/// Returns the reason why a directory inside a project is not checked as a project of the fleet.
#[must_use]
pub fn is_elsewhere(directory: &Path) -> Option<&'static str> {
    if !project::is_project(directory) {
        return Some("it is the source of a runtime, not a project");
    }
    match git::directory(directory) {
        Some((_, Ok(git))) if git::common_directory(&git) != git => {
            Some("it is another worktree of the repository")
        }
        _ => None,
    }
}
