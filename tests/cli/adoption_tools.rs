//! Tools of the family `agent-cli` that kept their contract with scripts of their own: taken over in one reviewed step,
//! after which they still build and pass their own tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::disk::{self, Entry};
use super::sandbox::Sandbox;
use super::toolchain::{program, run, succeed};

/// A copy of one of the tools in `adopted/`.
pub fn tool(sandbox: &Sandbox, name: &str) -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/adopted").join(name);
    let to = sandbox.work().join(name);
    for entry in walkdir::WalkDir::new(&from) {
        let entry = entry.expect("a readable tree");
        let place = to.join(entry.path().strip_prefix(&from).expect("below"));
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(&place).expect("a directory");
        } else {
            std::fs::copy(entry.path(), &place).expect("a copy");
        }
    }
    to
}

/// Everything but the files that the adoption may write.
fn others(state: &BTreeMap<String, Entry>, replaced: &[&str]) -> BTreeMap<String, Entry> {
    let written = ["aos.toml", ".agent/spec.lock", ".agent/SPEC_VERSION"];
    let own =
        |path: &&String| !written.contains(&path.as_str()) && !replaced.contains(&path.as_str());
    state
        .iter()
        .filter(|(path, _)| own(path))
        .map(|(path, entry)| (path.clone(), entry.clone()))
        .collect()
}

/// Adopts the tool; nothing but `replaced` may change, and only after a person saw it.
fn adopt(sandbox: &Sandbox, project: &Path, replaced: &[&str]) {
    let before = disk::state(project);
    let error = sandbox.aos_in(project, &["check"]).error("E_DRIFT", 6);
    assert!(error.to_string().contains("project/not-adopted"), "{error}");
    let error = sandbox.aos_in(project, &["sync-spec"]).error("E_CONFIRMATION_REQUIRED", 5);
    assert!(disk::state(project) == before, "a refused adoption wrote something");
    assert_eq!(error["details"]["would_lose"], serde_json::json!(replaced));
    let notes = error["details"]["notes"].to_string();
    for words in [
        "because the module exists",
        "this aos does not contain the tag",
        "`.agent/AGENT.md` and 6 more in `.agent` stay",
        "scripts/check-spec.js",
        "`.github/workflows/ci.yml`",
    ] {
        assert!(notes.contains(words), "{words}: {notes}");
    }
    let token = error["details"]["confirm_token"].as_str().expect("a token");
    let data = sandbox.aos_in(project, &["sync-spec", "--confirm", token]).data();
    assert_eq!((&data["status"], &data["tag"]), (&"adopted".into(), &"v1.2.0".into()));
    let after = disk::state(project);
    assert!(others(&before, replaced) == others(&after, replaced), "a file of the tool changed");
    assert_eq!(sandbox.aos_in(project, &["sync-spec"]).data()["status"], "unchanged");
}

/// Findings of `check` about what aos keeps.
fn drift(sandbox: &Sandbox, project: &Path) -> Vec<String> {
    let answer = sandbox.aos_in(project, &["check"]).json();
    let report = if answer["ok"] == true { &answer["data"] } else { &answer["error"]["details"] };
    let findings = report["projects"][0]["findings"].as_array().expect("findings").clone();
    let kept = ["drift/", "pin/", "lock/", "project/", "spec/"];
    findings
        .iter()
        .filter_map(|finding| finding["rule"].as_str())
        .filter(|rule| kept.iter().any(|topic| rule.starts_with(topic)))
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_go_tool_is_taken_over_and_still_passes_its_own_tests() {
    let test = "a_go_tool_is_taken_over_and_still_passes_its_own_tests";
    let Some(go) = program(test, "go") else { return };
    let sandbox = Sandbox::new();
    let project = tool(&sandbox, "go");
    succeed(&go, &["test", "./..."], &project);
    let replaced =
        [".agent/CLI-SPEC.md", "contract/contract.json", "internal/contract/contract_gen.go"];
    adopt(&sandbox, &project, &replaced);
    assert_eq!(drift(&sandbox, &project), Vec::<String>::new());
    succeed(&go, &["vet", "./..."], &project);
    succeed(&go, &["test", "-count=1", "./..."], &project);
    assert_eq!(succeed("gofmt", &["-l", "."], &project), "");
    let said = run(&go, &["run", "./cmd/notes", "captcha"], &project);
    assert!(String::from_utf8_lossy(&said.stdout).contains("E_HUMAN_REQUIRED"));
    let record = disk::read(&project.join("aos.toml"));
    assert!(record.contains("go = [\"internal/contract/contract_gen.go\"]"), "{record}");
    assert!(record.contains("keep = [\n  \".agent/AGENT.md\",\n"), "{record}");
}

#[test]
fn a_python_tool_is_taken_over_and_still_passes_its_own_tests() {
    let test = "a_python_tool_is_taken_over_and_still_passes_its_own_tests";
    let Some(python) = program(test, "python3") else { return };
    let sandbox = Sandbox::new();
    let project = tool(&sandbox, "python");
    let tests = ["-W", "error", "-m", "unittest", "-q"];
    succeed(&python, &tests, &project);
    let replaced = [".agent/CLI-SPEC.md", "contract/contract.json", "notes_cli/contract_gen.py"];
    adopt(&sandbox, &project, &replaced);
    assert_eq!(drift(&sandbox, &project), Vec::<String>::new());
    succeed(&python, &tests, &project);
    let said = run(&python, &["-m", "notes_cli.main"], &project);
    assert_eq!(said.status.code(), Some(2));
}

#[test]
fn a_stray_file_that_comes_after_the_adoption_is_a_finding() {
    let sandbox = Sandbox::new();
    let project = tool(&sandbox, "python");
    let error = sandbox.aos_in(&project, &["sync-spec"]).error("E_CONFIRMATION_REQUIRED", 5);
    let token = error["details"]["confirm_token"].as_str().expect("a token");
    sandbox.aos_in(&project, &["sync-spec", "--confirm", token]).data();
    sandbox.write("python/.agent/REPO-SPEC.md", "stray\n");
    assert_eq!(drift(&sandbox, &project), ["drift/extra"]);
    // The record says once that the file belongs to the project.
    disk::edit(&project.join("aos.toml"), "keep = [\n", "keep = [\n  \".agent/REPO-SPEC.md\",\n");
    assert_eq!(drift(&sandbox, &project), Vec::<String>::new());
}

#[test]
fn a_module_that_would_not_compile_beside_the_tools_own_code_is_refused() {
    let sandbox = Sandbox::new();
    let project = tool(&sandbox, "go");
    sandbox.write(
        "go/internal/contract/http.go",
        "package contract\n\nfunc CodeForStatus(status int) string { return \"\" }\n",
    );
    let before = disk::state(&project);
    let error = sandbox.aos_in(&project, &["sync-spec"]).error("E_VALIDATION", 2);
    let clash = &error["details"]["clashes"][0];
    assert_eq!(
        (&clash["name"], &clash["path"]),
        (&"CodeForStatus".into(), &"internal/contract/http.go".into())
    );
    assert!(disk::state(&project) == before);
    // A record that the author writes decides.
    sandbox.write(
        "go/aos.toml",
        "family = \"agent-cli\"\n\n[outputs]\ngo = [\"internal/agentcontract/contract_gen.go\"]\n",
    );
    let error = sandbox
        .aos_in(&project, &["sync-spec", "--to", "latest"])
        .error("E_CONFIRMATION_REQUIRED", 5);
    let lost = serde_json::json!([".agent/CLI-SPEC.md", "contract/contract.json"]);
    assert_eq!(error["details"]["would_lose"], lost);
}

#[test]
fn the_reasons_are_shown_to_a_person_before_anything_is_written() {
    let sandbox = Sandbox::new();
    let project = tool(&sandbox, "go");
    for arguments in
        [&["sync-spec", "--dry-run", "--format", "text"][..], &["sync-spec", "--format", "text"]]
    {
        let answer = sandbox.aos_in(&project, arguments);
        let said = format!("{}{}", answer.stdout, answer.stderr);
        assert!(
            said.contains("note: aos generates `internal/contract/contract_gen.go` from now on"),
            "{said}"
        );
        assert!(
            said.contains("note: this aos does not contain the tag `v1.4` in `.agent/SPEC_VERSION` for `agent-cli`"),
            "{said}"
        );
    }
}

#[test]
fn a_tag_that_the_user_names_overrides_the_foreign_pin() {
    let sandbox = Sandbox::new();
    let project = tool(&sandbox, "python");
    let error = sandbox.aos_in(&project, &["sync-spec", "--to", "v1.6.2"]).error("E_NOT_FOUND", 3);
    assert!(error["message"].as_str().unwrap().contains("v1.6.2"), "{error}");
    let data = sandbox.aos_in(&project, &["sync-spec", "--to", "v1.0.0", "--dry-run"]).data();
    assert_eq!(data["tag"], "v1.0.0");
}
