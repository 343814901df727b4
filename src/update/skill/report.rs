//! What a sync answers: one typed value, which commands turn into their documents.

use std::path::PathBuf;

use super::examination::{Examination, Examined};

/// How the installed Skill stands to the one that was asked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Status {
    /// It was right before; nothing was run.
    Current,
    /// It is right now.
    Synced,
    /// It is not, and should be.
    Failed,
    /// It was left alone on purpose.
    Skipped,
}

impl Status {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Synced => "synced",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// Why a sync failed or was skipped.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Cause {
    NpxMissing,
    NodeMissing,
    NodeTooOld,
    GitMissing,
    /// No home directory, so there is no place for the Skill.
    NoHome,
    /// The release has no Skill.
    NoManifest,
    /// `AOS_OFFLINE` is set.
    Offline,
    /// A place belongs to a developer.
    DeveloperLink,
    /// Changed files could not be kept, so they were not replaced.
    BackupFailed,
    /// npx could not be started.
    StartFailed,
    TimedOut,
    Interrupted,
    /// The registry or the repository could not be reached.
    Network,
    /// npx failed for another reason, and nothing is right.
    InstallerFailed,
    /// npx is content, but what is installed is not what it should be.
    VerifyMismatch,
    /// Only copies are wrong that `skills` does not write: a person must remove them.
    UnmanagedCopy,
}

impl Cause {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NpxMissing => "npx_missing",
            Self::NodeMissing => "node_missing",
            Self::NodeTooOld => "node_too_old",
            Self::GitMissing => "git_missing",
            Self::NoHome => "no_home",
            Self::NoManifest => "no_manifest",
            Self::Offline => "offline",
            Self::DeveloperLink => "developer_link",
            Self::BackupFailed => "backup_failed",
            Self::StartFailed => "start_failed",
            Self::TimedOut => "timed_out",
            Self::Interrupted => "interrupted",
            Self::Network => "network",
            Self::InstallerFailed => "installer_failed",
            Self::VerifyMismatch => "verify_mismatch",
            Self::UnmanagedCopy => "unmanaged_copy",
        }
    }
}

/// A copy of changed files.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Kept {
    /// Where the files were installed.
    pub place: PathBuf,
    pub backup: PathBuf,
}

/// The answer of a sync.
#[derive(Clone, Debug)]
pub struct SkillReport {
    pub status: Status,
    /// `None` unless the status is failed or skipped.
    pub cause: Option<Cause>,
    /// What a person can run to get the same.
    pub command: String,
    /// Digest of the list of files that should be installed.
    pub digest: String,
    /// Every place, as it was found last.
    pub places: Vec<Examined>,
    /// Places that do not hold what they must.
    pub stale_paths: Vec<PathBuf>,
    /// Copies that were made of changed files, in this run or an earlier one.
    pub backups: Vec<Kept>,
    /// Exit code of npx; `None` when it was not run or a signal ended it.
    pub exit: Option<i32>,
    /// The end of what npx said, without secrets.
    pub output_tail: String,
    pub notes: Vec<String>,
}

impl SkillReport {
    pub(super) fn new(digest: String, command: String) -> Self {
        Self {
            status: Status::Failed,
            cause: None,
            command,
            digest,
            places: Vec::new(),
            stale_paths: Vec::new(),
            backups: Vec::new(),
            exit: None,
            output_tail: String::new(),
            notes: Vec::new(),
        }
    }

    pub(super) fn found(&mut self, examination: &Examination) {
        self.stale_paths =
            examination.wrong().map(|examined| examined.place.path.clone()).collect();
        self.places.clone_from(&examination.places);
    }

    pub(super) fn ended(mut self, status: Status, cause: Option<Cause>) -> Self {
        self.status = status;
        self.cause = cause;
        self
    }

    pub(super) fn failed(self, cause: Cause) -> Self {
        self.ended(Status::Failed, Some(cause))
    }
}
