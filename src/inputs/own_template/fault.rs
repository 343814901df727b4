//! The faults of a user's own template, with their locations.

use std::fmt;
use std::path::PathBuf;

use crate::release::ReleaseError;
use crate::visible::excerpt;

/// A fault in a file of a template.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct TemplateFault {
    /// Relative to the directory of the template.
    pub path: String,
    /// Line and column, from 1.
    pub place: Option<(usize, usize)>,
    pub message: String,
}

impl TemplateFault {
    pub fn new(path: &str, place: Option<(usize, usize)>, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), place, message: message.into() }
    }

    /// A fault at a byte offset of the text of a file.
    #[must_use]
    pub fn at(path: &str, text: &str, offset: usize, message: impl Into<String>) -> Self {
        Self::new(path, Some(place(text, offset)), message)
    }
}

/// Line and column of a byte offset.
fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    (line, before[start..].chars().count() + 1)
}

impl fmt::Display for TemplateFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", excerpt(&self.path, 200))?;
        if let Some((line, column)) = self.place {
            write!(formatter, ":{line}:{column}")?;
        }
        write!(formatter, ": {}", self.message)
    }
}

/// Why there is no template.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    #[error("the template `{name}` has a fault: {}{}", faults[0], more(faults.len()))]
    Faulty { name: String, faults: Vec<TemplateFault> },
    #[error("`{}` is not a template: it has no `template.toml`", excerpt(name, 200))]
    NotATemplate { name: String },
    #[error("`{}` cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("`{}` cannot be used as a template: {reason}", excerpt(name, 200))]
    Unusable { name: String, reason: String },
    #[error("`--template {}`: {reason}", excerpt(text, 200))]
    Name { text: String, reason: String },
    #[error("the template in release `{tag}` of `{origin}` is not available: {error}")]
    Release { origin: String, tag: String, error: ReleaseError },
    #[error(
        "the tag `{tag}` of `{origin}` was moved: the project has {recorded}, but it now has {found}"
    )]
    Moved { origin: String, tag: String, recorded: String, found: String },
    #[error("git cannot get `{origin}`: {reason}")]
    Git { origin: String, reason: String, network: bool },
    #[error("`{path}` in the project is not the template that it was made from: {reason}")]
    Archive { path: &'static str, reason: String },
}

fn more(count: usize) -> String {
    match count {
        0 | 1 => String::new(),
        2 => "; 1 more".to_owned(),
        count => format!("; {} more", count - 1),
    }
}
