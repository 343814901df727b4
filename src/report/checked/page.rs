//! `aos check --report html=FILE`: the verdict on a fleet as one page for people, without any other file.
//!
//! Everything from outside is escaped; the page runs no script but its own and loads nothing.

use crate::report::answers::check::{CheckReport, CheckedProject, RuleDescription};
use crate::report::conformance::junit::escaped;

const PAGE: &str = include_str!("page.html");
/// Headings of the columns.
const COLUMNS: [&str; 9] =
    ["Project", "Status", "Family", "Pin", "Template", "Runtime", "Errors", "Warnings", "Findings"];

/// The page.
pub fn render(report: &CheckReport, _: &[RuleDescription]) -> String {
    let summary = &report.summary;
    let title = match summary.projects {
        1 => "1 project".to_owned(),
        count => format!("{count} projects"),
    };
    let sentence = format!(
        "Status {}: {} ok, {} failed, {} partial, {} not compared; {} errors, {} warnings, {} waived. {} directories were not searched.",
        summary.status,
        summary.ok,
        summary.failed,
        summary.partial,
        summary.uncompared,
        summary.errors,
        summary.warnings,
        summary.waived,
        summary.unsearched.len()
    );
    let head = COLUMNS
        .map(|column| format!("<th scope=\"col\"><button type=\"button\">{column}</button></th>"));
    let rows: Vec<_> = report.projects.iter().map(row).collect();
    // Outside text is inserted last and is never searched for placeholders.
    let (before, after) = PAGE.split_once("@ROWS@").unwrap_or((PAGE, ""));
    let (between, after) = after.split_once("@FLEET@").unwrap_or((after, ""));
    let before = before
        .replace("@TITLE@", &escaped(&title))
        .replace("@SUMMARY@", &escaped(&sentence))
        .replace("@HEAD@", &head.concat());
    format!("{before}{}{between}{}{after}", rows.join("\n"), beside(report))
}

/// Renders the findings about the fleet as a whole; empty if there are none.
fn beside(report: &CheckReport) -> String {
    let mut lines = Vec::new();
    if let Some(fleet) = &report.fleet {
        lines.extend(fleet.findings.iter().map(|finding| {
            format!(
                "<li class=\"failed\"><code>{}</code> {}: {}</li>",
                escaped(finding.rule),
                escaped(&finding.path),
                escaped(&finding.message)
            )
        }));
        lines.extend(fleet.passed_over.iter().map(|passed| {
            format!(
                "<li>{} was not checked: {}</li>",
                escaped(&passed.path),
                escaped(&passed.reason)
            )
        }));
    }
    lines.extend(report.summary.unsearched.iter().map(|left| {
        format!(
            "<li class=\"failed\">{} was not searched: {}</li>",
            escaped(&left.path),
            escaped(&left.reason)
        )
    }));
    if lines.is_empty() {
        return String::new();
    }
    format!(
        "<section aria-labelledby=\"fleet\"><h2 id=\"fleet\">The fleet</h2><ul>{}</ul></section>",
        lines.concat()
    )
}

fn row(project: &CheckedProject) -> String {
    let text = |value: Option<&str>| value.map_or_else(|| "–".to_owned(), escaped);
    let template = match (&project.template, &project.template_newest) {
        (Some(template), Some(newest)) => format!(
            "{} <span class=\"behind\">behind {}</span>",
            escaped(template),
            escaped(newest)
        ),
        (template, _) => text(template.as_deref()),
    };
    let runtime = project.runtime.as_ref().map(|runtime| {
        let version = runtime.version.as_deref().unwrap_or("unknown");
        let behind = runtime.newest.as_deref().filter(|newest| *newest != version);
        let behind = behind
            .map(|newest| format!(" <span class=\"behind\">behind {}</span>", escaped(newest)));
        format!("{} {}{}", escaped(&runtime.name), escaped(version), behind.unwrap_or_default())
    });
    let findings = project.findings.iter().map(|finding| {
        let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
        format!(
            "<li><code>{}</code> {}{line}: {}</li>",
            escaped(finding.rule),
            escaped(&finding.path),
            escaped(&finding.message)
        )
    });
    let mut lines: Vec<_> = findings.collect();
    if let Some(fault) = &project.fault {
        lines.push(format!("<li><code>{}</code> {}</li>", fault.code, escaped(&fault.message)));
    }
    lines.extend(project.notes.iter().map(|note| format!("<li>{}</li>", escaped(note))));
    let details = match lines.len() {
        0 => "–".to_owned(),
        count => {
            format!("<details><summary>{count}</summary><ul>{}</ul></details>", lines.concat())
        }
    };
    format!(
        "<tr data-status=\"{status}\" data-behind=\"{behind}\"><th scope=\"row\">{path}</th><td class=\"{status}\">{status}</td><td>{family}</td><td>{tag}</td><td>{template}</td><td>{runtime}</td><td class=\"number\">{errors}</td><td class=\"number\">{warnings}</td><td data-key=\"{count}\">{details}</td></tr>",
        status = project.status,
        behind = if project.template_newest.is_some() { "yes" } else { "no" },
        path = escaped(&project.path),
        family = escaped(project.family),
        tag = text(project.tag.as_deref()),
        runtime = runtime.unwrap_or_else(|| "–".to_owned()),
        errors = project.errors,
        warnings = project.warnings,
        count = lines.len(),
    )
}
