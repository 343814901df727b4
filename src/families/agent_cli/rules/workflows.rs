//! Rules about the workflows of GitHub Actions.

use crate::contract::repository::ProjectFiles;
use crate::contract::rules::collector::{Collector, SourceText, shown};
use crate::contract::rules::rule::Rule;
use crate::families::agent_cli::contract::FAMILY;

pub(super) const NONE: Rule = Rule {
    id: "workflow/none",
    summary: "There is a workflow that runs on every change",
    why: "Otherwise some checks are not run for some changes",
    fix: "add `.github/workflows/ci.yml`; `aos new --template cli-go` shows one",
    source: "repository checklist: MUST",
    ..Rule::warning(&[FAMILY])
};
pub(super) const UNPINNED: Rule = Rule {
    id: "workflow/unpinned-action",
    summary: "Every action is pinned to the full hash of a commit, every image to its digest",
    why: "A tag can be moved to other code, which then runs with the release secrets; none of 124 uses in the fleet was pinned",
    fix: "write `uses: owner/action@<40 hex digits> # vX.Y.Z`",
    source: "security checklist: supply chain",
    ..Rule::error(&[FAMILY])
};
pub(super) const UNTRUSTED_INPUT: Rule = Rule {
    id: "workflow/untrusted-input",
    summary: "No `run:` inserts text that outsiders control into a shell script",
    why: "The title of an issue or the name of a branch could then run commands with the workflow's token",
    fix: "pass the value in `env:` and quote the variable in the script",
    source: "security checklist: workflows",
    ..Rule::error(&[FAMILY])
};
pub(super) const PERMISSIONS: Rule = Rule {
    id: "workflow/permissions",
    summary: "Every workflow declares the permissions of its token",
    why: "Without `permissions`, the token has the repository's default permissions, which are often too broad",
    fix: "write `permissions: { contents: read }` at the top, and add more only to the job that needs it",
    source: "security checklist: workflows",
    ..Rule::warning(&[FAMILY])
};

const DIRECTORY: &str = ".github/workflows/";
/// Parts of the context that a person without write access can choose.
const UNTRUSTED: &[&str] = &["github.event.", "github.head_ref", "github.ref_name", "inputs."];
/// Members of the event that are numbers or chosen by GitHub.
const HARMLESS: &[&str] = &[
    "github.event.number",
    "github.event.action",
    "github.event.pull_request.number",
    "github.event.issue.number",
    "github.event.repository.",
    "github.event.pull_request.base.sha",
];

pub(super) fn check(repository: &ProjectFiles, found: &mut Collector) {
    let ends = |path: &str| path.ends_with(".yml") || path.ends_with(".yaml");
    let workflows: Vec<_> = repository
        .below(DIRECTORY, "")
        .filter(|(path, _)| ends(path))
        .filter_map(|(path, file)| Some((path, file.bytes.text()?)))
        .collect();
    if workflows.is_empty() {
        return found.whole(&NONE, ".github/workflows", "there is no workflow".to_owned());
    }
    for (path, text) in &workflows {
        workflow(path, text, found);
    }
}

fn workflow(path: &str, text: &str, found: &mut Collector) {
    let source = SourceText::new(path, text.as_bytes());
    let mut at = 0;
    // Indentation of the `run:` whose script the lines belong to.
    let mut script: Option<usize> = None;
    let mut permissions = false;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let indent = line.len() - line.trim_start().len();
        let content = line.trim();
        if content.is_empty() {
            continue;
        }
        if script.is_some_and(|depth| indent <= depth) {
            script = None;
        }
        if script.is_some() {
            pasted(&source, start, line, found);
            continue;
        }
        if content.starts_with('#') {
            continue;
        }
        let (key, value, depth) = key_value(content, indent);
        match key {
            "permissions" => permissions = true,
            "uses" => pinned(&source, start, value, found),
            "run" => {
                script = value.starts_with(['|', '>']).then_some(depth);
                pasted(&source, start, line, found);
            }
            _ => {}
        }
    }
    if !permissions {
        found.whole(&PERMISSIONS, path, "the workflow sets no permissions".to_owned());
    }
}

/// Key and value of a line, and the indentation of the key; a list item begins with a dash.
fn key_value(content: &str, indent: usize) -> (&str, &str, usize) {
    let inner = content.strip_prefix('-').map_or(content, str::trim_start);
    let depth = indent + (content.len() - inner.len());
    let (key, value) = inner.split_once(':').unwrap_or((inner, ""));
    (key.trim(), value.trim(), depth)
}

fn pinned(source: &SourceText<'_>, at: usize, value: &str, found: &mut Collector) {
    let action = value.split(" #").next().unwrap_or(value).trim().trim_matches(['"', '\'']);
    let hash = action.rsplit_once('@').map_or("", |(_, version)| version);
    let is_commit = hash.len() == 40 && hash.bytes().all(|digit| digit.is_ascii_hexdigit());
    let fixed = if action.starts_with("docker://") {
        hash.starts_with("sha256:")
    } else {
        is_commit || action.starts_with("./") || action.is_empty()
    };
    if !fixed {
        found.at(&UNPINNED, source, at, format!("{} is not pinned to a commit", shown(action)));
    }
}

fn pasted(source: &SourceText<'_>, at: usize, line: &str, found: &mut Collector) {
    for (offset, _) in line.match_indices("${{") {
        let expression = line[offset + 3..].split("}}").next().unwrap_or_default().trim();
        let chosen = UNTRUSTED.iter().any(|part| {
            expression.match_indices(part).any(|(place, _)| {
                !expression[..place].ends_with(|before: char| {
                    before.is_alphanumeric() || before == '.' || before == '_'
                })
            })
        });
        let harmless = HARMLESS.iter().any(|part| expression.starts_with(part));
        if chosen && !harmless {
            let message = format!("{} is inserted into a script", shown(expression));
            found.at(&UNTRUSTED_INPUT, source, at + offset, message);
        }
    }
}
