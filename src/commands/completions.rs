//! `aos completions`: the completion script of a shell.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use serde_json::json;

use crate::cli::Cli;
use crate::report::{Failure, Outcome, Visible};

use super::Run;

/// Print the completion script for a shell
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  source <(aos completions bash --format raw)")]
pub struct CompletionsArgs {
    /// Shell for which to print the script
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Runs the command.
///
/// # Errors
/// Never; the signature is that of every command.
pub fn run(args: &CompletionsArgs, _run: &Run) -> Result<Outcome, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "aos", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    let data = json!({"shell": args.shell.to_string(), "script": script});
    let text = Visible::block(script.trim_end());
    Ok(Outcome::new(data, text).raw(Visible::block(&script)))
}
