//! Rules about what a tool claims of its own readiness.

use super::sources::{SourceCode, ToolSources, assigned, literals};
use crate::contract::repository::ProjectFiles;
use crate::contract::rules::collector::{Collector, shown};
use crate::contract::rules::rule::Rule;
use crate::families::agent_cli::contract::FAMILY;

pub(super) const NO_GUARD: Rule = Rule {
    id: "readiness/no-guard",
    summary: "A tool that reports `fcc_status` as verified has the guard test that proves it",
    why: "The status means that every command has a test with the real program; without a guard test, the next command may have none",
    fix: "add a test that lists the leaf commands and fails for one that no test runs, or report `missing`",
    source: "conformance item 72",
    ..Rule::error(&[FAMILY])
};
pub(super) const EVIDENCE: Rule = Rule {
    id: "readiness/evidence",
    summary: "Every file in `required_evidence` exists",
    why: "People who decide whether to trust the tool look at these files",
    fix: "add the file, or name the one that exists",
    source: "conformance item 74",
    ..Rule::error(&[FAMILY])
};

const STATUS: &[&str] = &["fcc_status", "FCCStatus", "fccStatus"];
const REQUIRED: &[&str] = &["required_evidence", "RequiredEvidence", "requiredEvidence"];
/// Ends of file names; other evidence is a word.
const ENDINGS: &[&str] = &[".md", ".json", ".go", ".py", ".ts", ".rs", ".txt", ".yml"];

pub(super) fn check(repository: &ProjectFiles, sources: &ToolSources<'_>, found: &mut Collector) {
    let guarded = sources.tests.iter().any(|test| {
        let name = test.source.path.rsplit('/').next().unwrap_or_default();
        name.contains("guard") || name.contains("fcc")
    });
    for code in &sources.program {
        let claims = STATUS.iter().flat_map(|name| assigned(code.text, name));
        let verified =
            |rest: &str| rest.starts_with("\"verified\"") || rest.starts_with("'verified'");
        if let Some((at, _)) =
            claims.into_iter().find(|(_, rest)| verified(rest)).filter(|_| !guarded)
        {
            let message = "the status is verified, but there is no guard test".to_owned();
            found.at(&NO_GUARD, &code.source, at, message);
        }
        evidence(repository, code, found);
    }
}

fn evidence(repository: &ProjectFiles, code: &SourceCode<'_>, found: &mut Collector) {
    for (at, rest) in REQUIRED.iter().flat_map(|name| assigned(code.text, name)) {
        let Some(list) = list(rest) else { continue };
        for (_, item) in literals(list) {
            let is_path = item.contains('/') || ENDINGS.iter().any(|ending| item.ends_with(ending));
            let plain = !item.contains(' ') && !item.contains("://");
            if is_path && plain && !repository.files.contains_key(item) {
                let message = format!("{} does not exist", shown(item));
                found.at(&EVIDENCE, &code.source, at, message);
            }
        }
    }
}

/// The inside of a list literal of any of the languages.
fn list(rest: &str) -> Option<&str> {
    let opened =
        ["[]string{", "vec![", "&[", "[", "("].iter().find_map(|start| rest.strip_prefix(start))?;
    let end = opened.find(['}', ']', ')'])?;
    Some(&opened[..end])
}
