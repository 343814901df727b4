//! `aos conform` with releases that a publisher of the project signs: what it does without one, and with one that lacks
//! something. That each fault fails its probe alone is for the tests of all probes.

use std::path::PathBuf;

use super::conform_agent_cli::{FIXTURE, conform_with, of_verdict, tool};
use super::sandbox::{Answer, Sandbox};
use super::toolchain::python_of_connectors as python;

const PROBES: [&str; 9] = [
    "cli.update-installs",
    "cli.update-identity",
    "cli.update-checksums",
    "cli.update-archive",
    "cli.update-replace",
    "cli.update-skill-sync",
    "cli.update-managed",
    "cli.update-atomic",
    "cli.update-interrupt-late",
];

/// Runs these probes.
fn probe(sandbox: &Sandbox, project: &std::path::Path, probes: &[&str]) -> Answer {
    let options: Vec<_> = probes.iter().flat_map(|probe| ["--probe", probe]).collect();
    conform_with(sandbox, project, python(), &options)
}

/// The good tool with another fixture.
fn with_fixture(sandbox: &Sandbox, from: &str, to: &str) -> PathBuf {
    let project = tool(sandbox, "ledger", &[]);
    assert!(FIXTURE.contains(from), "the fixture has `{from}`");
    sandbox.write("ledger/conform.toml", &FIXTURE.replace(from, to));
    project
}

#[test]
fn without_a_test_build_all_are_blocked_and_say_what_to_add() {
    let sandbox = Sandbox::new();
    let (head, _) = FIXTURE.split_once("[agent_cli.update.test_build]").expect("a test build");
    let project = tool(&sandbox, "ledger", &[]);
    sandbox.write("ledger/conform.toml", head);
    let answer = probe(&sandbox, &project, &PROBES);
    let blocked = of_verdict(&answer, "blocked");
    assert_eq!(blocked.len(), PROBES.len(), "{blocked:#?}");
    for (id, message) in blocked {
        assert!(message.contains("add [agent_cli.update.test_build]"), "{id}: {message}");
    }
    answer.error("E_NONCONFORMANT", 6);
}

#[test]
fn a_kind_that_the_publisher_does_not_make_blocks_its_row_by_name() {
    let sandbox = Sandbox::new();
    let project = tool(&sandbox, "ledger", &[]);
    let publisher = std::fs::read_to_string(project.join("publish.py")).expect("a publisher");
    let publisher = publisher.replace("\"wrong-tag\", \"identity-prefix\",", "");
    std::fs::write(project.join("publish.py"), publisher).expect("a publisher");
    let answer = probe(&sandbox, &project, &["cli.update-identity", "cli.update-checksums"]);
    let blocked = of_verdict(&answer, "blocked");
    assert_eq!(blocked.len(), 1, "{blocked:#?}");
    assert_eq!(blocked[0].0, "cli.update-identity");
    assert!(blocked[0].1.contains("`wrong-tag`, `identity-prefix`"), "{blocked:#?}");
    assert_eq!(of_verdict(&answer, "pass").len(), 1);
}

#[test]
fn a_publisher_that_fails_is_quoted() {
    let sandbox = Sandbox::new();
    let project = with_fixture(
        &sandbox,
        "publisher = [\"python3\", \"-S\", \"publish.py\"]",
        "publisher = [\"python3\", \"-c\", \"raise SystemExit('no key is here')\"]",
    );
    let answer = probe(&sandbox, &project, &["cli.update-installs"]);
    let blocked = of_verdict(&answer, "blocked");
    assert_eq!(
        blocked,
        [("cli.update-installs".to_owned(), "the publisher fails: no key is here".to_owned())]
    );
}

#[test]
fn a_publisher_that_makes_nothing_passes_nothing() {
    let sandbox = Sandbox::new();
    let project = with_fixture(
        &sandbox,
        "publisher = [\"python3\", \"-S\", \"publish.py\"]",
        "publisher = [\"python3\", \"-c\", \"pass\"]",
    );
    let answer = probe(&sandbox, &project, &PROBES);
    assert_eq!(of_verdict(&answer, "blocked").len(), PROBES.len());
    assert_eq!(of_verdict(&answer, "pass"), []);
}

#[test]
fn a_tool_that_trusts_nothing_of_the_publisher_fails_and_is_not_blocked() {
    let sandbox = Sandbox::new();
    let project =
        with_fixture(&sandbox, "LEDGER_TRUST = \"{trust}\"", "LEDGER_TRUST = \"nowhere\"");
    let answer = probe(&sandbox, &project, &["cli.update-installs"]);
    let failed = of_verdict(&answer, "fail");
    assert_eq!(failed.len(), 1, "{failed:#?}");
    assert!(failed[0].1.contains("signed release fails"), "{failed:#?}");
}

#[test]
fn a_tool_that_npm_does_not_bring_has_no_manager_to_try() {
    let sandbox = Sandbox::new();
    let project = with_fixture(&sandbox, "npm = { package = \"ledger\" }\n", "");
    let answer = probe(&sandbox, &project, &["cli.update-managed"]);
    assert_eq!(of_verdict(&answer, "not_applicable").len(), 1);
}
