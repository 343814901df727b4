//! Documents that name commands: judged in every template and preset, and not where the commands cannot be known.

use std::path::Path;

use super::adoption_tools;
use super::disk;
use super::sandbox::{Sandbox, connector};

const RULES: [&str; 2] = ["commands/documented", "documents/unknown-command"];

/// Findings about calls in documents of a failed check, as `rule path:line`.
fn findings(sandbox: &Sandbox, project: &Path) -> Vec<String> {
    let error = sandbox.aos_in(project, &["check"]).error("E_DRIFT", 6);
    let found = error["details"]["projects"][0]["findings"].as_array().expect("findings").clone();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let line = |finding: &serde_json::Value| {
        format!("{} {}:{}", text(&finding["rule"]), text(&finding["path"]), finding["line"])
    };
    let all = found.iter().map(line);
    all.filter(|found| RULES.iter().any(|rule| found.starts_with(rule))).collect()
}

#[test]
fn a_command_that_does_not_exist_is_found_in_every_template() {
    let sandbox = Sandbox::new();
    for (template, tool, rule) in [
        ("connector-python", "aos-acme", "commands/documented"),
        ("cli-go", "acme", "documents/unknown-command"),
        ("cli-python", "acme", "documents/unknown-command"),
    ] {
        let place = sandbox.work().join(template);
        std::fs::create_dir(&place).expect("a directory");
        let place = place.to_str().expect("a path");
        let data = sandbox
            .aos(&["new", "acme", "--template", template, "--no-git", "--dir", place])
            .data();
        let project = Path::new(data["path"].as_str().expect("a path")).to_owned();
        let checked = sandbox.aos_in(&project, &["check"]).data();
        assert_eq!(checked["notes"].as_array().map_or(0, Vec::len), 0, "{checked}");
        disk::append(&project.join("README.md"), &format!("\nRun `{tool} item lst`.\n"));
        let line = disk::read(&project.join("README.md")).lines().count();
        assert_eq!(findings(&sandbox, &project), [format!("{rule} README.md:{line}")]);
    }
}

#[test]
fn every_preset_names_commands_that_exist() {
    let sandbox = Sandbox::new();
    let listed = sandbox.aos(&["new", "--list"]).data();
    let presets = connector(&listed)["presets"].as_array().expect("presets").clone();
    assert!(presets.len() >= 10, "{presets:?}");
    for preset in presets.iter().map(|preset| preset.as_str().expect("a name")) {
        sandbox.aos(&["new", preset, "--no-git"]).data();
        let project = sandbox.work().join(format!("aos-{preset}"));
        let checked = sandbox.aos_in(&project, &["check"]).data();
        assert!(!checked.to_string().contains("commands/documented"), "{checked}");
        disk::append(&project.join("README.md"), &format!("\n`aos-{preset} nothing here`\n"));
        assert_eq!(findings(&sandbox, &project).len(), 1, "{preset}");
    }
}

#[test]
fn where_the_commands_cannot_be_known_a_note_says_so() {
    let sandbox = Sandbox::new();
    let project = adoption_tools::tool(&sandbox, "go");
    disk::append(&project.join("README.md"), "\n`notes lst`\n");
    let answer = sandbox.aos_in(&project, &["check"]).json();
    let text = answer.to_string();
    assert!(text.contains("were not checked"), "{answer}");
    assert!(!text.contains("documents/unknown-command"), "{answer}");
}
