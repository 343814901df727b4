//! Where a project stands with its template: for `aos context`.

use serde_json::{Value, json};

use crate::audit::template::TemplateState;
use crate::generate::record::Record;
use crate::inputs::project::Project;
use crate::merge::content;
use crate::merge::tree::Ours;

use super::UpgradeArgs;
use super::ours::Read;
use super::sides::Sides;

/// The template of a project in a word, for answers about many projects.
#[must_use]
pub fn named(state: &TemplateState) -> String {
    format!("{} {}", state.name, state.version)
}

/// The template of a project as part of an answer.
fn state(state: &TemplateState) -> Value {
    let open: Vec<_> = state
        .open
        .iter()
        .map(|conflict| json!({"file": conflict.path.as_str(), "line": conflict.line}))
        .collect();
    json!({
        "name": state.name,
        "version": state.version,
        "newest": state.newest,
        "behind": state.newer().is_some(),
        "waiting": state.waiting,
        "open": open,
    })
}

/// The same with the answers, and which files are still those of the newest template.
#[must_use]
pub fn describe(project: &Project) -> Option<Value> {
    let mut value = state(&TemplateState::of(project)?);
    let record = project.record.good()?;
    value["answers"] = json!(record.answers);
    match compared(project, record) {
        Ok(files) => {
            value["answers_fit"] = true.into();
            value["files"] = files;
        }
        Err(reason) => {
            value["answers_fit"] = false.into();
            value["reason"] = reason.into();
        }
    }
    Some(value)
}

/// Files of the newest template under the recorded answers: those that are equal, differ, and are missing.
fn compared(project: &Project, record: &Record) -> Result<Value, String> {
    let args = UpgradeArgs::default();
    let tag = project.pin.good().ok_or("the pin cannot be read")?;
    let sides = Sides::render(&args, (&project.root, record), tag.as_str())
        .map_err(|failure| failure.message)?;
    let read = Read::of(project, &sides);
    let (mut same, mut differs, mut missing) = (0, Vec::new(), Vec::new());
    for (path, theirs) in &read.theirs {
        match read.ours.get(path) {
            Some(Ours::File(ours)) if content::is_same(ours, theirs) => same += 1,
            Some(_) => differs.push(path.as_str()),
            None => missing.push(path.as_str()),
        }
    }
    Ok(json!({"same": same, "differs": differs, "missing": missing}))
}
