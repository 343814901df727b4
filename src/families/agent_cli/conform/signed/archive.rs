//! Archives that are signed and listed, and that no release would have.

use super::super::lab::{ProbeCaller, examine};
use super::publication::ARCHIVES;
use super::scene::{Scene, finds};
use crate::conform::probe::Probe;
use crate::families::agent_cli::conform::stop::{ProbeStep, Unfinished};
use crate::families::agent_cli::contract::FAMILY;

/// The name in an entry that leads out of an archive; the publisher lets it lead less far up than the sandbox is.
const ESCAPED: &str = "aos-conform-escaped";

pub const ARCHIVE: Probe = Probe {
    id: "cli.update-archive",
    section: "§14",
    title: "An archive with a path outside, a link, no program or an unlimited size is refused, and nothing is written",
    why: "A compromised workflow can sign any archive, so unpacking must be safe too",
    fix: "read entry by entry, extract only the plain file with the exact name, and limit its size",
    run: |session| examine(session, archive),
    ..Probe::of(FAMILY)
};

fn archive(lab: &ProbeCaller<'_>) -> ProbeStep {
    const STAGES: [&str; 3] = ["download", "verify_checksum", "replace"];
    let scene = Scene::start(lab)?;
    let mut unknown = Vec::new();
    for kind in ARCHIVES {
        if !scene.publish(kind) {
            unknown.push(kind);
            continue;
        }
        let when = format!("a release of the kind `{kind}`");
        let shot = scene.update(&[]);
        scene.is_refused(&shot, "E_INTEGRITY", &STAGES, &when)?;
        let escaped = finds(scene.sandbox.path(), ESCAPED);
        shot.expect(!escaped, format!("{when} writes outside of its directory"))?;
    }
    if unknown.is_empty() {
        return Ok(());
    }
    Err(Unfinished::Blocked(format!(
        "the publisher makes no release of the kind `{}`",
        unknown.join("`, `")
    )))
}
