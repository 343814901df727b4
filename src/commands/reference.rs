//! `aos reference`: the machine-readable description of this tool (agent-cli §11).

use clap::Args;
use serde_json::{Map, Value, json};

use crate::report::contract_gen::{EXIT_CODES, SCHEMA_VERSION};
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::{environment, program};
use crate::visible::{Visible, visible};

use super::{Run, registry};

/// Describe every command, schema and code for machines
#[derive(Args, Debug)]
pub struct ReferenceArgs {}

/// How ready this release is, for `reference` and `doctor`.
pub const READINESS_LEVEL: &str = "beta";

/// Runs the command.
///
/// # Errors
/// Never; the signature is that of every command.
pub fn run(_args: &ReferenceArgs, run: &Run) -> Result<Outcome, Failure> {
    let commands: Vec<_> = registry::ENTRIES.iter().map(registry::describe).collect();
    let lines = commands.iter().map(|command| {
        let path = command["path"].as_str().unwrap_or_default();
        let description = command["description"].as_str().unwrap_or_default();
        // Padded before it is painted: colour has no width.
        visible!("{} {}", run.style.strong(format!("{path:<12}")), description)
    });
    let text = Visible::joined(lines, "\n");
    let data = json!({
        "tool": "aos",
        "version": program::version(),
        "schema_version": SCHEMA_VERSION,
        "risk_tier": "T1",
        "release_readiness": readiness(),
        "commands": commands,
        "global_params": registry::global_parameters(),
        "schemas": schemas(),
        "exit_codes": exit_codes(),
        "error_codes": error_codes(),
        "environment": variables(),
    });
    let note = run.style.faint("Parameters, schemas and codes: aos reference --format json");
    Ok(Outcome::new(data, visible!("{}\n\n{}", text, note)))
}

fn readiness() -> Value {
    json!({
        "level": READINESS_LEVEL,
        "fcc_required": true,
        "fcc_status": "verified",
        "mock_upstream_required": false,
        "mock_upstream_status": "not_applicable",
        "live_smoke_required_for_stable": true,
        "live_smoke_status": "missing",
        "reason": "Stable needs a recorded run on a published release",
        "required_evidence": ["functional_contract_coverage", "recorded_live_smoke_for_stable"],
    })
}

fn schemas() -> Map<String, Value> {
    registry::SCHEMAS
        .iter()
        .map(|schema| {
            let value = json!({
                "shape": "object",
                "fields": schema.fields,
                "untrusted_fields": schema.untrusted_fields,
            });
            (schema.name.to_owned(), value)
        })
        .collect()
}

fn exit_codes() -> Map<String, Value> {
    let used = |exit: u8| exit == 0 || ErrorCode::ALL.iter().any(|code| code.exit() == exit);
    EXIT_CODES
        .iter()
        .filter(|(exit, _)| used(*exit))
        .map(|(exit, meaning)| (exit.to_string(), Value::from(*meaning)))
        .collect()
}

fn error_codes() -> Map<String, Value> {
    ErrorCode::ALL
        .iter()
        .map(|code| {
            let value = json!({
                "exit": code.exit(),
                "retryable": code.retryable(),
                "core": code.is_core(),
                // Every code has a command that answers with it.
                "reserved": false,
            });
            (code.as_str().to_owned(), value)
        })
        .collect()
}

fn variables() -> Vec<Value> {
    [
        (environment::AOS_FORMAT, "output format when no flag says otherwise: json, text or raw"),
        (
            environment::AOS_HOME,
            "directory of everything aos remembers: confirm secret, used tokens, verified contracts, updates, changed Skills that were replaced; default ~/.aos",
        ),
        (environment::AOS_OFFLINE, "any value: open no connection"),
        (
            environment::AOS_UPDATE_API_URL,
            "API of the host that releases come from, https, or http on loopback; default https://api.github.com",
        ),
        (
            environment::ARGENT_CONNECTOR_REPOS,
            "directories of connectors, separated by commas: where `discover` looks first, as ArgentOS does",
        ),
        (environment::GITHUB_TOKEN, "token for api.github.com, sent to nobody else; raises its rate limit"),
        (environment::NO_COLOR, "any value switches colour off"),
        (environment::VIRTUAL_ENV, "its Python runs augmentors, unless --python names another one"),
        (environment::GITHUB_ACTIONS, "check writes workflow annotations to stderr"),
    ]
    .iter()
    .map(|(name, meaning)| json!({"name": name, "meaning": meaning}))
    .collect()
}
