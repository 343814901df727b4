//! The interface of `aos add`, `aos rename` and `aos remove` to the family of a project: where a command is declared,
//! implemented, tested and described.
//!
//! An editor gets the files of a project and returns the changed ones; it reads and writes nothing itself.

use std::collections::BTreeMap;

use crate::contract::family::FamilyParts;
use crate::contract::{ProjectFiles, suggestion};
use crate::generate::record::Record;
use crate::visible::excerpt;

use super::json_text::JsonEditError;
use super::name::CommandName;

/// The least mode that a command needs.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum CommandMode {
    Readonly,
    Write,
    Full,
    Admin,
}

impl CommandMode {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Readonly => "readonly",
            Self::Write => "write",
            Self::Full => "full",
            Self::Admin => "admin",
        }
    }
}

/// The type of an input.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum AddedKind {
    Text,
    Number,
    Boolean,
    List,
}

/// One input of a command, in words that are joined by `_`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Input {
    pub name: String,
    pub kind: AddedKind,
    pub required: bool,
}

/// The shape of a command.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum InputShape {
    List,
    Get,
    Create,
    /// Changes one object, with or without inputs.
    Change,
    Delete,
    /// Makes the same change to many objects.
    Many,
}

/// A command that is to be made.
#[derive(Clone, Debug)]
pub struct Blueprint {
    pub name: CommandName,
    pub mode: CommandMode,
    pub shape: InputShape,
    pub summary: String,
    /// `POST`.
    pub method: String,
    /// `/v1/items/{id}/archive`.
    pub path: String,
    /// Whether the caller chose the request.
    pub is_chosen: bool,
    /// Beside those that the path names.
    pub inputs: Vec<Input>,
}

impl Blueprint {
    /// The parts of the path.
    pub fn segments(&self) -> impl Iterator<Item = Segment<'_>> {
        self.path.split('/').filter(|part| !part.is_empty()).map(|part| {
            match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
                Some(name) => Segment::Value(name),
                None => Segment::Text(part),
            }
        })
    }

    #[must_use]
    pub fn has_target(&self) -> bool {
        self.segments().any(|segment| segment == Segment::Value("id"))
    }
}

/// One part of a path.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Segment<'a> {
    Text(&'a str),
    Value(&'a str),
}

/// A code that is to be made.
#[derive(Clone, Debug)]
pub struct NewCode {
    pub code: String,
    pub exit: u8,
    pub retryable: bool,
    /// The advice for agents.
    pub advice: String,
    /// The error code with which the API reports the same failure.
    pub upstream: String,
}

/// The project that is changed.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    pub repository: &'a ProjectFiles,
    pub record: &'a Record,
}

/// The result of an editor.
#[derive(Debug, Default)]
pub struct Edited {
    /// The whole text of each changed file; `None` deletes it.
    pub files: BTreeMap<String, Option<String>>,
    pub notes: Vec<String>,
    /// Places that a person must edit.
    pub by_hand: Vec<String>,
    /// Everything that the change removes.
    pub lost: Vec<String>,
}

/// Why a project cannot be edited.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("the project already has a command `{0}`")]
    Taken(String),
    #[error("the project has no command `{name}`")]
    Unknown { name: String, fix: String },
    #[error("the project already has the code `{0}`")]
    CodeTaken(String),
    #[error("the contract requires `{0}`, so it cannot be changed")]
    Reserved(String),
    #[error("`{path}`: {reason}")]
    Place { path: String, reason: String },
    #[error("`{path}` already exists")]
    Exists { path: String },
    #[error("{0}")]
    Refused(String),
    /// A change that is made in another way: what is wrong, and how to make the change.
    #[error("{what}")]
    Data { what: String, hint: &'static str },
    #[error("`{path}`: {source}")]
    Json { path: String, source: JsonEditError },
    #[error(transparent)]
    Render(#[from] crate::generate::render::RenderError),
}

/// Most commands that a fix names.
const MAX_NAMED: usize = 20;

impl EditError {
    /// A command that is none of `known`.
    #[must_use]
    pub fn unknown(name: String, known: &[String]) -> Self {
        let near = suggestion::nearest(&name, known.iter().map(String::as_str));
        let fix = near.map_or_else(
            || {
                let shown: Vec<_> =
                    known.iter().take(MAX_NAMED).map(|id| excerpt(id, 60)).collect();
                match known.len() {
                    0 => "the README of the project lists its commands".to_owned(),
                    1..=MAX_NAMED => format!("commands are {}", shown.join(", ")),
                    all => {
                        format!("commands are {} and {} more", shown.join(", "), all - MAX_NAMED)
                    }
                }
            },
            |near| format!("did you mean `{near}`?"),
        );
        Self::Unknown { name, fix }
    }

    #[must_use]
    pub fn place(path: &str, reason: impl Into<String>) -> Self {
        Self::Place { path: path.to_owned(), reason: reason.into() }
    }

    #[must_use]
    pub fn json(path: &str, source: JsonEditError) -> Self {
        Self::Json { path: path.to_owned(), source }
    }
}

/// Files of a project with the changes so far.
#[derive(Debug)]
pub struct Desk<'a> {
    repository: &'a ProjectFiles,
    pub edited: Edited,
}

impl<'a> Desk<'a> {
    #[must_use]
    pub fn of(sources: Sources<'a>) -> Self {
        Self { repository: sources.repository, edited: Edited::default() }
    }

    /// The current text of a file, including the changes so far.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&str> {
        match self.edited.files.get(path) {
            Some(text) => text.as_deref(),
            None => self.repository.text(path),
        }
    }

    /// The same, of a file that must be there.
    ///
    /// # Errors
    /// Returns an error if it is not.
    pub fn needed(&self, path: &str) -> Result<&str, EditError> {
        self.text(path).ok_or_else(|| EditError::place(path, "it does not exist, or is not text"))
    }

    pub fn set(&mut self, path: &str, text: String) {
        self.edited.files.insert(path.to_owned(), Some(text));
    }

    pub fn delete(&mut self, path: &str) {
        self.edited.files.insert(path.to_owned(), None);
    }

    /// A file that must not be there yet.
    ///
    /// # Errors
    /// Returns an error if something is.
    pub fn create(&mut self, path: &str, text: String) -> Result<(), EditError> {
        if self.text(path).is_some() || self.repository.holds(path) {
            return Err(EditError::Exists { path: path.to_owned() });
        }
        self.set(path, text);
        Ok(())
    }

    /// Paths of text files below a directory, those that were added so far included.
    #[must_use]
    pub fn below(&self, directory: &str, ending: &str) -> Vec<String> {
        let fits = |path: &&String| {
            path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
                && path.ends_with(ending)
        };
        let mut paths: Vec<_> = self.repository.files.keys().filter(fits).cloned().collect();
        paths.extend(self.edited.files.keys().filter(fits).cloned());
        paths.sort();
        paths.dedup();
        paths.retain(|path| self.text(path).is_some());
        paths
    }
}

/// Edits the commands of the projects of one family.
pub trait CommandEditor: Sync {
    /// # Errors
    /// Returns an error if the name is taken, or a place that must be edited is not found.
    fn add(&self, sources: Sources<'_>, blueprint: &Blueprint) -> Result<Edited, EditError>;

    /// The old name keeps working.
    ///
    /// # Errors
    /// Returns an error if there is no such command, or a place that must be edited is not found.
    fn rename(
        &self,
        sources: Sources<'_>,
        old: &CommandName,
        new: &CommandName,
    ) -> Result<Edited, EditError>;

    /// # Errors
    /// Returns an error if there is no such command, or a place that must be edited is not found.
    fn remove(&self, sources: Sources<'_>, name: &CommandName) -> Result<Edited, EditError>;

    /// # Errors
    /// Returns an error if the family has no codes of its own, or the code is refused.
    fn add_code(&self, sources: Sources<'_>, code: &NewCode) -> Result<Edited, EditError>;

    /// Returns the commands that prove that the project still works.
    fn next(&self, sources: Sources<'_>) -> Vec<String>;
}

/// The families whose commands can be edited.
pub static EDITORS: FamilyParts<dyn CommandEditor> = FamilyParts::new();
