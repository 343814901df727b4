//! The command that a call names: its function, and its path in `reference`.

use crate::cli::Command;
use crate::commands::runtime::RuntimeAction;
use crate::commands::{self, Run, add, augmentor, mcp, template};
use crate::report::{Failure, Outcome};

pub(super) fn run(command: &Command, run: &Run) -> Result<Outcome, Failure> {
    match command {
        Command::New(args) => commands::new::run(args, run),
        Command::SyncSpec(args) => commands::sync_spec::run(args, run),
        Command::Gen(args) => commands::gen_files::run(args, run),
        Command::Upgrade(args) => commands::upgrade::run(args, run),
        Command::SyncApi(args) => commands::sync_api::run(args, run),
        Command::Migrate(args) => commands::migrate::run(args, run),
        Command::Check(args) => commands::check::run(args, run),
        Command::Compare(args) => commands::compare::run(args, run),
        Command::Runtime(args) => commands::runtime::run(args, run),
        Command::Conform(args) => commands::conform::run(args, run),
        Command::Add(args) => commands::add::run(args, run),
        Command::Rename(args) => commands::rename::run(args, run),
        Command::Remove(args) => commands::remove::run(args, run),
        Command::Discover(args) => commands::discover::run(args, run),
        Command::Template(args) => commands::template::run(args, run),
        Command::Wire(args) => commands::wire::run(args, run),
        Command::Augmentor(args) => commands::augmentor::run(args, run),
        Command::Mcp(args) => commands::mcp::run(args, run),
        Command::Verify(args) => commands::verify::run(args, run),
        Command::VerifyBundle(args) => commands::verify::run_either(args, run),
        Command::Update(args) => commands::update::run(args, run),
        Command::Reference(args) => commands::reference::run(args, run),
        Command::Context(args) => commands::context::run(args, run),
        Command::Doctor(args) => commands::doctor::run(args, run),
        Command::Changelog(args) => commands::changelog::run(args, run),
        Command::Completions(args) => commands::completions::run(args, run),
    }
}

/// The words of the command.
pub(super) fn path(command: &Command) -> &'static str {
    match command {
        Command::New(_) => "new",
        Command::SyncSpec(_) => "sync-spec",
        Command::Gen(_) => "gen",
        Command::Upgrade(_) => "upgrade",
        Command::SyncApi(_) => "sync-api",
        Command::Migrate(_) => "migrate",
        Command::Check(_) => "check",
        Command::Compare(_) => "compare",
        Command::Runtime(args) => match args.action {
            None => "runtime",
            Some(RuntimeAction::Own(_)) => "runtime own",
            Some(RuntimeAction::Return(_)) => "runtime return",
        },
        Command::Conform(_) => "conform",
        Command::Add(args) => match args.action {
            None => "add",
            Some(add::AddAction::Code(_)) => "add code",
        },
        Command::Rename(_) => "rename",
        Command::Remove(_) => "remove",
        Command::Discover(_) => "discover",
        Command::Template(args) => match args.action {
            template::TemplateAction::Check(_) => "template check",
            template::TemplateAction::New(_) => "template new",
            template::TemplateAction::From(_) => "template from",
            template::TemplateAction::Import(_) => "template import",
        },
        Command::Wire(_) => "wire",
        Command::Augmentor(args) => match args.action {
            augmentor::AugmentorAction::Describe(_) => "augmentor describe",
            augmentor::AugmentorAction::Run(_) => "augmentor run",
            augmentor::AugmentorAction::Agent(_) => "augmentor agent",
        },
        Command::Mcp(args) => match args.action {
            mcp::McpAction::Serve(_) => "mcp serve",
            mcp::McpAction::Config(_) => "mcp config",
        },
        Command::Verify(_) => "verify",
        Command::VerifyBundle(_) => "verify-bundle",
        Command::Update(_) => "update",
        Command::Reference(_) => "reference",
        Command::Context(_) => "context",
        Command::Doctor(_) => "doctor",
        Command::Changelog(_) => "changelog",
        Command::Completions(_) => "completions",
    }
}
