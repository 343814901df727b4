//! The `agent-cli` contract: what every agent-facing CLI shares (agent-cli §3.1).

use indexmap::IndexMap;
use serde::Deserialize;

use crate::visible::excerpt;

use crate::contract::document;
use crate::contract::document::ContractError;
use crate::contract::family::{Description, Family, Marker};
use crate::contract::json;
use crate::contract::name::{Constant, Key, SchemaVersion};
use crate::contract::tag::SpecTag;

use super::executable::{self, CommandRules, FieldRules, Requirement};

/// Stand-alone CLIs called by agents.
pub const FAMILY: Family = Family::of(&Description {
    name: "agent-cli",
    spec_file: "CLI-SPEC.md",
    noun: "tool",
    marker: Marker::Rest,
    prefix: "",
});

/// Longest code: above it gofmt would align generated tables differently from version to version.
pub const MAX_CODE: usize = 38;

/// The parts of `contract.json` of the `agent-cli` family that generated modules carry; the rest stays as data.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentCliContract {
    pub contract: Key,
    pub tag: String,
    pub contract_version: SchemaVersion,
    pub envelope: EnvelopeKeys,
    pub exit_codes: ExitCodes,
    pub error_codes: ErrorCodes,
    pub http_status: IndexMap<String, Constant>,
    pub extension: ExtensionRules,
    pub naming: Naming,
    /// Since v1.2.0, like every member with a default.
    #[serde(default)]
    pub commands: CommandRules,
    /// A capability to what it means.
    #[serde(default)]
    pub capabilities: IndexMap<Key, String>,
    #[serde(default)]
    pub fields: FieldRules,
    pub pagination: Pagination,
    pub batch: Batch,
    pub write: Write,
    pub notices: Notices,
    pub untrusted_key: Key,
    pub self_description: SelfDescription,
    /// The requirements of a tool, by the name of the probe that tests each.
    #[serde(default)]
    pub requirements: IndexMap<String, Requirement>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvelopeKeys {
    pub schema_version_value: SchemaVersion,
    pub success_keys: Vec<Key>,
    pub error_keys: Vec<Key>,
    pub error_object_keys: Vec<Key>,
    pub meta_required_keys: Vec<Key>,
    pub meta_optional_keys: Vec<Key>,
    pub stream_keys: Vec<Key>,
    pub stream_last_type: Key,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExitCodes {
    /// Exit code (decimal) to its meaning.
    pub table: IndexMap<String, String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorCodes {
    pub core: IndexMap<Constant, CodeSpec>,
}

/// The guarantees for one error code.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct CodeSpec {
    pub exit: u8,
    pub retryable: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtensionRules {
    pub file: String,
    pub code_pattern: String,
    pub human_action_exit: u8,
    pub human_action_codes: Vec<Constant>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Naming {
    pub convention: Key,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pagination {
    pub cursor_keys: Vec<Key>,
    pub offset_keys: Vec<Key>,
    pub offset_next_key: Key,
    pub truncated_key: Key,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    pub preview_keys: Vec<Key>,
    pub item_keys: Vec<Key>,
    pub item_error_keys: Vec<Key>,
    pub summary_keys: Vec<Key>,
    pub summary_optional_keys: Vec<Key>,
    pub total_of: Vec<Key>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Write {
    pub dry_run_keys: Vec<Key>,
    pub confirm_policies: Vec<Key>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Notices {
    pub types: Vec<Key>,
    pub severities: Vec<Key>,
    pub required_keys: Vec<Key>,
    pub optional_keys: Vec<Key>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfDescription {
    pub reference: IndexMap<Key, Vec<Key>>,
    pub context: IndexMap<Key, Vec<Key>>,
    pub doctor: IndexMap<Key, Vec<Key>>,
    pub changelog: IndexMap<Key, Vec<Key>>,
    pub update: IndexMap<Key, Vec<Key>>,
    /// Members of `error.details` of any command.
    #[serde(default)]
    pub failure: IndexMap<Key, Vec<Key>>,
}

impl SelfDescription {
    /// The members that a list of one command names; none when the tag has no such list.
    pub fn members<'a>(
        of: &'a IndexMap<Key, Vec<Key>>,
        list: &str,
    ) -> impl Iterator<Item = &'a str> + use<'a> {
        let found = of.iter().find(|(name, _)| name.as_str() == list);
        found.into_iter().flat_map(|(_, keys)| keys).map(Key::as_str)
    }
}

impl AgentCliContract {
    /// Parses and validates `contract.json`.
    ///
    /// # Errors
    /// Returns an error if it is not a complete contract of this family and tag.
    pub fn parse(bytes: &[u8], tag: &SpecTag) -> Result<Self, ContractError> {
        let contract: Self = json::parse_as(bytes)?;
        document::identify(FAMILY, tag, &contract.contract, &contract.tag)?;
        match contract.fault() {
            None => Ok(contract),
            Some(fault) => Err(ContractError::Inconsistent(fault)),
        }
    }

    fn fault(&self) -> Option<String> {
        for (code, spec) in &self.error_codes.core {
            if !code.as_str().starts_with("E_") {
                return Some(format!("core code `{code}` does not begin with `E_`"));
            }
            if code.as_str().len() > MAX_CODE {
                return Some(format!("core code `{code}` has more than {MAX_CODE} characters"));
            }
            if spec.exit == 0 || !self.exit_codes.table.contains_key(&spec.exit.to_string()) {
                return Some(format!(
                    "core code `{code}` has exit {}, which is not in `exit_codes.table`",
                    spec.exit
                ));
            }
        }
        for exit in self.exit_codes.table.keys() {
            if exit.parse::<u8>().map(|number| number.to_string()) != Ok(exit.clone()) {
                return Some(format!(
                    "`{}` in `exit_codes.table` is not an exit code",
                    excerpt(exit, 200)
                ));
            }
        }
        for (status, code) in &self.http_status {
            let known = status == "transport"
                || status == "5xx"
                || (status.len() == 3 && status.bytes().all(|digit| digit.is_ascii_digit()));
            if !known {
                return Some(format!(
                    "`{}` in `http_status` is not a status",
                    excerpt(status, 200)
                ));
            }
            if !self.error_codes.core.contains_key(code) {
                return Some(format!(
                    "`http_status.{status}` names `{code}`, which is not a core code"
                ));
            }
        }
        executable::fault(&self.capabilities, &self.fields, &self.requirements)
    }
}
