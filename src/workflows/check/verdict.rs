//! The verdict on all projects of one run, as data and as text.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::audit::template::TemplateState;
use crate::audit::{PassedOver, ProjectReport, rules};
use crate::contract::{Family, Severity};
use crate::report::answers::check::{
    CheckAnswer, CheckReport, CheckSummary, CheckedProject, PassedOverFindings, RuleCount,
    SpecFault, UnsearchedDirectory,
};
use crate::report::answers::findings::WaivedFinding;
use crate::report::findings::Diffs;
use crate::report::{ErrorCode, Failure, Outcome, annotations, brief, findings, fleet_page};
use crate::system::environment;
use crate::visible::{Visible, visible};
use crate::workflows::report_file::ReportFile;
use crate::workflows::upgrade::standing;
use crate::workflows::{Run, runtime};

/// What was found, project by project.
pub struct FleetVerdict {
    pub reports: Vec<ProjectReport>,
    /// Why contracts could not be had; reports name them by number.
    pub faults: Vec<Failure>,
    /// Directories of the fleet that nobody looked into: enough to fail.
    pub unsearched: Vec<(PathBuf, String)>,
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
        pages: &[ReportFile],
    ) -> Result<Outcome, Failure> {
        for finding in self.reports.iter().flat_map(|report| &report.findings) {
            *self.by_rule.entry(finding.rule).or_default() += 1;
        }
        let mut text = self.text(run, if whole { Diffs::Whole } else { Diffs::Short });
        if !whole && !brief::is_screenful(&text) {
            text = self.text(run, Diffs::Absent);
        }
        let report = self.data();
        for page in pages {
            page.write(|_| fleet_page::render(&report))?;
        }
        let data = CheckAnswer::Report(report);
        let annotations = self.annotations();
        let failed = self.failed();
        if failed == 0 && self.uncompared() == 0 && self.unsearched.is_empty() {
            let mut outcome = Outcome::new(data, text).raw(self.patch());
            outcome.annotations = annotations;
            return Ok(outcome);
        }
        let mut failure = match self.worst_fault() {
            Some(fault) if failed == 0 && self.unsearched.is_empty() => self.without_verdict(fault),
            _ => Failure::new(ErrorCode::Drift, self.message()).hint(self.next_step()),
        };
        failure = failure.with(&data);
        failure.report = Some(text);
        failure.raw = Some(self.patch());
        failure.annotations = annotations;
        Err(failure)
    }

    /// Projects that were compared and are not in order.
    fn failed(&self) -> usize {
        self.reports.iter().filter(|report| !report.is_ok() && report.fault.is_none()).count()
    }

    /// Projects whose contract could not be had.
    fn uncompared(&self) -> usize {
        self.reports.iter().filter(|report| report.fault.is_some()).count()
    }

    fn fault(&self, report: &ProjectReport) -> Option<&Failure> {
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
            _ if failed == 0 => {
                format!("{} directories could not be searched", self.unsearched.len())
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

    fn count(&self, severity: Severity) -> usize {
        self.reports
            .iter()
            .flat_map(|report| &report.findings)
            .filter(|finding| finding.severity == severity)
            .count()
    }

    fn counts(&self) -> String {
        format!(
            "{}, {}",
            plural(self.count(Severity::Error), "error"),
            plural(self.count(Severity::Warning), "warning")
        )
    }

    /// The fix of the first error: fixing it first often fixes more.
    fn next_step(&self) -> String {
        let errors = || {
            self.reports
                .iter()
                .flat_map(|report| &report.findings)
                .filter(|finding| finding.severity == Severity::Error)
        };
        // What stops the generators stops every other fix.
        let first = errors()
            .find(|finding| finding.rule == rules::GENERATOR.id)
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

    fn data(&self) -> CheckReport {
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
            errors: self.count(Severity::Error),
            warnings: self.count(Severity::Warning),
            waived: self.reports.iter().map(|report| report.waived.len()).sum(),
            by_rule,
            only_rules: self.filtered.clone(),
            unsearched,
            passed_over: (!self.filtered.is_empty()).then(|| passed_over(self.passed_over())),
        };
        CheckReport { summary, projects }
    }

    /// `partial` where only some rules were asked for: that is no verdict on the project.
    fn status(&self) -> &'static str {
        if self.failed() > 0 || !self.unsearched.is_empty() {
            "failed"
        } else if self.uncompared() > 0 {
            "uncompared"
        } else if self.filtered.is_empty() {
            "ok"
        } else {
            "partial"
        }
    }

    /// Findings of rules that nobody asked for, in all projects.
    fn passed_over(&self) -> PassedOver {
        let each = self.reports.iter().filter_map(|report| report.passed_over);
        each.fold(PassedOver::default(), |sum, more| PassedOver {
            errors: sum.errors + more.errors,
            warnings: sum.warnings + more.warnings,
        })
    }

    /// Failures first: a text that is cut at the screen keeps its beginning and its end.
    fn text(&self, run: &Run, diffs: Diffs) -> Visible {
        let style = run.style;
        let mut blocks = Vec::new();
        let single = self.reports.len() == 1;
        let mut reports: Vec<_> = self.reports.iter().collect();
        reports.sort_by_key(|report| match (report.fault, report.is_ok()) {
            (None, false) => 0,
            (Some(_), _) => 1,
            (None, true) => 2,
        });
        for report in reports {
            let head = project_line(report, run);
            // A fleet shows its healthy projects in one line each.
            blocks.push(head);
            blocks.extend(
                self.fault(report)
                    .map(|fault| visible!("{} {}", style.bad(fault.code.as_str()), fault.message)),
            );
            blocks.extend(
                report.notes.iter().map(|note| visible!("{} {}", style.warning("note:"), note)),
            );
            let shown = report.findings.iter();
            blocks.extend(shown.map(|finding| findings::text(finding, style, diffs)));
            blocks.extend(report.waived.iter().map(|waived| {
                visible!(
                    "{} {} {}\n  {}",
                    style.faint("waived"),
                    waived.finding.path,
                    style.faint(waived.finding.rule),
                    waived.reason
                )
            }));
        }
        blocks.extend(self.unsearched.iter().map(|(path, reason)| {
            visible!("{} {} was not searched: {}", style.bad("error"), path.display(), reason)
        }));
        if !single {
            blocks.extend(self.frequencies());
            let (failed, uncompared) = (self.failed(), self.uncompared());
            let verdict = match failed + uncompared == 0 && self.unsearched.is_empty() {
                true if self.filtered.is_empty() => style.good("OK"),
                true => style.warning("PARTIAL"),
                false => style.bad("FAILED"),
            };
            let uncompared = match uncompared {
                0 => String::new(),
                uncompared => format!("{uncompared} not compared, "),
            };
            blocks.push(visible!(
                "{} {} projects, {} failed, {}{} files compared, {}",
                verdict,
                self.reports.len(),
                failed,
                uncompared,
                self.reports.iter().map(|report| report.compared).sum::<usize>(),
                self.counts()
            ));
        }
        if !self.filtered.is_empty() {
            let PassedOver { errors, warnings } = self.passed_over();
            blocks.push(visible!(
                "Only {} was checked, so this is not a verdict on the project: {} and {} of other rules are not shown",
                self.filtered.join(", "),
                plural(errors, "error"),
                plural(warnings, "warning")
            ));
        }
        let separator = if self.by_rule.is_empty() { "\n" } else { "\n\n" };
        Visible::joined(blocks, separator)
    }

    /// How often each rule fired in a fleet, most frequent first.
    fn frequencies(&self) -> Option<Visible> {
        let mut rules: Vec<_> = self.by_rule.iter().collect();
        rules.sort_by(|left, right| right.1.cmp(left.1).then_with(|| left.0.cmp(right.0)));
        let lines: Vec<_> =
            rules.iter().map(|(rule, count)| visible!("{:>6}  {}", count, rule)).collect();
        (!lines.is_empty()).then(|| visible!("Findings by rule\n{}", Visible::joined(lines, "\n")))
    }

    /// One workflow command per finding, inside GitHub Actions only.
    fn annotations(&self) -> Vec<Visible> {
        if environment::read(environment::GITHUB_ACTIONS).is_none() {
            return Vec::new();
        }
        let of = |report: &ProjectReport| -> Vec<Visible> {
            report
                .findings
                .iter()
                .map(|finding| annotations::github(&report.path, finding))
                .collect()
        };
        self.reports.iter().flat_map(of).collect()
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

fn plural(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// A project in a sentence: the path somebody gave, or what `.` stands for.
fn named(report: &ProjectReport) -> String {
    if report.path == "." { "this project".to_owned() } else { format!("`{}`", report.path) }
}

fn project_line(report: &ProjectReport, run: &Run) -> Visible {
    let style = run.style;
    let verdict = match (report.fault, report.is_ok()) {
        (Some(_), _) => style.bad("NOT COMPARED"),
        (None, true) if report.passed_over.is_some() => style.warning("PARTIAL"),
        (None, true) => style.good("OK"),
        (None, false) => style.bad("FAILED"),
    };
    let tag = match &report.template {
        Some(template) if report.family == Family::NONE => standing::named(template),
        _ => report.tag.clone().unwrap_or_else(|| "no pin".to_owned()),
    };
    let trust = match (report.trust, &report.source) {
        ("lock", _) => ", trusted by its lock only".to_owned(),
        ("signed", Some(source)) => format!(", signed by {source}"),
        _ => String::new(),
    };
    let runtime = match report.runtime.as_ref().and_then(|state| state.version) {
        Some(version) => format!(", runtime {version}"),
        None => String::new(),
    };
    let compared = report.compared;
    visible!(
        "{} {} {}",
        verdict,
        style.strong(if report.path == "." { &report.name } else { &report.path }),
        style
            .faint(format!("({} {tag}{trust}{runtime}, {compared} files compared)", report.family))
    )
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
        errors: count(Severity::Error),
        warnings: count(Severity::Warning),
        findings: report.findings.iter().map(findings::reported).collect(),
        waived: waived.collect(),
        template_newest: template.and_then(TemplateState::newer).map(str::to_owned),
        template_waiting: template.and_then(|state| state.waiting.clone()),
        passed_over: report.passed_over.map(passed_over),
    }
}

fn passed_over(findings: PassedOver) -> PassedOverFindings {
    PassedOverFindings { errors: findings.errors, warnings: findings.warnings }
}
