//! A probe and its result.

use std::num::NonZeroUsize;

use crate::contract::Family;

use super::session::ToolCaller;

/// One promise of a contract, and how to see whether a running tool keeps it.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// Stable: `family.words-with-hyphens`; for agent-cli the family is `cli`.
    pub id: &'static str,
    pub family: Family,
    /// Where the contract says so, for example `§4`.
    pub section: &'static str,
    /// The requirement, one sentence without a full stop.
    pub title: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// How to fix it, in the imperative.
    pub fix: &'static str,
    /// Without one of these the probe is blocked and never runs.
    pub needs: &'static [Need],
    pub run: fn(&ToolCaller) -> Conclusion,
}

impl Probe {
    /// Returns the defaults of the probes of a family; each probe sets the rest itself.
    #[must_use]
    pub const fn of(family: Family) -> Self {
        Self {
            id: "",
            family,
            section: "",
            title: "",
            why: "",
            fix: "",
            needs: &[],
            run: |_| Conclusion::blocked("the probe has no body"),
        }
    }
}

/// A precondition of a probe.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Need {
    /// A `conform.toml` in the project.
    Fixture,
    /// The facts of the API behind the tool, a table of `conform.toml`.
    Facts,
    /// Names of environment variables that hold secrets.
    Credentials,
    /// A way to point the tool at the mock upstream.
    BaseUrl,
    /// A network that ends at loopback, enforced by the system.
    Namespace,
    /// The tool's source directory, not just a command.
    Project,
    /// The manifest of the project.
    Manifest,
    /// A Python that can make environments.
    Python,
}

impl Need {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixture => "fixture",
            Self::Facts => "facts",
            Self::Credentials => "credentials",
            Self::BaseUrl => "base_url",
            Self::Namespace => "namespace",
            Self::Project => "project",
            Self::Manifest => "manifest",
            Self::Python => "python",
        }
    }
}

/// The verdict of a probe.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum ProbeVerdict {
    Pass,
    Fail,
    /// The contract asks nothing of this tool here.
    NotApplicable,
    /// It could not be found out.
    Blocked,
    /// It failed or was blocked, and the project accepts that.
    Waived,
    /// The contract recommends it, and the tool does not do it.
    Advised,
}

impl ProbeVerdict {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::NotApplicable => "not_applicable",
            Self::Blocked => "blocked",
            Self::Waived => "waived",
            Self::Advised => "advised",
        }
    }
}

/// The evidence of one call. Texts are redacted and bounded.
#[derive(Clone, Debug, Default)]
pub struct CallEvidence {
    pub argv: Vec<String>,
    /// `exit 0`, `signal 9`, `timed out`, `output limit`, `not started`.
    pub ending: String,
    /// Whether the program was started at all.
    pub was_made: bool,
    pub exit: Option<i32>,
    pub duration_ms: u64,
    pub stdout: String,
    pub stderr: String,
    /// The fault.
    pub note: String,
}

/// The verdict of one probe, with the reason.
///
/// The verdict is private: a pass needs a number of targets that is not zero, and only a waiver and the level of a requirement change a verdict.
#[derive(Clone, Debug)]
pub struct Conclusion {
    verdict: ProbeVerdict,
    targets: usize,
    unit: &'static str,
    /// Why, one sentence without a full stop; may be empty for a pass.
    pub message: String,
    pub evidence: Vec<CallEvidence>,
}

/// The unit of most probes.
pub const CALLS: &str = "calls";

impl Conclusion {
    /// Every target did what it must.
    #[must_use]
    pub fn pass(targets: NonZeroUsize) -> Self {
        Self::of(ProbeVerdict::Pass, "").about(targets.get(), CALLS)
    }

    /// Nothing was found wrong with `targets` of `unit`: a pass, or blocked with `nothing` when there were none.
    #[must_use]
    pub fn unless_vacuous(targets: usize, unit: &'static str, nothing: &str) -> Self {
        NonZeroUsize::new(targets)
            .map_or_else(|| Self::blocked(nothing), Self::pass)
            .about(targets, unit)
    }

    #[must_use]
    pub fn fail(message: impl Into<String>) -> Self {
        Self::of(ProbeVerdict::Fail, message)
    }

    /// The contract asks nothing here; `evidence` says what shows that.
    #[must_use]
    pub fn not_applicable(evidence: impl Into<String>) -> Self {
        Self::of(ProbeVerdict::NotApplicable, evidence)
    }

    #[must_use]
    pub fn blocked(message: impl Into<String>) -> Self {
        Self::of(ProbeVerdict::Blocked, message)
    }

    #[must_use]
    pub fn with(mut self, evidence: CallEvidence) -> Self {
        self.evidence.push(evidence);
        self
    }

    /// The same with the number of targets that were looked at before the verdict; a pass keeps the larger number.
    #[must_use]
    pub fn about(mut self, targets: usize, unit: &'static str) -> Self {
        self.targets = self.targets.max(targets);
        self.unit = unit;
        self
    }

    #[must_use]
    pub fn verdict(&self) -> ProbeVerdict {
        self.verdict
    }

    /// Returns the number of targets that the probe exercised.
    #[must_use]
    pub fn targets(&self) -> usize {
        self.targets
    }

    /// Returns the unit that `targets` counts.
    #[must_use]
    pub fn unit(&self) -> &'static str {
        self.unit
    }

    /// Fails although its own sample passed: these calls of the run contradict it.
    #[must_use]
    pub fn contradicted(self, message: impl Into<String>, evidence: Vec<CallEvidence>) -> Self {
        Self { verdict: ProbeVerdict::Fail, message: message.into(), evidence, ..self }
    }

    /// The contract only recommends what failed.
    pub fn advise(&mut self) {
        self.verdict = ProbeVerdict::Advised;
    }

    /// The project accepts what is wrong.
    pub fn waive(&mut self) {
        self.verdict = ProbeVerdict::Waived;
    }

    fn of(verdict: ProbeVerdict, message: impl Into<String>) -> Self {
        Self { verdict, targets: 0, unit: CALLS, message: message.into(), evidence: Vec::new() }
    }
}
