//! `aos changelog`: what changed between versions, from the CHANGELOG.md of this build (agent-cli §11).

use clap::Args;
use serde_json::{Map, Value, json};

use crate::inputs::embedded;
use crate::report::{ErrorCode, Failure, Outcome};

use super::Run;

/// Show what changed between versions
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  aos changelog\n  aos changelog --since 0.1.0")]
pub struct ChangelogArgs {
    /// Only versions newer than this one
    #[arg(long, value_name = "VERSION")]
    pub since: Option<String>,
}

/// Categories of Keep a Changelog, in the order of the answer.
const CATEGORIES: [&str; 6] = ["added", "changed", "fixed", "deprecated", "removed", "security"];

/// One released version.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Release {
    pub version: semver::Version,
    pub date: Option<String>,
    /// Category (lower case) and its entries.
    pub changes: Vec<(String, Vec<String>)>,
}

/// Runs the command.
///
/// # Errors
/// When `--since` is not a version.
pub fn run(args: &ChangelogArgs, run: &Run) -> Result<Outcome, Failure> {
    let since = args.since.as_deref().map(version).transpose()?;
    let releases: Vec<_> = parse(embedded::CHANGELOG)
        .into_iter()
        .filter(|release| {
            since.as_ref().is_none_or(|since| release.version.cmp_precedence(since).is_gt())
        })
        .collect();
    let text = if releases.is_empty() {
        "no newer version".to_owned()
    } else {
        releases.iter().map(|release| text(release, run)).collect::<Vec<_>>().join("\n\n")
    };
    let data = json!({
        "current_version": env!("CARGO_PKG_VERSION"),
        "since": args.since,
        "entries": releases.iter().map(entry).collect::<Vec<_>>(),
    });
    Ok(Outcome::new(data, text).raw(embedded::CHANGELOG))
}

fn version(text: &str) -> Result<semver::Version, Failure> {
    semver::Version::parse(text.strip_prefix('v').unwrap_or(text)).map_err(|_| {
        let shown: String = text.chars().take(40).collect();
        Failure::new(ErrorCode::Validation, format!("`{}` is not a version", shown.escape_debug()))
            .hint("write it as MAJOR.MINOR.PATCH, for example `0.1.0`")
    })
}

/// Released versions in a changelog, newest first; unreleased entries and comments are left out.
#[must_use]
pub fn parse(markdown: &str) -> Vec<Release> {
    let mut releases: Vec<Release> = Vec::new();
    let mut open = false;
    for line in without_comments(markdown).lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let release = heading_release(heading);
            open = release.is_some();
            releases.extend(release);
        } else if let Some(release) = releases.last_mut().filter(|_| open) {
            add_line(release, line);
        }
    }
    releases.sort_by(|left, right| right.version.cmp_precedence(&left.version));
    releases
}

fn without_comments(markdown: &str) -> String {
    let mut kept = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some(start) = rest.find("<!--") {
        kept.push_str(&rest[..start]);
        rest = rest[start..].find("-->").map_or("", |end| &rest[start + end + 3..]);
    }
    kept.push_str(rest);
    kept
}

/// `[1.2.0] - 2026-01-31`; `None` for Unreleased and other headings.
fn heading_release(heading: &str) -> Option<Release> {
    let (name, rest) = match heading.strip_prefix('[') {
        Some(inner) => inner.split_once(']')?,
        None => heading.split_once(' ').unwrap_or((heading, "")),
    };
    let version = semver::Version::parse(name.trim().trim_start_matches('v')).ok()?;
    let date = rest.trim_start_matches([' ', '-', '\u{2013}', '\u{2014}']).trim();
    Some(Release {
        version,
        date: (!date.is_empty()).then(|| date.to_owned()),
        changes: Vec::new(),
    })
}

fn add_line(release: &mut Release, line: &str) {
    if let Some(category) = line.strip_prefix("### ") {
        release.changes.push((category.trim().to_lowercase(), Vec::new()));
        return;
    }
    let Some((_, entries)) = release.changes.last_mut() else { return };
    if let Some(entry) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
        entries.push(entry.trim().to_owned());
    } else if line.starts_with(' ')
        && let Some(entry) = entries.last_mut()
    {
        entry.push(' ');
        entry.push_str(line.trim());
    }
}

fn entry(release: &Release) -> Value {
    let mut changes: Map<String, Value> = CATEGORIES
        .iter()
        .map(|category| ((*category).to_owned(), Value::Array(Vec::new())))
        .collect();
    for (category, entries) in &release.changes {
        changes.insert(category.clone(), json!(entries));
    }
    json!({"version": release.version.to_string(), "date": release.date, "changes": changes})
}

fn text(release: &Release, run: &Run) -> String {
    let date = release.date.as_deref().unwrap_or("no date");
    let mut lines = vec![format!("{} ({date})", run.style.strong(&release.version.to_string()))];
    for (category, entries) in release.changes.iter().filter(|(_, entries)| !entries.is_empty()) {
        lines.push(format!("  {category}"));
        lines.extend(entries.iter().map(|entry| format!("    - {entry}")));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "# Changelog\n\n## [Unreleased]\n### Added\n- not yet\n\n<!--\n## [9.9.9] - 2030-01-01\n-->\n\
        ## [1.0.0-rc.1] - 2026-01-01\n### Fixed\n- a bug\n  in two lines\n\n## [1.0.0] - 2026-02-01\n### Security\n\n### Added\n- one\n";

    #[test]
    fn released_versions_are_listed_newest_first() {
        let versions: Vec<_> =
            parse(SAMPLE).iter().map(|release| release.version.to_string()).collect();
        assert_eq!(versions, ["1.0.0", "1.0.0-rc.1"]);
    }

    #[test]
    fn an_entry_may_run_over_several_lines() {
        let releases = parse(SAMPLE);
        assert_eq!(
            releases[1].changes,
            [("fixed".to_owned(), vec!["a bug in two lines".to_owned()])]
        );
    }

    #[test]
    fn an_empty_heading_is_no_entry() {
        assert_eq!(entry(&parse(SAMPLE)[0])["changes"]["security"], json!([]));
    }
}
