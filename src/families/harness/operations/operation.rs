//! One call of an API: what a command of a new connector is made from.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::{HttpMethod, Paging};
use crate::contract::name::Key;

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
    /// Headers that fields fill.
    #[serde(default)]
    pub headers: FieldWires,
    /// How values of several parts are written, by the wire name of a query or form, or by `{field}` of the path.
    #[serde(default)]
    pub styles: IndexMap<String, String>,
    /// Wire names of the body whose texts are numbers, or `true` and `false`.
    #[serde(default)]
    pub typed: Vec<String>,
    /// The media type of the body, when it is not JSON.
    #[serde(default)]
    pub content_type: String,
    /// The reply is text.
    #[serde(default)]
    pub text: bool,
    /// It is called without credentials.
    #[serde(default)]
    pub public: bool,
    /// The operationId in the description.
    #[serde(default)]
    pub x_operation_id: String,
    /// Its method and path in a description.
    #[serde(default)]
    pub x_request: String,
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
    /// The members of a list entry that are shown unless the caller asks for more: dotted paths.
    #[serde(default)]
    pub slim: Vec<String>,
    /// How the API is told which fields to send.
    pub select: Option<Select>,
    pub mode: Option<Key>,
    pub action_class: Option<Key>,
    pub each: Option<Key>,
    pub paging: Option<Paging>,
    /// Values with `{field}` inside, by their wire name: in the query of a GET, else in the body. One whose fields were
    /// not all given is left out.
    #[serde(default)]
    pub shapes: IndexMap<String, serde_json::Value>,
    /// The API's own words for the choices of a field, for `shapes`.
    #[serde(default)]
    pub words: IndexMap<Key, IndexMap<String, serde_json::Value>>,
    /// The entry of the reply that is the result.
    pub pick: Option<Pick>,
    /// A field that a list of the API finds by another one.
    pub look_up: Option<LookUp>,
    /// Values that this operation accepts, for fields whose own sample does not fit it.
    #[serde(default)]
    pub samples: IndexMap<Key, serde_json::Value>,
    /// A field that is the present time when it is not given.
    pub now: Option<Key>,
}

/// The result is the entry of a list that a field names.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pick {
    /// The path of the list in the reply.
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

/// A query value with the fields of an entry that the API is to send.
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

    /// True if the operation can only read.
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

    /// Returns the action class of the operation: `read`, `write` or `destructive`.
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
