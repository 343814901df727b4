//! Documents that name commands: README, AGENTS.md, docs, the Skill and conform.toml.
//!
//! A call is judged only where the commands of the tool are known from its sources.

mod facts_file;
mod mentions;

use std::collections::BTreeSet;

use super::super::agent_cli::FAMILY;
use super::super::repository::Repository;
use super::cli_tree::{CliTree, alike};
use super::collector::{Collector, Source, shown};
use super::subject::Subject;
use super::tool::sources::{Sources, assigned};
use super::{ERROR, Rule};
use mentions::mentions;

/// Every connector.
pub(super) const OF_CONNECTOR: Rule = Rule {
    id: "commands/documented",
    summary: "README, docs, AGENTS.md, the Skill and conform.toml name only commands in `connector.json`",
    why: "People and agents copy calls from these files, and a call of a missing command is a usage error",
    fix: "correct the call, or add the command to `connector.json`",
    source: "documents describe what is there",
    ..ERROR
};
/// Every tool whose commands are declared for the runtime of aos.
pub(super) const OF_TOOL: Rule = Rule {
    id: "documents/unknown-command",
    families: &[FAMILY],
    summary: "README, docs, AGENTS.md, the Skill and conform.toml name only commands that the sources declare",
    why: "People and agents copy calls from these files, and a call of a missing command is a usage error",
    fix: "correct the call, or declare the command",
    source: "documents describe what is there",
    ..ERROR
};

const CONFORM: &str = "conform.toml";
/// Words that libraries for command lines bring along.
const BUILT_IN: [&str; 3] = ["help", "completion", "completions"];

/// The documents in which calls are looked for, with their text.
fn documents(repository: &Repository) -> impl Iterator<Item = (&str, &str)> {
    let top = ["README.md", "AGENTS.md"].into_iter();
    let top = top.filter_map(|path| Some((path, repository.files.get(path)?)));
    let below = ["docs/", "skills/"].into_iter().flat_map(|place| repository.below(place, ".md"));
    let all = top.chain(below);
    all.filter_map(|(path, file)| Some((path, std::str::from_utf8(&file.bytes).ok()?)))
}

/// Commands, each as words that are joined by dots.
#[derive(Debug, Default)]
struct Known(BTreeSet<String>);

impl Known {
    fn of<'a>(commands: impl IntoIterator<Item = &'a str>) -> Self {
        Self(commands.into_iter().map(alike).collect())
    }

    /// Whether the words begin with a command, or are those of a group.
    fn has(&self, words: &[&str]) -> bool {
        let is_command = |count| self.0.contains(&alike(&words[..count].join(".")));
        let group = alike(&words.join(".")) + ".";
        let is_group =
            || self.0.range(group.clone()..).next().is_some_and(|id| id.starts_with(&group));
        words.first().is_some_and(|word| BUILT_IN.contains(word))
            || (1..=words.len()).any(is_command)
            || is_group()
    }
}

pub(super) fn check_connector(subject: &Subject<'_>, found: &mut Collector) {
    let (Some(_), Some(tool)) = (subject.judged_manifest(), subject.tool()) else { return };
    let known = Known::of(subject.ids.iter().copied());
    let mut tree = None;
    for (path, text) in documents(subject.repository) {
        let source = Source::new(path, text.as_bytes());
        for mention in mentions(text, tool).iter().filter(|mention| !known.has(&mention.words)) {
            // A command that the manifest hides can still be called.
            let tree = tree.get_or_insert_with(|| {
                let words = CliTree::read(subject).commands.into_iter();
                Known(words.map(|command| alike(&command.words.join("."))).collect())
            });
            if !tree.has(&mention.words) {
                let message = unknown(tool, &mention.words);
                found.at(&OF_CONNECTOR, &source, mention.at, message);
            }
        }
    }
    let text = subject.repository.text(CONFORM).unwrap_or_default();
    for (at, id) in facts_file::values(text, "[[harness.commands]]", "id") {
        if !subject.has_command(id) {
            let meant = found.meant(&OF_CONNECTOR, id, subject.ids.iter().copied());
            let message = format!("the command {} does not exist{meant}", shown(id));
            found.at(&OF_CONNECTOR, &Source::new(CONFORM, text.as_bytes()), at, message);
        }
    }
}

pub(super) fn check_tool(repository: &Repository, sources: &Sources<'_>, found: &mut Collector) {
    let Some(known) = declared(sources) else { return };
    for tool in tools(repository) {
        for (path, text) in documents(repository) {
            let source = Source::new(path, text.as_bytes());
            for mention in mentions(text, tool).iter().filter(|mention| !known.has(&mention.words))
            {
                found.at(&OF_TOOL, &source, mention.at, unknown(tool, &mention.words));
            }
        }
    }
    let text = repository.text(CONFORM).unwrap_or_default();
    for (at, path) in facts_file::values(text, "[[agent_cli.command]]", "path") {
        if !known.0.contains(&alike(path)) {
            let message = format!("there is no command {}", shown(path));
            found.at(&OF_TOOL, &Source::new(CONFORM, text.as_bytes()), at, message);
        }
    }
}

/// What is said when calls were found and the commands of the tool are not known.
pub(super) fn not_judged(repository: &Repository, sources: &Sources<'_>) -> Option<String> {
    let is_named =
        |(_, text): (&str, &str)| tools(repository).any(|tool| !mentions(text, tool).is_empty());
    let names = || documents(repository).any(is_named);
    (declared(sources).is_none() && names()).then(|| {
        "the commands in README, docs and the Skill were not checked, because aos cannot read how the sources declare commands".to_owned()
    })
}

/// The names of the tool: those of its Skills.
fn tools(repository: &Repository) -> impl Iterator<Item = &str> {
    let skills = repository.below("skills/", "/SKILL.md");
    let names =
        skills.filter_map(|(path, _)| path.strip_prefix("skills/")?.strip_suffix("/SKILL.md"));
    names.filter(|name| !name.is_empty() && !name.contains('/'))
}

/// The commands that the sources declare for the runtime of aos; `None` when they do so in another way, or when a
/// name is put together at run time.
fn declared(sources: &Sources<'_>) -> Option<Known> {
    /// How far behind its name the summary of a command begins.
    const NEAR: usize = 300;
    let mut paths = Vec::new();
    for code in &sources.program {
        let (name, summary) = match code.language {
            "go" => ("Path", "Summary:"),
            "py" => ("path", "summary="),
            _ => continue,
        };
        for (_, value) in assigned(code.text, name) {
            let end = value.char_indices().nth(NEAR).map_or(value.len(), |(end, _)| end);
            if !value[..end].split('}').next().unwrap_or_default().contains(summary) {
                continue;
            }
            let path = value.strip_prefix('"').and_then(|rest| rest.split_once('"'));
            let (path, after) = path?;
            if !after.starts_with(',') || path.contains('\\') {
                return None;
            }
            paths.push(path);
        }
    }
    // The runtime declares these itself; without them the tool is made in another way.
    let is_ours = ["reference", "context"].iter().all(|own| paths.contains(own));
    is_ours.then(|| Known::of(paths))
}

fn unknown(tool: &str, words: &[&str]) -> String {
    let call = format!("{tool} {}", words.join(" "));
    format!("{} does not call an existing command", shown(&call))
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, findings, only};
    use super::*;

    const RULE: &str = OF_CONNECTOR.id;

    #[test]
    fn a_call_of_a_command_that_the_manifest_has_is_fine() {
        let calls = "`aos-demo --json issue list`, `aos-demo issue`, `aos-demo config show`, `aos-demo help`\n";
        for path in ["README.md", "AGENTS.md", "docs/a/b.md", "skills/aos-demo/SKILL.md"] {
            assert!(only(&Sample::good().file(path, calls)).is_empty(), "{path}");
        }
        let facts = "[[harness.commands]]\nid = \"issue.list\"\n";
        assert!(only(&Sample::good().file("conform.toml", facts)).is_empty());
    }

    #[test]
    fn a_call_of_a_missing_command_is_found_in_each_document_with_its_line() {
        let text = "# aos-demo\n\n    aos-demo issue lst --limit 1\n";
        for path in ["README.md", "AGENTS.md", "docs/a/b.md", "skills/aos-demo/SKILL.md"] {
            let found = findings(&Sample::good().file(path, text));
            assert_eq!(found.len(), 1, "{path}: {found:?}");
            assert_eq!((found[0].rule, found[0].line), (RULE, Some(3)));
            assert!(found[0].message.contains("`aos-demo issue lst`"), "{}", found[0].message);
        }
        let facts = "version = 1\n[[harness.commands]]\nid = \"issue.lst\"\n";
        let found = findings(&Sample::good().file("conform.toml", facts));
        assert_eq!((found[0].rule, found[0].line), (RULE, Some(3)));
        assert!(found[0].message.contains("did you mean `issue.list`?"), "{}", found[0].message);
    }

    #[test]
    fn without_a_manifest_nothing_is_judged() {
        let sample =
            Sample::good().file("README.md", "`aos-demo nothing`\n").without("connector.json");
        assert!(!only(&sample).contains(&RULE));
    }
}
