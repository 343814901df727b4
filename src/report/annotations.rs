//! GitHub Actions workflow commands: one annotation per finding.

use crate::contract::{Finding, Severity};
use crate::visible::{Visible, visible};

/// The annotation of one finding and of `count - 1` like it; `prefix` is the project's path inside the workspace.
#[must_use]
pub fn github(prefix: &str, finding: &Finding, count: usize) -> Visible {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let file = match prefix.trim_end_matches('/') {
        "" | "." => finding.path.clone(),
        prefix => format!("{prefix}/{}", finding.path),
    };
    let line = finding.line.map(|line| format!(",line={line}")).unwrap_or_default();
    let more = match count {
        0 | 1 => String::new(),
        count => format!("%0Aand {} more findings of this rule in this file", count - 1),
    };
    visible!(
        "::{} file={}{},title={}::{}%0Afix: {}{}",
        level,
        property(&file),
        line,
        property(finding.rule),
        data(&finding.message),
        data(&finding.fix),
        more
    )
}

/// An annotation without a place.
#[must_use]
pub fn notice(text: &str) -> Visible {
    visible!("::notice::{}", data(text))
}

/// Escapes the text of an annotation, so that a file name or message cannot start another command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_finding_cannot_start_a_workflow_command() {
        let finding = Finding {
            path: "a,b:c\n::warning::x\u{202e}".into(),
            line: Some(3),
            rule: "drift/modified",
            severity: Severity::Error,
            message: "100%\r\n::error::y\u{1b}[2J".into(),
            fix: "aos gen".into(),
            diff: None,
        };
        let text = github("fleet/aos-x", &finding, 1);
        let text = text.as_str();
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(
            text.starts_with(
                "::error file=fleet/aos-x/a%2Cb%3Ac%0A%3A%3Awarning%3A%3Ax\\u{202e},line=3,"
            ),
            "{text}"
        );
        assert!(text.contains("::100%25%0D%0A::error::y\\u{1b}[2J%0Afix: aos gen"), "{text}");
    }
}
