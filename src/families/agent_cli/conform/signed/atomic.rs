//! Probes of the remains of killed updates, of the last one and of those before it.

use std::time::Duration;

use crate::conform::session::{Event, Signal};
use crate::system::files;

use super::super::lab::{ProbeCaller, examine};
use super::publication::GOOD;
use super::scene::Scene;
use super::shims::{InstallPlace, Npx};
use crate::conform::probe::Probe;
use crate::families::agent_cli::conform::shot::Answered;
use crate::families::agent_cli::conform::stop::{ProbeStep, Unfinished};
use crate::families::agent_cli::contract::FAMILY;

/// In how many moments between the request for the archive and the end of the update it is killed.
const MOMENTS: u64 = 10;
/// The host holds an archive back for a moment, so that the first kill comes before it.
const HELD_BACK: Duration = Duration::from_millis(60);
/// Endings of files that earlier updates may have left beside a program, and that no update may use.
const LEFTOVERS: [&str; 4] = [".new", ".old", ".part", ".tmp"];
const PLANTED: &[u8] = b"#!/bin/sh\necho planted by aos conform\n";

pub const ATOMIC: Probe = Probe {
    id: "cli.update-atomic",
    section: "§14",
    title: "After a kill at any moment, the old or the new program is installed, and leftovers are not trusted",
    why: "A half-written program could not repair itself",
    fix: "stage under a new name in the same directory and rename once; never use existing files",
    run: |session| examine(session, atomic),
    ..Probe::of(FAMILY)
};

fn atomic(lab: &ProbeCaller<'_>) -> ProbeStep {
    leftovers(lab)?;
    let scene = Scene::start(lab)?;
    scene.publish(GOOD);
    scene.mark_archive(HELD_BACK);
    let shot = scene.update(&[]);
    shot.expect(scene.is_new(), "an update to a correctly signed release does not install it")?;
    // All of it is longer than its part after the mark: the last moments may come after the end.
    let whole = shot.observed.duration_ms();
    let mut last = None;
    for moment in 0..MOMENTS {
        let scene = Scene::start(lab)?;
        scene.publish(GOOD);
        scene.mark_archive(HELD_BACK);
        let after = whole * moment / MOMENTS;
        let shot = scene.update_with(&[], Event::AtMark(Signal::Kill, after), false);
        is_whole(&scene, &shot, "SIGKILL during an update")?;
        last = Some(scene);
    }
    let waiting = Scene::with(lab, Npx::Waits, InstallPlace::Plain)?;
    waiting.publish(GOOD);
    let shot = waiting.update_with(&[], Event::AtMark(Signal::Kill, 50), false);
    is_whole(&waiting, &shot, "SIGKILL while the Skill is synced")?;
    // A killed update must not prevent the next one.
    let Some(scene) = last.filter(Scene::is_old) else { return Ok(()) };
    let shot = scene.update(&[]);
    shot.expect(scene.is_new(), "the update after one that was killed does not install the release")
}

/// Wants one program or the other, and that it runs.
fn is_whole(scene: &Scene<'_>, shot: &Answered, when: &str) -> ProbeStep {
    let (old, new) = (scene.is_old(), scene.is_new());
    shot.expect(old || new, format!("{when} leaves neither the old program nor the new one"))?;
    let wanted = if new { scene.newer() } else { scene.current.clone() };
    let said = scene.run(&["--version"]);
    let runs = String::from_utf8_lossy(said.observed.stdout()).contains(&wanted.to_string());
    said.expect(runs, format!("the program does not run after {when}"))
}

fn leftovers(lab: &ProbeCaller<'_>) -> ProbeStep {
    let scene = Scene::start(lab)?;
    scene.publish(GOOD);
    let blocked =
        |error: std::io::Error| Unfinished::Blocked(format!("no file can be planted: {error}"));
    let name = scene.program.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let directory =
        scene.program.parent().ok_or_else(|| Unfinished::Blocked("no place".to_owned()))?;
    let relative = directory.strip_prefix(files::canonical(scene.sandbox.path()).map_err(blocked)?);
    let place = relative.ok().and_then(|path| path.to_str()).unwrap_or_default().to_owned();
    for end in LEFTOVERS {
        scene.sandbox.place(&format!("{place}/{name}{end}"), PLANTED).map_err(blocked)?;
    }
    scene.sandbox.place("canary", PLANTED).map_err(blocked)?;
    let canary = scene.sandbox.path().join("canary");
    scene.sandbox.link(&format!("{place}/.{name}.new"), &canary).map_err(blocked)?;
    let shot = scene.update(&[]);
    shot.expect(
        scene.is_new(),
        "with files of other updates in its directory, the program is not that of the release",
    )?;
    let kept = files::read(&canary, 4096).is_ok_and(|loaded| loaded.bytes == PLANTED);
    shot.expect(kept, "an update writes through a link in the directory of the program")
}
