//! The lines of `aos doctor` about aos itself: its version, its Skill, and whether a newer release is out.

use std::path::Path;

use semver::Version;

use crate::release::{ReleaseError, ReleasesApi, Repository, Stage};
use crate::report::Failure;
use crate::report::answers::doctor::DoctorCheck;
use crate::system::http::{Client, Limits};
use crate::system::{clock, environment, files, program};
use crate::update::install_method;
use crate::update::notice::{self, KnownRelease, Look, Notice};
use crate::update::severity;
use crate::update::skill::{self, SkillManifest};
use crate::workflows::asked;
use crate::workflows::update::agent;

/// The result of asking for the releases.
pub struct ReleaseLook {
    pub check: DoctorCheck,
    pub notices: Vec<Notice>,
}

/// The version of this program against the one that an installed Skill asks for (agent-cli §14).
pub fn version() -> DoctorCheck {
    let running = program::version();
    let installed = skill::examine(&SkillManifest::embedded(), &[]).unwrap_or_default();
    let newest = installed.places.iter().filter_map(|place| required(&place.place.real)).max();
    match (newest, Version::parse(running)) {
        (Some(required), Ok(version)) if version.cmp_precedence(&required).is_lt() => {
            DoctorCheck::fail(
                "min_version",
                format!("aos {running}, but an installed Skill needs {required} or newer"),
                "run `aos update`",
            )
        }
        _ => DoctorCheck::pass("min_version", format!("aos {running}")),
    }
}

/// `metadata.requires.min_version` of an installed Skill.
fn required(place: &Path) -> Option<Version> {
    /// Largest Skill text, in bytes.
    const MAX_TEXT: u64 = 1024 * 1024;
    let bytes = files::read(&place.join("SKILL.md"), MAX_TEXT).ok()?.bytes;
    let text = String::from_utf8(bytes).ok()?;
    let front = text.strip_prefix("---\n")?.split_once("\n---")?.0;
    let line = front.lines().find_map(|line| line.trim().strip_prefix("min_version:"))?;
    Version::parse(line.trim().trim_matches(['"', '\''])).ok()
}

/// The installed copies of the Skill against the one that belongs to this program.
pub fn skill() -> DoctorCheck {
    const NAME: &str = "skill_current";
    const FIX: &str = "run `aos update`";
    let Some(found) = skill::examine(&SkillManifest::embedded(), &[]) else {
        return DoctorCheck::warn(NAME, "no home directory", "set HOME");
    };
    let copies = found.places.len();
    if skill::is_unfinished() {
        let found = "an update was stopped while the Skill was being installed";
        return DoctorCheck::fail(NAME, found, FIX);
    }
    if copies == 0 {
        return DoctorCheck::warn(NAME, "the Skill is not installed", FIX);
    }
    let wrong: Vec<_> =
        found.wrong().map(|examined| examined.place.path.display().to_string()).collect();
    match wrong.as_slice() {
        [] => DoctorCheck::pass(NAME, format!("{copies} installed, each that of this version")),
        wrong => DoctorCheck::fail(
            NAME,
            format!(
                "{} of {copies} copies differ from this version: {}",
                wrong.len(),
                wrong.join(", ")
            ),
            FIX,
        ),
    }
}

/// Asks for the newest release, with a short time limit; a missing network is not a fault of this machine.
pub fn look() -> ReleaseLook {
    match newest() {
        Ok((running, latest)) if latest.version.cmp_precedence(&running).is_gt() => {
            let notices = remember(&running, &latest);
            let found = format!("{running}; {} is available", latest.version);
            ReleaseLook { check: DoctorCheck::warn("update", found, "run `aos update`"), notices }
        }
        Ok((running, latest)) => {
            let found = format!("{running} is the newest (the host has {})", latest.version);
            ReleaseLook { check: DoctorCheck::pass("update", found), notices: Vec::new() }
        }
        Err(failure) => {
            let found = format!("aos cannot check for a newer release: {}", failure.message);
            let fix = failure.hint.unwrap_or_else(|| "run `aos update --check`".to_owned());
            // The result of an earlier check is still useful.
            let known = notice::current(environment::state_directory(), program::version());
            ReleaseLook {
                check: DoctorCheck::warn("update", found, fix),
                notices: known.into_iter().collect(),
            }
        }
    }
}

fn newest() -> Result<(Version, crate::release::Release), Failure> {
    let running = asked::version(program::version())?;
    let own = Repository::own()
        .map_err(|error| Failure::new(crate::report::ErrorCode::Unknown, error.to_string()))?;
    let client = Client::new(&agent(), Limits::brief())
        .map_err(|error| ReleaseError { stage: Stage::Discover, fault: error.into() })?;
    Ok((running, ReleasesApi::from_environment(client)?.latest(&own)?))
}

/// Keeps the find for other commands. Its changelog was not looked at, so what was known about it before counts.
fn remember(running: &Version, latest: &crate::release::Release) -> Vec<Notice> {
    let Some(home) = environment::state_directory() else { return Vec::new() };
    let before = KnownRelease::load(&home);
    let same = before.as_ref().filter(|before| before.latest == latest.version);
    let graded = severity::grade(running, &latest.version, None);
    let severity = same.map_or(graded, |before| before.severity);
    let method = environment::current_executable()
        .ok()
        .and_then(|path| install_method::detect(&path).ok())
        .map_or("unknown", |installation| installation.method.name());
    let known = KnownRelease::seen(
        before.as_ref(),
        &Look { release: latest, severity, is_verified: false },
        method,
    );
    // If the result cannot be saved, the notice is shown now and not later.
    let _ = known.save(&home);
    known.notice(running, clock::now_seconds()).into_iter().collect()
}
