//! Waivers: findings that a project accepts, with a reason, for a time.

use std::collections::BTreeSet;

use crate::contract::rules::rule::Rule;
use crate::contract::{Finding, Severity};
use crate::generate::record::{RECORD_PATH, Waiver};
use crate::visible::{counted, excerpt};

use super::rules;

pub const EXPIRED: Rule = Rule {
    id: "waiver/expired",
    severity: Severity::Error,
    waivable: false,
    families: &[],
    summary: "No waiver has expired",
    why: "A date on a waiver is a promise to fix the finding",
    fix: "fix the finding, or give the waiver a new date and reason",
    source: "aos",
};
pub const UNUSED: Rule = Rule {
    id: "waiver/unused",
    severity: Severity::Warning,
    waivable: false,
    families: &[],
    summary: "Every waiver waives something",
    why: "A waiver without a finding would hide the next one",
    fix: "remove the waiver from `aos.toml`",
    source: "aos",
};
pub const WITHOUT_PATH: Rule = Rule {
    id: "waiver/without-path",
    severity: Severity::Error,
    waivable: false,
    families: &[],
    summary: "Every waiver names a path",
    why: "A waiver for every path would also accept findings that nobody has looked at",
    fix: "add the `path` of the finding to the waiver, and write one waiver for each path",
    source: "aos",
};
pub const EXCEEDED: Rule = Rule {
    id: "waiver/exceeded",
    severity: Severity::Error,
    waivable: false,
    families: &[],
    summary: "A waiver accepts the findings that it was written for",
    why: "A later finding of the same rule in the same file is new, and nobody has accepted it",
    fix: "fix the new findings, or look at all of them and write their number as `count` of the waiver",
    source: "aos",
};
pub const UNKNOWN: Rule = Rule {
    id: "waiver/unknown-rule",
    severity: Severity::Error,
    waivable: false,
    families: &[],
    summary: "Waivers name existing rules that can be waived",
    why: "A waiver for a misspelt rule has no effect; drift and the pin cannot be waived",
    fix: "correct the rule; `aos check --explain RULE` describes one",
    source: "aos",
};

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
                    UNKNOWN
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
            findings.push(EXPIRED.finding(RECORD_PATH, message));
            continue;
        }
        let Some(path) = &waiver.path else {
            findings.push(WITHOUT_PATH.finding(RECORD_PATH, without_path(waiver, findings)));
            continue;
        };
        let matches = |finding: &Finding| finding.rule == waiver.rule && finding.path == *path;
        let count = findings.iter().filter(|finding| matches(finding)).count();
        let shown = excerpt(path, 200);
        if count > waiver.count {
            let message = format!(
                "the waiver of `{}` accepts {} in `{shown}`, but there are {count}",
                waiver.rule,
                counted(waiver.count, "finding"),
            );
            findings.push(EXCEEDED.finding(RECORD_PATH, message));
            continue;
        }
        let (taken, kept): (Vec<_>, Vec<_>) =
            std::mem::take(findings).into_iter().partition(matches);
        *findings = kept;
        if taken.len() < waiver.count {
            let message = match taken.len() {
                0 => format!("the waiver of `{}` for `{shown}` matches no finding", waiver.rule),
                left => format!(
                    "the waiver of `{}` accepts {} in `{shown}`, but there are only {left}; lower its `count`",
                    waiver.rule,
                    counted(waiver.count, "finding")
                ),
            };
            findings.push(UNUSED.finding(RECORD_PATH, message));
        }
        waived.extend(taken.into_iter().map(|finding| Waived {
            finding,
            reason: waiver.reason.clone(),
            expires: waiver.expires.clone(),
        }));
    }
    waived
}

/// The findings that a waiver without a path would accept now.
fn without_path(waiver: &Waiver, findings: &[Finding]) -> String {
    const SHOWN: usize = 5;
    let matching = findings.iter().filter(|finding| finding.rule == waiver.rule);
    let paths: BTreeSet<&str> = matching.map(|finding| finding.path.as_str()).collect();
    let named: Vec<_> =
        paths.iter().take(SHOWN).map(|path| format!("`{}`", excerpt(path, 200))).collect();
    let more = paths.len().checked_sub(SHOWN).filter(|more| *more > 0);
    let more = more.map_or_else(String::new, |more| format!(" and {more} more"));
    let now = match named.as_slice() {
        [] => "the rule has no findings now".to_owned(),
        named => format!("the rule has findings in {}{more}", named.join(", ")),
    };
    format!("the waiver of `{}` names no path, so it accepts nothing; {now}", waiver.rule)
}

/// Whether the findings leave the project in order.
#[must_use]
pub fn is_ok(findings: &[Finding]) -> bool {
    findings.iter().all(|finding| finding.severity == Severity::Warning)
}
