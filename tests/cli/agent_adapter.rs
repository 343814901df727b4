//! Adapters for Agent Orchestrator: made, checked and tested with the real Go, and the faults that their tests notice.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::disk;
use super::sandbox::{Sandbox, is_full_run, tree};
use super::toolchain::{SYSTEMS, build_and_vet, program, run, succeed};

const TEMPLATE: &str = "agent-adapter";

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime/adapter")
}

fn made(sandbox: &Sandbox, name: &str, more: &[&str]) -> PathBuf {
    let mut arguments = vec!["new", name, "--template", TEMPLATE, "--no-git"];
    arguments.extend_from_slice(more);
    let data = sandbox.aos(&arguments).data();
    PathBuf::from(data["path"].as_str().expect("a path"))
}

#[test]
fn a_new_adapter_is_formatted_vetted_and_passes_its_tests_and_check() {
    let test = "a_new_adapter_is_formatted_vetted_and_passes_its_tests_and_check";
    let (Some(go), Some(gofmt)) = (program(test, "go"), program(test, "gofmt")) else { return };
    let sandbox = Sandbox::new();
    // Words of Go, packages of the orchestrator, long ids, and one preset of each kind of hooks.
    let adapters: [(&str, &[&str]); 12] = [
        ("acme", &[]),
        ("go", &["--preset", "example"]),
        ("con", &[]),
        ("acme-2", &["--preset", "claude-code"]),
        ("registry", &["--preset", "cursor"]),
        ("a-name-that-is-nearly-as-long-as-allowed", &["--preset", "copilot"]),
        ("codex", &[]),
        ("opencode", &[]),
        ("cline", &[]),
        ("kimi", &[]),
        ("aider", &[]),
        (
            "odd",
            &[
                "--set",
                "hook_family=toml",
                "--set",
                "prompt=option",
                "--set",
                "restore=--again {id}",
            ],
        ),
    ];
    // A usual run takes every second one.
    for (name, more) in adapters.into_iter().step_by(if is_full_run() { 1 } else { 2 }) {
        let project = made(&sandbox, name, more);
        assert_eq!(succeed(&gofmt, &["-l", "."], &project), "", "{name}");
        succeed(&go, &["vet", "./..."], &project);
        let said = succeed(&go, &["test", "./..."], &project);
        assert!(said.lines().any(|line| line.starts_with("ok")), "{name}: {said}");
        let answer = sandbox.aos_in(&project, &["check"]);
        assert_eq!(answer.exit, Some(0), "{name}: {answer:?}");
    }
}

#[test]
fn the_adapter_runtime_is_formatted_vetted_and_built_for_other_systems_and_tested() {
    let test = "the_adapter_runtime_is_formatted_vetted_and_built_for_other_systems_and_tested";
    let (Some(go), Some(gofmt)) = (program(test, "go"), program(test, "gofmt")) else { return };
    assert_eq!(succeed(gofmt, &["-l", "."], &source()), "");
    for system in SYSTEMS {
        for directory in [source(), source().join("internal/runtime/kit")] {
            build_and_vet(&go, &directory, system, "");
        }
    }
    let said = succeed(go, &["test", "./..."], &source());
    let passed = said.lines().filter(|line| line.starts_with("ok")).count();
    assert!(passed >= 10, "{said}");
}

/// The example adapter of the runtime is the template's, so what is tested here is what a project gets.
#[test]
fn the_example_adapter_is_what_the_template_makes() {
    let sandbox = Sandbox::new();
    let project = tree(&made(&sandbox, "acme", &[]));
    let mut same = 0;
    for (path, (bytes, _)) in tree(&source()) {
        let Some((theirs, _)) = project.get(&path) else { continue };
        assert!(*theirs == bytes, "{path} differs from what the template makes");
        same += 1;
    }
    assert!(same > 40, "{same}");
}

#[derive(Deserialize)]
struct Mutations {
    mutation: Vec<Mutation>,
}

/// One possible fault in an adapter.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mutation {
    what: String,
    preset: String,
    file: String,
    old: String,
    new: String,
    /// The last place counts, where there are several.
    #[serde(default)]
    last: bool,
    /// Imports that the fault needs.
    #[serde(default)]
    imports: Vec<String>,
}

impl Mutation {
    fn applied(&self, text: &str) -> String {
        let count = text.matches(&self.old).count();
        assert!(count == 1 || self.last && count > 1, "{}: {count} places", self.what);
        let at = text.rfind(&self.old).expect("a place");
        let mut text = format!("{}{}{}", &text[..at], self.new, &text[at + self.old.len()..]);
        for import in &self.imports {
            text = text.replacen("import (\n", &format!("import (\n\t\"{import}\"\n"), 1);
        }
        text
    }
}

#[test]
fn the_tests_of_an_adapter_notice_every_fault_of_the_list() {
    let test = "the_tests_of_an_adapter_notice_every_fault_of_the_list";
    let Some(go) = program(test, "go") else { return };
    let list =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agent-adapter/mutations.toml");
    let list: Mutations = toml_edit::de::from_str(&disk::read(&list)).expect("a list of faults");
    assert!(list.mutation.len() >= 40, "{}", list.mutation.len());
    let sandbox = Sandbox::new();
    let mut projects = BTreeMap::new();
    let mut unnoticed = Vec::new();
    // A usual run takes every fourth fault, a full one all of them.
    for mutation in list.mutation.iter().step_by(if is_full_run() { 1 } else { 4 }) {
        let project = projects
            .entry(mutation.preset.clone())
            .or_insert_with(|| made(&sandbox, &mutation.preset, &["--preset", &mutation.preset]));
        let path = project.join(&mutation.file);
        let text = disk::read(&path);
        std::fs::write(&path, mutation.applied(&text)).unwrap();
        let tested = run(&go, &["test", "-vet=off", "."], project);
        let said = String::from_utf8_lossy(&tested.stdout).into_owned();
        assert!(!said.contains("[build failed]"), "{} does not compile: {said}", mutation.what);
        if tested.status.success() {
            unnoticed.push(mutation.what.clone());
        }
        std::fs::write(&path, &text).unwrap();
    }
    assert!(unnoticed.is_empty(), "{unnoticed:#?}");
}

/// A change of one file, and the rule that finds it.
const FAULTS: [(&str, &str, &str, &str); 9] = [
    ("command.go", "GetRestoreCommand(", "RestoreCommand(", "adapter/method-missing"),
    ("go.mod", "/internal/adapters/agent/", "/internal/agents/", "adapter/module"),
    ("go.mod", "replace ", "// replace ", "adapter/replace"),
    ("hooks.go", "import (\n", "import (\n\t\"github.com/other/module\"\n", "adapter/import"),
    (
        "hooks.go",
        "package ",
        "// x\nvar command = \"ao hooks acme stop now\"\n\npackage ",
        "adapter/hook-arguments",
    ),
    (
        "hooks.go",
        "package ",
        "// x\nvar command = \"ao hooks acme SessionStart\"\n\npackage ",
        "adapter/hook-event",
    ),
    ("hooks.go", "\"session-end\"", "\"SessionEnd\"", "adapter/hook-event"),
    ("adapter.go", "const ID = \"acme\"", "const ID = \"acme2\"", "adapter/id"),
    ("adapter.go", "package acme", "package other", "adapter/package"),
];

#[test]
fn check_finds_each_fault_without_go() {
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "acme", &[]);
    for (file, old, new, rule) in FAULTS {
        let path = project.join(file);
        let text = disk::read(&path);
        assert!(text.contains(old), "{file}: {old}");
        std::fs::write(&path, text.replacen(old, new, 1)).unwrap();
        let answer = sandbox.aos_in(&project, &["check"]);
        assert!(answer.stdout.contains(rule), "{rule}: {}", answer.stdout);
        assert_ne!(answer.exit, Some(0), "{rule}");
        std::fs::write(&path, &text).unwrap();
    }
    std::fs::remove_file(project.join("hooks.go")).unwrap();
    let answer = sandbox.aos_in(&project, &["check"]);
    assert!(answer.stdout.contains("adapter/file-missing"), "{}", answer.stdout);
}

#[test]
fn a_tag_that_the_runtime_does_not_support_is_refused_before_anything_is_written() {
    let sandbox = Sandbox::new();
    let error = sandbox
        .aos(&["new", "acme", "--template", TEMPLATE, "--no-git", "--spec", "v1.0.0"])
        .error("E_VALIDATION", 2);
    assert!(error["message"].as_str().unwrap().contains("it supports v1.1.0"), "{error}");
    assert_eq!(disk::names(&sandbox.work()), Vec::<String>::new());
    let project = made(&sandbox, "acme", &[]);
    let moved = sandbox.aos_in(&project, &["sync-spec", "--to", "v1.0.0"]);
    moved.error("E_VALIDATION", 2);
    sandbox.aos_in(&project, &["check"]).data();
}
