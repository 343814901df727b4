//! The Agent Skill says only what the program does: its commands, options, codes and version are those of `reference`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/skills/aos");

fn text(name: &str) -> String {
    std::fs::read_to_string(Path::new(FOLDER).join(name)).unwrap()
}

fn reference() -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aos"));
    let output = command.args(["reference", "--json"]).env_clear().output().unwrap();
    let envelope: Value = serde_json::from_slice(&output.stdout).unwrap();
    envelope["data"].clone()
}

/// Options by command; those that every command takes are in each.
fn options(reference: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let names = |list: &Value| -> BTreeSet<String> {
        let list = list.as_array().unwrap().iter();
        let options = list.filter(|parameter| parameter["positional"] == false);
        options.map(|parameter| format!("--{}", parameter["name"].as_str().unwrap())).collect()
    };
    let mut everywhere = names(&reference["global_flags"]);
    everywhere.insert("-C".to_owned());
    let commands = reference["commands"].as_array().unwrap().iter();
    commands
        .map(|command| {
            let own = names(&command["params"]);
            (
                command["path"].as_str().unwrap().to_owned(),
                own.union(&everywhere).cloned().collect(),
            )
        })
        .collect()
}

/// Calls of aos in a text: lines of code and words in backticks, without what comes after `&&`.
fn calls(text: &str) -> Vec<String> {
    let text = text.replace("\\\n", " ");
    let mut calls = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            calls.extend(line.split(" && ").map(str::trim).map(str::to_owned));
        } else {
            calls.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    calls.retain(|call| call.starts_with("aos "));
    calls
}

#[track_caller]
fn assert_exists(call: &str, options: &BTreeMap<String, BTreeSet<String>>) {
    let words: Vec<_> = call.split_whitespace().skip(1).collect();
    let command = words.first().copied().unwrap_or_default();
    if command == "--version" {
        return;
    }
    let two = words.get(..2).and_then(|words| options.get(&words.join(" ")));
    let known = two.or_else(|| options.get(command));
    let known = known.unwrap_or_else(|| panic!("`{call}`: there is no `{command}`"));
    for option in words.iter().filter(|word| word.starts_with('-')) {
        let name = option.split('=').next().unwrap_or_default();
        assert!(known.contains(name), "`{call}`: there is no `{name}`");
    }
}

#[test]
fn every_call_in_the_skill_and_its_prompts_exists() {
    let options = options(&reference());
    let found = calls(&text("SKILL.md"));
    assert!(found.len() > 30, "{found:?}");
    for call in &found {
        assert_exists(call, &options);
    }
    let prompts: Value = serde_json::from_str(&text("test-prompts.json")).unwrap();
    for prompt in prompts.as_array().unwrap() {
        for call in prompt["expected"]["commands"].as_array().unwrap() {
            let call = call.as_str().unwrap();
            if call.starts_with("aos ") {
                assert_exists(call, &options);
            }
        }
    }
}

#[test]
fn every_command_is_in_the_skill_or_left_out_on_purpose() {
    // For people at a shell, and the same as `verify` for bundles of another kind.
    let left_out = ["completions", "verify-bundle"];
    let skill = text("SKILL.md");
    for command in options(&reference()).into_keys() {
        let is_named = skill.contains(&format!("aos {command}"));
        assert_eq!(is_named, !left_out.contains(&command.as_str()), "{command}");
    }
}

#[test]
fn the_table_of_exits_has_every_code_with_its_exit() {
    let skill = text("SKILL.md");
    let reference = reference();
    for (code, facts) in reference["error_codes"].as_object().unwrap() {
        let row = format!("| {} | ", facts["exit"]);
        let named = format!("`{code}`");
        let rows = skill.lines().filter(|line| line.starts_with(&row) && line.contains(&named));
        assert_eq!(rows.count(), 1, "{code}");
    }
}

#[test]
fn every_rule_in_the_table_of_findings_exists() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aos"));
    let output = command
        .args(["check", "--explain", "all", "--all", "--json"])
        .env_clear()
        .output()
        .unwrap();
    let envelope: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rules = envelope["data"]["rules"].as_array().unwrap().iter();
    let rules: BTreeSet<_> = rules.map(|rule| rule["rule"].as_str().unwrap().to_owned()).collect();
    let skill = text("SKILL.md");
    let table = skill.split("| finding |").nth(1).unwrap().split("\n\n").next().unwrap();
    let named: Vec<_> = table.split('`').filter(|word| rule_like(word)).collect();
    assert!(named.len() > 8, "{named:?}");
    for rule in named {
        assert!(rules.contains(rule), "{rule}");
    }
}

fn rule_like(word: &str) -> bool {
    let is_plain = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    };
    word.split_once('/').is_some_and(|(topic, name)| is_plain(topic) && is_plain(name))
}

#[test]
fn the_skill_is_one_that_every_installer_and_agent_accepts() {
    let skill = text("SKILL.md");
    let front = skill.strip_prefix("---\n").unwrap().split("\n---\n").next().unwrap();
    let value = |key: &str| {
        let line = front.lines().find_map(|line| line.strip_prefix(&format!("{key}: ")));
        line.unwrap_or_else(|| panic!("there is no {key}")).to_owned()
    };
    assert_eq!(value("name"), "aos");
    let description = value("description");
    assert!(description.len() <= 1024 && !description.contains(['<', '>']), "{description}");
    // A colon and a space would begin a map.
    assert!(!description.contains(": ") && !description.contains(" #"), "{description}");
    assert!(value("compatibility").len() <= 500);
    let version = format!(
        "\n  requires:\n    bins: [\"aos\"]\n    min_version: \"{}\"\n",
        env!("CARGO_PKG_VERSION")
    );
    assert!(front.contains(&version), "{front}");
    assert!(skill.lines().count() < 320, "{}", skill.lines().count());
    // A copy with other line ends would have another digest.
    for name in crate::scene::names(Path::new(FOLDER)) {
        let bytes = std::fs::read(Path::new(FOLDER).join(&name)).unwrap();
        assert!(!bytes.contains(&b'\r') && bytes.ends_with(b"\n"), "{name}");
    }
}

#[test]
fn the_prompts_are_told_apart_and_say_what_is_expected() {
    let prompts: Value = serde_json::from_str(&text("test-prompts.json")).unwrap();
    let mut ids = BTreeSet::new();
    for prompt in prompts.as_array().unwrap() {
        assert!(ids.insert(prompt["id"].as_str().unwrap().to_owned()), "{prompt}");
        assert!(!prompt["prompt"].as_str().unwrap().is_empty(), "{prompt}");
        assert!(!prompt["expected"]["behaviour"].as_array().unwrap().is_empty(), "{prompt}");
        assert!(prompt["expected"]["never"].is_array(), "{prompt}");
    }
    for id in [
        "fresh-agent-read",
        "write-dry-run-confirm",
        "permission-boundary",
        "untrusted-content",
        "self-update",
    ] {
        assert!(ids.contains(id), "{id}");
    }
}
