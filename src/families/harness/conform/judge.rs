//! Many calls, one verdict: the first fault is the message, each faulty call is evidence.

use crate::conform::probe;
use crate::conform::probe::Conclusion;
use crate::conform::session::Observed;
use crate::reason::Reason;

const NOTHING: &str = "no response of the tool could be examined; see the other probes";

/// A verdict under way.
pub(super) struct Judge {
    seen: usize,
    unit: &'static str,
    failed: Option<Conclusion>,
}

impl Default for Judge {
    fn default() -> Self {
        Self::of(probe::CALLS)
    }
}

impl Judge {
    /// A judge of something else than calls.
    pub fn of(unit: &'static str) -> Self {
        Self { seen: 0, unit, failed: None }
    }

    /// One more target was exercised.
    pub fn saw(&mut self) {
        self.seen += 1;
    }

    /// Looks at a call; what is wrong with it, if anything.
    pub fn judge(&mut self, observed: &Observed, fault: Option<String>) {
        self.saw();
        if let Some(why) = fault {
            let finding = self.failed.take().unwrap_or_else(|| {
                Conclusion::fail(format!("`{}`: {why}", observed.argv.join(" ")))
            });
            self.failed = Some(finding.with(observed.evidence(why)));
        }
    }

    /// The verdict; without a target it is blocked.
    pub fn verdict(self) -> Conclusion {
        self.verdict_unless_empty(NOTHING)
    }

    /// The verdict, with what blocks it when there was no target.
    pub fn verdict_unless_empty(self, nothing: &str) -> Conclusion {
        match self.failed {
            Some(finding) => finding.about(self.seen, self.unit),
            None => Conclusion::unless_vacuous(self.seen, self.unit, nothing),
        }
    }

    /// The verdict, where the absence of targets was shown: what shows that nothing is asked, or what blocks it.
    pub fn verdict_or(self, absence: Result<&str, Reason>) -> Conclusion {
        match (&self.failed, self.seen, absence) {
            (None, 0, Ok(evidence)) => Conclusion::not_applicable(evidence).about(0, self.unit),
            (None, 0, Err(unclear)) => Conclusion::blocked(unclear).about(0, self.unit),
            _ => self.verdict(),
        }
    }
}
