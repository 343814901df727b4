//! Rules about the documents around a tool.

use crate::contract::repository::ProjectFiles;
use crate::contract::rules::collector::Collector;
use crate::contract::rules::rule::Rule;
use crate::families::agent_cli::contract::FAMILY;

pub(super) const MISSING: Rule = Rule {
    id: "documents/missing",
    summary: "README, LICENSE, CHANGELOG, CONTRIBUTING, SECURITY and AGENTS exist",
    why: "People and agents look for these files; without LICENSE the tool must not be used, and without SECURITY vulnerabilities are reported in public",
    fix: "add the file",
    source: "repository checklist: MUST",
    ..Rule::warning(&[FAMILY])
};
pub(super) const RISK_TIER: Rule = Rule {
    id: "documents/risk-tier",
    summary: "SECURITY.md names the risk tier of the tool",
    why: "It tells the user how much an agent may do with the tool on its own",
    fix: "state in SECURITY.md the risk tier that `reference` reports",
    source: "repository checklist: SECURITY",
    ..Rule::warning(&[FAMILY])
};
pub(super) const OTHER_GUARD: Rule = Rule {
    id: "documents/other-guard",
    summary: "Only aos manages the contract",
    why: "Scripts that compare the vendored files with another source report the files of aos as drift, or overwrite them",
    fix: "delete the script, and run `aos check` in its place",
    source: "agent-cli §3.1",
    ..Rule::warning(&[FAMILY])
};

/// Name of each document, and the names it may also have.
const DOCUMENTS: [(&str, &[&str]); 6] = [
    ("README.md", &["README.rst", "README"]),
    ("LICENSE", &["LICENSE.md", "LICENSE.txt", "COPYING"]),
    ("CHANGELOG.md", &[]),
    ("CONTRIBUTING.md", &[]),
    ("SECURITY.md", &[".github/SECURITY.md"]),
    ("AGENTS.md", &[]),
];
const OTHER_GUARDS: [&str; 3] =
    ["scripts/check-spec.js", "scripts/sync-spec.js", "scripts/gen-contract.js"];

pub(super) fn check(repository: &ProjectFiles, found: &mut Collector) {
    for (name, others) in DOCUMENTS {
        let names = std::iter::once(&name).chain(others);
        if !names.into_iter().any(|name| repository.files.contains_key(*name)) {
            found.whole(&MISSING, name, "the document does not exist".to_owned());
        }
    }
    for path in ["SECURITY.md", ".github/SECURITY.md"] {
        let Some(text) = repository.text(path) else { continue };
        let text = text.to_lowercase();
        if !["risk tier", "risk_tier", "risk-tier"].iter().any(|words| text.contains(words)) {
            found.whole(&RISK_TIER, path, "the document has no risk tier".to_owned());
        }
    }
    for path in OTHER_GUARDS {
        if repository.files.contains_key(path) {
            let message = "the script compares the contract with another source".to_owned();
            found.whole(&OTHER_GUARD, path, message);
        }
    }
}
