//! The Python runtime, held by its own tools where it lives, and the example tool that proves it.

use std::path::{Path, PathBuf};

use super::disk;
use super::sandbox::{Sandbox, tree};
use super::scaffolded_cli_python::python;
use super::toolchain::succeed;

const RUNTIME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/runtime/python");
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/runtime/fixtures");

/// A copy: a run leaves caches behind, and the runtime here is part of the program.
fn copied(sandbox: &Sandbox) -> PathBuf {
    let target = sandbox.work().join("python");
    let target_text = target.to_str().expect("a path");
    succeed("cp", &["-R", RUNTIME, target_text], Path::new(RUNTIME));
    // The tests look for the shared fixtures above themselves.
    let work = sandbox.work().to_str().expect("a path").to_owned();
    succeed("cp", &["-R", FIXTURES, &work], Path::new(RUNTIME));
    target
}

#[test]
fn the_runtime_is_formatted_linted_and_typed() {
    let sandbox = Sandbox::new();
    let runtime = copied(&sandbox);
    succeed(python().join("ruff"), &["format", "--check", "--quiet", "."], &runtime);
    succeed(python().join("ruff"), &["check", "--quiet", "."], &runtime);
    succeed(python().join("mypy"), &[], &runtime);
}

#[test]
fn the_runtime_passes_its_own_tests() {
    let sandbox = Sandbox::new();
    let runtime = copied(&sandbox);
    let words = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
    let said = succeed(python().join("python"), &words, &runtime);
    let verdict = said.lines().last().unwrap_or_default();
    assert!(verdict.contains(" passed"), "{said}");
    println!("{verdict}");
}

/// The template writes what depends on an answer once more; with every answer on it is the example tool.
#[test]
fn a_new_tool_with_every_answer_is_the_example_tool() {
    let sandbox = Sandbox::new();
    let answers = ["credentials=expiring", "jobs=yes", "human_checkpoint=yes", "owner=example"];
    let mut arguments = vec!["new", "acme-tool", "--template", "cli-python", "--no-git"];
    arguments.extend(answers.iter().flat_map(|answer| ["--set", answer]));
    let data = sandbox.aos(&arguments).data();
    let project = PathBuf::from(data["path"].as_str().expect("a path"));
    let example = tree(Path::new(RUNTIME));
    let mut compared = 0;
    for (path, (bytes, _)) in tree(&project) {
        let is_code = path.starts_with("acme_tool/") || path.starts_with("mock_upstream/");
        if is_code || path.starts_with("tests/") || path == "contract/contract-ext.json" {
            let (wanted, _) = example.get(&path).unwrap_or_else(|| panic!("{path} is not there"));
            let (wanted, bytes) =
                (String::from_utf8_lossy(wanted), String::from_utf8_lossy(&bytes));
            assert_eq!(wanted, bytes, "{path}");
            compared += 1;
        }
    }
    assert!(compared > 90, "{compared}");
}

#[test]
fn a_changed_runtime_fails_the_tests_of_its_tool() {
    let sandbox = Sandbox::new();
    let data = sandbox.aos(&["new", "acme", "--template", "cli-python", "--no-git"]).data();
    let project = PathBuf::from(data["path"].as_str().expect("a path"));
    disk::edit(&project.join("acme/_runtime/audit.py"), "MAX_VALUE = 500", "MAX_VALUE = 501");
    let test = "tests/test_guard.py::test_the_runtime_is_the_recorded_one";
    let words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", test];
    let output = super::toolchain::run(python().join("python"), &words, &project);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success() && said.contains("acme/_runtime/audit.py"), "{said}");
}
