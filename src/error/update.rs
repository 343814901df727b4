//! Faults of the self-update as failures: each says what to fix, then to run `aos update` again (agent-cli §14).

use std::io;
use std::path::Path;

use crate::report::{ErrorCode, Failure};
use crate::update::executable::ExecutableError;
use crate::update::fault::UpdateError;
use crate::update::install_method::{DriveCause, DriveError};
use crate::update::swap::{LockError, SwapError};

use super::{io_code, io_hint};

impl From<UpdateError> for Failure {
    fn from(error: UpdateError) -> Self {
        let stage = error.stage().name();
        Self::of_update(error).detail("stage", stage)
    }
}

impl Failure {
    fn of_update(error: UpdateError) -> Self {
        let message = error.to_string();
        match error {
            UpdateError::Release(error) => Self::from(error),
            UpdateError::Downgrade { .. } => Self::new(ErrorCode::Validation, message)
                .hint("add `--allow-downgrade` to install the older version")
                .detail("cause", "downgrade"),
            UpdateError::Detect(_) => Self::new(ErrorCode::Io, message)
                .hint("start aos by its full path, then run `aos update` again"),
            UpdateError::Lock(LockError::Held { holder }) => {
                Self::new(ErrorCode::Conflict, message)
                    .hint("wait until the other update ends, then run `aos update` again")
                    .detail("cause", "update_runs")
                    .detail("holder", holder)
            }
            UpdateError::Lock(LockError::Io { path, source }) => local(&message, &path, &source),
            UpdateError::NoState => Self::new(ErrorCode::Config, message)
                .hint("set HOME or AOS_HOME, then run `aos update` again"),
            UpdateError::Swap(error) => swap(error, &message),
            UpdateError::Program(error) => program(&error, &message),
            UpdateError::NewestOnly { command, .. } => Self::new(ErrorCode::Config, message)
                .hint(format!("omit `--target-version`, or run `{command}` yourself"))
                .detail("cause", "newest_only")
                .detail("command", command),
            UpdateError::Foreign { command, path, .. } => {
                let failure = Self::new(ErrorCode::Config, message)
                    .detail("cause", "foreign_manager")
                    .detail("path", path.display().to_string());
                match command {
                    Some(command) => failure
                        .hint(format!("run `{command}`, then `aos update` for the Skill"))
                        .detail("command", command),
                    None => failure.hint(
                        "update aos with the program that installed it, then run `aos update` for the Skill",
                    ),
                }
            }
            UpdateError::Manager { command, source } => manager(source, &command, &message),
        }
    }
}

/// A package manager that did not do it: the class of its complaint, and the command for a person.
fn manager(error: DriveError, command: &str, message: &str) -> Failure {
    let failure = |code: ErrorCode, cause: &str| {
        Failure::new(code, message)
            .hint(format!("run `{command}` and read its output, then run `aos update` again"))
            .detail("cause", cause)
            .detail("command", command)
    };
    match error {
        DriveError::Missing { .. } => failure(ErrorCode::Config, "manager_missing"),
        DriveError::Start { source, .. } => failure(io_code(&source), "manager_not_started"),
        DriveError::TimedOut { .. } => failure(ErrorCode::Timeout, "manager_timed_out"),
        DriveError::Failed { exit, cause, output, .. } => {
            let code = match cause {
                DriveCause::Permission => ErrorCode::Forbidden,
                DriveCause::Network => ErrorCode::Network,
                DriveCause::Other => ErrorCode::Io,
            };
            failure(code, "manager_failed")
                .detail("manager_exit", exit)
                .detail("manager_output", output)
        }
        DriveError::Unusable { output, .. } => {
            failure(ErrorCode::Config, "does_not_start").detail("manager_output", output)
        }
        DriveError::Unchanged { observed, output, .. } => failure(ErrorCode::Conflict, "unchanged")
            .detail("observed_version", observed.to_string())
            .detail("manager_output", output),
        DriveError::Interrupted => Failure::new(ErrorCode::Interrupted, message)
            .hint(format!("run `aos --version`; if it is the old version, run `{command}`"))
            .detail("command", command),
    }
}

fn swap(error: SwapError, message: &str) -> Failure {
    match error {
        SwapError::Prepare { path, source } => {
            let failure = local(message, &path, &source);
            match failure.code {
                ErrorCode::Forbidden => failure.hint(format!(
                    "run `aos update` as the owner of `{}`, or install aos again in your home directory, for example in ~/.local/bin",
                    path.display()
                )),
                _ => failure,
            }
        }
        SwapError::Stage { path, source } => local(message, &path, &source),
        // The rename itself: whatever its reason, the obstacle is on this disk.
        SwapError::Changed { .. } => Failure::new(ErrorCode::Integrity, message).hint(
            "another program wrote to the staged file; nothing was replaced. Find out which one before you try again",
        ),
        SwapError::Replace { path, source } => Failure::new(ErrorCode::Io, message)
            .hint(format!("check which program uses `{}` (such as a virus scanner), then run `aos update` again", path.display()))
            .detail("cause", "not_replaced")
            .detail("path", path.display().to_string())
            .detail("os_error", source.raw_os_error()),
        SwapError::Displaced { target, backup, .. } => {
            let (target, backup) = (target.display().to_string(), backup.display().to_string());
            Failure::new(ErrorCode::Io, message)
                .hint(format!("restore the old program: move \"{backup}\" \"{target}\""))
                .detail("cause", "rollback_failed")
                .detail("binary_replaced", serde_json::Value::Null)
                .detail("state", "the old program has its backup name, and its own path has no program")
                .detail("path", target)
                .detail("backup", backup)
        }
    }
}

fn program(error: &ExecutableError, message: &str) -> Failure {
    match error {
        ExecutableError::DoesNotRun { .. } | ExecutableError::TimedOut => {
            Failure::new(ErrorCode::Config, message)
                .hint("check that the archive is for this system, and that programs can run in the directory of aos (no `noexec`), then run `aos update` again")
                .detail("cause", "does_not_start")
        }
        ExecutableError::OtherVersion { .. } => Failure::new(ErrorCode::Integrity, message)
            .hint("do not retry; report it to the publisher of the release")
            .detail("cause", "other_version"),
        ExecutableError::Interrupted => {
            Failure::new(ErrorCode::Interrupted, message).hint("run the same command again")
        }
    }
}

/// A fault of this machine: which file, and how to fix it.
fn local(message: &str, path: &Path, source: &io::Error) -> Failure {
    Failure::new(io_code(source), message)
        .hint(format!("{}, then run `aos update` again", io_hint(source)))
        .detail("cause", "local")
        .detail("path", path.display().to_string())
}
