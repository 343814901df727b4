//! `agent-harness/pyproject.toml`, read twice: as TOML, and the way the host reads it.
//!
//! The host does not parse TOML: it cuts sections out with regular expressions, so what is valid TOML may still be lost to it.
//! No judgement lives here.

use toml_edit::{Document, Item};

#[derive(Debug, Default)]
pub struct Pyproject {
    pub name: Option<TomlText>,
    pub version: Option<TomlText>,
    pub description: Option<TomlText>,
    pub requires_python: Option<TomlText>,
    /// File named by `readme`.
    pub readme: Option<TomlText>,
    /// Names the build computes instead of stating.
    pub dynamic: Vec<String>,
    pub dependencies: Option<Vec<String>>,
    /// Script name and entry point.
    pub scripts: Vec<(String, TomlText)>,
    /// The build is told to ship data files.
    pub package_data: bool,
}

/// A string value and its offset.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct TomlText {
    pub at: usize,
    pub value: String,
}

/// Why the text is not TOML, and where.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct TomlFault {
    pub at: usize,
    pub message: String,
}

impl Pyproject {
    /// # Errors
    /// Returns an error if the text is not TOML.
    pub fn read(text: &str) -> Result<Self, TomlFault> {
        let document = Document::parse(text).map_err(|error| TomlFault {
            at: error.span().map_or(0, |span| span.start),
            message: error.message().lines().next().unwrap_or_default().to_owned(),
        })?;
        let root = document.as_item();
        let Some(project) = root.get("project") else { return Ok(Self::default()) };
        let readme = project.get("readme");
        let scripts = project.get("scripts").and_then(Item::as_table_like).map(|table| {
            table.iter().filter_map(|(name, item)| Some((name.to_owned(), entry(item)?))).collect()
        });
        let setuptools = root.get("tool").and_then(|tool| tool.get("setuptools"));
        Ok(Self {
            name: project.get("name").and_then(entry),
            version: project.get("version").and_then(entry),
            description: project.get("description").and_then(entry),
            requires_python: project.get("requires-python").and_then(entry),
            readme: readme
                .and_then(entry)
                .or_else(|| readme.and_then(|table| table.get("file")).and_then(entry)),
            dynamic: project.get("dynamic").map(strings).unwrap_or_default(),
            dependencies: project.get("dependencies").map(strings),
            scripts: scripts.unwrap_or_default(),
            package_data: setuptools.is_some_and(|table| {
                table.get("package-data").is_some() || table.get("data-files").is_some()
            }),
        })
    }
}

fn entry(item: &Item) -> Option<TomlText> {
    let at = item.span().map_or(0, |span| span.start);
    item.as_str().map(|value| TomlText { at, value: value.to_owned() })
}

fn strings(item: &Item) -> Vec<String> {
    let items = item.as_array().into_iter().flatten();
    items.filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_not_toml_is_a_fault_with_a_place() {
        let fault = Pyproject::read("[project]\nname = \n").unwrap_err();
        assert!(fault.at >= 10 && !fault.message.is_empty());
    }
}
