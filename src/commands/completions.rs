//! `aos completions`: the completion script of a shell.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use crate::cli::Cli;
use crate::report::answers::completions::CompletionScript;
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
    let (text, raw) = (Visible::block(script.trim_end()), Visible::block(&script));
    let data = CompletionScript { shell: args.shell.to_string(), script };
    Ok(Outcome::new(data, text).raw(raw))
}
