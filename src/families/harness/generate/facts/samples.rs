//! Sample values for the fields of an API, and the requests of a command that has them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::super::manifest;
use super::super::pages::{IDS, NAMES, Page, PagedList};
use super::{named, pairs, set, split, with_ok};
use crate::families::harness::operations::{
    FieldType, HttpMethod, Operation, PagingPlace, Preset, PresetField, Select,
};
use crate::openapi::written::{self as styles, percent, wire};

/// One value for each field: no two are equal, and each must be encoded to travel.
pub(super) struct Samples<'a> {
    preset: &'a Preset,
    operation: &'a Operation,
    /// The end of each text, which distinguishes commands that make the same request.
    number: usize,
    fields: BTreeMap<&'a str, (usize, &'a PresetField)>,
}

impl<'a> Samples<'a> {
    pub(super) fn of(preset: &'a Preset, operation: &'a Operation, number: usize) -> Self {
        let fields = preset.fields.iter().enumerate();
        let fields = fields.map(|(at, field)| (field.id.as_str(), (at, field))).collect();
        Self { preset, operation, number, fields }
    }

    /// The value that the API gets.
    fn value(&self, id: &str) -> Value {
        let text = || Value::from(format!("{} /{}", id.replace('_', "-"), self.number));
        let Some((at, field)) = self.fields.get(id) else { return text() };
        let own = self.operation.samples.iter().find(|(own, _)| own.as_str() == id);
        let sample = own.map(|(_, sample)| sample).or(field.sample.as_ref());
        // The first sample is the stated one; the others only distinguish the requests of two commands.
        if let Some(sample) = sample.filter(|_| self.number == 1 || field.kind != FieldType::String)
        {
            return sample.clone();
        }
        match field.kind {
            FieldType::String | FieldType::Richtext => text(),
            FieldType::Number => json!(at + 7),
            FieldType::Boolean => true.into(),
            // The first one is often the default.
            FieldType::Select => field.options.last().map_or_else(text, |last| json!(last)),
            FieldType::List => json!([format!("{id} 1"), format!("{id} 2")]),
            FieldType::Json => json!({id: [at, null, "text"]}),
        }
    }

    /// A shape with the values of its fields: a text that is one field is its value, any other is filled.
    fn shaped(&self, operation: &Operation, shape: &Value) -> Value {
        match shape {
            Value::String(text) => match text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
                Some(field) if !field.contains(['{', '}', ' ']) => {
                    let value = self.value(field);
                    let words = operation.words.iter().find(|(id, _)| id.as_str() == field);
                    let word = words.and_then(|(_, words)| words.get(value.as_str()?));
                    word.cloned().unwrap_or(value)
                }
                _ => self.filled(text).into(),
            },
            Value::Array(items) => items.iter().map(|one| self.shaped(operation, one)).collect(),
            Value::Object(members) => {
                let members = members.iter();
                members.map(|(name, one)| (name.clone(), self.shaped(operation, one))).collect()
            }
            other => other.clone(),
        }
    }

    /// A text with the values of its fields, escaped as inside double quotes.
    fn filled(&self, text: &str) -> String {
        let mut parts = text.split('{');
        let mut filled = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (field, rest) = part.split_once('}').unwrap_or((part, ""));
            filled.push_str(&wire(&self.value(field)).replace('\\', "\\\\").replace('"', "\\\""));
            filled.push_str(rest);
        }
        filled
    }

    pub(super) fn command(&self, operation: &'a Operation) -> Value {
        let mut arguments = Vec::new();
        let mut fields: Vec<String> = Vec::new();
        for field in manifest::inputs(operation) {
            if field != "cursor" && !fields.contains(&field) {
                let text = match field.as_str() {
                    "limit" => self.list(operation).limit().to_string(),
                    _ => match self.fields.get(field.as_str()) {
                        Some((_, field)) if field.kind == FieldType::Json => {
                            self.value(field.id.as_str()).to_string()
                        }
                        _ => styles::argument(&self.value(&field)),
                    },
                };
                arguments.extend([format!("--{}", field.replace('_', "-")), text]);
                fields.push(field);
            }
        }
        let requests = match &operation.each {
            Some(each) => {
                let values = self.value(each.as_str());
                let values = values.as_array().cloned().unwrap_or_default();
                values.iter().map(|value| self.request(operation, Some(value))).collect()
            }
            None if operation.list => self.pages(operation),
            None => vec![self.request(operation, None)],
        };
        let is_whole = operation.each.is_none() && operation.pick.is_none();
        let names = if operation.item_name == operation.item_id { IDS } else { NAMES };
        json!({
            "id": operation.id.as_str(),
            "arguments": arguments,
            "requests": requests,
            "result": if is_whole && !operation.text { operation.result.as_str() } else { "" },
            "ids": if operation.list { json!(IDS) } else { Value::Null },
            "names": if operation.list { json!(names) } else { Value::Null },
        })
    }

    fn request(&self, operation: &Operation, item: Option<&Value>) -> Value {
        let mut body = json!({"id": IDS[0]});
        if let Some(pick) = &operation.pick {
            let other = json!({"id": IDS[0]});
            let mut wanted = json!({"id": IDS[0]});
            for member in &pick.by {
                set(&mut wanted, member, self.value(pick.field.as_str()));
            }
            set(&mut body, &pick.at, json!([other, wanted]));
        }
        let reply = match operation.method {
            HttpMethod::Head => String::new(),
            _ if operation.text => "a text".to_owned(),
            _ => with_ok(body, self.preset.api.error_style).to_string(),
        };
        self.exchange(operation, item, &Page { reply, ..Page::default() })
    }

    /// A request with all inputs, and what a page adds to it.
    fn exchange(&self, operation: &Operation, item: Option<&Value>, page: &Page) -> Value {
        let (template, mut query) = split(&operation.path);
        for (name, field) in operation.query.pairs() {
            let value = self.value(field.as_str());
            if let Some(style) = operation.styles.get(&name) {
                query.extend(styles::entries(&name, &value, style));
                continue;
            }
            let texts = match value.as_array().filter(|_| name.ends_with("[]")) {
                Some(values) => values.iter().map(wire).collect(),
                None => vec![wire(&value)],
            };
            query.push((name, texts));
        }
        if let Some(select) = &operation.select
            && query.iter().all(|(name, _)| *name != select.name)
        {
            query.push((select.name.clone(), vec![selected(operation, select)]));
        }
        let mut body: Vec<(String, Value)> = Vec::new();
        body.extend(operation.body.pairs().into_iter().map(|(name, field)| {
            let value = self.value(field.as_str());
            let is_typed = operation.typed.contains(&name);
            (name, if is_typed { styles::typed(&value) } else { value })
        }));
        let in_query = matches!(operation.method, HttpMethod::Get | HttpMethod::Head);
        let shapes = operation.shapes.iter();
        let shapes = shapes.map(|(name, shape)| (name, self.shaped(operation, shape)));
        let constants = operation.constants.iter().map(|(name, value)| (name, value.clone()));
        for (name, value) in constants.chain(shapes) {
            if in_query {
                query.push((name.clone(), vec![wire(&value)]));
            } else {
                body.push((name.clone(), value));
            }
        }
        for (name, value) in &page.parameters {
            match page.place {
                PagingPlace::Query => query.push((name.clone(), vec![wire(value)])),
                PagingPlace::Body => body.push((name.clone(), value.clone())),
            }
        }
        let mut tree = Value::Object(Map::new());
        if !operation.content_type.is_empty() && !operation.content_type.ends_with("json") {
            body = styles::form(&body, &operation.styles);
        }
        // A whole object goes before its parts.
        body.sort_by_key(|(name, _)| name.matches('.').count());
        for (name, value) in &body {
            set(&mut tree, name, value.clone());
        }
        let body = match body.first() {
            None => String::new(),
            Some((name, whole)) if name.is_empty() => whole.to_string(),
            Some(_) => tree.to_string(),
        };
        let sends = operation.headers.pairs().into_iter().map(|(name, field)| {
            let style = operation.styles.get(&name).map_or("", String::as_str);
            (name, json!(styles::joined(&self.value(field.as_str()), style)))
        });
        json!({
            "sends": pairs(sends),
            "content_type": if body.is_empty() { "" } else { operation.content_type.as_str() },
            "public": operation.public,
            "method": operation.method,
            "path": self.path(operation, &template, item),
            "query": named(query),
            "body": body,
            "headers": pairs(page.headers.iter().map(|(name, value)| (name, json!(value)))),
            "reply": page.reply,
        })
    }

    fn path(&self, operation: &Operation, template: &str, item: Option<&Value>) -> String {
        let mut parts = template.split('{');
        let mut path = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (name, rest) = part.split_once('}').unwrap_or((part, ""));
            let field = name.trim_start_matches('+');
            let text = match item.filter(|_| field == "each_item") {
                Some(value) => wire(value),
                None => wire(&self.value(field)),
            };
            match operation.styles.get(&format!("{{{name}}}")) {
                Some(style) => path.push_str(&styles::in_path(&self.value(field), style)),
                None => path.push_str(&percent(&text, name.starts_with('+'))),
            }
            path.push_str(rest);
        }
        path
    }

    /// The list that an operation is.
    fn list(&self, operation: &'a Operation) -> PagedList<'a> {
        let has_own = operation.paging.is_some();
        let alike = |other: &&Operation| other.list && other.paging.is_some() == has_own;
        let mut lists = self.preset.operations.iter().filter(alike);
        let turn = lists.position(|other| other.id == operation.id).unwrap_or_default();
        PagedList {
            operation,
            rules: operation.paging.as_ref().unwrap_or(&self.preset.api.paging),
            style: self.preset.api.error_style,
            turn,
            // One of those that share their rules is enough.
            asks_for_most: has_own || lists.next().is_none(),
        }
    }

    /// The requests that read a list to its end.
    fn pages(&self, operation: &'a Operation) -> Vec<Value> {
        let pages = self.list(operation).pages();
        let mut requests: Vec<_> =
            pages.iter().map(|page| self.exchange(operation, None, page)).collect();
        for at in 0..requests.len().saturating_sub(1) {
            if pages[at].is_linked {
                let link = format!("<{}>; rel=\"next\"", address(&requests[at + 1]));
                requests[at]["headers"] = json!([{"name": "Link", "value": link}]);
            }
        }
        requests
    }
}

/// The fields that a list asks for, and those that name its entries.
fn selected(operation: &Operation, select: &Select) -> String {
    let mut names: Vec<&str> = Vec::new();
    let named = [operation.item_id.as_str(), operation.item_name.as_str()];
    for path in operation.slim.iter().map(String::as_str).chain(named) {
        let Some(below) = path.strip_prefix(select.below.as_str()) else { continue };
        let whole = if select.below.is_empty() { Some(below) } else { below.split('.').next() };
        names.extend(whole.filter(|name| !names.contains(name)));
    }
    names.join(",")
}

/// The address of a request, below that of the mock.
fn address(request: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let entries = request["query"].as_array().cloned().unwrap_or_default();
    let pairs: Vec<_> = entries
        .iter()
        .flat_map(|entry| {
            let values = entry["value"].as_array().cloned().unwrap_or_default();
            let name = text(&entry["name"]);
            values.into_iter().map(move |value| {
                format!("{}={}", percent(&name, false), percent(&text(&value), false))
            })
        })
        .collect();
    format!("{{base_url}}{}?{}", text(&request["path"]), pairs.join("&"))
}
