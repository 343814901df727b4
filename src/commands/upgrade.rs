//! `aos upgrade`: bring a project to the template of this aos, or to other answers, by a three-way merge.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use crate::cli::WriteOptions;
use crate::merge::MergeStyle;
use crate::report::answers::upgrade::UpgradeAnswer;
use crate::report::{Failure, Outcome};
use crate::workflows::asked::trust_root;
use crate::workflows::fleet;
use crate::workflows::upgrade::{self, UpgradeRequest};

use super::Run;

/// Merge a newer template, or changed answers, into a project
#[derive(Args, Debug)]
#[command(
    after_help = "Your changes are kept: aos renders the recorded version of the template and the newest one, and \
                  merges the difference into your files. Conflicts are shown before anything is written.\n\n\
                  Examples:\n  aos upgrade --dry-run --diff          show what would change\n  \
                  aos upgrade --set license=MIT         change an answer and everything that depends on it\n  \
                  aos upgrade --heal .github/workflows/ci.yml\n  \
                  aos upgrade --recursive ~/src --dry-run\n  \
                  aos upgrade --abort                   undo an upgrade with open conflicts"
)]
pub struct UpgradeArgs {
    /// Project directory
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,
    /// Answer a question of the template, or change an answer; can be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Restore a template file that you deleted; FILE is its path in the project; can be repeated
    #[arg(long, value_name = "FILE")]
    pub restore: Vec<String>,
    /// Replace a file that differs from the template with the template's version; FILE is its path in the project; can
    /// be repeated
    #[arg(long, value_name = "FILE")]
    pub heal: Vec<String>,
    /// How conflicts are written
    #[arg(long, value_enum, value_name = "STYLE", default_value = "inline")]
    pub conflicts: ConflictStyle,
    /// Contract tag to move to as well, or `latest`; without it, the pin does not change
    #[arg(long, value_name = "TAG")]
    pub spec: Option<String>,
    /// A newer version of your own template: a directory, `github:OWNER/REPOSITORY[@TAG][//DIRECTORY]` or `git+https://…`
    #[arg(long, value_name = "TEMPLATE", value_hint = clap::ValueHint::FilePath)]
    pub template: Option<String>,
    /// Trust only this Sigstore trust root for templates from a host; the default is the embedded public one
    #[arg(long, value_name = "FILE")]
    pub trusted_root: Option<PathBuf>,
    /// Undo an upgrade with open conflicts, and restore every file
    #[arg(long, conflicts_with_all = ["set", "restore", "heal", "spec", "template"])]
    pub abort: bool,
    /// Do this in every project below a directory, one after the other; a project that fails does not stop the others
    #[arg(long, value_name = "ROOT", conflicts_with_all = ["path", "confirm", "abort", "set", "restore", "heal"])]
    pub recursive: Option<PathBuf>,
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

impl ConflictStyle {
    fn style(self) -> MergeStyle {
        match self {
            Self::Inline => MergeStyle::Inline,
            Self::Reject => MergeStyle::Reject,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// `E_MERGE_CONFLICT` when both sides changed the same lines; when an input is wrong, or work would be lost without a
/// token.
pub fn run(args: &UpgradeArgs, run: &Run) -> Result<Outcome, Failure> {
    let roots = args.trusted_root.as_deref().map(|path| trust_root(Some(path)).map(Arc::new));
    let request = UpgradeRequest {
        path: args.path.clone(),
        set: args.set.clone(),
        restore: args.restore.clone(),
        heal: args.heal.clone(),
        conflicts: args.conflicts.style(),
        spec: args.spec.clone(),
        template: args.template.clone(),
        stay: false,
        roots: roots.transpose()?,
        abort: args.abort,
        api: None,
        write: args.write.clone(),
    };
    let Some(root) = &args.recursive else { return upgrade::merge(&request, run) };
    let answer = |report| UpgradeAnswer::Fleet(Box::new(report));
    fleet::over(root, args.write.dry_run, run, answer, |path| {
        upgrade::merge(&UpgradeRequest { path: path.to_owned(), ..request.clone() }, run)
    })
}
