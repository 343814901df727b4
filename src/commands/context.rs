//! `aos context`: the version, the configuration and the project of this run. Reads local files only.

use std::path::Path;

use clap::Args;

use crate::audit::runtime::RuntimeState;
use crate::contract::Family;
use crate::inputs::embedded;
use crate::inputs::project::Project;
use crate::report::answers::context::{
    ContextConfig, ContextCredentials, ContextProject, FamilyTags, RunContext,
};
use crate::report::{Failure, Outcome};
use crate::system::{environment, program};
use crate::update::notice;
use crate::visible::visible;

use crate::workflows::runtime;
use crate::workflows::upgrade::standing;

use super::Run;

/// Show the version, the configuration and the project in the current directory
#[derive(Args, Debug)]
pub struct ContextArgs {}

/// Runs the command.
///
/// # Errors
/// Never; the signature is that of every command.
pub fn run(_args: &ContextArgs, run: &Run) -> Result<Outcome, Failure> {
    let project = Project::open(Path::new(".")).ok().map(|project| describe(&project));
    let tags = Family::all().into_iter().map(|family| {
        let tags = embedded::tags(family).iter().map(ToString::to_string).collect();
        FamilyTags { family: family.name(), tags }
    });
    let format = format!("{:?}", run.format).to_lowercase();
    let state = environment::state_directory().map(|path| path.display().to_string());
    let notice = notice::current(environment::state_directory(), program::version());
    let project_line = match &project {
        Some(project) => format!(
            "{} ({}, pin {})",
            project.root,
            project.family,
            project.pin.as_deref().unwrap_or("none")
        ),
        None => "none here".to_owned(),
    };
    let text = visible!(
        "aos {}\nformat   {} ({})\nstate    {}\nproject  {}",
        program::version(),
        format,
        run.format_reason,
        state.as_deref().unwrap_or("no home directory"),
        project_line,
    );
    let data = RunContext {
        version: program::version(),
        env: "local",
        account: None,
        config: ContextConfig {
            format,
            format_reason: run.format_reason,
            state_directory: state,
            spec_tags: tags.collect(),
        },
        credentials: ContextCredentials { configured: false },
        project,
        notices: notice.into_iter().collect(),
    };
    Ok(Outcome::new(data, text))
}

fn describe(project: &Project) -> ContextProject {
    ContextProject {
        root: project.root.display().to_string(),
        family: project.family.name(),
        pin: project.pin.good().map(ToString::to_string),
        adopted: project.record.good().is_some(),
        runtime: RuntimeState::of(project).as_ref().map(runtime::state),
        template: standing::describe(project),
    }
}
