//! The directory a new project goes to.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use crate::apply;
use crate::plan::Plan;
use crate::report::{ErrorCode, Failure};
use crate::system::environment;
use crate::system::files::{self, Kind};

use crate::visible::{Visible, visible};

use super::request::NewRequest;

/// Files that a host puts into a new repository.
const OF_A_HOST: [&str; 5] = [".git", ".gitignore", ".gitattributes", "readme", "license"];

/// The location of the project.
pub struct NewPlace {
    pub target: PathBuf,
    /// Directories above the target that must be made, the outermost first.
    pub missing: Vec<PathBuf>,
    pub state: TargetState,
    pub notes: Vec<String>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TargetState {
    /// Nothing, or an empty directory that one rename replaces.
    Free,
    /// A directory that stays, with what is in it.
    Filled,
}

impl NewPlace {
    /// Finds the directory for a project called `tool`.
    ///
    /// # Errors
    /// Returns an error if something that is not a directory is in the way.
    pub fn find(args: &NewRequest, tool: &str) -> Result<Self, Failure> {
        let (given, mut missing) = resolve(&args.dir, "--dir")?;
        let mut notes = Vec::new();
        let is_named_so = given.file_name().is_some_and(|name| name == tool);
        let itself = args.here || is_named_so && (!missing.is_empty() || is_fresh(&given));
        let target = if itself { given.clone() } else { given.join(tool) };
        if itself {
            missing.pop();
            if !args.here {
                notes.push(format!(
                    "`{}` has the name of the tool, so the project was put into it",
                    given.display()
                ));
            }
        } else if missing.is_empty() && is_fresh_repository(&given) {
            notes.push(format!(
                "`{}` is a new repository; use `--here` to put the project into it",
                given.display()
            ));
        }
        let state = target_state(&target)?;
        Ok(Self { target, missing, state, notes })
    }

    /// Takes `target` itself, which must have nothing in it; `option` is what the caller gave it with.
    ///
    /// # Errors
    /// Returns an error if something is in the way.
    pub fn vacant(target: &Path, option: &str) -> Result<Self, Failure> {
        let (target, mut missing) = resolve(target, option)?;
        missing.pop();
        let state = target_state(&target)?;
        if state == TargetState::Filled {
            let is_empty = files::names(&target).is_ok_and(|names| names.is_empty());
            let reason = if is_empty { "is the current directory" } else { "is not empty" };
            let message = format!("`{}` {reason}", target.display());
            return Err(Failure::new(ErrorCode::Validation, message).hint(format!(
                "pass a directory to `{option}` that does not exist or is empty; nothing was changed"
            )));
        }
        Ok(Self { target, missing, state, notes: Vec::new() })
    }

    /// The directory that the target is in.
    pub fn parent(&self) -> &Path {
        self.target.parent().unwrap_or(&self.target)
    }

    /// Makes the directories above the target.
    ///
    /// # Errors
    /// As the system says; those made before are gone again then.
    pub fn make_missing(&self) -> Result<(), Failure> {
        apply::create_directories(&self.missing).map_err(|(directory, error)| {
            Failure::new(
                crate::error::io_code(&error),
                format!("`{}` cannot be created: {error}", directory.display()),
            )
            .hint("choose another `--dir`; nothing was changed")
        })
    }

    /// Removes them again, as far as they are empty.
    pub fn remove_missing(&self) {
        apply::remove_empty_directories(&self.missing);
    }
}

/// The real place of `dir`, and what of it does not exist yet.
fn resolve(dir: &Path, option: &str) -> Result<(PathBuf, Vec<PathBuf>), Failure> {
    let here = environment::current_directory().map_err(|error| {
        Failure::new(ErrorCode::Io, format!("the current directory cannot be used: {error}"))
            .hint("run the command in an existing directory")
    })?;
    let unusable = |code: ErrorCode, reason: &str| {
        Failure::new(code, format!("`{}` cannot be used: {reason}", dir.display())).hint(format!(
            "pass a path in an existing directory to `{option}`; nothing was changed"
        ))
    };
    let full = here.join(dir);
    let mut existing = full.as_path();
    let mut rest = Vec::new();
    let real = loop {
        match files::canonical(existing) {
            Ok(real) => break real,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                // A link to nowhere is not a missing directory.
                if !matches!(files::kind(existing), Ok(Kind::Absent)) {
                    let reason = format!("`{}` is a broken link", existing.display());
                    return Err(unusable(ErrorCode::NotFound, &reason));
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {}
            Err(error) => return Err(unusable(crate::error::io_code(&error), &error.to_string())),
        }
        match (existing.components().next_back(), existing.parent()) {
            (Some(Component::Normal(name)), Some(parent)) => {
                rest.push(name.to_owned());
                existing = parent;
            }
            _ => return Err(unusable(ErrorCode::NotFound, "it does not exist")),
        }
    };
    if !matches!(files::kind(&real), Ok(Kind::Directory)) {
        let reason = format!("`{}` is not a directory", real.display());
        return Err(unusable(ErrorCode::Validation, &reason));
    }
    let mut place = real;
    let mut missing = Vec::new();
    for name in rest.into_iter().rev() {
        place.push(name);
        missing.push(place.clone());
    }
    Ok((place, missing))
}

/// True if a directory contains only files that a host puts into a new repository.
fn is_fresh(directory: &Path) -> bool {
    let is_of_a_host = |name: &std::ffi::OsString| {
        let name = name.to_string_lossy().to_lowercase();
        let stem = name.strip_suffix(".md").or(name.strip_suffix(".txt")).unwrap_or(&name);
        OF_A_HOST.contains(&stem)
    };
    files::names(directory).is_ok_and(|names| names.iter().all(is_of_a_host))
}

fn is_fresh_repository(directory: &Path) -> bool {
    is_fresh(directory)
        && !matches!(files::kind(&directory.join(".git")), Ok(Kind::Absent) | Err(_))
}

/// True if a directory has the entries of a `.git` directory.
fn is_bare_repository(directory: &Path) -> bool {
    let kind = |name: &str| files::kind(&directory.join(name));
    matches!(kind("HEAD"), Ok(Kind::File { .. }))
        && ["objects", "refs"].iter().all(|name| matches!(kind(name), Ok(Kind::Directory)))
}

fn target_state(target: &Path) -> Result<TargetState, Failure> {
    let look = |error: std::io::Error| {
        Failure::new(
            crate::error::io_code(&error),
            format!("`{}` cannot be read: {error}", target.display()),
        )
        .hint("choose a directory that you can read with `--dir`; nothing was changed")
    };
    let reason = match files::kind(target).map_err(look)? {
        Kind::Absent => return Ok(TargetState::Free),
        Kind::Directory if is_bare_repository(target) => {
            "is a bare repository, which has no working tree"
        }
        Kind::Directory => {
            // The current directory of a shell must stay the same one.
            let is_current = environment::current_directory().is_ok_and(|here| here == target);
            let is_empty = files::names(target).map_err(look)?.is_empty();
            let is_free = is_empty && !is_current;
            return Ok(if is_free { TargetState::Free } else { TargetState::Filled });
        }
        Kind::Symlink => "is a symbolic link and not a directory",
        _ => "exists and is not a directory",
    };
    Err(Failure::new(ErrorCode::Validation, format!("`{}` {reason}", target.display()))
        .hint("move it away, or choose another `--dir`; nothing was changed"))
}

/// Every file in the way is named before anything is written. `record` is the one that makes the target a project.
pub fn occupied(target: &Path, record: Option<&str>, plan: &Plan) -> Failure {
    let differing: BTreeSet<_> = plan
        .edits()
        .iter()
        .filter(|edit| edit.before.is_some())
        .map(|edit| edit.path.to_string())
        .chain(plan.obstacles().iter().map(|obstacle| obstacle.path.to_string()))
        .collect();
    let reason = match (record, plan.obstacles().first()) {
        (Some(record), _) => format!("is already a project: it has `{record}`"),
        (None, Some(first)) => {
            format!("cannot contain the project: `{}`: {}", first.path, first.reason)
        }
        (None, None) => "is not empty".to_owned(),
    };
    let mut failure =
        Failure::new(ErrorCode::Validation, format!("`{}` {reason}", target.display()))
            .detail("path", target.display().to_string())
            .detail("collisions", differing.iter().cloned().collect::<Vec<_>>());
    failure.hint = Some(match record {
        Some(_) => "update it with `aos sync-spec` and `aos gen`, or choose another `--dir`; nothing was changed",
        None => "rename or move these files, or choose another `--dir`; nothing was changed",
    }.to_owned());
    if !differing.is_empty() {
        let paths = Visible::joined(differing.iter().map(|path| visible!("  {}", path)), "\n");
        failure.report =
            Some(visible!("These paths exist and differ from the new project:\n{}", paths));
    }
    failure
}
