//! Findings as answers and as text.

use crate::contract::{Finding, Severity};

use crate::visible::{Visible, visible};

use super::answers::findings::ReportedFinding;
use super::style::Style;

/// One finding as data.
#[must_use]
pub fn reported(finding: &Finding) -> ReportedFinding {
    ReportedFinding {
        rule: finding.rule,
        severity: finding.severity.to_string(),
        path: finding.path.clone(),
        line: finding.line,
        message: finding.message.clone(),
        fix: finding.fix.clone(),
        diff: finding.diff.clone(),
    }
}

/// The part of a diff that is shown.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Diffs {
    Absent,
    Short,
    Whole,
}

/// One finding for a person: place and rule, what is wrong, the diff, the fix.
#[must_use]
pub fn text(finding: &Finding, style: Style, diffs: Diffs) -> Visible {
    let label = match finding.severity {
        Severity::Error => style.bad("error"),
        Severity::Warning => style.warning("warning"),
    };
    let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
    let place = style.strong(visible!("{}{}", finding.path, line));
    let rule = style.faint(finding.rule);
    let mut text = visible!("{} {} {}\n  {}", label, place, rule, finding.message);
    let diff = finding.diff.as_deref().map(|diff| match diffs {
        Diffs::Absent => String::new(),
        Diffs::Short => super::changes::shortened(diff),
        Diffs::Whole => diff.to_owned(),
    });
    for line in style.diff(&diff.unwrap_or_default()) {
        text.push(&visible!("\n    {}", line));
    }
    text.push(&visible!("\n  {} {}", style.accent("fix:"), finding.fix));
    text
}
