//! `aos mcp`: tools of any family for clients of the Model Context Protocol.

mod client;
mod list;
mod serve;
mod sources;

use std::path::PathBuf;

use crate::mcp::catalogue::Presentation;
use crate::mcp::mode::ToolMode;

pub use client::configuration;
pub use serve::serve;

/// The packages to serve, and their filter.
#[derive(Clone, Debug)]
pub struct ServeRequest {
    pub packages: Vec<String>,
    /// The highest mode that is offered.
    pub mode: ToolMode,
    /// Patterns of ids, names, tags and modes.
    pub tools: Vec<String>,
    pub presentation: Presentation,
    /// Names of variables that packages get in addition to those that they declare.
    pub environment: Vec<String>,
    /// Seconds that a call may take.
    pub timeout: u64,
    pub runtime: Option<String>,
    pub python: Option<PathBuf>,
    /// Whether it is only shown what would be served.
    pub is_list: bool,
}

/// The client to configure, and its server.
#[derive(Clone, Debug)]
pub struct ClientRequest {
    /// Without it, the clients are listed.
    pub client: Option<String>,
    pub packages: Vec<String>,
    pub name: Option<String>,
    pub mode: Option<ToolMode>,
    pub tools: Vec<String>,
}
