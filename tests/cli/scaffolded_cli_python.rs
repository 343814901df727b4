//! Tools made from `cli-python`, right after generation and with no edit: formatted, linted, typed, tested, built and
//! installed by the real Python, with the libraries that their lock names.
//!
//! Nothing here is skipped but for `node`: without `python3` or without its packages these tests fail.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::disk;
use super::sandbox::{Sandbox, tree};
use super::toolchain::{program, succeed};

const HOSTILE: &str = "q\" ' \"\"\" \\ `x` $(id) ${z} # : é\u{2028}";
/// The shortest and the longest name that there may be: lines must not be broken by either.
const NAMES: [&str; 2] = ["ab", "a-rather-long-name-of-a-tool-for-testing"];
/// Most files that a user owns.
const MOST_FILES: usize = 45;
/// Answers that change the tree, each with all of its choices.
const CHOICES: [(&str, [&str; 2]); 3] = [
    ("credentials", ["static", "expiring"]),
    ("jobs", ["no", "yes"]),
    ("human_checkpoint", ["no", "yes"]),
];
const PATTERNS: [&str; 3] = ["credentials=expiring", "jobs=yes", "human_checkpoint=yes"];

fn made(sandbox: &Sandbox, name: &str, answers: &[String]) -> PathBuf {
    let mut arguments = vec!["new", name, "--template", "cli-python", "--no-git"];
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

/// The programs of a virtual environment with what the lock of a new tool names, made once for all tests of a run.
pub fn python() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scaffolded-cli-python");
        std::fs::create_dir_all(&directory).expect("a directory");
        let sandbox = Sandbox::new();
        let project = made(&sandbox, "acme", &[]);
        let lock = directory.join("requirements.txt");
        std::fs::copy(project.join("requirements.txt"), &lock).expect("the lock");
        if !directory.join("venv/bin/python").exists() {
            succeed("python3", &["-m", "venv", "venv"], &directory);
        }
        let programs = directory.join("venv/bin");
        let lock = lock.to_str().expect("a path");
        let install = ["-m", "pip", "install", "--quiet", "--require-hashes", "-r", lock];
        succeed(programs.join("python"), &install, &directory);
        programs
    })
}

/// The files that aos does not manage.
fn of_its_user(project: &Path) -> Vec<String> {
    let lock = disk::read(&project.join(".agent/spec.lock"));
    let managed = |path: &str| {
        path == ".agent/spec.lock" || lock.contains(&format!("\n\"{path}\" = \"sha256:"))
    };
    tree(project).into_keys().filter(|path| !managed(path)).collect()
}

fn is_clean(project: &Path) {
    succeed(python().join("ruff"), &["format", "--check", "--quiet", "."], project);
    succeed(python().join("ruff"), &["check", "--quiet", "."], project);
}

/// All that a person has to run before the first commit.
fn passes_its_own_tests(project: &Path) {
    is_clean(project);
    succeed(python().join("mypy"), &[], project);
    let words = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
    let said = succeed(python().join("python"), &words, project);
    let verdict = said.lines().last().unwrap_or_default();
    assert!(verdict.contains(" passed"), "{said}");
    println!("{}: {verdict}", project.display());
}

/// The fixed sample of `scripts/conform/mutations`: each mutant must be noticed by the probe of its rule.
#[cfg(target_os = "linux")]
fn broken_rules_are_noticed(sandbox: &Sandbox) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/conform/mutations");
    let work = sandbox.work().join("mutations");
    let output = Command::new(python().join("python"))
        .arg(script)
        .args(["--quick", "--aos", env!("CARGO_BIN_EXE_aos"), "--python"])
        .arg(python().join("python"))
        .arg("--work")
        .arg(work)
        .env("HOME", sandbox.home())
        .output()
        .expect("the script starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_new_tool_passes_its_own_tests_and_the_check() {
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "acme", &[]);
    passes_its_own_tests(&project);
    sandbox.aos_in(&project, &["check"]).data();
    // So it is after a command was added.
    let words = ["add", "item publish", "--mode", "write", "--input", "reason?"];
    sandbox.aos_in(&project, &words).data();
    is_clean(&project);
    succeed(python().join("mypy"), &[], &project);
    let words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "publish"];
    succeed(python().join("python"), &words, &project);
    #[cfg(target_os = "linux")]
    broken_rules_are_noticed(&sandbox);
}

#[test]
fn a_new_tool_with_every_pattern_and_hostile_texts_passes_as_well() {
    let sandbox = Sandbox::new();
    let mut answers = vec![
        format!("description={HOSTILE}"),
        format!("author={HOSTILE}"),
        "owner=some-team".to_owned(),
        "npm_package=@some-team/other-name".to_owned(),
        "license=none".to_owned(),
    ];
    answers.extend(PATTERNS.map(str::to_owned));
    let project = made(&sandbox, "a-rather-long-name-of-a-tool", &answers);
    passes_its_own_tests(&project);
    sandbox.aos_in(&project, &["check"]).data();
}

#[test]
fn every_combination_of_answers_is_formatted_and_linted_whatever_the_name() {
    for name in NAMES {
        for answers in combinations() {
            let sandbox = Sandbox::new();
            let project = made(&sandbox, name, &answers);
            is_clean(&project);
            let owned = of_its_user(&project);
            assert!(owned.len() <= MOST_FILES, "{answers:?}: {}: {owned:#?}", owned.len());
            sandbox.aos_in(&project, &["check"]).data();
        }
    }
}

#[test]
fn long_answers_do_not_break_a_line() {
    // A formatter would put a text that almost fits its line on a line of its own.
    for length in [60, 70, 75, 80, 160] {
        let answers = [
            format!("description={}", "d".repeat(length)),
            format!("owner={}", "o".repeat(39)),
            format!("npm_package=@{}/{}", "n".repeat(24), "n".repeat(24)),
        ];
        let sandbox = Sandbox::new();
        is_clean(&made(&sandbox, NAMES[1], &answers));
    }
}

#[test]
fn a_wheel_brings_the_tool_into_another_environment() {
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "acme", &[]);
    let place = project.join("elsewhere");
    let target = place.to_str().expect("a path");
    let words = ["-m", "hatchling", "build", "-t", "wheel", "-d", target];
    succeed(python().join("python"), &words, &project);
    let wheel = place.join("acme-1.0.0-py3-none-any.whl");
    let wheel = wheel.to_str().expect("a path");
    succeed("python3", &["-m", "venv", "venv"], &place);
    let installed = place.join("venv/bin");
    let install = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel];
    succeed(installed.join("python"), &install, &place);
    // The libraries are those that are there already.
    let ask = ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"];
    let libraries = succeed(python().join("python"), &ask, &place);
    let own = succeed(installed.join("python"), &ask, &place);
    std::fs::write(Path::new(own.trim()).join("libraries.pth"), libraries).expect("a file");
    assert_eq!(succeed(installed.join("acme"), &["--version"], &place), "acme 1.0.0\n");
    let said = succeed(installed.join("acme"), &["changelog"], &place);
    let answer: serde_json::Value = serde_json::from_str(&said).expect("an envelope");
    assert_eq!(answer["data"]["entries"][0]["version"], "1.0.0");
    let runtime = Path::new(own.trim()).join("acme/_runtime");
    assert!(runtime.join("update/trusted_root.json").exists());
    for left_out in ["npm", "release", "testkit"] {
        assert!(!runtime.join(left_out).exists(), "{left_out}");
    }
    assert!(!Path::new(own.trim()).join("mock_upstream").exists());
}

#[test]
fn the_program_of_one_file_runs_by_itself() {
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "acme", &[]);
    succeed(python().join("python"), &["-m", "acme._runtime.release.build", "--archive"], &project);
    let dist = project.join("dist");
    let program = dist.join("acme");
    assert_eq!(succeed(&program, &["--version"], &dist), "acme 1.0.0\n");
    let said = succeed(&program, &["changelog"], &dist);
    let answer: serde_json::Value = serde_json::from_str(&said).expect("an envelope");
    assert_eq!(answer["data"]["entries"][0]["version"], "1.0.0");
    let packed = std::fs::read_dir(&dist).expect("a directory").flatten();
    let names: Vec<_> = packed.map(|entry| entry.file_name()).collect();
    let is_archive = |name: &str| name.starts_with("acme-1.0.0-") && name.ends_with(".tar.gz");
    assert!(names.iter().filter_map(|name| name.to_str()).any(is_archive), "{names:?}");
}

#[test]
fn the_repository_has_what_people_and_machines_look_for() {
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "acme-crm", &[]);
    let files = tree(&project);
    for path in [
        ".agent/CLI-SPEC.md",
        ".agent/SPEC_VERSION",
        ".github/dependabot.yml",
        ".github/workflows/ci.yml",
        ".github/workflows/release.yml",
        ".gitignore",
        "AGENTS.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "Makefile",
        "NOTICE.md",
        "README.md",
        "SECURITY.md",
        "acme_crm/contract_gen.py",
        "acme_crm/_runtime/CONFORMANCE.md",
        "acme_crm/_runtime/npm/run.js",
        "acme_crm/_runtime/update/trusted_root.json",
        "contract/contract-ext.json",
        "contract/contract.json",
        "docs/E2E.md",
        "docs/YOUR_API.md",
        "package.json",
        "pyproject.toml",
        "requirements.txt",
        "skills/acme-crm/SKILL.md",
        "skills/acme-crm/test-prompts.json",
    ] {
        assert!(files.contains_key(path), "{path}");
    }
}

#[test]
fn no_delimiter_no_name_of_the_template_and_no_host_of_packages_is_left() {
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "zebra", &["owner=some-team".to_owned()]);
    for (path, (bytes, _)) in tree(&project) {
        let text = String::from_utf8(bytes).expect("text");
        for left in ["{=", "{%", "{#", "aos:if", "aos:end", "@tool@", "@package@"] {
            assert!(!text.contains(left) && !path.contains(left), "{path}: {left}");
        }
        if !path.starts_with(".agent/") && !path.starts_with("contract/") {
            assert!(!text.to_lowercase().contains("acme"), "{path}");
        }
        if path.starts_with("requirements") {
            assert!(!text.contains("://") && text.contains("--hash=sha256:"), "{path}");
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
fn a_tool_is_not_named_like_a_library_that_it_needs() {
    let sandbox = Sandbox::new();
    for name in ["click", "sigstore", "mock-upstream", "tests", "pytest"] {
        sandbox.aos(&["new", name, "--template", "cli-python"]).error("E_VALIDATION", 2);
    }
}

#[test]
fn the_npm_wrapper_says_what_is_missing_and_passes_the_exit_on() {
    let test = "the_npm_wrapper_says_what_is_missing_and_passes_the_exit_on";
    let Some(node) = program(test, "node") else { return };
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "acme", &[]);
    let run = project.join("acme/_runtime/npm/run.js");
    let run = run.to_str().expect("a path");
    let output = Command::new(node).args([run, "context"]).output().expect("node starts");
    assert_eq!(output.status.code(), Some(4));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("an envelope");
    assert_eq!(document["error"]["code"], "E_CONFIG");
}
