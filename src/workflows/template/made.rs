//! A new template: written as a whole to a directory that has nothing in it, through the gate of every write.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::apply;
use crate::inputs::own_template::{TemplateError, TemplateTree};
use crate::inputs::template::Template;
use crate::plan::{Content, FileSet, Plan, RelativePath};
use crate::report::answers::template::{LeftOutPart, MadeTemplate, TemplateAnswer, TemplateFacts};
use crate::report::{ErrorCode, Failure, Outcome};
use crate::visible::{Visible, counted, visible};
use crate::workflows::Run;
use crate::workflows::new::place::NewPlace;
use crate::workflows::new::shell_word;
use crate::workflows::write_gate::{self, Decision, WriteOptions, WriteRequest};

/// The source of a template, and the call that made it.
pub struct Making<'a> {
    pub command: &'static str,
    pub target: &'a Path,
    /// The option that the target was given with.
    pub option: &'static str,
    pub tree: TemplateTree,
    pub template: Template,
    pub left_out: Vec<LeftOutPart>,
    pub notes: Vec<String>,
}

/// The template of these files, without a fault.
///
/// # Errors
/// Returns an error if it has one.
pub fn tree(files: BTreeMap<String, Vec<u8>>, name: &str) -> Result<TemplateTree, TemplateError> {
    TemplateTree::of_files(files, name)
}

impl Making<'_> {
    /// Writes it.
    ///
    /// # Errors
    /// Returns an error if the target is taken.
    pub fn write(self, write: &WriteOptions, run: &Run) -> Result<Outcome, Failure> {
        let place = NewPlace::vacant(self.target, self.option)?;
        let mut files = FileSet::default();
        for (path, bytes) in self.tree.iter() {
            let path = RelativePath::parse(path)
                .map_err(|error| Failure::new(ErrorCode::Validation, error.to_string()))?;
            files
                .insert(path, Content { bytes: bytes.into(), executable: false })
                .map_err(|error| Failure::new(ErrorCode::Validation, error.to_string()))?;
        }
        let facts = TemplateFacts {
            name: self.template.info.name.clone(),
            questions: self.template.info.questions.iter().map(|asked| asked.key.clone()).collect(),
            rendered_files: self
                .template
                .files
                .iter()
                .filter(|file| file.path.ends_with(".tera"))
                .count(),
            left_out: self.left_out,
            notes: self.notes,
        };
        let plan = Plan::between(&Default::default(), &files, &BTreeSet::new());
        let known = BTreeMap::new();
        let request = WriteRequest {
            command: self.command,
            arguments: facts.name.clone(),
            root: &place.target,
            plan: &plan,
            known: &known,
        };
        if let Decision::Preview(mut offer) = write_gate::decide(&request, write, run)? {
            for line in lines(&facts, run) {
                offer.text.push(&visible!("\n{}", line));
            }
            return Ok(offer.outcome_with(facts, TemplateAnswer::Preview));
        }
        place.make_missing()?;
        if let Err(error) = apply::create(&place.target, &files, |_| ()) {
            place.remove_missing();
            return Err(error.into());
        }
        let shown = place.target.display().to_string();
        let next = vec![
            format!("aos template check {}", shell_word(&shown)),
            format!("aos new NAME --template {}", shell_word(&shown)),
        ];
        let mut text = vec![visible!(
            "{} the template {} in {} ({}, {} of them rendered)",
            run.style.good("created"),
            facts.name.clone(),
            shown.clone(),
            counted(files.len(), "file"),
            facts.rendered_files
        )];
        text.extend(lines(&facts, run));
        text.push(visible!("\n{}", run.style.strong("Next")));
        text.extend(next.iter().map(|step| visible!("  {}", run.style.accent(step))));
        let data = TemplateAnswer::Made(MadeTemplate {
            status: "created",
            path: shown,
            facts,
            files: files.paths().map(ToString::to_string).collect(),
            next,
        });
        Ok(Outcome::new(data, Visible::joined(text, "\n")))
    }
}

fn lines(facts: &TemplateFacts, run: &Run) -> Vec<Visible> {
    let mut lines = left_out_lines(&facts.left_out, run);
    let notes = facts.notes.iter();
    lines.extend(notes.map(|note| visible!("{} {}", run.style.warning("note:"), note)));
    lines
}

/// One line for each part of a source that is not in the template, with the reason.
pub fn left_out_lines(left_out: &[LeftOutPart], run: &Run) -> Vec<Visible> {
    let lines = left_out.iter().map(|left| {
        let line = left.line.map(|line| format!(":{line}")).unwrap_or_default();
        visible!("{} {}{}: {}", run.style.warning("left out"), left.what, line, left.reason)
    });
    lines.collect()
}
