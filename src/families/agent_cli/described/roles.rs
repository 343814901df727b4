//! The calls of a described CLI for the roles of conform.toml: list, get, create, update, delete.

use serde::Serialize;
use serde_json::Value;

use super::calls;
use super::samples::{self, SampleTarget};
use super::table::{DescribedOperation, DescribedTool};

/// A call of a command, for conform.toml.
#[derive(Serialize)]
pub struct RoleSample {
    path: String,
    role: &'static str,
    args: Vec<String>,
    changed: Vec<String>,
    missing: Vec<String>,
}

/// A sample for each role that an operation has.
#[must_use]
pub fn role_samples(tool: &DescribedTool) -> Vec<RoleSample> {
    let operations = &tool.operations;
    let has_path = |one: &DescribedOperation| one.inputs.iter().any(|input| input.place == "path");
    // An operation that is called without credentials shows less of the tool.
    let first = |fits: &dyn Fn(&DescribedOperation) -> bool| {
        let mut all = operations.iter().filter(|one| fits(one));
        all.clone().find(|one| !one.public).or_else(|| all.next())
    };
    let mut found = Vec::new();
    let mut add = |role: &'static str, operation: Option<&DescribedOperation>| {
        let Some(operation) = operation else { return };
        let reads = calls::reads(tool, operation);
        let others = |target| samples::arguments(operation, target).unwrap_or_default();
        let changed = match role {
            "create" => samples::changed(operation),
            "update" if reads.is_some() => samples::changed(operation),
            "delete" => Some(others(SampleTarget::Second)),
            _ => None,
        };
        let has_missing = match role {
            "get" => has_path(operation),
            "update" | "delete" => reads.is_some_and(|read| read.path == operation.path),
            _ => false,
        };
        let args = match role {
            "create" => samples::text_last(operation),
            _ => others(SampleTarget::First),
        };
        found.push(RoleSample {
            path: calls::path(operation),
            role,
            args,
            changed: changed.unwrap_or_default(),
            missing: if has_missing { others(SampleTarget::Missing) } else { Vec::new() },
        });
    };
    let lists = |one: &DescribedOperation| !one.writes() && one.list.is_some();
    let paged = |one: &DescribedOperation| {
        lists(one)
            && one.list.as_ref().is_some_and(|list| list.style != "none" && !list.limit.is_empty())
    };
    add("list", first(&paged).or_else(|| first(&lists)));
    let gets = |one: &DescribedOperation| {
        !one.writes()
            && one.list.is_none()
            && one.method == "GET"
            && one.reply == "json"
            && has_path(one)
    };
    // An API whose methods are called by name has the id in the query.
    let named = |one: &DescribedOperation| {
        !one.writes()
            && one.list.is_none()
            && one.method == "GET"
            && one.reply == "json"
            && one.inputs.iter().any(|input| input.required)
    };
    add("get", first(&gets).or_else(|| first(&named)));
    let plain = |one: &DescribedOperation, method: &str| {
        one.method == method && one.writes() && !one.is_dangerous()
    };
    let by_post = |one: &DescribedOperation| calls::is_update_by_post(tool, one);
    let creates = |one: &DescribedOperation| {
        plain(one, "POST") && !by_post(one) && samples::changed(one).is_some()
    };
    add("create", first(&creates));
    let updates = |one: &DescribedOperation| {
        let is_update =
            plain(one, "PATCH") || plain(one, "PUT") || plain(one, "POST") && by_post(one);
        is_update && has_path(one)
    };
    let seen = |one: &DescribedOperation| {
        let read = calls::reads(tool, one).filter(|read| read.path == one.path);
        let sample = read.and_then(|read| read.sample.as_ref());
        updates(one) && sample.is_some_and(Value::is_object) && samples::changed(one).is_some()
    };
    add("update", first(&seen).or_else(|| first(&updates)));
    let deletes =
        |one: &DescribedOperation| one.method == "DELETE" && one.writes() && has_path(one);
    let known = |one: &DescribedOperation| deletes(one) && calls::reads(tool, one).is_some();
    add("delete", first(&known).or_else(|| first(&deletes)));
    found
}
