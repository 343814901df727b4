//! The files of a described CLI that no template has, and the variables of those that templates have.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::roles::{self, RoleSample};
use super::samples::{self, SampleTarget};
use super::table::{
    DescribedInput, DescribedKey, DescribedListing, DescribedOperation, DescribedTool,
};
use super::{calls, exchanges};
use crate::contract::json;
use crate::generate::render::{Engine, RenderError};
use crate::plan::{Content, FileSet, FileSetError, RelativePath};
use crate::visible::excerpt;
use crate::workflows::new::own_preset;

/// The language of a project, with the variables of its files.
#[derive(Clone, Debug)]
pub enum DescribedLanguage {
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

/// The settings of the whole API; each group of operations has a separate file, so that a call reads no other.
#[derive(Serialize)]
struct RuntimeApi<'a> {
    base_url: &'a str,
    auth: &'a super::table::DescribedAuth,
    health: &'a str,
    groups: BTreeMap<String, String>,
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

#[derive(Serialize)]
struct ShownCommand {
    path: String,
    summary: String,
    request: String,
    kind: &'static str,
}

/// One of several keys, with its values in the mock.
#[derive(Serialize)]
struct KeySample {
    variable: String,
    account: String,
    other_account: String,
}

/// The variable `api` in templates of a described tool.
#[derive(Serialize)]
struct ApiVariables {
    title: String,
    summary: String,
    documentation: String,
    base_url: String,
    auth: String,
    auth_name: String,
    account: String,
    other_account: String,
    /// The keys of an API that takes several at once.
    keys: Vec<KeySample>,
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
        account: first_line(&account),
        other_account: first_line(&other_account),
        keys: key_samples(tool),
        risk_tier: match (has_dangerous, operations.iter().any(DescribedOperation::writes)) {
            (true, _) => "T2",
            (_, true) => "T1",
            _ => "T0",
        },
        commands: operations.iter().map(shown).collect(),
        samples: roles::role_samples(tool),
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

/// The credentials of the mock: with several keys, a line `NAME=KEY` for each.
fn accounts(tool: &DescribedTool) -> (String, String) {
    let keys = key_samples(tool);
    if keys.is_empty() {
        return (demo(&tool.auth.form, "token", "alice"), demo(&tool.auth.form, "token", "bob"));
    }
    let lines = |of: fn(&KeySample) -> &str| {
        let lines = keys.iter().map(|key| format!("{}={}", key.variable, of(key)));
        lines.collect::<Vec<_>>().join("\n")
    };
    (lines(|key| &key.account), lines(|key| &key.other_account))
}

fn key_samples(tool: &DescribedTool) -> Vec<KeySample> {
    let sample = |key: &DescribedKey| {
        let word = key.variable.to_lowercase().replace('_', "-");
        KeySample {
            variable: key.variable.clone(),
            account: demo(&key.form, &word, "alice"),
            other_account: demo(&key.form, &word, "bob"),
        }
    };
    tool.auth.keys.iter().map(sample).collect()
}

fn demo(form: &str, word: &str, person: &str) -> String {
    match form {
        "basic" => format!("{person}:demo-password-{person}"),
        _ => format!("demo-{word}-{person}"),
    }
}

/// The key of the first line, which the fixture of the tests has apart from the others.
fn first_line(token: &str) -> String {
    let Some((line, _)) = token.split_once('\n') else { return token.to_owned() };
    line.split_once('=').map_or(line, |(_, key)| key).to_owned()
}

/// The files.
///
/// # Errors
/// Returns an error if a text cannot be rendered, or two files are one.
pub fn files(
    tool: &DescribedTool,
    language: &DescribedLanguage,
) -> Result<FileSet, DescribedFileError> {
    let (alice, bob) = accounts(tool);
    let (token_alice, token_bob) = (quoted(&alice), quoted(&bob));
    let facts = json::pretty(&serde_json::to_value(exchanges::facts(tool))?);
    let mut files = FileSet::default();
    let mut add = |path: &str, text: String| -> Result<(), FileSetError> {
        files.insert(RelativePath::parse(path)?, Content::plain(text))
    };
    let directory = match language {
        DescribedLanguage::Python { package } => package,
        DescribedLanguage::Go { .. } => "internal/client",
    };
    for (name, value) in table(tool)? {
        add(&format!("{directory}/{name}"), json::pretty(&value))?;
    }
    let texts: Vec<(String, &str, &str)> = match language {
        DescribedLanguage::Python { package } => {
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
        DescribedLanguage::Go { .. } => {
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
        DescribedLanguage::Python { package } => (package.as_str(), ""),
        DescribedLanguage::Go { module } => ("", module.as_str()),
    };
    let mut variables = serde_json::Map::new();
    for (name, value) in [
        ("package", package),
        ("module", module),
        ("token_alice", token_alice.as_str()),
        ("token_bob", token_bob.as_str()),
    ] {
        variables.insert(name.to_owned(), value.into());
    }
    for (name, token) in [("lines_alice", &alice), ("lines_bob", &bob)] {
        variables.insert(name.to_owned(), token.lines().collect::<Vec<_>>().into());
    }
    variables.insert("has_keys".to_owned(), (!tool.auth.keys.is_empty()).into());
    let mut engine = Engine::new(&variables.into())?;
    for (path, name, text) in texts {
        add(&path, engine.render(name, text)?)?;
    }
    Ok(files)
}

/// A text as it is between quotes, in Python and Go.
fn quoted(text: &str) -> String {
    text.replace('\n', "\\n")
}

/// Adds the file in which a project keeps the table; the text is that of the preset.
///
/// # Errors
/// Returns an error if the path is taken.
pub fn keep(files: &mut FileSet, text: &str) -> Result<(), FileSetError> {
    files.insert(RelativePath::literal(own_preset::PATH), Content::plain(text))
}

/// The files that the runtime of the tool reads, by their names.
fn table(tool: &DescribedTool) -> Result<BTreeMap<String, Value>, serde_json::Error> {
    let mut groups: BTreeMap<String, (String, Vec<RuntimeOperation<'_>>)> = BTreeMap::new();
    for one in &tool.operations {
        let group = calls::group(one);
        let help = format!("Work with {}", group.trim_start_matches("api-").replace('-', " "));
        groups.entry(group).or_insert((help, Vec::new())).1.push(operation(tool, one));
    }
    let helps = groups.iter().map(|(group, (help, _))| (group.clone(), help.clone()));
    let api = RuntimeApi {
        base_url: &tool.base_url,
        auth: &tool.auth,
        health: &tool.health,
        groups: helps.collect(),
    };
    let mut files = BTreeMap::from([("api.json".to_owned(), serde_json::to_value(api)?)]);
    for (group, (_, operations)) in groups {
        files.insert(format!("operations/{group}.json"), serde_json::to_value(operations)?);
    }
    Ok(files)
}

fn operation<'a>(tool: &'a DescribedTool, one: &'a DescribedOperation) -> RuntimeOperation<'a> {
    RuntimeOperation {
        command: calls::path(one),
        id: &one.id,
        request: &one.request,
        summary: &one.summary,
        method: &one.method,
        path: &one.path,
        writes: one.writes(),
        dangerous: one.writes() && one.is_dangerous(),
        public: one.public,
        content_type: &one.content_type,
        reply: &one.reply,
        members: &one.members,
        list: one.list.as_ref(),
        reads: match calls::reads(tool, one) {
            Some(read) if one.writes() => calls::path(read),
            _ => String::new(),
        },
        inputs: one.inputs.iter().zip(calls::flags(one)).map(input).collect(),
        example: example(one),
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
    let words = samples::arguments(operation, SampleTarget::First).unwrap_or_default();
    let pairs = words.chunks_exact(2).zip(&operation.inputs);
    let needed = pairs.filter(|(_, input)| input.required);
    needed.flat_map(|(pair, _)| pair.iter().map(|word| excerpt(word, 2_000))).collect()
}
