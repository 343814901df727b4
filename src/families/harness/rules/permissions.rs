//! Rules about `agent-harness/permissions.json`: the same commands and modes as the manifest, under every key of the contract.

use super::facts::HarnessFacts;
use super::subject::{ConnectorSubject, JsonFile, PERMISSIONS};
use crate::contract::rules::collector::{Collector, SourceText, shown};
use crate::contract::rules::json_document::{FaultKind, JsonMember, JsonNode, JsonValue};
use crate::contract::rules::rule::Rule;
use crate::families::harness::contract::FAMILY;

pub(super) const MISSING: Rule = Rule {
    id: "permissions/missing",
    summary: "`agent-harness/permissions.json` exists",
    why: "It has the mode of every command; without it, the host and the connector guess",
    fix: "run `aos gen`",
    source: "CONNECTOR-SPEC §6",
    ..Rule::error(&[FAMILY])
};
pub(super) const JSON: Rule = Rule {
    id: "permissions/json",
    summary: "`permissions.json` is one JSON document in UTF-8 without duplicate members",
    why: "The host silently ignores a file that it cannot parse",
    fix: "run `aos gen`",
    source: "host discovery: permissions.json",
    ..Rule::error(&[FAMILY])
};
pub(super) const SHAPE: Rule = Rule {
    id: "permissions/shape",
    summary: "`permissions.json` is an object, and its maps have a mode for each command",
    why: "The host ignores a mode that is not a string, and then lets everyone run the command",
    fix: "run `aos gen`",
    source: "host discovery: permissions.json",
    ..Rule::error(&[FAMILY])
};
pub(super) const KEY_MISSING: Rule = Rule {
    id: "permissions/key-missing",
    summary: "The map is under both keys, `permissions` and `commands`, at every tag",
    why: "The host and most connectors read only `permissions`, but the published text of v1.0.0 names only `commands`; with one key, some readers would refuse every call",
    fix: "run `aos gen`, which writes the map under both keys",
    source: "CONNECTOR-SPEC §11; contract.json, permissions.keys",
    ..Rule::error(&[FAMILY])
};
pub(super) const KEYS_DIFFER: Rule = Rule {
    id: "permissions/keys-differ",
    summary: "`permissions` and `commands` have the same map",
    why: "Otherwise two readers of the file would enforce different modes",
    fix: "run `aos gen`",
    source: "CONNECTOR-SPEC §11",
    ..Rule::error(&[FAMILY])
};
pub(super) const MISSING_COMMAND: Rule = Rule {
    id: "permissions/missing-command",
    summary: "Every command of the manifest has a mode in `permissions.json`",
    why: "aos-wordpress listed 17 commands without a mode: each was either refused or not protected by the gate",
    fix: "run `aos gen`",
    source: "failure map, failures 1 and 3",
    ..Rule::error(&[FAMILY])
};
pub(super) const EXTRA_COMMAND: Rule = Rule {
    id: "permissions/extra-command",
    summary: "`permissions.json` has only commands of the manifest",
    why: "If the host uses this file instead of the manifest, it lists commands that cannot run",
    fix: "run `aos gen`",
    source: "failure map, failures 1 and 2",
    ..Rule::error(&[FAMILY])
};
pub(super) const MODE_DIFFERS: Rule = Rule {
    id: "permissions/mode-differs",
    summary: "A command has the same mode in `permissions.json` and in the manifest",
    why: "The host requests the mode in the manifest, and the connector enforces the other",
    fix: "correct the mode in `connector.json`, then run `aos gen`",
    source: "fleet survey: permissions.json",
    ..Rule::error(&[FAMILY])
};
pub(super) const UNKNOWN_MODE: Rule = Rule {
    id: "permissions/unknown-mode",
    summary: "Every mode is one of the contract's modes",
    why: "The host treats an unknown mode as the lowest, so everyone can run the command",
    fix: "use one of the contract's modes in `connector.json`, then run `aos gen`",
    source: "host calls: agent tools (fail-open)",
    ..Rule::error(&[FAMILY])
};
pub(super) const REQUIRED_MISSING: Rule = Rule {
    id: "permissions/required-missing",
    summary: "`permissions.json` has the commands that the contract requires",
    why: "Four fleet connectors refuse or lack a meta command because it has no mode",
    fix: "add the command to `connector.json`, then run `aos gen`",
    source: "failure map, failures 2 and 3",
    ..Rule::error(&[FAMILY])
};
pub(super) const IDENTITY: Rule = Rule {
    id: "permissions/identity",
    summary: "`tool` and `backend` of `permissions.json` are those of the manifest",
    why: "The host reads the backend from this file first, and would show the wrong one",
    fix: "run `aos gen`",
    source: "host discovery: permissions.json",
    ..Rule::error(&[FAMILY])
};

/// Keys that are known to hold the map, regardless of the contract.
const KEYS: [&str; 2] = ["permissions", "commands"];

pub(super) fn check(subject: &ConnectorSubject<'_>, found: &mut Collector) {
    let Some(file) = &subject.permissions_file else {
        let unreadable = subject.repository.unreadable.iter().any(|(path, _)| path == PERMISSIONS);
        if subject.has_harness && !unreadable {
            found.whole(&MISSING, PERMISSIONS, "there is no `permissions.json`".to_owned());
        }
        return;
    };
    document(file, found);
    let Some(root) = &file.document.root else { return };
    let source = &file.source;
    if !matches!(root.value, JsonValue::Object(_)) {
        let message = format!("the document is {}, expected an object", root.kind());
        found.at(&SHAPE, source, root.at, message);
        return;
    }
    identity(subject, root, source, found);
    let maps = maps(subject.facts, root, source, found);
    match maps.as_slice() {
        [] => {}
        [(_, only)] => compare(subject, only, source, found),
        [(_, first), (name, second), ..] => {
            compare(subject, first, source, found);
            if !same(first, second) {
                let message = "`permissions` and `commands` have different maps".to_owned();
                let at = root.member(name).map_or(second.at, |member| member.at);
                found.at(&KEYS_DIFFER, source, at, message);
            }
        }
    }
}

fn document(file: &JsonFile<'_>, found: &mut Collector) {
    let source = &file.source;
    if !file.is_utf8 {
        found.at(&JSON, source, 0, "the file contains bytes that are not UTF-8".to_owned());
    }
    for fault in &file.document.faults {
        let message = match &fault.kind {
            FaultKind::Syntax(problem) => format!("not readable as JSON: {problem}"),
            FaultKind::Duplicate(name) => {
                format!("the member {} occurs twice in one object", shown(name))
            }
            FaultKind::Encoding(problem) => (*problem).to_owned(),
        };
        found.at(&JSON, source, fault.at, message);
    }
}

fn identity(
    subject: &ConnectorSubject<'_>,
    root: &JsonNode<'_>,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    let Some(manifest) = &subject.manifest else { return };
    for (name, wanted) in [("tool", manifest.tool), ("backend", manifest.backend)] {
        let (Some(member), Some(wanted)) = (root.member(name), wanted) else { continue };
        if member.node.text() != Some(wanted.text) {
            let has = member
                .node
                .text()
                .map_or_else(|| member.node.kind().to_owned(), |text| shown(text).to_string());
            let message = format!("`{name}` is {has}, but {} in the manifest", shown(wanted.text));
            found.at(&IDENTITY, source, member.node.at, message);
        }
    }
}

/// The maps that are there; the contract's missing ones are reported.
fn maps<'a>(
    facts: &HarnessFacts,
    root: &'a JsonNode<'a>,
    source: &SourceText<'_>,
    found: &mut Collector,
) -> Vec<(&'static str, &'a JsonNode<'a>)> {
    let mut maps = Vec::new();
    for key in KEYS {
        match root.member(key).map(|member| &member.node) {
            Some(node) if matches!(node.value, JsonValue::Object(_)) => maps.push((key, node)),
            Some(node) => {
                let message = format!("`{key}` is {}, expected an object", node.kind());
                found.at(&SHAPE, source, node.at, message);
            }
            None if facts.permissions_keys.iter().any(|required| required == key) => {
                found.at(&KEY_MISSING, source, root.at, format!("there is no key `{key}`"));
            }
            None => {}
        }
    }
    maps
}

fn compare(
    subject: &ConnectorSubject<'_>,
    map: &JsonNode<'_>,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    let facts = subject.facts;
    let mut entries: Vec<&JsonMember<'_>> = map.members().iter().collect();
    entries.sort_by(|left, right| left.name.cmp(&right.name));
    let entry = |id: &str| {
        let place = entries.binary_search_by(|member| member.name.as_ref().cmp(id)).ok()?;
        entries.get(place)
    };
    for member in map.members() {
        match member.node.text() {
            None => {
                let message = format!(
                    "the mode of {} is {}, expected a string",
                    shown(&member.name),
                    member.node.kind()
                );
                found.at(&SHAPE, source, member.node.at, message);
            }
            Some(mode) if facts.rank(mode).is_none() && !facts.modes.is_empty() => {
                let known = facts.modes.iter().map(String::as_str);
                let message = format!(
                    "{} has the unknown mode {}{}",
                    shown(&member.name),
                    shown(mode),
                    found.meant(&UNKNOWN_MODE, mode, known)
                );
                found.at(&UNKNOWN_MODE, source, member.node.at, message);
            }
            Some(_) => {}
        }
    }
    for required in &facts.required_commands {
        if entry(required).is_none() && !subject.has_command(required) {
            let message = format!("the command `{required}` has no mode");
            found.at(&REQUIRED_MISSING, source, map.at, message);
        }
    }
    let Some(manifest) = &subject.manifest else { return };
    for (id, command) in manifest.identified() {
        let Some(member) = entry(id.text) else {
            let message = format!("the command {} of the manifest has no mode", shown(id.text));
            found.at(&MISSING_COMMAND, source, map.at, message);
            continue;
        };
        let (Some(mode), Some(wanted)) = (member.node.text(), command.required_mode) else {
            continue;
        };
        if mode != wanted.text {
            let message = format!(
                "{} has the mode {}, but {} in the manifest",
                shown(id.text),
                shown(mode),
                shown(wanted.text)
            );
            found.at(&MODE_DIFFERS, source, member.node.at, message);
        }
    }
    for member in map.members() {
        if !subject.has_command(&member.name) {
            let message = format!(
                "the manifest has no command {}{}",
                shown(&member.name),
                found.meant(&EXTRA_COMMAND, &member.name, subject.ids.iter().copied())
            );
            found.at(&EXTRA_COMMAND, source, member.at, message);
        }
    }
}

/// Equal as maps: order and formatting do not count.
fn same(left: &JsonNode<'_>, right: &JsonNode<'_>) -> bool {
    let sorted = |node: &JsonNode<'_>| {
        let mut entries: Vec<(String, Option<String>)> = node
            .members()
            .iter()
            .map(|member| (member.name.clone().into_owned(), member.node.text().map(str::to_owned)))
            .collect();
        entries.sort();
        entries
    };
    let equal = |(left, right): (&JsonMember<'_>, &JsonMember<'_>)| {
        left.name == right.name && left.node.text() == right.node.text()
    };
    let (first, second) = (left.members(), right.members());
    first.len() == second.len()
        && (first.iter().zip(second).all(equal) || sorted(left) == sorted(right))
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, only, only_v1_0};

    #[test]
    fn each_disagreement_with_the_manifest_is_named_by_its_rule() {
        for (from, to, rules) in [
            ("{\n  \"tool\"", "{\n  tool", &["permissions/json"][..]),
            ("\"tool\": \"aos-demo\"", "\"tool\": \"aos-other\"", &["permissions/identity"]),
            ("\"backend\": \"demo-api\"", "\"backend\": null", &["permissions/identity"]),
            ("\"permissions\":", "\"modes\":", &["permissions/key-missing"]),
            ("\"issue.create\": \"write\"", "\"issue.create\": null", &["permissions/shape"]),
            ("    \"issue.get\": \"readonly\",\n", "", &["permissions/missing-command"]),
            (
                "\"issue.create\": \"write\"",
                "\"issue.create\": \"full\"",
                &["permissions/mode-differs"],
            ),
            (
                "\"issue.create\": \"write\"",
                "\"issue.create\": \"write\",\n    \"issue.craete\": \"write\"",
                &["permissions/extra-command"],
            ),
        ] {
            assert_eq!(only(&Sample::good().permissions(from, to)), rules, "{to}");
        }
        assert_eq!(
            only(&Sample::good().without("agent-harness/permissions.json")),
            ["permissions/missing"]
        );
        assert_eq!(
            only(&Sample::good().file("agent-harness/permissions.json", "[]\n")),
            ["permissions/shape"]
        );
    }

    #[test]
    fn a_required_command_that_is_nowhere_is_missing_in_both_files() {
        let sample = Sample::good().renamed("health", "status.health");
        let rules = only(&sample);
        assert!(rules.contains(&"permissions/required-missing"), "{sample}");
        assert!(rules.contains(&"commands/required-missing"), "{sample}");
    }

    #[test]
    fn the_two_maps_must_be_equal_but_not_in_order() {
        let text = Sample::good().text("agent-harness/permissions.json");
        let (head, tail) = text.split_once("\"commands\"").unwrap();
        let changed = format!("{head}\"commands\"{}", tail.replace("\"write\"", "\"full\""));
        let sample = Sample::good().file("agent-harness/permissions.json", &changed);
        assert_eq!(only(&sample), ["permissions/keys-differ"]);
        let swapped = tail
            .replace("\"issue.get\"", "\"x\"")
            .replace("\"issue.list\"", "\"issue.get\"")
            .replace("\"x\"", "\"issue.list\"");
        let sample = Sample::good()
            .file("agent-harness/permissions.json", &format!("{head}\"commands\"{swapped}"));
        assert!(only(&sample).is_empty());
    }

    #[test]
    fn one_key_alone_is_not_enough_at_any_tag() {
        let text = Sample::good().text("agent-harness/permissions.json");
        let (head, tail) = text.split_once("  \"permissions\"").unwrap();
        let (permissions, commands) = tail.split_once("  \"commands\"").unwrap();
        let permissions = permissions.trim_end().trim_end_matches(',');
        for alone in [
            format!("{head}  \"commands\"{commands}"),
            format!("{head}  \"permissions\"{permissions}\n}}\n"),
        ] {
            let sample = Sample::good().file("agent-harness/permissions.json", &alone);
            assert_eq!(only(&sample), ["permissions/key-missing"], "{alone}");
            assert_eq!(only_v1_0(&sample), ["permissions/key-missing"], "{alone}");
        }
    }
}
