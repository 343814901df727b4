//! Rules about `scope`: the inputs workers see, and the commands that scope refers to.

mod form;

use std::collections::{BTreeMap, BTreeSet};

use super::super::manifest::{ConnectorManifest, ManifestText};
use super::cli_tree::CliTree;
use super::subject::ConnectorSubject;
use crate::contract::rules::collector::{Collector, SourceText, shown, shown_list};
use crate::contract::rules::rule::Rule;
use crate::families::harness::contract::FAMILY;

pub(super) const RESERVED_ID: Rule = Rule {
    id: "fields/reserved-id",
    summary: "No field has the name of a global flag or of a key that the workflow runner reserves",
    why: "The runner passes a field as an option: json, mode, verbose, version and help would change the call, and type, resource, operation and seven more are never sent",
    fix: "rename the field",
    source: "fleet survey: reserved field ids",
    ..Rule::error(&[FAMILY])
};
pub(super) const ID_CHARACTERS: Rule = Rule {
    id: "fields/id-characters",
    summary: "A field id is a-z, 0-9 and `_`, starting with a letter",
    why: "The host replaces `_` with `-` and changes nothing else, so other ids match no option",
    fix: "rename the field, for example `issue_number`",
    source: "host calls: workflow runner",
    ..Rule::error(&[FAMILY])
};
pub(super) const DUPLICATE_ID: Rule = Rule {
    id: "fields/duplicate-id",
    summary: "No field id is used twice",
    why: "Both would be the same option, and the canvas would keep only one value",
    fix: "merge the two fields, or rename one",
    source: "fleet survey: duplicate or colliding ids",
    ..Rule::error(&[FAMILY])
};
pub(super) const INCOMPLETE: Rule = Rule {
    id: "fields/incomplete",
    summary: "Every field has an id, a label, and a widget in `renderAs` or `type`",
    why: "The canvas uses the widget in `renderAs`, else in `type`, and otherwise guesses from the id",
    fix: "add the member to the field; a widget is text, richtext, number, boolean, select, multiselect or json",
    source: "host readers: canvas-node-parser",
    ..Rule::warning(&[FAMILY])
};
pub(super) const UNKNOWN_COMMAND: Rule = Rule {
    id: "fields/unknown-command",
    summary: "`applies_to` names commands of the manifest",
    why: "Otherwise the field is never shown",
    fix: "correct the id in `applies_to`",
    source: "fleet survey: applies_to naming unknown things",
    ..Rule::error(&[FAMILY])
};
pub(super) const WORKER_ACTION: Rule = Rule {
    id: "fields/worker-action",
    summary: "`worker_visible_actions` names commands of the manifest",
    why: "Workflow templates failed because they used operations that no manifest had",
    fix: "correct the id, or add the command",
    source: "failure map, failure 19",
    ..Rule::error(&[FAMILY])
};
pub(super) const PICKER_HINT: Rule = Rule {
    id: "fields/picker-hint",
    summary: "Picker hints name commands and fields that exist",
    why: "Otherwise the picker is empty",
    fix: "correct the name",
    source: "fleet survey: pickerHint naming unknown things",
    ..Rule::warning(&[FAMILY])
};
pub(super) const PICKER_ARGUMENTS: Rule = Rule {
    id: "fields/picker-arguments",
    summary: "The command that fills a picker runs without arguments",
    why: "The host calls it without arguments; a command with a required input fails with exit code 2, and the picker is empty",
    fix: "make the inputs of the source command optional, or name a command without required inputs",
    source: "host calls: pickers and test node",
    ..Rule::warning(&[FAMILY])
};
pub(super) const COMMAND_DEFAULT: Rule = Rule {
    id: "fields/command-default",
    summary: "`commandDefaults` names commands of the manifest",
    why: "Otherwise the defaults are never used",
    fix: "correct the id",
    source: "fleet survey: commandDefaults naming unknown things",
    ..Rule::warning(&[FAMILY])
};
pub(super) const SHOW_WHEN: Rule = Rule {
    id: "fields/show-when",
    summary: "`showWhen` names a field that exists",
    why: "Otherwise the field is never shown",
    fix: "correct the field id",
    source: "fleet survey: showWhen naming unknown things",
    ..Rule::warning(&[FAMILY])
};
pub(super) const SELECT_OPTIONS: Rule = Rule {
    id: "fields/select-options",
    summary: "A select has options or a picker, and its default is one of the options",
    why: "Otherwise the user sees an empty list, or a value that the command refuses",
    fix: "add the options, a `pickerHint`, or correct the default",
    source: "host readers: canvas-node-parser",
    ..Rule::warning(&[FAMILY])
};

/// The members of a node that the workflow runner keeps beside its fields and never sends.
const RUNNER_KEYS: &[&str] = &[
    "type",
    "connectorId",
    "connectorName",
    "connectorCategory",
    "credentialId",
    "resource",
    "operation",
    "outputMapping",
    "sideEffectLevel",
    "dryRunSupported",
    "actionType",
];

pub(super) use form::{EXPRESSION, MULTISELECT, PICKER_SOURCE, UNREAD_KEY, UNREAD_MEMBER};

pub(super) fn check(subject: &ConnectorSubject<'_>, found: &mut Collector) {
    let Some((manifest, source)) = subject.judged_manifest() else { return };
    ids(subject, manifest, source, found);
    form::check(manifest, source, found);
    let scope = &manifest.scope;
    for field in manifest.fields() {
        for action in field.applies_to.iter().flatten() {
            unknown_command(subject, &UNKNOWN_COMMAND, *action, "`applies_to`", source, found);
        }
    }
    for action in &scope.worker_visible_actions {
        unknown_command(
            subject,
            &WORKER_ACTION,
            *action,
            "`worker_visible_actions`",
            source,
            found,
        );
    }
    for (name, _) in &scope.command_defaults {
        unknown_command(subject, &COMMAND_DEFAULT, *name, "`commandDefaults`", source, found);
    }
    for (_, command) in &scope.picker_hints {
        if let Some(command) = command {
            unknown_command(subject, &PICKER_HINT, *command, "`pickerHints`", source, found);
        }
    }
    picker_sources(subject, manifest, source, found);
    references(subject, manifest, source, found);
}

fn ids(
    subject: &ConnectorSubject<'_>,
    manifest: &ConnectorManifest<'_>,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    let mut options: BTreeMap<String, &str> = BTreeMap::new();
    for field in manifest.fields() {
        let is_group = field.kind.is_some_and(|kind| kind.text == "options_group");
        let name =
            || field.id.map_or_else(|| "a field".to_owned(), |id| shown(id.text).to_string());
        for member in ["id", "label"] {
            if field.node.member(member).is_none() {
                found.at(&INCOMPLETE, source, field.at, format!("{} has no `{member}`", name()));
            }
        }
        if field.widget().is_none() {
            let message = format!("{} has no widget in `renderAs` or `type`", name());
            found.at(&INCOMPLETE, source, field.at, message);
        }
        let Some(id) = field.id.filter(|_| !is_group) else { continue };
        let flag = id.text.replace('_', "-");
        let reserved = flag == "help"
            || subject.facts.global_flags.iter().any(|known| known.trim_start_matches('-') == flag);
        if reserved {
            let message =
                format!("the field {} has the name of the global flag `--{flag}`", shown(id.text));
            found.at(&RESERVED_ID, source, id.at, message);
        }
        if RUNNER_KEYS.contains(&id.text) {
            let message =
                format!("the workflow runner never sends a field with the name {}", shown(id.text));
            found.at(&RESERVED_ID, source, id.at, message);
        }
        let well_formed = id.text.len() <= 100
            && id.text.starts_with(|letter: char| letter.is_ascii_lowercase())
            && id.text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if !well_formed {
            let message = format!("the field id {} matches no option", shown(id.text));
            found.at(&ID_CHARACTERS, source, id.at, message);
        }
        if let Some(first) = options.insert(flag, id.text) {
            let message = if first == id.text {
                format!("the field id {} is used twice", shown(id.text))
            } else {
                format!("the fields {} and {} are the same option", shown(first), shown(id.text))
            };
            found.at(&DUPLICATE_ID, source, id.at, message);
        }
    }
}

fn unknown_command(
    subject: &ConnectorSubject<'_>,
    rule: &Rule,
    id: ManifestText<'_>,
    place: &str,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    if !subject.has_command(id.text) {
        let near = found.meant(rule, id.text, subject.ids.iter().copied());
        let message = format!("{place} names {}, which is not a command{near}", shown(id.text));
        found.at(rule, source, id.at, message);
    }
}

/// Commands that fill pickers, and what they cannot run without.
fn picker_sources(
    subject: &ConnectorSubject<'_>,
    manifest: &ConnectorManifest<'_>,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    let hints = manifest.scope.picker_hints.iter().filter_map(|(_, command)| *command);
    // A field may also name the command itself.
    let direct = manifest.fields().filter_map(|field| field.picker_hint);
    let named: BTreeMap<&str, ManifestText<'_>> = direct
        .chain(hints)
        .filter(|command| subject.has_command(command.text))
        .map(|command| (command.text, command))
        .collect();
    if named.is_empty() {
        return;
    }
    let mut required: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    // The environment, or the command itself, gives what is not given.
    let has_default = |id: &&str| {
        manifest.fields().filter(|field| field.id.is_some_and(|own| own.text == *id)).any(|field| {
            ["default", "default_env"].iter().any(|name| field.node.member(name).is_some())
        })
    };
    for (id, command) in manifest.identified().filter(|(id, _)| named.contains_key(id.text)) {
        let fields = command.required_fields.iter().map(|field| field.text);
        required.entry(id.text).or_default().extend(fields.filter(|id| !has_default(id)));
    }
    for field in &manifest.scope.fields {
        let is_needed =
            |id: &ManifestText<'_>| field.is_always_required() && !has_default(&id.text);
        let Some(id) = field.id.filter(is_needed) else { continue };
        match field.named_commands() {
            Some(commands) => {
                for command in commands.iter().filter(|command| named.contains_key(command.text)) {
                    required.entry(command.text).or_default().insert(id.text);
                }
            }
            // Without any name the field is shown with every command.
            None => named.keys().for_each(|command| {
                required.entry(command).or_default().insert(id.text);
            }),
        }
    }
    let tree = CliTree::read(subject);
    for (command, fields) in required.iter().filter(|(_, fields)| !fields.is_empty()) {
        let Some(place) = named.get(command) else { continue };
        // A manifest marks what the form asks for; the command line says what the command needs.
        if tree.find(command).is_some_and(|found| !found.needs_input) {
            continue;
        }
        let message = format!(
            "a picker calls {} without arguments, but it requires {}",
            shown(command),
            shown_list(fields.iter().copied())
        );
        found.at(&PICKER_ARGUMENTS, source, place.at, message);
    }
}

fn references(
    subject: &ConnectorSubject<'_>,
    manifest: &ConnectorManifest<'_>,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    let hints: BTreeSet<&str> =
        manifest.scope.picker_hints.iter().map(|(name, _)| name.text).collect();
    let ids: BTreeSet<&str> = manifest.fields().filter_map(|field| Some(field.id?.text)).collect();
    for field in manifest.fields() {
        if let Some(hint) = field.picker_hint
            && !hints.contains(hint.text)
            && !subject.has_command(hint.text)
        {
            let near = found.meant(&PICKER_HINT, hint.text, hints.iter().copied());
            let message = format!("the picker hint {} does not exist{near}", shown(hint.text));
            found.at(&PICKER_HINT, source, hint.at, message);
        }
        if let Some(other) = field.show_when
            && !ids.contains(other.text)
        {
            let near = found.meant(&SHOW_WHEN, other.text, ids.iter().copied());
            let message =
                format!("`showWhen` names {}, which is not a field{near}", shown(other.text));
            found.at(&SHOW_WHEN, source, other.at, message);
        }
        let Some(kind) = field.widget().filter(|widget| widget.text == "select") else { continue };
        let name = field.id.map_or("", |id| id.text);
        match &field.options {
            Some(options) if !options.is_empty() => {
                if let Some(default) = field.default
                    && !default.text.is_empty()
                    && !options.iter().any(|option| option.text == default.text)
                {
                    let message = format!(
                        "the default {} of {} is not one of its options",
                        shown(default.text),
                        shown(name)
                    );
                    found.at(&SELECT_OPTIONS, source, default.at, message);
                }
            }
            _ if field.picker_hint.is_none() => {
                let message = format!("the select {} has no options and no picker", shown(name));
                found.at(&SELECT_OPTIONS, source, kind.at, message);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, only};

    #[test]
    fn each_fault_of_a_field_is_named_by_its_rule() {
        for (from, to, rules) in [
            ("\"id\": \"title\"", "\"id\": \"mode\"", &["fields/reserved-id"][..]),
            ("\"id\": \"title\"", "\"id\": \"Title Text\"", &["fields/id-characters"]),
            ("\"id\": \"title\"", "\"id\": \"owner\"", &["fields/duplicate-id"]),
            ("\"label\": \"Title\",\n        ", "", &["fields/incomplete"]),
            (
                "\"applies_to\": [\"issue.create\"]",
                "\"applies_to\": [\"issue.create\", \"issue.craete\"]",
                &["fields/unknown-command"],
            ),
            (
                "\"worker_visible_actions\": [\n      \"issue.list\"",
                "\"worker_visible_actions\": [\n      \"issue.lst\"",
                &["fields/worker-action"],
            ),
            (
                "\"source_command\": \"issue.list\"",
                "\"source_command\": \"issues.list\"",
                &["fields/picker-hint"],
            ),
            ("\"pickerHint\": \"issue\"", "\"pickerHint\": \"isue\"", &["fields/picker-hint"]),
            (
                "\"pickerHints\"",
                "\"commandDefaults\": { \"issue.gett\": {} },\n    \"pickerHints\"",
                &["fields/command-default"],
            ),
            (
                "\"label\": \"Title\"",
                "\"label\": \"Title\",\n        \"showWhen\": { \"field\": \"ownr\" }",
                &["fields/show-when"],
            ),
            ("\"default\": \"open\"", "\"default\": \"opened\"", &["fields/select-options"]),
            ("\"id\": \"title\"", "\"id\": \"type\"", &["fields/reserved-id"]),
            ("\"id\": \"title\"", "\"id\": \"operation\"", &["fields/reserved-id"]),
        ] {
            let mut sample = Sample::good().manifest(from, to);
            if from == "\"id\": \"title\"" {
                sample = sample.manifest(", \"title\"]", "]");
            }
            assert_eq!(only(&sample), rules, "{to}");
        }
    }
}
