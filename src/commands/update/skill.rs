//! The last stage: the Agent Skill of the version that runs now. Replacing the program is over by then, so whatever
//! goes wrong here is a partial success, never a success.

use std::collections::BTreeMap;

use semver::Version;

use crate::release::{Repository, Stage};
use crate::report::{ErrorCode, Failure};
use crate::update::skill::{self, Manifest, SkillReport, SkillRequest, SkillStatus};

use super::Job;
use super::state::State;

/// What the installed Skill must be.
pub enum Expected {
    /// That of the running program.
    Embedded,
    /// That of the archive the new program came from.
    Archive(BTreeMap<String, Vec<u8>>),
}

/// The command that installs the Skill of `version`.
pub fn command(own: &Repository, version: &Version) -> String {
    skill::command(own, version)
}

/// Status of the Skill as `data` and `details` spell it.
pub fn name(status: SkillStatus) -> &'static str {
    match status {
        SkillStatus::Current => "current",
        SkillStatus::Synced => "synced",
        SkillStatus::Failed => "failed",
        SkillStatus::Skipped => "skipped",
    }
}

/// Whether the installed Skill is that of the running program; nothing is started.
pub fn looked_at() -> &'static str {
    if skill::examine(&Manifest::embedded()).is_current() { "current" } else { "stale" }
}

/// Brings the Skill to `version`.
///
/// # Errors
/// When it is not there afterwards.
pub fn sync(
    job: &Job<'_>,
    version: &Version,
    expected: Expected,
    state: &mut State,
) -> Result<SkillReport, Failure> {
    let embedded = Manifest::embedded();
    let (expected, known) = match expected {
        Expected::Embedded => (embedded, Vec::new()),
        Expected::Archive(files) => (
            Manifest::of_files(files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))),
            vec![embedded],
        ),
    };
    let request =
        SkillRequest { repository: &job.own, version, expected: &expected, known: &known };
    let report = skill::sync(&request);
    state.skill_status = name(report.status);
    match report.status {
        SkillStatus::Current | SkillStatus::Synced | SkillStatus::Skipped => Ok(report),
        SkillStatus::Failed => {
            state.skill_command = Some(report.command.clone());
            Err(failure(&report))
        }
    }
}

fn failure(report: &SkillReport) -> Failure {
    let cause = report.cause.unwrap_or("unknown");
    let code = match cause {
        "interrupted" => ErrorCode::Interrupted,
        "timed_out" => ErrorCode::Timeout,
        _ => ErrorCode::SkillSync,
    };
    let paths = |paths: &[std::path::PathBuf]| -> Vec<String> {
        paths.iter().map(|path| path.display().to_string()).collect()
    };
    let mut failure = Failure::new(code, format!("its Skill was not synced ({cause})"))
        .detail("stage", Stage::SkillSync.name())
        .detail("cause", cause)
        .detail("skill_digest", report.digest.as_str())
        .detail("skill_paths", paths(&report.places))
        .detail("stale_paths", paths(&report.stale_paths))
        .detail("output", report.output_tail.as_str());
    if let Some(exit) = report.exit {
        failure = failure.detail("installer_exit", exit);
    }
    if let Some(backup) = &report.backup {
        failure = failure.detail("skill_backup", backup.display().to_string());
    }
    failure
}
