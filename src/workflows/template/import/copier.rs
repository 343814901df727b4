//! Templates of copier: `copier.yml` and files with the suffix `.jinja`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::inputs::own_template::RepositoryFile;
use crate::report::answers::template::LeftOutPart;
use crate::report::{ErrorCode, Failure};

use super::cookiecutter::default;
use super::imported::Imported;
use super::jinja::{JinjaNames, is_template};
use super::paths::{fits, used_keys};
use super::question::{Asked, Info, free_key, key};
use super::yaml_tree;

/// Files that copier never copies.
const EXCLUDED: [&str; 8] =
    ["copier.yaml", "copier.yml", "~*", "*.py[co]", "__pycache__", ".git", ".DS_Store", ".svn"];
/// Settings that run code.
const CODE: [&str; 4] = ["_tasks", "_migrations", "_jinja_extensions", "_external_data"];
/// Settings that are carried out here.
const KNOWN: [&str; 3] = ["_subdirectory", "_templates_suffix", "_exclude"];

/// Imports a template.
///
/// # Errors
/// Returns an error if its description cannot be read, or its delimiters are not those of Jinja.
pub fn import(name: &str, sources: &[RepositoryFile], path: &str) -> Result<Imported, Failure> {
    let config = config(sources, path)?;
    let text = |key: &str| config.get(key).and_then(Value::as_str);
    let mut left_out = settings(&config, path);
    let directory = text("_subdirectory").unwrap_or_default().trim_matches('/').to_owned();
    let suffix = text("_templates_suffix").unwrap_or(".jinja").to_owned();
    let excluded: Vec<String> = match config.get("_exclude").and_then(Value::as_array) {
        Some(list) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        None if !directory.is_empty() => Vec::new(),
        None => EXCLUDED.iter().map(|pattern| (*pattern).to_owned()).collect(),
    };
    let inner: Vec<_> = sources
        .iter()
        .filter_map(|file| match directory.is_empty() {
            true => Some((file.path.as_str(), file)),
            false => Some((file.path.strip_prefix(&directory)?.strip_prefix('/')?, file)),
        })
        .filter(|(path, _)| !excluded.iter().any(|pattern| fits(pattern, path)))
        .filter(|(inner, _)| *inner != path)
        .collect();
    let (renamed, notes) = renamed(used_keys(inner.iter().map(|(path, _)| *path), ""), &config);
    let questions = questions(&config, path, &renamed, &mut left_out);
    let names = JinjaNames { prefix: "", questions: &questions, renamed: &renamed };
    let info = Info { name: name.to_owned(), origin: "copier", ..Info::default() };
    let mut imported = Imported { info, files: BTreeMap::new(), left_out, notes };
    for (inner, file) in inner {
        let bare = inner.strip_suffix(suffix.as_str()).filter(|bare| !bare.is_empty());
        let is_rendered = bare.is_some();
        if inner.contains("_copier_conf.answers_file") {
            let reason = "aos.toml has the answers".to_owned();
            imported.left_out.push(LeftOutPart { what: file.path.clone(), line: None, reason });
            continue;
        }
        imported.add(bare.unwrap_or(inner), file, &names, !is_rendered);
    }
    imported.info.questions = questions.clone();
    Ok(imported)
}

fn config(sources: &[RepositoryFile], path: &str) -> Result<Map<String, Value>, Failure> {
    let unusable = |reason: String| {
        Failure::new(ErrorCode::Validation, format!("`{path}` cannot be used: {reason}"))
            .hint("fix the file; nothing was changed")
    };
    let file = sources.iter().find(|file| file.path == path);
    let bytes = file.map(|file| file.bytes.as_slice()).unwrap_or_default();
    let text = std::str::from_utf8(bytes).map_err(|_| unusable("it is not UTF-8".to_owned()))?;
    let config = match yaml_tree::read(text) {
        Ok(Value::Object(members)) => members,
        Ok(_) => return Err(unusable("it is not a table".to_owned())),
        Err((line, reason)) => return Err(unusable(format!("line {line}: {reason}"))),
    };
    let is_other = |options: &Map<String, Value>| {
        let is_like = |key: &str, usual: &str| options.get(key).is_none_or(|value| value == usual);
        !(is_like("block_start_string", "{%")
            && is_like("variable_start_string", "{{")
            && is_like("comment_start_string", "{#"))
    };
    if config.get("_envops").and_then(Value::as_object).is_some_and(is_other) {
        return Err(unusable("`_envops` sets delimiters that are not those of Jinja".to_owned()));
    }
    Ok(config)
}

/// Settings that have no counterpart.
fn settings(config: &Map<String, Value>, path: &str) -> Vec<LeftOutPart> {
    let names =
        config.keys().filter(|name| name.starts_with('_') && !KNOWN.contains(&name.as_str()));
    let left = |name: &String| {
        let reason = if CODE.contains(&name.as_str()) {
            "it is code; list its commands in `next` of template.toml"
        } else {
            "a setting that aos does not have"
        };
        LeftOutPart { what: format!("`{name}` in {path}"), line: None, reason: reason.to_owned() }
    };
    names.map(left).collect()
}

/// Keys of paths that are the name or the package of a project.
fn renamed(
    used: Vec<String>,
    config: &Map<String, Value>,
) -> (BTreeMap<String, &'static str>, Vec<String>) {
    let (mut renamed, mut notes) = (BTreeMap::new(), Vec::new());
    let used: Vec<_> = used.into_iter().filter(|key| config.contains_key(key)).collect();
    let is_like = |key: &str, words: &[&str]| words.iter().any(|word| key.contains(word));
    let package = used.iter().find(|key| is_like(key, &["package", "module", "pkg", "import"]));
    let tool = used.iter().find(|key| {
        Some(*key) != package && is_like(key, &["name", "slug", "repo", "project", "app"])
    });
    for (key, variable, what) in [(package, "package", "the package"), (tool, "tool", "the name")] {
        if let Some(key) = key {
            notes.push(format!("`{key}` is {what} of the project, `{variable}`"));
            renamed.insert(key.clone(), variable);
        }
    }
    (renamed, notes)
}

fn questions(
    config: &Map<String, Value>,
    path: &str,
    renamed: &BTreeMap<String, &'static str>,
    left_out: &mut Vec<LeftOutPart>,
) -> Vec<Asked> {
    let mut questions: Vec<Asked> = Vec::new();
    for (name, value) in config {
        let mut leave = |reason: &str| {
            let what = format!("`{name}` in {path}");
            left_out.push(LeftOutPart { what, line: None, reason: reason.to_owned() });
        };
        if name.starts_with('_') || renamed.contains_key(name) {
            continue;
        }
        if key(name).as_ref() != Some(name) {
            leave("its name is not lower-case words joined by `_`");
            continue;
        }
        let empty = Map::new();
        let members = value.as_object().unwrap_or(&empty);
        let is = |member: &str| members.get(member) == Some(&Value::Bool(true));
        if is("secret") {
            leave("a secret, which aos never records");
            continue;
        }
        if is("multiselect") || value.is_array() {
            leave("several answers to one question are not supported");
            continue;
        }
        for member in ["when", "validator"] {
            if members.contains_key(member) {
                leave(&format!("its `{member}` was not imported; the question is always asked"));
            }
        }
        let given = if value.is_object() { members.get("default") } else { Some(value) };
        let kind = members.get("type").and_then(Value::as_str);
        let is_yes_no =
            kind == Some("bool") || kind.is_none() && matches!(given, Some(Value::Bool(_)));
        let help = members.get("help").and_then(Value::as_str).unwrap_or(name);
        let mut asked = Asked {
            source: name.clone(),
            key: free_key(name),
            help: help.lines().next().unwrap_or(name).to_owned(),
            default: String::new(),
            choices: Vec::new(),
            is_yes_no,
        };
        if is_yes_no {
            asked.choices = vec!["no".to_owned(), "yes".to_owned()];
        } else if let Some(choices) = members.get("choices") {
            match choices_of(choices) {
                Some(choices) => asked.choices = choices,
                None => leave("its choices are computed, so any text is allowed"),
            }
        }
        let names = JinjaNames { prefix: "", questions: &questions, renamed };
        match given.and_then(scalar) {
            Some(text) => match default(&text, &names) {
                Ok(default) => asked.default = default,
                Err(reason) => leave(&format!("its default was not imported: {reason}")),
            },
            None if given.is_some_and(|given| !given.is_null()) => {
                leave("its default is not a string");
            }
            None => {}
        }
        if let (false, Some(first)) =
            (asked.choices.contains(&asked.default), asked.choices.first())
        {
            asked.default = first.clone();
        }
        questions.push(asked);
    }
    questions
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(true) => Some("yes".to_owned()),
        Value::Bool(false) => Some("no".to_owned()),
        _ => None,
    }
}

/// A list of values, of pairs of label and value, or a table of labels.
fn choices_of(value: &Value) -> Option<Vec<String>> {
    let choices: Vec<_> = match value {
        Value::Array(items) => items
            .iter()
            .map(|item| match item {
                Value::Array(pair) => pair.get(1).and_then(scalar),
                item => scalar(item),
            })
            .collect::<Option<_>>()?,
        Value::Object(labels) => labels.values().map(scalar).collect::<Option<_>>()?,
        _ => return None,
    };
    let is_plain = |choice: &String| !is_template(choice) && !choice.contains('\n');
    (!choices.is_empty() && choices.iter().all(is_plain)).then_some(choices)
}
