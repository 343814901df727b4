//! The facts of a published `harness` contract, in the few words that static rules read.
//!
//! Plain data; `harness` fills it from the parsed contract.

/// The facts of one published `harness` contract, as far as static rules need them.
///
/// An empty list means that the contract is silent, and the rule that reads it stays silent too.
#[derive(Clone, Debug, Default)]
pub struct HarnessFacts {
    /// Permission modes, lowest first.
    pub modes: Vec<String>,
    pub admin_mode: String,
    pub bulk_mode: String,
    /// `--json`, `--mode` …: no field may take their names.
    pub global_flags: Vec<String>,
    pub required_commands: Vec<String>,
    pub destructive_verbs: Vec<String>,
    pub bulk_verbs: Vec<String>,
    /// Keys of `permissions.json` that hold the map of command to mode.
    pub permissions_keys: Vec<String>,
    pub manifest_schema_version: String,
    pub manifest_keys: Vec<String>,
    pub connector_keys: Vec<String>,
    pub auth_keys: Vec<String>,
    pub command_keys: Vec<String>,
    pub auth_kinds: Vec<String>,
    pub action_classes: Vec<String>,
    pub side_effect_levels: Vec<String>,
}

impl HarnessFacts {
    /// Returns the rank of a mode; `None` if the contract does not know it.
    pub(super) fn rank(&self, mode: &str) -> Option<usize> {
        self.modes.iter().position(|known| known == mode)
    }

    pub(super) fn lowest_mode(&self) -> &str {
        self.modes.first().map_or("", String::as_str)
    }

    pub(super) fn requires_command(&self, id: &str) -> bool {
        self.required_commands.iter().any(|required| required == id)
    }
}
