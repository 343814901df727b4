//! Releases with another signer, and lists of checksums that do not match their files.

use super::super::lab::{ProbeCaller, examine};
use super::publication::{LISTS, SIGNERS};
use super::scene::Scene;
use crate::conform::probe::Probe;
use crate::families::agent_cli::conform::stop::{ProbeStep, Unfinished};
use crate::families::agent_cli::contract::FAMILY;

pub const IDENTITY: Probe = Probe {
    id: "cli.update-identity",
    section: "§14",
    title: "A release that was not signed by this repository's release workflow at its tag is E_INTEGRITY",
    why: "Anyone can sign, so the identity of the signer matters",
    fix: "require exactly the repository, workflow, tag and issuer, without partial matches",
    run: |session| examine(session, |lab| refuses(lab, &SIGNERS, &["verify_signature"])),
    ..Probe::of(FAMILY)
};

pub const CHECKSUMS: Probe = Probe {
    id: "cli.update-checksums",
    section: "§14",
    title: "An archive that is not in the signed list, or has another digest there, is E_INTEGRITY",
    why: "The signature covers the list, so only the list identifies the archive",
    fix: "require the exact name of the archive exactly once, and compare the digest of the download",
    run: |session| examine(session, |lab| refuses(lab, &LISTS, &["verify_checksum"])),
    ..Probe::of(FAMILY)
};

/// Wants a refusal in one of these stages for every kind.
///
/// # Errors
/// Blocked at the end when the publisher did not make one of them.
pub fn refuses(lab: &ProbeCaller<'_>, kinds: &[&str], stages: &[&str]) -> ProbeStep {
    let scene = Scene::start(lab)?;
    let mut unknown = Vec::new();
    for kind in kinds {
        if !scene.publish(kind) {
            unknown.push(*kind);
            continue;
        }
        let when = format!("a release of the kind `{kind}`");
        let shot = scene.update(&[]);
        scene.is_refused(&shot, "E_INTEGRITY", stages, &when)?;
        shot.expect(scene.calls("npx").is_empty(), format!("{when} starts the sync of the Skill"))?;
    }
    if unknown.is_empty() {
        return Ok(());
    }
    Err(Unfinished::Blocked(format!(
        "the publisher makes no release of the kind `{}`",
        unknown.join("`, `")
    )))
}
