//! Commands of a CLI in Python: a module for each, registered in `commands/__init__.py`.

use serde_json::Value;

use crate::workflows::add::name::CommandName;
use crate::workflows::add::seam::{Desk, EditError, NewCode, Sources};

use super::EditedLanguage;
use super::brackets::Language::Python as Syntax;
use super::code;
use super::variables::Variables;

const COMMAND: &str = include_str!("python/command.py.tera");
const MOCK: &str = include_str!("python/mock.py.tera");
const TEST: &str = include_str!("python/test.py.tera");
/// Longest line that the formatter leaves alone.
const WIDTH: usize = 88;
const MOCKS: &str = "mock_upstream";

pub struct Python {
    package: String,
}

impl Python {
    /// # Errors
    /// Returns an error if aos.toml does not say where the package is.
    pub fn of(sources: Sources<'_>) -> Result<Self, EditError> {
        let runtime = sources.record.runtime.as_ref();
        let package = runtime.and_then(|runtime| runtime.path.as_str().rsplit_once('/'));
        let (package, _) = package
            .ok_or_else(|| EditError::place("aos.toml", "the runtime is not inside a package"))?;
        Ok(Self { package: package.to_owned() })
    }

    fn registry(&self) -> String {
        format!("{}/commands/__init__.py", self.package)
    }
}

impl EditedLanguage for Python {
    fn sources(&self) -> (String, &'static str) {
        (format!("{}/commands", self.package), ".py")
    }

    fn declaration(&self, path: &str) -> Vec<String> {
        vec![format!("path=\"{path}\",")]
    }

    fn routes(&self, desk: &Desk<'_>) -> String {
        let paths = desk.below(MOCKS, ".py");
        paths.iter().filter_map(|path| desk.text(path)).collect()
    }

    fn add(&self, desk: &mut Desk<'_>, variables: &Variables) -> Result<(), EditError> {
        let more = [
            ("package", Value::from(self.package.clone())),
            ("imports", imports(variables).into()),
        ];
        let module = &variables.module;
        let render = |name: &str, template: &str| variables.render(name, template, &more);
        desk.create(
            &format!("{}/commands/{module}.py", self.package),
            render("command", COMMAND)?,
        )?;
        desk.create(&format!("{MOCKS}/{module}.py"), render("mock", MOCK)?)?;
        desk.create(&format!("tests/test_{module}.py"), render("test", TEST)?)?;
        let path = self.registry();
        let text = desk.needed(&path)?;
        let text = registered(text, module).ok_or_else(|| registry_fault(&path))?;
        desk.set(&path, text);
        let name = CommandName::parse(&variables.path)
            .map_err(|error| EditError::Refused(error.to_string()))?;
        self.group(desk, &name)
    }

    fn group(&self, desk: &mut Desk<'_>, name: &CommandName) -> Result<(), EditError> {
        let path = self.registry();
        let text = desk.needed(&path)?;
        let group = crate::workflows::add::name::dashed(&name.group);
        let entry =
            format!("\"{group}\": \"Work with {}\",", plural(&name.group).replace('_', " "));
        let text = grouped(text, &group, &entry).ok_or_else(|| registry_fault(&path))?;
        desk.set(&path, text);
        Ok(())
    }

    fn renamed(&self, source: &str, old: &CommandName, new: &CommandName) -> Option<String> {
        let (old, new) = (old.path(), new.path());
        let declared = format!("path=\"{old}\",");
        let at = source.find(&declared)?;
        let open = source[..at].rfind("Command(")? + "Command".len();
        let close = Syntax.closing(source, open)?;
        let whole = source.get(open..=close)?;
        let mut changed = whole.replace(&declared, &format!("path=\"{new}\","));
        changed = changed.replace(&format!("\"{old} "), &format!("\"{new} "));
        changed = changed.replace(&format!("\"{old}\""), &format!("\"{new}\""));
        changed = match Syntax.value(&changed, 0, "aliases") {
            Some(value) => {
                let place = value.start;
                Syntax.appended(&changed, place, &format!("\"{old}\","))?
            }
            None => {
                let path = format!("path=\"{new}\",");
                let line = changed[..changed.find(&path)?].rfind('\n')? + 1;
                let indent: String =
                    changed[line..].chars().take_while(|symbol| *symbol == ' ').collect();
                changed.replacen(&path, &format!("{path}\n{indent}aliases=(\"{old}\",),"), 1)
            }
        };
        let mut text = source.to_owned();
        text.replace_range(open..=close, &changed);
        Some(text)
    }

    fn remove(
        &self,
        desk: &mut Desk<'_>,
        path: &str,
        source: &str,
        name: &CommandName,
    ) -> Result<(), EditError> {
        let module = name.module();
        if source.matches("Command(\n").count() == 1 && path.ends_with(&format!("/{module}.py")) {
            let registry = self.registry();
            let text = desk.needed(&registry)?;
            let text = unregistered(text, &module).ok_or_else(|| registry_fault(&registry))?;
            desk.set(&registry, text);
            let own = [
                path.to_owned(),
                format!("{MOCKS}/{module}.py"),
                format!("tests/test_{module}.py"),
            ];
            for path in own {
                if desk.text(&path).is_some() {
                    desk.delete(&path);
                    desk.edited.lost.push(format!("the file `{path}`"));
                }
            }
            return Ok(());
        }
        let declared = format!("path=\"{}\",", name.path());
        let text = without_entry(source, &declared, "Command(").ok_or_else(|| {
            EditError::place(path, format!("the declaration of `{name}` cannot be removed"))
        })?;
        desk.set(path, text);
        desk.edited.by_hand.push(format!(
            "`{path}`: functions that only `{name}` used; `tests`: the calls of it; `{MOCKS}`: its routes"
        ));
        Ok(())
    }

    fn add_code(&self, desk: &mut Desk<'_>, code: &NewCode) -> Result<(), EditError> {
        let path = format!("{}/client.py", self.package);
        let text = desk.needed(&path)?;
        let fault = || EditError::place(&path, "`typed_codes = {…}` is missing");
        let at = text.find("typed_codes = {").ok_or_else(fault)? + "typed_codes = ".len();
        let entry = format!("\"{}\": \"{}\",", code.upstream, code.code);
        let text = Syntax.appended(text, at, &entry).ok_or_else(fault)?;
        desk.set(&path, text);
        let test = code::python_test(&self.package, code, &code::query(desk)?);
        desk.create(&format!("tests/test_{}.py", code.code.to_lowercase()), test)
    }

    fn tests(&self) -> &'static str {
        "pytest"
    }
}

fn registry_fault(path: &str) -> EditError {
    EditError::place(
        path,
        "it does not register commands as `TOOL = Tool(… commands=…, schemas=…)`",
    )
}

/// `item` to `items`.
pub fn plural(name: &str) -> String {
    match name {
        name if name.ends_with('s') => name.to_owned(),
        name if name.ends_with('y') && !name.ends_with("ey") && !name.ends_with("ay") => {
            format!("{}ies", &name[..name.len() - 1])
        }
        name => format!("{name}s"),
    }
}

/// The imports of a new command, as the sorter of imports wants them.
fn imports(variables: &Variables) -> String {
    let Variables { batch, reads, deletes, list, sends, params, target, .. } = variables;
    let mut lines = Vec::new();
    if *batch {
        lines.push("from collections.abc import Sequence\n".to_owned());
    } else {
        let typed = if *deletes && !*sends { "TypedDict" } else { "Any, TypedDict" };
        lines.push(format!("from typing import {typed}\n"));
    }
    if *batch {
        lines.push("from .._runtime.batch import CONTINUE, Outcome, Result, run".to_owned());
    } else if !*deletes || *target {
        lines.push("from .._runtime import wire".to_owned());
    }
    let mut constants: Vec<&str> = params.iter().map(|param| param.kind_name).collect();
    if !*reads {
        constants.push("ALWAYS");
    }
    constants.sort_unstable();
    constants.dedup();
    let mut names = constants;
    names.extend(["Call", "Command"]);
    if !params.is_empty() {
        names.push("Param");
    }
    if !*reads {
        names.extend(["Plan", "change"]);
    }
    lines.push(import("from .._runtime.command import", &names));
    lines.push("from .._runtime.rest import Ask".to_owned());
    lines.push("from .._runtime.schemas import Schema".to_owned());
    if !*batch && (!*deletes || *target) || *list {
        lines.push("from .._runtime.wire import reading".to_owned());
    }
    lines.push("from ..client import Client".to_owned());
    lines.join("\n")
}

fn import(head: &str, names: &[&str]) -> String {
    let line = format!("{head} {}", names.join(", "));
    if line.len() <= WIDTH {
        return line;
    }
    let names: String = names.iter().map(|name| format!("    {name},\n")).collect();
    format!("{head} (\n{names})")
}

/// The bracket of `TOOL = Tool(`.
fn tool(text: &str) -> Option<usize> {
    Some(text.find("TOOL = Tool(")? + "TOOL = Tool".len())
}

/// The registration with one more module.
fn registered(text: &str, module: &str) -> Option<String> {
    let text = imported(text, module)?;
    let text = listed(&text, "commands", &format!("*{module}.COMMANDS,"), ('(', "(", "*"))?;
    listed(&text, "schemas", &format!("**{module}.SCHEMAS,"), ('{', "{", "**"))
}

/// An argument of `Tool(…)` with one more entry; a single value becomes a list of itself and the entry.
fn listed(
    text: &str,
    argument: &str,
    entry: &str,
    (open, opening, star): (char, &str, &str),
) -> Option<String> {
    let value = Syntax.value(text, tool(text)?, argument)?;
    if text.get(value.clone())?.starts_with(open) {
        return Syntax.appended(text, value.start, entry);
    }
    let close = if open == '(' { ")" } else { "}" };
    let mut changed = text.to_owned();
    let single = format!("{opening}{star}{}{close}", text.get(value.clone())?);
    changed.replace_range(value.clone(), &single);
    Syntax.appended(&changed, value.start, entry)
}

fn grouped(text: &str, group: &str, entry: &str) -> Option<String> {
    let value = Syntax.value(text, tool(text)?, "groups")?;
    let groups = text.get(value.clone())?;
    if groups.contains(&format!("\"{group}\"")) {
        return Some(text.to_owned());
    }
    groups.starts_with('{').then(|| Syntax.appended(text, value.start, entry)).flatten()
}

/// The names of `from . import …`, sorted as the sorter of imports wants them, with one more.
fn imported(text: &str, module: &str) -> Option<String> {
    changed_import(text, |names| {
        names.push(module.to_owned());
        names.sort();
    })
}

fn changed_import(text: &str, change: impl Fn(&mut Vec<String>)) -> Option<String> {
    const HEAD: &str = "from . import";
    let start = text.find("\nfrom . import ").map(|at| at + 1)?;
    let rest = &text[start + HEAD.len() + 1..];
    let (names, end) = match rest.strip_prefix('(') {
        Some(inner) => {
            let close = inner.find(')')?;
            (&inner[..close], start + HEAD.len() + 2 + close + 1)
        }
        None => {
            let length = rest.find('\n').unwrap_or(rest.len());
            (&rest[..length], start + HEAD.len() + 1 + length)
        }
    };
    if names.contains('#') || names.contains(" as ") {
        return None;
    }
    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
    let mut names: Vec<_> = names.map(str::to_owned).collect();
    change(&mut names);
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let mut changed = text.to_owned();
    changed.replace_range(start..end, &import(HEAD, &names));
    Some(changed)
}

/// The registration without a module.
fn unregistered(text: &str, module: &str) -> Option<String> {
    let text = changed_import(text, |names| names.retain(|name| name != module))?;
    let text = without_item(&text, "commands", &format!("*{module}.COMMANDS"))?;
    without_item(&text, "schemas", &format!("**{module}.SCHEMAS"))
}

fn without_item(text: &str, argument: &str, item: &str) -> Option<String> {
    let value = Syntax.value(text, tool(text)?, argument)?;
    let entries = Syntax.entries(text, value.start)?;
    let at = entries.iter().position(|entry| text.get(entry.clone()) == Some(item))?;
    let mut changed = text.to_owned();
    changed.replace_range(entry_with_comma(text, entries[at].clone()), "");
    Some(changed)
}

/// An entry with its comma, and with its line when it has one of its own.
pub fn entry_with_comma(text: &str, entry: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let mut end = entry.end;
    if text[end..].starts_with(',') {
        end += 1;
    }
    let line = text[..entry.start].rfind('\n').map_or(0, |at| at + 1);
    let is_alone = text[line..entry.start].trim().is_empty() && text[end..].starts_with('\n');
    if is_alone {
        return line..end + 1;
    }
    let spaces = text[end..].len() - text[end..].trim_start_matches(' ').len();
    entry.start..end + spaces
}

/// The source without the call `opening…)` that holds `declared`.
fn without_entry(source: &str, declared: &str, opening: &str) -> Option<String> {
    let at = source.find(declared)?;
    let start = source[..at].rfind(opening)?;
    let close = Syntax.closing(source, start + opening.len() - 1)?;
    let mut changed = source.to_owned();
    changed.replace_range(entry_with_comma(source, start..close + 1), "");
    Some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NARROW: &str = "from ..client import Client\nfrom . import widgets\n\nTOOL = Tool(\n    connect=Client,\n    groups={\"widget\": \"Work with widgets\"},\n    commands=widgets.COMMANDS,\n    schemas=widgets.SCHEMAS,\n)\n";

    #[test]
    fn a_module_is_registered_and_taken_out_again() {
        let text = registered(NARROW, "widget_archive").unwrap();
        assert!(text.contains("from . import widget_archive, widgets\n"), "{text}");
        assert!(
            text.contains("    commands=(*widgets.COMMANDS, *widget_archive.COMMANDS),\n"),
            "{text}"
        );
        assert!(
            text.contains("    schemas={**widgets.SCHEMAS, **widget_archive.SCHEMAS},\n"),
            "{text}"
        );
        let text = grouped(&text, "gadget", "\"gadget\": \"Work with gadgets\",").unwrap();
        assert!(
            text.contains("{\"widget\": \"Work with widgets\", \"gadget\": \"Work with gadgets\"}"),
            "{text}"
        );
        assert_eq!(grouped(&text, "gadget", "x").unwrap(), text);
        let text = unregistered(&text, "widget_archive").unwrap();
        assert!(!text.contains("widget_archive"), "{text}");
        assert_eq!(registered("x = 1\n", "m"), None);
    }

    #[test]
    fn a_command_is_renamed_with_its_old_name_as_an_alias() {
        let source = "COMMANDS = (\n    Command(\n        path=\"item get\",\n        summary=\"Show one\",\n        examples=(\"item get --id 1\",),\n        run=_get,\n    ),\n)\n";
        let [old, new, last] =
            ["item get", "item show", "item read"].map(|text| CommandName::parse(text).unwrap());
        let python = Python { package: "acme".to_owned() };
        let text = python.renamed(source, &old, &new).unwrap();
        assert!(
            text.contains("        path=\"item show\",\n        aliases=(\"item get\",),\n"),
            "{text}"
        );
        assert!(text.contains("(\"item show --id 1\",)"), "{text}");
        let text = python.renamed(&text, &new, &last).unwrap();
        assert!(
            text.contains("aliases=(\"item get\", \"item show\",)")
                || text.contains("aliases=(\"item get\", \"item show\")"),
            "{text}"
        );
        assert_eq!(python.renamed(source, &new, &last), None);
    }
}
