//! The findings of an examination: for each item the number of targets, and the faults.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::conform::{CallEvidence, Conclusion};
use crate::visible::excerpt;

/// Most faults of one item that are kept.
const MAX_FAULTS: usize = 8;
/// Longest text of an answer in a report, in characters.
const MAX_TEXT: usize = 600;

/// The result of an examination.
#[derive(Clone, Debug, Default)]
pub struct ItemFindings {
    items: BTreeMap<&'static str, LookedAt>,
    /// Why the examination could not go on.
    stopped: Option<String>,
}

#[derive(Clone, Debug, Default)]
struct LookedAt {
    targets: usize,
    faults: Vec<(String, Option<CallEvidence>)>,
    /// The contract asks nothing of this package.
    excused: Option<String>,
    /// It could not be found out.
    blocked: Option<String>,
}

impl ItemFindings {
    /// An item was looked at `targets` times more.
    pub fn looked(&mut self, item: &'static str, targets: usize) {
        self.items.entry(item).or_default().targets += targets;
    }

    pub fn fail(
        &mut self,
        item: &'static str,
        message: impl Into<String>,
        evidence: Option<CallEvidence>,
    ) {
        let looked = self.items.entry(item).or_default();
        looked.targets += 1;
        if looked.faults.len() < MAX_FAULTS {
            looked.faults.push((message.into(), evidence));
        }
    }

    pub fn excuse(&mut self, item: &'static str, why: impl Into<String>) {
        self.items.entry(item).or_default().excused = Some(why.into());
    }

    pub fn block(&mut self, item: &'static str, why: impl Into<String>) {
        self.items.entry(item).or_default().blocked = Some(why.into());
    }

    /// Nothing else can be found out.
    pub fn stop(&mut self, why: impl Into<String>) {
        self.stopped.get_or_insert(why.into());
    }

    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// The first item that failed.
    #[must_use]
    pub fn failed(&self) -> Option<&'static str> {
        self.items.iter().find(|(_, looked)| !looked.faults.is_empty()).map(|(item, _)| *item)
    }

    /// The verdict about one item.
    #[must_use]
    pub fn verdict(&self, item: &str, unit: &'static str) -> Conclusion {
        let nothing = LookedAt::default();
        let looked = self.items.get(item).unwrap_or(&nothing);
        if let Some((first, _)) = looked.faults.first() {
            let mut finding = Conclusion::fail(first.clone()).about(looked.targets, unit);
            for (_, evidence) in &looked.faults {
                finding.evidence.extend(evidence.clone());
            }
            return finding;
        }
        if let Some(why) = &looked.blocked {
            return Conclusion::blocked(why.clone());
        }
        if looked.targets == 0
            && let Some(why) = &looked.excused
        {
            return Conclusion::not_applicable(why.clone());
        }
        let nothing = match (&self.stopped, self.failed()) {
            (Some(why), _) => why.clone(),
            (None, Some(item)) => format!("it was not examined, because {item} failed"),
            (None, None) => "the package has nothing to examine".to_owned(),
        };
        Conclusion::unless_vacuous(looked.targets, unit, &nothing)
    }
}

/// One exchange with the package, for a report.
#[must_use]
pub fn evidence(asked: &[String], answer: &Value, ending: &str, note: &str) -> CallEvidence {
    CallEvidence {
        argv: asked.iter().map(|word| excerpt(word, 200)).collect(),
        ending: ending.to_owned(),
        was_made: true,
        stdout: excerpt(&answer.to_string(), MAX_TEXT),
        note: excerpt(note, 300),
        ..CallEvidence::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conform::ProbeVerdict;

    #[test]
    fn an_item_passes_only_when_something_was_looked_at() {
        let mut findings = ItemFindings::default();
        assert_eq!(findings.verdict("R1", "calls").verdict(), ProbeVerdict::Blocked);
        findings.looked("R1", 2);
        let finding = findings.verdict("R1", "calls");
        assert_eq!((finding.verdict(), finding.targets()), (ProbeVerdict::Pass, 2));
        findings.excuse("R5", "no stream");
        assert_eq!(findings.verdict("R5", "calls").verdict(), ProbeVerdict::NotApplicable);
        findings.fail("R3", "not JSON", None);
        assert_eq!(findings.verdict("R3", "calls").verdict(), ProbeVerdict::Fail);
        assert!(findings.verdict("R8", "calls").message.contains("R3"));
        findings.stop("interrupted");
        assert_eq!(findings.verdict("R8", "calls").message, "interrupted");
    }
}
