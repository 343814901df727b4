//! Rules about `connector.json` as a document: it is there, it is JSON, its parts have their types.

use super::super::manifest::{ConnectorManifest, ManifestCommand};
use super::subject::{ConnectorSubject, JsonFile, MANIFEST};
use crate::contract::rules::collector::{Collector, SourceText, shown};
use crate::contract::rules::json_document::FaultKind;
use crate::contract::rules::rule::Rule;
use crate::families::harness::contract::FAMILY;

pub(super) const MISSING: Rule = Rule {
    id: "manifest/missing",
    summary: "`connector.json` is in the root of the project",
    why: "The host reads commands, auth and labels from it",
    fix: "run `aos new` or write `connector.json`",
    source: "CONNECTOR-SPEC §7",
    waivable: false,
    ..Rule::error(&[FAMILY])
};
pub(super) const SYNTAX: Rule = Rule {
    id: "manifest/syntax",
    summary: "`connector.json` is one JSON document, at most 4 MiB and 96 levels deep",
    why: "The host silently ignores a file that it cannot parse",
    fix: "correct the JSON at this line",
    source: "host discovery: connector.json keys used",
    waivable: false,
    ..Rule::error(&[FAMILY])
};
pub(super) const DUPLICATE_KEY: Rule = Rule {
    id: "manifest/duplicate-key",
    summary: "No object in `connector.json` has duplicate members",
    why: "Readers disagree about which of two members applies, so people and the host see different connectors",
    fix: "keep one of the two members",
    source: "CONNECTOR-SPEC §7",
    waivable: false,
    ..Rule::error(&[FAMILY])
};
pub(super) const ENCODING: Rule = Rule {
    id: "manifest/encoding",
    summary: "`connector.json` is UTF-8 without a byte order mark and without unpaired surrogates",
    why: "The host's JSON reader fails on a byte order mark; invalid text cannot be shown or compared",
    fix: "save the file as UTF-8 without a byte order mark",
    source: "host discovery: connector.json keys used",
    waivable: false,
    ..Rule::error(&[FAMILY])
};
pub(super) const TYPE: Rule = Rule {
    id: "manifest/type",
    summary: "Every documented member of `connector.json` has its documented type and is not empty",
    why: "The host ignores a member of another type, and its catalogue refuses empty labels, ids and summaries",
    fix: "give the member a value of the expected type",
    source: "CONNECTOR-SPEC §7; host discovery: catalog cache",
    ..Rule::error(&[FAMILY])
};
pub(super) const MISSING_KEY: Rule = Rule {
    id: "manifest/missing-key",
    summary: "Every member that the contract requires is present",
    why: "Three fleet connectors lack `tool` or the schema version, and are listed under other names",
    fix: "add the member",
    source: "contract.json, manifest",
    ..Rule::error(&[FAMILY])
};
pub(super) const SCHEMA_VERSION: Rule = Rule {
    id: "manifest/schema-version",
    summary: "`manifest_schema_version` is the version in the contract",
    why: "A reader that relies on the version expects members that do not exist",
    fix: "set `manifest_schema_version` to the version of the contract",
    source: "contract.json, manifest.schema_version",
    ..Rule::error(&[FAMILY])
};
pub(super) const SCOPE_FLAGS: Rule = Rule {
    id: "manifest/scope-flags",
    summary: "`scope` has scaffold_only, live_backend_available, live_read_available and write_bridge_available",
    why: "The canvas shows a connector without `live_backend_available: true` as blocked",
    fix: "add the boolean to `scope`",
    source: "host readers: canvas-node-parser",
    ..Rule::warning(&[FAMILY])
};
pub(super) const SCAFFOLD_WRITES: Rule = Rule {
    id: "manifest/scaffold-writes",
    summary: "A scaffold claims no live reads and no writes",
    why: "Twelve fleet connectors presented writes of a scaffold as working, and workflows failed",
    fix: "set `scaffold_only` to false if the commands work; otherwise set the live flags to false",
    source: "failure map, failures 5 and 6",
    ..Rule::error(&[FAMILY])
};
pub(super) const WRITE_FLAG: Rule = Rule {
    id: "manifest/write-flag",
    summary: "`write_bridge_available` agrees with the commands",
    why: "The canvas uses this flag, not the commands, to offer or hide writes",
    fix: "set `scope.write_bridge_available` to true if a command writes, otherwise to false",
    source: "host readers: canvas-node-parser",
    ..Rule::warning(&[FAMILY])
};
pub(super) const FORMAT: Rule = Rule {
    id: "manifest/format",
    summary: "`connector.json` is indented by two spaces and ends with one newline",
    why: "Thirteen manifests failed the host repository's format check, and diffs were hard to read",
    fix: "format the file with two spaces per level, no blank lines and one newline at the end",
    source: "failure map, failure 29",
    ..Rule::warning(&[FAMILY])
};

pub(super) fn check(subject: &ConnectorSubject<'_>, found: &mut Collector) {
    let Some(file) = &subject.manifest_file else {
        let unreadable = subject.repository.unreadable.iter().any(|(path, _)| path == MANIFEST);
        if !unreadable {
            found.whole(&MISSING, MANIFEST, "there is no `connector.json`".to_owned());
        }
        return;
    };
    document(file, found);
    if let Some(manifest) = &subject.manifest {
        shape(manifest, &file.source, found);
        required_keys(subject, manifest, &file.source, found);
        scope(manifest, &file.source, found);
    }
}

fn document(file: &JsonFile<'_>, found: &mut Collector) {
    let source = &file.source;
    if !file.is_utf8 {
        found.at(&ENCODING, source, 0, "the file contains bytes that are not UTF-8".to_owned());
    }
    for fault in &file.document.faults {
        match &fault.kind {
            FaultKind::Syntax(problem) => {
                found.at(&SYNTAX, source, fault.at, format!("not readable as JSON: {problem}"));
            }
            FaultKind::Duplicate(name) => {
                let message = format!("the member {} occurs twice in one object", shown(name));
                found.at(&DUPLICATE_KEY, source, fault.at, message);
            }
            FaultKind::Encoding(problem) => {
                found.at(&ENCODING, source, fault.at, (*problem).to_owned());
            }
        }
    }
    if let (Some(at), Some(_)) = (file.document.untidy, &file.document.root) {
        found.at(
            &FORMAT,
            source,
            at,
            "the formatting differs from two spaces per level, first in this line".to_owned(),
        );
    }
}

fn shape(manifest: &ConnectorManifest<'_>, source: &SourceText<'_>, found: &mut Collector) {
    for fault in &manifest.faults {
        let message = format!("`{}` is {}, expected {}", fault.path, fault.found, fault.expected);
        found.at(&TYPE, source, fault.at, message);
    }
}

fn required_keys(
    subject: &ConnectorSubject<'_>,
    manifest: &ConnectorManifest<'_>,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    let facts = subject.facts;
    let root = manifest.root;
    let part = |name| root.member(name).map(|member| &member.node);
    for (owner, node, keys) in [
        ("the manifest", Some(root), &facts.manifest_keys),
        ("`connector`", part("connector"), &facts.connector_keys),
        ("`auth`", part("auth"), &facts.auth_keys),
    ] {
        let Some(node) = node else { continue };
        for key in keys.iter().filter(|key| node.member(key).is_none()) {
            found.at(&MISSING_KEY, source, node.at, format!("{owner} has no `{key}`"));
        }
    }
    let commands = &manifest.commands;
    for key in &facts.command_keys {
        let has = |command: &&ManifestCommand<'_>| command.node.member(key).is_some();
        if !names_each_missing_key(manifest, key) {
            let at = root.member("commands").map_or(0, |member| member.at);
            let message = format!("none of the {} commands has `{key}`", commands.len());
            found.at(&MISSING_KEY, source, at, message);
            continue;
        }
        for command in commands.iter().filter(|command| !has(command)) {
            let owner =
                command.id.map_or_else(|| "a command".to_owned(), |id| shown(id.text).to_string());
            found.at(&MISSING_KEY, source, command.at, format!("{owner} has no `{key}`"));
        }
    }
    if let Some(version) = manifest.schema_version
        && !facts.manifest_schema_version.is_empty()
        && version.text != facts.manifest_schema_version
    {
        let message = format!(
            "`manifest_schema_version` is {}, but the contract has `{}`",
            shown(version.text),
            facts.manifest_schema_version
        );
        found.at(&SCHEMA_VERSION, source, version.at, message);
    }
}

/// True if each command that lacks a key is named; where none of them has it, one finding is enough.
pub(super) fn names_each_missing_key(manifest: &ConnectorManifest<'_>, key: &str) -> bool {
    let commands = &manifest.commands;
    commands.len() <= 3 || commands.iter().any(|command| command.node.member(key).is_some())
}

fn scope(manifest: &ConnectorManifest<'_>, source: &SourceText<'_>, found: &mut Collector) {
    let scope = &manifest.scope;
    let Some(at) = scope.at else {
        found.at(&SCOPE_FLAGS, source, 0, "there is no `scope`".to_owned());
        return;
    };
    let node = manifest.root.member("scope").map(|member| &member.node);
    for flag in
        ["scaffold_only", "live_backend_available", "live_read_available", "write_bridge_available"]
    {
        if node.is_some_and(|node| node.member(flag).is_none()) {
            found.at(&SCOPE_FLAGS, source, at, format!("`scope` has no `{flag}`"));
        }
    }
    let writes = manifest.commands.iter().filter(|command| {
        command.action_class.is_some_and(|class| matches!(class.text, "write" | "destructive"))
    });
    let writes: Vec<&ManifestCommand<'_>> = writes.collect();
    if scope.scaffold_only != Some(true) {
        admitted_scaffolds(&writes, source, found);
    }
    let writes = writes.len();
    if scope.scaffold_only == Some(true) {
        for (flag, value) in [
            ("live_backend_available", scope.live_backend_available),
            ("live_read_available", scope.live_read_available),
            ("write_bridge_available", scope.write_bridge_available),
        ] {
            if value == Some(true) {
                let message = format!("`scaffold_only` and `{flag}` are both true");
                found.at(&SCAFFOLD_WRITES, source, at, message);
            }
        }
        if writes > 0 {
            let message = format!("`scaffold_only` is true, but {writes} commands write");
            found.at(&SCAFFOLD_WRITES, source, at, message);
        }
        return;
    }
    match scope.write_bridge_available {
        Some(true) if writes == 0 => {
            found.at(
                &WRITE_FLAG,
                source,
                at,
                "`write_bridge_available` is true, but no command writes".to_owned(),
            );
        }
        Some(false) if writes > 0 => {
            let message = format!("`write_bridge_available` is false, but {writes} commands write");
            found.at(&WRITE_FLAG, source, at, message);
        }
        _ => {}
    }
}

/// Writes whose own summary says that they write nothing.
fn admitted_scaffolds(
    writes: &[&ManifestCommand<'_>],
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    for command in writes {
        let (Some(id), Some(summary)) = (command.id, command.summary) else { continue };
        // A command may well be there to make scaffolds, stubs or placeholders.
        let text = summary.text.to_ascii_lowercase();
        if id.text.contains("scaffold") || !admits_scaffold(&text) {
            continue;
        }
        let message = format!("{} writes, but its summary calls it unfinished", shown(id.text));
        let fix = "make the command work, or remove it from `connector.json` until it does";
        found.with_fix(&SCAFFOLD_WRITES, source, summary.at, message, fix);
    }
}

fn admits_scaffold(summary: &str) -> bool {
    const MARKS: &[&str] = &[
        "scaffold-only",
        "scaffold only",
        "(scaffold)",
        "(stub)",
        "(placeholder)",
        "not implemented",
        "not yet implemented",
    ];
    let rest = summary.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let first = summary.strip_suffix(rest).unwrap_or_default();
    let labelled = rest.starts_with(':') || rest.starts_with(" for ") || rest.is_empty();
    // Only a scaffolded request counts; a command may scaffold projects or components as its purpose.
    let unsent = ["payload", "preview", "request"].iter().any(|word| rest.contains(word));
    match first {
        "scaffold" | "scaffolded" | "scaffolds" if labelled || unsent => true,
        "stub" | "placeholder" if labelled => true,
        _ => MARKS.iter().any(|words| summary.contains(words)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, only};

    #[test]
    fn each_fault_of_the_document_is_named_by_its_rule() {
        for (from, to, rule) in [
            ("{\n  \"tool\"", "{\n  \"tool", "manifest/syntax"),
            ("\"backend\":", "\"tool\": \"aos-demo\",\n  \"backend\":", "manifest/duplicate-key"),
            ("\"label\": \"Demo\"", "\"label\": \"\\ud800\"", "manifest/encoding"),
            ("\"label\": \"Demo\"", "\"label\": 7", "manifest/type"),
            ("\"summary\": \"List issues\",\n      ", "", "manifest/missing-key"),
            ("\"1.0.0\"", "\"2.0.0\"", "manifest/schema-version"),
            ("    \"live_read_available\": true,\n", "", "manifest/scope-flags"),
            (
                "\"write_bridge_available\": true",
                "\"write_bridge_available\": false",
                "manifest/write-flag",
            ),
            ("  \"backend\":", "   \"backend\":", "manifest/format"),
        ] {
            assert_eq!(only(&Sample::good().manifest(from, to)), [rule], "{from}");
        }
        let scaffold =
            Sample::good().manifest("\"scaffold_only\": false", "\"scaffold_only\": true");
        assert_eq!(only(&scaffold), ["manifest/scaffold-writes"; 4]);
        let none = Sample::good().without("connector.json");
        assert!(only(&none).contains(&"manifest/missing"));
    }

    #[test]
    fn a_byte_order_mark_and_invalid_bytes_are_encoding_faults() {
        let sample = Sample::good();
        let text = sample.text("connector.json");
        let marked = Sample::good().file("connector.json", &format!("\u{feff}{text}"));
        assert_eq!(only(&marked), ["manifest/encoding"]);
        let mut bytes = text.into_bytes();
        let place = bytes.iter().position(|byte| *byte == b'D').unwrap();
        bytes[place] = 0xff;
        assert!(
            only(&Sample::good().bytes("connector.json", bytes)).contains(&"manifest/encoding")
        );
    }
}
