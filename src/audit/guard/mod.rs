//! Checks that the guard is in force: CI fails if `aos check` fails, and git does not convert managed files.
//!
//! Reads what is committed in the project and in the repository around it. Nothing is run.

mod attributes;
mod conditions;
mod expression;
mod indirect;
mod jobs;
mod pipeline;
mod programs;
mod reach;
mod shell;
mod shell_commands;
mod yaml;

use std::collections::BTreeSet;

use crate::contract::rules::rule::Rule;
use crate::contract::{Finding, ProjectFiles};
use crate::generate::record::Record;
use crate::plan::RelativePath;

pub const NOT_IN_CI: Rule = Rule {
    id: "guard/not-in-ci",
    summary: "CI runs `aos check` on every change",
    why: "Otherwise drift is noticed only when an agent fails",
    fix: "run `aos check` without a condition in a workflow that runs for pushes and pull requests",
    source: "agent-cli §3.1",
    ..Rule::warning(&[])
};
pub const IGNORED: Rule = Rule {
    id: "guard/ignored",
    waivable: false,
    summary: "CI fails when `aos check` fails",
    why: "A step whose exit code is discarded, or that never runs, looks like a check but lets every change pass",
    fix: "run `aos check` in a separate step, without `|| true`, `continue-on-error` or a condition, for pushes and pull requests",
    source: "agent-cli §3.1",
    ..Rule::error(&[])
};
pub const SWITCHED_OFF: Rule = Rule {
    id: "guard/switched-off",
    summary: "The workflow from the template still runs `aos check` on changes",
    why: "Without it, CI passes for every change, and nobody is told",
    fix: "restore the workflow; or, if another CI runs `aos check`, waive this rule in aos.toml and name that CI in the reason",
    source: "agent-cli §3.1",
    ..Rule::error(&[])
};
pub const REWRITTEN: Rule = Rule {
    id: "guard/rewritten",
    waivable: false,
    summary: "No git attribute changes managed files in a checkout",
    why: "Managed files are compared byte by byte; a checkout that rewrites them always fails",
    fix: "remove the attribute for these files, or add the line `<path> -text -filter -ident -working-tree-encoding` below it",
    source: "agent-cli §4",
    ..Rule::error(&[])
};
pub const UNPROTECTED: Rule = Rule {
    id: "guard/line-endings",
    summary: "Git attributes keep the line endings of managed files",
    why: "Without them a checkout on Windows converts line endings, and every digest differs there",
    fix: "write `* text=auto eol=lf` into .gitattributes",
    source: "agent-cli §4",
    ..Rule::warning(&[])
};

/// Rules of the guard, in the order of the documentation.
pub const RULES: &[Rule] = &[NOT_IN_CI, IGNORED, SWITCHED_OFF, REWRITTEN, UNPROTECTED];

/// Findings about a project with this record; `managed` are the files that aos compares.
#[must_use]
pub fn findings(
    repository: &ProjectFiles,
    record: &Record,
    managed: &BTreeSet<RelativePath>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    let template = record.template.as_ref();
    let has_workflow = template.is_some_and(|template| template.origin.is_none());
    found.extend(pipeline::finding(repository, managed, has_workflow));
    if !managed.is_empty() {
        found.extend(attributes::findings(repository, managed));
    }
    found
}
