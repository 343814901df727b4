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
    title: "An archive with a way out, a link, no program or no end is refused, and nothing of it is written",
    why: "A workflow that was taken over signs what it is given; unpacking is the last line",
    fix: "Read entry by entry, take the one plain file with the exact name, bound what is unpacked",
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
        shot.expect(!escaped, format!("{when} writes outside of its place"))?;
    }
    if unknown.is_empty() {
        return Ok(());
    }
    Err(Unfinished::Blocked(format!(
        "the publisher makes no release of the kind `{}`",
        unknown.join("`, `")
    )))
}
