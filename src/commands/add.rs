//! `aos add`: a command, or an error code, in all places of a project at once.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};

use crate::cli::WriteOptions;
use crate::report::{ErrorCode, Failure, Outcome};
use crate::workflows::add::blueprint::{self, Wish};
use crate::workflows::add::name::CommandName;
use crate::workflows::add::seam::{CommandMode, NewCode};
use crate::workflows::add::{self, Change, refused};

use crate::workflows::sync_api::{self, SyncApiRequest};

use super::Run;

/// Add a command to the project in this directory
#[derive(Args, Debug)]
#[command(
    disable_help_subcommand = true,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Without options, the verb determines mode, request and inputs. The new command is a first proposal \
                  that passes the tests of the project; change its request and replies to those of your API.\n\n\
                  Examples:\n  aos add item.publish --mode write\n  \
                  aos add widget.create --input name --input size?:number\n  \
                  aos add repo.stats --mode readonly\n  \
                  aos add --openapi acme.yaml --operation listPets\n  \
                  aos add code E_QUOTA --exit 7 --retryable --upstream quota_spent"
)]
pub struct AddArgs {
    #[command(subcommand)]
    pub action: Option<AddAction>,
    /// Resource and verb: `item publish` or `item.publish`
    #[arg(value_name = "NAME", required_unless_present = "openapi")]
    pub name: Option<String>,
    /// Description of the API from which the project was made; adds the command of `--operation`
    #[arg(long, value_name = "FILE", requires = "operation", conflicts_with_all = ["name", "mode", "summary", "request", "input"])]
    pub openapi: Option<PathBuf>,
    /// Operation of the description: its operationId, its id, or `METHOD /path`
    #[arg(long, value_name = "OPERATION", requires = "openapi")]
    pub operation: Option<String>,
    /// Lowest mode that may run the command
    #[arg(long, value_enum, value_name = "MODE")]
    pub mode: Option<ModeName>,
    /// One line of help
    #[arg(long, value_name = "TEXT")]
    pub summary: Option<String>,
    /// Request of the command: `POST /v1/items/{id}/publish`
    #[arg(long, value_name = "REQUEST")]
    pub request: Option<String>,
    /// Input of the command: NAME, NAME? or NAME:TYPE with text, number, boolean or list; can be repeated
    #[arg(long, value_name = "INPUT")]
    pub input: Vec<String>,
    #[command(flatten)]
    pub write: WriteOptions,
}

/// Things that can be added besides commands.
#[derive(Debug, Subcommand)]
pub enum AddAction {
    /// Add an error code to the tool: to the extension of the contract, client, test and Skill
    Code(CodeArgs),
}

/// An error code of a stand-alone CLI.
#[derive(Args, Debug)]
pub struct CodeArgs {
    /// Name of the code: `E_` and words in capital letters
    #[arg(value_name = "CODE")]
    pub code: String,
    /// Exit code
    #[arg(long, value_name = "NUMBER")]
    pub exit: u8,
    /// Mark the code as retryable: a retry can help
    #[arg(long)]
    pub retryable: bool,
    /// Error code of the API to which it corresponds; the default is the code in lower case
    #[arg(long, value_name = "NAME")]
    pub upstream: Option<String>,
    /// Advice for agents, for the Skill
    #[arg(long, value_name = "TEXT")]
    pub advice: Option<String>,
    #[command(flatten)]
    pub write: WriteOptions,
}

/// A mode, as the command line has it.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum ModeName {
    /// Reading
    Readonly,
    /// Creating and changing
    Write,
    /// Changing many objects at once
    Full,
    /// Irreversible changes
    Admin,
}

impl ModeName {
    fn mode(self) -> CommandMode {
        match self {
            Self::Readonly => CommandMode::Readonly,
            Self::Write => CommandMode::Write,
            Self::Full => CommandMode::Full,
            Self::Admin => CommandMode::Admin,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// Returns an error if the name is taken, a text is not in its form, a rule would be broken, or a token is needed.
pub fn run(args: &AddArgs, run: &Run) -> Result<Outcome, Failure> {
    if let Some(AddAction::Code(code)) = &args.action {
        let new = code_of(code)?;
        return add::run(Path::new("."), &Change::AddCode(&new), &code.write, run);
    }
    if let (Some(description), Some(operation)) = (&args.openapi, &args.operation) {
        let request = SyncApiRequest {
            path: PathBuf::from("."),
            description: description.clone(),
            operation: Some(operation.clone()),
            write: args.write.clone(),
        };
        return sync_api::run(&request, run);
    }
    let name = args.name.as_deref().unwrap_or_default();
    let name = CommandName::parse(name).map_err(|error| refused(&error.into()))?;
    let wish = Wish {
        mode: args.mode.map(ModeName::mode),
        summary: args.summary.as_deref(),
        request: args.request.as_deref(),
        inputs: &args.input,
    };
    let blueprint = blueprint::of(name, &wish).map_err(|error| refused(&error))?;
    add::run(Path::new("."), &Change::Add(blueprint), &args.write, run)
}

fn code_of(args: &CodeArgs) -> Result<NewCode, Failure> {
    let invalid = |message: &str, hint: &str| {
        Failure::new(ErrorCode::Validation, message.to_owned()).hint(hint.to_owned())
    };
    let is_code = args.code.strip_prefix("E_").is_some_and(|rest| {
        let fine = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        !rest.is_empty() && rest.len() <= 36 && rest.bytes().all(fine)
    });
    if !is_code {
        return Err(invalid("a code has the form E_[A-Z0-9_]+", "use a code such as `E_QUOTA`"));
    }
    let upstream = match &args.upstream {
        Some(name) => name.clone(),
        None => args.code.trim_start_matches("E_").to_lowercase(),
    };
    let is_plain = |symbol: char| symbol.is_ascii_alphanumeric() || "_.-".contains(symbol);
    if upstream.is_empty() || upstream.len() > 80 || !upstream.chars().all(is_plain) {
        return Err(invalid(
            "the code of the API must be letters, digits, dots, dashes",
            "correct `--upstream`",
        ));
    }
    let advice = args.advice.clone().unwrap_or_else(|| match args.retryable {
        true => "wait, then try again".to_owned(),
        false => "tell the user what `details.fix` says".to_owned(),
    });
    if advice.chars().any(|symbol| symbol.is_control() || symbol == '|') || advice.len() > 200 {
        return Err(invalid("the advice must be one line without `|`", "correct `--advice`"));
    }
    let (code, exit, retryable) = (args.code.clone(), args.exit, args.retryable);
    Ok(NewCode { code, exit, retryable, advice, upstream })
}
