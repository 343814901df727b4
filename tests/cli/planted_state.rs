//! Journals, drafts and staging directories that a repository brings along, or that were changed: never carried out,
//! never removed, always named. Those of this machine are, also after a kill during the recovery.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::disk;
use super::sandbox::{Sandbox, run};

const TO: [&str; 3] = ["sync-spec", "--to", "v1.0.0"];
const ID: &str = "0123456789abcdef";

fn digest(text: &str) -> String {
    aos::plan::Digest::of(text.as_bytes()).to_string()
}

fn state(sandbox: &Sandbox) -> PathBuf {
    sandbox.home().join(".aos")
}

/// Kills the move to another tag at `point`.
#[track_caller]
fn killed_at(sandbox: &Sandbox, project: &Path, arguments: &[&str], point: &str) {
    let mut command = sandbox.command(arguments);
    let killed = run(command.current_dir(project).env("AOS_TEST_KILL_AT", point));
    assert_eq!(killed.exit, None, "{point} was not reached: {killed:?}");
}

fn copy(from: &Path, to: &Path) {
    let copied = std::process::Command::new("cp").arg("-a").args([from, to]).status().expect("cp");
    assert!(copied.success());
}

/// Every command that could act on the journal refuses it, says how to go on, and changes nothing.
#[track_caller]
fn is_refused(sandbox: &Sandbox, project: &Path, what: &str) {
    let before = disk::state(project);
    for arguments in [
        &["sync-spec"][..],
        &["sync-spec", "--to", "v1.0.0"],
        &["sync-spec", "--dry-run"],
        &["gen"],
        &["gen", "--dry-run"],
    ] {
        let error = sandbox.aos_in(project, arguments).error("E_CONFLICT", 6);
        let message = error["message"].as_str().expect("a message");
        assert!(message.contains(".aos-transaction"), "{what} {arguments:?}: {message}");
        assert!(message.contains("does not complete it"), "{what} {arguments:?}: {message}");
        assert!(error["details"]["fix"].as_str().is_some_and(|hint| hint.contains("delete")));
        assert!(disk::state(project) == before, "{what} {arguments:?} changed something");
    }
    assert_ne!(sandbox.aos_in(project, &["gen", "--check"]).exit, Some(0), "{what}");
    let drift = sandbox.aos_in(project, &["check"]).error("E_DRIFT", 6);
    let findings = drift["details"]["projects"][0]["findings"].as_array().expect("findings");
    let named = findings.iter().any(|finding| {
        finding["rule"] == "project/foreign-state" && finding["path"] == ".aos-transaction"
    });
    assert!(named, "{what}: {drift}");
    for arguments in [&["context"][..], &["doctor"], &["new", "inner", "--no-git"]] {
        sandbox.aos_in(project, arguments);
    }
    let _ = std::fs::remove_dir_all(project.join("aos-inner"));
    assert!(disk::state(project) == before, "{what} changed something");
}

fn plant(project: &Path, document: &Value) {
    let journal = project.join(".aos-transaction");
    let _ = std::fs::remove_dir_all(&journal);
    for side in ["old", "new"] {
        std::fs::create_dir_all(journal.join(side)).expect("a directory");
        std::fs::write(journal.join(side).join("0"), "evil\n").expect("a file");
    }
    std::fs::write(journal.join("journal.json"), document.to_string()).expect("a file");
}

#[test]
fn a_journal_that_a_repository_brings_along_writes_and_deletes_nothing() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    std::fs::write(project.join("mine.txt"), "mine\n").expect("a file");
    // The secret exists: what keeps the journal out is that it is not keyed.
    sandbox.aos_in(&project, &["gen", "--dry-run"]).data();
    let side = |text: &str| json!({"digest": digest(text), "executable": true});
    for (path, before, after) in [
        (".envrc", Some("evil\n"), None),
        ("mine.txt", None, Some("mine\n")),
        ("mine.txt", Some("evil\n"), Some("mine\n")),
        ("agent-harness/connector.json", None, None),
    ] {
        let plain = json!({"path": path, "before": before.map(digest), "after": after.map(digest)});
        plant(&project, &json!({"version": 1, "edits": [plain], "directories": []}));
        is_refused(&sandbox, &project, "version 1");
        let full = json!({"path": path, "before": before.map(side), "after": after.map(side)});
        for id in [json!(ID), json!(null), json!("../../../x"), json!("0123456789abcde/"), json!(7)]
        {
            let document =
                json!({"version": 2, "id": id, "edits": [full], "directories": ["agent-harness"]});
            plant(&project, &document);
            is_refused(&sandbox, &project, "version 2");
        }
    }
    std::fs::remove_dir_all(project.join(".aos-transaction")).expect("a directory");
    std::os::unix::fs::symlink("agent-harness", project.join(".aos-transaction")).expect("a link");
    is_refused(&sandbox, &project, "a link");
    std::fs::remove_file(project.join(".aos-transaction")).expect("a link");
    std::fs::write(project.join(".aos-transaction"), "x").expect("a file");
    is_refused(&sandbox, &project, "a file");
}

#[test]
fn a_journal_that_was_moved_is_carried_out_only_where_it_was_written() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let old = disk::state(&project);
    killed_at(&sandbox, &project, &TO, "apply:edited");
    let other = sandbox.work().join("elsewhere");
    copy(&project, &other);
    is_refused(&sandbox, &other, "moved");
    sandbox.aos_in(&project, &["sync-spec"]).data();
    assert!(disk::state(&project) == old);
}

#[test]
fn a_journal_that_is_over_is_not_carried_out_again() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    killed_at(&sandbox, &project, &TO, "apply:edited");
    let kept = sandbox.work().join("kept");
    copy(&project.join(".aos-transaction"), &kept);
    sandbox.aos_in(&project, &TO).data();
    copy(&kept, &project.join(".aos-transaction"));
    is_refused(&sandbox, &project, "over");
}

type Change = fn(&Path);

const CHANGES: [(&str, Change); 10] = [
    ("a byte of the journal", |journal| {
        let path = journal.join("journal.json");
        let text = disk::read(&path).replacen("contract", "Contract", 1);
        std::fs::write(path, text).expect("a file");
    }),
    ("a space in the journal", |journal| disk::append(&journal.join("journal.json"), " ")),
    ("old bytes", |journal| disk::append(&journal.join("old/0"), "x")),
    ("new bytes", |journal| {
        let name = disk::names(&journal.join("new")).pop().expect("a staged file");
        disk::append(&journal.join("new").join(name), "x");
    }),
    ("a mode", |journal| disk::set_mode(&journal.join("old/0"), 0o755)),
    ("a file more", |journal| std::fs::write(journal.join("mine"), "x").expect("a file")),
    ("an old file more", |journal| std::fs::write(journal.join("old/99"), "x").expect("a file")),
    ("another name", |journal| {
        std::fs::rename(journal.join("old/0"), journal.join("old/00")).expect("a file");
    }),
    ("a link for a file", |journal| {
        let path = journal.join("old/0");
        std::fs::rename(&path, journal.with_file_name("kept")).expect("a file");
        std::os::unix::fs::symlink("../../kept", path).expect("a link");
    }),
    ("a link for a directory", |journal| {
        std::fs::rename(journal.join("old"), journal.with_file_name("kept")).expect("a directory");
        std::os::unix::fs::symlink("../kept", journal.join("old")).expect("a link");
    }),
];

#[test]
fn a_journal_that_was_changed_is_refused_whole() {
    for (what, change) in CHANGES {
        let sandbox = Sandbox::new();
        let project = sandbox.connector("acme");
        killed_at(&sandbox, &project, &TO, "apply:before-edit-3");
        change(&project.join(".aos-transaction"));
        is_refused(&sandbox, &project, what);
    }
}

#[test]
fn without_the_secret_or_the_ledger_a_journal_is_refused() {
    for what in ["secret gone", "secret shared", "secret new", "ledger gone", "no home"] {
        let sandbox = Sandbox::new();
        let project = sandbox.connector("acme");
        killed_at(&sandbox, &project, &TO, "apply:edited");
        let secret = state(&sandbox).join("confirm.secret");
        match what {
            "secret gone" => std::fs::remove_file(&secret).expect("a file"),
            "secret shared" => disk::set_mode(&secret, 0o644),
            "secret new" => std::fs::write(&secret, [7; 32]).expect("a file"),
            "ledger gone" => std::fs::remove_dir_all(state(&sandbox).join("writes")).expect("it"),
            _ => {}
        }
        let before = disk::state(&project);
        let mut command = sandbox.command(&["gen"]);
        command.current_dir(&project);
        if what == "no home" {
            command.env_remove("HOME");
        }
        let answer = run(&mut command);
        assert!(matches!(answer.exit, Some(4 | 6)), "{what}: {answer:?}");
        let error = answer.json()["error"].clone();
        assert!(error["details"]["fix"].as_str().is_some_and(|hint| hint.len() > 10), "{error}");
        assert!(disk::state(&project) == before, "{what}");
        sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
    }
}

#[test]
fn a_journal_that_git_tracks_is_refused() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    killed_at(&sandbox, &project, &TO, "apply:edited");
    for arguments in [&["init", "-q"][..], &["add", "-A", "-f"]] {
        let mut git = std::process::Command::new("git");
        let done = git.args(arguments).current_dir(&project).env("HOME", sandbox.home()).status();
        assert!(done.expect("git").success());
    }
    let before = disk::state(&project);
    let error = sandbox.aos_in(&project, &["gen"]).error("E_CONFLICT", 6);
    assert!(
        error["message"].as_str().is_some_and(|text| text.contains("git tracks it")),
        "{error}"
    );
    assert!(disk::state(&project) == before);
}

#[test]
fn drafts_and_stages_that_this_machine_did_not_make_stay_and_are_named() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let names = [
        format!(".aos-draft-{ID}"),
        ".aos-draft-done".to_owned(),
        ".aos-draft-x".to_owned(),
        format!(".aos-tmp-{ID}"),
    ];
    for name in &names {
        std::fs::create_dir_all(project.join(name).join("new")).expect("a directory");
        std::fs::write(project.join(name).join("new/0"), "mine\n").expect("a file");
        std::fs::write(project.join(name).join("journal.json"), "{}").expect("a file");
    }
    let kept = |what: &str| {
        for name in &names {
            assert_eq!(disk::read(&project.join(name).join("new/0")), "mine\n", "{what} {name}");
            assert_eq!(disk::read(&project.join(name).join("journal.json")), "{}", "{what} {name}");
        }
    };
    for arguments in [
        &["gen"][..],
        &["sync-spec"],
        &["sync-spec", "--dry-run"],
        &["sync-spec", "--to", "v1.0.0"],
        &["sync-spec", "--to", "v1.1.0"],
    ] {
        let data = sandbox.aos_in(&project, arguments).data();
        let notes = data["notes"].to_string();
        for name in &names {
            assert!(notes.contains(name.as_str()), "{arguments:?} does not name {name}: {notes}");
        }
        kept(&format!("{arguments:?}"));
    }
    sandbox.aos_in(&project, &["new", "inner", "--no-git"]).data();
    kept("new");
    std::fs::remove_dir_all(project.join("aos-inner")).expect("a directory");
    let drift = sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6).to_string();
    for name in &names {
        assert!(drift.contains(&format!("`{name}` looks like a leftover")), "{name}: {drift}");
    }
    kept("check");
}

#[test]
fn leftovers_of_this_machine_go_with_the_next_run_which_names_them() {
    for point in ["apply:sealed", "apply:closed"] {
        let sandbox = Sandbox::new();
        let project = sandbox.connector("acme");
        killed_at(&sandbox, &project, &TO, point);
        let left: Vec<_> = disk::names(&project);
        let left = left.iter().find(|name| name.starts_with(".aos-draft-")).expect("a leftover");
        sandbox.aos_in(&project, &["check"]);
        let data = sandbox.aos_in(&project, &["sync-spec"]).data();
        assert!(data["notes"].to_string().contains(left.as_str()), "{point}: {data}");
        assert!(!project.join(left).exists(), "{point}");
        sandbox.aos_in(&project, &["check"]).data();
        assert_eq!(disk::names(&state(&sandbox).join("writes")), Vec::<String>::new(), "{point}");
    }
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["new", "acme", "--no-git"]);
    run(command.env("AOS_TEST_KILL_AT", "new:staged"));
    let left = disk::names(&sandbox.work()).pop().expect("a stage");
    let data = sandbox.aos(&["new", "acme", "--no-git"]).data();
    assert!(data["notes"].to_string().contains(&left), "{data}");
    assert_eq!(disk::names(&sandbox.work()), ["aos-acme"]);
    assert_eq!(disk::names(&state(&sandbox).join("writes")), Vec::<String>::new());
}

#[test]
fn foreign_files_in_a_leftover_directory_are_not_deleted() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    killed_at(&sandbox, &project, &TO, "apply:sealed");
    let left = disk::names(&project).into_iter().find(|name| name.starts_with(".aos-draft-"));
    let mine = project.join(left.expect("a leftover")).join("mine.txt");
    std::fs::write(&mine, "mine\n").expect("a file");
    sandbox.aos_in(&project, &["gen"]).data();
    assert_eq!(disk::read(&mine), "mine\n");
}

fn git(sandbox: &Sandbox, directory: &Path, arguments: &[&str]) {
    let mut git = std::process::Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@b.invalid"]).args(arguments);
    let done = git.current_dir(directory).env("HOME", sandbox.home()).output().expect("git");
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A connector with a draft of this machine; gives the path of the draft.
fn with_draft(sandbox: &Sandbox, point: &str) -> (PathBuf, PathBuf) {
    let project = sandbox.connector("acme");
    killed_at(sandbox, &project, &TO, point);
    let left = disk::names(&project).into_iter().find(|name| name.starts_with(".aos-draft-"));
    let left = project.join(left.expect("a leftover"));
    (project, left)
}

#[test]
fn a_leftover_that_holds_more_or_is_tracked_stays_whole_and_is_named() {
    for what in ["a number", "a name", "another text", "tracked", "tracked in a worktree"] {
        let sandbox = Sandbox::new();
        let (mut project, mut left) = with_draft(&sandbox, "apply:closed");
        match what {
            "a number" => std::fs::write(left.join("old/77"), "mine\n").expect("a file"),
            "a name" => std::fs::write(left.join("new/mine.txt"), "mine\n").expect("a file"),
            "another text" => {
                let name = disk::names(&left.join("old")).pop().expect("a file");
                std::fs::write(left.join("old").join(name), "mine\n").expect("a file");
            }
            "tracked" => {
                git(&sandbox, &project, &["init", "-q"]);
                git(&sandbox, &project, &["add", "-A", "-f"]);
                git(&sandbox, &project, &["update-index", "--split-index"]);
            }
            _ => {
                std::fs::remove_dir_all(&left).expect("a directory");
                git(&sandbox, &project, &["init", "-q"]);
                git(&sandbox, &project, &["add", "-A"]);
                git(&sandbox, &project, &["commit", "-q", "-m", "x"]);
                let tree = sandbox.work().join("tree");
                git(&sandbox, &project, &["worktree", "add", "-q", tree.to_str().expect("text")]);
                killed_at(&sandbox, &tree, &["sync-spec", "--to", "v1.1.0"], "apply:closed");
                let name =
                    disk::names(&tree).into_iter().find(|name| name.starts_with(".aos-draft-"));
                left = tree.join(name.expect("a leftover"));
                project = tree;
                git(&sandbox, &project, &["add", "-A", "-f"]);
            }
        }
        let before = disk::state(&left);
        let name = left.file_name().and_then(|name| name.to_str()).expect("text").to_owned();
        let data = sandbox.aos_in(&project, &["gen"]).data();
        let notes = data["notes"].to_string();
        assert!(notes.contains(&format!("`{name}` looks like a leftover")), "{what}: {notes}");
        assert!(disk::state(&left) == before, "{what}: {notes}");
        let drift = sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6).to_string();
        assert!(drift.contains("project/foreign-state"), "{what}: {drift}");
    }
}

#[test]
fn a_removal_names_every_file() {
    let sandbox = Sandbox::new();
    let (project, left) = with_draft(&sandbox, "apply:sealed");
    let data = sandbox.aos_in(&project, &["gen"]).data();
    let notes = data["notes"].to_string();
    for file in ["`journal.json`", "`old/0`", "`new/0`"] {
        assert!(notes.contains(file), "{file}: {notes}");
    }
    assert!(!left.exists());
}

#[test]
fn a_journal_that_a_split_index_tracks_is_refused() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    killed_at(&sandbox, &project, &TO, "apply:edited");
    git(&sandbox, &project, &["init", "-q"]);
    git(&sandbox, &project, &["add", "-A", "-f"]);
    git(&sandbox, &project, &["update-index", "--split-index"]);
    let before = disk::state(&project);
    let error = sandbox.aos_in(&project, &["gen"]).error("E_CONFLICT", 6);
    assert!(
        error["message"].as_str().is_some_and(|text| text.contains("git tracks it")),
        "{error}"
    );
    assert!(disk::state(&project) == before);
}

#[test]
fn a_recovery_names_every_path_before_and_after() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let old = disk::state(&project);
    killed_at(&sandbox, &project, &TO, "apply:edited");
    let error = sandbox.aos_in(&project, &["sync-spec", "--dry-run"]).error("E_CONFLICT", 6);
    let planned = error["details"]["recovery"].as_array().expect("a recovery").clone();
    assert!(planned.len() >= 4, "{error}");
    let data = sandbox.aos_in(&project, &["sync-spec"]).data();
    let notes = data["notes"].to_string();
    for step in &planned {
        let path = step["path"].as_str().expect("a path");
        assert!(["restore", "remove"].contains(&step["action"].as_str().expect("an action")));
        assert!(notes.contains(&format!("`{path}`")), "{path} is not named: {notes}");
    }
    assert!(disk::state(&project) == old);
}

#[test]
fn a_recovery_that_is_killed_at_any_point_can_be_run_again() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let old = disk::state(&project);
    killed_at(&sandbox, &project, &TO, "apply:edited");
    let error = sandbox.aos_in(&project, &["sync-spec", "--dry-run"]).error("E_CONFLICT", 6);
    let count = error["details"]["recovery"].as_array().expect("a recovery").len();
    assert!(count > 3, "{error}");
    sandbox.aos_in(&project, &["sync-spec"]).data();
    let steps = (0..count).map(|index| format!("recover:before-step-{index}"));
    for point in steps.chain(["recover:restored".to_owned(), "apply:closed".to_owned()]) {
        killed_at(&sandbox, &project, &TO, "apply:edited");
        killed_at(&sandbox, &project, &["sync-spec"], &point);
        if point != "apply:closed" {
            sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
        }
        sandbox.aos_in(&project, &["sync-spec"]).data();
        assert!(disk::state(&project) == old, "{point}");
        sandbox.aos_in(&project, &["check"]).data();
        assert_eq!(disk::names(&state(&sandbox).join("writes")), Vec::<String>::new(), "{point}");
    }
}

fn put(project: &Path, path: &str, text: &str) {
    std::fs::create_dir_all(project.join(path).parent().expect("a parent")).expect("directories");
    std::fs::write(project.join(path), text).expect("a file");
}

/// Adds a line to the lock, under `[generated]`.
fn claim(project: &Path, path: &str, text: &str) {
    let line = format!("\"{path}\" = \"{}\"\n", digest(text));
    disk::append(&project.join(".agent/spec.lock"), &line);
}

#[test]
fn a_lock_that_claims_files_of_the_user_deletes_and_replaces_none() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let own =
        [("mine.txt", "mine\n"), ("src/x.py", "x = 1\n"), ("contract/contract-ext.json", "{}\n")];
    for (path, text) in own {
        put(&project, path, text);
        claim(&project, path, text);
    }
    let lock = std::fs::read(project.join(".agent/spec.lock")).expect("a lock");
    let drift = sandbox.aos_in(&project, &["check", "--diff"]).error("E_DRIFT", 6);
    let findings = drift["details"]["projects"][0]["findings"].to_string();
    assert!(
        own.iter().all(|(path, _)| findings.contains(&format!("\"path\":\"{path}\""))),
        "{findings}"
    );
    for call in [&["sync-spec"][..], &["gen"], &TO] {
        std::fs::write(project.join(".agent/spec.lock"), &lock).expect("a lock");
        let dry = sandbox.aos_in(&project, &[call, &["--dry-run", "--diff"]].concat()).data();
        let data = sandbox.aos_in(&project, &[call, &["--diff"]].concat()).data();
        for (path, text) in own {
            let changes = [&dry["preview"]["changes"], &data["changes"]].map(Value::to_string);
            let id = format!("\"id\":\"{path}\"");
            assert!(changes.iter().all(|changes| !changes.contains(&id)), "{call:?} {changes:?}");
            let kept = std::fs::read_to_string(project.join(path)).expect("the user's file");
            assert_eq!(kept, text, "{call:?}");
            for notes in [&dry["notes"], &data["notes"]] {
                assert!(notes.to_string().contains(&format!("`{path}` is in")), "{call:?} {notes}");
            }
        }
        let written = std::fs::read_to_string(project.join(".agent/spec.lock")).expect("a lock");
        assert!(!written.contains("mine.txt"), "{call:?}");
    }
}

#[test]
fn a_record_and_a_lock_that_name_a_file_of_the_user_as_an_output_need_a_token() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    for (generator, path) in [("permissions", "mine.txt"), ("python", "setup.py")] {
        let record = project.join("aos.toml");
        let good = std::fs::read_to_string(&record).expect("aos.toml");
        let lock = std::fs::read(project.join(".agent/spec.lock")).expect("a lock");
        put(&project, path, "mine\n");
        claim(&project, path, "mine\n");
        let named = format!("{generator} = [");
        let planted = good.replace(&named, &format!("{named}\"{path}\", "));
        assert_ne!(planted, good, "{good}");
        std::fs::write(&record, planted).expect("aos.toml");
        for call in [["gen"], ["sync-spec"]] {
            let error = sandbox.aos_in(&project, &call).error("E_CONFIRMATION_REQUIRED", 5);
            assert_eq!(error["details"]["would_lose"], json!([path]), "{call:?}");
            let kept = std::fs::read_to_string(project.join(path)).expect("the user's file");
            assert_eq!(kept, "mine\n", "{call:?}");
        }
        std::fs::write(&record, good).expect("aos.toml");
        std::fs::write(project.join(".agent/spec.lock"), lock).expect("a lock");
        std::fs::remove_file(project.join(path)).expect("a file");
    }
}

#[test]
fn generated_files_that_no_output_names_any_more_still_go() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let record = project.join("aos.toml");
    let good = std::fs::read_to_string(&record).expect("aos.toml");
    for file in ["permissions.json", "contract_gen.py", "contract_cases.py"] {
        let moved = good.replace(file, &format!("moved_{file}"));
        assert_ne!(moved, good, "{good}");
        std::fs::write(&record, moved).expect("aos.toml");
        let changes = sandbox.aos_in(&project, &["sync-spec"]).data()["changes"].clone();
        let gone = changes.as_array().expect("changes").iter().filter(|change| {
            change["action"] == "delete"
                && change["id"].as_str().is_some_and(|id| id.ends_with(file))
        });
        assert_eq!(gone.count(), 1, "{changes}");
    }
}
