//! A write that is killed at any point: the tree is wholly old or wholly new after the next run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::disk::{self, Entry};
use super::sandbox::{Sandbox, run};

const TO: [&str; 3] = ["sync-spec", "--to", "v1.0.0"];
/// Edits of a move between the two released tags, the lock last.
const EDITS: usize = 5;

type State = BTreeMap<String, Entry>;

struct Scene {
    sandbox: Sandbox,
    project: PathBuf,
    old: State,
    new: State,
}

impl Scene {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let project = sandbox.connector("acme");
        let old = disk::state(&project);
        assert_eq!(
            sandbox.aos_in(&project, &TO).data()["changes"].as_array().unwrap().len(),
            EDITS
        );
        let new = disk::state(&project);
        sandbox.aos_in(&project, &["sync-spec", "--to", "v1.1.0"]).data();
        assert!(disk::state(&project) == old);
        Self { sandbox, project, old, new }
    }

    /// Runs the move and kills it at `point`.
    #[track_caller]
    fn kill_at(&self, point: &str) {
        let mut command = self.sandbox.command(&TO);
        let killed = run(command.current_dir(&self.project).env("AOS_TEST_KILL_AT", point));
        assert_eq!(killed.exit, None, "{point} was not reached: {killed:?}");
    }
}

fn points() -> Vec<String> {
    let edits = (0..EDITS).map(|index| format!("apply:before-edit-{index}"));
    ["apply:staged".to_owned()]
        .into_iter()
        .chain(edits)
        .chain(["apply:edited".to_owned()])
        .collect()
}

#[test]
fn after_a_kill_at_any_point_the_next_run_brings_the_old_state_back() {
    let scene = Scene::new();
    for point in points() {
        scene.kill_at(&point);
        let data = scene.sandbox.aos_in(&scene.project, &["sync-spec"]).data();
        assert!(data["notes"][0].as_str().unwrap().contains("interrupted"), "{point}: {data}");
        assert_eq!(data["status"], "unchanged", "{point}");
        assert!(disk::state(&scene.project) == scene.old, "{point}");
        scene.sandbox.aos_in(&scene.project, &["check"]).data();
    }
}

#[test]
fn after_a_kill_at_any_point_the_same_command_finishes_the_move() {
    let scene = Scene::new();
    for point in points() {
        scene.kill_at(&point);
        assert_eq!(scene.sandbox.aos_in(&scene.project, &TO).data()["status"], "moved", "{point}");
        assert!(disk::state(&scene.project) == scene.new, "{point}");
        scene.sandbox.aos_in(&scene.project, &["sync-spec", "--to", "v1.1.0"]).data();
    }
}

#[test]
fn the_lock_is_written_last() {
    let scene = Scene::new();
    scene.kill_at(&format!("apply:before-edit-{}", EDITS - 1));
    let state = disk::state(&scene.project);
    let differing: Vec<_> =
        scene.new.iter().filter(|(path, entry)| state.get(*path) != Some(entry)).collect();
    assert_eq!(differing.len(), 1);
    assert_eq!(differing[0].0, ".agent/spec.lock");
}

#[test]
fn while_the_journal_is_there_nothing_calls_the_project_in_order() {
    let scene = Scene::new();
    for point in points() {
        scene.kill_at(&point);
        let before = disk::state(&scene.project);
        let drift = scene.sandbox.aos_in(&scene.project, &["check"]).error("E_DRIFT", 6);
        assert!(drift.to_string().contains("project/interrupted-write"), "{point}: {drift}");
        scene.sandbox.aos_in(&scene.project, &["gen", "--check"]);
        let stale = scene.sandbox.aos_in(&scene.project, &["gen", "--check"]);
        assert_ne!(stale.exit, Some(0), "{point}");
        for command in ["sync-spec", "gen"] {
            let answer = scene.sandbox.aos_in(&scene.project, &[command, "--dry-run"]);
            answer.error("E_CONFLICT", 6);
        }
        assert!(disk::state(&scene.project) == before, "{point}: reading commands write nothing");
        scene.sandbox.aos_in(&scene.project, &["gen"]).data();
        assert!(disk::state(&scene.project) == scene.old, "{point}: gen recovers too");
    }
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_or_the_new_state_after_the_next_run() {
    let scene = Scene::new();
    let clock = Instant::now();
    scene.sandbox.aos_in(&scene.project, &TO).data();
    scene.sandbox.aos_in(&scene.project, &["sync-spec", "--to", "v1.1.0"]).data();
    let duration = clock.elapsed() / 2;
    let mut outcomes = BTreeMap::<&str, u32>::new();
    for round in 0..48 {
        let moment = duration * round / 40;
        let mut command = scene.sandbox.command(&TO);
        let mut child = command.current_dir(&scene.project).spawn().expect("the binary starts");
        std::thread::sleep(moment);
        child.kill().expect("a kill");
        child.wait().expect("an end");
        scene.sandbox.aos_in(&scene.project, &["sync-spec"]).data();
        let state = disk::state(&scene.project);
        let moved = state == scene.new;
        assert!(moved || state == scene.old, "after {moment:?}: {:?}", state.keys());
        scene.sandbox.aos_in(&scene.project, &["check"]).data();
        *outcomes.entry(if moved { "new" } else { "old" }).or_default() += 1;
        if moved {
            scene.sandbox.aos_in(&scene.project, &["sync-spec", "--to", "v1.1.0"]).data();
        }
    }
    println!("states after {duration:?} runs: {outcomes:?}");
}

#[test]
fn a_file_that_was_edited_after_the_crash_is_left_as_it_is_and_named() {
    let scene = Scene::new();
    scene.kill_at("apply:edited");
    let spec = scene.project.join(".agent/CONNECTOR-SPEC.md");
    disk::append(&spec, "my rescue notes\n");
    let answer = scene.sandbox.aos_in(&scene.project, &["sync-spec"]);
    let error = answer.error("E_CONFIRMATION_REQUIRED", 5);
    assert_eq!(error["details"]["would_lose"], serde_json::json!([".agent/CONNECTOR-SPEC.md"]));
    assert!(disk::read(&spec).ends_with("my rescue notes\n"));
    assert_eq!(disk::read(&scene.project.join(".agent/SPEC_VERSION")), "v1.1.0\n");
}

#[test]
fn files_of_a_killed_run_are_reported_ignored_by_git_and_removed_by_the_next_write() {
    let scene = Scene::new();
    scene.kill_at("apply:closed");
    let draft = |names: Vec<String>| names.into_iter().find(|name| name.starts_with(".aos-draft-"));
    let name = draft(disk::names(&scene.project)).expect("a leftover");
    let ignored = disk::read(&scene.project.join(".gitignore"));
    assert!(ignored.lines().any(|line| line == ".aos-draft-*/"), "{ignored}");
    let report = scene.sandbox.aos_in(&scene.project, &["check"]).data();
    let findings = report["projects"][0]["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["rule"] == "project/leftover");
    assert_eq!(found.expect("a finding")["path"], name.as_str(), "{report}");
    scene.sandbox.aos_in(&scene.project, &["gen"]).data();
    assert_eq!(draft(disk::names(&scene.project)), None);
    let report = scene.sandbox.aos_in(&scene.project, &["check"]).data();
    assert_eq!(report["summary"]["warnings"], 0, "{report}");
}

#[test]
fn a_recovery_that_is_itself_cut_off_can_be_run_again() {
    let scene = Scene::new();
    let contract = scene.project.join("contract/contract.json");
    disk::set_mode(&contract, 0o755);
    std::fs::remove_file(scene.project.join("agent-harness/permissions.json")).unwrap();
    let mut command = scene.sandbox.command(&["sync-spec"]);
    let killed = run(command.current_dir(&scene.project).env("AOS_TEST_KILL_AT", "apply:edited"));
    assert_eq!(killed.exit, None, "{killed:?}");
    // As a recovery does it: the old files go back, one rename each.
    let journal = scene.project.join(".aos-transaction");
    let text: serde_json::Value =
        serde_json::from_str(&disk::read(&journal.join("journal.json"))).unwrap();
    for (index, edit) in text["edits"].as_array().unwrap().iter().enumerate() {
        let old = journal.join("old").join(index.to_string());
        if old.exists() {
            std::fs::rename(old, scene.project.join(edit["path"].as_str().unwrap())).unwrap();
        }
    }
    scene.sandbox.aos_in(&scene.project, &["sync-spec"]).data();
    assert!(disk::state(&scene.project) == scene.old);
}

#[test]
fn a_damaged_journal_is_named_and_nothing_is_guessed() {
    let scene = Scene::new();
    for text in [
        "",
        "{}",
        "{\"version\": 2}",
        "{\"version\": 1, \"edits\": [{}]}",
        "[",
        "{\"version\":1,\"edits\":[{\"path\":\"a\",\"before\":\"x\",\"after\":null}]}",
    ] {
        scene.kill_at("apply:before-edit-3");
        std::fs::write(scene.project.join(".aos-transaction/journal.json"), text).unwrap();
        let before = disk::state(&scene.project);
        let error = scene.sandbox.aos_in(&scene.project, &["sync-spec"]).error("E_CONFLICT", 6);
        assert!(
            error["message"].as_str().unwrap().contains("does not complete it"),
            "{text}: {error}"
        );
        scene.sandbox.aos_in(&scene.project, &["check"]).error("E_DRIFT", 6);
        assert!(disk::state(&scene.project) == before, "{text}");
        restore(&scene);
    }
}

fn restore(scene: &Scene) {
    std::fs::remove_dir_all(&scene.project).unwrap();
    scene.sandbox.connector("acme");
}

#[test]
fn a_foreign_journal_cannot_write_outside_the_project() {
    let scene = Scene::new();
    let outside = scene.sandbox.work().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("kept"), "kept\n").unwrap();
    let digest = |text: &str| aos::plan::Digest::of(text.as_bytes()).to_string();
    std::os::unix::fs::symlink(&outside, scene.project.join("link")).unwrap();
    std::fs::create_dir_all(scene.project.join(".git/hooks")).unwrap();
    for (path, before, after) in [
        ("../outside/planted", Some("evil\n"), None),
        ("link/planted", Some("evil\n"), None),
        ("link/kept", None, Some("kept\n")),
        ("/tmp/planted", Some("evil\n"), None),
        (".git/hooks/planted", Some("evil\n"), None),
    ] {
        plant(&scene.project, path, before.map(digest), after.map(digest));
        scene.sandbox.aos_in(&scene.project, &["sync-spec"]);
        assert_eq!(disk::names(&outside), ["kept"], "{path}");
        assert_eq!(disk::names(&scene.project.join(".git/hooks")), Vec::<String>::new());
        let _ = std::fs::remove_dir_all(scene.project.join(".aos-transaction"));
    }
}

/// A journal with one edit whose old bytes are `evil`.
fn plant(project: &Path, path: &str, before: Option<String>, after: Option<String>) {
    let journal = project.join(".aos-transaction");
    std::fs::create_dir_all(journal.join("old")).unwrap();
    std::fs::write(journal.join("old/0"), "evil\n").unwrap();
    let edit = serde_json::json!({"path": path, "before": before, "after": after});
    let text = serde_json::json!({"version": 1, "edits": [edit], "directories": []});
    std::fs::write(journal.join("journal.json"), text.to_string()).unwrap();
}

#[test]
fn a_recovery_refuses_a_damaged_journal() {
    let scene = Scene::new();
    scene.kill_at("apply:edited");
    let old = scene.project.join(".aos-transaction/old");
    for name in disk::names(&old) {
        std::fs::write(old.join(name), "altered\n").unwrap();
    }
    let error = scene.sandbox.aos_in(&scene.project, &["sync-spec"]).error("E_CONFLICT", 6);
    assert!(error["message"].as_str().unwrap().contains("damaged"), "{error}");
    scene.sandbox.aos_in(&scene.project, &["check"]).error("E_DRIFT", 6);
    assert!(!disk::read(&scene.project.join("contract/contract.json")).contains("altered"));
}

#[test]
fn a_directory_that_only_looks_like_a_draft_is_left_alone() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let mine = project.join(".aos-draft-mine");
    std::fs::create_dir(&mine).expect("a directory");
    std::fs::write(mine.join("precious.txt"), "x").expect("a file");
    sandbox.aos_in(&project, &["sync-spec", "--to", "v1.0.0"]).data();
    sandbox.aos_in(&project, &["gen"]).data();
    assert!(mine.join("precious.txt").exists());
}
