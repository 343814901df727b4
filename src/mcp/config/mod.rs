//! The configuration of MCP clients, each in its own format. Secrets are named, never written.
//!
//! Pure: the server is given, and the text of a file comes out.

mod client;
mod render;

pub use client::{CLIENTS, McpClient};
pub use render::text;

/// A server to be configured.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ServerEntry {
    /// As the client calls it.
    pub name: String,
    pub command: String,
    pub arguments: Vec<String>,
    /// Names of variables that the client must pass on.
    pub secrets: Vec<String>,
}
