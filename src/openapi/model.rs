//! The types of a description: endpoints with their inputs, bodies and replies.
//!
//! Only data. `reading` reads it, and `commands` uses it.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde_json::Value;

/// A description of an API.
#[derive(Clone, Debug)]
pub struct ApiDescription {
    pub title: String,
    pub summary: String,
    pub version: String,
    pub documentation: String,
    pub servers: Vec<ApiServer>,
    pub schemes: IndexMap<String, SecurityScheme>,
    pub endpoints: Vec<Endpoint>,
    /// Parts of the description that have no counterpart here, with their counts: webhooks, callbacks, links.
    pub unsupported: BTreeMap<&'static str, usize>,
    /// Files and addresses that were not read, with the reason.
    pub unread: BTreeMap<String, String>,
    /// Notes about the whole description.
    pub notes: Vec<String>,
}

/// The address of the API; variables are filled with their defaults.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ApiServer {
    pub url: String,
    pub variables: Vec<String>,
}

/// The way in which one kind of credentials is sent.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum SecurityScheme {
    Bearer,
    Basic,
    Header(String),
    Query(String),
    Cookie(String),
    /// OAuth or OpenID Connect: a token that the user obtained.
    ReadyToken,
    Other(String),
}

/// Names of schemes that are needed together, and the alternatives to them.
pub type Requirements = Vec<Vec<String>>;

/// One method at one path.
#[derive(Clone, Debug, Default)]
pub struct Endpoint {
    pub method: String,
    pub path: String,
    pub operation_id: String,
    pub summary: String,
    pub tags: Vec<String>,
    pub is_deprecated: bool,
    /// A mark of the author, `x-…`, says that it changes something.
    pub is_marked_unsafe: bool,
    pub inputs: Vec<ApiInput>,
    /// The media type of its body; empty without one.
    pub content_type: String,
    pub reply: ReplyForm,
    /// `None` where the whole description decides.
    pub security: Option<Requirements>,
    /// Its servers, if they are not those of the description.
    pub servers: Vec<ApiServer>,
    /// The credential that one of its parameters asks for.
    pub credential: Option<SecurityScheme>,
    /// Why no command can be made from it.
    pub obstacle: Option<String>,
    /// Notes about parts that were left out or changed.
    pub notes: Vec<String>,
}

impl Endpoint {
    /// `GET /pets/{id}`.
    #[must_use]
    pub fn request(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// Returns the path without its fragment, which only distinguishes operations.
    #[must_use]
    pub fn sent_path(&self) -> &str {
        sent(&self.path)
    }

    pub fn in_place(&self, place: InputPlace) -> impl Iterator<Item = &ApiInput> {
        self.inputs.iter().filter(move |input| input.place == place)
    }
}

/// Returns a path without its fragment.
pub(super) fn sent(path: &str) -> &str {
    path.split('#').next().unwrap_or_default()
}

/// The part of a request that has an input.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum InputPlace {
    Path,
    Query,
    Header,
    Body,
    /// The whole body is this input.
    WholeBody,
}

impl InputPlace {
    #[must_use]
    pub fn is_in_body(self) -> bool {
        matches!(self, Self::Body | Self::WholeBody)
    }

    /// The word behind a name that is taken in another place.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Body | Self::WholeBody => "body",
        }
    }
}

/// One input, by the name that the API has for it.
#[derive(Clone, Debug)]
pub struct ApiInput {
    pub name: String,
    pub place: InputPlace,
    pub kind: InputKind,
    pub is_required: bool,
    pub help: String,
    /// The style of a value of several parts; empty for the usual one.
    pub style: String,
    /// A value that fits the description, where the usual one would not.
    pub sample: Option<Value>,
    pub default: Option<Value>,
    /// The largest number that it may be.
    pub most: Option<i64>,
}

/// The kind of value that an input takes.
#[derive(Clone, Debug, PartialEq)]
pub enum InputKind {
    Text,
    LongText,
    Integer,
    Decimal,
    Flag,
    Choice(Vec<Value>),
    /// Entries that are texts, or whole numbers and the like.
    List {
        is_typed: bool,
    },
    Json,
    File,
}

/// The form of a success.
#[derive(Clone, Debug, Default)]
pub struct ReplyForm {
    pub kind: ReplyKind,
    pub list: Option<ListForm>,
    /// Members of the object, or of an entry of the list.
    pub members: Vec<String>,
    /// A made-up reply that fits; of a list one entry.
    pub sample: Value,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum ReplyKind {
    #[default]
    Json,
    /// 204, or no content at all.
    Empty,
    /// 202: it is done later.
    Accepted,
    Text,
    Binary,
    /// NDJSON or server-sent events.
    Stream,
}

/// The entries of a list and what is known about its pages.
#[derive(Clone, Debug, Default)]
pub struct ListForm {
    /// Dotted path; empty for a reply that is the list.
    pub items: String,
    pub item_id: String,
    pub item_name: String,
    /// Members of an entry that are shown without being asked for.
    pub slim: Vec<String>,
    pub paging: Option<ApiPaging>,
}

/// The paging of a list; the names of `[api.paging]` in docs/presets.md.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ApiPaging {
    pub style: &'static str,
    pub limit: String,
    pub max_limit: u32,
    pub position: String,
    pub next: String,
    pub more: String,
    pub total: String,
    pub empty_ends: bool,
    /// Size and position are members of the body, and not of the query.
    pub is_in_body: bool,
}
