//! The result of a sync, as a typed value for the responses of commands.

use std::path::PathBuf;

use super::examination::{Examined, SkillExamination};
use super::manifest::ManifestDifference;

/// The state of the installed Skill, compared with the requested one.
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
    /// It is nowhere, and cannot be installed here.
    NotInstalled,
}

impl Status {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Synced => "synced",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::NotInstalled => "not_installed",
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
    /// Changed files could not be backed up, so they were not replaced.
    BackupFailed,
    /// npx could not be started.
    StartFailed,
    TimedOut,
    Interrupted,
    /// The registry or the repository could not be reached.
    Network,
    /// The installed files are not the signed ones.
    VerifyMismatch,
    /// The verified files could not be written.
    NotWritten,
    /// Only copies are wrong that somebody made where `skills` does not write: a person must remove them.
    UnmanagedCopy,
}

/// The files that agents read now in a place to which the installer, or another program, had written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Live {
    /// The files of the verified release.
    Verified,
    /// The user's own files, as they were before.
    Previous,
    /// Nothing.
    Absent,
    /// Still the foreign files: they could not be moved.
    Foreign,
}

impl Live {
    /// Returns the value with this name, as another version of aos reports it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Verified, Self::Previous, Self::Absent, Self::Foreign];
        all.into_iter().find(|live| live.name() == name)
    }

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Previous => "previous",
            Self::Absent => "absent",
            Self::Foreign => "foreign",
        }
    }
}

/// A copy that was not the signed one although an installer had written it.
#[derive(Clone, Debug)]
pub struct Repair {
    pub path: PathBuf,
    /// The digest of the files that were found there.
    pub digest: Option<String>,
    pub differences: Vec<ManifestDifference>,
    pub live: Live,
    /// The location of the foreign files.
    pub quarantine: Option<PathBuf>,
}

impl Cause {
    /// The cause of this name, as another version of aos reports it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        const ALL: [Cause; 16] = [
            Cause::NpxMissing,
            Cause::NodeMissing,
            Cause::NodeTooOld,
            Cause::GitMissing,
            Cause::NoHome,
            Cause::NoManifest,
            Cause::Offline,
            Cause::DeveloperLink,
            Cause::BackupFailed,
            Cause::StartFailed,
            Cause::TimedOut,
            Cause::Interrupted,
            Cause::Network,
            Cause::VerifyMismatch,
            Cause::NotWritten,
            Cause::UnmanagedCopy,
        ];
        ALL.into_iter().find(|cause| cause.name() == name)
    }

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
            Self::VerifyMismatch => "verify_mismatch",
            Self::NotWritten => "not_written",
            Self::UnmanagedCopy => "unmanaged_copy",
        }
    }
}

/// A copy of changed files.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct KeptCopy {
    /// The directory in which the files were installed.
    pub place: PathBuf,
    pub backup: PathBuf,
}

/// The answer of a sync.
#[derive(Clone, Debug)]
pub struct SkillReport {
    pub status: Status,
    /// `None` when the Skill is right.
    pub cause: Option<Cause>,
    /// A command for people that installs it: a call of aos, which verifies.
    pub command: String,
    /// Digest of the list of files that should be installed.
    pub digest: String,
    /// Every place, as it was found last.
    pub places: Vec<Examined>,
    /// Copies that differ from the expected files.
    pub stale_paths: Vec<PathBuf>,
    /// Copies that were made of changed files, in this run or an earlier one.
    pub backups: Vec<KeptCopy>,
    /// Copies that were not the signed ones, and what is there now.
    pub repairs: Vec<Repair>,
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
            repairs: Vec::new(),
            exit: None,
            output_tail: String::new(),
            notes: Vec::new(),
        }
    }

    pub(super) fn found(&mut self, examination: &SkillExamination) {
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
