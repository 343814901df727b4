//! `aos new`: a complete project from a template.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use crate::cli::{Format, WriteOptions};
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::prompt;
use crate::workflows::asked::trust_root;
use crate::workflows::new::{self, NewRequest, OpenapiRequest};

use super::Run;

const DEFAULT_TEMPLATE: &str = "connector-python";

/// The selection from a description
#[derive(Args, Clone, Debug)]
pub struct OpenapiOptions {
    /// API description from which the commands are made: OpenAPI 3.0 to 3.2 or Swagger 2.0, as JSON or YAML
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
    pub openapi: Option<PathBuf>,
    /// Select these operations: a tag, a path, an operationId or an id, with `*`; `GET` or `GET /path*`; `!` excludes;
    /// can be repeated
    #[arg(long, value_name = "PATTERN", requires = "openapi", allow_hyphen_values = true)]
    pub select: Vec<String>,
    /// Also select deprecated operations
    #[arg(long, requires = "openapi")]
    pub include_deprecated: bool,
    /// Set the mode of a command; can be repeated
    #[arg(long, value_name = "ID=MODE", requires = "openapi")]
    pub mode: Vec<String>,
    /// Give a command another id; can be repeated
    #[arg(long, value_name = "ID=ID", requires = "openapi")]
    pub rename: Vec<String>,
}

impl OpenapiOptions {
    /// The request, when a description is named.
    #[must_use]
    pub fn request(&self) -> Option<OpenapiRequest> {
        Some(OpenapiRequest {
            file: self.openapi.clone()?,
            select: self.select.clone(),
            include_deprecated: self.include_deprecated,
            modes: self.mode.clone(),
            renames: self.rename.clone(),
        })
    }
}

/// Create a project from a template
#[derive(Args, Debug)]
#[command(
    after_help = "The project is created in DIR/NAME. If that directory exists, its files are kept: replacing one needs \
                  `--confirm`, lines are added to .gitignore, and a LICENSE is not changed. aos commits only to \
                  repositories that it created.\n\n\
                  Examples:\n  aos new github\n  aos new acme --set base_url=https://api.acme.example\n  \
                  aos new parcel --preset parcel.toml\n  \
                  aos new shop --template ./templates/web\n  \
                  aos new acme --openapi acme.yaml --list\n  \
                  aos new acme --openapi acme.yaml --select pets --select '!DELETE'\n  \
                  aos new --list\n  aos new --list --template cli-go"
)]
pub struct NewArgs {
    /// Name of the tool; for a connector, with or without `aos-`. If it is missing, aos asks for it and for the answers
    /// on a terminal
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// List templates and presets instead; with `--template`, the questions of that template; with `--openapi`, the
    /// commands of the description
    #[arg(long, conflicts_with_all = ["dry_run", "confirm"])]
    pub list: bool,
    /// With `--list`: show the questions of every template
    #[arg(long, requires = "list", conflicts_with_all = ["template", "openapi"])]
    pub all: bool,
    /// Template to use: the name of a template of aos, a directory such as `./web`,
    /// `github:OWNER/REPOSITORY[@TAG][//DIRECTORY]`, or `git+https://…` with the same suffixes
    /// [default: connector-python]
    #[arg(long, value_name = "TEMPLATE", value_hint = clap::ValueHint::FilePath)]
    pub template: Option<String>,
    /// Trust only this Sigstore trust root for templates from a host; the default is the embedded public one
    #[arg(long, value_name = "FILE")]
    pub trusted_root: Option<PathBuf>,
    /// API for which commands are generated, or a TOML file that declares one; the default is the preset with the
    /// name NAME, else `example`
    #[arg(long, value_name = "PRESET", value_hint = clap::ValueHint::FilePath)]
    pub preset: Option<String>,
    #[command(flatten)]
    pub openapi: OpenapiOptions,
    /// Parent directory of the project; created if it is missing
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Create the project in DIR itself, such as a new clone, instead of DIR/NAME
    #[arg(long, conflicts_with = "list")]
    pub here: bool,
    /// Answer a question of the template; can be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// TOML or JSON file with answers; `--set` overrides them
    #[arg(long, value_name = "FILE")]
    pub answers: Option<PathBuf>,
    /// Contract tag to pin, or `latest`
    #[arg(long, value_name = "TAG", default_value = "latest")]
    pub spec: String,
    /// Checkout of Agent Orchestrator against which a new adapter builds on this machine
    #[arg(long, value_name = "CHECKOUT", conflicts_with = "list")]
    pub ao: Option<PathBuf>,
    /// Do not create a git repository
    #[arg(long)]
    pub no_git: bool,
    #[command(flatten)]
    pub write: WriteOptions,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if an input is wrong or the target is taken; nothing is written then.
pub fn run(args: &NewArgs, run: &Run) -> Result<Outcome, Failure> {
    let openapi = args.openapi.request();
    let template = args.template.as_deref().unwrap_or(DEFAULT_TEMPLATE);
    let roots = args.trusted_root.as_deref().map(|path| trust_root(Some(path)).map(Arc::new));
    let roots = roots.transpose()?;
    if args.list {
        return match (&openapi, &args.name) {
            (Some(request), name) => {
                new::explore(template, name.as_deref().unwrap_or("api"), request, run)
            }
            (None, None) => new::list(args.template.as_deref(), args.all, roots.as_deref(), run),
            (None, Some(_)) => {
                let message = "`--list` does not accept a NAME, except with `--openapi`";
                Err(Failure::new(ErrorCode::Usage, message).hint("run `aos new --list`"))
            }
        };
    }
    let request = NewRequest {
        name: args.name.clone().unwrap_or_default(),
        template: template.to_owned(),
        roots,
        preset: args.preset.clone(),
        openapi,
        dir: args.dir.clone(),
        here: args.here,
        set: args.set.clone(),
        answers: args.answers.clone(),
        spec: args.spec.clone(),
        ao: args.ao.clone(),
        no_git: args.no_git,
        write: args.write.clone(),
    };
    let may_ask = run.format == Format::Text
        && !args.write.dry_run
        && args.write.confirm.is_none()
        && prompt::is_possible();
    if args.name.is_some() && !(may_ask && new::is_open(&request)?) {
        return new::create(&request, run);
    }
    if !may_ask {
        return Err(Failure::new(ErrorCode::Usage, "`<NAME>` is missing").hint(
            "pass a name: `aos new github` for a preset, `aos new NAME` for your own API; `aos new --list` shows \
             templates and presets",
        ));
    }
    new::create(&new::complete(request)?, run)
}
