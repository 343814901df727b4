//! `aos new`: what it creates, what it says, and what it does to a target that is not free.

use std::os::unix::fs::symlink;
use std::path::Path;

use aos::plan::Digest;
use serde_json::Value;

use super::disk;
use super::sandbox::{Sandbox, tree};

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().expect("a list").iter().filter_map(Value::as_str).collect()
}

#[test]
fn new_creates_a_project_that_passes_check() {
    let sandbox = Sandbox::new();
    let data = sandbox.aos(&["new", "acme", "--no-git"]).data();
    assert_eq!(data["status"], "created");
    assert_eq!(data["tool"], "aos-acme");
    assert_eq!(data["preset"], "example");
    let project = sandbox.work().join("aos-acme");
    assert_eq!(data["path"].as_str(), project.canonicalize().unwrap().to_str());
    let verdict = sandbox.aos_in(&project, &["check"]).data();
    assert_eq!(verdict["projects"][0]["findings"], serde_json::json!([]));
    assert!(verdict["summary"]["compared"].as_u64() >= Some(6), "{verdict}");
}

#[test]
fn new_reports_exactly_the_files_that_are_on_disk() {
    let sandbox = Sandbox::new();
    let data = sandbox.aos(&["new", "acme", "--no-git", "--diff"]).data();
    let files = tree(&sandbox.work().join("aos-acme"));
    let reported: Vec<_> = data["files"].as_array().unwrap().iter().collect();
    assert_eq!(reported.len(), files.len());
    for file in reported {
        let (_, executable) = &files[file["path"].as_str().unwrap()];
        assert_eq!(file["executable"], *executable, "{file}");
    }
    let executables: Vec<_> =
        files.iter().filter(|(_, (_, executable))| *executable).map(|(path, _)| path).collect();
    assert_eq!(executables, ["agent-harness/shims/aos-acme"]);
}

#[test]
fn a_dry_run_shows_the_digest_of_every_file_that_the_real_run_writes_and_writes_nothing() {
    let sandbox = Sandbox::new();
    let preview = sandbox.aos(&["new", "acme", "--no-git", "--dry-run", "--diff"]).data();
    assert_eq!(disk::names(&sandbox.work()), Vec::<String>::new());
    let token = preview["confirm_token"].as_str().unwrap();
    sandbox.aos(&["new", "acme", "--no-git", "--confirm", token]).data();
    let files = tree(&sandbox.work().join("aos-acme"));
    let changes = preview["preview"]["changes"].as_array().unwrap();
    assert_eq!(preview["preview"]["total"], changes.len());
    assert_eq!(changes.len(), files.len());
    for change in changes {
        assert_eq!(change["action"], "create");
        let (bytes, _) = &files[change["id"].as_str().unwrap()];
        assert_eq!(change["after"], Digest::of(bytes).to_string(), "{}", change["id"]);
    }
}

#[test]
fn the_raw_form_of_a_dry_run_is_a_patch_that_gives_the_same_files() {
    let sandbox = Sandbox::new();
    let patch = sandbox.aos(&["new", "acme", "--no-git", "--dry-run", "--format", "raw"]).stdout;
    let applied = sandbox.work().join("applied");
    std::fs::create_dir(&applied).unwrap();
    let file = sandbox.write("new.patch", &patch);
    let status = std::process::Command::new("git")
        .args(["apply", "--whitespace=nowarn"])
        .arg(&file)
        .current_dir(&applied)
        .env("GIT_CEILING_DIRECTORIES", sandbox.work())
        .status();
    assert!(status.expect("git is needed for this test").success());
    let project = sandbox.connector("acme");
    let bytes = |root: &Path| -> Vec<_> {
        tree(root).into_iter().map(|(path, (bytes, _))| (path, bytes)).collect()
    };
    assert_eq!(bytes(&applied), bytes(&project));
}

#[test]
fn a_second_run_says_unchanged_and_writes_nothing() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let before = (disk::state(&project), disk::identities(&project));
    let data = sandbox.aos(&["new", "acme", "--no-git"]).data();
    assert_eq!(data["status"], "unchanged");
    assert_eq!((disk::state(&project), disk::identities(&project)), before);
}

#[test]
fn every_collision_is_listed_before_anything_is_written() {
    let sandbox = Sandbox::new();
    sandbox.write("aos-acme/README.md", "mine\n");
    sandbox.write("aos-acme/connector.json", "{}\n");
    sandbox.write("aos-acme/contract/contract.json/inner", "a directory is in the way\n");
    sandbox.write("aos-acme/unrelated.txt", "mine too\n");
    let before = disk::state(&sandbox.work());
    let error = sandbox.aos(&["new", "acme", "--no-git"]).error("E_VALIDATION", 2);
    let collisions = ["README.md", "connector.json", "contract/contract.json"];
    assert_eq!(texts(&error["details"]["collisions"]), collisions);
    assert_eq!(disk::state(&sandbox.work()), before);
    let dry = sandbox.aos(&["new", "acme", "--no-git", "--dry-run"]).error("E_VALIDATION", 2);
    assert_eq!(texts(&dry["details"]["collisions"]), collisions);
}

#[test]
fn an_edited_project_is_never_written_over() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    disk::append(&project.join("README.md"), "my notes\n");
    let before = disk::state(&project);
    let error = sandbox.aos(&["new", "acme", "--no-git"]).error("E_VALIDATION", 2);
    assert_eq!(texts(&error["details"]["collisions"]), ["README.md"]);
    let text = sandbox.aos(&["new", "acme", "--no-git", "--format", "text"]).stdout;
    assert!(text.contains("exist and differ from the new project:\n  README.md"), "{text}");
    assert_eq!(disk::state(&project), before);
}

#[test]
fn a_file_or_link_at_the_target_is_refused_and_left_alone() {
    let sandbox = Sandbox::new();
    let target = sandbox.work().join("aos-acme");
    let elsewhere = sandbox.work().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    for make in [
        |target: &Path, _: &Path| std::fs::write(target, "a file").unwrap(),
        |target: &Path, _: &Path| symlink("nowhere", target).unwrap(),
        |target: &Path, elsewhere: &Path| symlink(elsewhere, target).unwrap(),
    ] {
        make(&target, &elsewhere);
        let before = disk::state(&sandbox.work());
        let error = sandbox.aos(&["new", "acme", "--no-git"]).error("E_VALIDATION", 2);
        assert!(error["message"].as_str().unwrap().contains("not a directory"), "{error}");
        assert_eq!(disk::state(&sandbox.work()), before);
        std::fs::remove_file(&target).unwrap();
    }
}

#[test]
fn an_empty_directory_at_the_target_is_used() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.work().join("aos-acme")).unwrap();
    let project = sandbox.connector("acme");
    sandbox.aos_in(&project, &["check"]).data();
    assert_eq!(disk::names(&sandbox.work()), ["aos-acme"]);
}

#[test]
fn the_project_is_made_below_dir_which_is_made_when_it_is_missing() {
    let sandbox = Sandbox::new();
    sandbox.aos(&["new", "acme", "--dir", "a/b", "--dry-run"]).data();
    assert_eq!(disk::names(&sandbox.work()), Vec::<String>::new());
    let data = sandbox.aos(&["new", "acme", "--no-git", "--dir", "a/b"]).data();
    assert!(data["path"].as_str().unwrap().ends_with("/a/b/aos-acme"), "{data}");
    std::fs::create_dir(sandbox.work().join("fleet")).unwrap();
    sandbox.aos(&["new", "acme", "--no-git", "--dir", "fleet"]).data();
    sandbox.aos(&["-C", "fleet", "new", "other", "--no-git"]).data();
    assert_eq!(disk::names(&sandbox.work().join("fleet")), ["aos-acme", "aos-other"]);
}

#[test]
fn a_path_that_cannot_contain_a_directory_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write("file", "mine");
    symlink("nowhere", sandbox.work().join("link")).unwrap();
    let before = disk::state(&sandbox.work());
    for (dir, code, exit) in [
        ("file", "E_VALIDATION", 2),
        ("file/below", "E_VALIDATION", 2),
        ("link", "E_NOT_FOUND", 3),
        ("link/below", "E_NOT_FOUND", 3),
        ("missing/../below", "E_NOT_FOUND", 3),
    ] {
        let error = sandbox.aos(&["new", "acme", "--dir", dir]).error(code, exit);
        assert!(error["details"]["fix"].as_str().unwrap().contains("--dir"), "{error}");
        assert_eq!(disk::state(&sandbox.work()), before, "{dir}");
    }
}

#[test]
fn an_older_tag_can_be_pinned_and_a_bad_one_lists_those_that_exist() {
    let sandbox = Sandbox::new();
    let data = sandbox.aos(&["new", "acme", "--no-git", "--spec", "v1.0.0"]).data();
    assert_eq!(data["spec_tag"], "v1.0.0");
    let project = sandbox.work().join("aos-acme");
    assert_eq!(disk::read(&project.join(".agent/SPEC_VERSION")), "v1.0.0\n");
    sandbox.aos_in(&project, &["check"]).data();
    let unknown = sandbox.aos(&["new", "other", "--spec", "v9.9.9"]).error("E_NOT_FOUND", 3);
    assert_eq!(texts(&unknown["details"]["known_tags"]), ["v1.0.0", "v1.1.0"]);
    for bad in ["main", "../../x", "v1.1#", "", " v1.1.0"] {
        let error = sandbox.aos(&["new", "other", "--spec", bad]).error("E_VALIDATION", 2);
        assert_eq!(texts(&error["details"]["known_tags"]), ["v1.0.0", "v1.1.0"], "{bad}");
    }
    assert_eq!(disk::names(&sandbox.work()), ["aos-acme"]);
}

#[test]
fn an_unknown_template_names_the_known_ones() {
    let sandbox = Sandbox::new();
    let error =
        sandbox.aos(&["new", "acme", "--template", "connector-pyton"]).error("E_VALIDATION", 2);
    assert_eq!(error["details"]["fix"], "did you mean `connector-python`?");
    for word in ["", "Connector-Python"] {
        let error = sandbox.aos(&["new", "acme", "--template", word]).error("E_VALIDATION", 2);
        let known = texts(&error["details"]["known_templates"]);
        assert!(known.contains(&"connector-python") && known.contains(&"cli-go"), "{known:?}");
    }
    // A text with a slash is a directory, and none of these is a template.
    for directory in ["../connector-python", "/etc", "connector-python/presets"] {
        sandbox.aos(&["new", "acme", "--template", directory]).error("E_NOT_FOUND", 3);
    }
    assert!(disk::names(&sandbox.work()).is_empty());
}

#[test]
fn a_missing_name_is_a_usage_error_and_never_a_prompt() {
    let sandbox = Sandbox::new();
    let error = sandbox.aos(&["new"]).error("E_USAGE", 2);
    assert!(error["message"].as_str().unwrap().contains("NAME"), "{error}");
}
