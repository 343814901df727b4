//! The write gate (agent-cli §7): preview, confirm token, or a change that loses nothing.

use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;
use serde::Serialize;

use crate::error::io_code;
use crate::generate::lock::LOCK_PATH;
use crate::plan::confirmation::{self, LIFETIME_SECONDS, Scope};
use crate::plan::digest::hex;
use crate::plan::{Digest, Plan, RelativePath};
use crate::report::answers::changes::{BlockedPath, PlannedChange, Preview, PreviewOf};
use crate::report::{ErrorCode, Failure, Outcome, changes};
use crate::system::files::{self, Mode};
use crate::system::{clock, environment, machine_secret, random};
use crate::visible::{Visible, visible};

use super::Run;

/// Most paths that a sentence names.
const MAX_LISTED: usize = 8;

/// Options of every command that writes.
#[derive(Args, Clone, Debug, Default)]
pub struct WriteOptions {
    /// Show what would change and issue a confirm token, without changing anything
    #[arg(long, conflicts_with = "confirm")]
    pub dry_run: bool,
    /// Make exactly the change for which this token was issued
    #[arg(long, value_name = "TOKEN")]
    pub confirm: Option<String>,
    /// Show everything, with the diff of each file; without it, the response has at most 4,096 bytes
    #[arg(long)]
    pub diff: bool,
}

/// One request to change files.
#[derive(Debug)]
pub struct WriteRequest<'a> {
    pub command: &'a str,
    /// Arguments that decide what is done, as one stable text.
    pub arguments: String,
    /// Canonical directory that is changed.
    pub root: &'a Path,
    pub plan: &'a Plan,
    /// Digests of files that aos wrote; replacing any other file loses the user's work.
    pub known: &'a BTreeMap<RelativePath, Digest>,
}

/// The decision of the gate.
#[derive(Debug)]
pub enum Decision {
    Proceed,
    /// Nothing is to be written; this is the answer.
    Preview(Box<Offer>),
}

/// A preview in every form of an answer.
#[derive(Clone, Debug)]
pub struct Offer {
    pub answer: Preview,
    pub text: Visible,
    pub raw: Visible,
}

impl Offer {
    /// The preview alone, as `answer` makes it an answer of its command.
    pub fn outcome<A: Serialize>(self, answer: impl FnOnce(Box<Preview>) -> A) -> Outcome {
        Outcome::new(answer(Box::new(self.answer)), self.text).raw(self.raw)
    }

    /// The preview with the facts of its command.
    pub fn outcome_with<T, A: Serialize>(
        self,
        facts: T,
        answer: impl FnOnce(Box<PreviewOf<T>>) -> A,
    ) -> Outcome {
        let preview = Box::new(PreviewOf { preview: self.answer, facts });
        Outcome::new(answer(preview), self.text).raw(self.raw)
    }
}

/// Decides whether `request` may run now.
///
/// # Errors
/// `E_CONFIRMATION_REQUIRED` when it would lose work and no token was given, `E_CONFLICT` for a wrong token.
pub fn decide(
    request: &WriteRequest<'_>,
    options: &WriteOptions,
    run: &Run,
) -> Result<Decision, Failure> {
    decide_unless(request, options, run, None)
}

/// The same; with a `concern`, a sentence that says what else would be lost, it never runs without a token.
///
/// # Errors
/// As [`decide`].
pub fn decide_unless(
    request: &WriteRequest<'_>,
    options: &WriteOptions,
    run: &Run,
    concern: Option<String>,
) -> Result<Decision, Failure> {
    if options.dry_run {
        let offer = preview(request, options, run, concern.as_deref())?;
        return Ok(Decision::Preview(Box::new(offer)));
    }
    if let Some(token) = &options.confirm {
        accept(request, token)?;
        return Ok(Decision::Proceed);
    }
    let lossy = lossy(request);
    let message = match (&concern, lossy.as_slice()) {
        (None, []) => return Ok(Decision::Proceed),
        (Some(concern), []) => concern.clone(),
        _ => format!("{} would be replaced, and may contain your changes", list(&lossy)),
    };
    let offer = preview(request, options, run, concern.as_deref())?;
    let token = &offer.answer.confirm_token;
    let mut failure = Failure::new(ErrorCode::ConfirmationRequired, message)
        .hint(format!("look at the changes, then run again with `--confirm {token}`"))
        .with(&offer.answer);
    failure.report = Some(offer.text);
    failure.raw = Some(offer.raw);
    Err(failure)
}

/// Returns the files that would be replaced or deleted although aos did not record their content.
fn lossy(request: &WriteRequest<'_>) -> Vec<String> {
    request.plan.lossy(request.known).map(|edit| edit.path.to_string()).collect()
}

fn list(paths: &[String]) -> String {
    match paths {
        [only] => format!("`{only}`"),
        [first, rest @ ..] => format!("`{first}` and {} more", rest.len()),
        [] => "nothing".to_owned(),
    }
}

fn preview(
    request: &WriteRequest<'_>,
    options: &WriteOptions,
    run: &Run,
    concern: Option<&str>,
) -> Result<Offer, Failure> {
    let expires_at = clock::now_seconds() + LIFETIME_SECONDS;
    let secret = secret()?;
    let root = request.root.to_string_lossy();
    let nonce = random::bytes::<8>().map(u64::from_be_bytes);
    let nonce = nonce.map_err(|error| state_failure(request.root, &error))?;
    let token = confirmation::issue(&secret, &scope(request, &root), expires_at, nonce)?;
    let obstacles = request.plan.obstacles().iter().map(|obstacle| BlockedPath {
        path: obstacle.path.to_string(),
        reason: obstacle.reason.clone(),
    });
    let summary = run.style.strong(visible!(
        "Would change {}: {}",
        request.root.display(),
        changes::summary(request.plan)
    ));
    let confirm = run.style.accent(visible!("--confirm {}", token));
    let lossy = lossy(request);
    let until = clock::iso8601(expires_at);
    let advice = match (lossy.as_slice(), concern) {
        ([], None) if request.plan.is_empty() => visible!("There is nothing to confirm"),
        ([], Some(concern)) => {
            visible!("{}\nConfirm with {} (until {})", Visible::sentence(concern), confirm, until)
        }
        ([], None) => visible!(
            "Nothing of yours would be lost: run the command without `--dry-run`, or with {}",
            confirm
        ),
        (lossy, _) => visible!(
            "These files may contain your changes: {}\nConfirm with {} (until {})",
            listed(lossy, options.diff),
            confirm,
            until
        ),
    };
    let next = match (lossy.as_slice(), concern) {
        ([], None) if request.plan.is_empty() => None,
        ([], None) => {
            Some(format!("run the command without `--dry-run`, or with `--confirm {token}`"))
        }
        ([], Some(_)) => {
            Some(format!("look at the changes, then run the command with `--confirm {token}`"))
        }
        _ => Some(format!("look at `would_lose`, then run the command with `--confirm {token}`")),
    };
    let diffs = if options.diff {
        changes::diffs(request.plan, run.style)
    } else {
        Visible::joined(run.style.diff(&replaced_diffs(request.plan)), "\n")
    };
    let text = [changes::text(request.plan, run.style), diffs, summary, advice];
    let text = text.into_iter().filter(|part| !part.is_empty());
    let answer = Preview {
        preview: PlannedChange {
            action: request.command.to_owned(),
            root: root.into_owned(),
            total: request.plan.edits().len(),
            counts: changes::counts(request.plan),
            changes: changes::listed(request.plan, true),
            obstacles: obstacles.collect(),
            directories: None,
        },
        would_lose: lossy,
        confirm_token: token,
        expires_at: clock::iso8601(expires_at),
        next: next.into_iter().collect(),
    };
    let text = Visible::joined(text, "\n");
    Ok(Offer { answer, text, raw: changes::patch(request.plan) })
}

/// Paths on one line: all of them, or the first few and a count.
fn listed(paths: &[String], all: bool) -> String {
    let shown = if all { paths.len() } else { paths.len().min(MAX_LISTED) };
    let mut text = paths[..shown].join(", ");
    if shown < paths.len() {
        text.push_str(&format!(" and {} more", paths.len() - shown));
    }
    text
}

/// Returns the diffs of replaced files. New files are only listed, and the lock follows from the others.
fn replaced_diffs(plan: &Plan) -> String {
    let shown = plan
        .edits()
        .iter()
        .filter(|edit| edit.before.is_some() && edit.path.as_str() != LOCK_PATH)
        .take(20);
    shown.map(|edit| changes::shortened(&crate::plan::diff::unified(edit))).collect()
}

fn scope<'a>(request: &'a WriteRequest<'_>, root: &'a str) -> Scope<'a> {
    Scope {
        command: request.command,
        arguments: &request.arguments,
        root,
        plan: request.plan.digest(),
    }
}

/// Plans of many projects under one token.
#[derive(Debug)]
pub struct FleetScope<'a> {
    pub command: &'a str,
    /// Canonical directory above all projects.
    pub root: &'a Path,
    /// Of all plans with their projects.
    pub plans: Digest,
}

impl FleetScope<'_> {
    /// A token for exactly these plans, and when it ends.
    ///
    /// # Errors
    /// Returns an error if this machine has no secret.
    pub fn offer(&self) -> Result<(String, u64), Failure> {
        let expires_at = clock::now_seconds() + LIFETIME_SECONDS;
        let nonce = random::bytes::<8>().map(u64::from_be_bytes);
        let nonce = nonce.map_err(|error| state_failure(self.root, &error))?;
        let root = self.root.to_string_lossy();
        let token = confirmation::issue(&secret()?, &self.scope(&root), expires_at, nonce)?;
        Ok((token, expires_at))
    }

    /// Checks a token and uses it up.
    ///
    /// # Errors
    /// `E_CONFLICT` when it is for other plans, has ended or was used.
    pub fn accept(&self, token: &str) -> Result<(), Failure> {
        if is_used(token)? {
            return Err(already_used());
        }
        let root = self.root.to_string_lossy();
        confirmation::verify(&secret()?, &self.scope(&root), token, clock::now_seconds())?;
        consume(token)
    }

    fn scope<'a>(&'a self, root: &'a str) -> Scope<'a> {
        Scope { command: self.command, arguments: "every project", root, plan: self.plans }
    }
}

/// Checks the token and uses it up, before anything is written.
fn accept(request: &WriteRequest<'_>, token: &str) -> Result<(), Failure> {
    let secret = secret()?;
    let root = request.root.to_string_lossy();
    confirmation::verify(&secret, &scope(request, &root), token, clock::now_seconds())?;
    consume(token)
}

/// Marks a token as used; of two processes with one token exactly one succeeds.
fn consume(token: &str) -> Result<(), Failure> {
    let directory = machine_secret::state_directory()?.join("confirm-used");
    files::create_private_directory(&directory)
        .map_err(|error| state_failure(&directory, &error))?;
    prune(&directory);
    let marker = marker(&directory, token);
    match files::write_new(&marker, b"", Mode::Secret) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Err(already_used()),
        Err(error) => Err(state_failure(&marker, &error)),
    }
}

/// The file that says that a token was used.
fn marker(directory: &Path, token: &str) -> std::path::PathBuf {
    let expiry = confirmation::expiry(token).unwrap_or_default();
    directory.join(format!("{expiry:x}-{}", &hex(token.as_bytes())[..64.min(token.len() * 2)]))
}

fn is_used(token: &str) -> Result<bool, Failure> {
    let directory = machine_secret::state_directory()?.join("confirm-used");
    Ok(matches!(files::kind(&marker(&directory, token)), Ok(files::Kind::File { .. })))
}

fn already_used() -> Failure {
    Failure::new(ErrorCode::Conflict, "the confirm token was already used")
        .hint("run the command with `--dry-run` again and use the new token; nothing was changed")
}

/// Forgets tokens that have expired anyway.
fn prune(directory: &Path) {
    let now = clock::now_seconds();
    for name in files::names(directory).unwrap_or_default() {
        let expiry = name
            .to_str()
            .and_then(|name| name.split('-').next())
            .and_then(|expiry| u64::from_str_radix(expiry, 16).ok());
        if expiry.is_some_and(|expiry| expiry < now) {
            // A marker that stays is only clutter.
            let _ = files::remove_file(&directory.join(&name));
        }
    }
}

fn secret() -> Result<Vec<u8>, Failure> {
    Ok(machine_secret::obtain()?)
}

fn state_failure(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(io_code(error), format!("cannot use `{}`: {error}", path.display()))
        .hint(format!("fix the cause, or set {} to another directory", environment::AOS_HOME))
}
