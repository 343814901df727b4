//! The `augmentor` contract: what every package and every host shares (augmentor ABI).

use indexmap::IndexMap;
use regex::Regex;
use serde::Deserialize;
use serde_json::Value;

use crate::contract::Family;
use crate::contract::document::{self, ContractError};
use crate::contract::family::{Description, Marker};
use crate::contract::name::Key;
use crate::contract::{SpecTag, json};

/// The manifest of an augmentor.
pub const MANIFEST: &str = "augmentor.toml";

/// Packages of commands and agents that any host loads.
pub const FAMILY: Family = Family::of(&Description {
    name: "augmentor",
    spec_file: "AUGMENTOR-SPEC.md",
    noun: "augmentor",
    marker: Marker::File(MANIFEST),
    prefix: "",
});

/// Longest pattern; none of a contract is near it.
const MAX_PATTERN: usize = 1_000;

/// `contract.json` of the family. A list that is empty or a value that is null says that the tag leaves it open.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AugmentorContract {
    pub contract: Key,
    pub tag: String,
    pub abi: Abi,
    pub runtimes: Vec<Key>,
    pub caps: Vec<Key>,
    pub manifest: ManifestShape,
    pub permissions: PermissionNames,
    pub patterns: NamePatterns,
    pub entry: EntryShape,
    pub package: PackageShape,
    pub schema: Value,
    pub context: IndexMap<Key, IndexMap<String, MemberShape>>,
    pub history: Value,
    pub chunk: Value,
    pub hooks: Value,
    pub error: Errors,
    pub limits: IndexMap<Key, u64>,
    pub mcp: Mcp,
}

/// Versions of the interface.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Abi {
    pub versions: Vec<String>,
    pub default: Option<String>,
}

/// Members of `augmentor.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestShape {
    pub file: String,
    /// Table to severity of a member that the contract does not know.
    pub unknown_keys: IndexMap<Key, Level>,
    pub keys: IndexMap<Key, MemberShape>,
    pub entries_keys: IndexMap<Key, MemberShape>,
    pub permissions_keys: IndexMap<Key, MemberShape>,
    pub mcp_keys: IndexMap<Key, MemberShape>,
}

/// The severity of an unknown member.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Warning,
    Error,
}

/// One member of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemberShape {
    #[serde(rename = "type")]
    pub kind: Key,
    pub required: bool,
    /// Name of a pattern in `patterns`.
    pub pattern: Option<Key>,
    /// Name of a list that holds every allowed value.
    #[serde(rename = "enum")]
    pub allowed: Option<String>,
    /// The cap that the member comes with.
    pub cap: Option<Key>,
}

/// Values of permissions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PermissionNames {
    pub filesystem: Vec<Key>,
    pub network: Vec<Key>,
    pub defaults: Option<Value>,
}

/// Forms of names; a tag that leaves one open has none.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NamePatterns {
    pub package_name: Option<String>,
    pub version: Option<String>,
    /// By runtime.
    pub entry: IndexMap<Key, String>,
    pub command_name: Option<String>,
    pub agent_id: Option<String>,
    pub secret: Option<String>,
    pub tool_prefix: Option<String>,
    pub tool_name: Option<String>,
    pub error_code: Option<String>,
}

/// How an entry is found.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryShape {
    pub split: Option<Key>,
    pub suffixes: IndexMap<Key, Vec<String>>,
    pub source_roots: IndexMap<Key, Vec<String>>,
}

/// The shape of the package that a factory returns.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackageShape {
    pub keys: Vec<Key>,
    pub shutdown_places: Vec<Key>,
    pub command_keys: IndexMap<String, MemberShape>,
    pub agent_keys: IndexMap<String, MemberShape>,
    pub tool_keys: IndexMap<String, MemberShape>,
    pub cap_members: IndexMap<Key, Key>,
}

/// The shape of an error.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Errors {
    pub keys: Vec<Key>,
    pub codes: IndexMap<Key, AugmentorCode>,
}

/// A code of the host.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AugmentorCode {
    pub retryable: bool,
    pub meaning: String,
}

/// How commands become tools of MCP.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mcp {
    pub separator: Option<String>,
    pub projected: Vec<Key>,
    #[serde(rename = "override")]
    pub replaced: Option<Key>,
    pub result: Vec<Value>,
    pub error: Option<Value>,
    pub protocol_errors: Vec<Key>,
    pub stream: Option<String>,
}

impl AugmentorContract {
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

    /// Returns the allowed values of a member, if the contract limits them.
    #[must_use]
    pub fn allowed(&self, member: &MemberShape) -> Vec<&str> {
        fn keys(keys: &[Key]) -> Vec<&str> {
            keys.iter().map(Key::as_str).collect()
        }
        match member.allowed.as_deref() {
            Some("abi.versions") => self.abi.versions.iter().map(String::as_str).collect(),
            Some("runtimes") => keys(&self.runtimes),
            Some("caps") => keys(&self.caps),
            Some("permissions.filesystem") => keys(&self.permissions.filesystem),
            Some("permissions.network") => keys(&self.permissions.network),
            _ => Vec::new(),
        }
    }

    /// A limit of the contract, or `otherwise` where the tag sets none.
    #[must_use]
    pub fn limit(&self, name: &str, otherwise: u64) -> u64 {
        self.limits
            .iter()
            .find(|(key, _)| key.as_str() == name)
            .map_or(otherwise, |(_, most)| *most)
    }

    /// The form of a member; an entry has that of its runtime.
    #[must_use]
    pub fn pattern(&self, member: &MemberShape, runtime: &str) -> Option<Regex> {
        let patterns = &self.patterns;
        let text = match member.pattern.as_ref()?.as_str() {
            "package_name" => patterns.package_name.as_ref(),
            "version" => patterns.version.as_ref(),
            "entry" => patterns
                .entry
                .iter()
                .find_map(|(name, text)| (name.as_str() == runtime).then_some(text)),
            "secret" => patterns.secret.as_ref(),
            "tool_prefix" => patterns.tool_prefix.as_ref(),
            "command_name" => patterns.command_name.as_ref(),
            "agent_id" => patterns.agent_id.as_ref(),
            _ => None,
        };
        Regex::new(text?).ok()
    }

    fn fault(&self) -> Option<String> {
        let one = [
            &self.patterns.package_name,
            &self.patterns.version,
            &self.patterns.command_name,
            &self.patterns.agent_id,
            &self.patterns.secret,
            &self.patterns.tool_prefix,
            &self.patterns.tool_name,
            &self.patterns.error_code,
        ];
        let all = one.into_iter().flatten().chain(self.patterns.entry.values());
        for pattern in all {
            if pattern.len() > MAX_PATTERN || Regex::new(pattern).is_err() {
                return Some("`patterns` contains an invalid regular expression".to_owned());
            }
        }
        let members = self.package.cap_members.iter();
        let unknown = members.clone().map(|(cap, _)| cap).find(|cap| !self.caps.contains(cap));
        if let Some(cap) = unknown {
            return Some(format!(
                "`package.cap_members` names `{cap}`, which is not one of `caps`"
            ));
        }
        let unknown = members.map(|(_, key)| key).find(|key| !self.package.keys.contains(key));
        unknown.map(|key| {
            format!("`package.cap_members` names `{key}`, which is not one of `package.keys`")
        })
    }
}
