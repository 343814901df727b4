//! Serves packages: opens them, and speaks to a client until stdin ends.

use std::sync::Arc;
use std::time::Duration;

use crate::error::{io_code, io_hint};
use crate::mcp::catalogue::OfferPolicy;
use crate::mcp::filter::Filter;
use crate::mcp::provider::Options;
use crate::mcp::session::{self, Ended, McpSession};
use crate::reason::Reason;
use crate::report::{ErrorCode, Failure, Outcome, Style};
use crate::system::{isolation, keeper, orphans, temporary, terminal};
use crate::visible::{Visible, excerpt, visible};
use crate::workflows::{Format, Run};

use super::{ServeRequest, list, sources};

/// Longest time that `--timeout` may set, in seconds.
const MAX_SECONDS: u64 = 3_600;
/// Most packages of one server.
const MAX_PACKAGES: usize = 32;

/// Serves, or shows what would be served.
///
/// # Errors
/// Returns an error if a package cannot be opened.
pub fn serve(request: &ServeRequest, run: &Run) -> Result<Outcome, Failure> {
    temporary::sweep();
    served(request, run).map_err(|mut failure| {
        // A client shows its user what a server writes to stderr, and cannot read an envelope.
        if !request.is_list && run.format == Format::Json {
            failure.annotations.push(failure.text(Style { color: false }));
        }
        failure
    })
}

fn served(request: &ServeRequest, run: &Run) -> Result<Outcome, Failure> {
    let policy = policy(request)?;
    let mut options = options(request, run)?;
    let sources = sources::sources(&request.packages, &options)?;
    // Only when no package needs the network can it be cut off: there is one process for all.
    let declared: Vec<_> = sources
        .iter()
        .map(|source| sources::declared(source, &options))
        .collect::<Result<_, _>>()?;
    options.network = match declared.iter().any(|package| package.needs_network) {
        true => Err("a package of this server declares that it uses the network".into()),
        false => isolation::cut_off_network().map_err(Reason::of),
    };
    // From here on, whatever is started ends with aos.
    let _keeper = keeper::start(options.network.is_ok()).ok();
    let _adopted = orphans::Adopted::start();
    let providers = session::open(&sources, &options)?;
    let is_quiet = options.is_quiet;
    let session = McpSession::new(providers, policy, options, sources).map_err(|error| {
        Failure::new(ErrorCode::Conflict, error.to_string())
            .hint("exclude one of them with `--tools '!NAME'`, or serve them separately")
    })?;
    let session = Arc::new(session);
    if session.catalogue().is_empty() && !request.tools.is_empty() {
        close(&session);
        return Err(Failure::new(
            ErrorCode::NotFound,
            "no tool of these packages matches `--tools`",
        )
        .hint("omit `--tools` and add `--list` to see every tool"));
    }
    if request.is_list {
        let outcome = list::listed(&session.catalogue());
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
        // No message was exchanged, so an envelope on stdout does not disturb the protocol.
        Ended::Unused => Ok(list::listed(&session.catalogue())),
    }
}

fn close(session: &McpSession) {
    for provider in &session.catalogue().providers {
        provider.close();
    }
}

fn policy(request: &ServeRequest) -> Result<OfferPolicy, Failure> {
    let filter = Filter::parse(&request.tools).map_err(|error| {
        Failure::new(ErrorCode::Validation, format!("`--tools`: {error}"))
            .hint("use globs such as `issue.*`, `tag:NAME` or `mode:readonly`, with `!` to exclude")
    })?;
    Ok(OfferPolicy { filter, mode: request.mode, presentation: request.presentation })
}

fn options(request: &ServeRequest, run: &Run) -> Result<Options, Failure> {
    let seconds = request.timeout;
    if !(1..=MAX_SECONDS).contains(&seconds) {
        let message = format!("`--timeout` must be from 1 to {MAX_SECONDS}");
        return Err(Failure::new(ErrorCode::Validation, message)
            .hint("use a number of seconds in that range, or omit the option"));
    }
    if request.packages.len() > MAX_PACKAGES {
        let message = format!("a server can have at most {MAX_PACKAGES} packages");
        return Err(
            Failure::new(ErrorCode::Validation, message).hint("serve the others separately")
        );
    }
    let is_name = |name: &&String| {
        name.is_empty() || !name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_')
    };
    if let Some(name) = request.environment.iter().find(is_name) {
        let message = format!("`--env {}` is not a valid variable name", excerpt(name, 80));
        return Err(Failure::new(ErrorCode::Validation, message)
            .hint("pass only the name; aos reads the value from its environment"));
    }
    Ok(Options {
        runtime: request.runtime.clone(),
        python: request.python.clone(),
        environment: request.environment.clone(),
        limit: Duration::from_secs(seconds),
        network: Err(sources::NOT_DECIDED.into()),
        is_quiet: run.quiet,
    })
}

/// Prints notes for the user when a server starts.
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
        let need = if count == 1 { "tool needs" } else { "tools need" };
        lines.push(visible!("{} {} `--allow-mode {}`: not offered", count, need, mode));
    }
    if catalogue.tools().next().is_none() {
        lines.push(Visible::literal("no tool is offered"));
    }
    for line in lines {
        terminal::write_stderr(&visible!("{}\n", line));
    }
}
