//! A swap that the system does not allow.

use crate::conform::session::Event;
use crate::system::rights;

use super::super::lab::{ProbeCaller, examine};
use super::publication::GOOD;
use super::scene::Scene;
use crate::conform::probe::Probe;
use crate::families::agent_cli::conform::stop::{ProbeStep, Unfinished};
use crate::families::agent_cli::contract::FAMILY;

/// Permissions of a directory that everybody may read and nobody may write.
const CLOSED: u32 = 0o555;
const OPEN: u32 = 0o755;

pub const REPLACE: Probe = Probe {
    id: "cli.update-replace",
    section: "§14",
    title: "A directory that is not writable is E_FORBIDDEN, and the old program stays",
    why: "If the message names the directory, the user can fix it at once",
    fix: "stage the new program beside the old one, and map a permission error to its own code",
    run: |session| examine(session, replace),
    ..Probe::of(FAMILY)
};

fn replace(lab: &ProbeCaller<'_>) -> ProbeStep {
    let scene = Scene::start(lab)?;
    scene.publish(GOOD);
    let directory =
        scene.program.parent().ok_or_else(|| Unfinished::Blocked("no place".to_owned()))?;
    let blocked = |error: std::io::Error| {
        Unfinished::Blocked(format!("no directory can be made read-only for the tool: {error}"))
    };
    rights::set_mode(directory, CLOSED).map_err(blocked)?;
    let shot = scene.update_with(&[], Event::None, true);
    rights::set_mode(directory, OPEN).map_err(blocked)?;
    if let Err(why) = &shot.observed.ran {
        return Err(Unfinished::Blocked(format!(
            "no call can be made without the rights of root: {why}"
        )));
    }
    let stages = ["discover", "download", "replace"];
    let when = "an update in a directory that is not writable";
    scene.is_refused(&shot, "E_FORBIDDEN", &stages, when)?;
    shot.expect(shot.exit() == Some(4), format!("{when}: the exit code is not 4"))?;
    shot.expect(shot.at("/error/retryable") == false, format!("{when} is reported as transient"))
}
