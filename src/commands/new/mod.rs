//! `aos new`: a complete project from a template, in place by one rename.

mod choices;
mod list;
mod outcome;
mod place;
mod plan;
mod subject;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::Args;

use crate::apply;
use crate::cli::WriteOptions;
use crate::contract::{Family, SpecTag};
use crate::inputs::embedded;
use crate::inputs::project::Project;
use crate::inputs::{spec_source, tree};
use crate::plan::Plan;
use crate::report::{ErrorCode, Failure, Outcome};

use super::Run;
use super::first_commit::{self, FirstCommit};
use super::write_gate::{self, Decision, Request};
use place::{TargetState, occupied, parent, target_state};
use plan::NewProject;

const DEFAULT_TEMPLATE: &str = "connector-python";

/// Create a project from a template
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  aos new github\n  aos new acme --set base_url=https://api.acme.example\n  aos new --list"
)]
pub struct NewArgs {
    /// Name of the tool; that of a connector with or without `aos-`
    #[arg(value_name = "NAME", required_unless_present = "list")]
    pub name: Option<String>,
    /// Describe templates, presets and questions instead
    #[arg(long, conflicts_with_all = ["name", "dry_run", "confirm"])]
    pub list: bool,
    /// Template to use
    #[arg(long, value_name = "TEMPLATE", default_value = DEFAULT_TEMPLATE)]
    pub template: String,
    /// API whose operations become commands; default is the preset called like NAME, else `example`
    #[arg(long, value_name = "PRESET")]
    pub preset: Option<String>,
    /// Directory to create the project in
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Answer a question of the template; can be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// TOML or JSON file with answers; `--set` wins
    #[arg(long, value_name = "FILE")]
    pub answers: Option<PathBuf>,
    /// Contract tag to pin, or `latest`
    #[arg(long, value_name = "TAG", default_value = "latest")]
    pub spec: String,
    /// Make no git repository
    #[arg(long)]
    pub no_git: bool,
    #[command(flatten)]
    pub write: WriteOptions,
}

/// Runs the command.
///
/// # Errors
/// When an input is wrong or the target is taken; nothing is written then.
pub fn run(args: &NewArgs, run: &Run) -> Result<Outcome, Failure> {
    if args.list {
        return list::list(run);
    }
    let mut project = NewProject::plan(args)?;
    let parent = parent(&args.dir)?;
    if let Ok(around) = Project::open(&parent) {
        project.notes.push(format!("it lies inside another project, `{}`", around.root.display()));
    }
    if !args.write.dry_run {
        apply::remove_leftovers(&parent);
    }
    let target = parent.join(project.tool());
    let plan = match target_state(&target)? {
        TargetState::Free => Plan::between(&Default::default(), &project.files, &BTreeSet::new()),
        TargetState::Occupied => {
            let current = tree::snapshot(&target, project.files.paths());
            let plan = Plan::between(&current, &project.files, &BTreeSet::new());
            if plan.is_empty() && args.write.confirm.is_none() && !args.write.dry_run {
                return Ok(project.unchanged(&target, run));
            }
            return Err(occupied(&target, &project, &plan));
        }
    };
    let request = Request {
        command: "new",
        arguments: format!("{} {}", project.tool(), if args.no_git { "--no-git" } else { "" }),
        root: &target,
        plan: &plan,
        known: &BTreeMap::new(),
    };
    if let Decision::Preview(outcome) = write_gate::decide(&request, &args.write, run)? {
        return Ok(*outcome);
    }
    let wants_git = !args.no_git;
    let inside = first_commit::inside_repository(&parent);
    let tool = project.tool();
    let git = apply::create(&target, &project.files, |staged| match (wants_git, inside) {
        (false, _) => FirstCommit::none("--no-git was given"),
        (true, true) => FirstCommit::none("the directory is inside a git repository already"),
        (true, false) => first_commit::make(staged, tool),
    })?;
    Ok(project.created(&target, &git, run))
}

/// A tag somebody asked for; `latest` is the newest that the binary carries.
///
/// # Errors
/// When the text is not a tag.
pub fn requested_tag(family: Family, text: &str) -> Result<SpecTag, Failure> {
    if text == "latest" {
        return Ok(spec_source::latest(family)?);
    }
    SpecTag::parse(text).map_err(|error| {
        let known: Vec<_> = embedded::tags(family).iter().map(ToString::to_string).collect();
        Failure::new(ErrorCode::Validation, format!("the tag cannot be used: {error}"))
            .hint(format!("tags of `{family}` are {}, or `latest`", known.join(", ")))
            .detail("known_tags", known)
    })
}
