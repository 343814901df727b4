//! `reference`: the answer of `aos reference` (agent-cli §11).

use std::collections::BTreeMap;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;

use crate::plan::digest::Digest;
use crate::report::contract_gen;

/// The description of this program for machines.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Reference {
    pub tool: &'static str,
    pub version: &'static str,
    pub schema_version: &'static str,
    pub contract: ContractIdentity,
    /// The capabilities of aos, in the words of the contract.
    pub capabilities: Vec<&'static str>,
    pub risk_tier: &'static str,
    pub release_readiness: Readiness,
    pub commands: Vec<CommandDescription>,
    pub global_flags: Vec<ParameterDescription>,
    #[schemars(with = "BTreeMap<String, AnswerDescription>")]
    pub schemas: IndexMap<&'static str, AnswerDescription>,
    #[schemars(with = "BTreeMap<String, String>")]
    pub exit_codes: IndexMap<String, &'static str>,
    #[schemars(with = "BTreeMap<String, CodeDescription>")]
    pub error_codes: IndexMap<&'static str, CodeDescription>,
    pub environment: Vec<VariableDescription>,
}

/// The contract that this program was built from (agent-cli §3.1).
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ContractIdentity {
    pub tag: &'static str,
    /// SHA-256 of the text of the contract module, as `sha256:` and 64 hexadecimal digits.
    pub digest: String,
}

impl ContractIdentity {
    /// Of aos itself.
    #[must_use]
    pub fn own() -> Self {
        let text = contract_gen::contract_text();
        Self { tag: contract_gen::SPEC_TAG, digest: Digest::of(text.as_bytes()).to_string() }
    }
}

/// `--version` or `--help` for a program.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ProgramText {
    pub tool: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "&'static str")]
    pub version: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub help: Option<String>,
}

/// The readiness of this release.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Readiness {
    pub level: &'static str,
    pub fcc_required: bool,
    pub fcc_status: &'static str,
    pub mock_upstream_required: bool,
    pub mock_upstream_status: &'static str,
    pub live_smoke_required_for_stable: bool,
    pub live_smoke_status: &'static str,
    pub reason: &'static str,
    pub required_evidence: Vec<&'static str>,
}

/// A leaf command.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CommandDescription {
    pub path: &'static str,
    /// `query` or `write`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub description: String,
    pub params: Vec<ParameterDescription>,
    /// The name of its data in `schemas`.
    pub output_schema: &'static str,
    pub examples: Vec<&'static str>,
    /// `when_lossy` or `exempt`; only for commands that write.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "&'static str")]
    pub confirm: Option<&'static str>,
    /// The content of `--format raw`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "&'static str")]
    pub raw: Option<&'static str>,
}

/// An option or an argument.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ParameterDescription {
    pub name: String,
    /// `string` or `boolean`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub required: bool,
    pub multiple: bool,
    pub positional: bool,
    pub description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub short: Option<String>,
    /// The name of its value in the help.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub placeholder: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub default: Option<String>,
}

/// The data of a command.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct AnswerDescription {
    /// Always `object`.
    pub shape: &'static str,
    pub fields: Vec<String>,
    /// `name: type` of each field and of the fields inside it, with their names for `--fields`. `?` at the end of a type
    /// means that the field can be absent.
    pub types: Vec<String>,
    /// `name: kind` of each field that has a kind of the contract.
    pub kinds: Vec<String>,
    /// Fields with text from outside.
    pub untrusted_fields: Vec<&'static str>,
}

/// An error code.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CodeDescription {
    pub exit: u8,
    pub retryable: bool,
    /// Whether the contract defines it.
    pub core: bool,
    /// Whether no command returns it.
    pub reserved: bool,
}

/// An environment variable.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct VariableDescription {
    pub name: &'static str,
    pub description: &'static str,
}
