//! `aos context`: what this run would work with. Reads local files only.

use std::path::Path;

use clap::Args;
use serde_json::{Value, json};

use crate::audit::runtime::RuntimeState;
use crate::contract::Family;
use crate::inputs::embedded;
use crate::inputs::project::Project;
use crate::report::{Failure, Outcome};
use crate::system::{environment, program};
use crate::update::notice;
use crate::visible::visible;

use super::upgrade::standing;
use super::{Run, runtime};

/// Show the version, the configuration and the project in the current directory
#[derive(Args, Debug)]
pub struct ContextArgs {}

/// Runs the command.
///
/// # Errors
/// Never; the signature is that of every command.
pub fn run(_args: &ContextArgs, run: &Run) -> Result<Outcome, Failure> {
    let project = Project::open(Path::new(".")).ok().map(|project| describe(&project));
    let tags: Vec<Value> = Family::all()
        .iter()
        .map(|family| {
            let tags: Vec<_> = embedded::tags(*family).iter().map(ToString::to_string).collect();
            json!({"family": family.name(), "tags": tags})
        })
        .collect();
    let format = format!("{:?}", run.format).to_lowercase();
    let state = environment::state_directory().map(|path| path.display().to_string());
    let notices: Vec<Value> =
        notice::current(environment::state_directory(), program::version()).into_iter().collect();
    let project_line = match &project {
        Some(project) => format!(
            "{} ({}, pin {})",
            project["root"].as_str().unwrap_or_default(),
            project["family"].as_str().unwrap_or_default(),
            project["pin"].as_str().unwrap_or("none")
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
    let mut data = json!({
        "version": program::version(),
        "env": "local",
        "account": null,
        "config": {
            "format": format,
            "format_reason": run.format_reason,
            "state_directory": state,
            "spec_tags": tags,
        },
        "credentials": {"configured": false},
        "project": project,
    });
    // The key is there when there is something to say (agent-cli §14).
    if !notices.is_empty() {
        data["notices"] = notices.into();
    }
    Ok(Outcome::new(data, text))
}

fn describe(project: &Project) -> Value {
    json!({
        "root": project.root.display().to_string(),
        "family": project.family.name(),
        "pin": project.pin.good().map(ToString::to_string),
        "adopted": project.record.good().is_some(),
        "runtime": RuntimeState::of(project).as_ref().map(runtime::state),
        "template": standing::describe(project),
    })
}
