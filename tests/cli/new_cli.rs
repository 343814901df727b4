//! `aos new` for the family `agent-cli`, with a template of the tests: names, questions, parts, and a program that runs.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::disk;
use super::sandbox::{Answer, Sandbox, is_executable, run, tree};
use super::toolchain::{program, succeed};

const TEMPLATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/templates");

fn command(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = sandbox.command(&["new"]);
    command.args(arguments).env("AOS_TEST_TEMPLATES", TEMPLATES);
    command
}

fn new(sandbox: &Sandbox, arguments: &[&str]) -> Answer {
    run(&mut command(sandbox, &[arguments, &["--template", "tiny-cli", "--no-git"]].concat()))
}

fn made(sandbox: &Sandbox, arguments: &[&str]) -> PathBuf {
    PathBuf::from(new(sandbox, arguments).data()["path"].as_str().expect("a path"))
}

#[test]
fn a_tool_has_its_own_name_and_every_derived_name() {
    let sandbox = Sandbox::new();
    let answer = new(&sandbox, &["acme-crm"]).data();
    assert_eq!(answer["tool"], "acme-crm");
    assert_eq!((&answer["preset"], &answer["commands"]), (&().into(), &().into()));
    assert_eq!(answer["next"][1], "go run . E_IO");
    assert_eq!(answer["advice"], serde_json::Value::Null);
    let project = sandbox.work().join("acme-crm");
    let readme = disk::read(&project.join("README.md"));
    for words in
        ["# Acme Crm", "Agent CLI for the Acme Crm API", "`AcmeCrm`", "`ACME_CRM_*`", "v1.2.0"]
    {
        assert!(readme.contains(words), "{words}: {readme}");
    }
    assert!(disk::read(&project.join("go.mod")).contains("module github.com/example/acme-crm\n"));
    assert!(is_executable(&project.join("bin/acme-crm")));
    assert!(project.join(".gitignore").exists());
    let record = disk::read(&project.join("aos.toml"));
    for line in [
        "family = \"agent-cli\"",
        "name = \"tiny-cli\"",
        "name = \"acme-crm\"",
        "module = \"github.com/example/acme-crm\"",
        "jobs = \"no\"",
        "go = [\"internal/contract/contract_gen.go\", \"acme_crm/contract_gen.go\"]",
    ] {
        assert!(record.contains(&format!("{line}\n")), "{line}: {record}");
    }
    sandbox.aos_in(&project, &["check"]).data();
    assert_eq!(new(&sandbox, &["acme-crm"]).data()["status"], "unchanged");
}

#[test]
fn the_new_tool_builds_and_runs_with_the_real_toolchain() {
    let test = "the_new_tool_builds_and_runs_with_the_real_toolchain";
    let (Some(go), Some(gofmt)) = (program(test, "go"), program(test, "gofmt")) else { return };
    let sandbox = Sandbox::new();
    let hostile = "description=q\" \\ `x` {= tool =} {% y %} ${z} é\u{feff}";
    let answers = ["--set", hostile, "--set", "jobs=yes", "--set", "human_checkpoint=yes"];
    let project = made(&sandbox, &[&["acme-crm"][..], &answers].concat());
    assert_eq!(succeed(gofmt, &["-l", "."], &project), "");
    succeed(&go, &["vet", "./..."], &project);
    let said = succeed(&go, &["run", ".", "E_HUMAN_REQUIRED"], &project);
    assert_eq!(said, "9 false q\" \\ `x` {= tool =} {% y %} ${z} é\u{feff}\n");
    sandbox.aos_in(&project, &["check"]).data();
}

#[test]
fn parts_of_the_tree_exist_for_their_answers_only() {
    let sandbox = Sandbox::new();
    for (name, answers, present, absent) in [
        (
            "one",
            &[][..],
            &[][..],
            &["internal/jobs/jobs.go", "docs/asynchronous.md", "contract/contract-ext.json"][..],
        ),
        (
            "two",
            &["--set", "jobs=yes"],
            &["internal/jobs/jobs.go", "docs/asynchronous.md"],
            &["contract/contract-ext.json"],
        ),
        (
            "three",
            &["--set", "human_checkpoint=yes"],
            &["contract/contract-ext.json", "docs/asynchronous.md"],
            &["internal/jobs"],
        ),
    ] {
        let project = made(&sandbox, &[&[name][..], answers].concat());
        for path in present {
            assert!(project.join(path).exists(), "{name}: {path}");
        }
        for path in absent {
            assert!(!project.join(path).exists(), "{name}: {path}");
        }
        sandbox.aos_in(&project, &["check"]).data();
    }
    let code = "\"E_HUMAN_REQUIRED\":        {Exit: 9, Retryable: false, Core: false}";
    let module = sandbox.work().join("three/internal/contract/contract_gen.go");
    assert!(disk::read(&module).contains(code), "{}", disk::read(&module));
    let advice = new(&sandbox, &["four", "--set", "jobs=yes", "--set", "owner=ann"]).data();
    assert_eq!(advice["advice"], "Write your jobs in internal/jobs of github.com/ann/four");
}

#[test]
fn a_name_that_something_else_has_is_refused_with_another_name() {
    let sandbox = Sandbox::new();
    for (name, words, hint) in [
        ("Acme", "begin with a letter", "`aos new acme --template tiny-cli`"),
        ("acme_crm", "begin with a letter", "`aos new acme-crm --template tiny-cli`"),
        ("func", "keyword of Go", "`aos new func-cli --template tiny-cli`"),
        ("test", "shell", "`aos new test-cli --template tiny-cli`"),
        ("con", "Windows", "`aos new con-cli --template tiny-cli`"),
        ("internal", "part of the new project", "`aos new internal-cli --template tiny-cli`"),
        ("my-claude", "Skill", "choose a name such as `acme` or `my-crm`"),
        ("1", "begin with a letter", "choose a name such as `acme` or `my-crm`"),
    ] {
        let error = new(&sandbox, &[name]).error("E_VALIDATION", 2);
        assert!(error["message"].as_str().unwrap().contains(words), "{name}: {error}");
        assert_eq!(error["details"]["fix"], hint, "{name}");
    }
    assert_eq!(disk::names(&sandbox.work()), Vec::<String>::new());
    // Nothing of the name belongs to connectors.
    assert_eq!(new(&sandbox, &["aos-acme"]).data()["tool"], "aos-acme");
}

#[test]
fn answers_are_judged_by_the_form_that_the_template_asks_for() {
    let sandbox = Sandbox::new();
    for (answer, words) in [
        ("module=acme", "Go module path"),
        ("module=", "requires an answer"),
        ("owner=a b", "name of an account"),
        ("contact=me", "e-mail"),
        ("jobs=maybe", "no, yes"),
        ("label=x", "is not a question"),
    ] {
        let error = new(&sandbox, &["acme", "--set", answer]).error("E_VALIDATION", 2);
        assert!(error["message"].as_str().unwrap().contains(words), "{answer}: {error}");
    }
    let error = new(&sandbox, &["acme", "--preset", "github"]).error("E_VALIDATION", 2);
    assert!(error["message"].as_str().unwrap().contains("no presets"), "{error}");
    assert!(error["details"]["fix"].as_str().unwrap().contains("connector-python"), "{error}");
    assert_eq!(disk::names(&sandbox.work()), Vec::<String>::new());
}

#[test]
fn the_first_commit_is_the_tree_and_the_same_answers_give_the_same_bytes() {
    let (here, there) = (Sandbox::new(), Sandbox::new());
    for sandbox in [&here, &there] {
        std::fs::write(
            sandbox.home().join(".gitconfig"),
            "[user]\nname = Ann\nemail = a@b.example\n",
        )
        .unwrap();
        let arguments = ["acme", "--template", "tiny-cli", "--set", "contact=a@b.example"];
        let data = run(&mut command(sandbox, &arguments)).data();
        assert_eq!(data["git"]["committed"], true, "{data}");
        let project = sandbox.work().join("acme");
        let listed = succeed("git", &["ls-files"], &project);
        let listed: Vec<_> = listed.lines().map(str::to_owned).collect();
        assert_eq!(listed, tree(&project).into_keys().collect::<Vec<_>>());
        assert!(disk::read(&project.join("README.md")).ends_with("Write to a@b.example.\n"));
    }
    assert_eq!(tree(&here.work()), tree(&there.work()));
}

#[test]
fn the_list_shows_each_template_with_its_own_questions() {
    let sandbox = Sandbox::new();
    let listed = run(&mut command(&sandbox, &["--list", "--all"])).data();
    let templates = listed["templates"].as_array().unwrap();
    let find = |name: &str| templates.iter().find(|template| template["name"] == name).unwrap();
    let tiny = find("tiny-cli");
    assert_eq!(tiny["family"], "agent-cli");
    assert_eq!(tiny["presets"].as_array().unwrap().len(), 0);
    assert_eq!(tiny["questions"][2]["default"], "github.com/<owner>/<tool>");
    assert_eq!(tiny["questions"][2]["required"], true);
    assert!(find("connector-python")["presets"].as_array().unwrap().len() >= 7);
    let mut text = command(&sandbox, &["--list", "--all", "--format", "text"]);
    let text = run(&mut text).stdout;
    assert!(text.contains("jobs             Commands that start a job"), "{text}");
    assert!(text.contains("(no, yes; default no)"), "{text}");
}

#[test]
fn a_pin_of_an_older_tag_is_possible_for_a_tool_too() {
    let sandbox = Sandbox::new();
    let project = made(&sandbox, &["acme", "--spec", "v1.0.0"]);
    assert_eq!(disk::read(&project.join(".agent/SPEC_VERSION")), "v1.0.0\n");
    sandbox.aos_in(&project, &["check"]).data();
    let error = new(&sandbox, &["other", "--spec", "v9.9.9"]).error("E_NOT_FOUND", 3);
    assert!(error["message"].as_str().unwrap().contains("v9.9.9"), "{error}");
}

/// Every set of answers that a template is tested with: the defaults, and each choice that is none, alone and together.
fn answer_sets(template: &serde_json::Value) -> Vec<Vec<String>> {
    let questions = template["questions"].as_array().expect("questions");
    let mut sets = vec![Vec::new()];
    let mut all = Vec::new();
    // Only a description of an API has a use for `auth`.
    for question in questions.iter().filter(|question| question["key"] != "auth") {
        let (key, default) = (question["key"].as_str().unwrap(), &question["default"]);
        for choice in
            question["choices"].as_array().unwrap().iter().filter(|choice| *choice != default)
        {
            let answer = format!("{key}={}", choice.as_str().unwrap());
            sets.push(vec![answer.clone()]);
            all.retain(|other: &String| !other.starts_with(&format!("{key}=")));
            all.push(answer);
        }
    }
    sets.push(all);
    sets
}

/// Makes every project of every template of the family and looks at it.
fn every_project(inspect: impl Fn(&Sandbox, &Path, &str)) {
    let sandbox = Sandbox::new();
    let listed = run(&mut command(&sandbox, &["--list", "--all"])).data();
    let templates = listed["templates"].as_array().unwrap();
    let mut made = 0;
    for template in templates.iter().filter(|template| template["family"] == "agent-cli") {
        let name = template["name"].as_str().unwrap();
        for (number, answers) in answer_sets(template).iter().enumerate() {
            let place = format!("{name}-{number}");
            std::fs::create_dir(sandbox.work().join(&place)).unwrap();
            let mut arguments = vec!["x2-crm", "--template", name, "--no-git", "--dir", &place];
            arguments.extend(answers.iter().flat_map(|answer| ["--set", answer.as_str()]));
            let data = run(&mut command(&sandbox, &arguments)).data();
            let project = PathBuf::from(data["path"].as_str().unwrap());
            inspect(&sandbox, &project, &format!("{name} {answers:?}"));
            made += 1;
        }
    }
    assert!(made >= 4, "{made} projects");
}

#[test]
fn every_new_tool_passes_check() {
    every_project(|sandbox, project, what| {
        let report = sandbox.aos_in(project, &["check"]).data();
        let findings = report["projects"][0]["findings"].as_array().unwrap();
        // The answer `none` means that there is no license file; the template of a test has fewer files.
        let is_fine = |finding: &serde_json::Value| {
            finding["severity"] == "warning"
                && (finding["path"] == "LICENSE" || !what.starts_with("cli-"))
        };
        assert!(findings.iter().all(is_fine), "{what}: {report}");
    });
}

#[test]
fn no_mark_of_the_template_language_and_nothing_of_this_machine_is_left_in_a_new_tool() {
    let clock = Command::new("date").arg("+%Y-%m-%d").output().expect("date");
    let today = String::from_utf8(clock.stdout).unwrap().trim().to_owned();
    let words = ["/root/", "aos-test-", env!("CARGO_MANIFEST_DIR"), &today];
    let marks = ["{=", "=}", "{%", "%}", "{#", "#}", "@tool@", "@package@", "@resource@"];
    every_project(|_, project, what| {
        for (path, (bytes, _)) in tree(project) {
            let text = std::str::from_utf8(&bytes).unwrap_or_else(|_| panic!("{what}: {path}"));
            for mark in marks.iter().chain(&words) {
                assert!(!text.contains(mark), "{what}: {path} holds `{mark}`");
            }
            assert!(!path.contains('@') && !path.ends_with(".tera"), "{what}: {path}");
            assert!(!path.split('/').any(|part| part.starts_with("dot_")), "{what}: {path}");
        }
    });
}

#[test]
fn every_file_of_a_new_tool_is_text_with_line_feeds_and_a_path_that_every_system_has() {
    every_project(|_, project, what| {
        for (path, (bytes, _)) in tree(project) {
            let text = std::str::from_utf8(&bytes).unwrap();
            assert!(!text.contains('\r') && !text.starts_with('\u{feff}'), "{what}: {path}");
            assert!(
                text.is_empty() || text.ends_with('\n'),
                "{what}: {path} ends without a newline"
            );
            aos::plan::RelativePath::parse(&path).unwrap();
        }
    });
}

#[test]
fn only_what_the_template_says_is_executable() {
    every_project(|_, project, what| {
        for (path, (bytes, executable)) in tree(project) {
            // npm makes the file that `bin` names executable when it installs the package.
            let is_program = bytes.starts_with(b"#!") && !path.ends_with(".js");
            assert_eq!(executable, is_program, "{what}: {path}");
        }
    });
}
