//! Documents of a connector that name commands which it lacks.

use crate::contract::rules::collector::{Collector, SourceText, shown};
use crate::contract::rules::documented::facts_file;
use crate::contract::rules::documented::mentions::mentions;
use crate::contract::rules::documented::{CONFORM, KnownCommands, alike, documents, unknown};
use crate::contract::rules::rule::Rule;
use crate::families::harness::contract::FAMILY;

use super::cli_tree::CliTree;
use super::subject::ConnectorSubject;

/// Every connector.
pub(super) const OF_CONNECTOR: Rule = Rule {
    id: "commands/documented",
    summary: "README, docs, AGENTS.md, the Skill and conform.toml name only commands in `connector.json`",
    why: "People and agents copy calls from these files, and a call of a missing command is a usage error",
    fix: "correct the call, or add the command to `connector.json`",
    source: "documents describe what is there",
    ..Rule::error(&[FAMILY])
};

pub(super) fn check(subject: &ConnectorSubject<'_>, found: &mut Collector) {
    let (Some(_), Some(tool)) = (subject.judged_manifest(), subject.tool()) else { return };
    let known = KnownCommands::of(subject.ids.iter().copied());
    let mut tree = None;
    for (path, text) in documents(subject.repository) {
        let source = SourceText::new(path, text.as_bytes());
        for mention in mentions(text, tool).iter().filter(|mention| !known.has(&mention.words)) {
            // A command that the manifest hides can still be called.
            let tree = tree.get_or_insert_with(|| {
                let words = CliTree::read(subject).commands.into_iter();
                KnownCommands(words.map(|command| alike(&command.words.join("."))).collect())
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
            found.at(&OF_CONNECTOR, &SourceText::new(CONFORM, text.as_bytes()), at, message);
        }
    }
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
