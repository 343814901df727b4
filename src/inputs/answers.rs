//! Answers to a template's questions: flags before a file before defaults, one validator for all.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::contract::json;
use crate::generate::render::{Engine, RenderError};
use crate::system::files;
use crate::visible::excerpt;

use super::answer_forms;
use super::template::{Question, shown_text};

/// Longest answer to a question without its own limit, in characters.
const MAX_ANSWER: usize = 200;
/// Largest answers file, in bytes.
const MAX_FILE: u64 = 64 * 1024;

/// Why answers cannot be used. Every message names the key.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    #[error("`--set {}` is not of the form key=value", excerpt(text, 200))]
    NotAPair { text: String },
    #[error("`{key}` is not a question of this template; its questions are {}", known.join(", "))]
    UnknownKey { key: String, known: Vec<String>, nearest: Option<String> },
    #[error("`{key}` = `{value}`: {reason}")]
    Invalid { key: String, value: String, reason: String },
    #[error("the template no longer allows these answers in `aos.toml`: {}", sentence(answers))]
    Outdated { answers: Vec<OutdatedAnswer> },
    #[error("this template requires an answer to `{key}`")]
    Missing { key: String, help: String },
    #[error("this template requires answers to {}", keys.join(", "))]
    MissingSeveral { keys: Vec<String> },
    #[error("the answers file `{}` cannot be used: {reason}", path.display())]
    File { path: PathBuf, reason: String },
    #[error("the default of `{key}` cannot be rendered: {source}")]
    Default { key: String, source: RenderError },
}

/// An answer of a project that the newer template refuses.
#[derive(Debug)]
pub struct OutdatedAnswer {
    pub key: String,
    pub value: String,
    pub reason: String,
}

fn sentence(answers: &[OutdatedAnswer]) -> String {
    let each = answers
        .iter()
        .map(|OutdatedAnswer { key, value, reason }| format!("`{key}` = `{value}` ({reason})"));
    each.collect::<Vec<_>>().join(", ")
}

/// Collects answers: `--set` before the file before the default, which may use `names` and earlier answers.
///
/// # Errors
/// On the first unknown key or invalid value, and when a required answer is missing.
pub fn collect(
    questions: &[Question],
    file: Option<&Path>,
    pairs: &[String],
    names: &Map<String, Value>,
) -> Result<BTreeMap<String, String>, AnswerError> {
    let mut given = BTreeMap::new();
    if let Some(path) = file {
        for (key, value) in read_file(path)? {
            accept(questions, &mut given, &key, &value)?;
        }
    }
    for pair in pairs {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(AnswerError::NotAPair { text: pair.chars().take(80).collect() });
        };
        accept(questions, &mut given, key, value)?;
    }
    let mut answers = BTreeMap::new();
    for question in questions {
        if !given.contains_key(&question.key) {
            let value = default(question, names, &answers)?;
            accept(questions, &mut given, &question.key, &value)?;
        }
        let value = given.remove(&question.key).unwrap_or_default();
        if question.required && value.is_empty() {
            let (key, help) = (question.key.clone(), shown_text(&question.help));
            return Err(AnswerError::Missing { key, help });
        }
        answers.insert(question.key.clone(), value);
    }
    Ok(answers)
}

/// The answers that a project was made with, as its record has them: an empty answer is not in a record.
///
/// # Errors
/// On a recorded value that the question does not allow.
pub fn recorded(
    questions: &[Question],
    record: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, AnswerError> {
    let mut answers = BTreeMap::new();
    for question in questions {
        let value = record.get(&question.key).map_or("", String::as_str);
        accept(questions, &mut answers, &question.key, value)?;
    }
    Ok(answers)
}

/// The answers of a project under the questions of a newer template: `pairs` before what is recorded before the default
/// of a question that is new.
///
/// # Errors
/// On an unknown key or invalid value; when the template refuses recorded answers or lacks required
/// ones, with all of them.
pub fn renewed(
    questions: &[Question],
    recorded: &BTreeMap<String, String>,
    pairs: &[String],
    names: &Map<String, Value>,
) -> Result<BTreeMap<String, String>, AnswerError> {
    let mut given = BTreeMap::new();
    for pair in pairs {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(AnswerError::NotAPair { text: pair.chars().take(80).collect() });
        };
        accept(questions, &mut given, key, value)?;
    }
    let (mut answers, mut missing, mut outdated) = (BTreeMap::new(), Vec::new(), Vec::new());
    for question in questions {
        let key = &question.key;
        if let (None, Some(value)) = (given.get(key), recorded.get(key))
            && let Some(reason) = fault(question, as_choice(question, value))
        {
            answers.insert(key.clone(), value.clone());
            let value = excerpt(value, 60);
            outdated.push(OutdatedAnswer { key: key.clone(), value, reason });
            continue;
        }
        let value = match (given.get(key), recorded.get(key)) {
            (Some(value), _) | (None, Some(value)) => value.clone(),
            (None, None) => default(question, names, &answers)?,
        };
        accept(questions, &mut answers, key, &value)?;
        if question.required && value.is_empty() {
            missing.push(question);
        }
    }
    if !outdated.is_empty() {
        return Err(AnswerError::Outdated { answers: outdated });
    }
    match missing.as_slice() {
        [] => Ok(answers),
        [only] => {
            let (key, help) = (only.key.clone(), shown_text(&only.help));
            Err(AnswerError::Missing { key, help })
        }
        several => Err(AnswerError::MissingSeveral {
            keys: several.iter().map(|question| question.key.clone()).collect(),
        }),
    }
}

/// The default of a question, rendered with `names` and the answers to earlier questions.
///
/// # Errors
/// Returns an error if it uses something that is not there.
pub fn default(
    question: &Question,
    names: &Map<String, Value>,
    answers: &BTreeMap<String, String>,
) -> Result<String, AnswerError> {
    if !question.default.contains("{=") {
        return Ok(question.default.clone());
    }
    let mut variables = names.clone();
    variables.extend(answers.iter().map(|(key, value)| (key.clone(), value.clone().into())));
    let rendered = Engine::new(&variables.into())
        .and_then(|mut engine| engine.render(&question.key, &question.default));
    rendered.map_err(|source| AnswerError::Default { key: question.key.clone(), source })
}

fn accept(
    questions: &[Question],
    answers: &mut BTreeMap<String, String>,
    key: &str,
    value: &str,
) -> Result<(), AnswerError> {
    let Some(question) = questions.iter().find(|question| question.key == key) else {
        let known: Vec<_> = questions.iter().map(|question| question.key.clone()).collect();
        let nearest = crate::contract::suggestion::nearest(key, known.iter().map(String::as_str));
        let key = excerpt(key, 60);
        return Err(AnswerError::UnknownKey { key, nearest: nearest.map(str::to_owned), known });
    };
    let value = as_choice(question, value);
    if let Some(reason) = fault(question, value) {
        let value = excerpt(value, 60);
        return Err(AnswerError::Invalid { key: key.to_owned(), value, reason });
    }
    answers.insert(key.to_owned(), value.to_owned());
    Ok(())
}

/// `true` and `false` as answers to a question of yes or no.
fn as_choice<'v>(question: &Question, value: &'v str) -> &'v str {
    let is_offered = |wanted: &str| question.choices.iter().any(|choice| choice == wanted);
    match value {
        "true" if is_offered("yes") && !is_offered("true") => "yes",
        "false" if is_offered("no") && !is_offered("false") => "no",
        _ => value,
    }
}

/// Returns the fault of an answer.
#[must_use]
pub fn fault(question: &Question, value: &str) -> Option<String> {
    if !question.choices.is_empty() {
        let allowed = question.choices.iter().any(|choice| choice == value);
        return (!allowed).then(|| format!("allowed answers are {}", question.shown_choices()));
    }
    if value.chars().any(char::is_control) {
        return Some("it contains a control character".to_owned());
    }
    let limit = question.max_length.unwrap_or(MAX_ANSWER);
    if value.chars().count() > limit {
        return Some(format!("it is longer than {limit} characters"));
    }
    // An empty answer means the default of the preset.
    if value.is_empty() {
        return None;
    }
    question.pattern.and_then(|pattern| answer_forms::fault(pattern, value))
}

/// TOML or, by its extension, JSON: a flat table of strings, booleans and numbers.
fn read_file(path: &Path) -> Result<Vec<(String, String)>, AnswerError> {
    let fault = |reason: String| AnswerError::File { path: path.to_owned(), reason };
    let bytes = files::read_named(path, MAX_FILE).map_err(|error| fault(error.to_string()))?.bytes;
    let text = json::decode(&bytes).map_err(|error| fault(error.to_string()))?;
    let table: serde_json::Value = if path.extension().is_some_and(|extension| extension == "json")
    {
        json::parse(&bytes).map_err(|error| fault(error.to_string()))?
    } else {
        toml_edit::de::from_str(text)
            .map_err(|error| fault(json::printable(&error.message().replace('\n', ", "))))?
    };
    let serde_json::Value::Object(members) = table else {
        return Err(fault("it must be a table of answers".to_owned()));
    };
    members
        .into_iter()
        .map(|(key, value)| match value {
            serde_json::Value::String(text) => Ok((key, text)),
            serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {
                Ok((key, value.to_string()))
            }
            _ => Err(fault(format!(
                "`{}` must be a string, a number or a boolean",
                excerpt(&key, 200)
            ))),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(key: &str, choices: &[&str]) -> Question {
        Question {
            key: key.to_owned(),
            choices: choices.iter().map(ToString::to_string).collect(),
            default: choices.first().copied().unwrap_or_default().to_owned(),
            ..Question::default()
        }
    }

    fn collected(
        questions: &[Question],
        pairs: &[&str],
    ) -> Result<BTreeMap<String, String>, AnswerError> {
        let pairs: Vec<_> = pairs.iter().map(ToString::to_string).collect();
        let names = [("tool".to_owned(), Value::from("acme"))].into_iter().collect();
        collect(questions, None, &pairs, &names)
    }

    #[test]
    fn an_unknown_key_names_the_nearest_one() {
        let error = collected(&[question("license", &[])], &["licence=MIT"]).unwrap_err();
        assert!(
            matches!(error, AnswerError::UnknownKey { nearest: Some(nearest), .. } if nearest == "license")
        );
    }

    #[test]
    fn a_value_outside_the_choices_names_them() {
        let questions = [question("license", &["MIT", "none"])];
        let error = collected(&questions, &["license=GPL"]).unwrap_err();
        assert!(error.to_string().contains("MIT, none"), "{error}");
    }

    #[test]
    fn true_and_false_answer_a_question_of_yes_or_no() {
        let questions = [question("jobs", &["no", "yes"])];
        assert_eq!(collected(&questions, &["jobs=true"]).unwrap()["jobs"], "yes");
        assert_eq!(collected(&questions, &["jobs=false"]).unwrap()["jobs"], "no");
        assert!(collected(&questions, &["jobs=TRUE"]).is_err());
        assert!(collected(&[question("license", &["MIT"])], &["license=true"]).is_err());
    }

    #[test]
    fn a_default_may_use_names_and_earlier_answers_and_a_given_answer_wins() {
        let mut module = question("module", &[]);
        module.default = "github.com/{= owner =}/{= tool =}".into();
        module.pattern = Some(crate::inputs::template::Pattern::GoModule);
        let questions = [question("owner", &[]), module];
        let value = |pairs: &[&str]| collected(&questions, pairs).unwrap()["module"].clone();
        assert_eq!(value(&["owner=ann"]), "github.com/ann/acme");
        assert_eq!(value(&["owner=ann", "module=example.com/x"]), "example.com/x");
        // A default is judged as any other answer.
        assert!(collected(&questions, &["owner=a b"]).is_err());
    }

    #[test]
    fn a_required_answer_may_be_neither_missing_nor_empty() {
        let mut contact = question("contact", &[]);
        contact.required = true;
        for pairs in [&[][..], &["contact="]] {
            let error = collected(std::slice::from_ref(&contact), pairs).unwrap_err();
            assert!(matches!(error, AnswerError::Missing { .. }), "{error}");
        }
        assert!(collected(&[contact], &["contact=me"]).is_ok());
    }
}
