//! The member `[harness]` of `conform.toml`: the facts of the API behind a connector, stated apart from its code.
//!
//! Only data; `check` refuses what types cannot, `upstream` answers by it, `requests` holds the connector against it.

mod check;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::conform::fixture::document::{self, FixtureFault};
use crate::conform::fixture::section::{Section, SectionReader};
use crate::conform::session::ToolCaller;
use crate::strict_json;

/// The facts of the API: its requests and its responses.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ApiFacts {
    /// The address of the API; empty if each customer has a separate address.
    #[serde(default)]
    pub base_url: String,
    /// Headers that every request must have, apart from the credentials.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    #[serde(default)]
    pub auth: ApiAuth,
    pub health: Exchange,
    #[serde(default)]
    pub commands: Vec<ProbedCommand>,
    #[serde(default)]
    pub refusals: Vec<StatedRefusal>,
    #[serde(default)]
    pub partials: Vec<StatedPartial>,
}

/// The location and the form of the credentials.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct ApiAuth {
    pub header: String,
    /// The name in the query, where the API takes its key there.
    pub query: String,
    /// `{NAME}` is the value of a variable; `{NAME:OTHER}` is the Base64 of both with a colon between them.
    pub value: String,
    /// Further keys that every request has.
    pub more: Vec<FurtherAuth>,
}

/// A key beside the credentials, in a header or in the query.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct FurtherAuth {
    pub header: String,
    pub query: String,
    pub value: String,
}

impl ApiAuth {
    /// Header, name in the query, and value of each key; of header and name, one is empty.
    pub fn keys(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        let first = (self.header.as_str(), self.query.as_str(), self.value.as_str());
        let more = self.more.iter();
        let more =
            more.map(|more| (more.header.as_str(), more.query.as_str(), more.value.as_str()));
        std::iter::once(first).chain(more)
    }

    /// The names in the query that hold keys.
    #[must_use]
    pub fn query_names(&self) -> Vec<&str> {
        self.keys().map(|(_, query, _)| query).filter(|query| !query.is_empty()).collect()
    }
}

/// A command with all its options, and the requests that it makes then.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ProbedCommand {
    pub id: String,
    #[serde(default)]
    pub arguments: Vec<String>,
    /// In this order; those of a list are its pages.
    pub requests: Vec<Exchange>,
    /// The member of `data` that holds the reply.
    #[serde(default)]
    pub result: String,
    /// Of a list: the ids and names of its entries, over all pages.
    pub ids: Option<Vec<String>>,
    pub names: Option<Vec<String>>,
}

/// A request of the connector and the reply of the API.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    pub method: String,
    /// Below `base_url`, percent-encoded.
    pub path: String,
    #[serde(default)]
    pub query: BTreeMap<String, QueryTexts>,
    /// JSON; empty for a request without one. The members of a form are texts or lists of texts.
    #[serde(default)]
    pub body: String,
    /// The media type of the body, when it is not JSON.
    #[serde(default)]
    pub content_type: String,
    /// Headers that the request must have.
    #[serde(default)]
    pub sends: BTreeMap<String, String>,
    /// It is made without credentials.
    #[serde(default)]
    pub public: bool,
    #[serde(default = "ok_status")]
    pub status: u16,
    /// Headers of the reply; `{base_url}` is the address of the API.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    #[serde(default)]
    pub reply: String,
}

/// One value, or several under the same name.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(untagged)]
pub enum QueryTexts {
    One(String),
    Many(Vec<String>),
}

impl QueryTexts {
    #[must_use]
    pub fn all(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Many(texts) => texts,
        }
    }
}

/// A refusal of the API, and how the connector must report it.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct StatedRefusal {
    pub when: When,
    pub status: u16,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    #[serde(default)]
    pub body: String,
    /// The error code of the contract.
    pub code: String,
    /// A text of the body that the error repeats.
    #[serde(default)]
    pub says: String,
    /// The word of `details.reason`; empty where any will do.
    #[serde(default)]
    pub reason: String,
    /// The seconds of `details.retry_after_s`.
    pub retry_after: Option<u64>,
}

/// A successful reply to a command, and whether the API says in it that it is only a part.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct StatedPartial {
    pub command: String,
    #[serde(default = "ok_status")]
    pub status: u16,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    pub reply: String,
    /// The word of `data.incomplete_reason`; empty for a reply that is all of it.
    #[serde(default)]
    pub reason: String,
}

/// The reason of a refusal.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// No credentials, or wrong ones.
    Credentials,
    /// There is nothing at that path.
    Path,
    /// The path does not take that method.
    Method,
    /// Query, body or headers are wrong.
    Request,
    /// Too many requests.
    Busy,
    /// Anything else.
    Other,
}

impl When {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Credentials => "credentials",
            Self::Path => "path",
            Self::Method => "method",
            Self::Request => "request",
            Self::Busy => "busy",
            Self::Other => "other",
        }
    }
}

fn ok_status() -> u16 {
    200
}

/// The facts of a run.
#[must_use]
pub fn of(session: &ToolCaller) -> Option<&ApiFacts> {
    session.fixture.as_ref()?.section()
}

/// Reads the table of the file.
pub struct HarnessSection;

impl SectionReader for HarnessSection {
    fn name(&self) -> &'static str {
        "harness"
    }

    fn read(&self, text: &str) -> Result<Option<Section>, FixtureFault> {
        let Some(facts) = document::table::<ApiFacts>(text, self.name())? else { return Ok(None) };
        facts.check().map_err(|(word, reason)| document::near(text, &word, &reason))?;
        let is_open = facts.auth.header.is_empty() && facts.auth.query.is_empty();
        let samples = facts.commands.iter().map(|it| (it.id.clone(), it.arguments.clone()));
        Ok(Some(Section {
            samples: samples.collect(),
            base_path: facts.base_path().to_owned(),
            has_replies: true,
            is_open,
            ..Section::of(facts)
        }))
    }
}

impl ApiFacts {
    /// The path of `base_url`, which is before every path.
    #[must_use]
    pub fn base_path(&self) -> &str {
        let rest = self.base_url.split_once("://").map_or("", |(_, rest)| rest);
        rest.find('/').map_or("", |at| rest[at..].trim_end_matches('/'))
    }

    /// Every request that the API knows.
    pub fn exchanges(&self) -> impl Iterator<Item = &Exchange> {
        self.commands.iter().flat_map(|command| &command.requests).chain([&self.health])
    }

    #[must_use]
    pub fn command(&self, id: &str) -> Option<&ProbedCommand> {
        self.commands.iter().find(|command| command.id == id)
    }

    /// The refusal with this reason, and its place in the list.
    #[must_use]
    pub fn refusal(&self, when: When) -> Option<&StatedRefusal> {
        self.refusals.iter().find(|refusal| refusal.when == when)
    }
}

impl Exchange {
    /// The media type of its body.
    #[must_use]
    pub fn media_type(&self) -> &str {
        if self.content_type.is_empty() { "application/json" } else { &self.content_type }
    }

    /// The body as data; `None` for a request without one.
    #[must_use]
    pub fn json(&self) -> Option<Value> {
        strict_json::read(&self.body).ok()
    }
}

/// The placeholders of a value: the texts between braces.
pub fn names_in(value: &str) -> Vec<&str> {
    value.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::ApiFacts;
    use crate::conform::fixture::Fixture;

    const GOOD: &str = r#"version = 1
[harness]
base_url = "https://api.example.com/v1"
auth = { header = "Authorization", value = "Bearer {KEY}" }
health = { method = "GET", path = "/me" }
[[harness.refusals]]
when = "credentials"
status = 401
code = "AUTH_ERROR"
[[harness.refusals]]
when = "path"
status = 404
code = "NOT_FOUND"
[[harness.refusals]]
when = "request"
status = 400
code = "INVALID_USAGE"
[[harness.commands]]
id = "item.list"
requests = [{ method = "GET", path = "/items" }]
"#;

    #[test]
    fn facts_are_read_and_a_fault_names_its_place() {
        let fixture = Fixture::parse(GOOD.as_bytes()).unwrap();
        let facts = fixture.section::<ApiFacts>().unwrap();
        assert_eq!(facts.base_path(), "/v1");
        for (from, to, wanted) in [
            (
                "https://",
                "http://",
                "line 3, column 13: `harness.base_url` must begin with https://",
            ),
            ("{KEY}", "KEY", "line 4, column 1: `harness.auth.value` names no variable"),
            ("\"/items\"", "\"items\"", "line 20, column 39: `items` must begin with `/`"),
            ("\"/items\"", "\"/i?a=b\"", "line 20, column 39: `/i?a=b` must begin with `/`"),
            (
                "\"request\"",
                "\"never\"",
                "`harness.refusals[2].when` is `never`; it may be `credentials`",
            ),
            (
                "\"request\"",
                "\"busy\"",
                "line 2, column 2: [harness] has no refusal with `when = \"request\"`",
            ),
            ("path = \"/me\"", "path = \"/items\", reply = \"1\"", "`GET /items` has two replies"),
            (
                "path = \"/items\"",
                "path = \"/items\", body = \"{\"",
                "the body of `GET /items` is not JSON",
            ),
            ("id = \"item.list\"", "id = \"item.list\"\nroute = 1", "unknown member `route`"),
            (
                "[[harness.commands]]",
                "[[harness.partials]]\ncommand = \"item.get\"\nreply = \"{}\"\n[[harness.commands]]",
                "a partial names `item.get`, which [harness] does not state",
            ),
            (
                "[[harness.commands]]",
                "[[routes]]\npath = \"/\"\n[[harness.commands]]",
                "[harness] has the requests of the commands",
            ),
        ] {
            let text = GOOD.replacen(from, to, 1);
            let (place, reason) = Fixture::parse(text.as_bytes()).unwrap_err();
            let said = format!("{place}: {reason}");
            assert!(said.contains(wanted), "{wanted}\n{said}");
        }
    }
}
