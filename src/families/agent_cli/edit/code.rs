//! Error codes of a CLI: in the extension of the contract, in the client, in the tests, and in the Skill.

use serde_json::Value;
use toml_edit::{Document, Item};

use crate::generate::record_text::quote;
use crate::workflows::add::json_text::{JsonText, PathStep};
use crate::workflows::add::name::capitalised;
use crate::workflows::add::seam::{Desk, EditError, NewCode, Sources};

use super::EditedLanguage;

/// The extension of a tool that has none yet.
const EMPTY: &str = "{\n  \"error_codes\": {}\n}\n";

/// A member of the extension, in the order of the contract.
#[derive(serde::Serialize)]
struct CodeEntry {
    exit: u8,
    retryable: bool,
}

/// Adds a code everywhere.
///
/// # Errors
/// Returns an error if the code is there, or a place that must be edited is not found.
pub fn add(
    desk: &mut Desk<'_>,
    sources: Sources<'_>,
    language: &dyn EditedLanguage,
    code: &NewCode,
) -> Result<(), EditError> {
    let path = format!("{}/contract-ext.json", sources.record.spec.directory);
    let text = desk.text(&path).unwrap_or(EMPTY);
    let mut document = JsonText::parse(text).map_err(|error| EditError::json(&path, error))?;
    let at = [PathStep::Name("error_codes")];
    if document.value()["error_codes"].get(&code.code).is_some() {
        return Err(EditError::CodeTaken(code.code.clone()));
    }
    let entry = serde_json::to_value(CodeEntry { exit: code.exit, retryable: code.retryable });
    let entry: Value = entry.unwrap_or_default();
    document.insert(&at, &code.code, &entry).map_err(|error| EditError::json(&path, error))?;
    desk.set(&path, document.into_text());
    language.add_code(desk, code)?;
    let row = format!("| {} | `{}` | {} |", code.exit, code.code, code.advice);
    for skill in desk.below("skills", "/SKILL.md") {
        match desk.text(&skill).and_then(|text| with_error(text, &row)) {
            Some(text) => desk.set(&skill, text),
            None => desk.edited.by_hand.push(format!(
                "`{skill}`: it has no table below `## Errors`; describe there what an agent does about `{}`",
                code.code
            )),
        }
    }
    Ok(())
}

fn with_error(text: &str, row: &str) -> Option<String> {
    super::documents::with_row(text, "## Errors", row)
}

/// A call of a query, from the samples of `aos conform`.
///
/// # Errors
/// Returns an error if there is no sample of one.
pub fn query(desk: &Desk<'_>) -> Result<Vec<String>, EditError> {
    const CONFORM: &str = "conform.toml";
    let fault = || {
        EditError::place(
            CONFORM,
            "it has no sample of a query, with which the code could be tested",
        )
    };
    let document = Document::parse(desk.needed(CONFORM)?).map_err(|_| fault())?;
    let samples = document.get("agent_cli").and_then(|table| table.get("command"));
    let samples = samples.and_then(Item::as_array_of_tables).ok_or_else(fault)?;
    let is_query = |role: Option<&str>| matches!(role, Some("get" | "list"));
    let sample = samples.iter().find(|table| is_query(table.get("role").and_then(Item::as_str)));
    let sample = sample.ok_or_else(fault)?;
    let path = sample.get("path").and_then(Item::as_str).ok_or_else(fault)?;
    let arguments = sample.get("args").and_then(Item::as_array).into_iter().flatten();
    let arguments = arguments.filter_map(|value| value.as_str().map(str::to_owned));
    Ok(path.split(' ').map(str::to_owned).chain(arguments).collect())
}

/// A test in which the upstream refuses with the code that the new one replaces.
pub fn python_test(package: &str, code: &NewCode, call: &[String]) -> String {
    let NewCode { code, upstream, .. } = code;
    let name = code.to_lowercase();
    let words: String = call.iter().map(|word| format!("        {},\n", quote(word))).collect();
    format!(
        "\"\"\"`{code}`: the upstream refuses with `{upstream}`. This file is yours.\"\"\"\n\n\
         from __future__ import annotations\n\n\
         from {package}._runtime.testkit.mock import (\n    Handler,\n    Reply,\n)\n\
         from {package}._runtime.testkit.sandbox import (\n    Sandbox,\n)\n\n\n\
         def test_{name}_is_what_the_upstream_means(tool: Sandbox) -> None:\n    \
         def refuse(handler: Handler) -> bool:\n        \
         refusal = {{\"code\": {}, \"message\": \"no\"}}\n        \
         handler.reply(Reply({{\"error\": refusal}}, 409))\n        return True\n\n    \
         tool.hook(refuse)\n    tool.run(\n{words}    ).fails({})\n",
        quote(upstream),
        quote(code),
    )
}

/// The same in Go.
pub fn go_test(module: &str, code: &NewCode, call: &[String]) -> String {
    let NewCode { code, upstream, .. } = code;
    let words = code.trim_start_matches("E_").to_lowercase();
    let name: String = words.split('_').map(capitalised).collect();
    let words = call.iter().map(|word| quote(word)).collect::<Vec<_>>().join(", ");
    format!(
        "package commands_test\n\n\
         import (\n\t\"net/http\"\n\t\"testing\"\n\n\t\"{module}/internal/runtime/mockkit\"\n)\n\n\
         func Test{name}IsWhatTheAPIMeans(t *testing.T) {{\n\tt.Parallel()\n\ttool := newTool(t)\n\t\
         tool.API.Hook(func(w http.ResponseWriter, _ *http.Request) bool {{\n\t\t\
         mockkit.Fail(w, http.StatusConflict, {}, \"no\")\n\t\treturn true\n\t}})\n\t\
         tool.Run({words}).Fails({})\n}}\n",
        quote(upstream),
        quote(code),
    )
}
