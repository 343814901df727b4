//! The answer of `aos conform`, as data and as text.

pub mod junit;
mod proof;
pub mod sarif;
pub mod shell;
pub mod text;

use crate::conform::containment::{ContainedPart, RunContainment};
use crate::conform::monitor::Monitored;
use crate::conform::runner::{ProbeResult, Verdicts};
use crate::conform::waivers::Remark;
use crate::conform::{CallEvidence, ProbeVerdict, ToolCaller};

use super::answers::conformance::{
    AppliedWaiver, CallCounts, ConformanceReport, ConformanceSummary, ContainmentState,
    ExaminedTool, ExcludedCalls, NetworkState, ReportedCall, ReportedProbe, WaiverRemark,
};

/// The whole result of a run.
#[derive(Clone, Debug)]
pub struct Conformance {
    pub tool: String,
    pub family: &'static str,
    pub tag: String,
    pub program: String,
    pub found: String,
    /// Why the network was not cut off; `None` when it was.
    pub open_network: Option<String>,
    pub containment: RunContainment,
    pub verdicts: Verdicts,
    /// Waivers that do not count, and what else is to be said about waivers.
    pub waiver_faults: Vec<Remark>,
    pub waiver_notes: Vec<Remark>,
    /// Files that could not be written.
    pub report_faults: Vec<String>,
    pub notes: Vec<String>,
    /// The command line that holds the same tool against the same contract, and what comes after its options.
    pub again: CommandLine,
    /// Only some probes were requested.
    pub is_partial: bool,
    pub calls: usize,
    pub tool_ms: u64,
    pub startup_ms: Option<u64>,
}

impl Conformance {
    #[must_use]
    pub fn new(
        session: &ToolCaller,
        verdicts: Verdicts,
        (waiver_faults, waiver_notes): (Vec<Remark>, Vec<Remark>),
        notes: Vec<String>,
        again: CommandLine,
    ) -> Self {
        let (calls, tool_ms) = session.spent();
        Self {
            tool: session.target.tool.clone(),
            family: session.family().name(),
            tag: session.target.tag.to_string(),
            program: session.target.program.display().to_string(),
            found: session.target.found.clone(),
            open_network: session.isolation.as_ref().err().map(ToString::to_string),
            containment: session.containment.clone(),
            verdicts,
            waiver_faults,
            waiver_notes,
            report_faults: Vec::new(),
            notes,
            is_partial: !again.probes.is_empty(),
            again,
            calls,
            tool_ms,
            startup_ms: session.startup_ms(),
        }
    }

    #[must_use]
    pub fn count(&self, verdict: ProbeVerdict) -> usize {
        self.results().filter(|result| result.finding.verdict() == verdict).count()
    }

    /// Returns the number of targets that all probes together exercised.
    #[must_use]
    pub fn targets(&self) -> usize {
        self.results().map(|result| result.finding.targets()).sum()
    }

    pub(super) fn results(&self) -> impl Iterator<Item = &ProbeResult> {
        self.verdicts.results.iter()
    }

    /// Nothing failed, nothing that had to run was blocked, something ran, and every waiver counts.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.count(ProbeVerdict::Fail) == 0
            && self.count(ProbeVerdict::Blocked) == 0
            && self.count(ProbeVerdict::Pass) + self.count(ProbeVerdict::Waived) > 0
            && self.waiver_faults.is_empty()
    }

    /// Returns the reason why the tool does not conform, in one sentence.
    #[must_use]
    pub fn message(&self) -> String {
        let (failed, blocked) = (self.count(ProbeVerdict::Fail), self.count(ProbeVerdict::Blocked));
        let total = self.verdicts.results.len();
        let mut parts = Vec::new();
        if failed > 0 {
            parts.push(format!("{failed} of {total} probes failed"));
        }
        if blocked > 0 {
            parts.push(format!("{blocked} were blocked"));
        }
        if !self.waiver_faults.is_empty() {
            parts.push(format!("{} waivers do not count", self.waiver_faults.len()));
        }
        if parts.is_empty() {
            parts.push("no probe applies to it".to_owned());
        }
        format!(
            "`{}` does not conform to {} {}: {}",
            self.tool,
            self.family,
            self.tag,
            parts.join(", ")
        )
    }

    /// Returns the fault to fix first, and the command that tests it again.
    #[must_use]
    pub fn next_step(&self) -> String {
        let of = |verdict| self.results().find(move |result| result.finding.verdict() == verdict);
        if let Some(failed) = of(ProbeVerdict::Fail) {
            let again = self.again.with_probe(failed.probe.id);
            return format!("{}; then run `{again}`", failed.probe.fix);
        }
        if let Some(fault) = self.waiver_faults.first() {
            let again = self.again.same();
            return format!(
                "fix or delete the waiver of `{}` in aos.toml; then run `{again}`",
                fault.probe
            );
        }
        if let Some(blocked) = of(ProbeVerdict::Blocked) {
            let again = self.again.with_probe(blocked.probe.id);
            return format!(
                "fix what blocks `{}` first: {}; then run `{again}`",
                blocked.probe.id, blocked.finding.message
            );
        }
        format!("choose probes that apply to it: `aos conform --list --family {}`", self.family)
    }
}

/// The command line that repeats a run.
#[derive(Clone, Debug, Default)]
pub struct CommandLine {
    /// Program, command and options that say what is looked at.
    pub before: Vec<String>,
    /// The probes that were asked for; all without any.
    pub probes: Vec<String>,
    /// `--` and the command of the tool, or nothing.
    pub after: Vec<String>,
}

impl CommandLine {
    /// The same run with one probe, as a shell takes it.
    #[must_use]
    pub fn with_probe(&self, id: &str) -> String {
        self.line(&[id.to_owned()])
    }

    /// The same run, as a shell takes it.
    #[must_use]
    pub fn same(&self) -> String {
        self.line(&self.probes)
    }

    fn line(&self, probes: &[String]) -> String {
        let mut words = self.before.clone();
        words.extend(probes.iter().flat_map(|id| ["--probe".to_owned(), id.clone()]));
        words.extend(self.after.iter().cloned());
        shell::line(&words)
    }
}

/// The result as data.
#[must_use]
pub fn report(conformance: &Conformance) -> ConformanceReport {
    let counts = |verdict| conformance.count(verdict);
    let verdicts = &conformance.verdicts;
    ConformanceReport {
        summary: ConformanceSummary {
            ok: conformance.is_ok(),
            probes: verdicts.results.len(),
            pass: counts(ProbeVerdict::Pass),
            fail: counts(ProbeVerdict::Fail),
            not_applicable: counts(ProbeVerdict::NotApplicable),
            blocked: counts(ProbeVerdict::Blocked),
            waived: counts(ProbeVerdict::Waived),
            advised: counts(ProbeVerdict::Advised),
            targets: conformance.targets(),
            partial: conformance.is_partial,
            duration_ms: verdicts.duration_ms,
            calls: conformance.calls,
            tool_ms: conformance.tool_ms,
            startup_ms: conformance.startup_ms,
        },
        tool: ExaminedTool {
            name: conformance.tool.clone(),
            family: conformance.family,
            tag: conformance.tag.clone(),
            program: conformance.program.clone(),
            found: conformance.found.clone(),
        },
        network: NetworkState {
            cut_off: conformance.open_network.is_none(),
            reason: conformance.open_network.clone(),
        },
        containment: conformance.containment.parts.iter().map(contained).collect(),
        calls: calls(&verdicts.monitored),
        results: conformance.results().map(result).collect(),
        waiver_faults: remarks(&conformance.waiver_faults),
        waiver_notes: remarks(&conformance.waiver_notes),
        report_faults: conformance.report_faults.clone(),
        orphans: verdicts.orphans.len(),
        orphan_programs: orphan_programs(&verdicts.orphans),
        notes: conformance.notes.clone(),
    }
}

fn contained(part: &ContainedPart) -> ContainmentState {
    ContainmentState {
        part: part.part,
        contained: part.reason.is_none(),
        effect: if part.reason.is_none() { part.holds } else { part.otherwise },
        reason: part.reason.clone(),
    }
}

/// The finished calls of the run: how many were judged by the rules that hold for all of them, and why others were not.
fn calls(monitored: &Monitored) -> CallCounts {
    let excluded = monitored.excluded.iter();
    CallCounts {
        finished: monitored.calls,
        judged: monitored.judged,
        excluded: excluded
            .map(|(reason, calls)| ExcludedCalls { reason: (*reason).to_owned(), calls: *calls })
            .collect(),
    }
}

fn remarks(remarks: &[Remark]) -> Vec<WaiverRemark> {
    let remark = |remark: &Remark| WaiverRemark {
        probe: remark.probe.clone(),
        message: remark.message.clone(),
    };
    remarks.iter().map(remark).collect()
}

/// Names of programs, each once.
fn orphan_programs(orphans: &[String]) -> Vec<String> {
    let names: std::collections::BTreeSet<&String> = orphans.iter().collect();
    names.into_iter().take(20).cloned().collect()
}

fn result(result: &ProbeResult) -> ReportedProbe {
    ReportedProbe {
        probe: result.probe.id,
        verdict: result.finding.verdict().name(),
        targets: result.finding.targets(),
        targets_of: result.finding.unit(),
        section: result.probe.section,
        title: result.probe.title,
        message: result.finding.message.clone(),
        fix: result.probe.fix,
        duration_ms: result.duration_ms,
        evidence: result.finding.evidence.iter().map(evidence).collect(),
        waiver: result.waiver.as_ref().map(|waiver| AppliedWaiver {
            reason: waiver.reason.clone(),
            expires: waiver.expires.clone(),
        }),
        also: None,
    }
}

fn evidence(evidence: &CallEvidence) -> ReportedCall {
    ReportedCall {
        argv: evidence.argv.clone(),
        ending: evidence.ending.clone(),
        exit: evidence.exit,
        duration_ms: evidence.duration_ms,
        stdout: evidence.stdout.clone(),
        stderr: evidence.stderr.clone(),
        note: evidence.note.clone(),
    }
}
