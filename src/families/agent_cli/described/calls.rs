//! Commands, groups and flags of a CLI by the ids and options of an API.

use std::collections::BTreeSet;

use super::table::{DescribedOperation, DescribedTool};

/// First words that every tool has for itself.
const OWN_GROUPS: [&str; 10] = [
    "auth",
    "reference",
    "context",
    "doctor",
    "changelog",
    "update",
    "help",
    "version",
    "completion",
    "completions",
];
/// Names of devices on Windows, which no file may have there: each group has a file.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];
/// Flags that every command has, or some.
const OWN_FLAGS: [&str; 14] = [
    "format",
    "json",
    "compact",
    "quiet",
    "fields",
    "dry-run",
    "confirm",
    "dangerous",
    "help",
    "version",
    "limit",
    "cursor",
    "offset",
    "idempotency-key",
];

/// `repo_issue.list` as the words `repo-issue list`.
#[must_use]
pub fn path(operation: &DescribedOperation) -> String {
    let dashed = operation.id.replace('_', "-");
    let (group, action) = dashed.split_once('.').unwrap_or((&dashed, "run"));
    let is_device = DEVICES.contains(&group.trim_end_matches(|last: char| last.is_ascii_digit()));
    let api = if is_device || OWN_GROUPS.contains(&group) { "api-" } else { "" };
    format!("{api}{group} {action}")
}

/// The group of a command.
#[must_use]
pub fn group(operation: &DescribedOperation) -> String {
    let path = path(operation);
    path.split(' ').next().unwrap_or_default().to_owned()
}

/// The flags of a command, in the order of its inputs; no two are equal.
#[must_use]
pub fn flags(operation: &DescribedOperation) -> Vec<String> {
    let mut taken: BTreeSet<String> = OWN_FLAGS.iter().map(|flag| (*flag).to_owned()).collect();
    let mut flags = Vec::new();
    for input in &operation.inputs {
        let mut flag = input.option.replace('_', "-");
        while !taken.insert(flag.clone()) {
            flag.push_str("-value");
        }
        flags.push(flag);
    }
    flags
}

/// True if a POST changes the thing at its path: a GET shows it, and nothing else changes it.
#[must_use]
pub fn is_update_by_post(tool: &DescribedTool, operation: &DescribedOperation) -> bool {
    let is_of_thing = |path: &str| {
        let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        last.starts_with('{') && !last.contains("}:")
    };
    let is_other = |one: &DescribedOperation| {
        one.path == operation.path && matches!(one.method.as_str(), "PUT" | "PATCH")
    };
    operation.method == "POST"
        && is_of_thing(&operation.path)
        && reads(tool, operation).is_some_and(|read| read.path == operation.path)
        && !tool.operations.iter().any(is_other)
}

/// The read that shows what a write is about: at the same path, or at the one above.
#[must_use]
pub fn reads<'a>(
    tool: &'a DescribedTool,
    operation: &DescribedOperation,
) -> Option<&'a DescribedOperation> {
    let has = |name: &str| operation.inputs_in("path").any(|input| input.name == name);
    let fits = |read: &&DescribedOperation| {
        read.method == "GET"
            && !read.writes()
            && read.list.is_none()
            && read.reply == "json"
            && read.inputs_in("path").next().is_some()
            && (read.path == operation.path
                || operation.path.starts_with(&format!("{}/", read.path)))
            && read
                .inputs
                .iter()
                .all(|input| !input.required || input.place == "path" && has(&input.name))
    };
    tool.operations.iter().filter(fits).max_by_key(|read| read.path.len())
}
