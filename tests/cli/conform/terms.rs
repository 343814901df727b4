//! How a run uses the terms of the contract: levels, capabilities, kinds, and the number of called commands.

use serde_json::Value;

use crate::toolchain::python_of_connectors;

use super::super::conform_agent_cli::{FIXTURE, conform_with, of_verdict, tool};
use super::super::sandbox::{Answer, Sandbox};
use super::result;

fn probe(sandbox: &Sandbox, project: &std::path::Path, options: &[&str]) -> Answer {
    conform_with(sandbox, project, python_of_connectors(), options)
}

fn edit(project: &std::path::Path, file: &str, from: &str, to: &str) {
    let path = project.join(file);
    let text = std::fs::read_to_string(&path).expect("a source");
    assert!(text.contains(from), "{file} has no {from}");
    std::fs::write(&path, text.replacen(from, to, 1)).expect("a source");
}

fn data(answer: &Answer) -> Value {
    let document = answer.json();
    document.get("data").cloned().unwrap_or_else(|| document["error"]["details"].clone())
}

fn verdict(answer: &Answer, id: &str) -> (String, String) {
    let data = data(answer);
    let found = result(&data, id);
    let text = |member: &str| found[member].as_str().expect("a text").to_owned();
    (text("verdict"), text("message"))
}

#[test]
fn a_recommendation_is_advice_at_the_tag_that_declares_it_and_a_failure_before() {
    let sandbox = Sandbox::new();
    let project = tool(&sandbox, "ledger", &["stream-summary"]);
    let options = ["--probe", "cli.stream-summary", "--probe", "cli.stream"];
    let answer = probe(&sandbox, &project, &options);
    assert_eq!(answer.exit, Some(0), "{answer:?}");
    assert_eq!(answer.data()["summary"]["advised"], 1);
    assert_eq!(verdict(&answer, "cli.stream-summary").0, "advised");
    assert_eq!(verdict(&answer, "cli.stream").0, "pass");
    sandbox.write("ledger/.agent/SPEC_VERSION", "v1.1.0\n");
    let before = probe(&sandbox, &project, &options);
    before.error("E_NONCONFORMANT", 6);
    assert_eq!(verdict(&before, "cli.stream-summary").0, "fail");
}

#[test]
fn a_missing_capability_counts_only_where_the_rest_of_reference_confirms_it() {
    let sandbox = Sandbox::new();
    let project = tool(&sandbox, "ledger", &[]);
    let (credentials, _) = FIXTURE.split_once("[agent_cli.gate]").expect("the gate");
    let (_, credentials) = credentials.split_once("\n\n").expect("the credentials");
    edit(&project, "conform.toml", credentials, "");
    edit(&project, "commands.py", "\"credentials\", ", "");
    edit(&project, "commands.py", "\"lists\", ", "");
    edit(&project, "conform.toml", "role = \"list\"", "role = \"other\"");
    let options = ["--probe", "cli.no-credentials", "--probe", "cli.paging"];
    // It lists no variables, so that none holds a secret proves nothing; and `note list` has pages, whatever it says.
    let silent = probe(&sandbox, &project, &options);
    assert_eq!(verdict(&silent, "cli.no-credentials").0, "blocked", "{silent:?}");
    assert_eq!(verdict(&silent, "cli.paging").0, "blocked", "{silent:?}");
    edit(
        &project,
        "commands.py",
        "return {\"tool\": TOOL,",
        "return {\"environment\": [], \"tool\": TOOL,",
    );
    let open = probe(&sandbox, &project, &options);
    let (found, why) = verdict(&open, "cli.no-credentials");
    assert!(found == "not_applicable" && why.contains("`credentials`"), "{found}: {why}");
    assert_eq!(verdict(&open, "cli.paging").0, "blocked", "{open:?}");
    let secret =
        "return {\"environment\": [{\"name\": \"KEY\", \"secret\": True}], \"tool\": TOOL,";
    edit(&project, "commands.py", "return {\"environment\": [], \"tool\": TOOL,", secret);
    let takes_secret = probe(&sandbox, &project, &options);
    assert_eq!(verdict(&takes_secret, "cli.no-credentials").0, "blocked", "{takes_secret:?}");
}

#[test]
fn a_kind_that_the_contract_does_not_have_is_a_failure() {
    let sandbox = Sandbox::new();
    let project = tool(&sandbox, "ledger", &["field-kinds"]);
    edit(&project, "commands.py", "\"state: count\"", "\"state: mood\"");
    let answer = probe(&sandbox, &project, &["--probe", "cli.field-kinds"]);
    let (found, why) = verdict(&answer, "cli.field-kinds");
    assert!(found == "fail" && why.contains("state: mood"), "{found}: {why}");
}

#[test]
fn of_many_commands_a_probe_calls_some_and_says_how_many() {
    let sandbox = Sandbox::new();
    let project = tool(&sandbox, "ledger", &[]);
    let many = "COMMANDS += [read(f\"shelf get-{number}\", shelf_overview, \"shelves\", param(\"shelves\", \"list\", True))\n             for number in range(200)]\n";
    let path = project.join("commands.py");
    let text = std::fs::read_to_string(&path).expect("commands");
    std::fs::write(&path, format!("{text}{many}")).expect("commands");
    let answer = probe(&sandbox, &project, &["--probe", "cli.no-prompt"]);
    let found = answer.data();
    let found = result(&found, "cli.no-prompt");
    assert_eq!((&found["verdict"], &found["targets"]), (&"pass".into(), &150.into()), "{found}");
    let message = found["message"].as_str().expect("a message");
    assert!(message.starts_with("150 of 2") && message.contains("evenly"), "{message}");
    let failing = of_verdict(&answer, "fail");
    assert!(failing.is_empty(), "{failing:?}");
}
