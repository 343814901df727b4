//! Many calls, one verdict: the first fault is the message, each faulty call is evidence.

use super::super::probe::Finding;
use super::super::session::Observed;

/// A verdict under way.
#[derive(Default)]
pub(super) struct Judge {
    seen: usize,
    failed: Option<Finding>,
}

impl Judge {
    /// One more thing was looked at.
    pub fn saw(&mut self) {
        self.seen += 1;
    }

    /// Looks at a call; what is wrong with it, if anything.
    pub fn judge(&mut self, observed: &Observed, fault: Option<String>) {
        self.saw();
        if let Some(why) = fault {
            self.fail(observed, why);
        }
    }

    /// A call that shows a fault.
    pub fn fail(&mut self, observed: &Observed, why: String) {
        self.saw();
        let finding = self
            .failed
            .take()
            .unwrap_or_else(|| Finding::fail(format!("`{}`: {why}", observed.argv.join(" "))));
        self.failed = Some(finding.with(observed.evidence(why)));
    }

    /// The verdict; without anything that was looked at there is none.
    pub fn verdict(self) -> Finding {
        match self.failed {
            Some(finding) => finding,
            None if self.seen == 0 => {
                Finding::blocked("no answer of the tool could be looked at; see the other probes")
            }
            None => Finding::pass(),
        }
    }

    /// The verdict, where nothing to look at means that nothing is asked.
    pub fn verdict_or(self, nothing: &str) -> Finding {
        match (&self.failed, self.seen) {
            (None, 0) => Finding::not_applicable(nothing),
            _ => self.verdict(),
        }
    }
}
