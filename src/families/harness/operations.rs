//! A REST API, as a preset describes it; `operation` has its calls.

mod operation;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

pub use operation::{FieldWires, LookUp, Operation, Pick, Select};

pub use super::profile::{FailureKind, FailureRule, PartialSign};
use crate::contract::name::{Constant, Key};
use crate::inputs::embedded::{self, EmbeddedError};

/// One API: how to reach it, its inputs and its operations.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    pub label: String,
    pub summary: String,
    pub backend: String,
    pub category: String,
    pub categories: Vec<String>,
    pub documentation: String,
    pub auth: PresetAuth,
    pub api: Api,
    #[serde(default)]
    pub fields: Vec<PresetField>,
    pub operations: Vec<Operation>,
    /// Names of pickers by the command that fills them, where the usual name will not do.
    #[serde(default)]
    pub picker_names: IndexMap<Key, Key>,
    /// Events that the API can report itself; the host lists them.
    #[serde(default)]
    pub events: Vec<ConnectorEvent>,
    #[serde(default)]
    pub refusals: Vec<PresetRefusal>,
    #[serde(default)]
    pub partials: Vec<PresetPartial>,
}

/// A refusal of the API, and how a connector must report it: `[[harness.refusals]]` of its conform.toml.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PresetRefusal {
    /// `credentials`, `path`, `method`, `request`, `busy` or `other`.
    pub when: String,
    pub status: u16,
    #[serde(default)]
    pub headers: IndexMap<String, String>,
    #[serde(default)]
    pub body: String,
    pub code: String,
    #[serde(default)]
    pub says: String,
    /// The kind of failure that the connector must see in it.
    pub reason: Option<FailureKind>,
    pub retry_after: Option<u64>,
}

/// A successful reply to a command, and whether it is only a part: `[[harness.partials]]` of its conform.toml.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PresetPartial {
    /// Id of an operation.
    pub command: String,
    #[serde(default)]
    pub headers: IndexMap<String, String>,
    pub reply: String,
    /// The reason that the answer must have; none for a reply that is all of it.
    #[serde(default)]
    pub reason: String,
}

/// Something that happens behind the API, and the filters that a person may set.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectorEvent {
    pub id: String,
    pub resource: Key,
    pub summary: String,
    #[serde(default)]
    pub filters: Vec<PresetField>,
}

/// How a call is authenticated.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PresetAuth {
    pub kind: String,
    #[serde(serialize_with = "as_texts")]
    pub service_keys: Vec<Constant>,
    pub interactive_setup: Vec<String>,
    pub scheme: AuthScheme,
    #[serde(default)]
    pub header: String,
    #[serde(default)]
    pub user_key: String,
    #[serde(default)]
    pub secret_key: String,
    /// Other variables that hold the same key, for operators who set them before.
    #[serde(default, serialize_with = "as_names")]
    pub other_names: IndexMap<Constant, Vec<Constant>>,
    /// Further keys that every call sends as they are.
    #[serde(default)]
    pub more: Vec<FurtherKey>,
}

/// A key of an API that wants several at once: a header or a name in the query, and the variable with its value.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FurtherKey {
    #[serde(default)]
    pub header: String,
    #[serde(default)]
    pub query: String,
    #[serde(serialize_with = "as_text")]
    pub key: Constant,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthScheme {
    Bearer,
    Header,
    Basic,
    /// The key in the query, as `header` calls it.
    Query,
    /// No credentials at all.
    None,
}

/// The address of the API and its responses.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Api {
    #[serde(default)]
    pub base_url: String,
    /// Environment variable that holds the base URL, when each customer has a host of their own.
    #[serde(default)]
    pub base_url_key: String,
    #[serde(default)]
    pub url_override: String,
    #[serde(default)]
    pub headers: IndexMap<String, String>,
    pub error_style: ErrorStyle,
    pub health: HealthProbe,
    #[serde(default)]
    pub paging: Paging,
    /// How failures are classified; the first rule that matches decides.
    #[serde(default)]
    pub failures: Vec<FailureRule>,
    /// Where the API says how long to wait: `header:NAME` or a dotted path of the body, in this order.
    #[serde(default = "default_waits")]
    pub waits: Vec<String>,
    /// Seconds to wait after a rate limit when the API does not say.
    #[serde(default = "default_rate_wait")]
    pub rate_wait: u32,
    /// Where a failure has its message, before the usual places: dotted paths.
    #[serde(default)]
    pub messages: Vec<String>,
    /// The signs of an incomplete response.
    #[serde(default)]
    pub partial: Vec<PartialSign>,
}

fn default_waits() -> Vec<String> {
    ["retry-after", "x-ratelimit-reset", "ratelimit-reset"]
        .map(|name| format!("header:{name}"))
        .to_vec()
}

fn default_rate_wait() -> u32 {
    60
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorStyle {
    /// The HTTP status decides.
    Status,
    /// HTTP 200 with `{"ok": false, "error": "code"}`.
    OkField,
}

/// A cheap authenticated read.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct HealthProbe {
    pub method: HttpMethod,
    pub path: String,
    /// Paths to ask where the API does not have the first one.
    #[serde(default)]
    pub also: Vec<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum HttpMethod {
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
}

/// How list operations continue.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Paging {
    pub style: PagingStyle,
    pub limit: String,
    pub max_limit: u32,
    pub position: String,
    pub next: String,
    pub more: String,
    #[serde(rename = "in")]
    pub place: PagingPlace,
    /// An absent or empty cursor is the documented end of a list.
    pub empty_ends: bool,
    /// Where the API says that this page is the last one.
    pub last: String,
    /// Where the API says how many entries the whole list has.
    pub total: String,
    /// The most entries of one list that the API returns; 0 means no known limit.
    pub cap: u32,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PagingStyle {
    Page,
    Cursor,
    Offset,
    /// The API names the URL of the next page, in the Link header or in the body.
    Link,
    #[default]
    None,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PagingPlace {
    #[default]
    Query,
    Body,
}

/// One input.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PresetField {
    pub id: Key,
    pub label: String,
    #[serde(rename = "type")]
    pub kind: FieldType,
    pub help: String,
    pub placeholder: Option<String>,
    #[serde(default)]
    pub options: Vec<String>,
    pub default: Option<serde_json::Value>,
    pub picker: Option<Key>,
    /// Other options that mean the same field.
    #[serde(default)]
    pub aliases: Vec<Key>,
    /// The variable whose value counts when the field is not given.
    pub default_env: Option<Constant>,
    /// A value that the API takes, for the samples of conform.toml.
    pub sample: Option<serde_json::Value>,
    /// A file is read as bytes.
    #[serde(default)]
    pub binary: bool,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum FieldType {
    String,
    Richtext,
    Number,
    Boolean,
    Select,
    List,
    Json,
}

fn as_names<S: serde::Serializer>(
    names: &IndexMap<Constant, Vec<Constant>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(names.iter().map(|(name, others)| {
        (name.as_str(), others.iter().map(Constant::as_str).collect::<Vec<_>>())
    }))
}

fn as_text<S: serde::Serializer>(name: &Constant, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(name.as_str())
}

fn as_texts<S: serde::Serializer>(names: &[Constant], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(names.iter().map(Constant::as_str))
}

/// Parses the text of a preset.
///
/// # Errors
/// Returns an error if it is malformed.
pub fn parse_preset(name: &str, text: &str) -> Result<Preset, EmbeddedError> {
    embedded::toml(&format!("presets/{name}.toml"), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_of_a_connector_is_well_formed() {
        let name = "connector-python";
        for preset in embedded::preset_names(name).into_iter().chain([embedded::EXAMPLE_PRESET]) {
            let text = embedded::preset_text(name, preset).unwrap().replace("{NAME}", "ACME");
            parse_preset(preset, &text).unwrap();
        }
    }
}
