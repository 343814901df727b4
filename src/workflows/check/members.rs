//! The findings about a fleet as a whole: its members, their pins, its baseline.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::audit::{ProjectReport, members, rules};
use crate::contract::{Finding, Severity};
use crate::error::{io_code, io_hint};
use crate::inputs::baseline::{Baseline, BaselineError, KnownFinding};
use crate::inputs::fleet::Fleet;
use crate::inputs::fleet_file::{BASELINE_PATH, FLEET_PATH, tidy};
use crate::report::Failure;
use crate::report::answers::fleet::{BaselineReport, FleetReport, SkippedProject};
use crate::report::findings::reported;
use crate::workflows::report_file;

/// The action on the baseline of a fleet.
#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
pub enum BaselineUse {
    /// Write the current findings; an existing baseline only loses entries
    Write,
    /// Accept the recorded findings
    Compare,
}

/// The findings about a fleet as a whole.
pub fn findings(fleet: &Fleet, reports: &[ProjectReport]) -> Vec<Finding> {
    let mut found: Vec<_> = fleet
        .lost
        .iter()
        .map(|(path, reason)| members::LOST.finding(&fleet.member(path), reason.clone()))
        .collect();
    let Some(file) = &fleet.file else { return found };
    let members: Vec<_> =
        reports.iter().map(|report| fleet.member(Path::new(&report.path))).collect();
    for member in &file.members {
        let member = tidy(member);
        if !members.iter().any(|known| known == member) {
            let message = format!("{FLEET_PATH} expects a project here, and there is none");
            found.push(members::MISSING.finding(member, message));
        }
    }
    for (member, report) in members.iter().zip(reports) {
        if file.closed && !file.lists(member) {
            let message = format!("it is not a member in {FLEET_PATH}");
            found.push(members::UNLISTED.finding(member, message));
        }
        let wanted = file.pin(member, report.family.name());
        if let Some(wanted) = wanted.filter(|wanted| report.tag.as_deref() != Some(*wanted)) {
            let tag = report.tag.as_deref().unwrap_or("no tag");
            let message = format!("it follows {tag}, but {FLEET_PATH} requires {wanted}");
            found.push(members::PIN.finding(member, message));
        }
    }
    found.sort();
    found
}

/// The answer about a fleet.
pub fn report(
    fleet: &Fleet,
    findings: &[Finding],
    baseline: Option<BaselineReport>,
) -> Option<FleetReport> {
    fleet.root.as_ref()?;
    Some(FleetReport {
        declared: fleet.file.is_some(),
        expected: fleet.file.as_ref().map_or(0, |file| file.members.len()),
        findings: findings.iter().map(reported).collect(),
        passed_over: fleet
            .passed_over
            .iter()
            .map(|(path, reason)| SkippedProject {
                path: path.display().to_string(),
                reason: reason.clone(),
            })
            .collect(),
        baseline,
    })
}

/// Applies the baseline: known findings are taken out of the reports.
///
/// # Errors
/// Returns an error if it cannot be read or written.
pub fn apply(
    action: BaselineUse,
    fleet: &Fleet,
    reports: &mut [ProjectReport],
) -> Result<Option<BaselineReport>, Failure> {
    let Some(root) = &fleet.root else { return Ok(None) };
    let name = fleet.file.as_ref().and_then(|file| file.baseline.as_deref());
    let path = root.join(name.unwrap_or(BASELINE_PATH));
    let now = Baseline::of(reports.iter().flat_map(|report| {
        let member = fleet.member(Path::new(&report.path));
        known_findings(&member, &report.findings)
    }));
    let (mut baseline, action) = match action {
        BaselineUse::Compare => (Baseline::read(&path)?, "compared"),
        BaselineUse::Write => {
            let baseline = match Baseline::read(&path) {
                Ok(old) => now.within(&old),
                Err(BaselineError::Absent { .. }) => now,
                Err(error) => return Err(error.into()),
            };
            write(&path, &baseline)?;
            (baseline, "written")
        }
    };
    let all = baseline.len();
    for report in reports.iter_mut() {
        let member = fleet.member(Path::new(&report.path));
        report
            .findings
            .retain(|finding| !(may_be_known(finding) && baseline.take(&known(&member, finding))));
    }
    let stale = baseline.len();
    let file = path.display().to_string();
    Ok(Some(BaselineReport { file, action, known: all - stale, stale }))
}

/// Findings that a baseline may know, as it writes them.
#[must_use]
pub fn known_findings(member: &str, findings: &[Finding]) -> Vec<KnownFinding> {
    findings
        .iter()
        .filter(|finding| may_be_known(finding))
        .map(|finding| known(member, finding))
        .collect()
}

/// Errors only, and none that cannot be waived.
fn may_be_known(finding: &Finding) -> bool {
    finding.severity == Severity::Error
        && rules::find(finding.rule).is_some_and(|rule| rule.waivable)
}

fn known(member: &str, finding: &Finding) -> KnownFinding {
    KnownFinding {
        project: member.to_owned(),
        rule: finding.rule.to_owned(),
        path: finding.path.clone(),
        message: finding.message.clone(),
    }
}

fn write(path: &Path, baseline: &Baseline) -> Result<(), Failure> {
    report_file::put(path, baseline.render().as_bytes()).map_err(|error| {
        let message = format!("the baseline `{}` cannot be written: {error}", path.display());
        Failure::new(io_code(&error), message).hint(io_hint(&error))
    })
}

/// Projects inside those that were judged, which were not judged yet.
pub fn nested(
    fleet: &mut Fleet,
    reports: &[ProjectReport],
    seen: &mut BTreeSet<PathBuf>,
) -> Vec<PathBuf> {
    let mut further = Vec::new();
    for report in reports {
        for inner in &report.nested {
            let path = Path::new(&report.path).join(inner);
            let path = if report.path == "." { PathBuf::from(inner) } else { path };
            if !seen.insert(path.clone()) {
                continue;
            }
            let member = fleet.member(&path);
            if fleet.file.as_ref().is_some_and(|file| file.excludes(&member)) {
                fleet.passed_over.push((path, format!("{FLEET_PATH} excludes it")));
            } else if let Some(reason) = crate::inputs::fleet::is_elsewhere(&path) {
                fleet.passed_over.push((path, reason.to_owned()));
            } else {
                further.push(path);
            }
        }
    }
    further.sort();
    further
}
