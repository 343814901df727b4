//! Answers to a template's questions: one validator for flags, files and defaults.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::contract::json;
use crate::system::files;

use super::embedded::Question;

/// Longest answer without a limit of its own, in characters.
const MAX_ANSWER: usize = 200;
/// Largest answers file, in bytes.
const MAX_FILE: u64 = 64 * 1024;

/// Why answers cannot be used. Every message names the key.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    #[error("`--set {}` is not of the form key=value", text.escape_debug())]
    NotAPair { text: String },
    #[error("`{key}` is not a question of this template; it asks {}", known.join(", "))]
    UnknownKey { key: String, known: Vec<String>, nearest: Option<String> },
    #[error("`{key}` = `{value}`: {reason}")]
    Invalid { key: String, value: String, reason: String },
    #[error("answers file `{}`: {reason}", path.display())]
    File { path: PathBuf, reason: String },
}

/// Collects answers: `--set` before the file before the default.
///
/// # Errors
/// On the first unknown key or invalid value.
pub fn collect(
    questions: &[Question],
    file: Option<&Path>,
    pairs: &[String],
) -> Result<BTreeMap<String, String>, AnswerError> {
    let mut answers: BTreeMap<String, String> =
        questions.iter().map(|question| (question.key.clone(), question.default.clone())).collect();
    if let Some(path) = file {
        for (key, value) in read_file(path)? {
            accept(questions, &mut answers, &key, &value)?;
        }
    }
    for pair in pairs {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(AnswerError::NotAPair { text: pair.chars().take(80).collect() });
        };
        accept(questions, &mut answers, key, value)?;
    }
    Ok(answers)
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
        let key = key.chars().take(60).collect::<String>().escape_debug().to_string();
        return Err(AnswerError::UnknownKey { key, nearest: nearest.map(str::to_owned), known });
    };
    if let Some(reason) = fault(question, value) {
        let value = value.chars().take(60).collect::<String>().escape_debug().to_string();
        return Err(AnswerError::Invalid { key: key.to_owned(), value, reason });
    }
    answers.insert(key.to_owned(), value.to_owned());
    Ok(())
}

fn fault(question: &Question, value: &str) -> Option<String> {
    if !question.choices.is_empty() {
        let allowed = question.choices.iter().any(|choice| choice == value);
        return (!allowed).then(|| format!("allowed are {}", question.choices.join(", ")));
    }
    if value.chars().any(char::is_control) {
        return Some("it holds a control character".to_owned());
    }
    let limit = question.max_length.unwrap_or(MAX_ANSWER);
    if value.chars().count() > limit {
        return Some(format!("it is longer than {limit} characters"));
    }
    // An empty answer means the default of the preset.
    if value.is_empty() {
        return None;
    }
    match question.pattern.as_deref() {
        Some("slug") if !is_slug(value) => {
            Some("it must be lower-case words joined by single dashes".to_owned())
        }
        Some("https-url") if !is_https_url(value) => {
            Some("it must be an https URL without user, query or fragment".to_owned())
        }
        _ => None,
    }
}

fn is_slug(text: &str) -> bool {
    text.len() <= 60
        && text.split('-').all(|word| {
            !word.is_empty()
                && word.chars().all(|symbol| symbol.is_ascii_lowercase() || symbol.is_ascii_digit())
        })
}

fn is_https_url(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://") else { return false };
    let host = rest.split('/').next().unwrap_or_default();
    let (name, port) = host.split_once(':').unwrap_or((host, "443"));
    !name.is_empty()
        && !name.starts_with('.')
        && name.chars().all(|symbol| symbol.is_ascii_alphanumeric() || matches!(symbol, '.' | '-'))
        && port.parse::<u16>().is_ok()
        && rest.chars().all(|symbol| {
            symbol.is_ascii_alphanumeric()
                || matches!(symbol, '.' | '-' | '_' | '/' | ':' | '~' | '%')
        })
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
                "`{}` must be a text, a number or a boolean",
                key.escape_debug()
            ))),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(key: &str, choices: &[&str], pattern: Option<&str>) -> Question {
        Question {
            key: key.to_owned(),
            help: String::new(),
            default: String::new(),
            choices: choices.iter().map(ToString::to_string).collect(),
            max_length: None,
            pattern: pattern.map(str::to_owned),
        }
    }

    #[test]
    fn an_unknown_key_names_the_nearest_one() {
        let error =
            collect(&[question("license", &[], None)], None, &["licence=MIT".into()]).unwrap_err();
        assert!(
            matches!(error, AnswerError::UnknownKey { nearest: Some(nearest), .. } if nearest == "license")
        );
    }

    #[test]
    fn a_value_outside_the_choices_names_them() {
        let questions = [question("license", &["MIT", "none"], None)];
        let error = collect(&questions, None, &["license=GPL".into()]).unwrap_err();
        assert!(error.to_string().contains("MIT, none"), "{error}");
    }

    #[test]
    fn urls_are_https_and_plain() {
        let questions = [question("base_url", &[], Some("https-url"))];
        for good in ["https://api.acme.example", "https://api.acme.example:8443/v2", ""] {
            assert!(collect(&questions, None, &[format!("base_url={good}")]).is_ok(), "{good}");
        }
        for bad in [
            "http://a.b",
            "https://u:p@a.b",
            "https://",
            "https://a.b?x=1",
            "https://a b",
            "https://a.b\"+x",
        ] {
            assert!(collect(&questions, None, &[format!("base_url={bad}")]).is_err(), "{bad}");
        }
    }
}
