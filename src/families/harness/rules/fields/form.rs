//! Rules about the workflow form of the host: what it reads of a field, and what a person can enter.

use std::collections::BTreeSet;

use super::super::super::manifest::ConnectorManifest;
use crate::contract::rules::collector::{Collector, SourceText, shown, shown_list};
use crate::contract::rules::json_document::{JsonNode, JsonValue};
use crate::contract::rules::rule::Rule;
use crate::families::harness::contract::FAMILY;

pub(in crate::families::harness::rules) const UNREAD_KEY: Rule = Rule {
    id: "fields/unread-key",
    summary: "A field has only members that the workflow form reads",
    why: "The form shows only `description` as help, and ignores `help` and `example`",
    fix: "rename `help` to `description`; delete the other members",
    source: "host readers: workflow form",
    ..Rule::warning(&[FAMILY])
};
pub(in crate::families::harness::rules) const MULTISELECT: Rule = Rule {
    id: "fields/multiselect-options",
    summary: "A multiselect has options",
    why: "In a multiselect, users can only select options: without any, a command that requires the field cannot be used",
    fix: "add `options`, or make it a text field (`\"type\": \"json\", \"renderAs\": \"text\"`): its option accepts `a, b` and a JSON array",
    source: "host readers: workflow form",
    ..Rule::error(&[FAMILY])
};
pub(in crate::families::harness::rules) const PICKER_SOURCE: Rule = Rule {
    id: "fields/picker-source",
    summary: "A picker hint names the command that fills it and the members to show",
    why: "Without `source_command` or `source_fields`, the form reports an unknown picker hint",
    fix: "add `source_command` and `source_fields`, `id` first",
    source: "host readers: pickers",
    ..Rule::warning(&[FAMILY])
};
pub(in crate::families::harness::rules) const EXPRESSION: Rule = Rule {
    id: "fields/expression",
    summary: "No field sets `expressionEnabled`",
    why: "The form would store `={{ … }}`, which the workflow runner does not resolve; without it, `{{previous.x}}` works in text, richtext and json fields",
    fix: "delete `expressionEnabled`, and use a text field if an earlier step provides the value",
    source: "host readers: workflow form and runner",
    ..Rule::warning(&[FAMILY])
};

pub(in crate::families::harness::rules) const UNREAD_MEMBER: Rule = Rule {
    id: "manifest/unread-member",
    summary: "`scope`, its picker hints, the commands and the top level have only members that the host reads",
    why: "The host ignores all other members: `workerFields`, `triggerHints` and `selection_surface` have no effect",
    fix: "delete the member, or move its value to a member that the host reads",
    source: "host readers: manifest keys",
    ..Rule::warning(&[FAMILY])
};

/// Members that the host or a contract reads, by where they are.
const READ_MEMBERS: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "$schema",
            "tool",
            "backend",
            "manifest_schema_version",
            "connector",
            "auth",
            "scope",
            "commands",
            "events",
        ],
    ),
    (
        "scope",
        &[
            "kind",
            "surface",
            "scaffold_only",
            "live_backend_available",
            "live_read_available",
            "write_bridge_available",
            "worker_visible_actions",
            "fields",
            "pickerHints",
            // Another rule looks at what it names.
            "commandDefaults",
        ],
    ),
    (
        "scope.pickerHints.*",
        &["kind", "resource", "source_command", "source_fields", "sourceCommand", "sourceFields"],
    ),
    (
        "commands[]",
        &[
            "id",
            "summary",
            "required_mode",
            "supports_json",
            "resource",
            "action_class",
            "side_effect_level",
            "required_fields",
            "preview_only",
            "runtime_available",
            // `aos sync-api` and `aos add --openapi` find the operation by it.
            "x_operation_id",
        ],
    ),
];

/// Members of a field that the form or the connector's own runtime reads.
const READ: &[&str] = &[
    "id",
    "label",
    "type",
    "renderAs",
    "description",
    "placeholder",
    "required",
    "applies_to",
    "expressionEnabled",
    "options",
    "pickerHint",
    "default",
    "rows",
    "showWhen",
    "children",
    "aliases",
    "default_env",
];

pub(super) fn check(
    manifest: &ConnectorManifest<'_>,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    unread(manifest, source, found);
    unread_members(manifest, source, found);
    expressions(manifest, source, found);
    multiselects(manifest, source, found);
    picker_sources(manifest, source, found);
}

/// One finding for the whole manifest: usually every field has the same member.
fn unread(manifest: &ConnectorManifest<'_>, source: &SourceText<'_>, found: &mut Collector) {
    let surplus = || {
        manifest
            .fields()
            .flat_map(|field| field.node.members())
            .filter(|member| !READ.contains(&member.name.as_ref()))
    };
    let Some(first) = surplus().next() else { return };
    let names: BTreeSet<&str> = surplus().map(|member| member.name.as_ref()).collect();
    let message = format!("the workflow form does not read {}", shown_list(names.into_iter()));
    found.at(&UNREAD_KEY, source, first.at, message);
}

/// One finding for the whole manifest.
fn unread_members(
    manifest: &ConnectorManifest<'_>,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    let scope = manifest.root.member("scope").map(|scope| &scope.node);
    let hints = scope.and_then(|scope| scope.member("pickerHints"));
    let mut surplus: Vec<(usize, String)> = Vec::new();
    for (place, read) in READ_MEMBERS {
        let nodes: Vec<&JsonNode<'_>> = match *place {
            "scope" => scope.into_iter().collect(),
            "scope.pickerHints.*" => {
                hints.iter().flat_map(|hints| hints.node.members()).map(|hint| &hint.node).collect()
            }
            "commands[]" => manifest.commands.iter().map(|command| command.node).collect(),
            _ => vec![manifest.root],
        };
        let members = nodes.into_iter().flat_map(|node| node.members());
        surplus.extend(members.filter(|member| !read.contains(&member.name.as_ref())).map(
            |member| {
                let dot = if place.is_empty() { "" } else { "." };
                (member.at, format!("{place}{dot}{}", member.name))
            },
        ));
    }
    let Some(first) = surplus.iter().map(|(at, _)| *at).min() else { return };
    let names: BTreeSet<&str> = surplus.iter().map(|(_, name)| name.as_str()).collect();
    let message = format!("the host does not read {}", shown_list(names.into_iter()));
    found.at(&UNREAD_MEMBER, source, first, message);
}

/// One finding for the whole manifest.
fn expressions(manifest: &ConnectorManifest<'_>, source: &SourceText<'_>, found: &mut Collector) {
    let enabled = || {
        manifest.fields().filter_map(|field| {
            let member = field.node.member("expressionEnabled")?;
            matches!(member.node.value, JsonValue::Bool(true)).then_some(member.at)
        })
    };
    if let Some(first) = enabled().next() {
        let message = format!("`expressionEnabled` is true in {} fields", enabled().count());
        found.at(&EXPRESSION, source, first, message);
    }
}

fn multiselects(manifest: &ConnectorManifest<'_>, source: &SourceText<'_>, found: &mut Collector) {
    for field in manifest.fields() {
        let is_multiselect = field.render_as.is_some_and(|widget| widget.text == "multiselect");
        if is_multiselect && field.options.as_ref().is_none_or(Vec::is_empty) {
            let name = field.id.map_or("", |id| id.text);
            let message = format!("no value can be entered in {}", shown(name));
            found.at(&MULTISELECT, source, field.at, message);
        }
    }
}

fn picker_sources(
    manifest: &ConnectorManifest<'_>,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    let hints = manifest
        .root
        .member("scope")
        .and_then(|scope| scope.node.member("pickerHints"))
        .map_or(&[][..], |hints| hints.node.members());
    for hint in hints {
        let text = |names: [&str; 2]| {
            names.iter().any(|name| {
                let member = hint.node.member(name);
                member.and_then(|member| member.node.text()).is_some_and(|text| !text.is_empty())
            })
        };
        let list = |names: [&str; 2]| {
            names.iter().any(|name| hint.node.member(name).is_some_and(|m| has_text(&m.node)))
        };
        for (missing, is_there) in [
            ("source_command", text(["source_command", "sourceCommand"])),
            ("source_fields", list(["source_fields", "sourceFields"])),
        ] {
            if !is_there {
                let message = format!("the picker hint {} has no `{missing}`", shown(&hint.name));
                found.at(&PICKER_SOURCE, source, hint.at, message);
            }
        }
    }
}

fn has_text(node: &JsonNode<'_>) -> bool {
    let JsonValue::List(items) = &node.value else { return false };
    items.iter().any(|item| item.text().is_some_and(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::super::super::sample::{Sample, only};

    #[test]
    fn each_fault_of_the_form_is_named_by_its_rule() {
        let label = "\"label\": \"Title\"";
        let title =
            |more: &str| Sample::good().manifest(label, &format!("{label},\n        {more}"));
        for (member, rules) in [
            ("\"description\": \"Title of the issue\"", &[][..]),
            ("\"expressionEnabled\": false", &[]),
            ("\"help\": \"Title of the issue\"", &["fields/unread-key"]),
            ("\"example\": \"x\"", &["fields/unread-key"]),
            ("\"valueType\": \"string\"", &["fields/unread-key"]),
            ("\"expressionEnabled\": true", &["fields/expression"]),
        ] {
            assert_eq!(only(&title(member)), rules, "{member}");
        }
        for (from, to) in [
            ("\"backend\"", "\"risk_tier\": 1,\n  \"backend\""),
            ("\"pickerHints\"", "\"workerFields\": [],\n    \"pickerHints\""),
            ("\"source_command\"", "\"items\": [], \"source_command\""),
            ("\"supports_json\"", "\"input_hints\": [],\n      \"supports_json\""),
        ] {
            assert_eq!(
                only(&Sample::good().manifest(from, to)),
                ["manifest/unread-member"],
                "{to}"
            );
        }
        for (options, rules) in [
            ("", &["fields/multiselect-options"][..]),
            (", \"options\": []", &["fields/multiselect-options"]),
            (", \"options\": [{\"value\": \"a\", \"label\": \"A\"}]", &[]),
        ] {
            let member = format!("\"renderAs\": \"multiselect\"{options}");
            assert_eq!(only(&title(&member)), rules, "{options}");
        }
    }

    #[test]
    fn a_picker_hint_without_its_source_is_named_by_what_it_lacks() {
        for (from, to, expected) in [
            ("\"source_command\"", "\"source\"", "source_command"),
            ("\"source_fields\"", "\"fields\"", "source_fields"),
        ] {
            let sample = Sample::good().manifest(from, to);
            assert_eq!(only(&sample), ["fields/picker-source", "manifest/unread-member"], "{to}");
            assert!(sample.to_string().contains(expected), "{sample}");
        }
    }
}
