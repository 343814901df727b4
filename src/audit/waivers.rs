//! Waivers: findings that a project accepts, with a reason, for a time.

use crate::contract::{Finding, Severity};
use crate::generate::record::{RECORD_PATH, Waiver};
use crate::visible::excerpt;

use super::rules;

/// A finding that was accepted.
#[derive(Clone, Debug)]
pub struct Waived {
    pub finding: Finding,
    pub reason: String,
    pub expires: Option<String>,
}

/// Removes waived findings from `findings` and returns them, and adds findings about the waivers.
pub fn apply(findings: &mut Vec<Finding>, waivers: &[Waiver], today: &str) -> Vec<Waived> {
    let mut waived = Vec::new();
    for waiver in waivers {
        match rules::find(&waiver.rule) {
            Some(rule) if rule.waivable => {}
            found => {
                let rule = waiver.rule.chars().take(60).collect::<String>();
                let why = if found.is_some() { "cannot be waived" } else { "does not exist" };
                findings.push(
                    rules::WAIVER_UNKNOWN
                        .finding(RECORD_PATH, format!("the rule `{}` {why}", excerpt(&rule, 200))),
                );
                continue;
            }
        }
        // ISO dates compare as text.
        if waiver.expires.as_deref().is_some_and(|last| last < today) {
            let message = format!(
                "the waiver of `{}` ended on {}",
                waiver.rule,
                waiver.expires.as_deref().unwrap_or_default()
            );
            findings.push(rules::WAIVER_EXPIRED.finding(RECORD_PATH, message));
            continue;
        }
        let matches = |finding: &Finding| {
            finding.rule == waiver.rule
                && waiver.path.as_ref().is_none_or(|path| *path == finding.path)
        };
        let (taken, kept): (Vec<_>, Vec<_>) =
            std::mem::take(findings).into_iter().partition(matches);
        *findings = kept;
        if taken.is_empty() {
            findings.push(rules::WAIVER_UNUSED.finding(
                RECORD_PATH,
                format!("the waiver of `{}` matches no finding", waiver.rule),
            ));
        }
        waived.extend(taken.into_iter().map(|finding| Waived {
            finding,
            reason: waiver.reason.clone(),
            expires: waiver.expires.clone(),
        }));
    }
    waived
}

/// Whether the findings leave the project in order.
#[must_use]
pub fn is_ok(findings: &[Finding]) -> bool {
    findings.iter().all(|finding| finding.severity == Severity::Warning)
}
