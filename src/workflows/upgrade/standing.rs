//! The comparison of a project with its template, for `aos context`.

use crate::audit::template::TemplateState;
use crate::contract::Family;
use crate::generate::record::Record;
use crate::inputs::project::Project;
use crate::merge::content;
use crate::merge::tree::Ours;
use crate::plan::RelativePath;
use crate::report::answers::context::{ComparedFiles, TemplateStanding};
use crate::report::answers::upgrade::OpenPlace;
use crate::report::{ErrorCode, Failure};

use super::ours::Read;
use super::request::UpgradeRequest;
use super::settled::{SettledKey, SettledProject};
use super::sides::Sides;

/// The template of a project in a word, for answers about many projects.
#[must_use]
pub fn named(state: &TemplateState) -> String {
    format!("{} {}", state.name, state.version)
}

/// The template of a project, the answers, and which files are still those of the newest template.
#[must_use]
pub fn describe(project: &Project) -> Option<TemplateStanding> {
    let state = TemplateState::of(project)?;
    let record = project.record.good()?;
    let (files, reason) = match compared(project, record) {
        Ok(files) => (Some(files), None),
        Err(failure) => (None, Some(failure.message)),
    };
    let open = state
        .open
        .iter()
        .map(|conflict| OpenPlace { file: conflict.path.to_string(), line: conflict.line });
    Some(TemplateStanding {
        behind: state.newer().is_some(),
        open: open.collect(),
        name: state.name,
        version: state.version,
        newest: state.newest,
        waiting: state.waiting,
        answers: record.answers.clone(),
        answers_fit: reason.is_none(),
        files,
        reason,
    })
}

fn remembered(settled: SettledProject) -> ComparedFiles {
    let SettledProject { deleted, mut differs, others, same } = settled;
    differs.extend(others);
    differs.sort();
    let names = |paths: Vec<RelativePath>| paths.iter().map(ToString::to_string).collect();
    ComparedFiles { same, differs: names(differs), missing: names(deleted) }
}

/// Files of the newest template under the recorded answers: those that are equal, differ, and are missing.
fn compared(project: &Project, record: &Record) -> Result<ComparedFiles, Failure> {
    let args = UpgradeRequest { stay: true, ..UpgradeRequest::default() };
    let key = SettledKey::of(&args, project, record);
    if let Some(settled) = key.and_then(|key| key.recall(&project.root)) {
        return Ok(remembered(settled));
    }
    let unread = || Failure::new(ErrorCode::Config, "the pin cannot be read");
    let tag = match record.family == Family::NONE {
        true => None,
        false => Some(project.pin.good().ok_or_else(unread)?.as_str()),
    };
    let sides = Sides::render(&args, (&project.root, record), tag)?;
    let read = Read::of(project, &sides);
    let (mut same, mut differs, mut missing) = (0, Vec::new(), Vec::new());
    for (path, theirs) in &read.theirs {
        match read.ours.get(path) {
            Some(Ours::File(ours)) if content::is_same(ours, theirs) => same += 1,
            Some(_) => differs.push(path.to_string()),
            None => missing.push(path.to_string()),
        }
    }
    Ok(ComparedFiles { same, differs, missing })
}
