//! `aos changelog`: what changed between versions, from the CHANGELOG.md of this build (agent-cli §11).

use clap::Args;
use serde_json::{Map, Value};

use crate::inputs::changelog::{ChangelogRelease, parse};
use crate::inputs::embedded;
use crate::report::answers::changelog::{ChangelogAnswer, ChangelogEntry};
use crate::report::{Failure, Outcome};
use crate::system::program;
use crate::visible::{Visible, visible};
use crate::workflows::asked::version;

use super::Run;

/// Show what changed between versions
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  aos changelog\n  aos changelog --since 0.1.0")]
pub struct ChangelogArgs {
    /// Show only versions newer than this one
    #[arg(long, value_name = "VERSION")]
    pub since: Option<String>,
}

/// Categories of Keep a Changelog, in the order of the answer.
const CATEGORIES: [&str; 6] = ["added", "changed", "fixed", "deprecated", "removed", "security"];

/// Runs the command.
///
/// # Errors
/// Returns an error if `--since` is not a version.
pub fn run(args: &ChangelogArgs, run: &Run) -> Result<Outcome, Failure> {
    let since = args.since.as_deref().map(version).transpose()?;
    let releases: Vec<_> = parse(embedded::CHANGELOG)
        .into_iter()
        .filter(|release| {
            since.as_ref().is_none_or(|since| release.version.cmp_precedence(since).is_gt())
        })
        .collect();
    let text = if releases.is_empty() {
        Visible::literal("no newer version")
    } else {
        Visible::joined(releases.iter().map(|release| text(release, run)), "\n\n")
    };
    let data = ChangelogAnswer {
        current_version: program::version(),
        since: args.since.clone(),
        entries: releases.iter().map(entry).collect(),
    };
    Ok(Outcome::new(data, text).raw(embedded::CHANGELOG))
}

fn entry(release: &ChangelogRelease) -> ChangelogEntry {
    let mut changes: Map<String, Value> = CATEGORIES
        .iter()
        .map(|category| ((*category).to_owned(), Value::Array(Vec::new())))
        .collect();
    for (category, entries) in &release.changes {
        changes.insert(category.clone(), entries.clone().into());
    }
    ChangelogEntry { version: release.version.to_string(), date: release.date.clone(), changes }
}

fn text(release: &ChangelogRelease, run: &Run) -> Visible {
    let date = release.date.as_deref().unwrap_or("no date");
    let mut lines = vec![visible!("{} ({})", run.style.strong(&release.version), date)];
    for (category, entries) in release.changes.iter().filter(|(_, entries)| !entries.is_empty()) {
        lines.push(visible!("  {}", category));
        lines.extend(entries.iter().map(|entry| visible!("    - {}", entry)));
    }
    Visible::joined(lines, "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_heading_is_not_an_entry() {
        let markdown = "## [1.0.0] - 2026-02-01\n### Security\n\n### Added\n- one\n";
        assert_eq!(entry(&parse(markdown)[0]).changes["security"], Value::Array(Vec::new()));
    }
}
