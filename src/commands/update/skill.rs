//! The last stage: the Agent Skill of the version that runs now. Replacing the program is over by then, so whatever
//! goes wrong here is a partial success, never a success.

use std::collections::BTreeMap;
use std::time::Duration;

use semver::Version;
use serde_json::{Value, json};

use crate::release::Stage;
use crate::report::{ErrorCode, Failure};
use crate::system::environment;
use crate::system::session::{self, Changes, Ending, Session};
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

/// What became of the Skill, for `data`.
#[derive(Clone, Debug, Default)]
pub struct SkillAnswer {
    pub status: String,
    pub command: Option<String>,
    pub digest: Value,
    pub places: Vec<Value>,
    pub backups: Vec<Value>,
    pub notes: Vec<String>,
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
) -> Result<SkillAnswer, Failure> {
    let embedded = Manifest::embedded();
    let (expected, known) = match expected {
        Expected::Embedded => (embedded, Vec::new()),
        Expected::Archive(files) => (Manifest::of(files), vec![embedded]),
    };
    let request =
        SkillRequest { repository: &job.own, version, expected: &expected, known: &known };
    let report = skill::sync(&request);
    state.skill_status = report.status.name().to_owned();
    match report.status {
        Status::Current | Status::Synced | Status::Skipped => Ok(SkillAnswer {
            status: report.status.name().to_owned(),
            command: Some(report.command.clone()),
            digest: report.digest.as_str().into(),
            places: places(&report),
            backups: backups(&report),
            notes: report.notes,
        }),
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
    unsynced(code, cause)
        .detail("skill_digest", report.digest.as_str())
        .detail("skill_places", places(report))
        .detail("stale_paths", stale)
        .detail("skill_backups", backups(report))
        .detail("installer_exit", report.exit)
        .detail("installer_output", report.output_tail.as_str())
        .detail("notes", report.notes.clone())
}

fn unsynced(code: ErrorCode, cause: &str) -> Failure {
    Failure::new(code, format!("its Skill was not synced ({})", cause.replace('_', " ")))
        .detail("stage", Stage::SkillSync.name())
        .detail("cause", cause)
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

/// Lets the program that a manager has put in place bring its own Skill up to date: it alone knows what must be there.
///
/// # Errors
/// When it could not, or does not answer.
pub fn delegated(
    job: &Job<'_>,
    version: &Version,
    state: &mut State,
) -> Result<SkillAnswer, Failure> {
    /// Longer than a sync may take.
    const LIMIT: Duration = Duration::from_secs(240);
    let target = version.to_string();
    let words = ["update", "--target-version", &target, "--json", "--compact", "--quiet"];
    let arguments = words.map(str::to_owned);
    let directory = environment::temporary_directory();
    let finished = session::run(&Session {
        program: &job.installation.program(),
        arguments: &arguments,
        directory: &directory,
        environment: &Changes::default(),
        limit: LIMIT,
    });
    "failed".clone_into(&mut state.skill_status);
    state.skill_command = Some(command(job, version));
    let finished = finished.map_err(|_| unsynced(ErrorCode::SkillSync, "start_failed"))?;
    let envelope = envelope(&finished.tail);
    let told = |value: &Value, name: &str| value[name].as_str().map(str::to_owned);
    let data = &envelope["data"];
    // Only what a success can be is believed, and only from a program that ended as one.
    let status = told(data, "skill_sync_status")
        .filter(|status| ["current", "synced", "skipped"].contains(&status.as_str()));
    if let (true, Ending::Exited(Some(0)), Some(status)) =
        (envelope["ok"] == true, finished.ending, status)
    {
        state.skill_status.clone_from(&status);
        state.skill_command = None;
        return Ok(SkillAnswer {
            status,
            command: Some(command(job, version)),
            digest: data["skill_digest"].clone(),
            places: Vec::new(),
            backups: data["skill_backups"].as_array().cloned().unwrap_or_default(),
            notes: Vec::new(),
        });
    }
    let details = &envelope["error"]["details"];
    let (code, cause) = match finished.ending {
        Ending::Interrupted => (ErrorCode::Interrupted, "interrupted".to_owned()),
        Ending::TimedOut => (ErrorCode::Timeout, "timed_out".to_owned()),
        Ending::Exited(_) => {
            let word = |symbol: char| symbol.is_ascii_lowercase() || symbol == '_';
            let cause = told(details, "cause").filter(|cause| cause.chars().all(word));
            (ErrorCode::SkillSync, cause.unwrap_or_else(|| "unknown".to_owned()))
        }
    };
    Err(unsynced(code, &cause))
}

/// The envelope in what a program said: its last line that is one. Launchers write notes of their own.
fn envelope(said: &[u8]) -> Value {
    let text = String::from_utf8_lossy(said);
    let mut lines = text.lines().rev().filter(|line| line.starts_with('{'));
    lines.find_map(|line| serde_json::from_str(line).ok()).unwrap_or_default()
}
