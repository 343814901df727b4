//! Every finished call of a run, judged after the run by the rules of its family.
//!
//! Makes no call: it only looks at calls that probes made anyway. The rules are in `invariants` of each family; here is
//! what is the same for both: what a call showed, which calls no rule can judge, and what contradicts which probe.

pub mod log;
pub mod ruling;

use std::collections::BTreeMap;

use crate::system::subject::Ending;

use super::call::{Event, Signal};
use super::evidence;
use super::family::PROBES;
use super::probe::{CallEvidence, Conclusion, ProbeVerdict};
use super::runner::ProbeResult;
use super::session::ToolCaller;

pub use log::{CallLog, Noted};
pub use ruling::Ruling;

/// Most calls of one probe that are shown as proof.
const MAX_SHOWN: usize = 8;

/// Observations from the calls of a run, apart from the samples of the probes.
#[derive(Clone, Debug, Default)]
pub struct Monitored {
    /// Finished calls of the run.
    pub calls: usize,
    /// Calls whose answer was judged.
    pub judged: usize,
    /// The others: the reason and the number of calls.
    pub excluded: BTreeMap<&'static str, usize>,
    rules: BTreeMap<&'static str, ObservedRule>,
}

/// The observations from the calls of a run that concern one probe.
#[derive(Clone, Debug, Default)]
struct ObservedRule {
    judged: usize,
    faulty: usize,
    shown: Vec<CallEvidence>,
}

/// Judges all calls of the run, in an order that does not depend on which worker made them.
#[must_use]
pub fn judge(session: &ToolCaller) -> Monitored {
    let mut calls = session.log.take();
    let Some(family) = PROBES.of(session.family()) else { return Monitored::default() };
    let sentinels = family.sentinels(session);
    // A secret of one call must not be shown by another one either.
    calls.iter_mut().for_each(|noted| noted.observed.secrets.clone_from(&sentinels));
    let rulings = family.judge(session, &calls);
    let mut monitored = Monitored { calls: calls.len(), ..Monitored::default() };
    let mut known = std::collections::BTreeSet::new();
    for (noted, ruling) in calls.iter().zip(rulings) {
        match ruling.exclusion {
            Some(reason) => *monitored.excluded.entry(reason).or_default() += 1,
            None => monitored.judged += 1,
        }
        for (probe, fault) in ruling.seen {
            let rule = monitored.rules.entry(probe).or_default();
            rule.judged += 1;
            let Some(fault) = fault else { continue };
            rule.faulty += 1;
            let is_new = known.insert((probe, ruling.command.clone(), ruling.code.clone()));
            if is_new && rule.shown.len() < MAX_SHOWN {
                rule.shown.push(noted.observed.evidence(fault));
            }
        }
    }
    monitored
}

impl Monitored {
    /// Puts what all calls showed into the results of the probes: a contradiction fails a probe whose sample passed.
    pub fn conclude(&self, results: &mut [ProbeResult]) {
        for result in results {
            let Some(rule) = self.rules.get(result.probe.id) else { continue };
            let is_counted = result.finding.unit() == super::probe::CALLS;
            if is_counted && result.finding.verdict() != ProbeVerdict::NotApplicable {
                result.finding = result.finding.clone().about(rule.judged, super::probe::CALLS);
            }
            let Some(first) = rule.shown.first() else { continue };
            if result.finding.verdict() == ProbeVerdict::Fail {
                rule.complete(&mut result.finding);
            } else {
                result.finding = rule.contradiction(first, &result.finding);
            }
        }
    }
}

impl ObservedRule {
    /// Adds the calls that prove a failure to those that the probe itself shows.
    fn complete(&self, finding: &mut Conclusion) {
        for call in &self.shown {
            let is_known = finding.evidence.iter().any(|known| {
                known.argv == call.argv
                    && known.stdout == call.stdout
                    && known.stderr == call.stderr
            });
            if !is_known {
                finding.evidence.push(call.clone());
            }
        }
    }

    fn contradiction(&self, first: &CallEvidence, finding: &Conclusion) -> Conclusion {
        let call = evidence::line(&first.argv);
        let message = format!(
            "`{call}`: {} ({} of {} calls of the run)",
            first.note, self.faulty, self.judged
        );
        finding.clone().contradicted(message, self.shown.clone()).about(self.judged, finding.unit())
    }
}

/// Returns the reason why the answer of a call cannot be judged in any family; `None` if it can.
#[must_use]
pub fn exclusion(noted: &Noted) -> Option<&'static str> {
    if !noted.is_kept {
        return Some("the output of the run exceeds the limit of aos");
    }
    let Ok(ran) = &noted.observed.ran else { return Some("the call was not made") };
    match noted.call.event {
        Event::AtMark(Signal::Kill, _) => return Some("it was killed on purpose"),
        Event::CloseStdout => return Some("its stdout was closed on purpose"),
        _ => {}
    }
    match ran.ending {
        Ending::TimedOut => Some("it timed out, which other probes judge"),
        Ending::Interrupted => Some("the run was interrupted"),
        Ending::Signalled(_) if noted.is_disturbed() => Some("a probe ended it with a signal"),
        Ending::Signalled(_) | Ending::Exited(_) | Ending::Flooded => None,
    }
}
