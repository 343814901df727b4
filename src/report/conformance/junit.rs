//! JUnit XML: one test case per probe.

use crate::conform::{CallEvidence, ProbeVerdict};

use super::Conformance;
use crate::visible::Visible;

/// The document.
#[must_use]
pub fn render(conformance: &Conformance) -> String {
    let count = |verdict| conformance.count(verdict);
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    xml.push_str(&format!(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{}\">\n",
        escaped(&format!("aos conform {} ({} {})", conformance.tool, conformance.family, conformance.tag)),
        conformance.verdicts.results.len()
            + conformance.waiver_faults.len()
            + conformance.waiver_notes.len(),
        count(ProbeVerdict::Fail),
        count(ProbeVerdict::Blocked) + conformance.waiver_faults.len(),
        count(ProbeVerdict::NotApplicable)
            + count(ProbeVerdict::Waived)
            + count(ProbeVerdict::Advised),
        seconds(conformance.verdicts.duration_ms),
    ));
    let monitored = &conformance.verdicts.monitored;
    xml.push_str("    <properties>\n");
    for (name, value) in [
        ("targets", conformance.targets()),
        ("calls_finished", monitored.calls),
        ("calls_judged", monitored.judged),
        ("calls_excluded", monitored.calls - monitored.judged),
    ] {
        xml.push_str(&format!("      <property name=\"{name}\" value=\"{value}\"/>\n"));
    }
    xml.push_str("    </properties>\n");
    for result in &conformance.verdicts.results {
        xml.push_str(&format!(
            "    <testcase classname=\"{}\" name=\"{}\" time=\"{}\">\n",
            escaped(&format!("{} {}", conformance.family, result.probe.section)),
            escaped(result.probe.id),
            seconds(result.duration_ms),
        ));
        xml.push_str("      <properties>\n");
        for (name, value) in [
            ("targets", result.finding.targets().to_string()),
            ("targets_of", result.finding.unit().to_owned()),
        ] {
            let value = escaped(&value);
            xml.push_str(&format!("        <property name=\"{name}\" value=\"{value}\"/>\n"));
        }
        xml.push_str("      </properties>\n");
        let message = escaped(&result.finding.message);
        match result.finding.verdict() {
            ProbeVerdict::Pass => {}
            ProbeVerdict::Fail | ProbeVerdict::Blocked => {
                let element = if result.finding.verdict() == ProbeVerdict::Fail {
                    "failure"
                } else {
                    "error"
                };
                let mut body = format!("{}\nfix: {}\n", result.probe.title, result.probe.fix);
                body.extend(result.finding.evidence.iter().map(evidence));
                xml.push_str(&format!(
                    "      <{element} message=\"{message}\">{}</{element}>\n",
                    escaped(&body)
                ));
            }
            ProbeVerdict::NotApplicable => {
                xml.push_str(&format!("      <skipped message=\"not applicable: {message}\"/>\n"));
            }
            ProbeVerdict::Advised => {
                xml.push_str(&format!("      <skipped message=\"recommended: {message}\"/>\n"));
            }
            ProbeVerdict::Waived => {
                let reason = result.waiver.as_ref().map_or("", |waiver| waiver.reason.as_str());
                let reason = escaped(reason);
                xml.push_str(&format!(
                    "      <skipped message=\"waived: {reason}: {message}\"/>\n"
                ));
            }
        }
        xml.push_str("    </testcase>\n");
    }
    for fault in &conformance.waiver_faults {
        xml.push_str(&format!(
            "    <testcase classname=\"aos.toml\" name=\"waiver {}\" time=\"0.000\">\n      <error message=\"{}\"/>\n    </testcase>\n",
            escaped(&fault.probe),
            escaped(&fault.message)
        ));
    }
    for note in &conformance.waiver_notes {
        xml.push_str(&format!(
            "    <testcase classname=\"aos.toml\" name=\"waiver {}\" time=\"0.000\">\n      <system-out>note: {}</system-out>\n    </testcase>\n",
            escaped(&note.probe),
            escaped(&note.message)
        ));
    }
    if !conformance.notes.is_empty() {
        let notes = escaped(&conformance.notes.join("\n"));
        xml.push_str(&format!("    <system-out>{notes}</system-out>\n"));
    }
    xml.push_str("  </testsuite>\n</testsuites>\n");
    xml
}

fn evidence(evidence: &CallEvidence) -> String {
    format!(
        "\n$ {} ({})\n{}\nstdout: {}\nstderr: {}\n",
        evidence.argv.join(" "),
        evidence.ending,
        evidence.note,
        evidence.stdout,
        evidence.stderr
    )
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1000, ms % 1000)
}

/// Escapes text for elements and attributes, and for terminals that print the file: characters that XML 1.0 does not
/// allow and invisible characters are spelled out.
pub(in crate::report) fn escaped(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let line = Visible::line(line).into_string();
        line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
    });
    lines.collect::<Vec<_>>().join("&#10;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outside_text_cannot_end_an_element_or_an_attribute() {
        assert_eq!(escaped("]]><&\"\u{1b}[\u{0}\n"), "]]&gt;&lt;&amp;&quot;\\u{1b}[\\u{0}&#10;");
        assert_eq!(escaped("\u{202e}\u{fffe}\u{9b}"), "\\u{202e}\\u{fffe}\\u{9b}");
    }
}
