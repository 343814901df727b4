//! What stands on stdout: one document of one of two shapes.

use crate::contract::Family;

use super::super::probe::{Finding, Probe};
use super::super::session::Session;
use super::call;

pub(super) const ONE_DOCUMENT: Probe = Probe {
    id: "harness.one-document",
    family: Family::Harness,
    section: "§4",
    title: "With `--json`, stdout holds exactly one JSON document",
    why: "the host parses all of stdout; one warning line before the document makes the connector unusable",
    fix: "write warnings and progress to stderr, and print the envelope once",
    needs: &[],
    run: one_document,
};

fn one_document(session: &Session) -> Finding {
    let mut finding = Finding::pass();
    for observed in call::basics(session) {
        match observed.json() {
            Ok(_) => {}
            Err(why) if finding.evidence.is_empty() => {
                finding = Finding::fail(why.clone()).with(observed.evidence(why));
            }
            Err(why) => finding = finding.with(observed.evidence(why)),
        }
    }
    finding
}
