//! A signal in the later stages of an update: while the archive comes, and while the Skill is synced.

use std::time::Duration;

use crate::conform::session::{Event, Signal};

use super::super::lab::{ProbeCaller, examine};
use super::publication::GOOD;
use super::scene::Scene;
use super::shims::{InstallPlace, Npx};
use crate::conform::probe::Probe;
use crate::families::agent_cli::conform::shot::Answered;
use crate::families::agent_cli::conform::stop::ProbeStep;
use crate::families::agent_cli::contract::FAMILY;

/// Long enough for any reaction, short enough to be waited for.
const DELAY: Duration = Duration::from_secs(12);

pub const INTERRUPT: Probe = Probe {
    id: "cli.update-interrupt-late",
    section: "§14",
    title: "A signal during the download leaves the old version, and one after the replacement reports the new version",
    why: "After a signal, an agent must know which version is installed",
    fix: "track whether the program was replaced, and report it on every exit, including signals",
    run: |session| examine(session, interrupt),
    ..Probe::of(FAMILY)
};

fn interrupt(lab: &ProbeCaller<'_>) -> ProbeStep {
    let scene = Scene::start(lab)?;
    scene.publish(GOOD);
    scene.mark_archive(DELAY);
    let shot = scene.update_with(&[], Event::AtMark(Signal::Interrupt, 100), false);
    let when = "SIGINT while the archive is downloaded";
    ends_at_once(&shot, when)?;
    scene.is_refused(&shot, "E_INTERRUPTED", &["download"], when)?;

    let scene = Scene::with(lab, Npx::Waits, InstallPlace::Plain)?;
    scene.publish(GOOD);
    let shot = scene.update_with(&[], Event::AtMark(Signal::Interrupt, 200), false);
    let when = "SIGINT while the Skill is synced";
    ends_at_once(&shot, when)?;
    shot.expect(scene.is_new(), format!("{when} does not leave the new program"))?;
    shot.expect_code(&["E_INTERRUPTED"], when)?;
    let details = shot.at("/error/details");
    let stage = details["stage"] == "skill_sync";
    shot.expect(stage, format!("{when}: `stage` is not `skill_sync`"))?;
    let replaced = details["binary_replaced"] == true;
    shot.expect(replaced, format!("{when}: `binary_replaced` is not true"))?;
    let version = details["current_version"] == scene.newer().to_string().as_str();
    shot.expect(version, format!("{when}: `current_version` is not the new version"))?;
    scene.is_clean(&shot, when)
}

fn ends_at_once(shot: &Answered, when: &str) -> ProbeStep {
    let exit = shot.exit();
    shot.expect(exit == Some(130), format!("{when}: the exit code is not 130"))
}
