//! Whether the conditions of a step and the triggers of a workflow let it run when something changes.

use super::attributes::matches;
use super::expression::{Truth, holds};
use super::yaml::YamlNode;

/// Conditions that never hold, or only after a failure.
pub fn never_run(node: &YamlNode) -> Option<String> {
    for key in ["if", "condition"] {
        let Some(text) = node.member(key).and_then(YamlNode::text) else { continue };
        let condition = text.trim().trim_start_matches("${{").trim_end_matches("}}").trim();
        let bare = condition.trim_matches(['\'', '"', '(', ')', ' ']);
        if matches!(
            bare,
            "false"
                | "0"
                | "null"
                | ""
                | "never"
                | "failure"
                | "cancelled"
                | "failed"
                | "!always"
                | "!true"
        ) {
            return Some(format!("its condition is `{condition}`"));
        }
    }
    if node.member("enabled").and_then(YamlNode::text) == Some("false") {
        return Some("it is not enabled".to_owned());
    }
    let when = node.member("when").and_then(YamlNode::text)?;
    matches!(when, "never" | "manual" | "on_failure" | "on_fail")
        .then(|| format!("it runs only `when: {when}`"))
}

/// A condition of GitHub under which no change runs the guarded step, or under which this is unknown.
pub fn condition(node: &YamlNode) -> Option<String> {
    let text = node.member("if")?.text()?;
    let all = ["push", "pull_request", "merge_group"].map(|event| holds(text, event));
    if all.contains(&Truth::Yes) {
        return None;
    }
    Some(match all.contains(&Truth::Unknown) {
        true => format!("the condition `{}` decides whether it runs", text.trim()),
        false => format!("its condition is `{}`", text.trim()),
    })
}

/// Why a workflow does not run on changes.
#[derive(Clone, Debug)]
pub(super) struct Elsewhen {
    pub reason: String,
    pub certainty: Certainty,
}

/// The effect of the triggers on the workflow.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Certainty {
    /// No change can start it.
    Off,
    /// It is for releases, so it says nothing about the workflow for changes.
    Release,
    /// A branch of an unusual name may be the main one, and a condition may hold.
    Unknown,
}

/// Returns the reason why a workflow with these triggers does not run on changes of the `managed` files, by their paths
/// from the top.
pub(super) fn never_on_changes(on: &YamlNode, managed: &[String]) -> Option<Elsewhen> {
    const CHANGES: &[&str] = &[
        "push",
        "pull_request",
        "pull_request_target",
        "merge_group",
        "workflow_call",
        "workflow_run",
    ];
    let names: Vec<&str> = match on {
        YamlNode::Table(members) => members.iter().map(|(name, _)| name.as_str()).collect(),
        other => other.scalars(),
    };
    let setting = |name: &str| match on {
        YamlNode::Table(_) => on.member(name),
        _ => None,
    };
    let changes: Vec<&str> = names.iter().copied().filter(|name| CHANGES.contains(name)).collect();
    let excludes = |name: &str| setting(name).and_then(|value| excludes(name, value, managed));
    let excluded: Vec<_> = changes.iter().filter_map(|name| excludes(name)).collect();
    if excluded.len() < changes.len() {
        return None;
    }
    let certainty = match () {
        () if excluded.contains(&Excluded::Branches) => Certainty::Unknown,
        () if excluded.contains(&Excluded::AllButTags) => Certainty::Release,
        () => Certainty::Off,
    };
    let left_out = excluded.iter().find_map(|excluded| match excluded {
        Excluded::Path(path) => Some(path),
        _ => None,
    });
    let reason = match left_out {
        Some(path) => format!("the path filter of the workflow leaves out `{path}`"),
        None => {
            let shown: Vec<_> = names.iter().take(5).map(|name| format!("`{name}`")).collect();
            format!("the workflow runs only on {}, not on every change", shown.join(", "))
        }
    };
    Some(Elsewhen { reason, certainty })
}

/// The events that the filters of a trigger exclude.
#[derive(Debug, Eq, PartialEq)]
enum Excluded {
    All,
    AllButTags,
    /// All branches but some of unusual names.
    Branches,
    /// A managed file.
    Path(String),
}

fn excludes(name: &str, value: &YamlNode, managed: &[String]) -> Option<Excluded> {
    let of = |key: &str| value.member(key).map(YamlNode::scalars);
    let all = |key: &str| {
        of(key).is_some_and(|patterns| patterns.iter().any(|one| matches!(*one, "**" | "*")))
    };
    let types = of("types").is_some_and(|types| {
        !types.iter().any(|one| {
            matches!(*one, "opened" | "synchronize" | "reopened" | "checks_requested" | "completed")
        })
    });
    let only_tags = name == "push"
        && of("tags").is_some()
        && of("branches").is_none()
        && of("branches-ignore").is_none();
    let unusual = of("branches").is_some_and(|branches| !branches.iter().any(|one| is_usual(one)));
    if all("branches-ignore") || all("paths-ignore") || types {
        return Some(Excluded::All);
    }
    if only_tags {
        return Some(Excluded::AllButTags);
    }
    let is_left_out = |path: &&String| {
        of("paths").is_some_and(|patterns| !is_taken(&patterns, path))
            || of("paths-ignore").is_some_and(|patterns| is_taken(&patterns, path))
    };
    if let Some(path) = managed.iter().find(is_left_out) {
        return Some(Excluded::Path(path.clone()));
    }
    unusual.then_some(Excluded::Branches)
}

/// True if the last pattern that matches a path includes it.
fn is_taken(patterns: &[&str], path: &str) -> bool {
    patterns.iter().fold(false, |is_taken, pattern| match pattern.strip_prefix('!') {
        Some(pattern) => is_taken && !matches(pattern.as_bytes(), path.as_bytes()),
        None => is_taken || matches(pattern.as_bytes(), path.as_bytes()),
    })
}

/// True if a pattern may match the default branch.
fn is_usual(branch: &str) -> bool {
    const USUAL: &[&str] = &[
        "main",
        "master",
        "trunk",
        "develop",
        "development",
        "dev",
        "default",
        "production",
        "prod",
        "stable",
        "next",
        "release",
        "$default-branch",
    ];
    let is_pattern = branch.contains(['*', '?', '[', '$']) && !branch.starts_with('!');
    is_pattern || USUAL.contains(&branch)
}

#[cfg(test)]
mod tests {
    use super::super::yaml;
    use super::*;

    fn node(text: &str) -> YamlNode {
        yaml::read(text).unwrap().remove(0)
    }

    #[test]
    fn triggers_that_no_change_starts_are_found() {
        for (text, starts) in [
            ("push: {branches: [main]}", true),
            ("push: {branches: [never]}", false),
            ("push: {branches: ['release/**']}", true),
            ("push: {branches: [never]}\npull_request:", true),
            ("pull_request: {branches: [never]}", false),
            ("push: {branches: ['!main']}", false),
            ("push: {paths-ignore: ['**']}", false),
            ("push: {paths: ['docs/**']}", false),
            ("push: {paths: ['docs/**']}\npull_request:", true),
            ("push: {paths: ['contract/**', '*.toml']}", true),
            ("push: {paths: ['**', '!contract/*.json']}", false),
            ("push: {paths-ignore: ['**.md']}", true),
            ("push: {paths-ignore: ['contract/**']}", false),
        ] {
            let managed = ["contract/contract.json".to_owned()];
            assert_eq!(never_on_changes(&node(text), &managed).is_none(), starts, "{text}");
        }
    }

    #[test]
    fn conditions_that_changes_do_not_meet_are_found() {
        for (text, runs) in [
            ("github.event_name == 'pull_request'", true),
            ("github.event_name == 'schedule'", false),
            ("${{ github.actor == 0 }}", false),
            ("github.actor != 'renovate[bot]'", true),
            ("always()", true),
            ("matrix.os == 'ubuntu-24.04'", true),
            ("vars.CHECK == 'yes'", false),
        ] {
            let node = node(&format!("if: \"{text}\""));
            assert_eq!(condition(&node).is_none(), runs, "{text}");
        }
    }
}
