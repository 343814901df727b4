//! `mcp_server` and `mcp_config`: the answers of `aos mcp`.

use schemars::JsonSchema;
use serde::Serialize;

/// The tools that a server offers.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ServedTools {
    pub packages: Vec<ServedPackage>,
    pub tools: Vec<ServedTool>,
    pub withheld: Vec<WithheldTools>,
    /// `all` or `search`.
    pub presented: &'static str,
}

/// A package of a server.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ServedPackage {
    pub name: String,
    pub version: String,
    pub family: &'static str,
    pub place: String,
    pub missing_secrets: Vec<String>,
    pub notes: Vec<String>,
}

/// A tool of a server.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ServedTool {
    pub name: String,
    pub package: String,
    pub id: String,
    pub mode: &'static str,
    pub tags: Vec<String>,
    pub description: String,
}

/// Tools of a mode that is not allowed.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct WithheldTools {
    pub mode: &'static str,
    pub count: usize,
}

/// The configuration of a client, or the list of clients.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum McpConfigAnswer {
    Configuration(ClientConfiguration),
    Clients(ClientList),
}

/// The configuration of a client.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ClientConfiguration {
    pub client: &'static str,
    pub files: Vec<&'static str>,
    pub server: String,
    pub content: String,
    pub secrets: Vec<String>,
    pub advice: Option<String>,
}

/// The supported clients.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ClientList {
    pub clients: Vec<KnownClient>,
}

/// A client.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct KnownClient {
    pub id: &'static str,
    pub title: &'static str,
    pub files: Vec<&'static str>,
}
