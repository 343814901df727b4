//! `aos new`: a complete project from a template, in place by one rename or, in a directory that stays, by one
//! transaction.

pub mod choices;
mod fill;
mod list;
mod outcome;
pub mod own_preset;
mod place;
mod plan;
pub mod rendering;
pub mod subject;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::Args;

use crate::apply;
use crate::cli::WriteOptions;
use crate::contract::{Family, SpecTag};
use crate::generate::lock::LOCK_PATH;
use crate::inputs::embedded;
use crate::inputs::project::Project;
use crate::inputs::spec_source;
use crate::plan::{Digest, Plan, RelativePath};
use crate::report::{ErrorCode, Failure, Outcome};

use super::Run;
use super::first_commit::{self, FirstCommit};
use super::sync_spec;
use super::write_gate::{self, Decision, Request};
use fill::{Fill, fill};
use place::{Place, TargetState, occupied};
use plan::NewProject;

const DEFAULT_TEMPLATE: &str = "connector-python";

/// Create a project from a template
#[derive(Args, Debug)]
#[command(
    after_help = "The project is created in DIR/NAME. If that directory exists, its files are kept: replacing one needs \
                  `--confirm`, lines are added to .gitignore, and a LICENSE is not changed. aos commits only to \
                  repositories that it created.\n\n\
                  Examples:\n  aos new github\n  aos new acme --set base_url=https://api.acme.example\n  \
                  aos new parcel --preset parcel.toml\n  \
                  aos new --list"
)]
pub struct NewArgs {
    /// Name of the tool; for a connector, with or without `aos-`
    #[arg(value_name = "NAME", required_unless_present = "list")]
    pub name: Option<String>,
    /// List templates, presets and questions instead
    #[arg(long, conflicts_with_all = ["name", "dry_run", "confirm"])]
    pub list: bool,
    /// Template to use
    #[arg(long, value_name = "TEMPLATE", default_value = DEFAULT_TEMPLATE)]
    pub template: String,
    /// API whose operations become commands, or a TOML file that declares one; default is the preset called like
    /// NAME, else `example`
    #[arg(long, value_name = "PRESET")]
    pub preset: Option<String>,
    /// Parent directory of the project; created if it is missing
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Put the project into DIR itself, such as a new clone, instead of DIR/NAME
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
/// When an input is wrong or the target is taken; nothing is written then.
pub fn run(args: &NewArgs, run: &Run) -> Result<Outcome, Failure> {
    if args.list {
        return list::list(run);
    }
    let mut project = NewProject::plan(args)?;
    let place = Place::find(args, project.tool())?;
    project.notes.extend(place.notes.iter().cloned());
    if let Ok(around) = Project::open(place.parent()) {
        project.notes.push(format!("it lies inside another project, `{}`", around.root.display()));
    }
    if !args.write.dry_run {
        let removed = apply::remove_leftovers(place.parent()).into_iter().map(|name| {
            format!("`{name}`, left by an interrupted run on this machine, was removed")
        });
        project.notes.extend(removed);
    }
    match place.state {
        TargetState::Free => create(args, run, project, &place),
        TargetState::Filled => complete(args, run, project, &place),
    }
}

/// Makes the directory of the project, with a repository, by one rename.
fn create(
    args: &NewArgs,
    run: &Run,
    project: NewProject,
    place: &Place,
) -> Result<Outcome, Failure> {
    let plan = Plan::between(&Default::default(), &project.files, &BTreeSet::new());
    let known = BTreeMap::new();
    let request = request(args, &project, place, &plan, &known);
    if let Decision::Preview(outcome) = write_gate::decide(&request, &args.write, run)? {
        return Ok(project.previewed(*outcome, run));
    }
    place.make_missing()?;
    let inside = first_commit::inside_repository(place.parent());
    let tool = project.tool();
    let made = apply::create(&place.target, &project.files, |staged| match (args.no_git, inside) {
        (true, _) => FirstCommit::none("--no-git was given"),
        (false, true) => FirstCommit::none("the directory is already inside a git repository"),
        (false, false) => first_commit::make(staged, tool),
    });
    match made {
        Ok(git) => Ok(project.created(&place.target, &git, run)),
        Err(error) => {
            place.remove_missing();
            Err(error.into())
        }
    }
}

/// Adds the project to a directory that stays, with what is in it: all files or none.
fn complete(
    args: &NewArgs,
    run: &Run,
    mut project: NewProject,
    place: &Place,
) -> Result<Outcome, Failure> {
    let target = &place.target;
    let restored = sync_spec::put_back(target, &args.write)?;
    project.notes.extend(restored);
    let Fill { plan, known } = fill(target, &mut project)?;
    if plan.is_empty() && args.write.confirm.is_none() && !args.write.dry_run {
        return Ok(project.unchanged(target, run));
    }
    let record = fill::record(target);
    if record.is_some() || !plan.obstacles().is_empty() {
        return Err(occupied(target, record, &plan));
    }
    let request = request(args, &project, place, &plan, &known);
    if let Decision::Preview(outcome) = write_gate::decide(&request, &args.write, run)? {
        return Ok(project.previewed(*outcome, run));
    }
    apply::apply(target, &plan, LOCK_PATH)?;
    let git = match (args.no_git, first_commit::inside_repository(target)) {
        (true, _) => FirstCommit::none("--no-git was given"),
        (false, true) => FirstCommit::none("the directory is already inside a git repository"),
        (false, false) => FirstCommit::none("the directory existed already"),
    };
    project.commit_later(target, args.no_git);
    Ok(project.created(target, &git, run))
}

fn request<'a>(
    args: &NewArgs,
    project: &NewProject,
    place: &'a Place,
    plan: &'a Plan,
    known: &'a BTreeMap<RelativePath, Digest>,
) -> Request<'a> {
    Request {
        command: "new",
        arguments: format!("{} {}", project.tool(), if args.no_git { "--no-git" } else { "" }),
        root: &place.target,
        plan,
        known,
    }
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
            .hint(format!("`{family}` has the tags {}; `latest` is the newest", known.join(", ")))
            .detail("known_tags", known)
    })
}
