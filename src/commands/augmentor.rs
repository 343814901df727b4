//! `aos augmentor`: describes an augmentor, and calls its commands and agents.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::report::{Failure, Outcome};
use crate::workflows::augmentor::seam::{Callee, NamedAugmentor};
use crate::workflows::augmentor::{self, CallManner, input};

use super::Run;

/// Describe an augmentor, or call its commands and agents
#[derive(Args, Debug)]
#[command(
    disable_help_subcommand = true,
    after_help = "Examples:\n  aos augmentor describe .\n  aos augmentor run . search --args @args.json\n  \
                  aos augmentor run biddb search --args @args.json --stream\n  aos augmentor agent biddb pm --message hello\n\n\
                  The package runs in a separate process with your rights. The response says which of its permissions the system enforced."
)]
pub struct AugmentorArgs {
    #[command(subcommand)]
    pub action: AugmentorAction,
}

/// The actions on a package.
#[derive(Debug, Subcommand)]
pub enum AugmentorAction {
    /// Show the commands, agents and permissions of an augmentor
    Describe(DescribeArgs),
    /// Call a command of an augmentor
    Run(RunArgs),
    /// Send a message to an agent of an augmentor
    Agent(AgentArgs),
}

/// The package, and what runs it.
#[derive(Args, Debug)]
pub struct PackageOptions {
    /// Directory of an augmentor, or name of an installed pip or npm package
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::FilePath)]
    pub package: String,
    /// Runtime to use if the augmentor has several: python or node
    #[arg(long, value_name = "RUNTIME")]
    pub runtime: Option<String>,
    /// Python interpreter or virtual environment; the default is the active environment, `.venv` of the augmentor, or `python3`
    #[arg(long, value_name = "FILE")]
    pub python: Option<PathBuf>,
}

/// The options of a call.
#[derive(Args, Debug)]
pub struct CallOptions {
    /// Print each chunk as soon as it arrives: the output is NDJSON, and its last line is the envelope
    #[arg(long)]
    pub stream: bool,
    /// Time limit for the call, in seconds; the default is 60
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<u64>,
}

impl PackageOptions {
    fn named(&self) -> NamedAugmentor<'_> {
        NamedAugmentor {
            package: &self.package,
            runtime: self.runtime.as_deref(),
            python: self.python.as_deref(),
        }
    }
}

impl CallOptions {
    fn manner(&self) -> CallManner {
        CallManner { is_streamed: self.stream, seconds: self.timeout }
    }
}

/// Arguments of `describe`.
#[derive(Args, Debug)]
pub struct DescribeArgs {
    #[command(flatten)]
    pub package: PackageOptions,
}

/// Arguments of `run`.
#[derive(Args, Debug)]
pub struct RunArgs {
    #[command(flatten)]
    pub package: PackageOptions,
    /// Name of the command
    #[arg(value_name = "COMMAND")]
    pub command: String,
    /// Arguments as a JSON object, as `@FILE`, or as `-` for stdin
    #[arg(long, value_name = "JSON", default_value = "{}", value_hint = clap::ValueHint::FilePath)]
    pub args: String,
    #[command(flatten)]
    pub call: CallOptions,
}

/// Arguments of `agent`.
#[derive(Args, Debug)]
pub struct AgentArgs {
    #[command(flatten)]
    pub package: PackageOptions,
    /// Id of the agent
    #[arg(value_name = "AGENT")]
    pub agent: String,
    /// Message for the agent
    #[arg(long, value_name = "TEXT")]
    pub message: String,
    /// Earlier messages as a JSON list of `{"role", "content"}`, as `@FILE`, or as `-` for stdin
    #[arg(long, value_name = "JSON", value_hint = clap::ValueHint::FilePath)]
    pub history: Option<String>,
    #[command(flatten)]
    pub call: CallOptions,
}

impl AugmentorArgs {
    /// True if the answer is a stream of lines.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        match &self.action {
            AugmentorAction::Describe(_) => false,
            AugmentorAction::Run(args) => args.call.stream,
            AugmentorAction::Agent(args) => args.call.stream,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// Returns an error if the package does not exist, cannot be loaded, or returns no result.
pub fn run(args: &AugmentorArgs, run: &Run) -> Result<Outcome, Failure> {
    match &args.action {
        AugmentorAction::Describe(args) => augmentor::describe(&args.package.named()),
        AugmentorAction::Run(args) => {
            let given = input::object(&args.args, "--args")?;
            let callee = Callee::Command { name: &args.command, args: &given };
            augmentor::call(&args.package.named(), callee, args.call.manner(), run)
        }
        AugmentorAction::Agent(args) => {
            let history = args.history.as_deref().map(|text| input::list(text, "--history"));
            let history = history.transpose()?;
            let (id, message) = (args.agent.as_str(), args.message.as_str());
            let callee = Callee::Agent { id, message, history: history.as_ref() };
            augmentor::call(&args.package.named(), callee, args.call.manner(), run)
        }
    }
}
