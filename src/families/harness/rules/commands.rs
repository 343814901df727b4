//! Rules about commands: what they declare, and whether the Python sources can run them.

use std::collections::{BTreeMap, BTreeSet};

use super::super::manifest::{ConnectorManifest, ManifestField, ManifestText};
use crate::contract::rules::documented::alike;

use super::cli_tree::{CliCommand, CliTree};
use super::subject::ConnectorSubject;
use crate::contract::rules::collector::{Collector, SourceText, shown};
use crate::contract::rules::rule::Rule;
use crate::families::harness::contract::FAMILY;

pub(super) const SUPPORTS_JSON: Rule = Rule {
    id: "commands/supports-json",
    summary: "Every command has `supports_json: true`",
    why: "The host offers no agent tool for a command without JSON output, and the contract requires `--json`",
    fix: "set `supports_json` to true",
    source: "CONNECTOR-SPEC §2; host calls",
    ..Rule::error(&[FAMILY])
};
pub(super) const RESOURCE_UNKNOWN: Rule = Rule {
    id: "commands/resource-unknown",
    summary: "A command's resource is listed in `connector.resources`",
    why: "The dashboard groups commands by the listed resources",
    fix: "add the resource to `connector.resources` or correct the command",
    source: "CONNECTOR-SPEC §7",
    ..Rule::warning(&[FAMILY])
};
pub(super) const RESOURCE_PREFIX: Rule = Rule {
    id: "commands/resource-prefix",
    summary: "A command's resource is the first part of its id",
    why: "The workflow form lists a command under its resource, but agents and saved workflows use its id, so users do not find it under another resource",
    fix: "name the resource as the id does",
    source: "host readers: workflow form",
    ..Rule::warning(&[FAMILY])
};
pub(super) const REQUIRED_FIELD: Rule = Rule {
    id: "commands/required-field",
    summary: "`required_fields` names fields in `scope.fields` that apply to the command",
    why: "A worker cannot fill in a field that it does not see, so the call fails with exit code 2",
    fix: "add the field to `scope.fields`, or the command to its `applies_to`",
    source: "contract.json, manifest.command_keys",
    ..Rule::error(&[FAMILY])
};
pub(super) const HANDLER_MISSING: Rule = Rule {
    id: "commands/handler-missing",
    summary: "Every command of the manifest is implemented in the Python sources",
    why: "aos-buffer and six other connectors listed commands that they did not have",
    fix: "write the handler, or remove the command from `connector.json`",
    source: "failure map, failures 4 and 5",
    ..Rule::error(&[FAMILY])
};
pub(super) const HANDLER_UNKNOWN: Rule = Rule {
    id: "commands/handler-unknown",
    summary: "Every command of the Python sources is in the manifest",
    why: "A command outside the manifest has no mode, so no gate protects it; nine fleet connectors have such commands",
    fix: "add the command to `connector.json`, or remove the handler",
    source: "fleet survey: CLI command not in manifest",
    ..Rule::error(&[FAMILY])
};
pub(super) const CLI_NAME: Rule = Rule {
    id: "commands/cli-name",
    summary: "The words of the command line are exactly the segments of the id",
    why: "The host passes `list_runs` unchanged, but click names the command `list-runs` and fails with exit code 2 (45 commands in the fleet)",
    fix: "give the name explicitly: `@group.command(\"list_runs\")`",
    source: "host calls; fleet survey: manifest id has no such CLI path",
    ..Rule::error(&[FAMILY])
};
pub(super) const OPTION_MISSING: Rule = Rule {
    id: "fields/option-missing",
    summary: "Every field that applies to a command is an option of it",
    why: "The workflow runner passes each field as `--field value`; 536 of 946 pairs in the fleet fail with exit code 2",
    fix: "add the option, or remove the command from the field's `applies_to`",
    source: "host calls: workflow runner; failure map, failure 8",
    ..Rule::error(&[FAMILY])
};

/// No real connector has as many commands or fields; more of them are not compared with each other.
const MAX_COMPARED: usize = 1000;

pub(super) fn check(subject: &ConnectorSubject<'_>, found: &mut Collector) {
    let Some((manifest, source)) = subject.judged_manifest() else { return };
    declarations(subject, manifest, source, found);
    let tree = CliTree::read(subject);
    if !tree.handlers.is_empty() {
        handlers(subject, &tree, manifest, source, found);
    } else if !tree.commands.is_empty() {
        command_line(subject, &tree, manifest, source, found);
        options(subject, &tree, manifest, source, found);
    }
}

fn declarations(
    subject: &ConnectorSubject<'_>,
    manifest: &ConnectorManifest<'_>,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    let resources: BTreeSet<&str> =
        manifest.resources.iter().map(|resource| resource.text).collect();
    let mut fields: BTreeMap<&str, &ManifestField<'_>> = BTreeMap::new();
    for field in manifest.fields() {
        if let Some(id) = field.id {
            fields.entry(id.text).or_insert(field);
        }
    }
    for command in &manifest.commands {
        let id = command.id.map_or("", |id| id.text);
        if let Some((at, false)) = command.supports_json {
            found.at(&SUPPORTS_JSON, source, at, format!("{} has no JSON output", shown(id)));
        }
        if let Some(resource) = command.resource
            && !subject.is_meta(id)
            && !resources.is_empty()
            && !resources.contains(resource.text)
        {
            let message = format!(
                "the resource {} of {} is not in `connector.resources`{}",
                shown(resource.text),
                shown(id),
                found.meant(&RESOURCE_UNKNOWN, resource.text, resources.iter().copied())
            );
            found.at(&RESOURCE_UNKNOWN, source, resource.at, message);
        }
        if let Some(resource) = command.resource
            && !subject.is_meta(id)
            && id
                .split_once('.')
                .is_some_and(|(first, _)| !first.eq_ignore_ascii_case(resource.text))
            && resources.contains(resource.text)
        {
            let message = format!("the resource of {} is {}", shown(id), shown(resource.text));
            found.at(&RESOURCE_PREFIX, source, resource.at, message);
        }
        for name in &command.required_fields {
            let applies = fields
                .get(name.text)
                .map(|field| field.named_commands().is_none_or(|named| names_command(named, id)));
            let problem = match applies {
                Some(true) => continue,
                Some(false) => "does not apply to it".to_owned(),
                None => format!(
                    "does not exist{}",
                    found.meant(&REQUIRED_FIELD, name.text, fields.keys().copied())
                ),
            };
            let message =
                format!("{} requires the field {}, which {problem}", shown(id), shown(name.text));
            found.at(&REQUIRED_FIELD, source, name.at, message);
        }
    }
}

fn names_command(named: &[ManifestText<'_>], id: &str) -> bool {
    named.len() > MAX_COMPARED || named.iter().any(|command| command.text == id)
}

/// Connectors whose handlers are registered by id; the required commands may be built in.
fn handlers(
    subject: &ConnectorSubject<'_>,
    tree: &CliTree<'_>,
    manifest: &ConnectorManifest<'_>,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    let mut known: Vec<&str> = tree.handlers.iter().map(|handler| handler.id).collect();
    known.sort_unstable();
    for (id, _) in manifest.identified() {
        if known.binary_search(&id.text).is_err() && !subject.facts.requires_command(id.text) {
            let message = format!("no handler is registered for {}", shown(id.text));
            found.at(&HANDLER_MISSING, source, id.at, message);
        }
    }
    for handler in &tree.handlers {
        if !subject.has_command(handler.id) {
            let message = format!(
                "the handler of {} has no command in `connector.json`{}",
                shown(handler.id),
                found.meant(&HANDLER_UNKNOWN, handler.id, subject.ids.iter().copied())
            );
            found.at(&HANDLER_UNKNOWN, handler.source, handler.at, message);
        }
    }
}

/// Connectors whose commands are click decorators.
fn command_line(
    subject: &ConnectorSubject<'_>,
    tree: &CliTree<'_>,
    manifest: &ConnectorManifest<'_>,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    for (id, _) in manifest.identified() {
        match tree.find(id.text) {
            Some(command) if command.answers_to(id.text) => {}
            Some(command) => other_name(subject, id.text, command, found),
            None if tree.is_complete => {
                let message =
                    format!("no click command has the name {}", shown(&id.text.replace('.', " ")));
                found.at(&HANDLER_MISSING, source, id.at, message);
            }
            None => {}
        }
    }
    let ids: BTreeSet<String> = subject.ids.iter().map(|id| alike(id)).collect();
    // A derived name has alternatives: one of them being listed is enough.
    let listed: BTreeSet<(&str, usize)> = tree
        .commands
        .iter()
        .filter(|command| ids.contains(&alike(&command.words.join("."))))
        .map(|command| (command.source.path, command.at))
        .collect();
    for command in &tree.commands {
        if !listed.contains(&(command.source.path, command.at)) {
            let words = command.words.join(" ");
            let message = format!("the command {} is not in `connector.json`", shown(&words));
            found.at(&HANDLER_UNKNOWN, command.source, command.at, message);
        }
    }
}

/// A command that is nearly the one of an id.
fn other_name(
    subject: &ConnectorSubject<'_>,
    id: &str,
    command: &CliCommand<'_>,
    found: &mut Collector,
) {
    let words = command.words.join(" ");
    let Some(word) = command.words.iter().find(|word| word.contains(['.', ' '])) else {
        let message = format!("{} is {} on the command line", shown(id), shown(&words));
        found.at(&CLI_NAME, command.source, command.at, message);
        return;
    };
    let message = format!(
        "{} is one word on the command line, but the host passes {}",
        shown(word),
        shown(&id.replace('.', " "))
    );
    let (group, name) = id.rsplit_once('.').unwrap_or(("", id));
    let fix = if subject.has_command(group) {
        format!("remove the alias {} here and in `connector.json`", shown(id))
    } else {
        format!("make it the command {} of a group {}", shown(name), shown(group))
    };
    found.with_fix(&CLI_NAME, command.source, command.at, message, fix);
}

fn options(
    subject: &ConnectorSubject<'_>,
    tree: &CliTree<'_>,
    manifest: &ConnectorManifest<'_>,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    // A field that names no command is shown with every command that workers see.
    let actions: BTreeSet<&str> =
        manifest.scope.worker_visible_actions.iter().map(|action| action.text).collect();
    let ids = manifest.identified().map(|(id, _)| id);
    let visible: Vec<ManifestText<'_>> = ids
        .filter(|id| actions.is_empty() || actions.contains(id.text))
        .take(MAX_COMPARED)
        .collect();
    let fields = manifest.fields().filter_map(|field| Some((field, field.id?)));
    for (field, id) in fields.take(MAX_COMPARED) {
        if field.kind.is_some_and(|kind| kind.text == "options_group") {
            continue;
        }
        let option = format!("--{}", id.text.replace('_', "-"));
        let named = field.named_commands();
        let everywhere = if named.is_none() { visible.as_slice() } else { &[] };
        for action in named.unwrap_or_default().iter().chain(everywhere) {
            let Some(command) = tree.find(action.text).filter(|_| !subject.is_meta(action.text))
            else {
                continue;
            };
            if !command.options.contains(&option.as_str()) {
                let place =
                    if command.takes_arguments { " (it takes positional arguments)" } else { "" };
                let message =
                    format!("{} has no option {}{place}", shown(action.text), shown(&option));
                let at = if named.is_some() { action.at } else { id.at };
                found.at(&OPTION_MISSING, source, at, message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, only};

    const CLICK: &str = "import click\n\n@click.group()\ndef cli(): pass\n\n@cli.command(\"capabilities\")\ndef capabilities(): pass\n\n@cli.command()\ndef health(): pass\n\n@cli.group(\"config\")\ndef config_group(): pass\n\n@config_group.command(\"show\")\ndef config_show(): pass\n\n@cli.group()\ndef issue(): pass\n\n@issue.command(\"list\")\n@click.option(\"--owner\", required=True)\n@click.option(\"--state\")\ndef issue_list(): pass\n\n@issue.command(\"get\")\n@click.option(\"--owner\", \"owner_name\")\n@click.option(\"--issue-number\")\ndef issue_get(): pass\n\n@issue.command(name=\"create\")\n@click.option(\"--owner\")\n@click.option(\"--title\")\ndef create_issue_command(): pass\n\n@issue.command(\"delete\")\n@click.option(\"--owner\")\n@click.option(\"--issue-number\")\ndef issue_delete(): pass\n";

    fn click(from: &str, to: &str) -> Vec<&'static str> {
        assert!(CLICK.contains(from));
        let sample = Sample::good()
            .without("agent-harness/aos_demo/commands/issue.py")
            .without("agent-harness/aos_demo/registry.py")
            .pyproject("aos_demo.cli:main", "aos_demo.cli:cli")
            .file("agent-harness/aos_demo/cli.py", &CLICK.replace(from, to));
        only(&sample)
    }

    #[test]
    fn a_click_command_line_that_matches_the_manifest_is_clean() {
        assert!(click("import click", "import click").is_empty());
    }

    #[test]
    fn click_commands_and_manifest_must_agree() {
        assert_eq!(
            click("@issue.command(\"get\")", "@issue.command(\"fetch\")"),
            ["commands/handler-unknown", "commands/handler-missing"]
        );
        assert_eq!(
            click("@click.option(\"--title\")\n", "@click.argument(\"title\")\n"),
            ["fields/option-missing"]
        );
        let renamed = Sample::good()
            .renamed("issue.get", "issue.get_one")
            .without("agent-harness/aos_demo/commands/issue.py")
            .without("agent-harness/aos_demo/registry.py")
            .pyproject("aos_demo.cli:main", "aos_demo.cli:cli")
            .file("agent-harness/aos_demo/cli.py", &CLICK.replace("\"get\"", "\"get-one\""));
        assert_eq!(only(&renamed), ["commands/cli-name"]);
    }

    #[test]
    fn commands_added_at_run_time_silence_the_rule_about_missing_handlers() {
        let text = CLICK.replace("@issue.command(\"get\")", "@click.command(\"get\")");
        let sample = Sample::good()
            .without("agent-harness/aos_demo/commands/issue.py")
            .without("agent-harness/aos_demo/registry.py")
            .pyproject("aos_demo.cli:main", "aos_demo.cli:cli")
            .file(
                "agent-harness/aos_demo/cli.py",
                &format!("{text}\nissue.add_command(issue_get)\n"),
            );
        assert!(only(&sample).is_empty());
    }

    #[test]
    fn registered_handlers_and_manifest_must_agree() {
        let handlers = "agent-harness/aos_demo/commands/issue.py";
        let text = Sample::good().text(handlers).replace("\"issue.get\"", "\"issue.gte\"");
        assert_eq!(
            only(&Sample::good().file(handlers, &text)),
            ["commands/handler-unknown", "commands/handler-missing"]
        );
    }

    #[test]
    fn a_resource_is_the_first_part_of_the_id() {
        let both = ("\"resources\": [\"issue\"]", "\"resources\": [\"issue\", \"bug\"]");
        let sample = Sample::good().manifest(both.0, both.1);
        assert!(only(&sample).is_empty());
        let sample = sample.manifest("\"resource\": \"issue\"", "\"resource\": \"bug\"");
        assert_eq!(only(&sample), ["commands/resource-prefix"]);
    }

    #[test]
    fn declarations_are_checked_against_the_rest_of_the_manifest() {
        for (from, to, rule) in [
            ("\"supports_json\": true", "\"supports_json\": false", "commands/supports-json"),
            ("\"resource\": \"issue\"", "\"resource\": \"isue\"", "commands/resource-unknown"),
            (
                "\"required_fields\": [\"owner\", \"title\"]",
                "\"required_fields\": [\"ownr\", \"title\"]",
                "commands/required-field",
            ),
        ] {
            assert_eq!(only(&Sample::good().manifest(from, to)), [rule]);
        }
    }
}
