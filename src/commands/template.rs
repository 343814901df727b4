//! `aos template`: templates of the user's own, checked, started, made of a repository, or imported.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::WriteOptions;
use crate::report::{Failure, Outcome};
use crate::workflows::template;

use super::Run;

/// Check, create, derive or import your own template
#[derive(Args, Debug)]
#[command(
    disable_help_subcommand = true,
    after_help = "Examples:\n  aos template new web\n  aos template check ./web\n  \
                  aos template from ./shop --to ./templates/web\n  \
                  aos template import ./cookiecutter-web --to ./templates/web\n  \
                  aos new shop --template ./web"
)]
pub struct TemplateArgs {
    #[command(subcommand)]
    pub action: TemplateAction,
}

/// The subcommands of `aos template`.
#[derive(Debug, Subcommand)]
pub enum TemplateAction {
    /// Report every fault of a template, and render each combination of choices
    Check(CheckTemplateArgs),
    /// Create a template with a question, a condition and two files
    New(NewTemplateArgs),
    /// Turn a repository into a template that renders back to the same files
    From(FromArgs),
    /// Import a cookiecutter or copier template, and list what was left out
    Import(ImportArgs),
}

/// The arguments of `aos template check`.
#[derive(Args, Debug)]
pub struct CheckTemplateArgs {
    /// Directory of the template
    #[arg(value_name = "DIR", default_value = ".")]
    pub path: PathBuf,
}

/// The arguments of `aos template new`.
#[derive(Args, Debug)]
pub struct NewTemplateArgs {
    /// Name of the template
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Parent directory of the template
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    #[command(flatten)]
    pub write: WriteOptions,
}

/// The arguments of `aos template from`.
#[derive(Args, Debug)]
pub struct FromArgs {
    /// Directory of the repository
    #[arg(value_name = "DIR")]
    pub repository: PathBuf,
    /// Directory for the template; it must not exist, or be empty
    #[arg(long, value_name = "DIR")]
    pub to: PathBuf,
    /// Name of the project in its files, which becomes the name of each new project; the default is that of DIR
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    #[command(flatten)]
    pub write: WriteOptions,
}

/// The arguments of `aos template import`.
#[derive(Args, Debug)]
pub struct ImportArgs {
    /// Directory with a cookiecutter.json, copier.yml or copier.yaml
    #[arg(value_name = "DIR")]
    pub source: PathBuf,
    /// Directory for the template; it must not exist, or be empty
    #[arg(long, value_name = "DIR")]
    pub to: PathBuf,
    #[command(flatten)]
    pub write: WriteOptions,
}

impl TemplateArgs {
    /// The options of a command that writes.
    #[must_use]
    pub fn write_options(&self) -> Option<&WriteOptions> {
        match &self.action {
            TemplateAction::Check(_) => None,
            TemplateAction::New(args) => Some(&args.write),
            TemplateAction::From(args) => Some(&args.write),
            TemplateAction::Import(args) => Some(&args.write),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// Returns an error if the template has a fault, or an input is wrong; nothing is written then.
pub fn run(args: &TemplateArgs, run: &Run) -> Result<Outcome, Failure> {
    match &args.action {
        TemplateAction::Check(args) => template::check(&args.path, run),
        TemplateAction::New(args) => template::start(&args.name, &args.dir, &args.write, run),
        TemplateAction::From(args) => {
            template::from(&args.repository, args.name.as_deref(), &args.to, &args.write, run)
        }
        TemplateAction::Import(args) => template::import(&args.source, &args.to, &args.write, run),
    }
}
