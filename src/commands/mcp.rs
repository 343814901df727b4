//! `aos mcp`: tools of any family for clients of the Model Context Protocol.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::mcp::catalogue::Presentation;
use crate::mcp::mode::ToolMode;
use crate::report::{Failure, Outcome};
use crate::workflows::mcp::{self, ClientRequest, ServeRequest};

use super::Run;

/// Serve tools to MCP clients, or print the configuration for a client
#[derive(Args, Debug)]
#[command(
    disable_help_subcommand = true,
    after_help = "Examples:\n  aos mcp serve .\n  aos mcp serve ./biddb ./aos-github --allow-mode write\n  \
                  aos mcp serve ./aos-github --tools 'issue.*,!issue.delete' --list\n  \
                  aos mcp config claude-code ./biddb --format raw"
)]
pub struct McpArgs {
    #[command(subcommand)]
    pub action: McpAction,
}

impl McpArgs {
    /// True if the answer lists the tools of a server.
    #[must_use]
    pub fn is_list(&self) -> bool {
        matches!(self.action, McpAction::Serve(_))
    }
}

/// The subcommands of `aos mcp`.
#[derive(Debug, Subcommand)]
pub enum McpAction {
    /// Serve augmentors, connectors and CLIs on stdin and stdout until stdin ends
    Serve(ServeArgs),
    /// Print the configuration for a client, or list the clients
    Config(ConfigArgs),
}

/// The arguments of `aos mcp serve`.
#[derive(Args, Debug)]
pub struct ServeArgs {
    /// Directory of an augmentor, connector or CLI; name of an installed augmentor; or a program with a `reference` command
    #[arg(value_name = "PATH", required = true, value_hint = clap::ValueHint::FilePath)]
    pub packages: Vec<String>,
    /// Offer tools up to this mode
    #[arg(long, value_enum, value_name = "MODE", default_value_t = AllowedMode::Readonly)]
    pub allow_mode: AllowedMode,
    /// Offer only these tools: globs of ids or names, `tag:TAG`, `mode:MODE`; `!` excludes
    #[arg(long, value_name = "PATTERNS", value_delimiter = ',')]
    pub tools: Vec<String>,
    /// Offer every tool, or three tools that search for them; `auto` searches if there are more than 40
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Presented::Auto)]
    pub present: Presented,
    /// Pass this environment variable to packages, in addition to those that they declare
    #[arg(long, value_name = "NAME")]
    pub env: Vec<String>,
    /// Time limit for a call, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub timeout: u64,
    /// Runtime for augmentors that have several: python or node
    #[arg(long, value_name = "RUNTIME")]
    pub runtime: Option<String>,
    /// Python interpreter or virtual environment for augmentors
    #[arg(long, value_name = "FILE")]
    pub python: Option<PathBuf>,
    /// Show what would be served, and exit
    #[arg(long)]
    pub list: bool,
}

/// The arguments of `aos mcp config`.
#[derive(Args, Debug)]
pub struct ConfigArgs {
    /// Client; without it, the clients are listed
    #[arg(value_name = "CLIENT")]
    pub client: Option<String>,
    /// Packages to serve; the default is the current directory
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::FilePath)]
    pub packages: Vec<String>,
    /// Name of the server in the client; the default is the name of the package
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Offer tools up to this mode
    #[arg(long, value_enum, value_name = "MODE")]
    pub allow_mode: Option<AllowedMode>,
    /// Offer only these tools, in the form of `aos mcp serve --tools`
    #[arg(long, value_name = "PATTERNS", value_delimiter = ',')]
    pub tools: Vec<String>,
}

/// The highest mode that is offered.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum AllowedMode {
    /// Queries that change nothing
    Readonly,
    /// Create and update
    Write,
    /// All operations, including bulk operations
    Full,
    /// Also destructive operations and configuration
    Admin,
}

impl AllowedMode {
    #[must_use]
    pub fn mode(self) -> ToolMode {
        match self {
            Self::Readonly => ToolMode::Readonly,
            Self::Write => ToolMode::Write,
            Self::Full => ToolMode::Full,
            Self::Admin => ToolMode::Admin,
        }
    }
}

/// The presentation of tools.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum Presented {
    /// All tools, or search if there are more than 40
    Auto,
    /// All tools
    All,
    /// Three tools: search, describe and call
    Search,
}

impl Presented {
    fn presentation(self) -> Presentation {
        match self {
            Self::Auto => Presentation::Automatic,
            Self::All => Presentation::Every,
            Self::Search => Presentation::Search,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// Returns an error if a package cannot be opened, or the options contradict each other.
pub fn run(args: &McpArgs, run: &Run) -> Result<Outcome, Failure> {
    match &args.action {
        McpAction::Serve(args) => mcp::serve(
            &ServeRequest {
                packages: args.packages.clone(),
                mode: args.allow_mode.mode(),
                tools: args.tools.clone(),
                presentation: args.present.presentation(),
                environment: args.env.clone(),
                timeout: args.timeout,
                runtime: args.runtime.clone(),
                python: args.python.clone(),
                is_list: args.list,
            },
            run,
        ),
        McpAction::Config(args) => mcp::configuration(&ClientRequest {
            client: args.client.clone(),
            packages: args.packages.clone(),
            name: args.name.clone(),
            mode: args.allow_mode.map(AllowedMode::mode),
            tools: args.tools.clone(),
        }),
    }
}
