//! `aos new` without a name, on a terminal: asks for template, name, preset and answers, and shows what it would create.

use crate::visible::counted;
use std::collections::BTreeMap;

use crate::contract::SpecTag;
use crate::inputs::answers;
use crate::inputs::embedded::{self, EXAMPLE_PRESET};
use crate::inputs::own_template::NamedTemplate;
use crate::inputs::template::{self, Question, Template};
use crate::report::{ErrorCode, Failure};
use crate::system::{prompt, terminal};
use crate::visible::{Visible, visible};

use super::choices;
use super::outcome::shell_word;
use super::place::NewPlace;
use super::plan::NewProject;
use super::rendering::NamedProject;
use super::request::NewRequest;

/// Asks for what `request` leaves open.
///
/// # Errors
/// Returns an error if the person declines or leaves; nothing is written then.
pub fn complete(mut request: NewRequest) -> Result<NewRequest, Failure> {
    let is_own = matches!(NamedTemplate::of(&request.template)?, NamedTemplate::Own(_));
    if !is_own {
        request.template = template_name(&request.template)?;
    }
    let template = choices::template(&request.template, request.roots.as_deref())?.template;
    if request.name.is_empty() {
        request.name = name(&template)?;
    }
    if request.preset.is_none()
        && !is_own
        && request.openapi.is_none()
        && embedded::has_presets(&request.template)
    {
        request.preset = Some(preset(&request)?);
    }
    let mut asked = answers_to(&template, &request)?;
    request.set.append(&mut asked);
    let project = NewProject::plan(&request)?;
    let place = NewPlace::find(&request, project.tool())?;
    let files = project.files.len();
    let yours = files - project.managed.len();
    terminal::write_stderr(&visible!(
        "{}: {}, {} of them yours to edit; template {} {}, contract {}\nEquivalent command: {}\n",
        place.target.display(),
        counted(files, "file"),
        yours,
        project.template.name,
        project.template.version,
        project.tag.as_ref().map_or("none", SpecTag::as_str),
        command_line(&request)
    ));
    if prompt::yes(&Visible::literal("Create it?"), true).map_err(left)? {
        return Ok(request);
    }
    Err(declined())
}

/// Whether a named project of the user's own template lacks an answer that has no default.
///
/// # Errors
/// Returns an error if there is no such template, or it has a fault.
pub fn is_open(request: &NewRequest) -> Result<bool, Failure> {
    let is_own = matches!(NamedTemplate::of(&request.template)?, NamedTemplate::Own(_));
    if !is_own || request.answers.is_some() {
        return Ok(false);
    }
    let template = choices::template(&request.template, request.roots.as_deref())?.template;
    Ok(template.info.questions.iter().any(|question| {
        question.required
            && question.default.is_empty()
            && given_value(question, &request.set).is_none()
    }))
}

fn left(error: prompt::PromptError) -> Failure {
    match error {
        prompt::PromptError::Interrupted => declined(),
        prompt::PromptError::Terminal(_) => Failure::new(ErrorCode::Usage, error.to_string())
            .hint("pass the name and the answers: `aos new NAME --set KEY=VALUE`"),
    }
}

fn declined() -> Failure {
    Failure::new(ErrorCode::Interrupted, "nothing was created")
}

fn template_name(default: &str) -> Result<String, Failure> {
    let names = template::names();
    let mut lines = Vec::new();
    for name in &names {
        let summary = choices::embedded_template(name)?.info.summary;
        lines.push(visible!("{}: {}", name, template::shown_text(&summary)));
    }
    let default = names.iter().position(|name| name == default).unwrap_or_default();
    let chosen = prompt::choose(&Visible::literal("What to create"), &lines, default);
    Ok(names.into_iter().nth(chosen.map_err(left)?).unwrap_or_default())
}

fn name(template: &Template) -> Result<String, Failure> {
    let question = Visible::literal("Name of the tool");
    let fault = |name: &str| {
        if name.is_empty() {
            return Some(Visible::literal("enter a name, such as github"));
        }
        let fault = NamedProject::of(template, name, None, None).err()?;
        Some(Visible::sentence(&fault.message))
    };
    prompt::text(&question, "", fault).map_err(left)
}

/// The preset; the one with the name of the tool is proposed.
fn preset(request: &NewRequest) -> Result<String, Failure> {
    let mut names = vec![EXAMPLE_PRESET];
    names.extend(embedded::preset_names(&request.template));
    let lines: Vec<_> = names
        .iter()
        .map(|name| match *name {
            EXAMPLE_PRESET => Visible::literal("none of these: an example to replace"),
            name => Visible::line(name),
        })
        .collect();
    let own = request.name.trim_start_matches("aos-");
    let default = names.iter().position(|name| *name == own).unwrap_or_default();
    let chosen = prompt::choose(&Visible::literal("API"), &lines, default).map_err(left)?;
    Ok(names.get(chosen).copied().unwrap_or(EXAMPLE_PRESET).to_owned())
}

/// Answers as `KEY=VALUE`: the required ones always, the others if they are wanted.
fn answers_to(template: &Template, request: &NewRequest) -> Result<Vec<String>, Failure> {
    let questions = &template.info.questions;
    let given = |question: &&Question| {
        let key = format!("{}=", question.key);
        request.set.iter().any(|pair| pair.starts_with(&key))
    };
    let is_open =
        |question: &&Question| question.required && question.default.is_empty() && !given(question);
    let others = questions.iter().filter(|question| !is_open(question) && !given(question)).count();
    let all = request.answers.is_none()
        && others > 0
        && prompt::yes(
            &visible!("Answer {} more questions (otherwise the defaults apply)?", others),
            false,
        )
        .map_err(left)?;
    let named = NamedProject::of(template, &request.name, None, None)?;
    let (mut pairs, mut known) = (Vec::new(), BTreeMap::new());
    for question in questions {
        let value = given_value(question, &request.set);
        let default = match value {
            Some(value) => value,
            None => answers::default(question, &named.variables(), &known)?,
        };
        let mut answer = default.clone();
        if !given(&question) && (is_open(&question) || all) {
            answer = answer_to(question, &default)?;
        }
        if answer != default || is_open(&question) {
            pairs.push(format!("{}={answer}", question.key));
        }
        known.insert(question.key.clone(), answer);
    }
    Ok(pairs)
}

fn given_value(question: &Question, set: &[String]) -> Option<String> {
    let key = format!("{}=", question.key);
    set.iter().rev().find_map(|pair| pair.strip_prefix(&key)).map(str::to_owned)
}

fn answer_to(question: &Question, default: &str) -> Result<String, Failure> {
    let asked = visible!("{} ({})", template::shown_text(&question.help), question.key);
    if question.choices.is_empty() {
        let fault = |text: &str| {
            if question.required && text.is_empty() {
                return Some(Visible::literal("an answer is required"));
            }
            answers::fault(question, text).map(|why| Visible::sentence(&why))
        };
        return prompt::text(&asked, default, fault).map_err(left);
    }
    let lines: Vec<_> = question
        .choices
        .iter()
        .map(|choice| match choice.as_str() {
            "" => Visible::literal("empty"),
            choice => Visible::line(choice),
        })
        .collect();
    let at = question.choices.iter().position(|choice| choice == default).unwrap_or_default();
    let chosen = prompt::choose(&asked, &lines, at).map_err(left)?;
    Ok(question.choices.get(chosen).cloned().unwrap_or_default())
}

/// The call that creates the same without questions.
fn command_line(request: &NewRequest) -> String {
    let mut words = vec!["aos".to_owned(), "new".to_owned(), shell_word(&request.name)];
    words.extend(["--template".to_owned(), shell_word(&request.template)]);
    if let Some(preset) = &request.preset {
        words.extend(["--preset".to_owned(), shell_word(preset)]);
    }
    if let Some(api) = &request.openapi {
        words.extend(["--openapi".to_owned(), shell_word(&api.file.display().to_string())]);
        for (option, values) in
            [("--select", &api.select), ("--mode", &api.modes), ("--rename", &api.renames)]
        {
            words.extend(values.iter().flat_map(|value| [option.to_owned(), shell_word(value)]));
        }
        if api.include_deprecated {
            words.push("--include-deprecated".to_owned());
        }
    }
    for pair in &request.set {
        words.extend(["--set".to_owned(), shell_word(pair)]);
    }
    words.join(" ")
}
