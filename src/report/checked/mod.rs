//! The verdict of `aos check` for other programs: a file format in each file, all from the same answer.
//!
//! Turns the answer into text; decides nothing and writes nothing. A further format is a file here and a line in
//! [`FORMATS`].

mod junit;
mod page;
mod sarif;

use super::answers::check::{CheckReport, RuleDescription};
use super::answers::value;
use crate::visible::Visible;

/// Writes a report as text; the second argument describes the rules that fired.
pub type ReportWriter = fn(&CheckReport, &[RuleDescription]) -> String;

/// The formats of `--report`.
pub const FORMATS: &[(&str, ReportWriter)] =
    &[("html", page::render), ("json", json), ("junit", junit::render), ("sarif", sarif::render)];

/// The whole answer, with every diff.
fn json(report: &CheckReport, _: &[RuleDescription]) -> String {
    Visible::json(&format!("{:#}\n", value(report))).into_string()
}

/// The path of a finding from where `aos check` ran.
fn place(project: &str, path: &str) -> String {
    match (project.trim_end_matches('/'), path) {
        ("" | ".", path) => path.to_owned(),
        (project, ".") => project.to_owned(),
        (project, path) => format!("{project}/{path}"),
    }
}
