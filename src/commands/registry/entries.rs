//! Every leaf command: its effect, the schema of its data, and examples that run.

/// The effect of a command.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EntryKind {
    Query,
    /// Writes behind the gate of `--dry-run` and `--confirm`.
    Write,
    /// Replaces only the program itself; verified instead of confirmed (agent-cli §14).
    SelfUpdate,
}

/// One leaf command.
#[derive(Clone, Copy, Debug)]
pub struct LeafCommand {
    pub path: &'static str,
    pub kind: EntryKind,
    /// Name in the schema catalogue.
    pub schema: &'static str,
    pub examples: &'static [&'static str],
    /// Whether `--format raw` has a meaning, and which.
    pub raw: Option<&'static str>,
}

/// Every leaf command, in the order of the help.
pub const ENTRIES: &[LeafCommand] = &[
    LeafCommand {
        path: "new",
        kind: EntryKind::Write,
        schema: "created_project",
        examples: &[
            "aos new github",
            "aos new acme --set base_url=https://api.acme.example --no-git",
            "aos new acme --dry-run --compact",
            "aos new acme --confirm ct_TOKEN --compact",
            "aos new --list",
            "aos new acme --openapi acme.yaml --list --compact",
            "aos new acme --openapi acme.yaml --select pets --dry-run --compact",
        ],
        raw: Some("the diff of a dry run"),
    },
    LeafCommand {
        path: "sync-spec",
        kind: EntryKind::Write,
        schema: "synced_spec",
        examples: &[
            "aos sync-spec",
            "aos sync-spec --to latest --dry-run --compact",
            "aos sync-spec --to latest --confirm ct_TOKEN --compact",
        ],
        raw: Some("the diff"),
    },
    LeafCommand {
        path: "gen",
        kind: EntryKind::Write,
        schema: "generated_files",
        examples: &[
            "aos gen",
            "aos gen --check",
            "aos gen --dry-run --compact",
            "aos gen --confirm ct_TOKEN --compact",
        ],
        raw: Some("the diff"),
    },
    LeafCommand {
        path: "sync-api",
        kind: EntryKind::Write,
        schema: "upgraded_project",
        examples: &[
            "aos sync-api --openapi acme.yaml --dry-run --compact",
            "aos sync-api --openapi acme.yaml --confirm ct_TOKEN --compact",
        ],
        raw: Some("the diff"),
    },
    LeafCommand {
        path: "upgrade",
        kind: EntryKind::Write,
        schema: "upgraded_project",
        examples: &[
            "aos upgrade --dry-run --compact",
            "aos upgrade --confirm ct_TOKEN --compact",
            "aos upgrade --set license=Apache-2.0 --dry-run --compact",
            "aos upgrade --heal .gitignore --dry-run --compact",
            "aos upgrade --abort --compact",
        ],
        raw: Some("the diff"),
    },
    LeafCommand {
        path: "migrate",
        kind: EntryKind::Write,
        schema: "migrated_project",
        examples: &[
            "aos migrate --dry-run --compact",
            "aos migrate --confirm ct_TOKEN --compact",
            "aos migrate --only masks --proof none --dry-run --compact",
            "aos migrate --recursive . --dry-run --compact",
        ],
        raw: Some("the diff"),
    },
    LeafCommand {
        path: "check",
        kind: EntryKind::Query,
        schema: "check_report",
        examples: &[
            "aos check",
            "aos check --recursive . --compact",
            "aos check --explain drift/modified",
        ],
        raw: Some("the diffs of all findings"),
    },
    LeafCommand {
        path: "runtime",
        kind: EntryKind::Query,
        schema: "runtime",
        examples: &["aos runtime --compact"],
        raw: None,
    },
    LeafCommand {
        path: "runtime own",
        kind: EntryKind::Write,
        schema: "runtime_change",
        examples: &[
            "aos runtime own redact --dry-run --compact",
            "aos runtime own redact --confirm ct_TOKEN --compact",
        ],
        raw: Some("the diff"),
    },
    LeafCommand {
        path: "runtime return",
        kind: EntryKind::Write,
        schema: "runtime_change",
        examples: &[
            "aos runtime return redact --dry-run --compact",
            "aos runtime return redact --confirm ct_TOKEN --compact",
        ],
        raw: Some("the diff"),
    },
    LeafCommand {
        path: "template check",
        kind: EntryKind::Query,
        schema: "checked_template",
        examples: &["aos template check ./templates/web --compact"],
        raw: None,
    },
    LeafCommand {
        path: "template new",
        kind: EntryKind::Write,
        schema: "made_template",
        examples: &[
            "aos template new web --dry-run --compact",
            "aos template new web --dir templates --confirm ct_TOKEN --compact",
        ],
        raw: Some("the diff of a dry run"),
    },
    LeafCommand {
        path: "template from",
        kind: EntryKind::Write,
        schema: "made_template",
        examples: &[
            "aos template from ./shop --to ./templates/web --dry-run --compact",
            "aos template from ./shop --to ./templates/web --confirm ct_TOKEN --compact",
        ],
        raw: Some("the diff of a dry run"),
    },
    LeafCommand {
        path: "template import",
        kind: EntryKind::Write,
        schema: "made_template",
        examples: &[
            "aos template import ./cookiecutter-web --to ./templates/web --dry-run --compact",
            "aos template import ./copier-web --to ./templates/web --confirm ct_TOKEN --compact",
        ],
        raw: Some("the diff of a dry run"),
    },
    LeafCommand {
        path: "compare",
        kind: EntryKind::Query,
        schema: "comparison",
        examples: &[
            "aos compare ../old/aos-github . --compact",
            "aos compare old.json connector.json --fields lost,differences --compact",
        ],
        raw: None,
    },
    LeafCommand {
        path: "conform",
        kind: EntryKind::Query,
        schema: "conformance",
        examples: &[
            "aos conform --compact",
            "aos conform --probe harness.one-document --report junit=conform.xml --compact",
            "aos conform --list --family harness --compact",
        ],
        raw: None,
    },
    LeafCommand {
        path: "add",
        kind: EntryKind::Write,
        schema: "command_change",
        examples: &[
            "aos add item.publish --mode write --dry-run --compact",
            "aos add widget.create --input name --confirm ct_TOKEN --compact",
        ],
        raw: Some("the diff"),
    },
    LeafCommand {
        path: "add code",
        kind: EntryKind::Write,
        schema: "command_change",
        examples: &[
            "aos add code E_QUOTA --exit 7 --retryable --upstream quota_spent --dry-run --compact",
            "aos add code E_QUOTA --exit 7 --retryable --upstream quota_spent --confirm ct_TOKEN --compact",
        ],
        raw: Some("the diff"),
    },
    LeafCommand {
        path: "rename",
        kind: EntryKind::Write,
        schema: "command_change",
        examples: &[
            "aos rename item.get item.show --dry-run --compact",
            "aos rename item.get item.show --confirm ct_TOKEN --compact",
        ],
        raw: Some("the diff"),
    },
    LeafCommand {
        path: "remove",
        kind: EntryKind::Write,
        schema: "command_change",
        examples: &[
            "aos remove item.publish --dry-run --compact",
            "aos remove item.publish --confirm ct_TOKEN --compact",
        ],
        raw: Some("the diff"),
    },
    LeafCommand {
        path: "discover",
        kind: EntryKind::Query,
        schema: "discovery",
        examples: &[
            "aos discover --compact",
            "aos discover . --no-probe --compact",
            "aos discover --tool aos-github --compact",
        ],
        raw: None,
    },
    LeafCommand {
        path: "wire",
        kind: EntryKind::Write,
        schema: "wired_adapter",
        examples: &[
            "aos wire --ao ~/agent-orchestrator --dry-run --compact",
            "aos wire --ao ~/agent-orchestrator --confirm ct_TOKEN --compact",
            "aos wire --ao ~/agent-orchestrator --undo --dry-run --compact",
        ],
        raw: Some("the diff"),
    },
    LeafCommand {
        path: "augmentor describe",
        kind: EntryKind::Query,
        schema: "augmentor",
        examples: &["aos augmentor describe . --compact"],
        raw: None,
    },
    LeafCommand {
        path: "augmentor run",
        kind: EntryKind::Query,
        schema: "augmentor_result",
        examples: &[
            "aos augmentor run . outline --args @args.json --compact",
            "aos augmentor run biddb search --args @args.json --stream",
        ],
        raw: None,
    },
    LeafCommand {
        path: "augmentor agent",
        kind: EntryKind::Query,
        schema: "augmentor_result",
        examples: &["aos augmentor agent . pm --message hello --compact"],
        raw: None,
    },
    LeafCommand {
        path: "mcp serve",
        kind: EntryKind::Query,
        schema: "mcp_server",
        examples: &[
            "aos mcp serve . --list --compact",
            "aos mcp serve ./biddb ./aos-github --allow-mode write",
            "aos mcp serve ./aos-github --tools 'issue.*,!issue.delete'",
        ],
        raw: None,
    },
    LeafCommand {
        path: "mcp config",
        kind: EntryKind::Query,
        schema: "mcp_config",
        examples: &[
            "aos mcp config --compact",
            "aos mcp config claude-code ./biddb --compact",
            "aos mcp config codex . --allow-mode write --format raw",
        ],
        raw: Some("the text for the file of the client"),
    },
    LeafCommand {
        path: "verify",
        kind: EntryKind::Query,
        schema: "verified_file",
        examples: &[
            "aos verify checksums.txt --bundle checksums.txt.sigstore.json --certificate-identity \
             https://github.com/acme/tool/.github/workflows/release.yml@refs/tags/v1.2.3 \
             --certificate-oidc-issuer https://token.actions.githubusercontent.com --compact",
            "aos verify tool.tar.gz --bundle tool.sigstore.json --key publisher.pub --compact",
        ],
        raw: None,
    },
    LeafCommand {
        path: "verify-bundle",
        kind: EntryKind::Query,
        schema: "verified_file",
        examples: &[
            "aos verify-bundle --bundle tool.sigstore.json --certificate-identity me@example.com \
             --certificate-oidc-issuer https://accounts.google.com tool.tar.gz",
        ],
        raw: None,
    },
    LeafCommand {
        path: "update",
        kind: EntryKind::SelfUpdate,
        schema: "update",
        examples: &[
            "aos update --compact",
            "aos update --check --compact",
            "aos update --dry-run --compact",
            "aos update --target-version 0.1.0 --allow-downgrade --compact",
        ],
        raw: None,
    },
    LeafCommand {
        path: "reference",
        kind: EntryKind::Query,
        schema: "reference",
        examples: &["aos reference --compact", "aos reference --fields commands.path,error_codes"],
        raw: None,
    },
    LeafCommand {
        path: "context",
        kind: EntryKind::Query,
        schema: "context",
        examples: &["aos context --compact"],
        raw: None,
    },
    LeafCommand {
        path: "doctor",
        kind: EntryKind::Query,
        schema: "doctor",
        examples: &["aos doctor --compact"],
        raw: None,
    },
    LeafCommand {
        path: "changelog",
        kind: EntryKind::Query,
        schema: "changelog",
        examples: &["aos changelog --compact", "aos changelog --since 0.0.1 --compact"],
        raw: Some("CHANGELOG.md"),
    },
    LeafCommand {
        path: "completions",
        kind: EntryKind::Query,
        schema: "completions",
        examples: &["aos completions bash --format raw"],
        raw: Some("the script"),
    },
];
