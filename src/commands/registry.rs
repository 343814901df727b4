//! What every command is to an agent: kind, schema of its data, examples. Parameters come from the parser itself.

use clap::CommandFactory as _;
use serde_json::{Value, json};

use crate::cli::Cli;

/// What a command does to the world.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    Query,
    Write,
}

/// One leaf command.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub path: &'static str,
    pub kind: Kind,
    /// Name in the schema catalogue.
    pub schema: &'static str,
    pub examples: &'static [&'static str],
    /// Whether `--format raw` has a meaning, and which.
    pub raw: Option<&'static str>,
}

/// Shape of a command's data.
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    pub name: &'static str,
    pub fields: &'static [&'static str],
    /// Fields whose text comes from files or answers and may try to instruct an agent.
    pub untrusted_fields: &'static [&'static str],
}

/// Every leaf command, in the order of the help.
pub const ENTRIES: [Entry; 11] = [
    Entry {
        path: "new",
        kind: Kind::Write,
        schema: "created_project",
        examples: &[
            "aos new github",
            "aos new acme --set base_url=https://api.acme.example --no-git",
            "aos new acme --dry-run --compact",
            "aos new acme --confirm ct_TOKEN --compact",
            "aos new --list",
        ],
        raw: Some("the diff of a dry run"),
    },
    Entry {
        path: "sync-spec",
        kind: Kind::Write,
        schema: "synced_spec",
        examples: &[
            "aos sync-spec",
            "aos sync-spec --to latest --dry-run --compact",
            "aos sync-spec --to latest --confirm ct_TOKEN --compact",
        ],
        raw: Some("the diff"),
    },
    Entry {
        path: "gen",
        kind: Kind::Write,
        schema: "generated_files",
        examples: &[
            "aos gen",
            "aos gen --check",
            "aos gen --dry-run --compact",
            "aos gen --confirm ct_TOKEN --compact",
        ],
        raw: Some("the diff"),
    },
    Entry {
        path: "check",
        kind: Kind::Query,
        schema: "check_report",
        examples: &[
            "aos check",
            "aos check --recursive . --compact",
            "aos check --explain drift/modified",
        ],
        raw: Some("the diffs of all findings"),
    },
    Entry {
        path: "verify",
        kind: Kind::Query,
        schema: "verified_file",
        examples: &[
            "aos verify checksums.txt --bundle checksums.txt.sigstore.json --certificate-identity \
             https://github.com/acme/tool/.github/workflows/release.yml@refs/tags/v1.2.3 \
             --certificate-oidc-issuer https://token.actions.githubusercontent.com --compact",
            "aos verify tool.tar.gz --bundle tool.sigstore.json --key publisher.pub --compact",
        ],
        raw: None,
    },
    Entry {
        path: "verify-bundle",
        kind: Kind::Query,
        schema: "verified_file",
        examples: &[
            "aos verify-bundle --bundle tool.sigstore.json --certificate-identity me@example.com \
             --certificate-oidc-issuer https://accounts.google.com tool.tar.gz",
        ],
        raw: None,
    },
    Entry {
        path: "reference",
        kind: Kind::Query,
        schema: "reference",
        examples: &["aos reference --compact", "aos reference --fields commands.path,error_codes"],
        raw: None,
    },
    Entry {
        path: "context",
        kind: Kind::Query,
        schema: "context",
        examples: &["aos context --compact"],
        raw: None,
    },
    Entry {
        path: "doctor",
        kind: Kind::Query,
        schema: "doctor",
        examples: &["aos doctor --compact"],
        raw: None,
    },
    Entry {
        path: "changelog",
        kind: Kind::Query,
        schema: "changelog",
        examples: &["aos changelog --compact", "aos changelog --since 0.0.1 --compact"],
        raw: Some("CHANGELOG.md"),
    },
    Entry {
        path: "completions",
        kind: Kind::Query,
        schema: "completions",
        examples: &["aos completions bash --format raw"],
        raw: Some("the script"),
    },
];

/// Data of every schema, as `reference` publishes it.
pub const SCHEMAS: [Schema; 10] = [
    Schema {
        name: "created_project",
        fields: &[
            "status",
            "tool",
            "path",
            "template",
            "template_version",
            "preset",
            "spec_tag",
            "commands",
            "files",
            "git",
            "notes",
            "next",
            "advice",
            "preview",
            "confirm_token",
            "expires_at",
            "templates",
        ],
        untrusted_fields: &["preview"],
    },
    Schema {
        name: "synced_spec",
        fields: &[
            "status",
            "family",
            "previous_tag",
            "tag",
            "newer_tag",
            "source",
            "trust",
            "signer",
            "release_url",
            "changes",
            "notes",
            "preview",
            "confirm_token",
            "expires_at",
        ],
        untrusted_fields: &["preview"],
    },
    Schema {
        name: "generated_files",
        fields: &[
            "status",
            "tag",
            "trust",
            "files",
            "changes",
            "notes",
            "preview",
            "confirm_token",
            "expires_at",
        ],
        untrusted_fields: &["preview"],
    },
    Schema {
        name: "check_report",
        fields: &["summary", "projects", "rules"],
        untrusted_fields: &["projects"],
    },
    Schema {
        name: "verified_file",
        fields: &[
            "verified",
            "file",
            "digest",
            "kind",
            "predicate_type",
            "signer",
            "claims",
            "signed_at",
            "times",
            "log",
            "trust_root",
            "offline",
        ],
        untrusted_fields: &["predicate_type", "signer", "claims"],
    },
    Schema {
        name: "reference",
        fields: &[
            "tool",
            "version",
            "schema_version",
            "risk_tier",
            "release_readiness",
            "commands",
            "global_params",
            "schemas",
            "exit_codes",
            "error_codes",
            "environment",
        ],
        untrusted_fields: &[],
    },
    Schema {
        name: "context",
        fields: &["version", "env", "account", "config", "credentials", "project"],
        untrusted_fields: &["project"],
    },
    Schema { name: "doctor", fields: &["checks"], untrusted_fields: &["checks"] },
    Schema {
        name: "changelog",
        fields: &["current_version", "since", "entries"],
        untrusted_fields: &[],
    },
    Schema { name: "completions", fields: &["shell", "script"], untrusted_fields: &[] },
];

/// The entry of the command called `path`.
#[must_use]
pub fn find(path: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.path == path)
}

/// Fields of the command's data whose text comes from outside.
#[must_use]
pub fn untrusted_fields(entry: &Entry) -> &'static [&'static str] {
    SCHEMAS
        .iter()
        .find(|schema| schema.name == entry.schema)
        .map_or(&[], |schema| schema.untrusted_fields)
}

/// Fields that the data of a command may have.
#[must_use]
pub fn fields(entry: &Entry) -> &'static [&'static str] {
    SCHEMAS.iter().find(|schema| schema.name == entry.schema).map_or(&[], |schema| schema.fields)
}

/// One command as `reference` describes it.
#[must_use]
pub fn describe(entry: &Entry) -> Value {
    let cli = Cli::command();
    let command = cli.find_subcommand(entry.path);
    let about =
        command.and_then(clap::Command::get_about).map(ToString::to_string).unwrap_or_default();
    let parameters: Vec<_> = command.map(parameters).unwrap_or_default();
    let mut object = json!({
        "path": entry.path,
        "type": match entry.kind { Kind::Query => "query", Kind::Write => "write" },
        "description": about,
        "params": parameters,
        "output_schema": entry.schema,
        "examples": entry.examples,
    });
    if entry.kind == Kind::Write {
        object["confirm"] = "when_lossy".into();
    }
    if let Some(raw) = entry.raw {
        object["raw"] = raw.into();
    }
    object
}

/// Options that every command takes.
#[must_use]
pub fn global_parameters() -> Vec<Value> {
    Cli::command()
        .get_arguments()
        .filter(|argument| argument.is_global_set())
        .map(parameter)
        .collect()
}

fn parameters(command: &clap::Command) -> Vec<Value> {
    command
        .get_arguments()
        .filter(|argument| {
            !argument.is_global_set() && !matches!(argument.get_id().as_str(), "help" | "version")
        })
        .map(parameter)
        .collect()
}

fn parameter(argument: &clap::Arg) -> Value {
    let takes_value = argument.get_action().takes_values();
    let choices: Vec<_> = argument
        .get_possible_values()
        .iter()
        .filter(|_| takes_value)
        .map(|value| value.get_name().to_owned())
        .collect();
    let multiple = matches!(argument.get_action(), clap::ArgAction::Append);
    // A positional argument has the name that the help shows.
    let shown = argument.get_value_names().and_then(|names| names.first());
    let positional = || shown.map_or(argument.get_id().as_str(), |name| name).to_lowercase();
    let mut object = json!({
        "name": argument.get_long().map_or_else(positional, str::to_owned),
        "type": if takes_value { "string" } else { "boolean" },
        "required": argument.is_required_set(),
        "multiple": multiple,
        "positional": argument.is_positional(),
        "description": argument.get_help().map(ToString::to_string).unwrap_or_default(),
    });
    if let Some(short) = argument.get_short() {
        object["short"] = short.to_string().into();
    }
    if let Some(value) =
        argument.get_value_names().and_then(|names| names.first()).filter(|_| takes_value)
    {
        object["value"] = value.to_string().into();
    }
    if !choices.is_empty() {
        object["choices"] = choices.into();
    }
    if let Some(default) = argument.get_default_values().first().filter(|_| takes_value) {
        object["default"] = default.to_string_lossy().into();
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subcommand_is_registered_and_every_entry_is_a_subcommand() {
        let cli = Cli::command();
        let mut commands: Vec<_> =
            cli.get_subcommands().map(|command| command.get_name().to_owned()).collect();
        let mut entries: Vec<_> = ENTRIES.iter().map(|entry| entry.path.to_owned()).collect();
        commands.sort();
        entries.sort();
        assert_eq!(commands, entries);
    }

    #[test]
    fn every_entry_has_a_schema_an_example_and_a_description() {
        for entry in &ENTRIES {
            assert!(
                SCHEMAS
                    .iter()
                    .any(|schema| schema.name == entry.schema && !schema.fields.is_empty())
            );
            assert!(!entry.examples.is_empty());
            assert!(!describe(entry)["description"].as_str().unwrap().is_empty());
        }
    }

    #[test]
    fn untrusted_fields_are_fields() {
        for schema in &SCHEMAS {
            assert!(schema.untrusted_fields.iter().all(|field| schema.fields.contains(field)));
        }
    }
}
