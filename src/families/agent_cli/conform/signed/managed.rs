//! A program that npm installed belongs to npm.

use super::super::lab::{ProbeCaller, examine};
use super::publication::GOOD;
use super::scene::{Scene, build_of};
use super::shims::{InstallPlace, Npx};
use crate::conform::probe::Probe;
use crate::families::agent_cli::conform::shot::Answered;
use crate::families::agent_cli::conform::stop::{ProbeStep, Unfinished};
use crate::families::agent_cli::contract::FAMILY;

pub const MANAGED: Probe = Probe {
    id: "cli.update-managed",
    section: "§14",
    title: "Only npm updates a program that npm installed, to the exact version",
    why: "npm would later overwrite a file that was changed without it",
    fix: "detect npm by its manifest, run npm install -g PACKAGE@VERSION, and ask the installed program for its version",
    run: |session| examine(session, managed),
    ..Probe::of(FAMILY)
};

fn managed(lab: &ProbeCaller<'_>) -> ProbeStep {
    let (_, build) = build_of(lab)?;
    let npm = build.npm.as_ref().ok_or_else(|| {
        Unfinished::NotApplicable(
            "conform.toml names no package of npm for the test build".to_owned(),
        )
    })?;
    let lookalike = Scene::with(lab, Npx::Installs, InstallPlace::LooksManaged)?;
    lookalike.publish(GOOD);
    let shot = lookalike.update(&["--check"]);
    let method = shot.at("/data/install_method").as_str().unwrap_or("nothing");
    shot.expect(
        ["standalone", "binary"].contains(&method),
        format!(
            "a program in a directory that npm does not know has the install_method `{method}`"
        ),
    )?;
    let wanted = format!("{}@{}", npm.package, lookalike.newer());

    let scene = Scene::with(lab, Npx::Installs, InstallPlace::Npm { works: true })?;
    scene.publish(GOOD);
    let shot = scene.update(&[]);
    installs(&scene, &shot, &wanted)?;
    shot.expect(shot.is_ok(), "an update by an npm that works fails")?;
    let newer = scene.newer().to_string();
    for (key, wanted) in [
        ("install_method", "npm"),
        ("status", "updated"),
        ("signature_status", "not_checked"),
        ("current_version", &newer),
    ] {
        let found = shot.data()[key].as_str().unwrap_or("nothing");
        shot.expect(found == wanted, format!("`{key}` is `{found}`, not `{wanted}`"))?;
    }
    let claims = shot.at("/data/signature_verified") == true;
    shot.expect(!claims, "`signature_verified` is true, but npm installed the program")?;

    let scene = Scene::with(lab, Npx::Installs, InstallPlace::Npm { works: false })?;
    scene.publish(GOOD);
    let shot = scene.update(&[]);
    installs(&scene, &shot, &wanted)?;
    shot.expect(scene.is_old(), "the program is changed although npm failed")?;
    shot.expect(!shot.is_ok(), "an update by an npm that fails is a success")?;
    let details = shot.at("/error/details");
    shot.expect(
        details["binary_replaced"] == false,
        "`binary_replaced` is not false after npm failed",
    )?;
    let said = shot.at("/error").to_string();
    shot.expect(
        said.contains(&wanted),
        "the failure does not name the command that a person must run",
    )
}

/// Wants exactly one call of npm, for this package in this version.
fn installs(scene: &Scene<'_>, shot: &Answered, wanted: &str) -> ProbeStep {
    let calls: Vec<_> = scene.calls("npm");
    let installing: Vec<_> = calls
        .iter()
        .filter(|call| {
            call.split(' ').any(|word| ["install", "i", "update", "add"].contains(&word))
        })
        .collect();
    let is_right = |call: &str| {
        let mut words = call.split(' ');
        words.clone().any(|word| word == wanted)
            && words.any(|word| ["-g", "--global", "--location=global"].contains(&word))
    };
    let fits = installing.len() == 1 && installing.iter().all(|call| is_right(call));
    shot.expect(fits, format!("npm is not called once to install `{wanted}` for all of its prefix"))
}
