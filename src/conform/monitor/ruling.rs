//! The judgement of one call by the rules of a family.

/// The rules that looked at one call, and what they found.
#[derive(Debug, Default)]
pub struct Ruling {
    /// The command that was called, and the code it answered with: faults of one kind are shown once for both.
    pub command: String,
    pub code: String,
    /// Why its answer was not judged.
    pub exclusion: Option<&'static str>,
    /// Probes whose rule looked at the call, with what contradicts them.
    pub seen: Vec<(&'static str, Option<String>)>,
}

impl Ruling {
    #[must_use]
    pub fn of(command: impl Into<String>) -> Self {
        Self { command: command.into(), ..Self::default() }
    }

    /// The rule of this probe looked at the call.
    pub fn see(&mut self, probe: &'static str, fault: Option<String>) {
        match self.seen.iter_mut().find(|(known, _)| *known == probe) {
            // One call is one target, and its first fault counts.
            Some((_, known)) => *known = known.take().or(fault),
            None => self.seen.push((probe, fault)),
        }
    }

    /// The answer is not judged.
    #[must_use]
    pub fn excluded(mut self, reason: &'static str) -> Self {
        self.exclusion = Some(reason);
        self
    }
}
