//! The command line: global options and the list of commands.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::commands::runtime::RuntimeAction;
use crate::commands::{self, add};

pub use crate::workflows::Format;
pub use crate::workflows::write_gate::WriteOptions;

/// Create tools for AI agents and check that they follow a published contract
#[derive(Debug, Parser)]
#[command(
    name = "aos",
    bin_name = "aos",
    version = crate::system::program::version(),
    disable_help_subcommand = true,
    arg_required_else_help = false,
    after_help = "`aos help COMMAND` is the same as `aos COMMAND --help`.\n\
                  Agents: run `aos reference` for the machine-readable description.\n\
                  Output is text on a terminal and JSON everywhere else; `--format` selects one."
)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// Options that every command takes.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Output format; the default is text on a terminal and json elsewhere
    #[arg(long, global = true, value_enum, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// Same as `--format json`
    #[arg(long, global = true, overrides_with = "json")]
    pub json: bool,
    /// Print only these fields of `data`; `a.b` selects a member of a field
    #[arg(long, global = true, value_name = "FIELDS", value_delimiter = ',')]
    pub fields: Vec<String>,
    /// Print JSON without white space
    #[arg(long, global = true, overrides_with = "compact")]
    pub compact: bool,
    /// Print no notes to stderr; errors are still shown
    #[arg(long, global = true, overrides_with = "quiet")]
    pub quiet: bool,
    /// Run as if started in this directory: all relative paths are relative to it
    #[arg(short = 'C', long = "directory", global = true, value_name = "DIR")]
    pub directory: Option<PathBuf>,
}

impl Command {
    /// The options of a command that writes.
    #[must_use]
    pub fn write_options(&self) -> Option<&WriteOptions> {
        match self {
            Self::New(args) => Some(&args.write),
            Self::SyncSpec(args) => Some(&args.write),
            Self::SyncApi(args) => Some(&args.write),
            Self::Migrate(args) => Some(&args.write),
            Self::Gen(args) => Some(&args.write),
            Self::Wire(args) => Some(&args.write),
            Self::Upgrade(args) => Some(&args.write),
            Self::Add(args) => match &args.action {
                Some(add::AddAction::Code(code)) => Some(&code.write),
                None => Some(&args.write),
            },
            Self::Template(args) => args.write_options(),
            Self::Rename(args) => Some(&args.write),
            Self::Remove(args) => Some(&args.write),
            Self::Runtime(args) => match args.action.as_ref()? {
                RuntimeAction::Own(part) | RuntimeAction::Return(part) => Some(&part.write),
            },
            _ => None,
        }
    }

    /// True if this call changes something, or shows what it would change.
    #[must_use]
    pub fn is_attempt(&self) -> bool {
        match self {
            Self::New(args) if args.list => false,
            Self::Gen(args) if args.check => false,
            Self::Update(args) => !args.check && !args.dry_run,
            Self::Mcp(args) => args.is_list(),
            _ => self.write_options().is_some(),
        }
    }

    /// True if the answer is a stream of lines, the last of which is the envelope.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        matches!(self, Self::Augmentor(args) if args.is_stream())
    }

    /// True if the answer is bounded, unless `--fields` selects members: the caller requested neither everything nor a
    /// list.
    #[must_use]
    pub fn is_brief(&self) -> bool {
        match self {
            Self::New(args) if args.list => false,
            Self::Check(args) => !args.diff && args.explain.is_none(),
            Self::Conform(args) => {
                let asks = args.list || args.explain.is_some() || args.recursive.is_some();
                !args.all && args.probe.is_empty() && !asks
            }
            // The response has one line for each project and is not shortened.
            Self::SyncSpec(args) if args.recursive.is_some() => false,
            Self::Upgrade(args) if args.recursive.is_some() => false,
            Self::Migrate(args) if args.recursive.is_some() => false,
            Self::Mcp(args) => args.is_list(),
            _ => self.write_options().is_some_and(|options| !options.diff),
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    New(commands::new::NewArgs),
    SyncSpec(commands::sync_spec::SyncSpecArgs),
    SyncApi(commands::sync_api::SyncApiArgs),
    Gen(commands::gen_files::GenArgs),
    Upgrade(commands::upgrade::UpgradeArgs),
    Migrate(commands::migrate::MigrateArgs),
    Check(commands::check::CheckArgs),
    Compare(commands::compare::CompareArgs),
    Runtime(commands::runtime::RuntimeArgs),
    Conform(commands::conform::ConformArgs),
    Add(commands::add::AddArgs),
    Rename(commands::rename::RenameArgs),
    Remove(commands::remove::RemoveArgs),
    Discover(commands::discover::DiscoverArgs),
    Template(commands::template::TemplateArgs),
    Wire(commands::wire::WireArgs),
    Augmentor(commands::augmentor::AugmentorArgs),
    Mcp(commands::mcp::McpArgs),
    Verify(commands::verify::VerifyArgs),
    /// Verify who signed a file, or who made an attestation about it
    VerifyBundle(commands::verify::VerifyArgs),
    Update(commands::update::UpdateArgs),
    Reference(commands::reference::ReferenceArgs),
    Context(commands::context::ContextArgs),
    Doctor(commands::doctor::DoctorArgs),
    Changelog(commands::changelog::ChangelogArgs),
    Completions(commands::completions::CompletionsArgs),
}
