//! Static rules of the family `agent-cli` through the real binary: findings, waivers, explanations, the projects that
//! `aos new` makes.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::adoption_tools::tool;
use super::disk;
use super::sandbox::Sandbox;

/// The Go tool of the fixtures, adopted.
fn adopted(sandbox: &Sandbox) -> PathBuf {
    let project = tool(sandbox, "go");
    let error = sandbox.aos_in(&project, &["sync-spec"]).error("E_CONFIRMATION_REQUIRED", 5);
    let token = error["details"]["confirm_token"].as_str().expect("a token");
    sandbox.aos_in(&project, &["sync-spec", "--confirm", token]).data();
    project
}

fn findings(report: &Value) -> Vec<String> {
    let findings = report["projects"][0]["findings"].as_array().expect("findings");
    findings
        .iter()
        .map(|finding| {
            let text = |member: &str| finding[member].as_str().expect("a text").to_owned();
            format!("{} {} {}", text("severity"), text("rule"), text("path"))
        })
        .collect()
}

fn check(sandbox: &Sandbox, project: &Path) -> Vec<String> {
    let answer = sandbox.aos_in(project, &["check", "--diff"]).json();
    let report = if answer["ok"] == true { &answer["data"] } else { &answer["error"]["details"] };
    findings(report)
}

#[test]
fn an_adopted_tool_is_told_what_else_a_tool_of_the_family_has() {
    let sandbox = Sandbox::new();
    let project = adopted(&sandbox);
    let expected = [
        "warning guard/not-in-ci .",
        "warning guard/line-endings .gitattributes",
        "warning documents/missing CONTRIBUTING.md",
        "warning documents/other-guard scripts/check-spec.js",
        "warning documents/other-guard scripts/gen-contract.js",
        "warning documents/other-guard scripts/sync-spec.js",
        "warning skill/prompts skills/notes/test-prompts.json",
    ];
    assert_eq!(findings(&sandbox.aos_in(&project, &["check"]).data()), expected);
}

#[test]
fn an_error_fails_the_check_until_it_is_fixed_or_waived_with_a_reason() {
    let sandbox = Sandbox::new();
    let project = adopted(&sandbox);
    disk::edit(&project.join("package.json"), "1.2.0", "1.3.0");
    let error = sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
    let found = findings(&error["details"]);
    for path in ["CHANGELOG.md", "skills/notes/SKILL.md"] {
        assert!(found.contains(&format!("error version/differs {path}")), "{found:?}");
    }
    let record = project.join("aos.toml");
    for (path, count) in [("CHANGELOG.md", 1), ("skills/notes/SKILL.md", 2)] {
        let waiver = format!(
            "\n[[waivers]]\nrule = \"version/differs\"\npath = \"{path}\"\nreason = \"the release is under way\"\ncount = {count}\n"
        );
        disk::append(&record, &waiver);
    }
    let report = sandbox.aos_in(&project, &["check"]).data();
    assert!(
        !findings(&report).iter().any(|finding| finding.contains("version/differs")),
        "{report}"
    );
    assert_eq!(report["projects"][0]["waived"][0]["reason"], "the release is under way");
    disk::edit(&record, "version/differs", "drift/modified");
    let error = sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
    assert!(error.to_string().contains("waiver/unknown-rule"), "{error}");
}

#[test]
fn every_rule_of_the_family_can_be_explained_and_asked_for_alone() {
    let sandbox = Sandbox::new();
    let project = adopted(&sandbox);
    let all = sandbox.aos(&["check", "--explain", "all", "--all"]).data();
    let rules: Vec<_> = all["rules"]
        .as_array()
        .expect("rules")
        .iter()
        .filter(|rule| rule["families"] == serde_json::json!(["agent-cli"]))
        .map(|rule| rule["rule"].as_str().expect("an id").to_owned())
        .collect();
    assert!(rules.len() >= 30, "{rules:?}");
    for rule in &rules {
        let explained = sandbox.aos(&["check", "--explain", rule]).data();
        assert_eq!(explained["rules"][0]["waivable"], true, "{rule}");
        let alone = sandbox.aos_in(&project, &["check", "--rule", rule]).data();
        let found = findings(&alone);
        assert!(found.iter().all(|finding| finding.contains(rule.as_str())), "{rule}: {found:?}");
    }
}

#[test]
fn mistakes_of_real_tools_are_found() {
    let sandbox = Sandbox::new();
    let project = adopted(&sandbox);
    let write = |path: &str, text: &str| sandbox.write(&format!("go/{path}"), text);
    write(
        ".github/workflows/release.yml",
        "name: release\non: push\npermissions: { contents: write }\njobs:\n  publish:\n    runs-on: ubuntu-24.04\n    steps:\n      - uses: actions/checkout@v7\n      - run: echo ${{ github.head_ref }}\n",
    );
    write(
        "internal/output/json.go",
        "package output\n\ntype failure struct {\n\tCode string `json:\"code\"`\n\tMessage string `json:\"message\"`\n\tDetails any `json:\"details,omitempty\"`\n\tRetryable bool `json:\"retryable\"`\n}\n\nconst cancelled = \"E_CANCELLED\"\n",
    );
    write("skills/notes/SKILL.md", "---\nname: note\nversion: 1.2.0\ndescription: x\n---\n");
    let found = check(&sandbox, &project);
    for expected in [
        "error workflow/unpinned-action .github/workflows/release.yml",
        "error workflow/untrusted-input .github/workflows/release.yml",
        "error envelope/omitted internal/output/json.go",
        "error codes/unknown internal/output/json.go",
        "error skill/name skills/notes/SKILL.md",
        "warning skill/requirements skills/notes/SKILL.md",
    ] {
        assert!(found.iter().any(|finding| finding == expected), "{expected}: {found:#?}");
    }
}

#[test]
fn a_tool_without_a_record_is_still_judged_by_the_rules() {
    let sandbox = Sandbox::new();
    let project = tool(&sandbox, "python");
    let error = sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
    let found = findings(&error["details"]);
    assert!(found.contains(&"error project/not-adopted aos.toml".to_owned()), "{found:?}");
    assert!(found.contains(&"warning skill/missing skills".to_owned()), "{found:?}");
    assert!(!found.iter().any(|finding| finding.contains("codes/unknown")), "{found:?}");
}
