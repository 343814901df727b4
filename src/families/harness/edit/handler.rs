//! Handlers of a connector: one function for each command, in the module of its resource.

use crate::generate::literal::python;
use crate::workflows::add::name::CommandName;
use crate::workflows::add::seam::{Blueprint, Desk, EditError, InputShape};

use super::facts::Facts;
use super::manifest::Field;

const IMPORT: &str = "from .._runtime.registry import command";

/// The paging of a list in a project whose `PAGING` cannot be read.
const OWN_PAGING: &str = "        paging={\n            \"style\": \"cursor\",\n            \"limit\": \"limit\",\n            \"max_limit\": 100,\n            \"position\": \"cursor\",\n            \"next\": \"next_cursor\",\n        },\n";

fn module(package: &str, resource: &str) -> String {
    let name: String = resource
        .chars()
        .map(|symbol| if symbol.is_ascii_alphanumeric() { symbol } else { '_' })
        .collect();
    format!("{package}/commands/{name}.py")
}

/// Adds the handler of a new command to the module of its resource, which is made when there is none.
///
/// # Errors
/// Returns an error if the module has a handler of that id.
pub fn add(
    desk: &mut Desk<'_>,
    package: &str,
    blueprint: &Blueprint,
    fields: &[Field],
    facts: &Facts,
) -> Result<(), EditError> {
    let path = module(package, &blueprint.name.group);
    let text = with_import(desk.text(&path), &blueprint.name.group);
    if text.contains(&decorator(&blueprint.name.id())) {
        return Err(EditError::place(&path, "it has a handler of this id already"));
    }
    let handler = function(blueprint, fields, facts, &text)?;
    desk.set(&path, format!("{}\n\n\n{handler}", text.trim_end()));
    Ok(())
}

fn decorator(id: &str) -> String {
    format!("@command(\"{id}\")")
}

/// The text of a module with the import of the registry.
fn with_import(text: Option<&str>, resource: &str) -> String {
    match text {
        None => format!(
            "\"\"\"The {resource} commands.\n\nThis file is yours. A handler takes the inputs that were given and the API, and\nreturns a dict: the data of the envelope.\n\"\"\"\n\n{IMPORT}\n"
        ),
        Some(text) if text.contains(IMPORT) => text.to_owned(),
        Some(text) => format!("{IMPORT}\n\n{text}"),
    }
}

fn function(
    blueprint: &Blueprint,
    fields: &[Field],
    facts: &Facts,
    module: &str,
) -> Result<String, EditError> {
    let name = unused(&format!("{}_{}", blueprint.name.verb, blueprint.name.group), module);
    let quoted = |text: &str| python::value(&text.into());
    let sent = |argument: &str, indent: &str| -> String {
        let own = fields.iter().filter(|field| facts.sends(field));
        let lines: String = own
            .map(|field| format!("{indent}    {}: {},\n", quoted(&field.wire), quoted(&field.id)))
            .collect();
        if lines.is_empty() {
            return String::new();
        }
        format!("{indent}{argument}={{\n{lines}{indent}}},\n")
    };
    let head = format!(
        "{}\ndef {name}(inputs, api):\n    {}\n",
        decorator(&blueprint.name.id()),
        quoted(&blueprint.summary)
    );
    let (method, path) = (quoted(&blueprint.method), quoted(&facts.path));
    let argument = if blueprint.method == "GET" { "query" } else { "body" };
    let body = match blueprint.shape {
        InputShape::List => format!(
            "    return api.list(\n        {method},\n        {path},\n        inputs,\n{}        result={},\n        items=\"items\",\n        item_id=\"id\",\n        item_name=\"name\",\n{}    )\n",
            sent(argument, "        "),
            quoted(&facts.result),
            if facts.is_paged_as_project { "" } else { OWN_PAGING }
        ),
        InputShape::Many => {
            let ids = fields.first().map_or("ids", |field| field.id.as_str());
            format!(
                "\n    def run(item):\n        return api.send(\n            {method},\n            {path},\n            item,\n        )\n\n    return api.each(inputs, {}, run)\n",
                quoted(ids)
            )
        }
        _ => format!(
            "    reply = api.send(\n        {method},\n        {path},\n        inputs,\n{}    )\n    return {{\n        {}: reply,\n    }}\n",
            sent(argument, "        "),
            quoted(&facts.result)
        ),
    };
    Ok(head + &body)
}

/// A name of a function that the module does not have.
fn unused(wanted: &str, module: &str) -> String {
    let taken = |name: &str| module.contains(&format!("def {name}("));
    let mut name = wanted.to_owned();
    while taken(&name) {
        name.push('_');
    }
    name
}

/// Registers the handler of `old` under another id as well.
///
/// # Errors
/// Returns an error if the handler is not found.
pub fn alias(
    desk: &mut Desk<'_>,
    package: &str,
    old: &str,
    new: &CommandName,
) -> Result<(), EditError> {
    let resource = old.split('.').next().unwrap_or_default();
    let path = module(package, resource);
    let text = desk.needed(&path)?;
    let place = text
        .find(&decorator(old))
        .or_else(|| text.find(&format!("@command('{old}')")))
        .ok_or_else(|| {
            EditError::place(&path, format!("it has no handler `{}`", decorator(old)))
        })?;
    if resource == new.group {
        let text = format!("{}{}\n{}", &text[..place], decorator(&new.id()), &text[place..]);
        desk.set(&path, text);
        return Ok(());
    }
    let rest = &text[place..];
    let function = rest.split("\ndef ").nth(1).and_then(|rest| rest.split('(').next());
    let function = function
        .filter(|name| name.chars().all(|symbol| symbol.is_ascii_alphanumeric() || symbol == '_'))
        .ok_or_else(|| EditError::place(&path, "the handler is not a function"))?
        .to_owned();
    let target = module(package, &new.group);
    let stem = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".py").to_owned();
    let text = with_import(desk.text(&target), &new.group);
    let import = format!("from .{stem} import {function}");
    let text = match text.contains(&import) {
        true => text,
        false => text.replacen(IMPORT, &format!("{IMPORT}\n{import}"), 1),
    };
    let own = unused(&format!("{}_{}", new.verb, new.group), &text);
    desk.set(
        &target,
        format!(
            "{}\n\n\n{}\ndef {own}(inputs, api):\n    return {function}(inputs, api)\n",
            text.trim_end(),
            decorator(&new.id())
        ),
    );
    Ok(())
}

/// Takes the registration of an id away, and its function when nothing else uses it.
///
/// # Errors
/// Returns an error if the handler is not found.
pub fn remove(desk: &mut Desk<'_>, package: &str, id: &str) -> Result<(), EditError> {
    let resource = id.split('.').next().unwrap_or_default();
    let path = module(package, resource);
    let text = desk.needed(&path)?.to_owned();
    let wanted = [decorator(id), format!("@command('{id}')")];
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let at = lines.iter().position(|line| wanted.iter().any(|wanted| line.trim_end() == wanted));
    let at = at.ok_or_else(|| EditError::place(&path, format!("it has no handler for `{id}`")))?;
    let is_decorator = |line: Option<&&str>| line.is_some_and(|line| line.starts_with('@'));
    let shares = is_decorator(lines.get(at + 1)) || at > 0 && is_decorator(lines.get(at - 1));
    let kept: String = if shares {
        lines.iter().enumerate().filter(|(line, _)| *line != at).map(|(_, line)| *line).collect()
    } else {
        let body = lines.iter().enumerate().skip(at + 2);
        let is_body = |line: &str| line.trim().is_empty() || line.starts_with([' ', '\t', ')']);
        let end = body.clone().find(|(_, line)| !is_body(line)).map_or(lines.len(), |(end, _)| end);
        let name = lines.get(at + 1).and_then(|line| line.strip_prefix("def "));
        let name = name.and_then(|line| line.split('(').next()).unwrap_or_default();
        desk.edited.lost.push(format!("the function `{name}` in `{path}`"));
        let head = lines[..at].concat();
        let tail = lines[end..].concat();
        match tail.is_empty() {
            true => format!("{}\n", head.trim_end()),
            false => head + &tail,
        }
    };
    if kept.contains("@command(") {
        desk.set(&path, kept);
    } else {
        desk.delete(&path);
        let tests = format!("{}/tests/test_{resource}.py", super::HARNESS);
        if desk.text(&tests).is_some() {
            desk.edited.by_hand.push(format!("`{tests}`: tests of a resource without commands"));
        }
    }
    Ok(())
}
