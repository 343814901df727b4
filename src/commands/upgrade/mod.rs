//! `aos upgrade`: bring a project to the template of this aos, or to other answers, by a three-way merge.

mod abort;
mod answer;
mod change;
mod finish;
mod ours;
mod sides;
pub mod standing;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::apply::{self, undo};
use crate::cli::WriteOptions;
use crate::generate::lock::LOCK_PATH;
use crate::generate::record::{RECORD_PATH, Record};
use crate::inputs::project::{Project, Slot};
use crate::merge::Style;
use crate::report::{ErrorCode, Failure, Outcome};

use super::Run;
use super::sync_spec;
use super::write_gate::{self, Decision, Request};
use answer::Answer;
use change::Change;
use sides::Sides;

/// Merge a newer template, or changed answers, into a project
#[derive(Args, Debug)]
#[command(
    after_help = "Your changes are kept: aos renders the recorded version of the template and the newest one, and \
                  merges the difference into your files. Conflicts are shown before anything is written.\n\n\
                  Examples:\n  aos upgrade --dry-run --diff          show what would change\n  \
                  aos upgrade --set license=MIT         change an answer and everything that depends on it\n  \
                  aos upgrade --heal .github/workflows/ci.yml\n  \
                  aos upgrade --abort                   undo an upgrade with open conflicts"
)]
pub struct UpgradeArgs {
    /// Project directory
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,
    /// Answer a question of the template, or change an answer; can be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Restore a template file that you deleted; can be repeated
    #[arg(long, value_name = "FILE")]
    pub restore: Vec<String>,
    /// Replace a file that differs from the template with the template's; can be repeated
    #[arg(long, value_name = "FILE")]
    pub heal: Vec<String>,
    /// How conflicts are written
    #[arg(long, value_enum, value_name = "STYLE", default_value = "inline")]
    pub conflicts: ConflictStyle,
    /// Contract tag to move to as well, or `latest`; without it, the pin does not change
    #[arg(long, value_name = "TAG")]
    pub spec: Option<String>,
    /// Undo an upgrade with open conflicts, and restore every file
    #[arg(long, conflicts_with_all = ["set", "restore", "heal", "spec"])]
    pub abort: bool,
    #[command(flatten)]
    pub write: WriteOptions,
}

/// How conflicts are left in the tree.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum ConflictStyle {
    /// As markers in the file, with the lines of the old template
    Inline,
    /// Your lines are kept, and the template's change is written to `FILE.rej`
    Reject,
}

/// An upgrade without any choice.
impl Default for UpgradeArgs {
    fn default() -> Self {
        Self {
            path: PathBuf::from("."),
            set: Vec::new(),
            restore: Vec::new(),
            heal: Vec::new(),
            conflicts: ConflictStyle::Inline,
            spec: None,
            abort: false,
            write: WriteOptions::default(),
        }
    }
}

impl ConflictStyle {
    fn style(self) -> Style {
        match self {
            Self::Inline => Style::Inline,
            Self::Reject => Style::Reject,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Inline => "inline",
            Self::Reject => "reject",
        }
    }
}

/// Runs the command.
///
/// # Errors
/// `E_MERGE_CONFLICT` when both sides changed the same lines; when an input is wrong, or work would be lost without a
/// token.
pub fn run(args: &UpgradeArgs, run: &Run) -> Result<Outcome, Failure> {
    let (project, notes) = sync_spec::open(&args.path, &args.write)?;
    let record = record(&project)?;
    if args.abort {
        return abort::run(args, run, &project, &record, notes);
    }
    if record.upgrade.is_some() {
        return finish::run(args, run, &project, &record, notes);
    }
    let obtained = sync_spec::obtain(&project, &record, args.spec.as_deref())?;
    let sides = Sides::render(args, (&project.root, &record), obtained.release.tag.as_str())?;
    let change = Change::plan(args, &project, &record, &sides, &obtained)?;
    let answer = Answer::new(args, run, &sides, &change, &obtained, notes);
    if change.plan.is_empty() && !args.write.dry_run && args.write.confirm.is_none() {
        return Ok(answer.outcome());
    }
    let request = Request {
        command: "upgrade",
        arguments: format!(
            "{} {} {} {}",
            sides.info.name,
            sides.info.version,
            obtained.release.tag,
            args.conflicts.name()
        ),
        root: &project.root,
        plan: &change.plan,
        known: &change.known,
    };
    if !change.conflicts.is_empty() && args.write.confirm.is_none() {
        let options = WriteOptions { dry_run: true, ..args.write.clone() };
        let Decision::Preview(preview) = write_gate::decide(&request, &options, run)? else {
            return Ok(answer.outcome());
        };
        let preview = answer.preview(*preview);
        return if args.write.dry_run { Ok(preview) } else { Err(answer.refused(preview)) };
    }
    match write_gate::decide(&request, &args.write, run)
        .map_err(|failure| answer.explain(failure))?
    {
        Decision::Preview(preview) => Ok(answer.preview(*preview)),
        Decision::Proceed if change.conflicts.is_empty() => {
            apply::apply(&project.root, &change.plan, LOCK_PATH)?;
            Ok(answer.outcome())
        }
        Decision::Proceed => {
            undo::keep(&project.root, &change.plan, &change.name())?;
            if let Err(error) = apply::apply(&project.root, &change.plan, LOCK_PATH) {
                undo::forget(&project.root);
                return Err(error.into());
            }
            Err(answer.conflicted())
        }
    }
}

fn record(project: &Project) -> Result<Record, Failure> {
    match &project.record {
        Slot::Good(record) => Ok(record.clone()),
        Slot::Faulty { reason, .. } => Err(Failure::new(
            ErrorCode::Config,
            format!("`{RECORD_PATH}` cannot be used: {reason}"),
        )
        .hint("fix the named member")),
        Slot::Absent => Err(without_template()),
    }
}

/// A project that no template made.
fn without_template() -> Failure {
    Failure::new(ErrorCode::Validation, format!("`{RECORD_PATH}` names no template, so nothing can be merged"))
        .hint("`aos sync-spec` updates contract and runtime; only a project that `aos new` created has [template]")
}
