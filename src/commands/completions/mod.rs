//! `aos completions`: the completion script of a shell.

use clap::Args;
use clap_complete::Shell;

use crate::report::answers::completions::CompletionScript;
use crate::report::{ErrorCode, Failure, Outcome, Visible};

use super::Run;

pub mod shell;

/// Print the completion script for a shell
#[derive(Args, Debug)]
#[command(
    after_help = "The script asks aos for the values of options, such as templates, rules and tags, while you type.\n\n\
                  Example:\n  source <(aos completions bash --format raw)"
)]
pub struct CompletionsArgs {
    /// Shell for which to print the script
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if the completion library has no script for the shell.
pub fn run(args: &CompletionsArgs, _run: &Run) -> Result<Outcome, Failure> {
    let Some(script) = shell::script(&args.shell.to_string()) else {
        return Err(Failure::new(ErrorCode::Unknown, "aos has no script for this shell"));
    };
    let (text, raw) = (Visible::block(script.trim_end()), Visible::block(&script));
    let data = CompletionScript { shell: args.shell.to_string(), script };
    Ok(Outcome::new(data, text).raw(raw))
}
