//! `aos augmentor`: describes an augmentor, and calls its commands and agents.

mod input;
pub mod seam;
mod stream;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::Value;

use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::{isolation, keeper, temporary};

use super::Run;
use seam::{AugmentorRequest, AugmentorRunner, Callee, HOSTS, NamedAugmentor};

/// Longest time that `--timeout` may set, in seconds.
const MAX_SECONDS: u64 = 3_600;

/// Describe an augmentor, or call its commands and agents
#[derive(Args, Debug)]
#[command(
    disable_help_subcommand = true,
    after_help = "Examples:\n  aos augmentor describe .\n  aos augmentor run . search --args @args.json\n  \
                  aos augmentor run biddb search --args @args.json --stream\n  aos augmentor agent biddb pm --message hello\n\n\
                  The package runs in a separate process, which is not a sandbox. The response says which permissions were enforced."
)]
pub struct AugmentorArgs {
    #[command(subcommand)]
    pub action: AugmentorAction,
}

/// What to do with the package.
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
    #[arg(value_name = "PATH")]
    pub package: String,
    /// Runtime to use if the augmentor has several: python or node
    #[arg(long, value_name = "RUNTIME")]
    pub runtime: Option<String>,
    /// Python interpreter or virtual environment; the default is the active environment, `.venv` of the augmentor, or `python3`
    #[arg(long, value_name = "FILE")]
    pub python: Option<PathBuf>,
}

/// How a call is made.
#[derive(Args, Debug)]
pub struct CallOptions {
    /// Print each chunk as soon as it arrives: the output is NDJSON, and its last line is the envelope
    #[arg(long)]
    pub stream: bool,
    /// Time limit for the call, in seconds; the default is 60
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<u64>,
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
    #[arg(long, value_name = "JSON", default_value = "{}")]
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
    #[arg(long, value_name = "JSON")]
    pub history: Option<String>,
    #[command(flatten)]
    pub call: CallOptions,
}

impl AugmentorArgs {
    /// Whether the answer is a stream of lines.
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
/// When there is no such package, it cannot be loaded, or the call gives no result.
pub fn run(args: &AugmentorArgs, run: &Run) -> Result<Outcome, Failure> {
    match &args.action {
        AugmentorAction::Describe(args) => {
            let (host, named) = opened(&args.package)?;
            let network = contained(host, &named)?;
            let _keeper = keeper::start(network.is_ok()).ok();
            host.describe(&named, &network)
        }
        AugmentorAction::Run(args) => {
            let given = input::object(&args.args, "--args")?;
            let callee = Callee::Command { name: &args.command, args: &given };
            called(&args.package, callee, &args.call, run)
        }
        AugmentorAction::Agent(args) => {
            let history = args.history.as_deref().map(|text| input::list(text, "--history"));
            let history: Option<Value> = history.transpose()?;
            let (id, message) = (args.agent.as_str(), args.message.as_str());
            let callee = Callee::Agent { id, message, history: history.as_ref() };
            called(&args.package, callee, &args.call, run)
        }
    }
}

fn called(
    package: &PackageOptions,
    callee: Callee<'_>,
    options: &CallOptions,
    run: &Run,
) -> Result<Outcome, Failure> {
    let limit = match options.timeout {
        Some(seconds @ 1..=MAX_SECONDS) => Some(Duration::from_secs(seconds)),
        Some(_) => {
            let message = format!("`--timeout` must be from 1 to {MAX_SECONDS}");
            return Err(Failure::new(ErrorCode::Validation, message)
                .hint("use a number of seconds in that range, or omit the option"));
        }
        None => None,
    };
    let (host, named) = opened(package)?;
    let network = contained(host, &named)?;
    // From here on, whatever is started ends with aos.
    let _keeper = keeper::start(network.is_ok()).ok();
    let request =
        AugmentorRequest { callee, is_streamed: options.stream, limit, is_quiet: run.quiet };
    let mut stream = stream::ChunkStream::new(run.format);
    let mut sink = |chunk: &Value| options.stream && stream.write(chunk);
    host.call(&named, &network, &request, &mut sink)
}

fn opened(
    options: &PackageOptions,
) -> Result<(&'static dyn AugmentorRunner, NamedAugmentor<'_>), Failure> {
    temporary::sweep();
    let parts = HOSTS.entries();
    let host = parts.first().map(|(_, host)| *host);
    let named = NamedAugmentor {
        package: &options.package,
        runtime: options.runtime.as_deref(),
        python: options.python.as_deref(),
    };
    let host = host.ok_or_else(|| {
        Failure::new(ErrorCode::Unknown, "this build of aos has no host for augmentors")
            .hint("install a release")
    })?;
    Ok((host, named))
}

/// Cuts this process off from the network when the package declares none; before the first thread. The outer result is
/// about the package, the inner one about the network.
fn contained(
    host: &dyn AugmentorRunner,
    named: &NamedAugmentor<'_>,
) -> Result<Result<(), String>, Failure> {
    match host.needs_network(named)? {
        true => Ok(Err("the package declares that it uses the network".to_owned())),
        false => Ok(isolation::cut_off_network()),
    }
}
