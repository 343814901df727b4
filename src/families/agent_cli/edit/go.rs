//! Commands of a CLI in Go: a file for each, registered in `internal/commands/tool.go`.

use serde_json::Value;

use crate::generate::go_module::GoModule;
use crate::generate::output;
use crate::workflows::add::name::{CommandName, capitalised, dashed};
use crate::workflows::add::seam::{Desk, EditError, NewCode, Sources};

use super::EditedLanguage;
use super::brackets::Language::Go as Syntax;
use super::code;
use super::python::{entry_with_comma, plural};
use super::variables::Variables;

const COMMAND: &str = include_str!("go/command.go.tera");
const MOCK: &str = include_str!("go/mock.go.tera");
const TEST: &str = include_str!("go/test.go.tera");
const COMMANDS: &str = "internal/commands";
const MOCKS: &str = "internal/mock";
const TOOL: &str = "internal/commands/tool.go";
const CLIENT: &str = "internal/client/client.go";
/// Where client and tests list codes.
const CODES: &str = "Codes: map[string]string";
const TABLE: &str = "var codes = map[string]testkit.Code";
const GUARD: &str = "internal/commands/guard_test.go";

pub struct Go {
    module: String,
}

impl Go {
    /// # Errors
    /// Returns an error if go.mod names no module.
    pub fn of(sources: Sources<'_>) -> Result<Self, EditError> {
        let fault = |reason: String| EditError::place("go.mod", reason);
        let bytes = sources.repository.bytes("go.mod");
        let bytes = bytes.ok_or_else(|| fault("it does not exist".to_owned()))?;
        let module = GoModule::of_go_mod(bytes).map_err(|error| fault(error.to_string()))?;
        Ok(Self { module: module.as_str().to_owned() })
    }

    fn inner(&self, path: &str) -> String {
        format!("{}/internal/{path}", self.module)
    }

    /// The imports of a new command, as gofmt sorts them.
    fn imports(&self, variables: &Variables) -> String {
        let Variables { reads, sends, .. } = variables;
        let mut standard = Vec::new();
        if !*reads {
            standard.push("context");
        }
        standard.push("net/http");
        if *reads && *sends {
            standard.push("net/url");
        }
        let mut own = Vec::new();
        if !*reads {
            own.push("client");
        }
        own.extend(["runtime/cli", "runtime/rest"]);
        let mut lines: Vec<_> = standard.iter().map(|path| format!("\t\"{path}\"")).collect();
        lines.push(String::new());
        lines.extend(own.iter().map(|path| format!("\t\"{}\"", self.inner(path))));
        lines.join("\n")
    }
}

impl EditedLanguage for Go {
    fn sources(&self) -> (String, &'static str) {
        (COMMANDS.to_owned(), ".go")
    }

    fn declaration(&self, path: &str) -> Vec<String> {
        (1..=8).map(|spaces| format!("Path:{}\"{path}\",", " ".repeat(spaces))).collect()
    }

    fn routes(&self, desk: &Desk<'_>) -> String {
        let paths = desk.below(MOCKS, ".go");
        paths.iter().filter_map(|path| desk.text(path)).collect()
    }

    fn add(&self, desk: &mut Desk<'_>, variables: &Variables) -> Result<(), EditError> {
        let mut variables = variables.clone();
        for param in &mut variables.params {
            param.kind = match param.kind_name {
                "STRING" => "cli.Text",
                "INTEGER" => "cli.Number",
                "BOOLEAN" => "cli.Flag",
                _ => "cli.List",
            }
            .to_owned();
        }
        for input in &mut variables.inputs {
            input.reader = capitalised(&input.reader);
        }
        let pad = (variables.camel.len() + "[]Data".len()).saturating_sub("int".len());
        let more = [
            ("imports", Value::from(self.imports(&variables))),
            ("mockkit", self.inner("runtime/mockkit").into()),
            ("count_pad", " ".repeat(pad).into()),
        ];
        let module = &file_name(&variables.module);
        let render = |name: &str, template: &str| variables.render(name, template, &more);
        desk.create(&format!("{COMMANDS}/{module}.go"), render("command", COMMAND)?)?;
        desk.create(&format!("{MOCKS}/{module}.go"), render("mock", MOCK)?)?;
        desk.create(&format!("{COMMANDS}/{module}_test.go"), render("test", TEST)?)?;
        let text = desk.needed(TOOL)?;
        let text = registered(text, &variables.camel).ok_or_else(registry_fault)?;
        desk.set(TOOL, text);
        let name = CommandName::parse(&variables.path)
            .map_err(|error| EditError::Refused(error.to_string()))?;
        self.group(desk, &name)
    }

    fn group(&self, desk: &mut Desk<'_>, name: &CommandName) -> Result<(), EditError> {
        let text = desk.needed(TOOL)?;
        let things = plural(&name.group).replace('_', " ");
        let group = dashed(&name.group);
        let text = grouped(text, &group, &things).ok_or_else(registry_fault)?;
        desk.set(TOOL, text);
        Ok(())
    }

    fn renamed(&self, source: &str, old: &CommandName, new: &CommandName) -> Option<String> {
        let declared = self
            .declaration(&old.path())
            .into_iter()
            .find(|declared| source.contains(declared.as_str()))?;
        let at = source.find(&declared)?;
        let open = source[..at].rfind('{')?;
        let close = Syntax.closing(source, open)?;
        let whole = source.get(open..=close)?;
        let (old, new) = (old.path(), new.path());
        let pad: String = declared["Path:".len()..].chars().take_while(|it| *it == ' ').collect();
        let path = format!("Path:{pad}\"{new}\",");
        let mut changed = whole.replace(&declared, &path);
        changed = changed.replace(&format!("\"{old} "), &format!("\"{new} "));
        changed = changed.replace(&format!("\"{old}\""), &format!("\"{new}\""));
        changed = match Syntax.value(&changed, 0, "Aliases") {
            Some(value) => {
                let list = value.start + changed.get(value)?.find('{')?;
                Syntax.appended(&changed, list, &format!("\"{old}\","))?
            }
            None => {
                let line = changed[..changed.find(&path)?].rfind('\n')? + 1;
                let indent: String =
                    changed[line..].chars().take_while(|symbol| *symbol == '\t').collect();
                // As wide as `Path:` and its spaces, so that gofmt has nothing to align.
                let column = "Path:".len() + pad.len();
                let gap = " ".repeat(column.checked_sub("Aliases:".len()).filter(|gap| *gap > 0)?);
                let aliases = format!("Aliases:{gap}[]string{{\"{old}\"}},\n");
                // Behind the summary, by which `aos check` knows that this is a command.
                let summary = changed.find("Summary:").unwrap_or(line);
                let next = summary + changed.get(summary..)?.find('\n')? + 1;
                changed.insert_str(next, &format!("{indent}{aliases}"));
                changed
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
        let module = file_name(&name.module());
        if path == format!("{COMMANDS}/{module}.go") && source.matches("Summary:").count() == 1 {
            let text = desk.needed(TOOL)?;
            let text = unregistered(text, &name.camel()).ok_or_else(registry_fault)?;
            desk.set(TOOL, text);
            let own = [
                path.to_owned(),
                format!("{MOCKS}/{module}.go"),
                format!("{COMMANDS}/{module}_test.go"),
            ];
            for path in own {
                if desk.text(&path).is_some() {
                    desk.delete(&path);
                    desk.edited.lost.push(format!("the file `{path}`"));
                }
            }
            return Ok(());
        }
        let fault =
            || EditError::place(path, format!("the declaration of `{name}` cannot be removed"));
        let declared = self.declaration(&name.path());
        let at = declared.iter().find_map(|declared| source.find(declared.as_str()));
        let open = at.and_then(|at| source[..at].rfind('{')).ok_or_else(fault)?;
        let close = Syntax.closing(source, open).ok_or_else(fault)?;
        let mut text = source.to_owned();
        text.replace_range(entry_with_comma(source, open..close + 1), "");
        desk.set(path, text);
        desk.edited.by_hand.push(format!(
            "`{path}`: functions that only `{name}` used; its tests in `{COMMANDS}`; its routes in `{MOCKS}`"
        ));
        Ok(())
    }

    fn add_code(&self, desk: &mut Desk<'_>, code: &NewCode) -> Result<(), EditError> {
        let text = desk.needed(CLIENT)?;
        let fault = || EditError::place(CLIENT, "`Codes: map[string]string{…}` is missing");
        let open = text.find(CODES).ok_or_else(fault)? + CODES.len();
        let entry = format!("\"{}\": \"{}\",", code.upstream, code.code);
        let text = spaced(text, open, &entry, "// Codes of this tool.").ok_or_else(fault)?;
        desk.set(CLIENT, text);
        let text = desk.needed(GUARD)?;
        let fault = || EditError::place(GUARD, "the table `codes` is missing");
        let open = text.find(TABLE).ok_or_else(fault)? + TABLE.len();
        let NewCode { code: name, exit, retryable, .. } = code;
        let entry = format!("\"{name}\": {{Exit: {exit}, Retryable: {retryable}}},");
        let comment = format!("// Code of this tool: {}.", code.upstream);
        let text = spaced(text, open, &entry, &comment).ok_or_else(fault)?;
        desk.set(GUARD, text);
        let test = code::go_test(&self.module, code, &code::query(desk)?);
        let file = code.code.trim_start_matches("E_").to_lowercase();
        desk.create(&format!("{COMMANDS}/code_{file}_test.go"), test)
    }

    fn tests(&self) -> &'static str {
        "go test ./..."
    }
}

fn registry_fault() -> EditError {
    EditError::place(
        TOOL,
        "it does not register commands as `&cli.Tool{Groups: …, Commands: …, Schemas: …}`",
    )
}

/// The brace of `&cli.Tool{`.
fn tool(text: &str) -> Option<usize> {
    Some(text.find("&cli.Tool{")? + "&cli.Tool".len())
}

fn registered(text: &str, camel: &str) -> Option<String> {
    let text = listed(text, "Commands", &format!("{camel}Commands(),"))?;
    listed(&text, "Schemas", &format!("{camel}Schemas(),"))
}

/// A field with one more call; a single call is joined with it.
fn listed(text: &str, field: &str, entry: &str) -> Option<String> {
    const CONCAT: &str = "slices.Concat(";
    let value = Syntax.value(text, tool(text)?, field)?;
    let now = text.get(value.clone())?;
    if now.starts_with(CONCAT) {
        return Syntax.appended(text, value.start + CONCAT.len() - 1, entry);
    }
    let joined = format!("{CONCAT}{now}, {})", entry.trim_end_matches(','));
    let mut changed = text.to_owned();
    changed.replace_range(value, &joined);
    if !changed.contains("\"slices\"") {
        let at = changed.find("import (\n")? + "import (\n".len();
        changed.insert_str(at, "\t\"slices\"\n\n");
    }
    Some(changed)
}

fn grouped(text: &str, group: &str, things: &str) -> Option<String> {
    let value = Syntax.value(text, tool(text)?, "Groups")?;
    let groups = text.get(value.clone())?;
    if groups.contains(&format!("\"{group}\"")) {
        return Some(text.to_owned());
    }
    let open = value.start + groups.find('{')?;
    let entry = format!("\"{group}\": \"Work with {things}\",");
    spaced(text, open, &entry, &format!("// Work with {things}."))
}

/// A map with one more entry. In a wide map a comment comes before it: gofmt aligns only lines without one between them.
fn spaced(text: &str, open: usize, entry: &str, comment: &str) -> Option<String> {
    let close = Syntax.closing(text, open)?;
    let is_wide = text.get(open..close)?.contains('\n');
    match is_wide && !comment.is_empty() {
        true => Syntax.appended(text, open, &format!("{comment}\n{entry}")),
        false => Syntax.appended(text, open, entry),
    }
}

fn unregistered(text: &str, camel: &str) -> Option<String> {
    let text = without_call(text, "Commands", &format!("{camel}Commands()"))?;
    without_call(&text, "Schemas", &format!("{camel}Schemas()"))
}

fn without_call(text: &str, field: &str, call: &str) -> Option<String> {
    let value = Syntax.value(text, tool(text)?, field)?;
    let open = value.start + text.get(value)?.find('(')?;
    let entries = Syntax.entries(text, open)?;
    let at = entries.iter().position(|entry| text.get(entry.clone()) == Some(call))?;
    let mut changed = text.to_owned();
    changed.replace_range(entry_with_comma(text, entries[at].clone()), "");
    Some(changed)
}

/// The name of the files of a command, without the ending: `item_windows` would be for one system.
fn file_name(module: &str) -> String {
    let is_for_some = module.ends_with("_test") || output::platform(module).is_some();
    if is_for_some { format!("{module}_command") } else { module.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn a_file_is_built_on_every_system() {
        for (module, wanted) in [
            ("item_get", "item_get"),
            ("item_windows", "item_windows_command"),
            ("load_test", "load_test_command"),
            ("wasm_get", "wasm_get"),
        ] {
            assert_eq!(file_name(module), wanted);
        }
    }
}
