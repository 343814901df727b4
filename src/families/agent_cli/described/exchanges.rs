//! The exchanges of the mock of a CLI: for each operation the request that its sample makes, and a matching reply.
//!
//! It follows from the description, and not from the code of the runtime that is compared with it.

use serde::Serialize;
use serde_json::{Map, Value};

use super::calls;
use super::samples::{self, SampleTarget};
use super::table::{DescribedListing, DescribedOperation, DescribedTool};
use crate::openapi::written;

/// Everything of the API.
#[derive(Debug, Serialize)]
pub struct MockFacts<'a> {
    auth: &'a super::table::DescribedAuth,
    exchanges: Vec<MockExchange<'a>>,
}

/// One operation.
#[derive(Debug, Serialize)]
struct MockExchange<'a> {
    command: String,
    /// The words of a call with every option.
    arguments: Vec<String>,
    writes: bool,
    dangerous: bool,
    public: bool,
    method: &'a str,
    /// The paths of the existing objects, that of the sample first.
    paths: Vec<String>,
    /// Pairs, decoded.
    query: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    content_type: &'a str,
    /// A document of JSON, the pairs of a form, or a text.
    body: Value,
    reply: &'a str,
    sample: Value,
    list: Option<&'a DescribedListing>,
}

/// The facts.
#[must_use]
pub fn facts(tool: &DescribedTool) -> MockFacts<'_> {
    let exchanges = tool.operations.iter().map(exchange).collect();
    MockFacts { auth: &tool.auth, exchanges }
}

fn exchange(operation: &DescribedOperation) -> MockExchange<'_> {
    let targets = [SampleTarget::First, SampleTarget::Second];
    let mut paths: Vec<String> =
        targets.into_iter().filter_map(|target| path(operation, target)).collect();
    paths.dedup();
    let mut query = Vec::new();
    let mut headers = Vec::new();
    for (at, input) in operation.inputs.iter().enumerate() {
        let value = samples::value(input, at);
        match input.place.as_str() {
            "query" => query.extend(pairs(&input.name, &value, &input.style)),
            "header" => headers.push((input.name.clone(), written::joined(&value, &input.style))),
            _ => {}
        }
    }
    MockExchange {
        command: calls::path(operation),
        arguments: samples::arguments(operation, SampleTarget::First).unwrap_or_default(),
        writes: operation.writes(),
        dangerous: operation.writes() && operation.is_dangerous(),
        public: operation.public,
        method: &operation.method,
        paths,
        query,
        headers,
        content_type: &operation.content_type,
        body: body(operation),
        reply: &operation.reply,
        sample: operation.sample.clone().unwrap_or_default(),
        list: operation.list.as_ref(),
    }
}

fn pairs(name: &str, value: &Value, style: &str) -> Vec<(String, String)> {
    let entries = written::entries(name, value, style).into_iter();
    entries
        .flat_map(|(name, texts)| texts.into_iter().map(move |text| (name.clone(), text)))
        .collect()
}

/// The encoded path of an object; `None` if there is no other object.
fn path(operation: &DescribedOperation, target: SampleTarget) -> Option<String> {
    let mut path = String::new();
    let mut has_other = target == SampleTarget::First;
    let mut rest = operation.path.as_str();
    while let Some((before, inner)) = rest.split_once('{') {
        let (name, after) = inner.split_once('}')?;
        path.push_str(&written::percent(before, true));
        let found = operation
            .inputs
            .iter()
            .enumerate()
            .find(|(_, input)| input.place == "path" && input.name == name)?;
        let value = match samples::other(found.1, found.0, target) {
            Some(value) => {
                has_other = true;
                value
            }
            None => samples::value(found.1, found.0),
        };
        path.push_str(&written::in_path(&value, &found.1.style));
        rest = after;
    }
    path.push_str(&written::percent(rest, true));
    has_other.then_some(path)
}

fn body(operation: &DescribedOperation) -> Value {
    let inputs = || operation.inputs.iter().enumerate();
    if let Some((at, input)) = inputs().find(|(_, input)| input.place == "whole") {
        return samples::value(input, at);
    }
    let members = inputs().filter(|(_, input)| input.place == "body");
    let is_json = operation.content_type.is_empty() || operation.content_type.ends_with("json");
    if is_json {
        let members = members.map(|(at, input)| {
            let value = samples::value(input, at);
            (input.name.clone(), if input.typed { written::typed(&value) } else { value })
        });
        let members: Map<String, Value> = members.collect();
        // A write whose object has no members is sent as an empty object.
        let is_bare = matches!(operation.method.as_str(), "GET" | "HEAD" | "DELETE")
            || operation.content_type.is_empty();
        return if members.is_empty() && is_bare { Value::Null } else { Value::Object(members) };
    }
    let pairs = members
        .flat_map(|(at, input)| pairs(&input.name, &samples::value(input, at), &input.style));
    pairs.map(|(name, text)| Value::from(vec![name, text])).collect()
}
