//! An obstacle to a write is a clear error, and no byte is changed.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use super::disk::{self, Entry};
use super::sandbox::{Sandbox, answer, skipped};

const TO: [&str; 3] = ["sync-spec", "--to", "v1.0.0"];

fn scene() -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    (sandbox, project)
}

/// `check`, `gen` and `sync-spec` refuse, and nothing in the work directory changes.
#[track_caller]
fn is_refused(sandbox: &Sandbox, project: &Path, path: &str) {
    let before = disk::state(&sandbox.work());
    let drift = sandbox.aos_in(project, &["check"]).error("E_DRIFT", 6);
    assert!(drift.to_string().contains(path), "{drift}");
    let error = sandbox.aos_in(project, &TO).error("E_CONFLICT", 6);
    assert!(error["message"].as_str().unwrap().contains(path), "{error}");
    assert!(disk::state(&sandbox.work()) == before);
}

#[test]
fn a_directory_in_place_of_a_managed_file_is_refused() {
    let (sandbox, project) = scene();
    let contract = project.join("contract/contract.json");
    std::fs::remove_file(&contract).unwrap();
    std::fs::create_dir(&contract).unwrap();
    is_refused(&sandbox, &project, "contract/contract.json");
}

#[test]
fn a_link_in_place_of_a_managed_file_is_never_written_through() {
    let (sandbox, project) = scene();
    let contract = project.join("contract/contract.json");
    // Even one whose target has the right bytes, or that points nowhere.
    let outside = sandbox.work().join("outside.json");
    std::fs::rename(&contract, &outside).unwrap();
    std::os::unix::fs::symlink(&outside, &contract).unwrap();
    is_refused(&sandbox, &project, "contract/contract.json");
    std::fs::remove_file(&outside).unwrap();
    is_refused(&sandbox, &project, "contract/contract.json");
}

#[test]
fn a_linked_directory_is_never_written_through() {
    for directory in [".agent", "contract", "agent-harness/tests"] {
        let (sandbox, project) = scene();
        let outside = sandbox.work().join("outside");
        std::fs::rename(project.join(directory), &outside).unwrap();
        std::os::unix::fs::symlink(&outside, project.join(directory)).unwrap();
        is_refused(&sandbox, &project, directory);
    }
}

#[test]
fn a_file_in_place_of_a_directory_is_refused() {
    let (sandbox, project) = scene();
    std::fs::remove_dir_all(project.join("contract")).unwrap();
    std::fs::write(project.join("contract"), "a file\n").unwrap();
    is_refused(&sandbox, &project, "contract");
}

#[test]
fn a_pipe_in_place_of_a_managed_file_neither_blocks_nor_is_replaced() {
    let (sandbox, project) = scene();
    let permissions = project.join("agent-harness/permissions.json");
    std::fs::remove_file(&permissions).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&permissions).status().expect("mkfifo");
    assert!(made.success());
    sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
    sandbox.aos_in(&project, &TO).error("E_CONFLICT", 6);
    sandbox.aos_in(&project, &["gen"]).error("E_CONFLICT", 6);
}

#[test]
fn the_other_name_of_a_hard_linked_file_keeps_its_bytes() {
    let (sandbox, project) = scene();
    let other = sandbox.work().join("other-name.json");
    std::fs::hard_link(project.join("contract/contract.json"), &other).unwrap();
    let before = disk::read(&other);
    sandbox.aos_in(&project, &TO).data();
    assert_eq!(disk::read(&other), before);
    assert_ne!(disk::read(&project.join("contract/contract.json")), before);
}

#[test]
fn a_read_only_file_is_forbidden_and_nothing_is_written() {
    let (sandbox, project) = scene();
    for path in
        ["contract/contract.json", "agent-harness/aos_acme/contract_gen.py", ".agent/spec.lock"]
    {
        disk::set_mode(&project.join(path), 0o444);
        let before = disk::state(&project);
        let error = sandbox.aos_in(&project, &TO).error("E_FORBIDDEN", 4);
        assert!(error["message"].as_str().unwrap().contains(path), "{error}");
        assert!(error["details"]["fix"].as_str().unwrap().contains("chmod u+w"), "{error}");
        assert!(disk::state(&project) == before);
        disk::set_mode(&project.join(path), 0o644);
    }
    sandbox.aos_in(&project, &TO).data();
}

#[test]
fn modes_of_replaced_files_are_kept() {
    let (sandbox, project) = scene();
    disk::set_mode(&project.join("contract/contract.json"), 0o640);
    disk::set_mode(&project.join(".agent/spec.lock"), 0o600);
    sandbox.aos_in(&project, &TO).data();
    let state = disk::state(&project);
    assert!(matches!(state["contract/contract.json"], Entry::File { mode: 0o640, .. }));
    assert!(matches!(state[".agent/spec.lock"], Entry::File { mode: 0o600, .. }));
}

/// Starts the move and stops it before its third edit, for five seconds.
fn paused(sandbox: &Sandbox, project: &Path, point: &str) -> Child {
    let mut command = sandbox.command(&TO);
    command.current_dir(project).env("AOS_TEST_PAUSE_AT", point);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("aos starts");
    while !project.join(".aos-transaction").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(300));
    child
}

#[test]
fn a_failure_half_way_brings_every_other_file_back() {
    let (sandbox, project) = scene();
    let before = disk::state(&project);
    let child = paused(&sandbox, &project, "apply:before-edit-2");
    assert!(
        disk::state(&project)[".agent/CONNECTOR-SPEC.md"] != before[".agent/CONNECTOR-SPEC.md"]
    );
    // Somebody puts a directory where the last but one file belongs.
    let contract = project.join("contract/contract.json");
    std::fs::remove_file(&contract).unwrap();
    std::fs::create_dir(&contract).unwrap();
    std::fs::write(contract.join("mine"), "mine\n").unwrap();
    let error = answer(child.wait_with_output().unwrap()).error("E_IO", 1);
    assert!(error["message"].as_str().unwrap().contains("contract/contract.json"), "{error}");
    let mut after = disk::state(&project);
    assert!(after.remove("contract/contract.json/mine").is_some());
    after.insert("contract/contract.json".to_owned(), before["contract/contract.json"].clone());
    assert!(after == before, "{:?}", after.keys());
}

#[test]
fn a_directory_that_becomes_a_link_during_the_write_leads_nowhere() {
    let (sandbox, project) = scene();
    let outside = tempfile::tempdir().expect("a directory");
    let child = paused(&sandbox, &project, "apply:staged");
    std::fs::rename(project.join("contract"), project.join("moved")).expect("a rename");
    std::os::unix::fs::symlink(outside.path(), project.join("contract")).expect("a link");
    let error = answer(child.wait_with_output().unwrap()).error("E_IO", 1);
    assert!(error["message"].as_str().unwrap().contains("contract/contract.json"), "{error}");
    assert_eq!(disk::names(outside.path()), [""; 0], "nothing is written through the link");
}

#[test]
fn a_file_that_may_not_be_replaced_half_way_brings_every_file_back() {
    let (sandbox, project) = scene();
    let contract = project.join("contract/contract.json");
    let before = disk::state(&project);
    // Root may write into any directory, but not over an immutable file; others the other way round.
    let attribute = |change: &str| {
        let chattr = std::process::Command::new("chattr").arg(change).arg(&contract).output();
        chattr.is_ok_and(|output| output.status.success())
    };
    let is_root = rustix::process::geteuid().is_root();
    if is_root && !attribute("+i") {
        skipped(
            "a_file_that_may_not_be_replaced_half_way_brings_every_file_back",
            "no immutable files here",
        );
        return;
    }
    if !is_root {
        disk::set_mode(&project.join("contract"), 0o555);
    }
    let answer = sandbox.aos_in(&project, &TO);
    if is_root {
        assert!(attribute("-i"));
    } else {
        disk::set_mode(&project.join("contract"), 0o755);
    }
    answer.error("E_FORBIDDEN", 4);
    assert!(disk::state(&project) == before);
    sandbox.aos_in(&project, &["check"]).data();
}

#[test]
fn a_signal_half_way_brings_the_old_state_back() {
    let (sandbox, project) = scene();
    let before = disk::state(&project);
    let child = paused(&sandbox, &project, "apply:before-edit-2");
    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    answer(child.wait_with_output().unwrap()).error("E_INTERRUPTED", 130);
    assert!(disk::state(&project) == before);
}

#[test]
fn of_two_writers_at_once_one_is_told_to_wait() {
    let (sandbox, project) = scene();
    let child = paused(&sandbox, &project, "apply:staged");
    for command in [&TO[..], &["gen"], &["sync-spec", "--to", "latest"]] {
        let error = sandbox.aos_in(&project, command).error("E_CONFLICT", 6);
        assert!(error["message"].as_str().unwrap().contains("another aos"), "{error}");
    }
    sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
    assert_eq!(answer(child.wait_with_output().unwrap()).data()["status"], "moved");
    sandbox.aos_in(&project, &["check"]).data();
}

#[test]
fn an_output_outside_the_project_or_in_git_is_refused_by_every_command() {
    let (sandbox, project) = scene();
    let record = disk::read(&project.join("aos.toml"));
    for path in [
        "../x.py",
        "/tmp/x.py",
        "a/../../x.py",
        "C:/x.py",
        "..\\\\x.py",
        ".git/hooks/x",
        "a//b",
        "nul",
        "x.",
        "a\\u0000b",
    ] {
        let text = record.replace("agent-harness/aos_acme/contract_gen.py", path);
        std::fs::write(project.join("aos.toml"), text).unwrap();
        let before = disk::state(&sandbox.work());
        let drift = sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
        assert!(drift.to_string().contains("project/record"), "{path}: {drift}");
        for command in [&TO[..], &["gen"]] {
            let error = sandbox.aos_in(&project, command).error("E_CONFIG", 4);
            assert!(
                error["message"].as_str().unwrap().contains("outputs.python"),
                "{path}: {error}"
            );
        }
        assert!(disk::state(&sandbox.work()) == before, "{path}");
    }
}

#[test]
fn two_outputs_that_are_one_file_somewhere_are_refused() {
    let (sandbox, project) = scene();
    let record = disk::read(&project.join("aos.toml"));
    for path in [
        "contract/contract.json",
        "CONTRACT/contract.json",
        ".agent/spec.lock",
        "agent-harness/permissions.json",
        "agent-harness/Permissions.json/x.py",
        ".agent",
    ] {
        let text = record.replace("agent-harness/aos_acme/contract_gen.py", path);
        std::fs::write(project.join("aos.toml"), text).unwrap();
        let before = disk::state(&project);
        for command in [&TO[..], &["gen"]] {
            sandbox.aos_in(&project, command).error("E_VALIDATION", 2);
        }
        sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
        assert!(disk::state(&project) == before, "{path}");
    }
}
