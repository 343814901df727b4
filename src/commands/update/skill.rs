//! The last stage: the Agent Skill of the version that runs now. Replacing the program is over by then, so whatever
//! goes wrong here is a partial success, never a success.

use std::collections::BTreeMap;

use semver::Version;
use serde_json::{Value, json};

use crate::release::Stage;
use crate::report::{ErrorCode, Failure};
use crate::update::skill::{self, Cause, Manifest, SkillReport, SkillRequest, Status};

use super::Job;
use super::state::State;

/// What the installed Skill must be.
pub enum Expected {
    /// That of the running program.
    Embedded,
    /// That of the archive the new program came from; paths below its directory.
    Archive(BTreeMap<String, Vec<u8>>),
}

/// The command that installs the Skill of `version`.
pub fn command(job: &Job<'_>, version: &Version) -> String {
    let expected = Manifest::embedded();
    skill::command(&SkillRequest { repository: &job.own, version, expected: &expected, known: &[] })
}

/// Whether the installed Skill is that of the running program; nothing is started.
pub fn looked_at() -> &'static str {
    match skill::examine(&Manifest::embedded(), &[]) {
        Some(found) if found.is_current() => "current",
        Some(found) if found.places.is_empty() => "not_installed",
        Some(_) => "stale",
        None => "unknown",
    }
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
        Expected::Archive(files) => (Manifest::of(files), vec![embedded]),
    };
    let request =
        SkillRequest { repository: &job.own, version, expected: &expected, known: &known };
    let report = skill::sync(&request);
    state.skill_status = report.status.name();
    match report.status {
        Status::Current | Status::Synced | Status::Skipped => Ok(report),
        Status::Failed => {
            state.skill_command = Some(report.command.clone());
            Err(failure(&report))
        }
    }
}

fn failure(report: &SkillReport) -> Failure {
    let cause = report.cause.map_or("unknown", Cause::name);
    let code = match report.cause {
        Some(Cause::Interrupted) => ErrorCode::Interrupted,
        Some(Cause::TimedOut) => ErrorCode::Timeout,
        _ => ErrorCode::SkillSync,
    };
    let stale: Vec<_> = report.stale_paths.iter().map(|path| path.display().to_string()).collect();
    Failure::new(code, format!("its Skill was not synced ({})", cause.replace('_', " ")))
        .detail("stage", Stage::SkillSync.name())
        .detail("cause", cause)
        .detail("skill_digest", report.digest.as_str())
        .detail("skill_places", places(report))
        .detail("stale_paths", stale)
        .detail("skill_backups", backups(report))
        .detail("installer_exit", report.exit)
        .detail("installer_output", report.output_tail.as_str())
        .detail("notes", report.notes.clone())
}

/// Every installed copy and what it is.
pub fn places(report: &SkillReport) -> Vec<Value> {
    let place = |examined: &skill::Examined| {
        let differences: Vec<_> = examined
            .differences
            .iter()
            .map(|difference| json!({"path": difference.path, "cause": difference.cause.name()}))
            .collect();
        json!({
            "path": examined.place.path.display().to_string(),
            "state": examined.state.name(),
            "digest": examined.digest,
            "differences": differences,
        })
    };
    report.places.iter().map(place).collect()
}

/// Copies of changed files that were made before they were replaced.
pub fn backups(report: &SkillReport) -> Vec<Value> {
    report
        .backups
        .iter()
        .map(|kept| {
            json!({"path": kept.place.display().to_string(), "backup": kept.backup.display().to_string()})
        })
        .collect()
}
