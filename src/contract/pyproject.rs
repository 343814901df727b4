//! `agent-harness/pyproject.toml`, read twice: as TOML, and the way the host reads it.
//!
//! The host does not parse TOML: it cuts sections out with regular expressions, so what is valid TOML may still be lost to it.
//! No judgement lives here.

use toml_edit::{Document, Item};

#[derive(Debug, Default)]
pub struct Pyproject {
    pub name: Option<Entry>,
    pub version: Option<Entry>,
    pub description: Option<Entry>,
    pub requires_python: Option<Entry>,
    /// File named by `readme`.
    pub readme: Option<Entry>,
    /// Names the build computes instead of stating.
    pub dynamic: Vec<String>,
    pub dependencies: Option<Vec<String>>,
    /// Script name and entry point.
    pub scripts: Vec<(String, Entry)>,
    /// The build is told to ship data files.
    pub package_data: bool,
}

/// A string value and the offset where it stands.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Entry {
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
    /// When the text is not TOML.
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

fn entry(item: &Item) -> Option<Entry> {
    let at = item.span().map_or(0, |span| span.start);
    item.as_str().map(|value| Entry { at, value: value.to_owned() })
}

fn strings(item: &Item) -> Vec<String> {
    let items = item.as_array().into_iter().flatten();
    items.filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

/// What the host's regular expressions see: a section ends at a line that starts with `[` or at a capital `Z`,
/// and values are read only when they stand in double quotes.
#[derive(Debug, Default, Eq, PartialEq)]
pub struct HostView<'a> {
    pub name: Option<&'a str>,
    pub version: Option<&'a str>,
    pub description: Option<&'a str>,
    pub requires_python: Option<&'a str>,
    pub scripts: Vec<&'a str>,
}

impl<'a> HostView<'a> {
    #[must_use]
    pub fn read(text: &'a str) -> Self {
        let project = section(text, "[project]").unwrap_or_default();
        let scripts = section(text, "[project.scripts]").unwrap_or_default();
        Self {
            name: value(project, "name"),
            version: value(project, "version"),
            description: value(project, "description"),
            requires_python: value(project, "requires-python"),
            scripts: scripts.lines().filter_map(script).collect(),
        }
    }

    /// The tool the host takes the connector for, without asking it.
    #[must_use]
    pub fn tool(&self) -> Option<&'a str> {
        self.scripts.iter().copied().find(|name| name.starts_with("aos-"))
    }
}

fn section<'a>(text: &'a str, header: &str) -> Option<&'a str> {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        offset += line.len();
        let rest = line.strip_prefix(header);
        if rest.is_some_and(|rest| rest.ends_with('\n') && rest.trim().is_empty()) {
            let body = text.get(offset..)?;
            let bytes = body.as_bytes();
            let end = bytes.iter().enumerate().position(|(at, byte)| {
                let starts_line = at == 0 || bytes.get(at - 1) == Some(&b'\n');
                *byte == b'Z' || (*byte == b'[' && starts_line)
            });
            // Without an end the expression does not match here, but may at a later header.
            if let Some(end) = end {
                return body.get(..end);
            }
        }
    }
    None
}

fn value<'a>(section: &'a str, key: &str) -> Option<&'a str> {
    section.lines().find_map(|line| {
        let quoted = line.strip_prefix(key)?.trim_start().strip_prefix('=')?.trim_start();
        let value = quoted.strip_prefix('"')?.split_once('"')?.0;
        Some(value.trim()).filter(|value| !value.is_empty())
    })
}

fn script(line: &str) -> Option<&str> {
    let name_end =
        line.find(|letter: char| !(letter.is_ascii_alphanumeric() || "._-".contains(letter)))?;
    let (name, rest) = line.split_at_checked(name_end)?;
    let quoted = rest.trim_start().strip_prefix('=')?.trim_start().strip_prefix('"')?;
    let value = quoted.split_once('"')?.0;
    (!name.is_empty() && !value.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[project]\nname = \"aos-x\"\nversion = \"0.1.0\"\nrequires-python = \">=3.10\"\ndescription = \"Agent-native X connector\"\ndependencies = [\"click>=8.1,<9\"]\n\n[project.scripts]\naos-x = \"aos_x.cli:main\"\n\n[tool.setuptools]\npackages = [\"aos_x\"]\n";

    #[test]
    fn the_host_reads_what_toml_reads_when_the_file_is_plain() {
        let view = HostView::read(GOOD);
        let project = Pyproject::read(GOOD).unwrap();
        assert_eq!(view.name, Some("aos-x"));
        assert_eq!(view.requires_python, Some(">=3.10"));
        assert_eq!(view.tool(), Some("aos-x"));
        assert_eq!(project.description.unwrap().value, view.description.unwrap());
        assert_eq!(project.scripts[0].1.value, "aos_x.cli:main");
        assert_eq!(project.dependencies, Some(vec!["click>=8.1,<9".to_owned()]));
    }

    #[test]
    fn a_capital_z_hides_what_follows_from_the_host() {
        let text =
            GOOD.replace("version = \"0.1.0\"", "version = \"0.1.0\"\nkeywords = [\"Zapier\"]");
        let view = HostView::read(&text);
        assert_eq!(view.version, Some("0.1.0"));
        assert_eq!(view.description, None);
        assert_eq!(view.requires_python, None);
    }

    #[test]
    fn a_section_that_is_last_in_the_file_is_lost_to_the_host() {
        let end = GOOD.find("\n[tool.setuptools]").unwrap();
        let view = HostView::read(&GOOD[..end]);
        assert_eq!(view.tool(), None);
        assert_eq!(view.name, Some("aos-x"));
    }

    #[test]
    fn single_quotes_and_commented_headers_are_lost_to_the_host() {
        let quoted = GOOD.replace("name = \"aos-x\"", "name = 'aos-x'");
        assert_eq!(HostView::read(&quoted).name, None);
        let commented = GOOD.replace("[project]\n", "[project] # metadata\n");
        assert_eq!(
            HostView::read(&commented),
            HostView { scripts: vec!["aos-x"], ..Default::default() }
        );
    }

    #[test]
    fn text_that_is_not_toml_is_a_fault_with_a_place() {
        let fault = Pyproject::read("[project]\nname = \n").unwrap_err();
        assert!(fault.at >= 10 && !fault.message.is_empty());
    }
}
