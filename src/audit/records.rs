//! Findings about the records of a project: aos.toml, pin, lock.

use crate::apply::journal;
use crate::contract::family::Marker;
use crate::contract::{Family, Finding};
use crate::generate::lock::LOCK_PATH;
use crate::generate::record::{PIN_PATH, RECORD_PATH};
use crate::inputs::project::{Project, Slot, TRANSACTION_DIRECTORY};

use super::rules;

/// Findings about pin, lock and record; empty if all three are valid.
#[must_use]
pub fn findings(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    if project.has_transaction {
        findings.push(match journal::look(&project.root) {
            Ok(_) => {
                let message = "an earlier run of aos was interrupted while it wrote".to_owned();
                let mut finding = rules::INTERRUPTED.finding(TRANSACTION_DIRECTORY, message);
                if project.family == Family::NONE {
                    finding.fix = "run `aos upgrade`; it first restores the old state".to_owned();
                }
                finding
            }
            Err(error) => rules::FOREIGN_STATE.finding(TRANSACTION_DIRECTORY, error.to_string()),
        });
    }
    for name in journal::pending(&project.root) {
        let message = format!("an interrupted run of aos left `{name}`");
        findings.push(rules::LEFTOVER.finding(&name, message));
    }
    for left in journal::left(&project.root) {
        let message = format!(
            "`{}` looks like a leftover of aos, but is not removed: {}",
            left.name, left.reason
        );
        findings.push(rules::FOREIGN_STATE.finding(&left.name, message));
    }
    if matches!(project.record, Slot::Absent) {
        let what = project.family.noun();
        let how = match project.family.marker() {
            Marker::File(path) => path,
            Marker::Rest | Marker::Record => "contract.json",
        };
        let message = format!(
            "there is no aos.toml: the {what} was checked by its {how}, and no managed file was compared"
        );
        findings.push(rules::NOT_ADOPTED.finding(RECORD_PATH, message));
        return findings;
    }
    if let Slot::Faulty { reason, line } = &project.record {
        let mut finding = rules::RECORD.finding(RECORD_PATH, reason.clone());
        finding.line = *line;
        findings.push(finding);
    }
    if project.family == Family::NONE {
        return findings;
    }
    match &project.pin {
        Slot::Good(_) => {}
        Slot::Absent => {
            findings.push(rules::PIN_MISSING.finding(PIN_PATH, "the pin does not exist".to_owned()))
        }
        Slot::Faulty { reason, line } => {
            let mut finding =
                rules::PIN_MALFORMED.finding(PIN_PATH, format!("the pin is not a tag: {reason}"));
            finding.line = *line;
            findings.push(finding);
        }
    }
    match &project.lock {
        Slot::Good(_) => {}
        Slot::Absent => findings
            .push(rules::LOCK_MISSING.finding(LOCK_PATH, "the lock does not exist".to_owned())),
        Slot::Faulty { reason, line } => {
            let mut finding = rules::LOCK_MALFORMED.finding(LOCK_PATH, reason.clone());
            finding.line = *line;
            findings.push(finding);
        }
    }
    if let (Slot::Good(record), Slot::Good(lock)) = (&project.record, &project.lock)
        && record.family != lock.family
    {
        let message = format!(
            "the family in the lock is `{}`, but in aos.toml it is `{}`",
            lock.family, record.family
        );
        findings.push(rules::LOCK_STALE.finding(LOCK_PATH, message));
    }
    if let (Slot::Good(pin), Slot::Good(lock)) = (&project.pin, &project.lock)
        && *pin != lock.tag
    {
        let message = format!("the pin is `{pin}`, but the vendored files are of `{}`", lock.tag);
        findings.push(rules::PIN_MOVED.finding(PIN_PATH, message));
    }
    findings
}
