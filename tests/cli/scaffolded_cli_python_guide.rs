//! `docs/YOUR_API.md` of `cli-python`, carried out step by step: after each step the tool is clean, tested and checked,
//! and at the end nothing is left of the example.

use std::path::{Path, PathBuf};

use super::disk;
use super::sandbox::{Sandbox, WITH_FULL, is_full_run, skipped, tree};
use super::scaffolded_cli_python::python;
use super::toolchain::succeed;

/// Words of the example.
const EXAMPLE: [&str; 8] =
    ["item", "items", "atlas", "borealis", "export start", "approval", "project overview", "job"];
/// Lines of the example tool's registration, and what the first step puts before each.
const REGISTRATION: [(&str, &str); 4] = [
    ("import ", "import widgets, "),
    ("        \"item\": ", "        \"widget\": \"Work with widgets\",\n        \"item\": "),
    ("        *items.COMMANDS,", "        *widgets.COMMANDS,\n        *items.COMMANDS,"),
    ("        **items.SCHEMAS,", "        **widgets.SCHEMAS,\n        **items.SCHEMAS,"),
];

fn made(sandbox: &Sandbox, answers: &[&str]) -> PathBuf {
    let mut arguments = vec!["new", "acme", "--template", "cli-python", "--no-git"];
    arguments.extend(answers.iter().flat_map(|answer| ["--set", *answer]));
    PathBuf::from(sandbox.aos(&arguments).data()["path"].as_str().expect("a path"))
}

/// The files that a step gives, by the path in the first line of each block.
fn files(step: &str) -> Vec<(&str, &str)> {
    let blocks = ["```python\n# ", "```toml\n# "].map(|fence| step.split(fence).skip(1));
    let blocks = blocks.into_iter().flatten();
    blocks.filter_map(|rest| rest.split_once("```")?.0.split_once('\n')).collect()
}

fn is_green(sandbox: &Sandbox, project: &Path) {
    succeed(python().join("ruff"), &["check", "--select", "I", "--fix", "--quiet", "."], project);
    succeed(python().join("ruff"), &["format", "--check", "--quiet", "."], project);
    succeed(python().join("ruff"), &["check", "--quiet", "."], project);
    succeed(python().join("mypy"), &[], project);
    let words = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
    succeed(python().join("python"), &words, project);
    sandbox.aos_in(project, &["check"]).data();
}

/// No probe fails, and none lacks a command to try.
#[cfg(target_os = "linux")]
fn conforms(sandbox: &Sandbox, project: &Path) {
    let record = disk::read(&project.join("aos.toml"));
    let probes = super::conform_agent_cli::probes_of_commands(sandbox);
    let asked = super::conform_agent_cli::asking(&probes);
    let answer = super::conform_agent_cli::conform_of_python(sandbox, project, &asked);
    for verdict in ["fail", "blocked"] {
        assert_eq!(super::conform_agent_cli::of_verdict(&answer, verdict), [], "{verdict}");
    }
    std::fs::write(project.join("aos.toml"), record).expect("a file");
    std::fs::remove_dir_all(project.join("build")).expect("the programs go");
}

/// Other systems have no network namespace for it.
#[cfg(not(target_os = "linux"))]
fn conforms(_sandbox: &Sandbox, _project: &Path) {}

fn carry_out(project: &Path, step: &str) {
    for line in step.lines().filter_map(|line| line.strip_prefix("    rm ")) {
        for path in line.split(' ') {
            std::fs::remove_file(project.join(path)).unwrap_or_else(|_| panic!("{path}"));
        }
    }
    for (path, content) in files(step) {
        let target = project.join(path);
        let mut text = content.to_owned();
        if path == "conform.toml" {
            let old = disk::read(&target);
            let (kept, _) = old.split_once("[[agent_cli.command]]").expect("commands");
            text.insert_str(0, kept);
        }
        std::fs::write(target, text).expect("a file");
    }
}

/// The texts that the guide leaves to its reader: what names the example is removed.
fn write_own_texts(project: &Path) {
    for path in [
        "README.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "docs/E2E.md",
        "skills/acme/SKILL.md",
        "skills/acme/test-prompts.json",
    ] {
        let text = disk::read(&project.join(path));
        let mut kept: String = text
            .lines()
            .filter(|line| !names_example(line))
            .map(|line| format!("{line}\n"))
            .collect();
        if path.ends_with("SKILL.md") {
            kept = kept.replacen("---\nname: acme", "---\nname: acme\ndescription: \"Lists, shows and renames widgets by the acme command line tool. Use when the user wants to see or rename a widget.\"", 1);
        }
        if path.ends_with(".json") {
            kept = text.replace("Rename item", "Rename widget").replace("item", "widget");
            kept = kept.replace("items", "widgets").replace("the project atlas", "use");
        }
        std::fs::write(project.join(path), kept).expect("a file");
    }
}

fn names_example(line: &str) -> bool {
    let line = line.to_lowercase();
    let words: Vec<_> = line.split(|symbol: char| !symbol.is_alphanumeric()).collect();
    EXAMPLE.iter().any(|word| match word.split_once(' ') {
        Some((first, second)) => words.windows(2).any(|pair| pair == [first, second]),
        None => words.contains(word),
    })
}

fn follow(answers: &[&str]) {
    let sandbox = Sandbox::new();
    let project = made(&sandbox, answers);
    let guide = disk::read(&project.join("docs/YOUR_API.md"));
    let runtime = |project: &Path| -> Vec<_> {
        tree(project).into_iter().filter(|(path, _)| path.starts_with("acme/_runtime/")).collect()
    };
    let before = runtime(&project);
    let steps: Vec<&str> = guide.split("\n## ").skip(1).collect();
    assert_eq!(steps.len(), 4, "the guide has four steps");
    let registry = project.join("acme/commands/__init__.py");

    carry_out(&project, steps[0]);
    let mut text = disk::read(&registry);
    for (old, new) in REGISTRATION {
        let (old, new) = match old {
            "import " => ("from . import ".to_owned(), format!("from . {new}")),
            _ => (old.to_owned(), new.to_owned()),
        };
        assert!(text.contains(&old), "{old}: {text}");
        text = text.replacen(&old, &new, 1);
    }
    std::fs::write(&registry, text).expect("a file");
    is_green(&sandbox, &project);

    carry_out(&project, steps[1]);
    if steps[1].contains("`E_HUMAN_REQUIRED`") {
        let path = project.join("contract/contract-ext.json");
        let text = disk::read(&path);
        let kept = text.lines().filter(|line| !line.contains("E_HUMAN_REQUIRED"));
        std::fs::write(path, kept.map(|line| format!("{line}\n")).collect::<String>())
            .expect("a file");
        sandbox.aos_in(&project, &["gen"]).data();
    }
    if let Some((_, rest)) = steps[1].split_once("```text\nGET = ") {
        let own = rest.lines().next().expect("a line");
        let old = "GET = (\"item\", \"get\", \"--id\", \"1\")";
        disk::edit(&project.join("tests/test_renewal.py"), old, &format!("GET = {own}"));
    }
    write_own_texts(&project);
    is_green(&sandbox, &project);

    carry_out(&project, steps[2]);
    is_green(&sandbox, &project);

    assert_eq!(runtime(&project), before, "the guide changes files of its user only");
    if !answers.is_empty() {
        conforms(&sandbox, &project);
    }
    std::fs::remove_file(project.join("docs/YOUR_API.md")).expect("the guide");
    for (path, (bytes, _)) in tree(&project) {
        // A cache is of the tool that wrote it.
        let kept = ["acme/_runtime/", ".agent/", "contract/", ".mypy_cache/", ".ruff_cache/"];
        let is_own = !kept.iter().any(|start| path.starts_with(start));
        // A page has entries, whatever they are.
        let allowed = |line: &str| {
            line.contains("items") && !line.contains("item_") || line.contains("contract")
        };
        if is_own && path != "acme/contract_gen.py" && path != "requirements.txt" {
            let text = String::from_utf8_lossy(&bytes);
            for line in text.lines().filter(|line| !path.ends_with(".yml") && !allowed(line)) {
                assert!(!names_example(line), "{path}: {line}");
            }
        }
    }
}

#[test]
fn the_guide_leads_from_the_example_to_another_api() {
    // The guide of cli-go is followed without the patterns in each run, and has the same steps.
    if !is_full_run() {
        return skipped("the_guide_leads_from_the_example_to_another_api", WITH_FULL);
    }
    follow(&[]);
}

#[test]
fn the_guide_works_with_every_answer() {
    follow(&["credentials=expiring", "jobs=yes", "human_checkpoint=yes"]);
}
