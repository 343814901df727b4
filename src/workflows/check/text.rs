//! The verdict as text: valid projects first, failures last, then one line with the summary.

use std::collections::BTreeMap;

use crate::audit::{PassedOverProject, ProjectReport};
use crate::contract::{Family, Finding, Severity};
use crate::report::findings::{self, Diffs};
use crate::visible::{Visible, counted, visible};
use crate::workflows::Run;
use crate::workflows::upgrade::standing;

use super::verdict::FleetVerdict;

/// Most valid projects that are listed one by one.
const MAX_NAMED: usize = 10;

impl FleetVerdict {
    /// Failures are nearest to the prompt, and the last line is the verdict.
    pub fn text(&self, run: &Run, diffs: Diffs) -> Visible {
        let style = run.style;
        let mut blocks = Vec::new();
        let single = self.reports.len() == 1 && self.fleet.is_none();
        let (clean, others): (Vec<_>, Vec<_>) =
            self.reports.iter().partition(|report| is_clean(report));
        let mut others = others;
        others.sort_by_key(|report| match (report.fault, report.is_ok()) {
            (None, true) => 0,
            (Some(_), _) => 1,
            (None, false) => 2,
        });
        if !single {
            match clean.len() > MAX_NAMED {
                true => blocks.push(visible!(
                    "{} {}",
                    style.good("OK"),
                    counted(clean.len(), "project")
                )),
                false => blocks.extend(clean.iter().map(|report| project_line(report, run))),
            }
            blocks.extend(self.passed_over_text(run));
            if others.len() > 1 {
                blocks.extend(self.frequencies());
            }
        }
        let each = if single { self.reports.iter().collect() } else { others };
        for report in each {
            let head = project_line(report, run);
            if !single {
                blocks.push(head.clone());
            }
            blocks.extend(self.project_text(report, run, diffs));
            if single {
                blocks.push(head);
            }
        }
        blocks.extend(self.unsearched.iter().map(|(path, reason)| {
            visible!("{} {} was not searched: {}", style.bad("error"), path.display(), reason)
        }));
        blocks.extend(grouped(&self.members).iter().map(|group| group.text(run, diffs)));
        if !single {
            blocks.extend(self.baseline_text());
            blocks.push(self.summary_line(run));
        }
        if !self.filtered.is_empty() {
            let PassedOverProject { errors, warnings } = self.passed_over();
            blocks.push(visible!(
                "Only {} was checked, so this is not a verdict on the project: {} and {} of other rules are not shown",
                self.filtered.join(", "),
                counted(errors, "error"),
                counted(warnings, "warning")
            ));
        }
        let separator = if self.by_rule.is_empty() { "\n" } else { "\n\n" };
        Visible::joined(blocks, separator)
    }

    fn project_text(&self, report: &ProjectReport, run: &Run, diffs: Diffs) -> Vec<Visible> {
        let style = run.style;
        let mut blocks: Vec<_> = report
            .notes
            .iter()
            .map(|note| visible!("{} {}", style.warning("note:"), note))
            .collect();
        blocks.extend(report.waived.iter().map(|waived| {
            visible!(
                "{} {} {}\n  {}",
                style.faint("waived"),
                waived.finding.path,
                style.faint(waived.finding.rule),
                waived.reason
            )
        }));
        let mut groups = grouped(&report.findings);
        groups.sort_by_key(|group| group.first.severity == Severity::Error);
        blocks.extend(groups.iter().map(|group| group.text(run, diffs)));
        blocks.extend(
            self.fault(report)
                .map(|fault| visible!("{} {}", style.bad(fault.code.as_str()), fault.message)),
        );
        blocks
    }

    fn passed_over_text(&self, run: &Run) -> Vec<Visible> {
        let passed = self.fleet.iter().flat_map(|fleet| &fleet.passed_over);
        passed
            .map(|passed| {
                visible!(
                    "{} {} was not checked: {}",
                    run.style.warning("note:"),
                    passed.path,
                    passed.reason
                )
            })
            .collect()
    }

    fn baseline_text(&self) -> Option<Visible> {
        let baseline = self.fleet.as_ref()?.baseline.as_ref()?;
        let stale = match baseline.stale {
            0 => String::new(),
            stale => format!(
                "; {} matched nothing: run `aos check --recursive ROOT --baseline write`",
                counted(stale, "entry")
            ),
        };
        Some(visible!(
            "Baseline {} {}: {} known{}",
            baseline.file,
            baseline.action,
            counted(baseline.known, "finding"),
            stale
        ))
    }

    fn summary_line(&self, run: &Run) -> Visible {
        let style = run.style;
        let verdict = match self.status() {
            "ok" => style.good("OK"),
            "partial" => style.warning("PARTIAL"),
            _ => style.bad("FAILED"),
        };
        let uncompared = match self.uncompared() {
            0 => String::new(),
            uncompared => format!("{uncompared} not compared, "),
        };
        visible!(
            "{} {}, {} failed, {}{} compared, {}",
            verdict,
            counted(self.reports.len(), "project"),
            self.failed(),
            uncompared,
            counted(self.reports.iter().map(|report| report.compared).sum::<usize>(), "file"),
            self.counts()
        )
    }

    /// Returns how often each rule fired in a fleet, most frequent first.
    fn frequencies(&self) -> Option<Visible> {
        let mut rules: Vec<_> = self.by_rule.iter().collect();
        rules.sort_by(|left, right| right.1.cmp(left.1).then_with(|| left.0.cmp(right.0)));
        let lines: Vec<_> =
            rules.iter().map(|(rule, count)| visible!("{:>6}  {}", count, rule)).collect();
        (!lines.is_empty()).then(|| visible!("Findings by rule\n{}", Visible::joined(lines, "\n")))
    }
}

/// True if one line says everything about a project.
fn is_clean(report: &ProjectReport) -> bool {
    report.is_ok()
        && report.findings.is_empty()
        && report.notes.is_empty()
        && report.waived.is_empty()
}

/// Findings of one rule in one file.
pub struct FindingGroup<'a> {
    pub first: &'a Finding,
    others: Vec<&'a Finding>,
}

/// The findings of each rule in each file together, in the order of the first of each.
pub fn grouped(findings: &[Finding]) -> Vec<FindingGroup<'_>> {
    let mut groups: Vec<FindingGroup<'_>> = Vec::new();
    let mut known: BTreeMap<(&str, &str, Severity), usize> = BTreeMap::new();
    for finding in findings {
        let key = (finding.rule, finding.path.as_str(), finding.severity);
        match known.get(&key) {
            Some(at) => groups[*at].others.push(finding),
            None => {
                known.insert(key, groups.len());
                groups.push(FindingGroup { first: finding, others: Vec::new() });
            }
        }
    }
    groups
}

impl FindingGroup<'_> {
    fn text(&self, run: &Run, diffs: Diffs) -> Visible {
        const SHOWN: usize = 12;
        let mut text = findings::text(self.first, run.style, diffs);
        if self.others.is_empty() {
            return text;
        }
        let lines: Vec<_> = self.others.iter().filter_map(|other| other.line).collect();
        let shown: Vec<_> = lines.iter().take(SHOWN).map(u32::to_string).collect();
        let lines = match (shown.is_empty(), lines.len().saturating_sub(SHOWN)) {
            (true, _) => String::new(),
            (false, 0) => format!(" in lines {}", shown.join(", ")),
            (false, more) => format!(" in lines {} and {more} more", shown.join(", ")),
        };
        text.push(&visible!(
            "\n  and {} of this rule{}",
            counted(self.others.len(), "more finding"),
            lines
        ));
        text
    }

    /// Returns the number of its findings.
    pub fn count(&self) -> usize {
        self.others.len() + 1
    }
}

fn project_line(report: &ProjectReport, run: &Run) -> Visible {
    let style = run.style;
    let verdict = match (report.fault, report.is_ok()) {
        (Some(_), _) => style.bad("NOT COMPARED"),
        (None, true) if report.passed_over.is_some() => style.warning("PARTIAL"),
        (None, true) => style.good("OK"),
        (None, false) => style.bad("FAILED"),
    };
    let contract = match &report.template {
        Some(template) if report.family == Family::NONE => {
            format!("template {}", standing::named(template))
        }
        _ => format!("{} {}", report.family, report.tag.as_deref().unwrap_or("no pin")),
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
    let compared = counted(report.compared, "file");
    visible!(
        "{} {} {}",
        verdict,
        style.strong(if report.path == "." { &report.name } else { &report.path }),
        style.faint(format!("({contract}{trust}{runtime}, {compared} compared)"))
    )
}
