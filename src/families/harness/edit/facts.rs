//! The facts of a new command in conform.toml, and a test of it: requests and replies of a first proposal.

use crate::generate::record_text::quote;
use crate::workflows::add::blueprint::plural;
use crate::workflows::add::seam::{AddedKind, Blueprint, Desk, EditError, InputShape, Segment};
use crate::workflows::add::toml_blocks;

use crate::families::harness::generate::pages::{IDS, NAMES};

use super::HARNESS;
use super::manifest::Field;
use super::paging::ProjectPaging;

const CONFORM: &str = "conform.toml";
const TABLE: &str = "[[harness.commands]]";

/// The facts of one new command.
pub struct Facts {
    /// The path with the names of fields.
    pub path: String,
    /// The member of the data that holds the reply.
    pub result: String,
    /// A list continues as `PAGING` in api.py says.
    pub is_paged_as_project: bool,
    block: String,
    shape: InputShape,
    call: Vec<String>,
    target: String,
}

impl Facts {
    pub fn of(blueprint: &Blueprint, fields: &[Field], paging: Option<&ProjectPaging>) -> Self {
        let field = |wire: &str| fields.iter().find(|field| field.wire == wire);
        let segments: Vec<_> = blueprint.segments().collect();
        let render = |value: &dyn Fn(&str) -> String| -> String {
            let parts = segments.iter().map(|segment| match segment {
                Segment::Text(text) => (*text).to_owned(),
                Segment::Value(name) => value(name),
            });
            format!("/{}", parts.collect::<Vec<_>>().join("/"))
        };
        let many = blueprint.shape == InputShape::Many;
        let path = render(&|name| match name {
            "id" if many => format!("{{each_{}}}", blueprint.name.group),
            name => format!("{{{}}}", field(name).map_or(name, |field| field.id.as_str())),
        });
        let result = match blueprint.shape {
            InputShape::List => plural(&blueprint.name.group).replace('-', "_"),
            InputShape::Delete => "deleted".to_owned(),
            _ => blueprint.name.group.clone(),
        };
        let path = match many {
            true => path.replace(&format!("{{each_{}}}", blueprint.name.group), "{each_item}"),
            false => path,
        };
        let mut facts = Self {
            path,
            result,
            is_paged_as_project: false,
            block: String::new(),
            shape: blueprint.shape,
            call: Vec::new(),
            target: String::new(),
        };
        facts.call = arguments(fields, blueprint.shape);
        let concrete = |id: &str| {
            render(&|name| match name {
                "id" => id.to_owned(),
                _ => "main".to_owned(),
            })
        };
        let is_plain_list = blueprint.shape == InputShape::List && blueprint.method == "GET";
        if let Some(paging) = paging.filter(|_| is_plain_list)
            && let Some(paged) = facts.paged(blueprint, fields, paging, &concrete("1"))
        {
            facts.block = paged;
            facts.is_paged_as_project = true;
            return facts;
        }
        let sample = facts.sample(blueprint, fields, &concrete);
        facts.target = ["1"].map(concrete).concat();
        facts.block = sample;
        facts
    }

    /// True if a field is sent in the query or the body.
    pub fn sends(&self, field: &Field) -> bool {
        let is_path = self.path.contains(&format!("{{{}}}", field.id));
        let is_paging =
            self.shape == InputShape::List && matches!(field.wire.as_str(), "limit" | "cursor");
        !is_path && !is_paging && self.shape != InputShape::Many
    }

    /// The facts of a list with the paging of the project.
    fn paged(
        &self,
        blueprint: &Blueprint,
        fields: &[Field],
        paging: &ProjectPaging,
        path: &str,
    ) -> Option<String> {
        let sent = fields.iter().filter(|field| self.sends(field));
        let query: Vec<_> = sent.map(|field| (field.wire.clone(), written(field))).collect();
        let (limit, requests) = paging.requests(&blueprint.method, path, &query)?;
        let limit = limit.to_string();
        let mut words = self.call.clone();
        if let Some(at) = words.iter().position(|word| word == "--limit") {
            words[at + 1] = limit;
        }
        let list =
            |words: &[&str]| words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(", ");
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Some(format!(
            "{TABLE}\nid = {}\narguments = [{}]\nresult = {}\nids = [{}]\nnames = [{}]\n{requests}",
            quote(&blueprint.name.id()),
            list(&words),
            quote(&self.result),
            list(&IDS),
            list(&NAMES),
        ))
    }

    fn sample(
        &self,
        blueprint: &Blueprint,
        fields: &[Field],
        concrete: &dyn Fn(&str) -> String,
    ) -> String {
        let mut block = format!("{TABLE}\nid = {}\n", quote(&blueprint.name.id()));
        let words: Vec<_> = self.call.iter().map(|word| quote(word)).collect();
        block.push_str(&format!("arguments = [{}]\n", words.join(", ")));
        let sent: Vec<&Field> = fields.iter().filter(|field| self.sends(field)).collect();
        let request = |path: &str, query: &[(String, String)], body: &str, reply: &str| {
            let mut text = format!(
                "\n[[harness.commands.requests]]\nmethod = {}\npath = {}\n",
                quote(&blueprint.method),
                quote(path)
            );
            if !query.is_empty() {
                let pairs: Vec<_> = query
                    .iter()
                    .map(|(name, value)| format!("{} = {}", quote(name), quote(value)))
                    .collect();
                text.push_str(&format!("query = {{ {} }}\n", pairs.join(", ")));
            }
            if !body.is_empty() {
                text.push_str(&format!("body = '{body}'\n"));
            }
            text.push_str(&format!("reply = '{reply}'\n"));
            text
        };
        let is_get = blueprint.method == "GET";
        let query: Vec<_> = sent
            .iter()
            .filter(|_| is_get)
            .map(|field| (field.wire.clone(), written(field)))
            .collect();
        let members: Vec<_> = sent
            .iter()
            .filter(|_| !is_get)
            .map(|field| format!("\"{}\":{}", field.wire, json(field)))
            .collect();
        let body =
            if members.is_empty() { String::new() } else { format!("{{{}}}", members.join(",")) };
        let requests = match blueprint.shape {
            InputShape::List => {
                block.push_str(&format!("result = {}\nids = [\"1\", \"2\", \"3\"]\nnames = [\"One\", \"Two\", \"Three\"]\n", quote(&self.result)));
                let page = |position: Option<&str>| {
                    let mut query = query.clone();
                    query.push(("limit".to_owned(), "100".to_owned()));
                    query.extend(position.map(|at| ("cursor".to_owned(), at.to_owned())));
                    query
                };
                request(
                    &concrete("1"),
                    &page(None),
                    "",
                    r#"{"items":[{"id":"1","name":"One"},{"id":"2","name":"Two"}],"next_cursor":"n2"}"#,
                ) + &request(
                    &concrete("1"),
                    &page(Some("n2")),
                    "",
                    r#"{"items":[{"id":"3","name":"Three"}],"next_cursor":null}"#,
                )
            }
            InputShape::Many => {
                let reply = |id: &str| format!(r#"{{"id":"{id}"}}"#);
                request(&concrete("1"), &[], "", &reply("1"))
                    + &request(&concrete("2"), &[], "", &reply("2"))
            }
            _ => {
                block.push_str(&format!("result = {}\n", quote(&self.result)));
                request(&concrete("1"), &query, &body, r#"{"id":"1","name":"One"}"#)
            }
        };
        block + &requests
    }

    /// # Errors
    /// Returns an error if there is no conform.toml.
    pub fn add(&self, desk: &mut Desk<'_>) -> Result<(), EditError> {
        let text = toml_blocks::appended(desk.needed(CONFORM)?, &self.block);
        desk.set(CONFORM, text);
        Ok(())
    }

    /// Adds a separate test, beside those that the test kit derives from conform.toml.
    ///
    /// # Errors
    /// Returns an error if there is a file of that name.
    pub fn test(&self, desk: &mut Desk<'_>, blueprint: &Blueprint) -> Result<(), EditError> {
        if blueprint.shape == InputShape::List || blueprint.shape == InputShape::Many {
            return Ok(());
        }
        let name = blueprint.name.module();
        let path = test_path(&name);
        let mut words =
            vec!["--json".to_owned(), "--mode".to_owned(), blueprint.mode.name().to_owned()];
        words.extend([blueprint.name.group.clone(), blueprint.name.verb.clone()]);
        words.extend(self.call.iter().cloned());
        let words: String =
            words.iter().map(|word| format!("        {},\n", quote(word))).collect();
        let text = format!(
            "\"\"\"`{id}` with replies of the test. This file is yours.\"\"\"\n\n\n\
             def test_{name}_sends_one_request(run, backend):\n    \
             backend.answer(body={{\"id\": \"1\", \"name\": \"One\"}})\n    \
             outcome = run(\n{words}    )\n    \
             assert outcome.data[{result}][\"id\"] == \"1\"\n    \
             assert [request.path for request in backend.requests] == [{path}]\n",
            id = blueprint.name.id(),
            result = quote(&self.result),
            path = quote(&self.target),
        );
        desk.create(&path, text)
    }
}

/// Returns the path of the test of a single command.
pub fn test_path(module: &str) -> String {
    format!("{HARNESS}/tests/test_{module}.py")
}

/// The words of a call with every input.
fn arguments(fields: &[Field], shape: InputShape) -> Vec<String> {
    let mut words = Vec::new();
    for field in fields.iter().filter(|field| shape != InputShape::List || field.wire != "cursor") {
        words.push(format!("--{}", field.id.replace('_', "-")));
        words.push(match (shape, field.wire.as_str()) {
            (InputShape::List, "limit") => "100".to_owned(),
            (InputShape::Many, "ids") => "1,2".to_owned(),
            (_, "id") => "1".to_owned(),
            _ => written(field),
        });
    }
    words
}

/// A value of a field, as a command line has it.
fn written(field: &Field) -> String {
    match (field.kind, field.options.first()) {
        (_, Some(option)) => option.clone(),
        (AddedKind::Text, None) if field.required && field.id == field.wire => "main".to_owned(),
        (AddedKind::Text, None) => "First".to_owned(),
        (AddedKind::Number, None) => "7".to_owned(),
        (AddedKind::Boolean, None) => "true".to_owned(),
        (AddedKind::List, None) => "one,two".to_owned(),
    }
}

/// The same as JSON.
fn json(field: &Field) -> String {
    match field.kind {
        AddedKind::Text => quote(&written(field)),
        AddedKind::Number | AddedKind::Boolean => written(field),
        AddedKind::List => "[\"one\",\"two\"]".to_owned(),
    }
}

/// The facts of a command under another id as well.
pub fn copy(desk: &mut Desk<'_>, old: &str, new: &str) {
    let Some(text) = desk.text(CONFORM) else { return };
    let mut changed = text.to_owned();
    for range in toml_blocks::find(text, TABLE, "id", old) {
        let block = &text[range];
        let block = block.get(block.find(TABLE).unwrap_or_default()..).unwrap_or_default();
        let block = block.replacen(&format!("\"{old}\""), &format!("\"{new}\""), 1);
        changed = toml_blocks::appended(&changed, &format!("{}\n", block.trim_end()));
    }
    desk.set(CONFORM, changed);
}

/// conform.toml without the facts of a command.
pub fn remove(desk: &mut Desk<'_>, id: &str) {
    let Some(text) = desk.text(CONFORM) else { return };
    let (mut text, mut count) = toml_blocks::without(text, TABLE, "id", id);
    let partials = toml_blocks::without(&text, "[[harness.partials]]", "command", id);
    text = partials.0;
    count += partials.1;
    if count > 0 {
        desk.edited.lost.push(format!("its facts in `{CONFORM}`"));
    }
    desk.set(CONFORM, text);
}
