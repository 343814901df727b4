//! Operations of a REST API, as a preset describes them: what a new connector's commands are made from.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

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
    pub fields: Vec<PresetField>,
    pub operations: Vec<Operation>,
    /// Names of pickers by the command that fills them, where the usual name will not do.
    #[serde(default)]
    pub picker_names: IndexMap<Key, Key>,
    /// What the API can report by itself; the host lists them.
    #[serde(default)]
    pub events: Vec<Event>,
    #[serde(default)]
    pub refusals: Vec<PresetRefusal>,
    #[serde(default)]
    pub partials: Vec<PresetPartial>,
}

/// How the API says no, and what a connector must make of it: `[[harness.refusals]]` of its conform.toml.
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
pub struct Event {
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
    pub header: String,
    #[serde(default)]
    pub user_key: String,
    pub secret_key: String,
    /// Other variables that hold the same key, for operators who set them before.
    #[serde(default, serialize_with = "as_names")]
    pub other_names: IndexMap<Constant, Vec<Constant>>,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthScheme {
    Bearer,
    Header,
    Basic,
}

/// Where the API is and how it answers.
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
    /// How failures are told apart, the first rule that fits decides.
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
    /// How the API says that an answer is only a part.
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
    /// How many entries of one list the API gives at most; 0 is no known limit.
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

/// One call of the API.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    pub id: Key,
    pub summary: String,
    pub method: HttpMethod,
    pub path: String,
    #[serde(default)]
    pub query: FieldWires,
    #[serde(default)]
    pub body: FieldWires,
    #[serde(default)]
    pub constants: IndexMap<String, serde_json::Value>,
    #[serde(default)]
    pub required: Vec<Key>,
    #[serde(default)]
    pub result: String,
    #[serde(default)]
    pub list: bool,
    #[serde(default)]
    pub items: String,
    #[serde(default = "default_item_id")]
    pub item_id: String,
    #[serde(default)]
    pub item_name: String,
    /// The address of an entry that names none itself: `{base_url}` and dotted paths in braces are filled in.
    #[serde(default)]
    pub item_url: String,
    /// What an entry of a list shows unless the caller asks for more: dotted paths.
    #[serde(default)]
    pub slim: Vec<String>,
    /// How the API takes the fields that it shall send.
    pub select: Option<Select>,
    pub mode: Option<Key>,
    pub action_class: Option<Key>,
    pub each: Option<Key>,
    pub paging: Option<Paging>,
    /// Values with `{field}` inside, by their wire name: in the query of a GET, else in the body. One whose fields were
    /// not all given is left out.
    #[serde(default)]
    pub shapes: IndexMap<String, serde_json::Value>,
    /// What the API calls the choices of a field, for `shapes`.
    #[serde(default)]
    pub words: IndexMap<Key, IndexMap<String, serde_json::Value>>,
    /// The entry of the reply that is the result.
    pub pick: Option<Pick>,
    /// A field that a list of the API finds by another one.
    pub look_up: Option<LookUp>,
    /// A field that is the present time when it is not given.
    pub now: Option<Key>,
}

/// The result is the entry of a list that a field names.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pick {
    /// Where the list is in the reply.
    pub at: String,
    pub field: Key,
    /// Members of an entry that may have the value of the field.
    pub by: Vec<String>,
}

/// Before the request, a list of the API says which value of `into` belongs to the value of `from`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LookUp {
    pub into: Key,
    pub from: Key,
    pub path: String,
    pub at: String,
    /// Members of an entry that may have the value of `from`; none when there is only one entry.
    #[serde(default)]
    pub by: Vec<String>,
    /// The member of the entry that is the value.
    pub value: String,
    /// The operation also works without the field.
    #[serde(default)]
    pub is_optional: bool,
}

fn default_item_id() -> String {
    "id".to_owned()
}

/// A query value that says which fields of an entry the API shall send.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Select {
    /// Its wire name.
    pub name: String,
    /// The part of an entry that it is about, `fields.` for example; other members are always sent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub below: String,
    /// The value for everything.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub all: String,
}

/// Wire names and the fields that fill them: `["title"]` or `{ "fields.summary" = "summary" }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum FieldWires {
    Same(Vec<Key>),
    Named(IndexMap<String, Key>),
}

impl Default for FieldWires {
    fn default() -> Self {
        Self::Same(Vec::new())
    }
}

impl FieldWires {
    /// Pairs of wire name and field id.
    #[must_use]
    pub fn pairs(&self) -> Vec<(String, Key)> {
        match self {
            Self::Same(fields) => {
                fields.iter().map(|field| (field.to_string(), field.clone())).collect()
            }
            Self::Named(wires) => {
                wires.iter().map(|(wire, field)| (wire.clone(), field.clone())).collect()
            }
        }
    }
}

/// The fields that a text names in braces, `{each_item}` left out.
fn named_fields(text: &str) -> Vec<Key> {
    let mut fields = Vec::new();
    for part in text.split('{').skip(1) {
        let Some((name, _)) = part.split_once('}') else { continue };
        if let Some(field) = Key::parse(name).filter(|_| name != "each_item") {
            fields.push(field);
        }
    }
    fields
}

fn collect_fields(shape: &serde_json::Value, fields: &mut Vec<Key>) {
    match shape {
        serde_json::Value::String(text) => fields.extend(named_fields(text)),
        serde_json::Value::Array(items) => {
            items.iter().for_each(|item| collect_fields(item, fields));
        }
        serde_json::Value::Object(members) => {
            members.values().for_each(|member| collect_fields(member, fields));
        }
        _ => {}
    }
}

impl Operation {
    /// Field ids in the path, `{each_item}` left out.
    #[must_use]
    pub fn path_fields(&self) -> Vec<Key> {
        named_fields(&self.path)
    }

    /// Field ids inside `shapes`, in order.
    #[must_use]
    pub fn shape_fields(&self) -> Vec<Key> {
        let mut fields = Vec::new();
        for part in self.path.split('{').skip(1) {
            let Some((name, _)) = part.split_once('}') else { continue };
            let name = name.trim_start_matches('+');
            if let Some(field) = Key::parse(name).filter(|_| name != "each_item") {
                fields.push(field);
            }
        }
        self.shapes.values().for_each(|shape| collect_fields(shape, &mut fields));
        fields
    }

    /// Whether the operation can only read.
    #[must_use]
    pub fn is_read(&self) -> bool {
        match &self.action_class {
            Some(class) => class.as_str() == "read",
            None => matches!(self.method, HttpMethod::Get | HttpMethod::Head),
        }
    }

    /// The lowest mode that may run it.
    #[must_use]
    pub fn required_mode(&self) -> &str {
        match (&self.mode, self.method) {
            (Some(mode), _) => mode.as_str(),
            (None, HttpMethod::Delete) => "admin",
            (None, HttpMethod::Get | HttpMethod::Head) => "readonly",
            (None, _) if self.each.is_some() => "full",
            (None, _) => "write",
        }
    }

    /// What the operation does to the world: `read`, `write` or `destructive`.
    #[must_use]
    pub fn class(&self) -> &str {
        match (&self.action_class, self.method) {
            (Some(class), _) => class.as_str(),
            (None, HttpMethod::Get | HttpMethod::Head) => "read",
            (None, HttpMethod::Delete) => "destructive",
            (None, _) => "write",
        }
    }
}

fn as_names<S: serde::Serializer>(
    names: &IndexMap<Constant, Vec<Constant>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(names.iter().map(|(name, others)| {
        (name.as_str(), others.iter().map(Constant::as_str).collect::<Vec<_>>())
    }))
}

fn as_texts<S: serde::Serializer>(names: &[Constant], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(names.iter().map(Constant::as_str))
}

/// Parses the text of a preset.
///
/// # Errors
/// When it is malformed.
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
