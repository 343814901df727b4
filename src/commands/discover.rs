//! `aos discover`: the connectors that a host sees on this machine, and the steps that make each one ready.

use std::path::PathBuf;

use clap::Args;

use crate::report::{ErrorCode, Failure, Outcome};
use crate::workflows::discover::{self, DiscoverRequest};

use super::Run;

/// List the connectors that ArgentOS sees on this machine
#[derive(Args, Debug)]
#[command(
    after_help = "Without ROOT, aos searches the directories of the host and PATH; with ROOT, only these directories. \
                  It runs each program twice, with `--json capabilities` and `--json health`, as the host does.\n\n\
                  Examples:\n  aos discover                      what the host sees\n  \
                  aos discover . --no-probe         the connectors below this directory; nothing is run\n  \
                  aos discover --tool aos-github    one connector, with every detail"
)]
pub struct DiscoverArgs {
    /// Directories of connectors to search instead of those of the host, or one connector
    #[arg(value_name = "ROOT")]
    pub roots: Vec<PathBuf>,
    /// Run no program; connectors with a program are `not-probed`
    #[arg(long)]
    pub no_probe: bool,
    /// Show only this connector, with every detail; can be repeated
    #[arg(long, value_name = "NAME")]
    pub tool: Vec<String>,
    /// Show every detail of every connector
    #[arg(long)]
    pub details: bool,
    /// Checkout or installation of ArgentOS; its tools/aos is one of the directories
    #[arg(long, value_name = "DIR", conflicts_with = "roots")]
    pub host: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if a directory or a connector that was named is not there.
pub fn run(args: &DiscoverArgs, run: &Run) -> Result<Outcome, Failure> {
    let found = discover::run(&DiscoverRequest {
        roots: &args.roots,
        installation: args.host.as_deref(),
        only: &args.tool,
        probe: !args.no_probe,
        details: args.details,
    })?;
    let text = found.text(run.style);
    let data = serde_json::to_value(&found)
        .map_err(|error| Failure::new(ErrorCode::Unknown, error.to_string()))?;
    Ok(Outcome::new(data, text))
}
