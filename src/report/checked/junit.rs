//! JUnit XML: a suite per project; a test case for the comparison and one for each rule that found something.

use std::collections::BTreeMap;

use crate::report::answers::check::{CheckReport, CheckedProject, RuleDescription};
use crate::report::answers::findings::ReportedFinding;
use crate::report::conformance::junit::escaped;

/// The document.
pub fn render(report: &CheckReport, _: &[RuleDescription]) -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"aos check\">\n",
    );
    for project in &report.projects {
        suite(project, &mut xml);
    }
    if let Some(fleet) = &report.fleet {
        let cases = cases(&fleet.findings);
        open_suite("fleet", &cases, 0, &mut xml);
        xml.extend(cases.iter().map(|(rule, findings)| case("fleet", rule, findings)));
        for passed in &fleet.passed_over {
            xml.push_str(&format!(
                "    <testcase classname=\"fleet\" name=\"{}\">\n      <skipped message=\"{}\"/>\n    </testcase>\n",
                escaped(&passed.path),
                escaped(&passed.reason)
            ));
        }
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

type Cases<'a> = BTreeMap<&'static str, Vec<&'a ReportedFinding>>;

fn cases(findings: &[ReportedFinding]) -> Cases<'_> {
    let mut cases = Cases::new();
    for finding in findings {
        cases.entry(finding.rule).or_default().push(finding);
    }
    cases
}

fn open_suite(name: &str, cases: &Cases<'_>, more: usize, xml: &mut String) {
    let failing = cases
        .values()
        .filter(|findings| findings.iter().any(|finding| finding.severity == "error"));
    xml.push_str(&format!(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n",
        escaped(name),
        cases.len() + more,
        failing.count()
    ));
}

fn suite(project: &CheckedProject, xml: &mut String) {
    let cases = cases(&project.findings);
    open_suite(&project.path, &cases, 1 + project.waived.len(), xml);
    xml.push_str("    <properties>\n");
    for (name, value) in [
        ("family", project.family),
        ("tag", project.tag.as_deref().unwrap_or_default()),
        ("trust", project.trust),
        ("status", project.status),
    ] {
        xml.push_str(&format!("      <property name=\"{name}\" value=\"{}\"/>\n", escaped(value)));
    }
    xml.push_str("    </properties>\n");
    let name = format!("{} of {} managed files were compared", project.compared, project.managed);
    xml.push_str(&format!(
        "    <testcase classname=\"{}\" name=\"{name}\">\n",
        escaped(&project.path)
    ));
    if let Some(fault) = &project.fault {
        xml.push_str(&format!("      <error message=\"{}\"/>\n", escaped(&fault.message)));
    }
    xml.push_str("    </testcase>\n");
    xml.extend(cases.iter().map(|(rule, findings)| case(&project.path, rule, findings)));
    for waived in &project.waived {
        xml.push_str(&format!(
            "    <testcase classname=\"{}\" name=\"{} (waived)\">\n      <skipped message=\"{}\"/>\n    </testcase>\n",
            escaped(&project.path),
            waived.finding.rule,
            escaped(&waived.reason)
        ));
    }
    if !project.notes.is_empty() {
        xml.push_str(&format!(
            "    <system-out>{}</system-out>\n",
            escaped(&project.notes.join("\n"))
        ));
    }
    xml.push_str("  </testsuite>\n");
}

fn case(class: &str, rule: &str, findings: &[&ReportedFinding]) -> String {
    let lines: Vec<_> = findings.iter().map(|finding| line(finding)).collect();
    let body = escaped(&lines.join("\n"));
    let is_error = findings.iter().any(|finding| finding.severity == "error");
    let inner = match (is_error, findings.first()) {
        (true, Some(first)) => {
            let more = match findings.len() {
                1 => String::new(),
                count => format!(" (and {} more)", count - 1),
            };
            let message = escaped(&format!("{}{more}", first.message));
            format!("      <failure message=\"{message}\">{body}</failure>\n")
        }
        _ => format!("      <system-out>{body}</system-out>\n"),
    };
    format!(
        "    <testcase classname=\"{}\" name=\"{rule}\">\n{inner}    </testcase>\n",
        escaped(class)
    )
}

fn line(finding: &ReportedFinding) -> String {
    let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!(
        "{}: {}{line}: {}\nfix: {}",
        finding.severity, finding.path, finding.message, finding.fix
    )
}
