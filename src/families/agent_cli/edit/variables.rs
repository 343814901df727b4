//! The variables of the templates of a new command: names in every spelling, the request, flags, and calls for tests.

use serde::Serialize;
use serde_json::Value;

use crate::generate::render::{Engine, RenderError};
use crate::workflows::add::name::dashed;
use crate::workflows::add::seam::{
    AddedKind, Blueprint, CommandMode, EditError, Input, InputShape, Segment, Sources,
};

/// Variables of every template.
#[derive(Clone, Debug, Serialize)]
pub struct Variables {
    pub path: String,
    pub verb: String,
    pub resource: String,
    pub module: String,
    pub pascal: String,
    pub camel: String,
    pub summary: String,
    pub schema: String,
    pub entry_schema: String,
    pub method: String,
    /// `http.MethodPost`.
    pub http: String,
    pub segments: Vec<Part>,
    pub target_segments: Vec<Part>,
    pub route: String,
    pub target_route: String,
    /// The mock has no route for the target yet.
    pub adds_target: bool,
    pub inputs: Vec<Sent>,
    pub params: Vec<Param>,
    pub examples: Vec<String>,
    /// Words of a call that works, another one, and one that names nothing.
    pub call: Vec<String>,
    pub changed: Vec<String>,
    pub missing: Vec<String>,
    pub answered: String,
    pub list: bool,
    pub reads: bool,
    pub creates: bool,
    pub deletes: bool,
    pub batch: bool,
    pub dangerous: bool,
    pub target: bool,
    /// The path names a target, of one call or of each round of a batch.
    pub has_id: bool,
    pub sends: bool,
    pub role: &'static str,
}

/// One part of a path: a text, or the value of a flag.
#[derive(Clone, Debug, Serialize)]
pub struct Part {
    pub text: String,
    pub flag: String,
    /// In a batch: the target of this round.
    pub is_target: bool,
}

/// An input that is sent in the query or the body.
#[derive(Clone, Debug, Serialize)]
pub struct Sent {
    pub flag: String,
    pub wire: String,
    pub kind: &'static str,
    /// The method that reads it, in the language of the tool.
    pub reader: String,
    pub is_list: bool,
}

/// A flag.
#[derive(Clone, Debug, Serialize)]
pub struct Param {
    pub flag: String,
    /// The constant of the language.
    pub kind: String,
    pub kind_name: &'static str,
    pub help: String,
    pub required: bool,
    pub number: bool,
}

impl Variables {
    /// # Errors
    /// Returns an error if two inputs have one name.
    pub fn of(
        _sources: Sources<'_>,
        blueprint: &Blueprint,
        routes: &str,
    ) -> Result<Self, EditError> {
        let blueprint = &settled(blueprint, routes);
        let name = &blueprint.name;
        let (verb, resource) = (dashed(&name.verb), dashed(&name.group));
        let batch = blueprint.shape == InputShape::Many;
        let target = blueprint.has_target() && !batch;
        let mut params = Vec::new();
        if batch {
            params.push(param(
                "ids",
                AddedKind::List,
                true,
                "Ids, by comma or by repeating the flag",
            ));
        }
        for segment in blueprint.segments() {
            if let Segment::Value(value) = segment
                && !(batch && value == "id")
            {
                let help = match value {
                    "id" => format!("Id of the {}", words(&name.group)),
                    other => format!("The {} of the {}", words(other), words(&name.group)),
                };
                params.push(param(value, AddedKind::Text, true, &help));
            }
        }
        for input in &blueprint.inputs {
            let help = format!("The {} of the {}", words(&input.name), words(&name.group));
            params.push(param(&input.name, input.kind, input.required, &help));
        }
        let mut flags: Vec<_> = params.iter().map(|param| param.flag.clone()).collect();
        flags.sort();
        if flags.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(EditError::Refused("two inputs have one name".to_owned()));
        }
        let reads = matches!(blueprint.shape, InputShape::List | InputShape::Get);
        let dangerous = blueprint.mode == CommandMode::Admin;
        let calls = Calls { blueprint, batch, dangerous };
        let call = calls.words("1", "First");
        let known = |id: &str| calls.words(id, "Second");
        let schema = name.module();
        let target_path = blueprint.path.split_inclusive("{id}").next().unwrap_or_default();
        let target_route = format!("GET {}", route_path(target_path));
        let examples = examples(&call[..], reads);
        Ok(Self {
            path: name.path(),
            module: name.module(),
            pascal: name.pascal(),
            camel: name.camel(),
            summary: blueprint.summary.clone(),
            entry_schema: schema.clone(),
            schema: if blueprint.shape == InputShape::List {
                format!("{schema}_page")
            } else {
                schema
            },
            http: format!("http.Method{}", http_name(&blueprint.method)),
            method: blueprint.method.clone(),
            segments: blueprint.segments().map(|segment| part(segment, batch)).collect(),
            target_segments: segments_of(target_path),
            route: format!("{} {}", blueprint.method, route_path(&blueprint.path)),
            adds_target: target && !reads && !has_route(routes, &target_route),
            target_route,
            inputs: blueprint.inputs.iter().map(sent).collect(),
            params,
            examples,
            changed: match blueprint.shape {
                InputShape::Delete => known("5"),
                _ if blueprint.inputs.is_empty() && target => known("2"),
                _ => known("1"),
            },
            missing: if target { calls.words("999999", "First") } else { Vec::new() },
            call,
            answered: if target { "1" } else { "9" }.to_owned(),
            list: blueprint.shape == InputShape::List,
            reads,
            creates: blueprint.shape == InputShape::Create,
            deletes: blueprint.shape == InputShape::Delete,
            batch,
            dangerous,
            target,
            has_id: blueprint.has_target(),
            sends: !blueprint.inputs.is_empty() && blueprint.shape != InputShape::Delete && !batch,
            role: role(blueprint, target),
            verb,
            resource,
        })
    }

    /// Renders one template.
    ///
    /// # Errors
    /// Returns an error if the template is faulty.
    pub fn render(
        &self,
        name: &str,
        template: &str,
        more: &[(&'static str, Value)],
    ) -> Result<String, RenderError> {
        let variables = serde_json::to_value(self).unwrap_or_default();
        let mut engine = Engine::new(&variables)?;
        for (name, value) in more {
            engine.set(name, value);
        }
        engine.render(name, template)
    }
}

/// The blueprint with a request that the mock does not answer for another command yet.
fn settled(blueprint: &Blueprint, routes: &str) -> Blueprint {
    let mut settled = blueprint.clone();
    let route = format!("{} {}", blueprint.method, route_path(&blueprint.path));
    if !blueprint.is_chosen && has_route(routes, &route) {
        let verb = dashed(&blueprint.name.verb);
        settled.path = format!("{}/{verb}", blueprint.path.trim_end_matches('/'));
        if !matches!(blueprint.shape, InputShape::List | InputShape::Get) {
            settled.method = "POST".to_owned();
        }
    }
    settled
}

fn has_route(routes: &str, route: &str) -> bool {
    routes.contains(&format!("\"{route}\""))
}

/// A path as the mocks of both languages write it.
fn route_path(path: &str) -> String {
    path.to_owned()
}

fn segments_of(path: &str) -> Vec<Part> {
    let parts = path.split('/').filter(|part| !part.is_empty());
    parts
        .map(|text| match text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
            Some(name) => part(Segment::Value(name), false),
            None => part(Segment::Text(text), false),
        })
        .collect()
}

fn part(segment: Segment<'_>, batch: bool) -> Part {
    match segment {
        Segment::Text(text) => {
            Part { text: text.to_owned(), flag: String::new(), is_target: false }
        }
        Segment::Value(name) => {
            Part { text: String::new(), flag: dashed(name), is_target: batch && name == "id" }
        }
    }
}

fn param(name: &str, kind: AddedKind, required: bool, help: &str) -> Param {
    let kind_name = match kind {
        AddedKind::Text => "STRING",
        AddedKind::Number => "INTEGER",
        AddedKind::Boolean => "BOOLEAN",
        AddedKind::List => "LIST",
    };
    Param {
        flag: dashed(name),
        kind: kind_name.to_owned(),
        kind_name,
        help: help.to_owned(),
        required,
        number: kind == AddedKind::Number,
    }
}

fn sent(input: &Input) -> Sent {
    let (kind, reader) = match input.kind {
        AddedKind::Text => ("text", "text"),
        AddedKind::Number => ("number", "number"),
        AddedKind::Boolean => ("boolean", "flag"),
        AddedKind::List => ("list", "list"),
    };
    Sent {
        flag: dashed(&input.name),
        wire: input.name.clone(),
        kind,
        reader: reader.to_owned(),
        is_list: input.kind == AddedKind::List,
    }
}

/// Calls of a command.
struct Calls<'a> {
    blueprint: &'a Blueprint,
    batch: bool,
    dangerous: bool,
}

impl Calls<'_> {
    fn words(&self, id: &str, text: &str) -> Vec<String> {
        let path = self.blueprint.name.path();
        let mut words: Vec<String> = path.split(' ').map(str::to_owned).collect();
        let mut flag = |name: &str, value: &str| {
            words.push(format!("--{}", dashed(name)));
            words.extend(Some(value.to_owned()).filter(|value| !value.is_empty()));
        };
        if self.batch {
            flag("ids", "1,2,3");
            flag("continue-on-error", "true");
        }
        for segment in self.blueprint.segments() {
            match segment {
                Segment::Value("id") if self.batch => {}
                Segment::Value("id") => flag("id", id),
                Segment::Value(name) => flag(name, "main"),
                Segment::Text(_) => {}
            }
        }
        for input in &self.blueprint.inputs {
            match input.kind {
                AddedKind::Text => flag(&input.name, text),
                AddedKind::Number => flag(&input.name, "7"),
                AddedKind::List => flag(&input.name, "first,second"),
                AddedKind::Boolean => flag(&input.name, ""),
            }
        }
        if self.dangerous {
            words.push("--dangerous".to_owned());
        }
        words
    }
}

fn examples(call: &[String], reads: bool) -> Vec<String> {
    let call = call.join(" ");
    match reads {
        true => vec![call],
        false => vec![format!("{call} --dry-run"), format!("{call} --confirm ct_TOKEN")],
    }
}

/// `item_list` to `item list`.
fn words(name: &str) -> String {
    name.replace('_', " ")
}

fn http_name(method: &str) -> String {
    let mut symbols = method.chars();
    let first: String = symbols.next().into_iter().collect();
    first + &symbols.as_str().to_lowercase()
}

/// Returns the role of the command's sample for `aos conform`.
fn role(blueprint: &Blueprint, target: bool) -> &'static str {
    match blueprint.shape {
        InputShape::List => "list",
        InputShape::Get if target => "get",
        InputShape::Create => "create",
        InputShape::Change if target && !blueprint.inputs.is_empty() => "update",
        InputShape::Delete if target => "delete",
        InputShape::Many => "batch",
        _ => "other",
    }
}
