//! The directory a new project goes to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::plan::Plan;
use crate::report::{ErrorCode, Failure};
use crate::system::environment;
use crate::system::files::{self, Kind};

use crate::visible::{Visible, visible};

use super::plan::NewProject;

pub fn parent(dir: &Path) -> Result<PathBuf, Failure> {
    let given = if dir.is_absolute() {
        dir.to_owned()
    } else {
        environment::current_directory()
            .map_err(|error| {
                Failure::new(
                    ErrorCode::Io,
                    format!("the current directory cannot be used: {error}"),
                )
                .hint("run in a directory that exists")
            })?
            .join(dir)
    };
    files::canonical(&given).map_err(|error| {
        Failure::new(ErrorCode::NotFound, format!("`{}` cannot be used: {error}", dir.display()))
            .hint("create the directory first, or leave `--dir` out")
    })
}

pub enum TargetState {
    Free,
    Occupied,
}

pub fn target_state(target: &Path) -> Result<TargetState, Failure> {
    let look = |error: std::io::Error| {
        Failure::new(
            crate::error::io_code(&error),
            format!("`{}` cannot be looked at: {error}", target.display()),
        )
    };
    match files::kind(target).map_err(look)? {
        Kind::Absent => Ok(TargetState::Free),
        Kind::Directory if files::names(target).map_err(look)?.is_empty() => Ok(TargetState::Free),
        Kind::Directory => Ok(TargetState::Occupied),
        _ => Err(Failure::new(
            ErrorCode::Validation,
            format!("`{}` exists and is not a directory", target.display()),
        )
        .hint("move it away, or choose another `--dir`; nothing was changed")),
    }
}

/// Every file in the way is named before anything is written.
pub fn occupied(target: &Path, project: &NewProject, plan: &Plan) -> Failure {
    let differing: BTreeSet<_> = plan
        .edits()
        .iter()
        .filter(|edit| edit.before.is_some())
        .map(|edit| edit.path.to_string())
        .chain(plan.obstacles().iter().map(|obstacle| obstacle.path.to_string()))
        .collect();
    let message = match differing.len() {
        0 => format!("`{}` is not empty", target.display()),
        1 => format!(
            "`{}` is not empty, and one file differs from what aos would write",
            target.display()
        ),
        count => format!(
            "`{}` is not empty, and {count} files differ from what aos would write",
            target.display()
        ),
    };
    let mut failure = Failure::new(ErrorCode::Validation, message)
        .detail("path", target.display().to_string())
        .detail("collisions", differing.iter().cloned().collect::<Vec<_>>());
    failure.hint = Some(format!(
        "move `{}` away or choose another `--dir`; nothing was changed",
        project.tool()
    ));
    if !differing.is_empty() {
        failure.report =
            Some(Visible::joined(differing.iter().map(|path| visible!("  {}", path)), "\n"));
    }
    failure
}
