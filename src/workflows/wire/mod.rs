//! Makes a project part of a checkout of another program, or takes it out again.

pub mod seam;

use std::path::{Path, PathBuf};

use crate::apply;
use crate::inputs::project::Project;
use crate::inputs::tree;
use crate::plan::{Plan, RelativePath};
use crate::report::answers::wire::{WireAnswer, WireFacts, WireInstruction, WiredAdapter};
use crate::report::{ErrorCode, Failure, Outcome, changes};
use crate::system::files::{self, Kind};
use crate::visible::{Visible, visible};

use crate::workflows::write_gate::{self, Decision, Offer, WriteOptions, WriteRequest};
use crate::workflows::{Run, sync};

use seam::{WIRERS, Wiring};

/// The request of `aos wire`.
#[derive(Clone, Copy, Debug)]
pub struct WireRequest<'a> {
    /// Directory of the adapter.
    pub path: &'a Path,
    /// The checkout.
    pub ao: &'a Path,
    /// Take out what an earlier run put in.
    pub undo: bool,
    pub write: &'a WriteOptions,
}

/// Puts the adapter in, or takes it out.
///
/// # Errors
/// Returns an error if the project is not an adapter, the checkout does not have the places, or the change needs a
/// token.
pub fn wire(args: &WireRequest<'_>, run: &Run) -> Result<Outcome, Failure> {
    let project = whole(args.path)?;
    let checkout = checkout(args.ao)?;
    let wirer = WIRERS.of(project.family).ok_or_else(|| {
        let message = format!(
            "`{}` follows the family `{}`, not `agent-adapter`",
            project.shown, project.family
        );
        Failure::new(ErrorCode::Validation, message)
            .hint("use a directory that `aos new NAME --template agent-adapter` created")
    })?;
    let mut notes = sync::put_back(&checkout, args.write)?;
    let request = seam::WiringRequest { project: &project, checkout: &checkout, undo: args.undo };
    let mut wiring = wirer.wiring(&request)?;
    notes.append(&mut wiring.notes);
    wiring.notes = notes;
    let paths = wiring.wanted.paths().chain(&wiring.unwanted);
    let plan = Plan::between(&tree::snapshot(&checkout, paths), &wiring.wanted, &wiring.unwanted);
    let change = WireChange { wiring, plan, checkout: &checkout, undo: args.undo };
    if change.plan.is_empty() && !args.write.dry_run && args.write.confirm.is_none() {
        return Ok(change.outcome("unchanged", args.write.diff, run));
    }
    let request = WriteRequest {
        command: "wire",
        arguments: format!("{} {}", if args.undo { "undo" } else { "put" }, change.wiring.harness),
        root: &checkout,
        plan: &change.plan,
        known: &change.wiring.written,
    };
    match write_gate::decide(&request, args.write, run) {
        Ok(Decision::Preview(preview)) => Ok(change.preview(*preview, run)),
        Ok(Decision::Proceed) => {
            apply::apply(&checkout, &change.plan, "")?;
            change.remove_directories();
            let status = if args.undo { "unwired" } else { "wired" };
            Ok(change.outcome(status, args.write.diff, run))
        }
        Err(failure) => Err(failure.detail("instructions", change.instructions())),
    }
}

/// The project, with no write in the middle of it.
fn whole(path: &Path) -> Result<Project, Failure> {
    let project = Project::open(path)?;
    if project.has_transaction {
        let message = format!("a run was interrupted while it wrote to `{}`", project.shown);
        return Err(Failure::new(ErrorCode::Conflict, message)
            .hint("run `aos sync-spec` there; it restores the old state"));
    }
    Ok(project)
}

fn checkout(path: &Path) -> Result<PathBuf, Failure> {
    let missing = |reason: &str| {
        Failure::new(ErrorCode::NotFound, format!("`{}`: {reason}", path.display()))
            .hint("pass a checkout of Agent Orchestrator to `--ao`")
    };
    let canonical = files::canonical(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => missing("the directory does not exist"),
        _ => Failure::new(crate::error::io_code(&error), format!("`{}`: {error}", path.display()))
            .hint(crate::error::io_hint(&error)),
    })?;
    match files::kind(&canonical) {
        Ok(Kind::Directory) => Ok(canonical),
        _ => Err(missing("it is not a directory")),
    }
}

/// A change of a checkout.
struct WireChange<'a> {
    wiring: Wiring,
    plan: Plan,
    checkout: &'a Path,
    undo: bool,
}

impl WireChange<'_> {
    /// Directories that hold nothing after the adapter's files are gone.
    fn remove_directories(&self) {
        let mut directories: Vec<_> = self
            .wiring
            .unwanted
            .iter()
            .flat_map(RelativePath::ancestors)
            .filter(|ancestor| {
                let rest = ancestor.strip_prefix(self.wiring.directory.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
            .map(|ancestor| self.checkout.join(ancestor))
            .collect();
        directories.sort();
        directories.dedup();
        apply::remove_empty_directories(&directories);
    }

    fn instructions(&self) -> Vec<WireInstruction> {
        let all = self.wiring.instructions.iter();
        all.map(|one| WireInstruction { path: one.path.clone(), what: one.what.clone() }).collect()
    }

    fn next(&self) -> Vec<String> {
        let directory = self.checkout.join("backend").display().to_string();
        match self.undo {
            true => Vec::new(),
            false => vec![format!("cd {directory} && go build ./... && go test ./...")],
        }
    }

    fn preview(&self, mut offer: Offer, run: &Run) -> Outcome {
        let lines = std::iter::once(offer.text).chain(self.lines(run));
        offer.text = Visible::joined(lines, "\n");
        let facts = WireFacts {
            harness: self.wiring.harness.clone(),
            instructions: self.instructions(),
            notes: self.wiring.notes.clone(),
        };
        offer.outcome_with(facts, WireAnswer::Preview)
    }

    /// Returns the lines for people in addition to the changes.
    fn lines(&self, run: &Run) -> Vec<Visible> {
        let style = run.style;
        let by_hand = self.wiring.instructions.iter();
        let mut lines: Vec<_> = by_hand
            .map(|one| visible!("{} {}: {}", style.warning("by hand:"), one.path, one.what))
            .collect();
        let notes = self.wiring.notes.iter();
        lines.extend(notes.map(|note| visible!("{} {}", style.warning("note:"), note)));
        lines
    }

    fn outcome(&self, status: &'static str, with_diffs: bool, run: &Run) -> Outcome {
        let (wiring, plan) = (&self.wiring, &self.plan);
        let mut lines = vec![visible!(
            "{} {} in {} ({})",
            run.style.good(status),
            wiring.harness,
            self.checkout.display(),
            changes::summary(plan)
        )];
        if !plan.is_empty() {
            lines.push(changes::text(plan, run.style));
        }
        if with_diffs {
            lines.push(changes::diffs(plan, run.style));
        }
        lines.extend(self.lines(run));
        let next = self.next();
        lines.extend(next.iter().map(|next| visible!("next: {}", run.style.accent(next))));
        let data = WireAnswer::Wired(WiredAdapter {
            status,
            harness: wiring.harness.clone(),
            package: wiring.package.clone(),
            checkout: self.checkout.display().to_string(),
            changes: changes::listed(plan, with_diffs),
            instructions: self.instructions(),
            notes: wiring.notes.clone(),
            next,
        });
        Outcome::new(data, Visible::joined(lines, "\n")).raw(changes::patch(plan))
    }
}
