//! `aos reference`: the machine-readable description of this tool (agent-cli §11).

use clap::Args;
use indexmap::IndexMap;

use crate::contract::name::fits;
use crate::report::answers::ANSWERS;
use crate::report::answers::reference::{
    AnswerDescription, CodeDescription, ContractIdentity, Readiness, Reference, VariableDescription,
};
use crate::report::contract_gen::{self, EXIT_CODES, SCHEMA_VERSION};
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::{environment, program};
use crate::visible::{Visible, visible};

use super::Run;
use super::registry::{self, EntryKind};

/// Describe every command, schema and error code, for programs
#[derive(Args, Debug)]
pub struct ReferenceArgs {}

/// Runs the command.
///
/// # Errors
/// Never; the signature is that of every command.
pub fn run(_args: &ReferenceArgs, run: &Run) -> Result<Outcome, Failure> {
    let commands: Vec<_> = registry::ENTRIES.iter().map(registry::describe).collect();
    let lines = commands.iter().map(|command| {
        // The text is padded before it is coloured, because the codes of colours have no width.
        visible!("{} {}", run.style.strong(format!("{:<12}", command.path)), command.description)
    });
    let text = Visible::joined(lines, "\n");
    let data = Reference {
        tool: "aos",
        version: program::version(),
        schema_version: SCHEMA_VERSION,
        contract: ContractIdentity::own(),
        capabilities: capabilities(),
        risk_tier: "T1",
        release_readiness: readiness(),
        commands,
        global_flags: registry::global_parameters(),
        schemas: schemas(),
        exit_codes: exit_codes(),
        error_codes: error_codes(),
        environment: variables(),
    };
    let note = run.style.faint("Parameters, schemas and codes: aos reference --format json");
    Ok(Outcome::new(data, visible!("{}\n\n{}", text, note)))
}

fn readiness() -> Readiness {
    Readiness {
        level: registry::READINESS_LEVEL,
        fcc_required: true,
        fcc_status: "verified",
        mock_upstream_required: false,
        mock_upstream_status: "not_applicable",
        live_smoke_required_for_stable: true,
        live_smoke_status: "missing",
        reason: "Stable needs a recorded run on a published release",
        required_evidence: vec!["functional_contract_coverage", "recorded_live_smoke_for_stable"],
    }
}

fn schemas() -> IndexMap<&'static str, AnswerDescription> {
    let described = |types: IndexMap<String, String>, untrusted: &[&'static str]| {
        let fields = types.keys().filter(|name| !name.contains('.')).cloned().collect();
        // Types are texts, because a member called `expires_at` would have to be a time here too.
        let kinds = kinds(types.keys(), untrusted);
        let types = types.into_iter().map(|(name, word)| format!("{name}: {word}")).collect();
        AnswerDescription {
            shape: "object",
            fields,
            types,
            kinds,
            untrusted_fields: untrusted.to_vec(),
        }
    };
    let answers = ANSWERS.iter();
    answers
        .map(|answer| (answer.name, described(answer.types(), answer.untrusted_fields)))
        .collect()
}

/// The kinds that follow from the names in the contract, and those of outside text.
fn kinds<'a>(names: impl Iterator<Item = &'a String>, untrusted: &[&'static str]) -> Vec<String> {
    let is_one_of =
        |patterns: &[&str], name: &str| patterns.iter().any(|pattern| fits(pattern, name));
    let kind = |name: &str| {
        if untrusted.contains(&name) {
            Some("untrusted")
        } else if is_one_of(&contract_gen::ID_FIELD_NAMES, name) {
            Some("id")
        } else if is_one_of(&contract_gen::TIME_FIELD_NAMES, name) {
            Some("time")
        } else {
            None
        }
    };
    let own = names.filter(|name| !name.contains('.'));
    own.filter_map(|name| Some(format!("{name}: {}", kind(name)?))).collect()
}

/// Returns the capabilities of aos: it calls no API with its own credential; the rest follows from its commands.
fn capabilities() -> Vec<&'static str> {
    let has = |kind: EntryKind| registry::ENTRIES.iter().any(|entry| entry.kind == kind);
    let own = |capability: &&&str| match **capability {
        "writes" => has(EntryKind::Write),
        "update" => has(EntryKind::SelfUpdate),
        "human_action" => {
            ErrorCode::ALL.iter().any(|code| code.exit() == contract_gen::HUMAN_ACTION_EXIT)
        }
        _ => false,
    };
    contract_gen::CAPABILITIES.iter().filter(own).copied().collect()
}

fn exit_codes() -> IndexMap<String, &'static str> {
    let used = |exit: u8| exit == 0 || ErrorCode::ALL.iter().any(|code| code.exit() == exit);
    EXIT_CODES
        .iter()
        .filter(|(exit, _)| used(*exit))
        .map(|(exit, meaning)| (exit.to_string(), *meaning))
        .collect()
}

fn error_codes() -> IndexMap<&'static str, CodeDescription> {
    let described = |code: &ErrorCode| CodeDescription {
        exit: code.exit(),
        retryable: code.retryable(),
        core: code.is_core(),
        // Every code has a command that can return it.
        reserved: false,
    };
    ErrorCode::ALL.iter().map(|code| (code.as_str(), described(code))).collect()
}

fn variables() -> Vec<VariableDescription> {
    [
        (environment::AOS_FORMAT, "default output format: json, text or raw"),
        (
            environment::AOS_HOME,
            "state directory: confirm secret, used tokens, audit log, verified contracts, digests of projects, updates, replaced Skills; default ~/.aos",
        ),
        (environment::AOS_OFFLINE, "any value: aos opens no connection"),
        (
            environment::AOS_UPDATE_API_URL,
            "API of the release host, https, or http on loopback; default https://api.github.com",
        ),
        (
            environment::ARGENT_CONNECTOR_REPOS,
            "directories of connectors, separated by commas: where `discover` looks first, as ArgentOS does",
        ),
        (environment::GITHUB_TOKEN, "token for api.github.com only; raises its rate limit"),
        (environment::NO_COLOR, "any value disables colour"),
        (environment::VIRTUAL_ENV, "virtual environment whose Python runs augmentors, unless --python names another one"),
        (environment::GITHUB_ACTIONS, "set in GitHub Actions; check then writes workflow annotations to stderr"),
    ]
    .map(|(name, description)| VariableDescription { name, description })
    .into()
}
