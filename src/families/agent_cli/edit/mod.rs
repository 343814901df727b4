//! Commands of stand-alone CLIs: declared in one file each, registered in one list, answered by a mock, tested, sampled
//! in conform.toml and named in README and Skill.

mod brackets;
mod code;
mod documents;
mod go;
mod python;
mod sample;
mod variables;

use crate::contract::suggestion;
use crate::workflows::add::name::CommandName;
use crate::workflows::add::seam::{
    Blueprint, CommandEditor, Desk, EditError, Edited, NewCode, Sources,
};

use variables::Variables;

/// Commands that the runtime brings.
const RESERVED: [&str; 9] = [
    "auth",
    "changelog",
    "completion",
    "completions",
    "context",
    "doctor",
    "help",
    "reference",
    "update",
];

pub struct AgentCliEditor;

impl CommandEditor for AgentCliEditor {
    fn add(&self, sources: Sources<'_>, blueprint: &Blueprint) -> Result<Edited, EditError> {
        are_code(sources)?;
        let mut desk = Desk::of(sources);
        let language = language(sources)?;
        free(&desk, language.as_ref(), &blueprint.name)?;
        let routes = language.routes(&desk);
        let variables = Variables::of(sources, blueprint, &routes)?;
        language.add(&mut desk, &variables)?;
        sample::add(&mut desk, &variables)?;
        documents::add(&mut desk, blueprint);
        Ok(desk.edited)
    }

    fn rename(
        &self,
        sources: Sources<'_>,
        old: &CommandName,
        new: &CommandName,
    ) -> Result<Edited, EditError> {
        are_code(sources)?;
        let mut desk = Desk::of(sources);
        let language = language(sources)?;
        free(&desk, language.as_ref(), new)?;
        let (path, source) = declaring(&desk, language.as_ref(), old)?;
        let text = language.renamed(&source, old, new).ok_or_else(|| {
            EditError::place(&path, format!("the declaration of `{old}` cannot be edited"))
        })?;
        desk.set(&path, text);
        language.group(&mut desk, new)?;
        sample::rename(&mut desk, old, new)?;
        documents::rename(&mut desk, old, new);
        Ok(desk.edited)
    }

    fn remove(&self, sources: Sources<'_>, name: &CommandName) -> Result<Edited, EditError> {
        are_code(sources)?;
        let mut desk = Desk::of(sources);
        let language = language(sources)?;
        let (path, source) = declaring(&desk, language.as_ref(), name)?;
        language.remove(&mut desk, &path, &source, name)?;
        sample::remove(&mut desk, name)?;
        documents::remove(&mut desk, name);
        desk.edited.lost.insert(0, format!("the command `{name}`, with its old names"));
        Ok(desk.edited)
    }

    fn add_code(&self, sources: Sources<'_>, code: &NewCode) -> Result<Edited, EditError> {
        let mut desk = Desk::of(sources);
        code::add(&mut desk, sources, language(sources)?.as_ref(), code)?;
        Ok(desk.edited)
    }

    fn next(&self, sources: Sources<'_>) -> Vec<String> {
        let tests = language(sources).map(|language| language.tests().to_owned());
        tests.into_iter().chain(["aos check".to_owned(), "make conform".to_owned()]).collect()
    }
}

/// Refuses a tool that was made from a description: its commands are a table, and no code declares them.
fn are_code(sources: Sources<'_>) -> Result<(), EditError> {
    match &sources.record.openapi {
        None => Ok(()),
        Some(_) => Err(EditError::Data {
            what: "the commands of this tool are entries of the files in `operations/`".to_owned(),
            hint: "`aos add --openapi FILE --operation ID` adds an operation of the description; docs/YOUR_API.md describes how to change the others, and where to add a command in code",
        }),
    }
}

/// The part of an editor that differs between languages.
trait EditedLanguage: Sync {
    /// Directory of the files that declare commands, and their ending.
    fn sources(&self) -> (String, &'static str);

    /// Returns the declarations of the path of a command.
    fn declaration(&self, path: &str) -> Vec<String>;

    /// Routes of the mock, such as `GET /v1/items/{id}`, as text of its files.
    fn routes(&self, desk: &Desk<'_>) -> String;

    fn add(&self, desk: &mut Desk<'_>, variables: &Variables) -> Result<(), EditError>;

    /// The group of a command, where groups are listed.
    fn group(&self, desk: &mut Desk<'_>, name: &CommandName) -> Result<(), EditError>;

    /// The source with the new name, and the old one as an alias.
    fn renamed(&self, source: &str, old: &CommandName, new: &CommandName) -> Option<String>;

    fn remove(
        &self,
        desk: &mut Desk<'_>,
        path: &str,
        source: &str,
        name: &CommandName,
    ) -> Result<(), EditError>;

    /// A code of the tool, where client and tests list codes.
    fn add_code(&self, desk: &mut Desk<'_>, code: &NewCode) -> Result<(), EditError>;

    fn tests(&self) -> &'static str;
}

/// The language of the project: that of its runtime.
fn language(sources: Sources<'_>) -> Result<Box<dyn EditedLanguage>, EditError> {
    let runtime = sources.record.runtime.as_ref().map(|runtime| runtime.name.as_str());
    match runtime {
        Some("go") => Ok(Box::new(go::Go::of(sources)?)),
        Some("python") => Ok(Box::new(python::Python::of(sources)?)),
        _ => Err(EditError::Refused(
            "commands can be added to tools whose runtime is `go` or `python`, but aos.toml names neither"
                .to_owned(),
        )),
    }
}

/// Checks that a name can be used.
fn free(
    desk: &Desk<'_>,
    language: &dyn EditedLanguage,
    name: &CommandName,
) -> Result<(), EditError> {
    if RESERVED.contains(&name.group.as_str()) {
        return Err(EditError::Reserved(name.group.clone()));
    }
    match declaring(desk, language, name) {
        Ok(_) => Err(EditError::Taken(name.path())),
        Err(_) => Ok(()),
    }
}

/// The file that declares a command.
fn declaring(
    desk: &Desk<'_>,
    language: &dyn EditedLanguage,
    name: &CommandName,
) -> Result<(String, String), EditError> {
    let (directory, ending) = language.sources();
    let wanted = language.declaration(&name.path());
    let mut known = Vec::new();
    for path in desk.below(&directory, ending) {
        let text = desk.text(&path).unwrap_or_default();
        if wanted.iter().any(|declaration| text.contains(declaration.as_str())) {
            return Ok((path.clone(), text.to_owned()));
        }
        known.extend(quoted_paths(text));
    }
    // Not every quoted text is a command, so they are good enough for a guess, and not for a list.
    let near = suggestion::nearest(&name.path(), known.iter().map(String::as_str));
    let near: Vec<_> = near.map(str::to_owned).into_iter().collect();
    Err(EditError::unknown(name.path(), &near))
}

/// Texts in quotes that have two words, as paths of commands have.
fn quoted_paths(text: &str) -> Vec<String> {
    let parts = text.split('"').skip(1).step_by(2);
    parts.filter(|part| CommandName::parse(part).is_ok()).map(str::to_owned).collect()
}
