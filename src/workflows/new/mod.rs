//! A complete project from a template, in place by one rename or, in a directory that stays, by one transaction.

pub mod choices;
pub mod described;
mod dialog;
mod fill;
pub mod first_commit;
mod list;
mod outcome;
pub mod own_preset;
pub mod place;
mod plan;
pub mod rendering;
mod request;
pub mod subject;

use std::collections::{BTreeMap, BTreeSet};

use crate::apply;
use crate::generate::lock::LOCK_PATH;
use crate::inputs::project::Project;
use crate::plan::{Digest, Plan, RelativePath};
use crate::report::answers::new::NewAnswer;
use crate::report::{Failure, Outcome};
use crate::workflows::write_gate::{self, Decision, WriteRequest};
use crate::workflows::{Run, sync};

use fill::{Fill, fill};
use first_commit::FirstCommit;
use place::{NewPlace, TargetState, occupied};
use plan::NewProject;

pub use dialog::{complete, is_open};
pub use list::list;
pub use outcome::shell_word;
pub use request::{NewRequest, OpenapiRequest};

/// Makes the project.
///
/// # Errors
/// Returns an error if an input is wrong or the target is taken; nothing is written then.
pub fn create(args: &NewRequest, run: &Run) -> Result<Outcome, Failure> {
    let mut project = NewProject::plan(args).map_err(|failure| listed(failure, &args.template))?;
    let place = NewPlace::find(args, project.tool())?;
    project.notes.extend(place.notes.iter().cloned());
    if let Ok(around) = Project::open(place.parent()) {
        project.notes.push(format!("it is inside another project, `{}`", around.root.display()));
    }
    if !args.write.dry_run {
        let removed = apply::remove_leftovers(place.parent()).into_iter().map(|name| {
            format!("`{name}`, left by an interrupted run on this machine, was removed")
        });
        project.notes.extend(removed);
    }
    match place.state {
        TargetState::Free => in_new_directory(args, run, project, &place),
        TargetState::Filled => in_filled_directory(args, run, project, &place),
    }
}

/// Puts the name of the template into a hint that lists its questions.
fn listed(failure: Failure, template: &str) -> Failure {
    match failure.hint.clone() {
        Some(hint) => {
            let call = |name: &str| format!("aos new --list --template {name}");
            failure.hint(hint.replace(&call("NAME"), &call(&shell_word(template))))
        }
        None => failure,
    }
}

/// Makes the directory of the project, with a repository, by one rename.
fn in_new_directory(
    args: &NewRequest,
    run: &Run,
    project: NewProject,
    place: &NewPlace,
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
fn in_filled_directory(
    args: &NewRequest,
    run: &Run,
    mut project: NewProject,
    place: &NewPlace,
) -> Result<Outcome, Failure> {
    let target = &place.target;
    let restored = sync::put_back(target, &args.write)?;
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
        (false, false) => FirstCommit::none("the directory already existed"),
    };
    project.commit_later(target, args.no_git);
    Ok(project.created(target, &git, run))
}

/// Shows the commands that a description gives, and writes nothing.
///
/// # Errors
/// Returns an error if it cannot be read, or a choice does not fit.
pub fn explore(
    template: &str,
    name: &str,
    request: &OpenapiRequest,
    run: &Run,
) -> Result<Outcome, Failure> {
    let answer = described::explore(&choices::template(template, None)?.template, name, request)?;
    let text = described::text(&answer, run.style);
    Ok(Outcome::new(NewAnswer::Described(Box::new(answer)), text))
}

fn request<'a>(
    args: &NewRequest,
    project: &NewProject,
    place: &'a NewPlace,
    plan: &'a Plan,
    known: &'a BTreeMap<RelativePath, Digest>,
) -> WriteRequest<'a> {
    WriteRequest {
        command: "new",
        arguments: format!("{} {}", project.tool(), if args.no_git { "--no-git" } else { "" }),
        root: &place.target,
        plan,
        known,
    }
}
