//! The last stage: the Agent Skill of the version that runs now. Replacing the program is over by then, so every
//! failure here is a partial success, never a success.

use std::collections::BTreeMap;
use std::time::Duration;

use semver::Version;
use serde::Deserialize as _;
use serde_json::Value;

use crate::release::{Repository, Stage};
use crate::report::answers::update::{SkillBackup, SkillDifference, SkillPlace, SkillRepair};
use crate::report::{ErrorCode, Failure};
use crate::system::environment;
use crate::system::session::{self, Changes, Session, SessionEnding};
use crate::update::install_method::Installation;
use crate::update::skill::{
    self, Cause, Live, SkillManifest, SkillReport, SkillRequest, Status, Verified,
};

use super::state::UpdateState;

/// The files that the installed Skill must have.
pub enum ExpectedSkill {
    /// The Skill of the running program.
    Embedded,
    /// The Skill in the archive from which the new program came; paths are below its directory.
    Archive(BTreeMap<String, Vec<u8>>),
}

/// The command that installs the Skill of `version`, verified.
pub fn command(version: &Version) -> String {
    skill::command(version)
}

/// Whether the installed Skill is that of the running program; nothing is started.
pub fn looked_at() -> &'static str {
    match skill::examine(&SkillManifest::embedded(), &[]) {
        Some(found) if found.is_current() => "current",
        Some(found) if found.places.is_empty() => "not_installed",
        Some(_) => "stale",
        None => "unknown",
    }
}

/// The state of the Skill, for `data`.
#[derive(Clone, Debug, Default)]
pub struct SkillAnswer {
    pub status: String,
    pub command: Option<String>,
    pub digest: Option<String>,
    pub places: Vec<SkillPlace>,
    pub backups: Vec<SkillBackup>,
    pub notes: Vec<String>,
}

/// Brings the Skill to `version`.
///
/// # Errors
/// Returns an error if it is not there afterwards.
pub fn sync(
    own: &Repository,
    version: &Version,
    expected: ExpectedSkill,
    state: &mut UpdateState,
) -> Result<SkillAnswer, Failure> {
    let (expected, known) = match expected {
        ExpectedSkill::Embedded => (Verified::embedded(), Vec::new()),
        ExpectedSkill::Archive(files) => (Verified::new(files), vec![SkillManifest::embedded()]),
    };
    let request = SkillRequest { repository: own, version, expected: &expected, known: &known };
    let report = skill::sync(&request);
    state.skill_status = report.status.name().to_owned();
    match report.status {
        Status::Current | Status::Synced | Status::Skipped | Status::NotInstalled => {
            Ok(SkillAnswer {
                status: report.status.name().to_owned(),
                command: Some(report.command.clone()),
                digest: Some(report.digest.clone()),
                places: places(&report),
                backups: backups(&report),
                notes: report.notes,
            })
        }
        Status::Failed => {
            state.skill_command = Some(report.command.clone());
            Err(failure(&report))
        }
    }
}

fn failure(report: &SkillReport) -> Failure {
    let stale: Vec<_> = report.stale_paths.iter().map(|path| path.display().to_string()).collect();
    unsynced(report.cause, worst(report))
        .detail("skill_digest", report.digest.as_str())
        .detail("skill_places", places(report))
        .detail("stale_paths", stale)
        .detail("skill_backups", backups(report))
        .detail("skill_repairs", repairs(report))
        .detail("skill_live", live(report))
        .detail("installer_exit", report.exit)
        .detail("installer_output", report.output_tail.as_str())
        .detail("notes", report.notes.clone())
}

/// Returns the code that leads to the right reaction. A cause that never passes by itself is not retryable.
fn code(cause: Option<Cause>) -> ErrorCode {
    match cause {
        Some(Cause::VerifyMismatch) => ErrorCode::Integrity,
        Some(Cause::Interrupted) => ErrorCode::Interrupted,
        Some(Cause::TimedOut) => ErrorCode::Timeout,
        Some(Cause::NoManifest) => ErrorCode::NotFound,
        Some(Cause::BackupFailed | Cause::NotWritten) => ErrorCode::Io,
        Some(
            Cause::NpxMissing
            | Cause::NodeMissing
            | Cause::NodeTooOld
            | Cause::GitMissing
            | Cause::NoHome
            | Cause::Offline
            | Cause::DeveloperLink
            | Cause::StartFailed
            | Cause::UnmanagedCopy,
        ) => ErrorCode::Config,
        Some(Cause::Network) | None => ErrorCode::SkillSync,
    }
}

/// A failure of this stage; `live` says what agents read, when foreign files were found.
fn unsynced(cause: Option<Cause>, live: Option<Live>) -> Failure {
    let name = cause.map_or("unknown", Cause::name);
    let message = match (cause, live) {
        (Some(Cause::VerifyMismatch), live) => format!(
            "the installed Skill is not the signed one; {}; integrity failure: do NOT retry, report it",
            match live {
                Some(Live::Verified) => "it was replaced with the signed files",
                Some(Live::Previous) => "it was replaced with the previous files",
                Some(Live::Absent) => "it was moved to a place where agents do not read it",
                Some(Live::Foreign) | None => "agents may still read it",
            }
        ),
        _ => format!("its Skill was not updated ({})", name.replace('_', " ")),
    };
    Failure::new(code(cause), message)
        .detail("stage", Stage::SkillSync.name())
        .detail("cause", name)
}

/// Returns what agents read now where foreign files were: the worst of all places; `None` if there were none.
fn worst(report: &SkillReport) -> Option<Live> {
    let order = [Live::Foreign, Live::Absent, Live::Previous, Live::Verified];
    order.into_iter().find(|live| report.repairs.iter().any(|repair| repair.live == *live))
}

/// The same as a word; without foreign files agents read what they did before.
fn live(report: &SkillReport) -> &'static str {
    worst(report).map_or("previous", Live::name)
}

/// Copies that were not the signed ones, and what is in their place now.
fn repairs(report: &SkillReport) -> Vec<SkillRepair> {
    let repair = |repair: &skill::Repair| SkillRepair {
        path: repair.path.display().to_string(),
        found_digest: repair.digest.clone(),
        differences: differences(&repair.differences),
        live: repair.live.name(),
        quarantine: repair.quarantine.as_ref().map(|path| path.display().to_string()),
    };
    report.repairs.iter().map(repair).collect()
}

fn differences(found: &[skill::ManifestDifference]) -> Vec<SkillDifference> {
    let difference = |difference: &skill::ManifestDifference| SkillDifference {
        path: difference.path.clone(),
        cause: difference.cause.name(),
    };
    found.iter().map(difference).collect()
}

/// Every installed copy and what it is.
pub fn places(report: &SkillReport) -> Vec<SkillPlace> {
    let place = |examined: &skill::Examined| SkillPlace {
        path: examined.place.path.display().to_string(),
        state: examined.state.name(),
        digest: examined.digest.clone(),
        differences: differences(&examined.differences),
    };
    report.places.iter().map(place).collect()
}

/// Copies of changed files that were made before they were replaced.
pub fn backups(report: &SkillReport) -> Vec<SkillBackup> {
    let backup = |kept: &skill::KeptCopy| SkillBackup {
        path: kept.place.display().to_string(),
        backup: kept.backup.display().to_string(),
    };
    report.backups.iter().map(backup).collect()
}

/// Lets the program that a manager has put in place bring its own Skill up to date: it alone knows what must be there.
///
/// # Errors
/// Returns an error if it could not, or does not answer.
pub fn delegated(
    installation: &Installation,
    version: &Version,
    state: &mut UpdateState,
) -> Result<SkillAnswer, Failure> {
    /// Longer than a sync may take.
    const LIMIT: Duration = Duration::from_secs(240);
    let target = version.to_string();
    let words = ["update", "--target-version", &target, "--json", "--compact", "--quiet"];
    let arguments = words.map(str::to_owned);
    let directory = environment::temporary_directory();
    let finished = session::run(&Session {
        program: &installation.program(),
        arguments: &arguments,
        directory: &directory,
        environment: &Changes::default(),
        limit: LIMIT,
    });
    "failed".clone_into(&mut state.skill_status);
    state.skill_command = Some(command(version));
    let finished = finished.map_err(|_| unsynced(Some(Cause::StartFailed), None))?;
    let envelope = envelope(&finished.tail);
    let told = |value: &Value, name: &str| value[name].as_str().map(str::to_owned);
    let data = &envelope["data"];
    // Only what a success can be is believed, and only from a program that ended as one.
    let status = told(data, "skill_sync_status").filter(|status| {
        ["current", "synced", "skipped", "not_installed"].contains(&status.as_str())
    });
    if let (true, SessionEnding::Exited(Some(0)), Some(status)) =
        (envelope["ok"] == true, finished.ending, status)
    {
        state.skill_status.clone_from(&status);
        state.skill_command = None;
        return Ok(SkillAnswer {
            status,
            command: Some(command(version)),
            digest: told(data, "skill_digest"),
            places: Vec::new(),
            backups: Vec::<SkillBackup>::deserialize(&data["skill_backups"]).unwrap_or_default(),
            notes: Vec::new(),
        });
    }
    let details = &envelope["error"]["details"];
    let cause = match finished.ending {
        SessionEnding::Interrupted => Some(Cause::Interrupted),
        SessionEnding::TimedOut => Some(Cause::TimedOut),
        SessionEnding::Exited(_) => told(details, "cause").and_then(|cause| Cause::named(&cause)),
    };
    let live = told(details, "skill_live").and_then(|live| Live::named(&live));
    let failure = unsynced(cause, live);
    Err(match live {
        Some(live) => failure.detail("skill_live", live.name()),
        None => failure,
    })
}

/// Returns the envelope in the output of a program: the last line that is one. Launchers write their own notes.
fn envelope(said: &[u8]) -> Value {
    let text = String::from_utf8_lossy(said);
    let mut lines = text.lines().rev().filter(|line| line.starts_with('{'));
    lines.find_map(|line| serde_json::from_str(line).ok()).unwrap_or_default()
}
