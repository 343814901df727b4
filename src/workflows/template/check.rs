//! `aos template check`: every fault of a template, and its files for every combination of answers.

use std::collections::BTreeSet;
use std::path::Path;

use crate::contract::Family;
use crate::error::own_template::reported;
use crate::generate::render::is_spent;
use crate::generate::scaffold::{ScaffoldError, marks, output_name};
use crate::inputs::answers;
use crate::inputs::own_template::{TemplateFault, TemplateTree, judge};
use crate::inputs::spec_source;
use crate::inputs::template::{Pattern, Question, Template};
use crate::report::answers::template::{CheckedTemplate, TemplateCoverage};
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::{files, interrupt, program};
use crate::visible::{Visible, counted, visible};
use crate::workflows::Run;
use crate::workflows::new::rendering::{NamedProject, Unrendered};

use super::combinations::{Combinations, GivenAnswers};

/// Names of sample projects: of several words and of one, in which more paths are the same.
const NAMES: [&str; 2] = ["acme-shop", "acme"];
/// Most faults that are listed.
const MAX_FAULTS: usize = 100;
/// The file with questions and conditions.
const INFO: &str = "template.toml";

/// Checks the template in `directory`.
///
/// # Errors
/// Returns an error if it is not a template, or has a fault.
pub fn check(directory: &Path, run: &Run) -> Result<Outcome, Failure> {
    let shown = directory.display().to_string();
    let tree = TemplateTree::read(directory, &shown)?;
    let (template, mut faults) = judge(&tree);
    let mut coverage = TemplateCoverage {
        possible: 0,
        rendered: 0,
        complete: false,
        statement: "nothing was rendered, because of these faults".to_owned(),
    };
    if let (Some(template), true) = (&template, faults.is_empty()) {
        let combinations = Combinations::of(&sampled(template));
        let (found, begun) = render(template, &combinations)?;
        faults.extend(found);
        coverage = combinations.coverage;
        if is_spent() {
            coverage.complete = false;
            coverage.rendered = coverage.rendered.min(begun);
            coverage.statement =
                "rendering ended at the first file that used up its time or memory".to_owned();
        }
    }
    faults.truncate(MAX_FAULTS);
    let info = template.as_ref().map(|template| &template.info);
    let data = CheckedTemplate {
        status: if faults.is_empty() { "ok" } else { "faulty" },
        path: shown.clone(),
        name: info.map(|info| info.name.clone()),
        version: info.map(|info| info.version.clone()),
        family: info
            .map(|info| info.family)
            .filter(|family| *family != Family::NONE)
            .map(Family::name),
        digest: tree.digest().to_string(),
        files: template.as_ref().map_or(0, |template| template.files.len()),
        questions: info.map_or(0, |info| info.questions.len()),
        coverage,
        faults: faults.iter().cloned().map(reported).collect(),
        notes: template.as_ref().map(|found| lost(directory, found)).unwrap_or_default(),
    };
    let style = run.style;
    let covered = Visible::sentence(&data.coverage.statement);
    if faults.is_empty() {
        let head = visible!(
            "{} {} {} ({}, {})",
            style.good("OK"),
            data.name.clone().unwrap_or_default(),
            data.version.clone().unwrap_or_default(),
            counted(data.files, "file"),
            counted(data.questions, "question")
        );
        let notes = data.notes.iter();
        let notes = notes.map(|note| visible!("{} {}", style.warning("note:"), note));
        let text = Visible::joined([head, covered].into_iter().chain(notes), "\n");
        return Ok(Outcome::new(data, text));
    }
    let message = match faults.len() {
        1 => format!("the template `{shown}` has 1 fault"),
        count => format!("the template `{shown}` has {count} faults"),
    };
    let lines = faults.iter().map(|fault| visible!("  {}", fault.to_string()));
    let report = Visible::joined(lines.chain([covered]), "\n");
    let mut failure = Failure::new(ErrorCode::Validation, message)
        .hint("correct the faults; docs/templates.md describes the format")
        .with(&data);
    failure.report = Some(report);
    Err(failure)
}

/// The questions; an answer that is in the name of a file is tried with a word, not with a text.
fn sampled(template: &Template) -> Vec<Question> {
    let is_in_a_name =
        |key: &str| template.files.iter().any(|file| marks(&file.path).any(|mark| mark == key));
    let mut questions = template.info.questions.clone();
    for question in questions.iter_mut().filter(|question| is_in_a_name(&question.key)) {
        question.pattern = question.pattern.or(Some(Pattern::Slug));
    }
    questions
}

/// Execute bits that no project gets, because `template.toml` does not list the files.
fn lost(directory: &Path, template: &Template) -> Vec<String> {
    let is_program = |path: &str| {
        let kind = files::kind(&directory.join("files").join(path));
        matches!(kind, Ok(files::Kind::File { executable: true, .. }))
    };
    let listed = |path: &str| template.info.executables.contains(&output_name(path));
    let paths = template.files.iter().map(|file| file.path.as_ref());
    let lost = paths.filter(|path| is_program(path) && !listed(path)).take(MAX_FAULTS);
    let note = |path: &str| {
        format!(
            "`files/{path}` is executable, but not in a project: `executables` in {INFO} does not list it"
        )
    };
    lost.map(note).collect()
}

/// The faults of rendering, each with the first answers that show it, and how many projects were begun.
fn render(
    template: &Template,
    combinations: &Combinations,
) -> Result<(Vec<TemplateFault>, u64), Failure> {
    let tag = match template.info.family == Family::NONE {
        true => None,
        false => Some(spec_source::latest(template.info.family)?),
    };
    let tag = tag.as_ref().map(|tag| tag.as_str());
    let (mut faults, mut seen) = (Vec::new(), BTreeSet::new());
    let defaults = combinations.all.first().map(|answers| (NAMES[1], answers));
    let all = combinations.all.iter().map(|answers| (NAMES[0], answers));
    let mut begun = 0;
    for (name, answers) in all.chain(defaults) {
        interrupt::check()?;
        begun += 1;
        let Some(fault) = rendered(template, name, answers, tag) else { continue };
        let is_last = is_spent();
        if seen.insert(fault.clone()) && faults.len() < MAX_FAULTS {
            let TemplateFault { path, place, message } = fault;
            let message = format!("{message} ({})", described(name, answers));
            faults.push(TemplateFault { path, place, message });
        }
        if is_last {
            break;
        }
    }
    Ok((faults, begun))
}

fn described(name: &str, answers: &GivenAnswers) -> String {
    let name = (name != NAMES[0]).then(|| format!("for the name `{name}`"));
    let answers = answers.iter().map(|(key, value)| format!("{key}={value}"));
    let parts: Vec<_> = name.into_iter().chain(answers).collect();
    if parts.is_empty() { "with every default".to_owned() } else { parts.join(", ") }
}

fn rendered(
    template: &Template,
    name: &str,
    answers: &GivenAnswers,
    tag: Option<&str>,
) -> Option<TemplateFault> {
    let input = |failure: Failure| TemplateFault::new(INFO, None, failure.message);
    let named = match NamedProject::of(template, name, None, None) {
        Ok(named) => named,
        Err(failure) => return Some(input(failure)),
    };
    let pairs: Vec<_> = answers.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let collected = answers::collect(&template.info.questions, None, &pairs, &named.variables());
    let answers = match collected {
        Ok(answers) => answers,
        Err(error) => return Some(input(error.into())),
    };
    match named.rendered(answers, (program::version(), tag)).err()? {
        Unrendered::Input(failure) => Some(input(failure)),
        Unrendered::Template(ScaffoldError::Render(error)) => {
            let is_file = template.files.iter().any(|file| file.path == error.template);
            let path = if is_file { format!("files/{}", error.template) } else { INFO.to_owned() };
            Some(TemplateFault::new(&path, error.place, error.detail))
        }
        Unrendered::Template(error) => Some(TemplateFault::new("files", None, error.to_string())),
    }
}
