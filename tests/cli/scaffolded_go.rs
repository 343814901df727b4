//! Tools made from `cli-go`: formatted, vetted, built and tested by the real Go, right after generation and after each
//! step of the guide. What proves the runtime is in `runtime_go`.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::disk;
use super::sandbox::{Sandbox, WITH_FULL, is_full_run, skipped, tree};
use super::toolchain::{program, succeed};

const HOSTILE: &str = "q\" ' \\ `x` $(id) ${z} # : é\u{2028}";
/// Answers that change the tree, each with all of its choices.
const CHOICES: [(&str, [&str; 2]); 3] = [
    ("credentials", ["static", "expiring"]),
    ("jobs", ["no", "yes"]),
    ("human_checkpoint", ["no", "yes"]),
];

fn made(sandbox: &Sandbox, name: &str, answers: &[String]) -> PathBuf {
    made_with(sandbox, name, &[], answers)
}

fn made_with(sandbox: &Sandbox, name: &str, options: &[&str], answers: &[String]) -> PathBuf {
    let mut arguments = vec!["new", name, "--template", "cli-go", "--no-git"];
    arguments.extend(options);
    arguments.extend(answers.iter().flat_map(|answer| ["--set", answer.as_str()]));
    let data = sandbox.aos(&arguments).data();
    PathBuf::from(data["path"].as_str().expect("a path"))
}

/// Whether a file is the user's: aos neither vendors nor generates it.
fn is_the_users(path: &str) -> bool {
    let managed = [".agent/", "internal/runtime/", "internal/contract/", "contract/contract.json"];
    !managed.iter().any(|start| path.starts_with(start))
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
    assert!(said.contains("/internal/commands"), "{said}");
}

#[test]
fn a_new_tool_passes_its_own_tests_and_the_check() {
    let test = "a_new_tool_passes_its_own_tests_and_the_check";
    let (Some(go), Some(gofmt)) = (program(test, "go"), program(test, "gofmt")) else { return };
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "acme", &[]);
    assert_eq!(succeed(&gofmt, &["-l", "."], &project), "");
    passes_its_own_tests(&go, &project);
    sandbox.aos_in(&project, &["check"]).data();
    // So it is after a command was added.
    let words = ["add", "item publish", "--mode", "write", "--input", "reason?"];
    sandbox.aos_in(&project, &words).data();
    assert_eq!(succeed(&gofmt, &["-l", "."], &project), "");
    succeed(&go, &["vet", "./internal/commands", "./internal/mock"], &project);
    succeed(&go, &["test", "./internal/commands"], &project);
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
        // All have one name, so that Go compiles what they share once.
        let place = sandbox.work().join(format!("with-{number}"));
        let place = format!("--dir={}", place.display());
        let project = made_with(&sandbox, "acme", &[&place], answers);
        assert_eq!(succeed(&gofmt, &["-l", "."], &project), "", "{answers:?}");
        succeed(&go, &["vet", "./..."], &project);
        sandbox.aos_in(&project, &["check"]).data();
        let files = tree(&project);
        let yours = files.keys().filter(|path| is_the_users(path)).count();
        assert!((30..=45).contains(&yours), "{yours} files of the user with {answers:?}");
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
        "AGENTS.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "Makefile",
        "README.md",
        "SECURITY.md",
        "cmd/acme/main.go",
        "contract/contract-ext.json",
        "contract/contract.json",
        "docs/E2E.md",
        "docs/YOUR_API.md",
        "go.mod",
        "go.sum",
        "internal/contract/contract_gen.go",
        "internal/runtime/CONFORMANCE.md",
        "internal/runtime/NOTICE.md",
        "internal/runtime/npm/run.js",
        "internal/runtime/update/trusted_root.json",
        "package.json",
        "skills/acme/SKILL.md",
        "skills/acme/test-prompts.json",
    ] {
        assert!(files.contains_key(path), "{path}");
    }
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

/// The blocks of a guide that begin with the path that they belong to.
fn blocks(guide: &str) -> Vec<(&str, &str)> {
    guide
        .split("```go\n// ")
        .skip(1)
        .filter_map(|rest| rest.split_once("\n```")?.0.split_once('\n'))
        .collect()
}

fn write(project: &Path, files: &[(&str, &str)]) {
    for (path, code) in files {
        std::fs::write(project.join(path), format!("{code}\n")).expect("a file");
    }
}

/// The fenced blocks of one language.
fn fenced<'a>(guide: &'a str, language: &str) -> Vec<&'a str> {
    let start = format!("```{language}\n");
    guide.split(start.as_str()).skip(1).filter_map(|rest| Some(rest.split_once("```")?.0)).collect()
}

/// Holds the tool against its contract, as `make conform` does.
#[cfg(target_os = "linux")]
fn conforms(sandbox: &Sandbox, go: &Path, project: &Path) {
    succeed(go, &["build", "-o", "bin/", "./cmd/..."], project);
    let hooks = ["build", "-buildvcs=false", "-tags", "testhooks", "-o", "bin/test/"];
    let programs = ["./cmd/acme", "./internal/runtime/testkit/publish"];
    succeed(go, &[&hooks[..], &programs].concat(), project);
    let data = super::conform::conform(sandbox, project, &["--jobs=2"]).data();
    assert_eq!(data["summary"]["blocked"], 0, "{data}");
    std::fs::remove_dir_all(project.join("bin")).expect("the programs go");
}

/// Other systems have no network namespace for it.
#[cfg(not(target_os = "linux"))]
fn conforms(_sandbox: &Sandbox, _go: &Path, _project: &Path) {}

/// Formatted, vetted, tested and checked: what the guide promises after each step.
fn is_green(sandbox: &Sandbox, go: &Path, gofmt: &Path, project: &Path) {
    assert_eq!(succeed(gofmt, &["-l", "."], project), "");
    succeed(go, &["vet", "./..."], project);
    succeed(go, &["test", "./internal/commands"], project);
    sandbox.aos_in(project, &["check"]).data();
}

/// The texts that the guide leaves to its reader: lines that name a command of the example go.
fn write_own_texts(project: &Path) {
    for path in ["README.md", "docs/E2E.md", "skills/acme/SKILL.md"] {
        let text = disk::read(&project.join(path));
        let is_kept = |line: &&str| {
            let gone = ["item", "project overview", "export", "job", "approval"];
            !gone.iter().any(|command| line.contains(&format!("acme {command}")))
        };
        let kept: String = text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect();
        std::fs::write(project.join(path), kept).expect("a file");
    }
}

/// Follows the guide as its reader would. Nothing of the example may be left, and no file of aos may be touched.
fn follow_the_guide(test: &str, answers: &[String]) {
    let (Some(go), Some(gofmt)) = (program(test, "go"), program(test, "gofmt")) else { return };
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "acme", answers);
    let guide = disk::read(&project.join("docs/YOUR_API.md"));
    let (first, second) = guide.split_once("## 2. ").expect("two steps");
    let tool = project.join("internal/commands/tool.go");

    let files = blocks(first);
    assert_eq!(files.len(), 4, "{files:?}");
    write(&project, &files);
    let rows = first.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix("` |"));
    let rows: Vec<_> = rows.filter_map(|row| row.split_once("` | `")).collect();
    assert_eq!(rows.len(), 3, "{rows:?}");
    for (below, line) in rows {
        disk::edit(&tool, below, &format!("{below}\n{line}"));
    }
    let mock = project.join("internal/mock/mock.go");
    let more = "\"items:delete\", \"widgets:read\", \"widgets:write\"}";
    disk::edit(&mock, "\"items:delete\"}", more);
    succeed(&gofmt, &["-w", "internal"], &project);
    is_green(&sandbox, &go, &gofmt, &project);
    if !answers.is_empty() {
        // The example with every pattern, and the widgets beside it.
        conforms(&sandbox, &go, &project);
    }

    for script in fenced(second, "sh") {
        succeed("sh", &["-ec", script], &project);
    }
    let files = blocks(second);
    assert_eq!(files.len(), 3, "{files:?}");
    write(&project, &files);
    let conform = project.join("conform.toml");
    let text = disk::read(&conform);
    let (head, _) = text.split_once("[[agent_cli.command]]").expect("commands");
    std::fs::write(&conform, format!("{head}{}", fenced(second, "toml").concat())).expect("a file");
    if answers.iter().any(|answer| answer == "human_checkpoint=yes") {
        for path in ["contract/contract-ext.json", "internal/commands/guard_test.go"] {
            let text = disk::read(&project.join(path));
            let kept = text.lines().filter(|line| !line.contains("E_HUMAN_REQUIRED"));
            let kept: String = kept.map(|line| format!("{line}\n")).collect();
            std::fs::write(project.join(path), kept).expect("a file");
        }
        sandbox.aos_in(&project, &["gen"]).data();
    }
    write_own_texts(&project);
    is_green(&sandbox, &go, &gofmt, &project);
    // With every pattern it was held against its contract above, before the example went.
    if answers.is_empty() || is_full_run() {
        conforms(&sandbox, &go, &project);
    }
    for (path, (bytes, _)) in tree(&project) {
        let code =
            path.starts_with("internal/") || path.starts_with("cmd/") || path == "conform.toml";
        if code && is_the_users(&path) {
            let text = String::from_utf8(bytes).expect("text");
            for left in ["\"item\"", "item_", "items:", "atlas", "export", "approval", "overview"] {
                assert!(!text.contains(left), "{path}: {left}");
            }
        }
    }
}

#[test]
fn the_guide_leads_from_the_example_to_an_api_of_ones_own() {
    let test = "the_guide_leads_from_the_example_to_an_api_of_ones_own";
    follow_the_guide(test, &[]);
}

#[test]
fn the_guide_holds_with_every_pattern() {
    // The guide of cli-python is followed with every pattern in each run, and has the same steps.
    if !is_full_run() {
        return skipped("the_guide_holds_with_every_pattern", WITH_FULL);
    }
    let answers = ["credentials=expiring", "jobs=yes", "human_checkpoint=yes"].map(str::to_owned);
    follow_the_guide("the_guide_holds_with_every_pattern", &answers);
}

#[test]
fn the_npm_wrapper_says_what_is_missing_and_passes_the_exit_on() {
    let test = "the_npm_wrapper_says_what_is_missing_and_passes_the_exit_on";
    let Some(node) = program(test, "node") else { return };
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "acme", &[]);
    let run = project.join("internal/runtime/npm/run.js");
    let run = run.to_str().expect("a path");
    succeed(&node, &["internal/runtime/npm/versions.js"], &project);
    let output = Command::new(node).args([run, "context"]).output().expect("node starts");
    assert_eq!(output.status.code(), Some(4));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("an envelope");
    assert_eq!(document["error"]["code"], "E_CONFIG");
}
