//! `docs/YOUR_API.md` of `connector-python`, carried out step by step: after each step the connector is tested, checked
//! and held against its contract, and at the end nothing is left of the example.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::conform::conform;
use super::disk;
use super::sandbox::{Sandbox, tree};
use super::scaffolded_python::Installation;
use super::toolchain::succeed;

const API: &str = "agent-harness/aos_acme/api.py";
const WIDGET: &str = "agent-harness/aos_acme/commands/widget.py";
const RUNTIME: &str = "agent-harness/aos_acme/_runtime/";

/// The blocks of one kind in a step: what their first line says, and the rest.
fn blocks<'a>(step: &'a str, fence: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    step.split(fence).skip(1).filter_map(|rest| rest.split_once("\n```")?.0.split_once('\n'))
}

fn write(project: &Path, path: &str, text: &str) {
    std::fs::write(project.join(path), text).expect("a file");
}

/// Each `NAME = value` of a block in place of the one in `text`.
fn with_settings(text: &str, block: &str) -> String {
    let mut text = text.to_owned();
    let starts: Vec<_> = block
        .match_indices(" = ")
        .map(|(at, _)| block[..at].rfind('\n').map_or(0, |line| line + 1))
        .filter(|at| block[*at..].starts_with(|first: char| first.is_ascii_uppercase()))
        .collect();
    for (number, start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).copied().unwrap_or(block.len());
        let setting = block[*start..end].trim_end();
        let name = setting.split(' ').next().expect("a name");
        let old = text.find(&format!("\n{name} = ")).expect("the setting is there") + 1;
        let line = text[old..].find('\n').expect("a line");
        let opens = text[old..old + line].chars().last().filter(|last| "[{".contains(*last));
        let length = match opens {
            Some(bracket) => {
                let close = if bracket == '[' { "\n]" } else { "\n}" };
                text[old..].find(close).expect("its end") + close.len()
            }
            None => line,
        };
        text.replace_range(old..old + length, setting);
    }
    text
}

fn manifest(project: &Path, change: impl FnOnce(&mut Value)) {
    let path = project.join("connector.json");
    let mut document: Value = serde_json::from_str(&disk::read(&path)).expect("JSON");
    change(&mut document);
    std::fs::write(path, serde_json::to_string_pretty(&document).expect("JSON") + "\n")
        .expect("a file");
}

fn add(document: &mut Value, pointer: &str, entries: impl IntoIterator<Item = Value>) {
    document.pointer_mut(pointer).and_then(Value::as_array_mut).expect("a list").extend(entries);
}

fn is_green(sandbox: &Sandbox, project: &Path) {
    let python = Installation::shared().python();
    succeed(python.with_file_name("ruff"), &["format", "--check", "--quiet", "."], project);
    succeed(python.with_file_name("ruff"), &["check", "--quiet", "."], project);
    let place = format!("--basetemp={}", sandbox.work().join("temporary").display());
    let said = succeed(&python, &["-m", "pytest", "-q", "-p", "no:cacheprovider", &place], project);
    assert!(!said.contains("skipped"), "{said}");
    sandbox.aos_in(project, &["check"]).data();
    conform(sandbox, project, &["--jobs=2"]).data();
}

fn state_the_api(project: &Path, step: &str) {
    let (_, facts) = blocks(step, "```toml\n# ").next().expect("facts");
    let old = disk::read(&project.join("conform.toml"));
    let (_, commands) = old.split_once("[[harness.commands]]").expect("commands");
    write(project, "conform.toml", &format!("{facts}\n[[harness.commands]]{commands}"));
    change_settings(project, step);
}

fn change_settings(project: &Path, step: &str) {
    let (_, block) =
        blocks(step, "```python\n# ").find(|(path, _)| *path == API).expect("settings");
    let text = with_settings(&disk::read(&project.join(API)), block);
    write(project, API, &text);
}

fn add_commands(sandbox: &Sandbox, project: &Path, step: &str) {
    let list = |kind: &str| -> Vec<Value> {
        let (_, rest) = step.split_once(&format!("```json {kind}\n")).expect("a block");
        serde_json::from_str(rest.split("```").next().expect("its end")).expect("JSON")
    };
    let (commands, fields) = (list("commands"), list("fields"));
    manifest(project, |document| {
        let ids = commands.iter().map(|command| command["id"].clone()).collect::<Vec<_>>();
        add(document, "/connector/resources", ["widget".into()]);
        add(document, "/scope/worker_visible_actions", ids);
        for field in document["scope"]["fields"].as_array_mut().expect("fields") {
            if ["limit", "cursor"].iter().any(|name| field["id"] == *name) {
                add(field, "/applies_to", ["widget.list".into()]);
            }
        }
        add(document, "/scope/fields", fields);
        add(document, "/commands", commands);
    });
    for (path, text) in blocks(step, "```python\n# ") {
        write(project, path, &format!("{text}\n"));
    }
    let (_, facts) = blocks(step, "```toml\n# ").next().expect("facts");
    disk::append(&project.join("conform.toml"), &format!("\n{facts}\n"));
    sandbox.aos_in(project, &["gen"]).data();
}

fn remove_the_example(sandbox: &Sandbox, project: &Path, step: &str) {
    let removed = step.lines().find_map(|line| line.strip_prefix("    rm ")).expect("a command");
    for path in removed.split(' ') {
        std::fs::remove_file(project.join(path)).unwrap_or_else(|_| panic!("{path}"));
    }
    let is_of_the_example = |value: &Value| {
        value.as_str().is_some_and(|text| text == "item" || text.starts_with("item."))
    };
    manifest(project, |document| {
        document["scope"]["surface"] = "widget".into();
        let commands = document["commands"].as_array_mut().expect("commands");
        commands.retain(|command| command["resource"] != "item");
        for pointer in ["/connector/resources", "/scope/worker_visible_actions"] {
            let list = document.pointer_mut(pointer).and_then(Value::as_array_mut).expect("a list");
            list.retain(|entry| !is_of_the_example(entry));
        }
        let hints = document["scope"]["pickerHints"].as_object_mut().expect("hints");
        hints.shift_remove("item").expect("the hint of the example");
        let fields = document["scope"]["fields"].as_array_mut().expect("fields");
        for field in fields.iter_mut() {
            let applies = field["applies_to"].as_array_mut().expect("commands");
            applies.retain(|entry| !is_of_the_example(entry));
        }
        fields.retain(|field| field["applies_to"].as_array().is_some_and(|list| !list.is_empty()));
    });
    let facts = disk::read(&project.join("conform.toml"));
    let mut parts = facts.split("[[harness.commands]]");
    let mut kept = parts.next().expect("the API").to_owned();
    for part in parts.filter(|part| !part.trim_start().starts_with("id = \"item.")) {
        kept += &format!("[[harness.commands]]{part}");
    }
    write(project, "conform.toml", &kept);
    change_settings(project, step);
    let handlers = disk::read(&project.join(WIDGET));
    let start = handlers.find("        paging={").expect("paging");
    let length = handlers[start..].find("        },\n").expect("its end") + "        },\n".len();
    write(project, WIDGET, &(handlers[..start].to_owned() + &handlers[start + length..]));
    sandbox.aos_in(project, &["gen"]).data();
}

#[test]
fn the_guide_leads_from_the_example_to_another_api() {
    let sandbox = Sandbox::new();
    let project: PathBuf = sandbox.connector("acme");
    let guide = disk::read(&project.join("docs/YOUR_API.md"));
    let steps: Vec<&str> = guide.split("\n## ").skip(1).collect();
    assert_eq!(steps.len(), 4, "the guide has four steps");
    let runtime = |project: &Path| -> Vec<_> {
        tree(project).into_iter().filter(|(path, _)| path.starts_with(RUNTIME)).collect()
    };
    let before = runtime(&project);

    state_the_api(&project, steps[0]);
    is_green(&sandbox, &project);
    add_commands(&sandbox, &project, steps[1]);
    is_green(&sandbox, &project);
    remove_the_example(&sandbox, &project, steps[2]);
    is_green(&sandbox, &project);

    assert_eq!(runtime(&project), before, "the guide changes files of its user only");
    std::fs::remove_file(project.join("docs/YOUR_API.md")).expect("the guide");
    let kept = ["/_runtime/", ".agent/", "contract/", "contract_gen.py", "contract_cases.py"];
    for (path, (bytes, _)) in tree(&project) {
        let text = String::from_utf8_lossy(&bytes);
        // A list has its entries under `items`, whatever they are.
        let words = text.split(|symbol: char| !symbol.is_ascii_alphanumeric());
        let is_left = words.into_iter().any(|word| word == "item");
        assert!(kept.iter().any(|part| path.contains(part)) || !is_left, "{path}");
    }
    assert!(!disk::read(&project.join("conform.toml")).contains("api.example.com"));
}
