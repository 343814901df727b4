//! Tools made from `cli-go`, right after generation and with no edit: formatted, vetted, built and tested by the real Go.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::disk;
use super::sandbox::{Sandbox, is_executable, tree};
use super::toolchain::{program, succeed};

const HOSTILE: &str = "q\" ' \\ `x` $(id) ${z} # : é\u{2028}";
/// Answers that change the tree, each with all of its choices.
const CHOICES: [(&str, [&str; 2]); 3] = [
    ("credentials", ["static", "expiring"]),
    ("jobs", ["no", "yes"]),
    ("human_checkpoint", ["no", "yes"]),
];

fn made(sandbox: &Sandbox, name: &str, answers: &[String]) -> PathBuf {
    let mut arguments = vec!["new", name, "--template", "cli-go", "--no-git"];
    arguments.extend(answers.iter().flat_map(|answer| ["--set", answer.as_str()]));
    let data = sandbox.aos(&arguments).data();
    PathBuf::from(data["path"].as_str().expect("a path"))
}

/// Every combination of the answers that change the tree.
fn combinations() -> Vec<Vec<String>> {
    CHOICES.iter().fold(vec![Vec::new()], |combinations, (key, choices)| {
        let with = |combination: &Vec<String>, choice: &str| {
            let mut longer = combination.clone();
            longer.push(format!("{key}={choice}"));
            longer
        };
        combinations
            .iter()
            .flat_map(|combination| choices.map(|choice| with(combination, choice)))
            .collect()
    })
}

/// All that a person has to run before the first commit.
fn passes_its_own_tests(go: &Path, project: &Path) {
    succeed(go, &["build", "./..."], project);
    succeed(go, &["vet", "./..."], project);
    let said = succeed(go, &["test", "./..."], project);
    let ran = said.lines().filter(|line| line.starts_with("ok")).count();
    assert!(ran >= 6, "{said}");
}

#[test]
fn a_new_tool_passes_its_own_tests_and_the_check() {
    let test = "a_new_tool_passes_its_own_tests_and_the_check";
    let (Some(go), Some(gofmt)) = (program(test, "go"), program(test, "gofmt")) else { return };
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "acme", &[]);
    assert_eq!(succeed(gofmt, &["-l", "."], &project), "");
    passes_its_own_tests(&go, &project);
    sandbox.aos_in(&project, &["check"]).data();
}

#[test]
fn a_new_tool_with_every_pattern_and_hostile_texts_passes_as_well() {
    let test = "a_new_tool_with_every_pattern_and_hostile_texts_passes_as_well";
    let (Some(go), Some(gofmt)) = (program(test, "go"), program(test, "gofmt")) else { return };
    let sandbox = Sandbox::new();
    let answers = [
        format!("description={HOSTILE}"),
        format!("author={HOSTILE}"),
        "credentials=expiring".to_owned(),
        "jobs=yes".to_owned(),
        "human_checkpoint=yes".to_owned(),
        "module=go.example.com/team/other".to_owned(),
        "owner=some-team".to_owned(),
        "npm_package=@some-team/other-name".to_owned(),
        "license=none".to_owned(),
    ];
    let project = made(&sandbox, "a-rather-long-name-of-a-tool", &answers);
    assert_eq!(succeed(gofmt, &["-l", "."], &project), "");
    passes_its_own_tests(&go, &project);
    sandbox.aos_in(&project, &["check"]).data();
}

#[test]
fn every_combination_of_answers_is_formatted_and_vetted() {
    let test = "every_combination_of_answers_is_formatted_and_vetted";
    let (Some(go), Some(gofmt)) = (program(test, "go"), program(test, "gofmt")) else { return };
    let sandbox = Sandbox::new();
    for (number, answers) in combinations().iter().enumerate() {
        let project = made(&sandbox, &format!("tool-{number}"), answers);
        assert_eq!(succeed(&gofmt, &["-l", "."], &project), "", "{answers:?}");
        succeed(&go, &["vet", "./..."], &project);
        succeed(&go, &["vet", "-tags", "testhooks", "./..."], &project);
        sandbox.aos_in(&project, &["check"]).data();
    }
}

#[test]
fn the_repository_has_what_people_and_machines_look_for() {
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "acme", &[]);
    let files = tree(&project);
    for path in [
        ".agent/CLI-SPEC.md",
        ".agent/SPEC_VERSION",
        ".github/dependabot.yml",
        ".github/workflows/ci.yml",
        ".github/workflows/release.yml",
        ".gitignore",
        ".golangci.yml",
        ".goreleaser.yml",
        ".npmrc",
        "AGENTS.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "Makefile",
        "NOTICE.md",
        "README.md",
        "SECURITY.md",
        "cmd/acme/main.go",
        "contract/contract-ext.json",
        "contract/contract.json",
        "docs/COMPATIBILITY.md",
        "docs/CONFORMANCE.md",
        "docs/E2E.md",
        "docs/YOUR_API.md",
        "go.mod",
        "go.sum",
        "internal/contract/contract_gen.go",
        "internal/update/trusted_root.json",
        "package.json",
        "skills/acme/SKILL.md",
        "skills/acme/test-prompts.json",
    ] {
        assert!(files.contains_key(path), "{path}");
    }
    assert!(is_executable(&project.join("scripts/run.js")));
}

#[test]
fn no_delimiter_and_no_name_of_the_template_is_left() {
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "zebra", &["owner=some-team".to_owned()]);
    for (path, (bytes, _)) in tree(&project) {
        let text = String::from_utf8(bytes).expect("text");
        for left in ["{=", "{%", "{#", "aos:if", "aos:end", "@tool@"] {
            assert!(!text.contains(left) && !path.contains(left), "{path}: {left}");
        }
        if !path.starts_with(".agent/") && !path.starts_with("contract/") {
            assert!(!text.to_lowercase().contains("acme"), "{path}");
        }
    }
}

#[test]
fn every_action_is_pinned_by_its_commit_and_no_step_prints_an_expression() {
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "acme", &[]);
    for name in ["ci.yml", "release.yml"] {
        let text = disk::read(&project.join(".github/workflows").join(name));
        for line in text.lines().map(str::trim) {
            if let Some((_, action)) = line.split_once("uses: ") {
                let (_, pin) = action.split_once('@').expect("a pin");
                let commit = pin.split(' ').next().unwrap_or_default();
                let is_commit =
                    commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
                assert!(is_commit && pin.contains(" # v"), "{name}: {line}");
            }
            let runs = line.starts_with("run:") || line.starts_with("- run:");
            assert!(!(runs && line.contains("${{")), "{name}: {line}");
        }
        assert!(text.contains("permissions:"), "{name}");
    }
}

#[test]
fn the_documents_name_the_tests_that_exist() {
    let sandbox = Sandbox::new();
    let answers = ["credentials=expiring", "jobs=yes", "human_checkpoint=yes"].map(str::to_owned);
    let project = made(&sandbox, "acme", &answers);
    let files = tree(&project);
    let tests: String = files
        .iter()
        .filter(|(path, _)| path.ends_with("_test.go"))
        .map(|(_, (bytes, _))| String::from_utf8_lossy(bytes).into_owned())
        .collect();
    let table = disk::read(&project.join("docs/CONFORMANCE.md"));
    let named: BTreeMap<_, _> = table
        .split('`')
        .filter(|word| {
            word.starts_with("Test") && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
        .map(|word| (word, ()))
        .collect();
    assert!(named.len() > 60, "{}", named.len());
    for name in named.keys() {
        assert!(tests.contains(&format!("func {name}(t *testing.T)")), "{name}");
    }
}

/// The blocks of a guide that begin with the path that they belong to.
fn blocks(guide: &str) -> Vec<(&str, &str)> {
    guide
        .split("```go\n// ")
        .skip(1)
        .filter_map(|rest| rest.split_once("\n```")?.0.split_once('\n'))
        .collect()
}

fn insert(path: &Path, behind: &str, lines: &str) {
    disk::edit(path, behind, &format!("{behind}{lines}"));
}

#[test]
fn the_first_commands_of_the_guide_compile_and_pass_their_test() {
    let test = "the_first_commands_of_the_guide_compile_and_pass_their_test";
    let (Some(go), Some(gofmt)) = (program(test, "go"), program(test, "gofmt")) else { return };
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "acme", &[]);
    let guide = disk::read(&project.join("docs/YOUR_API.md"));
    let files = blocks(&guide);
    assert_eq!(files.len(), 4, "{files:?}");
    for (path, code) in &files {
        std::fs::write(project.join(path), format!("{code}\n")).expect("a file");
    }
    let schemas: String = guide
        .lines()
        .filter(|line| line.starts_with("{Name: "))
        .map(|line| format!("\n\t\t\t{line}"))
        .collect();
    let registry = project.join("internal/cli/registry.go");
    insert(&registry, "\treturn slices.Concat(\n\t\t// Yours.", "\n\t\twidgetCommands(),");
    insert(&registry, "\t\t[]Schema{\n\t\t\t// Yours.", &schemas);
    let routes = "func (u *Upstream) routes() {";
    insert(&project.join("internal/mock/mock.go"), routes, "\n\tu.widgetRoutes()");
    assert_eq!(succeed(gofmt, &["-l", "."], &project), "");
    succeed(&go, &["vet", "./..."], &project);
    let tests = "Widgets|Example|Reference|Help|Untrusted|Declared";
    succeed(go, &["test", "./test", "-run", tests], &project);
    sandbox.aos_in(&project, &["check"]).data();
}

#[test]
fn the_npm_wrapper_says_what_is_missing_and_passes_the_exit_on() {
    let test = "the_npm_wrapper_says_what_is_missing_and_passes_the_exit_on";
    let Some(node) = program(test, "node") else { return };
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "acme", &[]);
    let run = project.join("scripts/run.js");
    let run = run.to_str().expect("a path");
    succeed(&node, &["scripts/versions.js"], &project);
    let output = Command::new(node).args([run, "context"]).output().expect("node starts");
    assert_eq!(output.status.code(), Some(4));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("an envelope");
    assert_eq!(document["error"]["code"], "E_CONFIG");
}
