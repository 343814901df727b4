//! Rules about the ids of commands: the host turns them into words of a command line and into tool names.

use std::collections::BTreeMap;

use super::super::manifest::ConnectorManifest;
use super::subject::ConnectorSubject;
use crate::contract::rules::collector::{Collector, SourceText, shown};
use crate::contract::rules::rule::Rule;
use crate::families::harness::contract::FAMILY;

pub(super) const REQUIRED_MISSING: Rule = Rule {
    id: "commands/required-missing",
    summary: "The manifest lists every command the contract requires",
    why: "The host and the tests look for the meta commands in the manifest; four fleet connectors lack one",
    fix: "add the command to `commands` with mode readonly and class read",
    source: "CONNECTOR-SPEC §3; failure map, failures 2 and 3",
    ..Rule::error(&[FAMILY])
};
pub(super) const ID_CHARACTERS: Rule = Rule {
    id: "commands/id-characters",
    summary: "An id is words of a-z, 0-9 and `_`, joined by single dots",
    why: "The host splits an id at its dots and passes each part as one argument, so blanks and capitals do not match a command",
    fix: "rename the command, for example `issue.list_all`",
    source: "host calls: four ways the host runs a command",
    ..Rule::error(&[FAMILY])
};
pub(super) const ID_DASH: Rule = Rule {
    id: "commands/id-dash",
    summary: "Ids use `_`, not `-`",
    why: "Readers treat `-` and `_` differently; six of 694 ids in the fleet use `-`",
    fix: "use `_` in the id, and give the handler exactly that name",
    source: "fleet survey: ids",
    ..Rule::warning(&[FAMILY])
};
pub(super) const ID_SEGMENTS: Rule = Rule {
    id: "commands/id-segments",
    summary: "The id of a command for workers is `resource.action`",
    why: "Resource pickers and labels are made from these two parts; no fleet id has three",
    fix: "rename the command to `resource.action`",
    source: "fleet survey: ids",
    ..Rule::warning(&[FAMILY])
};
pub(super) const DUPLICATE_ID: Rule = Rule {
    id: "commands/duplicate-id",
    summary: "No id is used twice",
    why: "The host uses only one of the two commands, and their modes may differ",
    fix: "remove or rename one of the commands",
    source: "fleet survey: duplicate or colliding ids",
    ..Rule::error(&[FAMILY])
};
pub(super) const COLLIDING_IDS: Rule = Rule {
    id: "commands/colliding-ids",
    summary: "Ids are different after replacing all characters except letters and digits with `_`",
    why: "The host names its agent tools in this way, and silently ignores the second of two equal names",
    fix: "rename one of the commands",
    source: "host calls: agent tools",
    ..Rule::error(&[FAMILY])
};
pub(super) const ID_IS_GROUP: Rule = Rule {
    id: "commands/id-is-group",
    summary: "No id is the first part of another",
    why: "The same word cannot be both a command and a group of commands",
    fix: "rename the shorter one, for example `search` to `search.run`",
    source: "host calls: four ways the host runs a command",
    ..Rule::warning(&[FAMILY])
};
pub(super) const META_ID: Rule = Rule {
    id: "commands/meta-id",
    summary: "Commands for workers do not use the names that the host hides: capabilities, health, doctor, config",
    why: "The host hides these ids from workers, so such a command is never offered",
    fix: "remove the id from `worker_visible_actions`, or rename the command",
    source: "host discovery: meta ids hidden from workers",
    ..Rule::warning(&[FAMILY])
};

pub(super) fn check(subject: &ConnectorSubject<'_>, found: &mut Collector) {
    let Some((manifest, source)) = subject.judged_manifest() else { return };
    let commands_at = manifest.root.member("commands").map_or(0, |member| member.at);
    for required in &subject.facts.required_commands {
        if !subject.has_command(required) {
            let message = format!("the manifest has no command `{required}`");
            found.at(&REQUIRED_MISSING, source, commands_at, message);
        }
    }
    spelling(subject, manifest, source, found);
    collisions(manifest, source, found);
    groups(subject, manifest, source, found);
    for action in &manifest.scope.worker_visible_actions {
        if subject.is_meta(action.text) {
            let message = format!("{} is hidden from workers by the host", shown(action.text));
            found.at(&META_ID, source, action.at, message);
        }
    }
}

fn spelling(
    subject: &ConnectorSubject<'_>,
    manifest: &ConnectorManifest<'_>,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    for (id, command) in manifest.identified() {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let well_formed = id.text.len() <= 100
            && id.text.split('.').all(|segment| {
                !segment.is_empty() && segment.bytes().all(|byte| plain(byte) || byte == b'-')
            });
        if !well_formed {
            let message =
                format!("the id {} cannot be run as words of a command line", shown(id.text));
            found.at(&ID_CHARACTERS, source, id.at, message);
            continue;
        }
        if id.text.contains('-') {
            found.at(&ID_DASH, source, id.at, format!("the id {} contains `-`", shown(id.text)));
        }
        let segments = id.text.split('.').count();
        if segments != 2 && !subject.is_meta(id.text) {
            let message = format!("the id {} has {segments} parts, not two", shown(id.text));
            found.at(&ID_SEGMENTS, source, id.at, message);
        }
        let mutates = command.action_class.is_some_and(|class| class.text != "read");
        if mutates && subject.is_meta(id.text) && !subject.facts.requires_command(id.text) {
            let message =
                format!("{} changes something, but the host hides it from workers", shown(id.text));
            found.at(&META_ID, source, id.at, message);
        }
    }
}

fn collisions(manifest: &ConnectorManifest<'_>, source: &SourceText<'_>, found: &mut Collector) {
    let mut tools: BTreeMap<String, &str> = BTreeMap::new();
    for (id, _) in manifest.identified() {
        let tool: String = id
            .text
            .chars()
            .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' })
            .collect();
        match tools.get(&tool) {
            Some(first) if *first == id.text => {
                found.at(
                    &DUPLICATE_ID,
                    source,
                    id.at,
                    format!("the id {} is used twice", shown(id.text)),
                );
            }
            Some(first) => {
                let message =
                    format!("{} and {} have the same tool name", shown(first), shown(id.text));
                found.at(&COLLIDING_IDS, source, id.at, message);
            }
            None => {
                tools.insert(tool, id.text);
            }
        }
    }
}

fn groups(
    subject: &ConnectorSubject<'_>,
    manifest: &ConnectorManifest<'_>,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    for (id, _) in manifest.identified() {
        // The list is sorted: an id that continues this one with a dot is the first that is not below `id.`.
        let group = || id.text.bytes().chain([b'.']);
        let first = subject.ids.partition_point(|other| other.bytes().lt(group()));
        let longer = subject.ids.get(first).filter(|other| {
            other.starts_with(id.text) && other.as_bytes().get(id.text.len()) == Some(&b'.')
        });
        if let Some(longer) = longer {
            let message = format!("{} is also the group of {}", shown(id.text), shown(longer));
            // The contract's own commands keep their names.
            if subject.facts.requires_command(id.text) {
                let fix = format!("remove the alias {}", shown(longer));
                found.with_fix(&ID_IS_GROUP, source, id.at, message, fix);
            } else {
                found.at(&ID_IS_GROUP, source, id.at, message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, only};

    #[test]
    fn ids_that_the_host_cannot_run_are_refused() {
        for (id, rules) in [
            ("issue list", &["commands/id-characters"][..]),
            ("Issue.list", &["commands/id-characters"]),
            ("issue..list", &["commands/id-characters"]),
            ("issue.list-all", &["commands/id-dash"]),
            ("issues", &["commands/id-segments"]),
            ("issue.list.all", &["commands/id-segments"]),
        ] {
            assert_eq!(only(&Sample::good().renamed("issue.list", id)), rules, "{id}");
        }
    }

    #[test]
    fn ids_that_collide_for_the_host_are_refused() {
        let twice = Sample::good().renamed("issue.get", "issue.list");
        assert!(only(&twice).contains(&"commands/duplicate-id"));
        let same = Sample::good()
            .renamed("issue.get", "issue_list.x")
            .renamed("issue.list", "issue.list_x");
        assert!(only(&same).contains(&"commands/colliding-ids"));
        let group = Sample::good().renamed("issue.get", "issue");
        assert!(only(&group).contains(&"commands/id-is-group"));
    }

    #[test]
    fn required_commands_must_be_listed_and_hidden_ones_not_offered() {
        let missing = Sample::good().renamed("health", "status.health");
        assert!(only(&missing).contains(&"commands/required-missing"));
        let offered = Sample::good().manifest(
            "\"issue.list\",\n      \"issue.get\"",
            "\"issue.list\",\n      \"issue.get\",\n      \"health\"",
        );
        assert_eq!(only(&offered), ["commands/meta-id"]);
    }
}
