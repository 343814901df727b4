//! The first commit of a new project: `git init`, `git add`, `git commit`, in the staged tree.

use std::path::Path;
use std::time::Duration;

use crate::report::answers::new::GitState;
use crate::system::files::{self, Kind};
use crate::system::process::{self, Invocation, ProcessError};

/// Longest time one git call may take.
const LIMIT: Duration = Duration::from_secs(10);
/// Settings that keep hooks, monitors, filters and ignore lists of this machine out in every call: the first commit is
/// exactly the tree that was made.
const OWN_SETTINGS: [&str; 10] = [
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.excludesFile=/dev/null",
    "-c",
    "core.attributesFile=/dev/null",
    "-c",
    "core.autocrlf=false",
];
/// Variables that would point git at another repository.
const FOREIGN: [&str; 11] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_TEMPLATE_DIR",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_QUARANTINE_PATH",
    "GIT_CONFIG_PARAMETERS",
];

/// The state of the repository.
#[derive(Clone, Debug)]
pub struct FirstCommit {
    pub initialised: bool,
    pub committed: bool,
    /// Why a step was left out; `None` when all was done.
    pub reason: Option<String>,
}

impl FirstCommit {
    /// Nothing was done, because of `reason`.
    #[must_use]
    pub fn none(reason: &str) -> Self {
        Self { initialised: false, committed: false, reason: Some(reason.to_owned()) }
    }

    #[must_use]
    pub fn state(&self) -> GitState {
        GitState {
            initialised: self.initialised,
            committed: self.committed,
            reason: self.reason.clone(),
        }
    }
}

/// True if `directory` is already inside a git repository; found without starting git.
#[must_use]
pub fn inside_repository(directory: &Path) -> bool {
    directory
        .ancestors()
        .any(|above| !matches!(files::kind(&above.join(".git")), Ok(Kind::Absent) | Err(_)))
}

/// Makes a repository of `tree` and commits everything in it.
#[must_use]
pub fn make(tree: &Path, tool: &str) -> FirstCommit {
    // No template directory: its hooks would run at the user's next commit.
    if let Err(reason) = git(tree, &["init", "--quiet", "--template=", "--initial-branch=main"]) {
        return FirstCommit::none(&reason.to_string());
    }
    let uncommitted = |reason: GitError| FirstCommit {
        initialised: true,
        committed: false,
        reason: Some(reason.to_string()),
    };
    if let Err(reason) = git(tree, &["add", "--all", "--force"]) {
        return uncommitted(reason);
    }
    let message = format!("Create {tool} with aos");
    let commit = ["commit", "--quiet", "--no-verify", "--no-gpg-sign", "--message", &message];
    match git(tree, &commit) {
        Ok(()) => FirstCommit { initialised: true, committed: true, reason: None },
        Err(reason) => uncommitted(reason),
    }
}

/// Why a step of git failed.
#[derive(Debug, thiserror::Error)]
enum GitError {
    #[error("git does not know who you are; set user.name and user.email, then commit")]
    NoIdentity,
    #[error("git failed: {0}")]
    Failed(String),
    #[error("git is not installed")]
    NotInstalled,
    #[error(transparent)]
    Process(ProcessError),
}

fn git(tree: &Path, arguments: &[&str]) -> Result<(), GitError> {
    let arguments = [&OWN_SETTINGS, arguments].concat();
    let invocation = Invocation {
        program: "git",
        arguments: &arguments,
        directory: tree,
        without: &FOREIGN,
        limit: LIMIT,
    };
    match process::run(&invocation) {
        Ok(output) if output.success => Ok(()),
        Ok(output) if is_identity_missing(&output.stderr) => Err(GitError::NoIdentity),
        Ok(output) => {
            let said = output.stderr.lines().last().unwrap_or("it failed without a message");
            Err(GitError::Failed(said.chars().take(200).collect()))
        }
        Err(ProcessError::NotFound { .. }) => Err(GitError::NotInstalled),
        Err(error) => Err(GitError::Process(error)),
    }
}

fn is_identity_missing(stderr: &str) -> bool {
    [
        "Please tell me who you are",
        "unable to auto-detect email",
        "empty ident name",
        "no email was given",
    ]
    .iter()
    .any(|sign| stderr.contains(sign))
}
