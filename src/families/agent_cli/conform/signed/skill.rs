//! The sync of the Skill after the swap, when its installer does not work.

use super::super::lab::{ProbeCaller, examine};
use super::publication::GOOD;
use super::scene::Scene;
use super::shims::{InstallPlace, Npx};
use crate::conform::probe::Probe;
use crate::families::agent_cli::conform::shot::Answered;
use crate::families::agent_cli::conform::stop::ProbeStep;
use crate::families::agent_cli::contract::FAMILY;

pub const SKILL_SYNC: Probe = Probe {
    id: "cli.update-skill-sync",
    section: "§14",
    title: "If the Skill installer fails, the result is partial and has the command to run, or reports what is installed",
    why: "The agent must know that it has a new tool and an old Skill",
    fix: "install the verified files, or return ok false, a retryable code, binary_replaced true and skill_sync_command",
    run: |session| examine(session, skill_sync),
    ..Probe::of(FAMILY)
};

fn skill_sync(lab: &ProbeCaller<'_>) -> ProbeStep {
    for (npx, when) in
        [(Npx::Missing, "an update without npx"), (Npx::Fails, "an update whose npx fails")]
    {
        let scene = Scene::with(lab, npx, InstallPlace::Plain)?;
        scene.publish(GOOD);
        let shot = scene.update(&[]);
        shot.expect(scene.is_new(), format!("{when} does not leave the new program"))?;
        // Without its installer a tool may leave the Skill uninstalled, or put the verified files there itself.
        if shot.is_ok() {
            is_honest(&scene, &shot, when)?;
        } else {
            is_partial(lab, &scene, &shot, when)?;
        }
        if npx == Npx::Fails {
            shot.expect(!scene.calls("npx").is_empty(), "npx was not called")?;
        }
        scene.is_clean(&shot, when)?;
    }
    Ok(())
}

/// Wants a success that says which of both it is.
fn is_honest(scene: &Scene<'_>, shot: &Answered, when: &str) -> ProbeStep {
    let status = shot.data()["skill_sync_status"].as_str().unwrap_or_default();
    let is_installed = scene.has_skill();
    let claims = status == "synced" || status == "current";
    shot.expect(
        claims == is_installed && !status.is_empty(),
        format!("{when}: `skill_sync_status` is `{status}`, but the Skill does not match it"),
    )
}

/// Wants a partial result.
fn is_partial(lab: &ProbeCaller<'_>, scene: &Scene<'_>, shot: &Answered, when: &str) -> ProbeStep {
    shot.expect(shot.at("/ok") == false, format!("{when} is a success"))?;
    shot.expect(shot.at("/error/retryable") == true, format!("{when} is reported as final"))?;
    let exits = [Some(7), Some(8)];
    shot.expect(exits.contains(&shot.exit()), format!("{when}: the exit code is neither 7 nor 8"))?;
    let details = shot.at("/error/details");
    for (name, keys) in &lab.contract.self_description.update {
        let wanted = ["failure_detail_keys", "partial_detail_keys"].contains(&name.as_str());
        for key in keys.iter().filter(|_| wanted) {
            let there = details.get(key.as_str()).is_some();
            shot.expect(there, format!("{when}: `error.details` has no `{key}`"))?;
        }
    }
    let newer = scene.newer().to_string();
    let target = details["target_version"].as_str().unwrap_or(&newer);
    for (key, found, wanted) in [
        ("stage", details["stage"].as_str().unwrap_or("nothing"), "skill_sync"),
        ("current_version", details["current_version"].as_str().unwrap_or("nothing"), &newer),
        ("target_version", target, &newer),
    ] {
        shot.expect(found == wanted, format!("{when}: `{key}` is `{found}`, not `{wanted}`"))?;
    }
    shot.expect(
        details["binary_replaced"] == true,
        format!("{when}: `binary_replaced` is not true"),
    )?;
    let available = details["update_available"] == true;
    shot.expect(!available, format!("{when}: `update_available` is true"))?;
    let command = details["skill_sync_command"].as_str().unwrap_or_default();
    shot.expect(
        command.contains(&newer),
        format!("{when}: `skill_sync_command` does not name the release that is installed"),
    )
}
