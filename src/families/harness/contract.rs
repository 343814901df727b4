//! The `harness` contract: what every AOS connector shares (CONNECTOR-SPEC).

use indexmap::IndexMap;
use serde::Deserialize;

use crate::contract::document;
use crate::contract::document::ContractError;
use crate::contract::family::{Description, Family, Marker};
use crate::contract::json;
use crate::contract::name::{Constant, Flag, Key, SchemaVersion};
use crate::contract::tag::SpecTag;

/// AOS connectors, `aos-<name>`.
pub const FAMILY: Family = Family::of(&Description {
    name: "harness",
    spec_file: "CONNECTOR-SPEC.md",
    noun: "connector",
    marker: Marker::File("connector.json"),
    prefix: "aos-",
});

/// `contract.json` of the `harness` family.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HarnessContract {
    pub contract: Key,
    pub tag: String,
    /// Permission modes, lowest first.
    pub modes: Vec<Key>,
    pub default_mode: Key,
    /// Environment variable that sets the mode if no flag does.
    pub mode_env: Option<Constant>,
    pub global_flags: Vec<Flag>,
    pub global_flags_position: FlagPosition,
    pub required_commands: Vec<Key>,
    pub exit_codes: Vec<ExitCode>,
    pub error_codes: IndexMap<Constant, ConnectorCode>,
    pub envelope: ConnectorEnvelope,
    pub health: Health,
    pub permissions: PermissionShape,
    pub manifest: ConnectorShape,
    pub capabilities_keys: Vec<Key>,
    pub destructive_verbs: Vec<Key>,
    pub bulk_verbs: Vec<Key>,
    pub admin_mode: Key,
    pub bulk_mode: Key,
}

/// The positions in which a connector must accept the global flags.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum FlagPosition {
    After,
    Any,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExitCode {
    pub code: u8,
    pub name: Key,
    pub meaning: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectorCode {
    pub exit: u8,
    pub retryable: bool,
    /// Members that `details` must hold.
    pub details: Vec<Key>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectorEnvelope {
    pub schema_version: Option<SchemaVersion>,
    pub success_keys: Vec<Key>,
    pub error_keys: Vec<Key>,
    pub optional_keys: Vec<Key>,
    pub meta_keys: Vec<Key>,
    pub error_object_keys: Vec<Key>,
    pub optional_error_object_keys: Vec<Key>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Health {
    pub statuses: Vec<Key>,
    pub envelope_keys: Vec<Key>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PermissionShape {
    pub keys: Vec<Key>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectorShape {
    pub schema_version: SchemaVersion,
    pub required_keys: Vec<Key>,
    pub connector_keys: Vec<Key>,
    pub auth_keys: Vec<Key>,
    pub command_keys: Vec<Key>,
    pub optional_command_keys: Vec<Key>,
    pub auth_kinds: Vec<Key>,
    pub action_classes: Vec<Key>,
    pub side_effect_levels: Vec<Key>,
}

impl HarnessContract {
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
        if self.modes.first() != Some(&self.default_mode) {
            return Some("`default_mode` is not the lowest of `modes`".to_owned());
        }
        if self.mode_env.as_ref().is_some_and(|name| !name.as_str().starts_with("AOS_")) {
            return Some("`mode_env` does not begin with `AOS_`".to_owned());
        }
        for (name, mode) in [
            ("default_mode", &self.default_mode),
            ("admin_mode", &self.admin_mode),
            ("bulk_mode", &self.bulk_mode),
        ] {
            if !self.modes.contains(mode) {
                return Some(format!("`{name}` is `{mode}`, which is not one of `modes`"));
            }
        }
        for (index, exit) in self.exit_codes.iter().enumerate() {
            if self.exit_codes[..index]
                .iter()
                .any(|other| other.code == exit.code || other.name == exit.name)
            {
                return Some(format!("exit code {} (`{}`) is listed twice", exit.code, exit.name));
            }
        }
        for (code, spec) in &self.error_codes {
            if !self.exit_codes.iter().any(|exit| exit.code == spec.exit && exit.code != 0) {
                return Some(format!(
                    "error code `{code}` has exit {}, which is not in `exit_codes`",
                    spec.exit
                ));
            }
        }
        for (name, required) in
            [("success_keys", ["ok", "data", "meta"]), ("error_keys", ["ok", "error", "meta"])]
        {
            let keys = if name == "success_keys" {
                &self.envelope.success_keys
            } else {
                &self.envelope.error_keys
            };
            if let Some(missing) =
                required.iter().find(|key| !keys.iter().any(|found| found.as_str() == **key))
            {
                return Some(format!("`envelope.{name}` lacks `{missing}`"));
            }
        }
        None
    }
}

/// The keys of `permissions.json` that readers are known to use: the host and most connectors read the first, the
/// published text names the second.
const PERMISSION_KEYS: &[&str] = &["permissions", "commands"];
/// The variable that lets an operator grant a mode to callers that pass no `--mode`, such as the workflow runner.
const MODE_VARIABLE: &str = "AOS_MODE";
/// The members of a health envelope that the workflow form of the host reads at the top level.
const READINESS_KEYS: &[&str] = &[
    "status",
    "runtime_ready",
    "live_backend_available",
    "live_read_available",
    "write_bridge_available",
    "checks",
];

/// The requirements of the running host, regardless of the tag: if a tag states none, it forbids nothing, but a
/// connector that relied on that would stop working in the host.
impl HarnessContract {
    /// Keys of `permissions.json` that hold the map of command to mode.
    #[must_use]
    pub fn permission_keys(&self) -> Vec<String> {
        let own = self.permissions.keys.iter().map(Key::as_str);
        let mut keys: Vec<String> = PERMISSION_KEYS.iter().map(ToString::to_string).collect();
        keys.extend(own.filter(|key| !PERMISSION_KEYS.contains(key)).map(str::to_owned));
        keys
    }

    /// The environment variable that sets the mode if no flag does.
    #[must_use]
    pub fn mode_variable(&self) -> &str {
        self.mode_env.as_ref().map_or(MODE_VARIABLE, Constant::as_str)
    }

    /// Keys that only the envelope of `health` carries.
    #[must_use]
    pub fn readiness_keys(&self) -> Vec<Key> {
        if self.health.envelope_keys.is_empty() {
            return READINESS_KEYS.iter().filter_map(|key| Key::parse(key)).collect();
        }
        self.health.envelope_keys.clone()
    }
}

impl HarnessContract {
    /// The part of the contract that static rules read.
    #[must_use]
    pub fn facts(&self) -> super::rules::facts::HarnessFacts {
        let texts = |keys: &[Key]| keys.iter().map(ToString::to_string).collect();
        super::rules::facts::HarnessFacts {
            modes: texts(&self.modes),
            admin_mode: self.admin_mode.to_string(),
            bulk_mode: self.bulk_mode.to_string(),
            global_flags: self.global_flags.iter().map(ToString::to_string).collect(),
            required_commands: texts(&self.required_commands),
            destructive_verbs: texts(&self.destructive_verbs),
            bulk_verbs: texts(&self.bulk_verbs),
            permissions_keys: self.permission_keys(),
            manifest_schema_version: self.manifest.schema_version.to_string(),
            manifest_keys: texts(&self.manifest.required_keys),
            connector_keys: texts(&self.manifest.connector_keys),
            auth_keys: texts(&self.manifest.auth_keys),
            command_keys: texts(&self.manifest.command_keys),
            auth_kinds: texts(&self.manifest.auth_kinds),
            action_classes: texts(&self.manifest.action_classes),
            side_effect_levels: texts(&self.manifest.side_effect_levels),
        }
    }
}
