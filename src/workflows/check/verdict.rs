//! The verdict on all projects of one run, as data and as text.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::audit::inventory::Inventory;
use crate::audit::template::TemplateState;
use crate::audit::{PassedOverProject, ProjectReport, rules};
use crate::contract::{Finding, Severity};
use crate::report::answers::check::{
    CheckAnswer, CheckReport, CheckSummary, CheckedProject, PassedOverFindings, PathCounts,
    RuleCount, SpecFault, UnsearchedDirectory,
};
use crate::report::answers::findings::WaivedFinding;
use crate::report::answers::fleet::FleetReport;
use crate::report::findings::Diffs;
use crate::report::{ErrorCode, Failure, Outcome, annotations, brief, checked, findings};
use crate::system::environment;
use crate::visible::{Visible, counted};
use crate::workflows::report_file::ReportFile;
use crate::workflows::upgrade::standing;
use crate::workflows::{Run, runtime};

use super::explain::described;
use super::text::grouped;

/// Most workflow commands of one run; hosts show few of them.
const MAX_ANNOTATIONS: usize = 50;

/// The findings, project by project.
pub struct FleetVerdict {
    pub reports: Vec<ProjectReport>,
    /// Why contracts could not be obtained; reports name them by number.
    pub faults: Vec<Failure>,
    /// Directories of the fleet that were not searched: enough to fail.
    pub unsearched: Vec<(PathBuf, String)>,
    /// The findings about the fleet as a whole; `None` for projects that were named.
    pub fleet: Option<FleetReport>,
    /// Its findings.
    pub members: Vec<Finding>,
    pub by_rule: BTreeMap<&'static str, usize>,
    pub filtered: Vec<String>,
}

impl FleetVerdict {
    /// Success when every project was compared, none has an error, and everything was searched.
    ///
    /// # Errors
    /// `E_DRIFT` when a project has an error, which is certain; else the fault that kept one from being compared.
    pub fn conclude(
        mut self,
        run: &Run,
        whole: bool,
        files: &[ReportFile],
    ) -> Result<Outcome, Failure> {
        for finding in self.reports.iter().flat_map(|report| &report.findings).chain(&self.members)
        {
            *self.by_rule.entry(finding.rule).or_default() += 1;
        }
        let mut text = self.text(run, if whole { Diffs::Whole } else { Diffs::Short });
        if !whole && !brief::is_screenful(&text) {
            text = self.text(run, Diffs::Absent);
        }
        let report = self.report();
        let unwritten = self.write(&report, files);
        let data = CheckAnswer::Report(Box::new(report));
        let annotations = self.annotations();
        if matches!(self.status(), "ok" | "partial") {
            if let Some(fault) = unwritten {
                return Err(fault);
            }
            let mut outcome = Outcome::new(data, text).raw(self.patch());
            outcome.annotations = annotations;
            return Ok(outcome);
        }
        let mut failure = match self.worst_fault() {
            Some(fault) if self.status() == "uncompared" => self.without_verdict(fault),
            _ => Failure::new(ErrorCode::Drift, self.message()).hint(self.next_step()),
        };
        failure = failure.with(&data);
        if let Some(fault) = unwritten {
            failure = failure.detail("report_fault", fault.message);
        }
        failure.report = Some(text);
        failure.raw = Some(self.patch());
        failure.annotations = annotations;
        Err(failure)
    }

    /// Projects that were compared and failed.
    pub fn failed(&self) -> usize {
        self.reports.iter().filter(|report| !report.is_ok() && report.fault.is_none()).count()
    }

    /// Projects whose contract could not be obtained.
    pub fn uncompared(&self) -> usize {
        self.reports.iter().filter(|report| report.fault.is_some()).count()
    }

    pub fn fault(&self, report: &ProjectReport) -> Option<&Failure> {
        self.faults.get(report.fault?.index())
    }

    /// A signal first, then what running again does not fix, a forgery before all.
    fn worst_fault(&self) -> Option<&Failure> {
        let rank = |fault: &&Failure| match fault.code {
            ErrorCode::Interrupted => 0,
            ErrorCode::Integrity => 1,
            code if !code.retryable() => 2,
            _ => 3,
        };
        self.reports.iter().filter_map(|report| self.fault(report)).min_by_key(rank)
    }

    fn without_verdict(&self, fault: &Failure) -> Failure {
        let mut failure = fault.clone();
        let (uncompared, total) = (self.uncompared(), self.reports.len());
        failure.message = match total {
            1 => format!("{} was not compared: {}", named(&self.reports[0]), fault.message),
            _ => format!("{uncompared} of {total} projects were not compared: {}", fault.message),
        };
        failure
    }

    fn message(&self) -> String {
        let (failed, total) = (self.failed(), self.reports.len());
        let message = match total {
            1 if failed == 1 => {
                format!(
                    "{} does not match its contract: {}",
                    named(&self.reports[0]),
                    self.counts()
                )
            }
            _ if failed == 0 && self.members.is_empty() => {
                format!("{} directories could not be searched", self.unsearched.len())
            }
            _ if failed == 0 => {
                format!("the fleet does not match aos-fleet.toml: {}", self.counts())
            }
            _ => format!(
                "{failed} of {total} projects do not match their contracts: {}",
                self.counts()
            ),
        };
        match self.uncompared() {
            0 => message,
            uncompared => format!("{message}; {uncompared} were not compared"),
        }
    }

    /// Writes the reports; the first that cannot be written is a fault.
    fn write(&self, report: &CheckReport, files: &[ReportFile]) -> Option<Failure> {
        let rules: Vec<_> = rules::all()
            .filter(|rule| {
                self.by_rule.contains_key(rule.id)
                    || report.projects.iter().any(|project| {
                        project.waived.iter().any(|waived| waived.finding.rule == rule.id)
                    })
            })
            .map(described)
            .collect();
        let written = files.iter().map(|file| {
            let writer = checked::FORMATS.iter().find(|(name, _)| *name == file.format);
            writer.map_or(Ok(()), |(_, writer)| file.write(&writer(report, &rules)))
        });
        written.filter_map(Result::err).collect::<Vec<_>>().into_iter().next()
    }

    fn count(&self, severity: Severity) -> usize {
        self.reports
            .iter()
            .flat_map(|report| &report.findings)
            .chain(&self.members)
            .filter(|finding| finding.severity == severity)
            .count()
    }

    pub fn counts(&self) -> String {
        format!(
            "{}, {}",
            counted(self.count(Severity::Error), "error"),
            counted(self.count(Severity::Warning), "warning")
        )
    }

    /// The fix of the first error: fixing it first often fixes more.
    fn next_step(&self) -> String {
        let errors = || {
            self.reports
                .iter()
                .flat_map(|report| &report.findings)
                .chain(&self.members)
                .filter(|finding| finding.severity == Severity::Error)
        };
        // A finding that stops the generators also prevents every other fix.
        let first = errors()
            .find(|finding| finding.rule == rules::GENERATOR.id)
            .or_else(|| errors().find(|finding| finding.rule != rules::NOT_COMPARED.id))
            .or_else(|| errors().next());
        if errors().any(|finding| first.is_some_and(|first| first.fix != finding.fix)) {
            let fix = first.map_or("", |first| first.fix.as_str());
            return format!("first {fix}; each finding has its own fix");
        }
        first.map_or_else(
            || {
                "give this user the permission to search them, then run the command again"
                    .to_owned()
            },
            |finding| finding.fix.clone(),
        )
    }

    fn report(&self) -> CheckReport {
        let projects: Vec<_> =
            self.reports.iter().map(|report| project_data(report, self.fault(report))).collect();
        let by_rule: Vec<_> =
            self.by_rule.iter().map(|(rule, count)| RuleCount { rule, count: *count }).collect();
        let unsearched: Vec<_> = self
            .unsearched
            .iter()
            .map(|(path, reason)| UnsearchedDirectory {
                path: path.display().to_string(),
                reason: reason.clone(),
            })
            .collect();
        let compared: usize = self.reports.iter().map(|report| report.compared).sum();
        let passed = self.reports.iter().filter(|report| report.is_ok());
        let (partial, ok): (Vec<_>, Vec<_>) =
            passed.partition(|report| report.passed_over.is_some());
        let summary = CheckSummary {
            status: self.status(),
            projects: self.reports.len(),
            ok: ok.len(),
            partial: partial.len(),
            failed: self.failed(),
            uncompared: self.uncompared(),
            compared,
            managed: self.reports.iter().map(|report| report.wanted).sum(),
            errors: self.count(Severity::Error),
            warnings: self.count(Severity::Warning),
            waived: self.reports.iter().map(|report| report.waived.len()).sum(),
            by_rule,
            only_rules: self.filtered.clone(),
            unsearched,
            passed_over: (!self.filtered.is_empty()).then(|| passed_over(self.passed_over())),
        };
        CheckReport { summary, projects, fleet: self.fleet.clone() }
    }

    /// `partial` where only some rules were asked for: that is not a verdict on the project.
    pub fn status(&self) -> &'static str {
        let of_fleet = self.members.iter().any(|finding| finding.severity == Severity::Error);
        if self.failed() > 0 || !self.unsearched.is_empty() || of_fleet {
            "failed"
        } else if self.uncompared() > 0 {
            "uncompared"
        } else if self.filtered.is_empty() {
            "ok"
        } else {
            "partial"
        }
    }

    /// Findings of rules that were not requested, in all projects.
    pub fn passed_over(&self) -> PassedOverProject {
        let each = self.reports.iter().filter_map(|report| report.passed_over);
        each.fold(PassedOverProject::default(), |sum, more| PassedOverProject {
            errors: sum.errors + more.errors,
            warnings: sum.warnings + more.warnings,
        })
    }

    /// One workflow command for each rule in each file, errors first, inside GitHub Actions only.
    fn annotations(&self) -> Vec<Visible> {
        if environment::read(environment::GITHUB_ACTIONS).is_none() {
            return Vec::new();
        }
        let of_projects = self.reports.iter().flat_map(|report| {
            grouped(&report.findings).into_iter().map(|group| (report.path.as_str(), group))
        });
        let of_fleet = grouped(&self.members).into_iter().map(|group| ("", group));
        let mut groups: Vec<_> = of_projects.chain(of_fleet).collect();
        groups.sort_by_key(|(_, group)| group.first.severity);
        let more: usize = groups.iter().skip(MAX_ANNOTATIONS).map(|(_, group)| group.count()).sum();
        let shown = groups.iter().take(MAX_ANNOTATIONS);
        let mut lines: Vec<_> = shown
            .map(|(path, group)| annotations::github(path, group.first, group.count()))
            .collect();
        if more > 0 {
            lines.push(annotations::notice(&format!(
                "{more} more findings are in the log of this step"
            )));
        }
        lines
    }

    fn patch(&self) -> Visible {
        let diffs = self
            .reports
            .iter()
            .flat_map(|report| &report.findings)
            .filter_map(|finding| finding.diff.as_deref());
        Visible::block(&diffs.collect::<String>())
    }
}

/// A project in a sentence: the given path, or the name of the directory for `.`.
fn named(report: &ProjectReport) -> String {
    if report.path == "." { "this project".to_owned() } else { format!("`{}`", report.path) }
}

fn project_data(report: &ProjectReport, fault: Option<&Failure>) -> CheckedProject {
    let waived = report.waived.iter().map(|waived| WaivedFinding {
        finding: findings::reported(&waived.finding),
        reason: waived.reason.clone(),
        expires: waived.expires.clone(),
    });
    let status = match (fault, report.is_ok()) {
        (Some(_), _) => "uncompared",
        (None, true) if report.passed_over.is_some() => "partial",
        (None, true) => "ok",
        (None, false) => "failed",
    };
    let fault = fault.map(|fault| SpecFault {
        code: fault.code.as_str(),
        message: fault.message.clone(),
        retryable: fault.code.retryable(),
    });
    let count = |severity: Severity| {
        report.findings.iter().filter(|finding| finding.severity == severity).count()
    };
    let template = report.template.as_ref();
    CheckedProject {
        path: report.path.clone(),
        family: report.family.name(),
        tag: report.tag.clone(),
        source: report.source.clone(),
        trust: report.trust,
        signer: report.signer.clone(),
        status,
        fault,
        notes: report.notes.clone(),
        runtime: report.runtime.as_ref().map(runtime::state),
        template: template.map(standing::named),
        compared: report.compared,
        managed: report.wanted,
        paths: paths(report.inventory),
        errors: count(Severity::Error),
        warnings: count(Severity::Warning),
        findings: report.findings.iter().map(findings::reported).collect(),
        waived: waived.collect(),
        template_newest: template.and_then(TemplateState::newer).map(str::to_owned),
        template_waiting: template.and_then(|state| state.waiting.clone()),
        passed_over: report.passed_over.map(passed_over),
    }
}

fn paths(inventory: Inventory) -> PathCounts {
    let Inventory { managed, user, ignored, nested, shadow, not_read, unclassified } = inventory;
    PathCounts { managed, user, ignored, nested, shadow, not_read, unclassified }
}

fn passed_over(findings: PassedOverProject) -> PassedOverFindings {
    PassedOverFindings { errors: findings.errors, warnings: findings.warnings }
}
