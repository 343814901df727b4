//! The files of a described CLI that no template has, and the variables of those that templates have.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::samples::{self, Target};
use super::{
    DescribedInput, DescribedListing, DescribedOperation, DescribedTool, calls, exchanges,
};
use crate::contract::json;
use crate::generate::render::{Engine, RenderError};
use crate::plan::{Content, FileSet, FileSetError, RelativePath};
use crate::visible::excerpt;
use crate::workflows::new::own_preset;

/// Which language a project has, with what its files need.
#[derive(Clone, Debug)]
pub enum Language {
    Python { package: String },
    Go { module: String },
}

/// Why a file cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum DescribedFileError {
    #[error(transparent)]
    Render(#[from] RenderError),
    #[error(transparent)]
    Files(#[from] FileSetError),
    #[error("the table cannot be written: {0}")]
    Json(#[from] serde_json::Error),
}

/// What the runtime of a tool reads.
#[derive(Serialize)]
struct RuntimeTable<'a> {
    base_url: &'a str,
    auth: &'a super::DescribedAuth,
    health: &'a str,
    groups: BTreeMap<String, String>,
    operations: Vec<RuntimeOperation<'a>>,
}

#[derive(Serialize)]
struct RuntimeOperation<'a> {
    command: String,
    id: &'a str,
    request: &'a str,
    summary: &'a str,
    method: &'a str,
    path: &'a str,
    writes: bool,
    dangerous: bool,
    public: bool,
    content_type: &'a str,
    reply: &'a str,
    members: &'a [String],
    list: Option<&'a DescribedListing>,
    /// The command that shows what a write is about.
    reads: String,
    inputs: Vec<RuntimeInput<'a>>,
    example: Vec<String>,
}

#[derive(Serialize)]
struct RuntimeInput<'a> {
    flag: String,
    option: &'a str,
    name: &'a str,
    place: &'a str,
    kind: &'a str,
    required: bool,
    help: &'a str,
    style: &'a str,
    typed: bool,
    values: &'a [String],
}

/// A call of a command, for conform.toml.
#[derive(Serialize)]
struct RoleSample {
    path: String,
    role: &'static str,
    args: Vec<String>,
    changed: Vec<String>,
    missing: Vec<String>,
}

#[derive(Serialize)]
struct ShownCommand {
    path: String,
    summary: String,
    request: String,
    kind: &'static str,
}

/// What templates of a described tool may use, as `api`.
#[derive(Serialize)]
struct ApiVariables {
    title: String,
    summary: String,
    documentation: String,
    base_url: String,
    auth: String,
    auth_name: String,
    account: &'static str,
    other_account: &'static str,
    risk_tier: &'static str,
    commands: Vec<ShownCommand>,
    samples: Vec<RoleSample>,
    /// Calls for documents, without the name of the tool; empty where there is none.
    read: String,
    read_words: String,
    list: String,
    write: String,
    dangerous: String,
}

/// The variables.
#[must_use]
pub fn variables(tool: &DescribedTool) -> Value {
    let (account, other_account) = accounts(tool);
    let operations = &tool.operations;
    let call = |found: Option<&DescribedOperation>| found.map(shown_call).unwrap_or_default();
    let is_plain = |one: &&DescribedOperation| one.inputs.len() < 6;
    let first = |fits: &dyn Fn(&DescribedOperation) -> bool| {
        let mut all = operations.iter().filter(|one| fits(one));
        all.clone().find(is_plain).or_else(|| all.next())
    };
    let read = first(&|one| !one.writes() && one.list.is_none())
        .or_else(|| first(&|one| !one.writes()))
        .or_else(|| operations.first());
    let has_dangerous = operations.iter().any(|one| one.writes() && one.is_dangerous());
    let api = ApiVariables {
        title: tool.title.clone(),
        summary: tool.summary.clone(),
        documentation: tool.documentation.clone(),
        base_url: tool.base_url.clone(),
        auth: tool.auth.form.clone(),
        auth_name: tool.auth.name.clone(),
        account,
        other_account,
        risk_tier: match (has_dangerous, operations.iter().any(DescribedOperation::writes)) {
            (true, _) => "T2",
            (_, true) => "T1",
            _ => "T0",
        },
        commands: operations.iter().map(shown).collect(),
        samples: role_samples(tool),
        read: call(read),
        read_words: read.map(calls::path).unwrap_or_default(),
        list: call(first(&|one| !one.writes() && one.list.is_some())),
        write: call(first(&|one| one.writes() && !one.is_dangerous())),
        dangerous: call(first(&|one| one.writes() && one.is_dangerous())),
    };
    serde_json::to_value(api).unwrap_or_default()
}

fn shown(operation: &DescribedOperation) -> ShownCommand {
    ShownCommand {
        path: calls::path(operation),
        // It is a cell of a table.
        summary: operation.summary.replace('|', "/"),
        request: operation.request.replace('|', "/"),
        kind: match (operation.writes(), operation.is_dangerous()) {
            (false, _) => "reads",
            (true, false) => "writes",
            (true, true) => "needs `--dangerous`",
        },
    }
}

/// A call with what is required, as it is typed.
fn shown_call(operation: &DescribedOperation) -> String {
    let mut words = vec![calls::path(operation)];
    for (input, flag) in operation.inputs.iter().zip(calls::flags(operation)) {
        if input.required {
            words.push(format!("--{flag} {}", flag.to_uppercase().replace('-', "_")));
        }
    }
    words.join(" ")
}

/// The credentials of the mock.
fn accounts(tool: &DescribedTool) -> (&'static str, &'static str) {
    if tool.auth.form == "basic" {
        ("alice:demo-password-alice", "bob:demo-password-bob")
    } else {
        ("demo-token-alice", "demo-token-bob")
    }
}

/// A sample for each role that an operation has.
fn role_samples(tool: &DescribedTool) -> Vec<RoleSample> {
    let operations = &tool.operations;
    let has_path = |one: &DescribedOperation| one.inputs.iter().any(|input| input.place == "path");
    let first =
        |fits: &dyn Fn(&DescribedOperation) -> bool| operations.iter().find(|one| fits(one));
    let mut found = Vec::new();
    let mut add = |role: &'static str, operation: Option<&DescribedOperation>| {
        let Some(operation) = operation else { return };
        let reads = calls::reads(tool, operation);
        let shows = |name: &str| {
            reads.is_some_and(|read| {
                read.sample.as_ref().is_some_and(|sample| sample[name].is_string())
            })
        };
        let others = |target| samples::arguments(operation, target).unwrap_or_default();
        let changed = match role {
            "create" => samples::changed(operation).map(|(words, _)| words),
            "update" => {
                samples::changed(operation).filter(|(_, name)| shows(name)).map(|(words, _)| words)
            }
            "delete" => Some(others(Target::Second)),
            _ => None,
        };
        let has_missing = match role {
            "get" => true,
            "update" | "delete" => reads.is_some_and(|read| read.path == operation.path),
            _ => false,
        };
        let args = match role {
            "create" => samples::text_last(operation),
            _ => others(Target::First),
        };
        found.push(RoleSample {
            path: calls::path(operation),
            role,
            args,
            changed: changed.unwrap_or_default(),
            missing: if has_missing { others(Target::Missing) } else { Vec::new() },
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
    add("get", first(&gets));
    let plain = |one: &DescribedOperation, method: &str| {
        one.method == method && one.writes() && !one.is_dangerous()
    };
    let creates = |one: &DescribedOperation| plain(one, "POST") && samples::changed(one).is_some();
    add("create", first(&creates));
    let updates =
        |one: &DescribedOperation| (plain(one, "PATCH") || plain(one, "PUT")) && has_path(one);
    let seen = |one: &DescribedOperation| {
        let read = calls::reads(tool, one).and_then(|read| read.sample.as_ref());
        updates(one)
            && samples::changed(one).is_some_and(|(_, name)| {
                read.is_some_and(|sample| sample[name.as_str()].is_string())
            })
    };
    add("update", first(&seen).or_else(|| first(&updates)));
    let deletes =
        |one: &DescribedOperation| one.method == "DELETE" && one.writes() && has_path(one);
    let known = |one: &DescribedOperation| deletes(one) && calls::reads(tool, one).is_some();
    add("delete", first(&known).or_else(|| first(&deletes)));
    found
}

/// The files.
///
/// # Errors
/// When a text cannot be rendered, or two files are one.
pub fn files(tool: &DescribedTool, language: &Language) -> Result<FileSet, DescribedFileError> {
    let (token_alice, token_bob) = accounts(tool);
    let table = json::pretty(&serde_json::to_value(table(tool))?);
    let facts = json::pretty(&serde_json::to_value(exchanges::facts(tool))?);
    let mut files = FileSet::default();
    let mut add = |path: &str, text: String| -> Result<(), FileSetError> {
        files.insert(RelativePath::parse(path)?, Content::plain(text))
    };
    let texts: Vec<(String, &str, &str)> = match language {
        Language::Python { package } => {
            add(&format!("{package}/operations.json"), table)?;
            add("mock_upstream/exchanges.json", facts)?;
            vec![
                (
                    format!("{package}/client.py"),
                    "client.py",
                    include_str!("python/client.py.tera"),
                ),
                (
                    "mock_upstream/__init__.py".to_owned(),
                    "mock.py",
                    include_str!("python/mock.py.tera"),
                ),
                (
                    "tests/test_operations.py".to_owned(),
                    "test.py",
                    include_str!("python/test.py.tera"),
                ),
            ]
        }
        Language::Go { .. } => {
            add("internal/client/operations.json", table)?;
            add("internal/mock/exchanges.json", facts)?;
            vec![
                (
                    "internal/client/client.go".to_owned(),
                    "client.go",
                    include_str!("go/client.go.tera"),
                ),
                ("internal/mock/mock.go".to_owned(), "mock.go", include_str!("go/mock.go.tera")),
                (
                    "internal/commands/operations_test.go".to_owned(),
                    "test.go",
                    include_str!("go/test.go.tera"),
                ),
            ]
        }
    };
    let (package, module) = match language {
        Language::Python { package } => (package.as_str(), ""),
        Language::Go { module } => ("", module.as_str()),
    };
    let mut variables = serde_json::Map::new();
    for (name, value) in [
        ("package", package),
        ("module", module),
        ("token_alice", token_alice),
        ("token_bob", token_bob),
    ] {
        variables.insert(name.to_owned(), value.into());
    }
    let mut engine = Engine::new(&variables.into())?;
    for (path, name, text) in texts {
        add(&path, engine.render(name, text)?)?;
    }
    Ok(files)
}

/// Where a project keeps the table; the text is that of the preset.
///
/// # Errors
/// When the path is taken.
pub fn keep(files: &mut FileSet, text: &str) -> Result<(), FileSetError> {
    files.insert(RelativePath::literal(own_preset::PATH), Content::plain(text.to_owned()))
}

fn table(tool: &DescribedTool) -> RuntimeTable<'_> {
    let mut groups: BTreeMap<String, String> = BTreeMap::new();
    for operation in &tool.operations {
        let group = calls::group(operation);
        let help = format!("Work with {}", group.trim_start_matches("api-").replace('-', " "));
        groups.insert(group, help);
    }
    let operations = tool.operations.iter().map(|operation| RuntimeOperation {
        command: calls::path(operation),
        id: &operation.id,
        request: &operation.request,
        summary: &operation.summary,
        method: &operation.method,
        path: &operation.path,
        writes: operation.writes(),
        dangerous: operation.writes() && operation.is_dangerous(),
        public: operation.public,
        content_type: &operation.content_type,
        reply: &operation.reply,
        members: &operation.members,
        list: operation.list.as_ref(),
        reads: match calls::reads(tool, operation) {
            Some(read) if operation.writes() => calls::path(read),
            _ => String::new(),
        },
        inputs: operation.inputs.iter().zip(calls::flags(operation)).map(input).collect(),
        example: example(operation),
    });
    RuntimeTable {
        base_url: &tool.base_url,
        auth: &tool.auth,
        health: &tool.health,
        groups,
        operations: operations.collect(),
    }
}

fn input((input, flag): (&DescribedInput, String)) -> RuntimeInput<'_> {
    RuntimeInput {
        flag,
        option: &input.option,
        name: &input.name,
        place: &input.place,
        kind: &input.kind,
        required: input.required,
        help: &input.help,
        style: &input.style,
        typed: input.typed,
        values: &input.values,
    }
}

/// The words of a call with what is required.
fn example(operation: &DescribedOperation) -> Vec<String> {
    let words = samples::arguments(operation, Target::First).unwrap_or_default();
    let pairs = words.chunks_exact(2).zip(&operation.inputs);
    let needed = pairs.filter(|(_, input)| input.required);
    needed.flat_map(|(pair, _)| pair.iter().map(|word| excerpt(word, 2_000))).collect()
}
