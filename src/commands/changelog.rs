//! `aos changelog`: what changed between versions, from the CHANGELOG.md of this build (agent-cli §11).

use clap::Args;
use serde_json::{Map, Value};

use crate::inputs::changelog::{ChangelogRelease, parse};
use crate::inputs::embedded;
use crate::report::answers::changelog::{ChangelogAnswer, ChangelogEntry};
use crate::report::{Failure, Outcome};
use crate::system::program;
use crate::visible::{Visible, counted, visible};
use crate::workflows::asked::version;

use super::Run;

/// Show what changed between versions
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  aos changelog\n  aos changelog --since 0.1.0\n  aos changelog --all"
)]
pub struct ChangelogArgs {
    /// Show every version newer than this one, in full
    #[arg(long, value_name = "VERSION")]
    pub since: Option<String>,
    /// Show every version in full; the default is the newest version, with the beginning of each entry
    #[arg(long, conflicts_with = "since")]
    pub all: bool,
}

/// Categories of Keep a Changelog, in the order of the answer.
const CATEGORIES: [&str; 6] = ["added", "changed", "fixed", "deprecated", "removed", "security"];

/// Runs the command.
///
/// # Errors
/// Returns an error if `--since` is not a version.
pub fn run(args: &ChangelogArgs, run: &Run) -> Result<Outcome, Failure> {
    let since = args.since.as_deref().map(version).transpose()?;
    let is_brief = since.is_none() && !args.all;
    let mut releases: Vec<_> = parse(embedded::CHANGELOG)
        .into_iter()
        .filter(|release| {
            since.as_ref().is_none_or(|since| release.version.cmp_precedence(since).is_gt())
        })
        .collect();
    let more = is_brief.then(|| shorten(&mut releases));
    let mut text = if releases.is_empty() {
        Visible::literal("no newer version")
    } else {
        Visible::joined(releases.iter().map(|release| text(release, run)), "\n\n")
    };
    if let Some(more) = &more {
        text.push(&visible!("\n\n{}", more));
    }
    let data = ChangelogAnswer {
        current_version: program::version(),
        since: args.since.clone(),
        entries: releases.iter().map(entry).collect(),
        more,
    };
    Ok(Outcome::new(data, text).raw(embedded::CHANGELOG))
}

/// Most bytes of the entries of a version whose texts are shortened, and most characters of one entry.
const MAX_BRIEF: usize = 3_000;
const MAX_TITLE: usize = 60;

/// Keeps the newest version with the beginning of each entry, as many as fit, and says what is left out.
fn shorten(releases: &mut Vec<ChangelogRelease>) -> String {
    let older = releases.len().saturating_sub(1);
    releases.truncate(1);
    let (mut size, mut left_out) = (0, 0);
    for (_, entries) in releases.iter_mut().flat_map(|release| &mut release.changes) {
        let all = entries.len();
        entries.iter_mut().for_each(|entry| *entry = title(entry));
        entries.retain(|entry| {
            size += entry.len() + 4;
            size <= MAX_BRIEF
        });
        left_out += all - entries.len();
    }
    let mut parts = Vec::new();
    if left_out > 0 {
        parts.push(counted(left_out, "entry"));
    }
    if older > 0 {
        parts.push(counted(older, "older version"));
    }
    parts.push("the ends of entries".to_owned());
    format!("left out: {}; `aos changelog --all` shows everything", parts.join(", "))
}

/// The first sentence of an entry, as far as a list has room for it.
fn title(entry: &str) -> String {
    let end = [": ", ". ", "; "].iter().filter_map(|end| entry.find(end)).min();
    let sentence = end.map_or(entry, |end| &entry[..end]).trim_end_matches('.');
    match sentence.char_indices().nth(MAX_TITLE) {
        None => sentence.to_owned(),
        Some((end, _)) => {
            let cut = sentence[..end].rfind(' ').unwrap_or(end);
            format!("{}…", sentence[..cut].trim_end_matches(','))
        }
    }
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
    fn the_default_is_the_newest_version_with_the_beginning_of_its_entries() {
        let long =
            "`aos x` has a great many options and a text that nobody reads in a list, however";
        let markdown = format!(
            "## [2.0.0]\n### Added\n- `aos y`: more\n- {long}\n{}## [1.0.0]\n### Fixed\n- one\n",
            "- one more. It is long\n".repeat(500)
        );
        let mut releases = parse(&markdown);
        let more = shorten(&mut releases);
        let [release] = releases.as_slice() else { panic!("{releases:?}") };
        let entries = &release.changes[0].1;
        assert_eq!(entries[0], "`aos y`");
        assert_eq!(entries[1], "`aos x` has a great many options and a text that nobody…");
        assert_eq!(entries[2], "one more");
        assert!(entries.iter().map(String::len).sum::<usize>() < MAX_BRIEF);
        let left = 502 - entries.len();
        assert_eq!(
            more,
            format!(
                "left out: {left} entries, 1 older version, the ends of entries; `aos changelog --all` shows everything"
            )
        );
    }

    #[test]
    fn an_empty_heading_is_no_entry() {
        let markdown = "## [1.0.0] - 2026-02-01\n### Security\n\n### Added\n- one\n";
        assert_eq!(entry(&parse(markdown)[0]).changes["security"], Value::Array(Vec::new()));
    }
}
