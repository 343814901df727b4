//! The host's view of pyproject.toml: it uses regular expressions and does not parse TOML.

/// The text that the host's regular expressions match: a section ends at a line that starts with `[` or at a capital
/// `Z`, and values are read only if they are in double quotes.
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
    use crate::contract::pyproject::Pyproject;

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
}
