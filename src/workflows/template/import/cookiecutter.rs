//! Templates of cookiecutter: `cookiecutter.json`, and the directory that is named after the project.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::contract::json;
use crate::inputs::own_template::RepositoryFile;
use crate::reason::Reason;
use crate::report::answers::template::LeftOutPart;
use crate::report::{ErrorCode, Failure};

use super::imported::Imported;
use super::jinja::{JinjaNames, expression, is_template, translate};
use super::paths::{fits, used_keys};
use super::question::{Asked, Info, free_key, key};

const CONFIG: &str = "cookiecutter.json";
const PREFIX: &str = "cookiecutter.";
/// Settings without an effect on the files.
const HARMLESS: [&str; 3] = ["_template", "_output_dir", "_copy_without_render"];

/// Imports a template.
///
/// # Errors
/// Returns an error if its description cannot be read, or it has no directory for the project.
pub fn import(name: &str, sources: &[RepositoryFile]) -> Result<Imported, Failure> {
    let config = config(sources)?;
    let (root, root_key) = root(sources)?;
    let inner: Vec<_> = sources
        .iter()
        .filter_map(|file| Some((file.path.strip_prefix(&root)?.strip_prefix('/')?, file)))
        .collect();
    let mut renamed = BTreeMap::from([(root_key.clone(), "tool")]);
    let mut notes = vec![format!("`{root_key}` is the name of the project, `tool`")];
    // A package is a directory whose name follows from another answer; a free answer stays one.
    let directories = inner.iter().filter_map(|(path, _)| Some(path.rsplit_once('/')?.0));
    let is_computed = |key: &String| {
        let default = config.get(key).and_then(Value::as_str).unwrap_or_default();
        is_template(default) || ["package", "module", "pkg"].iter().any(|word| key.contains(word))
    };
    let others = used_keys(directories, PREFIX).into_iter();
    if let Some(package) = others.filter(|key| *key != root_key).find(is_computed) {
        notes.push(format!("`{package}` is the package of the project, `package`"));
        renamed.insert(package, "package");
    }
    let mut left_out = beside(sources, &root);
    let questions = questions(&config, &renamed, &mut left_out);
    let names = JinjaNames { prefix: PREFIX, questions: &questions, renamed: &renamed };
    let verbatim: Vec<_> = config
        .get("_copy_without_render")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let info = Info { name: name.to_owned(), origin: "cookiecutter", ..Info::default() };
    let mut imported = Imported { info, files: BTreeMap::new(), left_out, notes };
    for (path, file) in inner {
        let copied = verbatim.iter().any(|pattern| fits(pattern, path));
        imported.add(path, file, &names, copied);
    }
    imported.info.questions = questions.clone();
    Ok(imported)
}

fn config(sources: &[RepositoryFile]) -> Result<Map<String, Value>, Failure> {
    let unusable = |reason: String| {
        Failure::new(ErrorCode::Validation, format!("`{CONFIG}` cannot be used: {reason}"))
            .hint("fix the file; nothing was changed")
    };
    let file = sources.iter().find(|file| file.path == CONFIG);
    let bytes = file.map(|file| file.bytes.as_slice()).unwrap_or_default();
    match json::parse(bytes).map_err(|error| unusable(error.to_string()))? {
        Value::Object(members) => Ok(members),
        _ => Err(unusable("it is not an object".to_owned())),
    }
}

/// The directory of the project, and the key that it is named after.
fn root(sources: &[RepositoryFile]) -> Result<(String, String), Failure> {
    let tops = sources.iter().filter_map(|file| file.path.split_once('/')).map(|(top, _)| top);
    let mut tops: Vec<_> = tops.filter(|top| top.contains("{{")).collect();
    tops.dedup();
    let refused = |message: &str| {
        Failure::new(ErrorCode::Validation, message.to_owned())
            .hint("in a template of aos, the directory always has the name of the project; nothing was changed")
    };
    let [top] = tops.as_slice() else {
        return Err(refused("the template has not exactly one directory `{{cookiecutter.NAME}}`"));
    };
    let inner = top.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")).map(str::trim);
    let key = inner
        .and_then(|inner| inner.strip_prefix(PREFIX))
        .filter(|key| super::question::key(key).is_some());
    let key = key
        .ok_or_else(|| refused("the directory of the template is not named after one question"))?;
    Ok(((*top).to_owned(), key.to_owned()))
}

/// Returns the parts outside the directory of the project: hooks are code, the rest describes the template.
fn beside(sources: &[RepositoryFile], root: &str) -> Vec<LeftOutPart> {
    let (mut left_out, mut others) = (Vec::new(), 0);
    for file in sources {
        if file.path == CONFIG
            || file.path.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'))
        {
            continue;
        }
        if file.path.starts_with("hooks/") {
            let reason = "a hook is code; list its commands in `next` of template.toml";
            left_out.push(LeftOutPart {
                what: file.path.clone(),
                line: None,
                reason: reason.to_owned(),
            });
        } else {
            others += 1;
        }
    }
    if others > 0 {
        let what = format!("{} beside `{root}`", crate::visible::counted(others, "file"));
        left_out.push(LeftOutPart {
            what,
            line: None,
            reason: "they are not part of a project".to_owned(),
        });
    }
    left_out
}

fn questions(
    config: &Map<String, Value>,
    renamed: &BTreeMap<String, &'static str>,
    left_out: &mut Vec<LeftOutPart>,
) -> Vec<Asked> {
    let prompts = config.get("__prompts__").and_then(Value::as_object);
    let mut questions: Vec<Asked> = Vec::new();
    for (name, value) in config {
        let mut leave = |reason: &str| {
            let what = format!("`{name}` in {CONFIG}");
            left_out.push(LeftOutPart { what, line: None, reason: reason.to_owned() });
        };
        if name == "__prompts__" || HARMLESS.contains(&name.as_str()) || renamed.contains_key(name)
        {
            continue;
        }
        if name.starts_with('_') {
            leave("a setting or a computed value, which aos does not have");
            continue;
        }
        if key(name).as_ref() != Some(name) {
            leave("its name is not lower-case words joined by `_`");
            continue;
        }
        let help = prompts.and_then(|prompts| prompts.get(name)).and_then(Value::as_str);
        let mut asked = Asked {
            help: help.unwrap_or(name).to_owned(),
            source: name.clone(),
            key: free_key(name),
            default: String::new(),
            choices: Vec::new(),
            is_yes_no: false,
        };
        match value {
            Value::String(text) => {
                let names = JinjaNames { prefix: PREFIX, questions: &questions, renamed };
                match default(text, &names) {
                    Ok(default) => asked.default = default,
                    Err(reason) => leave(&format!("its default was not imported: {reason}")),
                }
            }
            Value::Bool(value) => {
                asked.is_yes_no = true;
                asked.choices = vec!["no".to_owned(), "yes".to_owned()];
                asked.default = if *value { "yes" } else { "no" }.to_owned();
            }
            Value::Number(number) => asked.default = number.to_string(),
            Value::Array(items) if items.iter().all(Value::is_string) && !items.is_empty() => {
                let texts = items.iter().filter_map(Value::as_str);
                asked.choices = texts.map(str::to_owned).collect();
                asked.default = asked.choices.first().cloned().unwrap_or_default();
                if asked.choices.iter().any(|choice| is_template(choice)) {
                    leave("a choice is computed");
                    continue;
                }
            }
            _ => {
                leave("its value is neither a text nor a list of texts");
                continue;
            }
        }
        questions.push(asked);
    }
    questions
}

/// A default in the language of aos.
///
/// # Errors
/// The reason why it cannot be one.
pub fn default(text: &str, names: &JinjaNames<'_>) -> Result<String, Reason> {
    if !is_template(text) {
        return Ok(text.to_owned());
    }
    let whole = text.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
    if let Some(code) = whole.filter(|code| !code.contains("{{")) {
        let code = expression(code, names)?;
        return Ok(format!("{{= {code} =}}"));
    }
    translate(text, names).map_err(|(_, reason)| reason.into())
}
