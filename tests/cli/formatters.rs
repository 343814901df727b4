//! The usual formatters with their default settings leave every file alone that `aos check` compares.

use std::path::Path;

use super::sandbox::Sandbox;
use super::toolchain::{node_tools, python_tools, run, succeed};

/// Every file that carries an import, so that sorting changes something, and one line that black joins.
const UNFORMATTED: &str = "import sys\nimport os\nx = {  'a':1 }\n";

fn projects(sandbox: &Sandbox) -> [std::path::PathBuf; 2] {
    let connector = sandbox.connector("acme");
    let made = sandbox.aos(&["new", "ledger", "--template", "cli-python", "--no-git"]).data();
    let cli = Path::new(made["path"].as_str().expect("a path")).to_owned();
    [connector, cli]
}

#[track_caller]
fn is_green(sandbox: &Sandbox, project: &Path, after: &str) {
    let report = sandbox.aos_in(project, &["check"]).data();
    assert_eq!(report["summary"]["errors"], 0, "{after}: {report}");
}

#[test]
fn black_and_isort_leave_generated_and_vendored_modules_alone() {
    let test = "black_and_isort_leave_generated_and_vendored_modules_alone";
    let Some(tools) = python_tools(test) else { return };
    let sandbox = Sandbox::new();
    for project in projects(&sandbox) {
        let mine = project.join("mine.py");
        std::fs::write(&mine, UNFORMATTED).expect("a file");
        succeed(tools.join("isort"), &["--quiet", "."], &project);
        succeed(tools.join("black"), &["--quiet", "."], &project);
        let text = std::fs::read_to_string(&mine).expect("a file");
        assert_eq!(text, "import os\nimport sys\n\nx = {\"a\": 1}\n", "both did run");
        std::fs::remove_file(mine).expect("a file");
        is_green(&sandbox, &project, "black and isort");
        let kept = run(tools.join("ruff"), &["format", "--check", "--no-cache", "."], &project);
        assert!(kept.status.success(), "ruff disagrees: {kept:?}");
    }
}

#[test]
fn prettier_leaves_vendored_documents_alone() {
    let Some(tools) = node_tools("prettier_leaves_vendored_documents_alone") else { return };
    let sandbox = Sandbox::new();
    for project in projects(&sandbox) {
        let mine = project.join("mine.md");
        std::fs::write(&mine, "* a\n* b\n").expect("a file");
        succeed(tools.join("prettier"), &["--log-level", "error", "--write", "."], &project);
        assert_eq!(std::fs::read_to_string(mine).expect("a file"), "- a\n- b\n", "it did run");
        is_green(&sandbox, &project, "prettier");
    }
}
