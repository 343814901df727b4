//! A swap that the system does not allow.

use crate::conform::session::Event;
use crate::system::rights;

use super::super::lab::{Lab, Outcome, Stop, examine};
use super::super::{PROBE, Probe};
use super::publication::GOOD;
use super::scene::Scene;

/// Nobody may write, everybody may look.
const CLOSED: u32 = 0o555;
const OPEN: u32 = 0o755;

pub const REPLACE: Probe = Probe {
    id: "cli.update-replace",
    section: "§14",
    title: "A directory that is not writable is E_FORBIDDEN, and the old program stays",
    why: "If the message names the directory, the user can fix it at once",
    fix: "Stage the new program beside the old one, and map a permission error to its own code",
    run: |session| examine(session, replace),
    ..PROBE
};

fn replace(lab: &Lab<'_>) -> Outcome {
    let scene = Scene::start(lab)?;
    scene.publish(GOOD);
    let directory = scene.program.parent().ok_or_else(|| Stop::Blocked("no place".to_owned()))?;
    let blocked = |error: std::io::Error| {
        Stop::Blocked(format!("no directory can be closed for the tool: {error}"))
    };
    rights::set_mode(directory, CLOSED).map_err(blocked)?;
    let shot = scene.update_with(&[], Event::None, true);
    rights::set_mode(directory, OPEN).map_err(blocked)?;
    if let Err(why) = &shot.observed.ran {
        return Err(Stop::Blocked(format!(
            "no call can be made without the rights of root: {why}"
        )));
    }
    let stages = ["discover", "download", "replace"];
    let when = "an update in a directory that may not be written";
    scene.is_refused(&shot, "E_FORBIDDEN", &stages, when)?;
    shot.expect(shot.exit() == Some(4), format!("{when} has another exit than 4"))?;
    shot.expect(shot.at("/error/retryable") == false, format!("{when} is told to be transient"))
}
