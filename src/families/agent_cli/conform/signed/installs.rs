//! A release that is signed well: what the answer says, and what is on the disk then.

use crate::conform::session::Event;
use crate::system::rights;

use super::super::lab::{ProbeCaller, examine};
use super::publication::GOOD;
use super::scene::Scene;
use super::shims::{InstallPlace, Npx};
use crate::conform::probe::Probe;
use crate::families::agent_cli::conform::shot::Answered;
use crate::families::agent_cli::conform::stop::{ProbeStep, Unfinished};
use crate::families::agent_cli::contract::FAMILY;

/// Another mode than that of a new file, so that it shows whether it was kept.
const MODE: u32 = 0o751;

pub const INSTALLS: Probe = Probe {
    id: "cli.update-installs",
    section: "§14",
    title: "A correctly signed release is installed byte for byte, and the response describes the new state",
    why: "Agents rely on the version in the response",
    fix: "verify, stage beside the real file, keep its mode, and rename; then ask the new program for its version",
    run: |session| examine(session, installs),
    ..Probe::of(FAMILY)
};

fn installs(lab: &ProbeCaller<'_>) -> ProbeStep {
    for place in [InstallPlace::Plain, InstallPlace::Linked] {
        let scene = Scene::with(lab, Npx::Installs, place)?;
        scene.publish(GOOD);
        let blocked =
            |error: std::io::Error| Unfinished::Blocked(format!("no modes here: {error}"));
        rights::set_mode(&scene.program, MODE).map_err(blocked)?;
        let mode = rights::mode(&scene.program).map_err(blocked)?;
        let link = scene.sandbox.program().and_then(rights::link_target);
        let shot = scene.update_with(&[], Event::None, false);
        says_the_truth(lab, &scene, &shot)?;
        shot.expect(scene.is_new(), "the program on disk is not the one of the release")?;
        let kept = rights::mode(&scene.program).map_err(blocked)?;
        shot.expect(kept == mode, "the new program has another mode than the old one")?;
        let now = scene.sandbox.program().and_then(rights::link_target);
        shot.expect(now == link, "the called link no longer leads to the program")?;
        scene.is_clean(&shot, "an update")?;
    }
    Ok(())
}

fn says_the_truth(lab: &ProbeCaller<'_>, scene: &Scene<'_>, shot: &Answered) -> ProbeStep {
    shot.expect(shot.is_ok(), "`update` to a correctly signed release fails")?;
    let data = shot.data();
    for (name, keys) in &lab.contract.self_description.update {
        for key in keys.iter().filter(|_| name.as_str() == "required_keys") {
            let there = data.get(key.as_str()).is_some();
            shot.expect(there, format!("the response has no `{key}`"))?;
        }
    }
    let (old, new) = (scene.current.to_string(), scene.newer().to_string());
    for (key, wanted) in [
        ("status", "updated"),
        ("previous_version", old.as_str()),
        ("current_version", new.as_str()),
        ("target_version", new.as_str()),
        ("signature_status", "verified"),
    ] {
        let found = data[key].as_str().unwrap_or("nothing");
        shot.expect(found == wanted, format!("`{key}` is `{found}`, not `{wanted}`"))?;
    }
    shot.expect(data["update_available"] == false, "`update_available` is not false")?;
    shot.expect(data["signature_verified"] == true, "`signature_verified` is not true")?;
    let checksum = data.get("checksum_verified");
    shot.expect(checksum.is_none_or(|it| it == true), "`checksum_verified` is not true")?;
    let sync = data["skill_sync_status"].as_str().unwrap_or_default();
    shot.expect(!sync.is_empty(), "`skill_sync_status` is empty")?;
    let next = format!("changelog --since {old}");
    shot.expect(data.to_string().contains(&next), format!("nothing advises to run `{next}`"))
}
