//! `aos mcp serve`: finds the packages, opens them, serves them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::cli::Format;
use crate::error::{io_code, io_hint};
use crate::inputs::project::Project;
use crate::mcp::catalogue::{Catalogue, OfferPolicy, Presentation};
use crate::mcp::filter::Filter;
use crate::mcp::provider::{Declared, OPENERS, Opener, Options, ServedSubject};
use crate::mcp::session::{self, Ended, McpSession, Source, SourceKind};
use crate::report::answers::mcp::{ServedPackage, ServedTool, ServedTools, WithheldTools};
use crate::report::{ErrorCode, Failure, Outcome, Style};
use crate::system::files::{self, Kind};
use crate::system::{isolation, keeper, temporary, terminal};
use crate::visible::{Visible, excerpt, visible};

use super::super::Run;
use super::{Presented, ServeArgs};

/// Longest time that `--timeout` may set, in seconds.
const MAX_SECONDS: u64 = 3_600;
const NOT_DECIDED: &str = "nothing has been decided about the network";
/// Most packages of one server.
const MAX_PACKAGES: usize = 32;
/// Most names that `--list` shows for a mode that is not allowed.
const MAX_LINES: usize = 20;

/// Serves, or shows what would be served.
///
/// # Errors
/// When a package cannot be opened.
pub fn run(args: &ServeArgs, run: &Run) -> Result<Outcome, Failure> {
    temporary::sweep();
    served(args, run).map_err(|mut failure| {
        // A client shows its user what a server writes to stderr, and cannot read an envelope.
        if !args.list && run.format == Format::Json {
            failure.annotations.push(failure.text(Style { color: false }));
        }
        failure
    })
}

fn served(args: &ServeArgs, run: &Run) -> Result<Outcome, Failure> {
    let policy = policy(args)?;
    let mut options = options(args, run)?;
    let sources = sources(&args.packages, &options)?;
    // Only when no package needs the network can it be cut off: there is one process for all.
    let declared: Vec<_> =
        sources.iter().map(|source| declared(source, &options)).collect::<Result<_, _>>()?;
    options.network = match declared.iter().any(|package| package.needs_network) {
        true => Err("a package of this server declares that it uses the network".to_owned()),
        false => isolation::cut_off_network(),
    };
    // From here on, whatever is started ends with aos.
    let _keeper = keeper::start(options.network.is_ok()).ok();
    let providers = session::open(&sources, &options)?;
    let is_quiet = options.is_quiet;
    let session = McpSession::new(providers, policy, options, sources).map_err(|error| {
        Failure::new(ErrorCode::Conflict, error.to_string())
            .hint("exclude one of them with `--tools '!NAME'`, or serve them separately")
    })?;
    let session = Arc::new(session);
    if session.catalogue().is_empty() && !args.tools.is_empty() {
        close(&session);
        return Err(Failure::new(
            ErrorCode::NotFound,
            "no tool of these packages matches `--tools`",
        )
        .hint("omit `--tools` and add `--list` to see every tool"));
    }
    if args.list {
        let outcome = listed(&session.catalogue());
        close(&session);
        return Ok(outcome);
    }
    if !is_quiet {
        greet(&session);
    }
    let ended = session::serve(&session).map_err(|error| {
        Failure::new(io_code(&error), format!("stdin and stdout cannot be served: {error}"))
            .hint(io_hint(&error))
    })?;
    match ended {
        Ended::Served => Ok(Outcome::silent()),
        // Nobody has spoken, so nobody is disturbed by an answer.
        Ended::Unused => Ok(listed(&session.catalogue())),
    }
}

fn close(session: &McpSession) {
    for provider in &session.catalogue().providers {
        provider.close();
    }
}

fn policy(args: &ServeArgs) -> Result<OfferPolicy, Failure> {
    let filter = Filter::parse(&args.tools).map_err(|error| {
        Failure::new(ErrorCode::Validation, format!("`--tools`: {error}"))
            .hint("use globs such as `issue.*`, `tag:NAME` or `mode:readonly`, with `!` to exclude")
    })?;
    let mode = args.allow_mode.mode();
    let presentation = match args.present {
        Presented::Auto => Presentation::Automatic,
        Presented::All => Presentation::Every,
        Presented::Search => Presentation::Search,
    };
    Ok(OfferPolicy { filter, mode, presentation })
}

fn options(args: &ServeArgs, run: &Run) -> Result<Options, Failure> {
    let seconds = args.timeout;
    if !(1..=MAX_SECONDS).contains(&seconds) {
        let message = format!("`--timeout` must be from 1 to {MAX_SECONDS}");
        return Err(Failure::new(ErrorCode::Validation, message)
            .hint("use a number of seconds in that range, or omit the option"));
    }
    if args.packages.len() > MAX_PACKAGES {
        let message = format!("a server can have at most {MAX_PACKAGES} packages");
        return Err(
            Failure::new(ErrorCode::Validation, message).hint("serve the others separately")
        );
    }
    let is_name = |name: &&String| {
        name.is_empty() || !name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_')
    };
    if let Some(name) = args.env.iter().find(is_name) {
        let message = format!("`--env {}` is not a valid variable name", excerpt(name, 80));
        return Err(Failure::new(ErrorCode::Validation, message)
            .hint("pass only the name; aos reads the value from its environment"));
    }
    Ok(Options {
        runtime: args.runtime.clone(),
        python: args.python.clone(),
        environment: args.env.clone(),
        limit: Duration::from_secs(seconds),
        network: Err(NOT_DECIDED.to_owned()),
        is_quiet: run.quiet,
    })
}

/// What each argument names.
fn sources(packages: &[String], options: &Options) -> Result<Vec<Source>, Failure> {
    packages.iter().map(|package| source(package, options)).collect()
}

fn source(package: &str, options: &Options) -> Result<Source, Failure> {
    let path = Path::new(package);
    let is_there = files::canonical(path).ok();
    let is_directory =
        is_there.as_deref().is_some_and(|real| matches!(files::kind(real), Ok(Kind::Directory)));
    if is_directory {
        return of_project(&Project::open(path)?);
    }
    let known = OPENERS.entries().into_iter().find(|(_, opener)| opener.knows(package, options));
    match known {
        Some((_, opener)) => Ok(Source { kind: SourceKind::Named(package.to_owned()), opener }),
        // A manifest stands for its directory.
        None if is_there.is_some() => of_project(&Project::open(path)?),
        None => {
            let shown = excerpt(package, 200);
            let message =
                format!("`{shown}` is neither a directory, a program nor an installed augmentor");
            Err(Failure::new(ErrorCode::NotFound, message)
                .hint("use the directory of a tool, or an installed program or package"))
        }
    }
}

fn of_project(project: &Project) -> Result<Source, Failure> {
    let family = project.family;
    let opener: Option<&'static dyn Opener> = OPENERS.of(family);
    let opener = opener.ok_or_else(|| {
        let message = format!(
            "`{}` follows the family `{family}`, which has no tools for MCP",
            project.shown
        );
        Failure::new(ErrorCode::Validation, message).hint("use an augmentor, a connector or a CLI")
    })?;
    Ok(Source { kind: SourceKind::Project(project.root.clone()), opener })
}

fn declared(source: &Source, options: &Options) -> Result<Declared, Failure> {
    match &source.kind {
        SourceKind::Project(root) => {
            source.opener.declared(&ServedSubject::Project(&Project::open(root)?), options)
        }
        SourceKind::Named(name) => source.opener.declared(&ServedSubject::Named(name), options),
    }
}

/// The names of packages, and of the secrets that they ask for. Runs nothing.
///
/// # Errors
/// When one is not there.
pub fn named(packages: &[String]) -> Result<(Vec<String>, Vec<String>), Failure> {
    let options = Options {
        runtime: None,
        python: None,
        environment: Vec::new(),
        limit: Duration::from_secs(MAX_SECONDS),
        network: Err(NOT_DECIDED.to_owned()),
        is_quiet: true,
    };
    let (mut names, mut secrets) = (Vec::new(), BTreeSet::new());
    for source in sources(packages, &options)? {
        let declared = declared(&source, &options)?;
        names.push(declared.name);
        secrets.extend(declared.secrets);
    }
    Ok((names, secrets.into_iter().collect()))
}

/// What a person should know when a server starts.
fn greet(session: &McpSession) {
    let catalogue = session.catalogue();
    let mut lines = Vec::new();
    if terminal::stdin_is_terminal() {
        lines.push(Visible::literal(
            "aos is waiting for an MCP client on stdin; press Ctrl-D to end it",
        ));
    }
    for provider in &catalogue.providers {
        let identity = provider.identity();
        if !identity.missing_secrets.is_empty() {
            let names = identity.missing_secrets.join(", ");
            lines.push(visible!("{}: not set in the environment: {}", identity.name, names));
        }
        lines.extend(identity.notes.iter().map(|note| visible!("{}: {}", identity.name, note)));
    }
    for (mode, count) in catalogue.withheld() {
        let mode = mode.as_str();
        lines.push(visible!("{} tools need `--allow-mode {}` and are not offered", count, mode));
    }
    if catalogue.tools().next().is_none() {
        lines.push(Visible::literal("no tool is offered"));
    }
    for line in lines {
        terminal::write_stderr(&visible!("{}\n", line));
    }
}

/// What is served, as data and for a person.
fn listed(catalogue: &Catalogue) -> Outcome {
    let packages = catalogue.providers.iter().map(|provider| {
        let identity = provider.identity();
        ServedPackage {
            name: identity.name.clone(),
            version: identity.version.clone(),
            family: identity.family,
            place: identity.place.clone(),
            missing_secrets: identity.missing_secrets.clone(),
            notes: identity.notes.clone(),
        }
    });
    let tools = catalogue.tools().map(|offered| ServedTool {
        name: offered.tool.name.clone(),
        package: offered.provider.identity().name.clone(),
        id: offered.tool.id.clone(),
        mode: offered.tool.mode.as_str(),
        tags: offered.tool.tags.clone(),
        description: offered.tool.description.clone(),
    });
    let withheld = catalogue.withheld().into_iter();
    let data = ServedTools {
        packages: packages.collect(),
        tools: tools.collect(),
        withheld: withheld
            .map(|(mode, count)| WithheldTools { mode: mode.as_str(), count })
            .collect(),
        presented: if catalogue.is_searched { "search" } else { "all" },
    };
    Outcome::new(data, text(catalogue))
}

fn text(catalogue: &Catalogue) -> Visible {
    let mut lines = Vec::new();
    for provider in &catalogue.providers {
        let identity = provider.identity();
        lines.push(visible!("{} {} ({})", identity.name, identity.version, identity.family));
        let own = catalogue.tools().filter(|offered| Arc::ptr_eq(offered.provider, provider));
        lines.extend(own.map(|offered| {
            let tool = offered.tool;
            visible!("  {:9} {:32} {}", tool.mode.as_str(), tool.name, tool.description)
        }));
    }
    if catalogue.is_searched {
        lines.push(Visible::literal("presented as search_tools, describe_tools and call_tool"));
    }
    for (mode, count) in catalogue.withheld().into_iter().take(MAX_LINES) {
        lines.push(visible!("{} more need `--allow-mode {}`", count, mode.as_str()));
    }
    Visible::joined(lines, "\n")
}
