//! Whether the files of a template are one: every fault with its line and column.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use toml_edit::{Document, Item};

use crate::contract::Family;
use crate::generate::outputs::generators;
use crate::generate::render::Engine;
use crate::generate::runtime::Version;
use crate::generate::scaffold::{
    PACKAGE_MARK, TOOL_MARK, TemplateFile, is_of_aos, is_within, marks, output_name,
};
use crate::inputs::template::{Paths, Pattern, Presets, Question, Template, TemplateInfo};
use crate::inputs::{answer_forms, runtimes};
use crate::plan::RelativePath;

use super::fault::{TemplateError, TemplateFault};
use super::tree::{INFO, TemplateTree};

const FILES: &str = "files/";
const PRESETS: &str = "presets/";
/// Most questions of one template.
const MAX_QUESTIONS: usize = 100;
/// Variables that no question may take the name of.
const RESERVED_KEYS: &[&str] = &[
    "tool",
    "name",
    "package",
    "env_prefix",
    "title",
    "type_name",
    "resource",
    "preset",
    "spec_tag",
    "aos_version",
    "aos_repository",
];

/// True if a question cannot have this key, because the language or aos uses it.
#[must_use]
pub fn is_taken(key: &str) -> bool {
    WORDS.contains(&key) || RESERVED_KEYS.contains(&key)
}

/// Words of the language of `.tera` files, which cannot be read as an answer there.
const WORDS: &[&str] = &[
    "if", "elif", "else", "endif", "for", "endfor", "in", "is", "not", "and", "or", "loop", "true",
    "false", "none", "null", "set", "block", "endblock", "include", "extends", "filter", "raw",
    "break", "continue", "self", "super", "defined",
];

/// The template in `tree`, which `name` is for messages.
///
/// # Errors
/// Returns an error if it has any fault, with all of them.
pub fn judged(tree: &TemplateTree, name: &str) -> Result<Template, TemplateError> {
    match judge(tree) {
        (Some(template), faults) if faults.is_empty() => Ok(template),
        (_, faults) => Err(TemplateError::Faulty { name: name.to_owned(), faults }),
    }
}

/// The template in `tree` as far as it can be read, and its faults in a stable order.
#[must_use]
pub fn judge(tree: &TemplateTree) -> (Option<Template>, Vec<TemplateFault>) {
    let bytes = tree.get(INFO).unwrap_or_default();
    let Ok(text) = std::str::from_utf8(bytes) else {
        return (None, vec![TemplateFault::new(INFO, None, "it is not UTF-8")]);
    };
    let info: TemplateInfo = match toml_edit::de::from_str(text) {
        Ok(info) => info,
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            let message = error.message().trim().replace('\n', ", ");
            return (None, vec![TemplateFault::at(INFO, text, at, message)]);
        }
    };
    let mut judge = TemplateJudge { spans: Spans::of(text), info: &info, faults: Vec::new() };
    let (files, presets) = judge.files(tree);
    judge.head();
    judge.questions();
    let outputs: Vec<_> = files.iter().map(|file| output_name(&file.path)).collect();
    judge.paths(&outputs);
    let mut faults = judge.faults;
    faults.sort();
    faults.dedup();
    (Some(Template { info, files, presets, is_own: true }), faults)
}

struct TemplateJudge<'a> {
    spans: Spans<'a>,
    info: &'a TemplateInfo,
    faults: Vec<TemplateFault>,
}

impl TemplateJudge<'_> {
    fn find(&mut self, keys: &[JudgeStep<'_>], message: impl Into<String>) {
        let fault = TemplateFault::at(INFO, self.spans.text, self.spans.offset(keys), message);
        self.faults.push(fault);
    }

    /// The files and presets; text files are parsed.
    fn files(&mut self, tree: &TemplateTree) -> (Vec<TemplateFile>, Presets) {
        let (mut files, mut presets) = (Vec::new(), Presets::new());
        let mut seen = BTreeMap::new();
        let mut texts = Vec::new();
        for (path, bytes) in tree.iter() {
            let fault = |message: String| TemplateFault::new(path, None, message);
            if let Some(inner) = path.strip_prefix(PRESETS) {
                match (inner.strip_suffix(".toml"), std::str::from_utf8(bytes)) {
                    (Some(name), Ok(text)) => {
                        presets.insert(name.to_owned(), Cow::Owned(text.to_owned()));
                    }
                    _ => self.faults.push(fault("it is not a preset `NAME.toml`".to_owned())),
                }
            }
            let Some(inner) = path.strip_prefix(FILES) else { continue };
            files.push(TemplateFile::new(inner.to_owned(), bytes.to_vec()));
            let output = output_name(inner);
            let mut sample = output.replace(TOOL_MARK, "tool").replace(PACKAGE_MARK, "tool");
            let is_usual = |key: &str| match key {
                "tool" | "package" => true,
                "resource" => self.info.family != Family::NONE,
                _ => false,
            };
            for key in marks(inner) {
                if self.info.questions.iter().any(|question| question.key == key) {
                    sample = sample.replace(&format!("@{key}@"), "answer");
                } else if !is_usual(key) {
                    let message =
                        format!("`@{key}@` is neither `@tool@` nor `@package@` nor a question");
                    self.faults.push(fault(message));
                }
            }
            if ["{=", "{{", "{%"].iter().any(|mark| inner.contains(mark)) {
                let message = "the name of a file is not rendered; write an answer as `@KEY@`, such as `@owner@`, and a condition as `[[only]]`";
                self.faults.push(fault(message.to_owned()));
            }
            if let Err(error) = RelativePath::parse(&sample) {
                self.faults
                    .push(fault(format!("its name in a project is not allowed: {}", error.reason)));
            } else if is_of_aos(&sample) {
                self.faults.push(fault(format!("`{output}` is written by aos itself")));
            }
            if let Some(other) = seen.insert(output.to_lowercase(), path) {
                self.faults.push(fault(format!("it is the same file of a project as `{other}`")));
            }
            if !inner.ends_with(".tera") {
                continue;
            }
            match std::str::from_utf8(bytes) {
                Err(error) => {
                    let text = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                    let message = "it is not UTF-8; only copied files can be binary";
                    self.faults.push(TemplateFault::at(path, &text, text.len(), message));
                }
                Ok(text) => texts.push((inner, text)),
            }
        }
        let engine = Engine::new(&Value::Object(Default::default())).ok();
        for error in engine.map(|mut engine| engine.faults(&texts)).unwrap_or_default() {
            let path = format!("{FILES}{}", error.template);
            self.faults.push(TemplateFault::new(&path, error.place, error.detail));
        }
        if files.is_empty() {
            let message = "the template has no file in `files/`";
            self.faults.push(TemplateFault::new(INFO, None, message));
        }
        (files, presets)
    }

    /// Name, version, family and what depends on them.
    fn head(&mut self) {
        let info = self.info;
        if answer_forms::fault(Pattern::Slug, &info.name).is_some() || info.name.is_empty() {
            self.find(
                &[JudgeStep::Key("name")],
                "a name is lower-case words joined by single dashes",
            );
        }
        if Version::parse(&info.version).is_none() {
            self.find(&[JudgeStep::Key("version")], "a version has the form X.Y.Z");
        }
        if info.base.is_some() {
            let message = "only templates of aos can have a base; copy its files instead";
            self.find(&[JudgeStep::Key("base")], message);
        }
        let known = generators(info.family);
        for generator in info.outputs.keys() {
            let keys = [JudgeStep::Key("outputs"), JudgeStep::Key(generator)];
            if info.family == Family::NONE {
                self.find(&keys, "a template without `family` generates nothing");
            } else if !known.contains(&generator.as_str()) {
                let message = format!(
                    "the family `{}` has no such generator; it has {}",
                    info.family,
                    known.join(", ")
                );
                self.find(&keys, message);
            }
        }
        if let Some(runtime) = &info.runtime {
            let keys = [JudgeStep::Key("runtime"), JudgeStep::Key("name")];
            if info.family == Family::NONE {
                self.find(&keys, "a template without `family` has no runtime");
            } else if !runtimes::names().contains(&runtime.name) {
                let message = format!("aos has the runtimes {}", runtimes::names().join(", "));
                self.find(&keys, message);
            }
            if !runtime.examples.is_empty() {
                let message =
                    "only templates of aos can take examples of a runtime; copy the files";
                self.find(&[JudgeStep::Key("runtime"), JudgeStep::Key("examples")], message);
            }
        }
        let mut engine = Engine::new(&Value::Object(Default::default())).ok();
        let texts = info.next.iter().enumerate();
        let texts = texts
            .map(|(index, text)| (vec![JudgeStep::Key("next"), JudgeStep::Index(index)], text));
        for (keys, text) in texts.chain([(vec![JudgeStep::Key("advice")], &info.advice)]) {
            let parsed = engine.as_mut().map(|engine| engine.parse(text, text));
            if let Some(Err(error)) = parsed {
                self.find(&keys, error.detail);
            }
        }
    }

    fn questions(&mut self) {
        let info = self.info;
        if info.questions.len() > MAX_QUESTIONS {
            let message = format!("a template has at most {MAX_QUESTIONS} questions");
            self.find(&[JudgeStep::Key("questions")], message);
        }
        let mut seen = BTreeSet::new();
        let mut engine = Engine::new(&Value::Object(Default::default())).ok();
        for (index, question) in info.questions.iter().enumerate() {
            let Question { key, default, choices, .. } = question;
            let at = |member| {
                [JudgeStep::Key("questions"), JudgeStep::Index(index), JudgeStep::Key(member)]
            };
            if !is_key(key) {
                let message = format!("`{key}` is not lower-case words joined by `_`");
                self.find(&at("key"), message);
            } else if WORDS.contains(&key.as_str()) {
                self.find(&at("key"), format!("`{key}` is a word of the language of templates"));
            } else if RESERVED_KEYS.contains(&key.as_str()) {
                self.find(&at("key"), format!("`{key}` is the name of a variable of aos"));
            } else if !seen.insert(key) {
                self.find(&at("key"), format!("`{key}` is asked twice"));
            }
            if !choices.is_empty() && !choices.contains(default) {
                let message = format!("the default `{default}` is not one of the choices");
                self.find(&at("default"), message);
            }
            if !choices.is_empty() && (question.pattern.is_some() || question.max_length.is_some())
            {
                let message = "a question with choices has neither `pattern` nor `max_length`";
                self.find(&at("key"), message);
            }
            if choices.iter().any(|choice| choice.chars().any(char::is_control)) {
                self.find(&at("choices"), "a choice contains a control character");
            }
            let fault = question.pattern.and_then(|pattern| answer_forms::fault(pattern, default));
            if let Some(reason) = fault.filter(|_| !default.is_empty() && !default.contains("{=")) {
                self.find(&at("default"), format!("the default is refused: {reason}"));
            }
            let parsed = engine.as_mut().map(|engine| engine.parse(key, default));
            if let Some(Err(error)) = parsed {
                self.find(&at("default"), error.detail);
            }
        }
    }

    /// Every path of template.toml names a file, and every condition an answer.
    fn paths(&mut self, files: &[String]) {
        let info = self.info;
        let outputs: Vec<_> = info.outputs.values().flat_map(Paths::all).cloned().collect();
        for (index, executable) in info.executables.iter().enumerate() {
            if !files.contains(executable) {
                let message = format!("`{executable}` is not a file of the template");
                self.find(&[JudgeStep::Key("executables"), JudgeStep::Index(index)], message);
            }
        }
        for (index, only) in info.only.iter().enumerate() {
            let at =
                |member| [JudgeStep::Key("only"), JudgeStep::Index(index), JudgeStep::Key(member)];
            if !files.iter().chain(&outputs).any(|path| is_within(path, &only.path)) {
                let message =
                    format!("`{}` is neither a file nor a directory of the template", only.path);
                self.find(&at("path"), message);
            }
            if only.when.is_empty() {
                self.find(&at("when"), "a condition is missing");
            }
            for (index, condition) in only.when.iter().enumerate() {
                let keys = [at("when").as_slice(), [JudgeStep::Index(index)].as_slice()].concat();
                let asked = info.questions.iter().find(|asked| asked.key == condition.key);
                match asked {
                    Some(asked) if asked.choices.contains(&condition.value) => {}
                    Some(asked) if asked.choices.is_empty() => {
                        let message = format!("the question `{}` has no choices", condition.key);
                        self.find(&keys, message);
                    }
                    Some(asked) => {
                        let message = format!(
                            "`{}` is not a choice of `{}`; choices are {}",
                            condition.value,
                            condition.key,
                            asked.shown_choices()
                        );
                        self.find(&keys, message);
                    }
                    None => {
                        self.find(&keys, format!("there is no question `{}`", condition.key));
                    }
                }
            }
        }
        for path in outputs.iter().filter(|path| files.contains(path)) {
            let message = format!("`{path}` is generated, so the template cannot have it too");
            self.find(&[JudgeStep::Key("outputs")], message);
        }
    }
}

fn is_key(key: &str) -> bool {
    let lower =
        |symbol: char| symbol.is_ascii_lowercase() || symbol.is_ascii_digit() || symbol == '_';
    key.len() <= 60
        && key.starts_with(|first: char| first.is_ascii_lowercase())
        && key.chars().all(lower)
}

/// A step into template.toml.
#[derive(Clone, Copy)]
enum JudgeStep<'a> {
    Key(&'a str),
    Index(usize),
}

/// The positions of the members of template.toml.
struct Spans<'a> {
    text: &'a str,
    document: Option<Document<&'a str>>,
}

impl<'a> Spans<'a> {
    fn of(text: &'a str) -> Self {
        Self { text, document: Document::parse(text).ok() }
    }

    /// The offset of the member, or of the nearest table around it.
    fn offset(&self, keys: &[JudgeStep<'_>]) -> usize {
        let Some(document) = &self.document else { return 0 };
        let mut item: &Item = document.as_item();
        let mut at = 0;
        for key in keys {
            let inner = match key {
                JudgeStep::Key(key) => item.get(*key),
                JudgeStep::Index(index) => {
                    // The values of an array are not items, but have spans.
                    if let Some(value) = item.as_array().and_then(|array| array.get(*index)) {
                        at = value.span().map_or(at, |span| span.start);
                    }
                    item.get(*index)
                }
            };
            let Some(inner) = inner else { break };
            at = inner.span().map_or(at, |span| span.start);
            item = inner;
        }
        at
    }
}
