//! Checks of a fleet as a whole: members, pins, passed-over projects, its baseline, and its reports.

use std::path::Path;

use serde_json::Value;

use super::disk;
use super::sandbox::{Answer, Sandbox};

const FLEET: [&str; 3] = ["check", "--recursive", "fleet"];

/// `fleet/aos-alpha` and `fleet/tool`, with `aos-inner` inside the tool.
fn fleet() -> Sandbox {
    let sandbox = Sandbox::new();
    let new = |arguments: &[&str]| drop(sandbox.aos(&[&["new"], arguments].concat()).data());
    new(&["alpha", "--no-git", "--dir", "fleet"]);
    new(&["tool", "--no-git", "--dir", "fleet", "--template", "augmentor-node"]);
    new(&["inner", "--no-git", "--dir", "fleet/tool/connectors"]);
    sandbox
}

fn report(answer: &Answer) -> Value {
    let envelope = answer.json();
    if envelope["ok"] == true {
        envelope["data"].clone()
    } else {
        envelope["error"]["details"].clone()
    }
}

fn of_fleet(report: &Value) -> Vec<String> {
    let findings = report["fleet"]["findings"].as_array().unwrap().iter();
    findings
        .map(|found| {
            format!("{} {}", found["rule"].as_str().unwrap(), found["path"].as_str().unwrap())
        })
        .collect()
}

#[test]
fn projects_inside_projects_have_a_verdict_of_their_own() {
    let sandbox = fleet();
    let report = report(&sandbox.aos(&FLEET));
    assert_eq!(
        (&report["summary"]["projects"], &report["summary"]["ok"]),
        (&3.into(), &3.into()),
        "{report}"
    );
    let inner = sandbox.work().join("fleet/tool/connectors/aos-inner");
    disk::append(&inner.join("contract/contract.json"), "\n");
    let error = sandbox.aos(&FLEET).error("E_DRIFT", 6);
    assert_eq!(error["details"]["summary"]["failed"], 1);
    // Alone, the outer project is still in order.
    sandbox.aos(&["check", "fleet/tool"]).data();
}

#[test]
fn members_that_are_lost_missing_unlisted_or_behind_are_errors() {
    let sandbox = fleet();
    sandbox.write("fleet/aos-gone/agent-harness/aos_gone/__init__.py", "");
    assert_eq!(of_fleet(&report(&sandbox.aos(&FLEET))), ["members/lost aos-gone"]);
    std::fs::remove_dir_all(sandbox.work().join("fleet/aos-gone")).unwrap();
    let file = "members = [\"aos-alpha\", \"aos-beta\"]\nclosed = true\nexclude = [\"tool/connectors\"]\n\
        [pins]\nharness = \"v1.0.0\"\n";
    sandbox.write("fleet/aos-fleet.toml", file);
    let answer = sandbox.aos(&FLEET);
    answer.error("E_DRIFT", 6);
    let report = report(&answer);
    assert_eq!(
        of_fleet(&report),
        ["members/pin aos-alpha", "members/missing aos-beta", "members/unlisted tool"]
    );
    let passed = &report["fleet"]["passed_over"];
    assert_eq!(passed[0]["path"], "fleet/tool/connectors/aos-inner", "{passed}");
    sandbox.write("fleet/aos-fleet.toml", "members = [\"../x\"]\n");
    sandbox.aos(&FLEET).error("E_VALIDATION", 2);
}

#[test]
fn projects_in_output_directories_are_named_and_those_that_git_tracks_are_checked() {
    let sandbox = fleet();
    sandbox.aos(&["new", "built", "--no-git", "--dir", "fleet/build"]).data();
    let found = report(&sandbox.aos(&FLEET));
    assert_eq!(found["fleet"]["passed_over"][0]["path"], "fleet/build/aos-built", "{found}");
    assert_eq!(found["summary"]["projects"], 3);
    let top = sandbox.work().join("fleet");
    for arguments in [&["init", "-q"][..], &["add", "-f", "build"]] {
        let git = std::process::Command::new("git").args(arguments).current_dir(&top).status();
        assert!(git.unwrap().success());
    }
    let found = report(&sandbox.aos(&FLEET));
    assert_eq!(found["summary"]["projects"], 4, "{found}");
}

#[test]
fn a_baseline_accepts_what_it_knows_and_only_shrinks() {
    let sandbox = fleet();
    let manifest = sandbox.work().join("fleet/aos-alpha/agent-harness/aos_alpha/own.py");
    let token = format!("token = \"ghp_{}\"\n", "a1B2c3D4e5F6".repeat(3));
    std::fs::write(&manifest, &token).unwrap();
    let with = |action: &str| sandbox.aos(&[&FLEET[..], &["--baseline", action]].concat());
    with("compare").error("E_NOT_FOUND", 3);
    sandbox.aos(&FLEET).error("E_DRIFT", 6);
    assert_eq!(with("write").data()["fleet"]["baseline"]["known"], 1);
    assert_eq!(with("compare").data()["fleet"]["baseline"]["known"], 1);
    // A second finding is new, and writing again does not add it.
    let second = manifest.with_file_name("second.py");
    std::fs::write(&second, &token).unwrap();
    with("compare").error("E_DRIFT", 6);
    with("write").error("E_DRIFT", 6);
    std::fs::remove_file(second).unwrap();
    std::fs::remove_file(manifest).unwrap();
    assert_eq!(with("compare").data()["fleet"]["baseline"]["stale"], 1);
    assert_eq!(with("write").data()["fleet"]["baseline"]["stale"], 0);
    // Drift is never accepted.
    let contract = sandbox.work().join("fleet/aos-alpha/contract/contract.json");
    disk::append(&contract, "\n");
    std::fs::remove_file(sandbox.work().join("fleet/aos-fleet.baseline.json")).unwrap();
    with("write").error("E_DRIFT", 6);
}

#[test]
fn reports_hold_every_finding() {
    let sandbox = fleet();
    let alpha = sandbox.work().join("fleet/aos-alpha");
    disk::append(&alpha.join("contract/contract.json"), "\n");
    let wanted =
        ["--report", "sarif=o.sarif", "--report", "junit=o.xml", "--report", "json=o.json"];
    sandbox.aos(&[&FLEET[..], &wanted].concat()).error("E_DRIFT", 6);
    let read = |name: &str| std::fs::read_to_string(sandbox.work().join(name)).unwrap();
    let whole: Value = serde_json::from_str(&read("o.json")).unwrap();
    let findings = whole["projects"][0]["findings"].as_array().unwrap();
    assert!(
        findings.iter().any(|found| found["rule"] == "drift/modified" && found["diff"].is_string())
    );
    let sarif: Value = serde_json::from_str(&read("o.sarif")).unwrap();
    let run = &sarif["runs"][0];
    let results = run["results"].as_array().unwrap();
    let all: usize = whole["projects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|project| project["findings"].as_array().unwrap().len())
        .sum();
    assert_eq!(results.len(), all);
    for result in results {
        let rule = &run["tool"]["driver"]["rules"]
            [usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
    }
    let place = &results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert!(place.as_str().unwrap().starts_with("fleet/aos-alpha/"), "{place}");
    let xml = read("o.xml");
    assert!(
        xml.contains("<testsuite name=\"fleet/aos-alpha\"") && xml.contains("<failure message="),
        "{xml}"
    );
    sandbox.aos(&["check", "fleet/tool", "--report", "yaml=x"]).error("E_VALIDATION", 2);
}

#[test]
fn every_path_has_a_class() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    std::fs::write(project.join(".env"), "X=1\n").unwrap();
    std::fs::write(project.join("contract/.DS_Store"), "x").unwrap();
    let data = sandbox.aos_in(&project, &["check"]).data();
    let checked = &data["projects"][0];
    let count = |class: &str| checked["paths"][class].as_u64().unwrap();
    assert_eq!(checked["managed"], checked["compared"]);
    assert_eq!(count("managed"), checked["managed"].as_u64().unwrap());
    assert_eq!((count("unclassified"), count("not_read"), count("shadow")), (0, 0, 0));
    assert_eq!(count("ignored"), 2);
    let files = disk_files(&project);
    let all: u64 = ["managed", "user", "ignored"].iter().map(|class| count(class)).sum();
    assert_eq!(all, files, "{checked}");
    // Names that are one on other systems.
    std::fs::create_dir(project.join("Contract")).unwrap();
    std::fs::write(project.join("Contract/own.txt"), "x").unwrap();
    let drift = sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
    let findings = drift["details"]["projects"][0]["findings"].as_array().unwrap();
    let is_case = |found: &&Value| found["rule"] == "drift/case" && found["path"] == "Contract";
    assert!(findings.iter().any(|found| is_case(&found)), "{findings:?}");
}

fn disk_files(directory: &Path) -> u64 {
    let entries = std::fs::read_dir(directory).unwrap().map(Result::unwrap);
    entries
        .filter(|entry| entry.file_name() != ".git")
        .map(|entry| if entry.path().is_dir() { disk_files(&entry.path()) } else { 1 })
        .sum()
}

#[test]
fn a_report_replaces_an_earlier_report_and_nothing_else() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    for format in ["sarif", "junit", "json"] {
        let written = format!("--report={format}=out.{format}");
        for _ in 0..2 {
            sandbox.aos_in(&project, &["check", &written]).data();
        }
        for kept in ["aos.toml", "connector.json", "README.md", ".agent/spec.lock"] {
            let before = disk::read(&project.join(kept));
            let wrong = format!("--report={format}={kept}");
            let error = sandbox.aos_in(&project, &["check", &wrong]).error("E_CONFLICT", 6);
            assert!(error["message"].as_str().unwrap().contains("not an earlier"), "{error}");
            assert_eq!(disk::read(&project.join(kept)), before);
        }
    }
}
