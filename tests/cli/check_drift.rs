//! `aos check` finds every way in which a managed file can differ, and says how to fix it.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::disk;
use super::sandbox::Sandbox;

/// The managed files besides the runtime.
const MANAGED: [&str; 7] = [
    ".agent/CONNECTOR-SPEC.md",
    ".agent/SPEC_VERSION",
    ".agent/spec.lock",
    "agent-harness/aos_acme/contract_gen.py",
    "agent-harness/permissions.json",
    "agent-harness/tests/contract_cases.py",
    "contract/contract.json",
];
const GENERATED: [&str; 3] = [MANAGED[3], MANAGED[4], MANAGED[5]];

fn scene() -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    (sandbox, project)
}

/// The findings of a failing check; each one is complete.
#[track_caller]
pub fn findings(sandbox: &Sandbox, project: &Path) -> Vec<Value> {
    let before = disk::state(project);
    let drift = sandbox.aos_in(project, &["check"]).error("E_DRIFT", 6);
    assert_eq!(drift["retryable"], false);
    let findings = drift["details"]["projects"][0]["findings"].as_array().unwrap().clone();
    for finding in &findings {
        for member in ["rule", "path", "message", "fix", "severity"] {
            assert!(finding[member].as_str().is_some_and(|text| !text.is_empty()), "{finding}");
        }
    }
    assert!(disk::state(project) == before, "check writes nothing");
    findings
}

#[track_caller]
fn has(findings: &[Value], rule: &str, path: &str) -> Value {
    let found = findings.iter().find(|finding| finding["rule"] == rule && finding["path"] == path);
    found.unwrap_or_else(|| panic!("no {rule} at {path}: {findings:#?}")).clone()
}

#[test]
fn exactly_these_files_are_managed() {
    let (sandbox, project) = scene();
    let data = sandbox.aos(&["new", "acme", "--no-git", "--diff"]).data();
    let managed: Vec<_> = data["files"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|file| file["role"] == "managed")
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    let (runtime, others): (Vec<&str>, Vec<&str>) =
        managed.iter().partition(|path| path.contains("/_runtime/"));
    assert_eq!(others, MANAGED);
    assert!(runtime.len() > 30, "{runtime:?}");
    let verdict = sandbox.aos_in(&project, &["check"]).data();
    assert_eq!(verdict["summary"]["compared"], managed.len());
}

#[test]
fn a_deleted_file_is_found_wherever_it_was() {
    for path in MANAGED {
        let (sandbox, project) = scene();
        std::fs::remove_file(project.join(path)).unwrap();
        let rule = match path {
            ".agent/SPEC_VERSION" => "pin/missing",
            ".agent/spec.lock" => "lock/missing",
            _ if GENERATED.contains(&path) => "drift/not-generated",
            _ => "drift/missing",
        };
        let finding = has(&findings(&sandbox, &project), rule, path);
        assert!(finding["fix"].as_str().unwrap().contains("aos "), "{finding}");
    }
}

#[test]
fn one_edited_byte_is_found_and_shown() {
    for path in MANAGED {
        let (sandbox, project) = scene();
        let place = project.join(path);
        let mut bytes = std::fs::read(&place).unwrap();
        let last = bytes.len() - 2;
        bytes[last] = if bytes[last] == b'#' { b'%' } else { b'#' };
        std::fs::write(&place, bytes).unwrap();
        let found = findings(&sandbox, &project);
        match path {
            ".agent/SPEC_VERSION" => drop(has(&found, "pin/malformed", path)),
            ".agent/spec.lock" => drop(has(&found, "lock/malformed", path)),
            _ => {
                let rule = if GENERATED.contains(&path) { "drift/stale" } else { "drift/modified" };
                let finding = has(&found, rule, path);
                let diff = finding["diff"].as_str().unwrap();
                assert!(diff.contains(&format!("--- a/{path}\n+++ b/{path}\n@@")), "{diff}");
            }
        }
    }
}

#[test]
fn a_file_that_does_not_belong_is_found() {
    let (sandbox, project) = scene();
    for path in [
        ".agent/REPO-SPEC.md",
        ".agent/sub/notes.txt",
        "contract/contract-old.json",
        "contract/.hidden",
    ] {
        sandbox.write(&format!("aos-acme/{path}"), "x\n");
        has(&findings(&sandbox, &project), "drift/extra", path);
        std::fs::remove_file(project.join(path)).unwrap();
    }
    let module = disk::read(&project.join(GENERATED[0]));
    sandbox.write("aos-acme/agent-harness/other/contract_gen.py", &module);
    has(&findings(&sandbox, &project), "drift/stray-module", "agent-harness/other/contract_gen.py");
    // The directory of the outputs is not a separate project, whatever it contains.
    sandbox.write("aos-acme/agent-harness/aos.toml", "");
    has(&findings(&sandbox, &project), "drift/stray-module", "agent-harness/other/contract_gen.py");
}

#[test]
fn a_project_below_is_not_judged_as_a_part_and_the_answer_says_so() {
    let (sandbox, project) = scene();
    let module = disk::read(&project.join(GENERATED[0]));
    sandbox.write("aos-acme/copies/one/contract_gen.py", &module);
    has(&findings(&sandbox, &project), "drift/stray-module", "copies/one/contract_gen.py");
    sandbox.write("aos-acme/copies/one/aos.toml", "");
    let data = sandbox.aos_in(&project, &["check"]).data();
    let notes = data["projects"][0]["notes"].to_string();
    assert!(notes.contains("`copies/one`") && notes.contains("separate project"), "{data}");
}

#[test]
fn a_changed_mode_is_found() {
    for path in MANAGED {
        let (sandbox, project) = scene();
        disk::set_mode(&project.join(path), 0o755);
        let finding = has(&findings(&sandbox, &project), "drift/mode", path);
        let diff = finding["diff"].as_str().unwrap();
        assert!(diff.contains("old mode 100755\nnew mode 100644"), "{diff}");
        sandbox.aos_in(&project, &["sync-spec"]).data();
        sandbox.aos_in(&project, &["check"]).data();
    }
}

#[test]
fn a_link_is_found_even_when_it_leads_to_the_right_bytes() {
    for path in MANAGED {
        let (sandbox, project) = scene();
        let outside = sandbox.work().join("outside");
        std::fs::rename(project.join(path), &outside).unwrap();
        std::os::unix::fs::symlink(&outside, project.join(path)).unwrap();
        let found = findings(&sandbox, &project);
        assert!(found.iter().any(|finding| finding["path"] == path), "{path}: {found:#?}");
    }
    for directory in [".agent", "contract"] {
        let (sandbox, project) = scene();
        std::fs::rename(project.join(directory), sandbox.work().join("outside")).unwrap();
        std::os::unix::fs::symlink("../outside", project.join(directory)).unwrap();
        let found = findings(&sandbox, &project);
        assert!(found.iter().any(|finding| finding["rule"] == "drift/not-a-file"), "{found:#?}");
    }
}

#[test]
fn converted_line_endings_are_found_and_named_as_such() {
    for path in MANAGED {
        let (sandbox, project) = scene();
        let text = disk::read(&project.join(path)).replace('\n', "\r\n");
        std::fs::write(project.join(path), text).unwrap();
        let found = findings(&sandbox, &project);
        if path != ".agent/SPEC_VERSION" {
            let finding = has(&found, "drift/line-endings", path);
            assert!(finding["fix"].as_str().unwrap().contains(".gitattributes"), "{finding}");
        }
    }
}

#[test]
fn invalid_bytes_are_told_apart() {
    let (sandbox, project) = scene();
    let spec = project.join(".agent/CONNECTOR-SPEC.md");
    let good = std::fs::read(&spec).unwrap();
    for odd in [0xfe_u8, 0xff] {
        std::fs::write(&spec, [&good[..], &[odd]].concat()).unwrap();
        has(&findings(&sandbox, &project), "drift/modified", ".agent/CONNECTOR-SPEC.md");
    }
}

#[test]
fn a_frozen_core_that_was_edited_and_regenerated_is_found() {
    let (sandbox, project) = scene();
    let contract = project.join("contract/contract.json");
    disk::edit(&contract, "\"retryable\": true", "\"retryable\": false");
    let lock = project.join(".agent/spec.lock");
    let digest = |path: &Path| aos::plan::Digest::of(&std::fs::read(path).unwrap()).to_string();
    let old = disk::read(&lock);
    let line = old.lines().find(|line| line.contains("contract/contract.json")).unwrap();
    let changed = format!("\"contract/contract.json\" = \"{}\"", digest(&contract));
    std::fs::write(&lock, old.replace(line, &changed)).unwrap();
    let found = findings(&sandbox, &project);
    has(&found, "drift/modified", "contract/contract.json");
    has(&found, "lock/stale", ".agent/spec.lock");
}

#[test]
fn every_fault_of_one_project_is_reported_at_once_in_a_stable_order() {
    let (sandbox, project) = scene();
    std::fs::remove_file(project.join("contract/contract.json")).unwrap();
    disk::append(&project.join(".agent/CONNECTOR-SPEC.md"), "x\n");
    disk::set_mode(&project.join("agent-harness/permissions.json"), 0o755);
    sandbox.write("aos-acme/.agent/extra.md", "x\n");
    let found = findings(&sandbox, &project);
    assert!(found.len() >= 4, "{found:#?}");
    let paths: Vec<_> = found.iter().map(|finding| finding["path"].as_str().unwrap()).collect();
    let mut sorted = paths.clone();
    sorted.sort_unstable();
    assert_eq!(paths, sorted);
    assert_eq!(findings(&sandbox, &project), found);
}

#[test]
fn the_named_fix_repairs_every_kind_of_drift() {
    let (sandbox, project) = scene();
    let good = disk::state(&project);
    std::fs::remove_file(project.join("contract/contract.json")).unwrap();
    disk::set_mode(&project.join(".agent/CONNECTOR-SPEC.md"), 0o755);
    std::fs::remove_file(project.join("agent-harness/permissions.json")).unwrap();
    sandbox.aos_in(&project, &["sync-spec"]).data();
    assert!(disk::state(&project) == good);
}

#[test]
fn the_raw_form_is_a_patch_that_restores_edited_files() {
    let (sandbox, project) = scene();
    let good = disk::state(&project);
    disk::append(&project.join(".agent/CONNECTOR-SPEC.md"), "mine\n");
    disk::edit(&project.join("agent-harness/permissions.json"), "readonly", "admin");
    let answer = sandbox.aos_in(&project, &["check", "--format", "raw"]);
    assert_eq!(answer.exit, Some(6));
    let patch = sandbox.write("mend.patch", &answer.stdout);
    let status = std::process::Command::new("git")
        .arg("apply")
        .arg(patch)
        .current_dir(&project)
        .env("GIT_CEILING_DIRECTORIES", sandbox.work())
        .status();
    assert!(status.expect("git is needed for this test").success());
    assert!(disk::state(&project) == good);
}
