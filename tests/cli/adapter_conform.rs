//! `aos conform` for adapters: a good adapter passes, and each probe notices the adapter that breaks its promise.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::disk;
use super::sandbox::{Answer, Sandbox, is_full_run, run};
use super::toolchain::{go_settings, program};

fn made(sandbox: &Sandbox, name: &str, preset: &str) -> PathBuf {
    let arguments = ["new", name, "--template", "agent-adapter", "--preset", preset, "--no-git"];
    PathBuf::from(sandbox.aos(&arguments).data()["path"].as_str().expect("a path"))
}

/// Runs aos in a project, with one cache of the compiler for all tests.
fn conform(sandbox: &Sandbox, project: &Path, more: &[&str]) -> Answer {
    let mut command = sandbox.command(&[&["conform", "--quiet", "--all"][..], more].concat());
    run(command.current_dir(project).envs(go_settings()))
}

/// The results of a run, whether it succeeded or not.
fn results(answer: &Answer) -> Vec<Value> {
    let envelope = answer.json();
    let of = |part: &Value| part["results"].as_array().cloned();
    of(&envelope["data"])
        .or_else(|| of(&envelope["error"]["details"]))
        .unwrap_or_else(|| panic!("no results: {answer:?}"))
}

/// Every preset, and the probes that do not apply to it.
const GOOD: [(&str, &[&str]); 15] = [
    ("example", &[]),
    ("cursor", &[]),
    ("aider", &["adapter.merge", "adapter.links", "adapter.delivery"]),
    ("claude-code", &[]),
    ("cline", &[]),
    ("opencode", &[]),
    ("kimi", &["adapter.merge", "adapter.links"]),
    ("codex", &["adapter.merge", "adapter.links"]),
    ("droid", &[]),
    ("qwen", &[]),
    ("goose", &[]),
    ("devin", &[]),
    ("copilot", &[]),
    ("grok", &[]),
    ("amp", &[]),
];

#[test]
fn a_new_adapter_conforms() {
    if program("a_new_adapter_conforms", "go").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    // A usual run takes the first three.
    let count = if is_full_run() { GOOD.len() } else { 3 };
    for (preset, excused) in GOOD.into_iter().take(count) {
        let answer = conform(&sandbox, &made(&sandbox, preset, preset), &[]);
        assert_eq!(answer.exit, Some(0), "{preset}: {answer:?}");
        let results = results(&answer);
        assert_eq!(results.len(), 15, "{preset}");
        for result in results {
            let probe = result["probe"].as_str().expect("a probe");
            let is_excused = result["verdict"] == "not_applicable";
            assert_eq!(is_excused, excused.contains(&probe), "{preset}: {result}");
        }
    }
}

#[test]
fn an_adapter_under_test_writes_nothing_outside_of_its_sandbox() {
    if program("an_adapter_under_test_writes_nothing_outside_of_its_sandbox", "go").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "acme", "example");
    let outside = sandbox.work().join("escaped.txt");
    let text = format!(
        "package acme\n\nimport \"os\"\n\nfunc init() {{ _ = os.WriteFile({:?}, nil, 0o600) }}\n",
        outside.display().to_string()
    );
    std::fs::write(project.join("escape.go"), text).unwrap();
    let envelope = conform(&sandbox, &project, &["--probe", "adapter.described"]).json();
    assert_eq!(envelope["ok"], true, "{envelope}");
    let parts = envelope["data"]["containment"].as_array().expect("the parts");
    let is_contained =
        parts.iter().any(|part| part["part"] == "files" && part["contained"] == true);
    assert_eq!(outside.exists(), !is_contained);
}

#[test]
fn a_project_that_owns_the_test_kit_cannot_weaken_the_probes() {
    let test = "a_project_that_owns_the_test_kit_cannot_weaken_the_probes";
    if program(test, "go").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "acme", "example");
    let runtime = project.join("internal/runtime");
    for file in disk::names(&runtime.join("testkit")) {
        std::fs::write(runtime.join("testkit").join(file), "package testkit\n").unwrap();
    }
    // Code of a package of the orchestrator that the project has in its own form.
    disk::append(&runtime.join("kit/internal/adapters/adapters.go"), "\nfunc broken() {\n");
    let probe = ["--probe", "adapter.described"];
    assert_eq!(conform(&sandbox, &project, &probe).exit, Some(0));
    disk::edit(&project.join("adapter.go"), "const ID = \"acme\"", "const ID = \"other\"");
    let answer = conform(&sandbox, &project, &probe);
    assert_eq!(results(&answer)[0]["verdict"], "fail", "{answer:?}");
    std::fs::create_dir(project.join("internal/aos-conform")).unwrap();
    let answer = conform(&sandbox, &project, &probe);
    assert_eq!(results(&answer)[0]["verdict"], "blocked", "{answer:?}");
}

#[derive(Deserialize)]
struct List {
    broken: Vec<Broken>,
}

/// A promise that is broken: of the adapter `acme`, or of that of a preset.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Broken {
    #[serde(default)]
    preset: Option<String>,
    probe: String,
    says: String,
    file: String,
    old: String,
    new: String,
    #[serde(default)]
    imports: Vec<String>,
}

#[test]
fn each_probe_notices_the_adapter_that_breaks_its_promise() {
    let test = "each_probe_notices_the_adapter_that_breaks_its_promise";
    if program(test, "go").is_none() {
        return;
    }
    let list =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agent-adapter/probes.toml");
    let list: List = toml_edit::de::from_str(&disk::read(&list)).expect("a list");
    let sandbox = Sandbox::new();
    let mut projects = BTreeMap::new();
    let mut wrong = Vec::new();
    for broken in &list.broken {
        let project = projects.entry(broken.preset.as_deref()).or_insert_with_key(|preset| {
            made(&sandbox, preset.unwrap_or("acme"), preset.unwrap_or("example"))
        });
        let path = project.join(&broken.file);
        let whole = disk::read(&path);
        let at = whole.rfind(&broken.old).unwrap_or_else(|| panic!("{}", broken.old));
        let mut text = whole.clone();
        text.replace_range(at..at + broken.old.len(), &broken.new);
        for import in &broken.imports {
            text = text.replacen("import (\n", &format!("import (\n\t\"{import}\"\n"), 1);
        }
        std::fs::write(&path, text).unwrap();
        let answer = conform(&sandbox, project, &["--probe", &broken.probe]);
        let result = results(&answer).remove(0);
        let says = result.to_string();
        let wanted = serde_json::to_string(&broken.says).unwrap();
        let is_right = result["verdict"] == "fail" && says.contains(wanted.trim_matches('"'));
        if !is_right || answer.exit != Some(6) {
            wrong.push(format!("{}: {says}", broken.says));
        }
        std::fs::write(&path, whole).unwrap();
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let data = sandbox.aos(&["conform", "--list", "--family", "agent-adapter"]).data();
    let all: BTreeSet<_> = data["probes"]
        .as_array()
        .expect("probes")
        .iter()
        .map(|probe| probe["probe"].as_str().expect("a name").to_owned())
        .collect();
    assert_eq!(all, list.broken.into_iter().map(|broken| broken.probe).collect());
}

#[test]
fn a_probe_that_cannot_conclude_is_blocked_and_not_passed() {
    let test = "a_probe_that_cannot_conclude_is_blocked_and_not_passed";
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "acme", "example");
    let blocked = |answer: &Answer, why: &str| {
        assert_eq!(answer.exit, Some(6), "{answer:?}");
        for result in results(answer) {
            assert_eq!(result["verdict"], "blocked", "{result}");
            assert!(result["message"].as_str().expect("a text").contains(why), "{result}");
        }
    };
    let mut command = sandbox.command(&["conform", "--quiet", "--all"]);
    let answer = run(command.current_dir(&project).env("PATH", sandbox.home()));
    blocked(&answer, "no Go toolchain");
    let path = project.join("conform.toml");
    let facts = disk::read(&path);
    std::fs::remove_file(&path).unwrap();
    blocked(&conform(&sandbox, &project, &[]), "there is no conform.toml");
    std::fs::write(&path, "version = 1\n").unwrap();
    blocked(&conform(&sandbox, &project, &[]), "`[agent_adapter]`");
    std::fs::write(&path, facts.replace("strategy = \"in_command\"", "strategy = \"typed\""))
        .unwrap();
    let error = conform(&sandbox, &project, &[]).error("E_VALIDATION", 2);
    assert!(error["message"].as_str().expect("a text").contains("typed"), "{error}");
    std::fs::write(&path, facts).unwrap();
    if program(test, "go").is_some() {
        disk::append(&project.join("hooks.go"), "\nfunc broken() { return 1 }\n");
        blocked(&conform(&sandbox, &project, &[]), "does not build");
    }
}
