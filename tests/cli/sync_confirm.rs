//! The write gate: previews, confirm tokens, and work that would be lost.

use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use super::disk;
use super::sandbox::{Answer, Sandbox, answer, run};

const TO: [&str; 3] = ["sync-spec", "--to", "v1.0.0"];

fn dry_run(sandbox: &Sandbox, project: &Path) -> (Value, String) {
    let data = sandbox.aos_in(project, &[&TO[..], &["--dry-run", "--diff"]].concat()).data();
    let token = data["confirm_token"].as_str().unwrap().to_owned();
    (data, token)
}

fn confirm(sandbox: &Sandbox, project: &Path, token: &str) -> Answer {
    sandbox.aos_in(project, &[&TO[..], &["--confirm", token]].concat())
}

#[test]
fn a_dry_run_changes_nothing_and_its_token_carries_out_exactly_the_preview() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let before = (disk::state(&project), disk::identities(&project));
    let (data, token) = dry_run(&sandbox, &project);
    assert_eq!((disk::state(&project), disk::identities(&project)), before);
    assert_eq!(data["preview"]["total"], 5);
    assert!(data["expires_at"].as_str().unwrap().ends_with('Z'));
    assert!(data["preview"]["changes"][0]["diff"].as_str().unwrap().contains("@@"));
    assert_eq!(confirm(&sandbox, &project, &token).data()["status"], "moved");
    for change in data["preview"]["changes"].as_array().unwrap() {
        let bytes = std::fs::read(project.join(change["id"].as_str().unwrap())).unwrap();
        assert_eq!(change["after"], aos::plan::Digest::of(&bytes).to_string());
    }
}

#[test]
fn a_token_is_good_once() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let (_, token) = dry_run(&sandbox, &project);
    confirm(&sandbox, &project, &token).data();
    confirm(&sandbox, &project, &token).error("E_CONFLICT", 6);
    sandbox.aos_in(&project, &["sync-spec", "--to", "v1.1.0"]).data();
    let before = disk::state(&project);
    let error = confirm(&sandbox, &project, &token).error("E_CONFLICT", 6);
    assert_eq!(error["message"], "the confirm token was already used");
    assert_eq!(disk::state(&project), before);
}

#[test]
fn of_two_processes_with_one_token_exactly_one_succeeds() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    for _ in 0..5 {
        let (_, token) = dry_run(&sandbox, &project);
        let children: Vec<_> = (0..3)
            .map(|_| {
                let mut command = sandbox.command(&[&TO[..], &["--confirm", &token]].concat());
                command.current_dir(&project).stdout(Stdio::piped()).stderr(Stdio::piped());
                command.spawn().expect("the binary starts")
            })
            .collect();
        let answers = children.into_iter().map(|child| answer(child.wait_with_output().unwrap()));
        let (good, bad): (Vec<_>, Vec<_>) = answers.partition(|answer| answer.exit == Some(0));
        assert_eq!(good.len(), 1, "{good:?} {bad:?}");
        for answer in bad {
            answer.error("E_CONFLICT", 6);
        }
        sandbox.aos_in(&project, &["check"]).data();
        sandbox.aos_in(&project, &["sync-spec", "--to", "v1.1.0"]).data();
    }
}

#[test]
fn a_token_for_another_state_place_command_or_argument_is_refused() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let (_, token) = dry_run(&sandbox, &project);
    std::fs::create_dir(sandbox.work().join("copy")).unwrap();
    sandbox.aos(&["new", "acme", "--no-git", "--dir", "copy"]).data();
    let copy = sandbox.work().join("copy/aos-acme");
    confirm(&sandbox, &copy, &token).error("E_CONFLICT", 6);
    sandbox.aos_in(&project, &["gen", "--confirm", &token]).error("E_CONFLICT", 6);
    sandbox.aos_in(&project, &["sync-spec", "--confirm", &token]).error("E_CONFLICT", 6);
    disk::append(&project.join("contract/contract.json"), " ");
    let before = disk::state(&sandbox.work());
    confirm(&sandbox, &project, &token).error("E_CONFLICT", 6);
    assert_eq!(disk::state(&sandbox.work()), before);
}

#[test]
fn a_forged_token_is_refused() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let (_, token) = dry_run(&sandbox, &project);
    let longer = token.replacen("ct_", "ct_f", 1);
    let flipped =
        format!("{}{}", &token[..token.len() - 1], if token.ends_with('0') { '1' } else { '0' });
    let before = disk::state(&project);
    for forged in
        ["", "x", "ct_", "ct_ffffffff_00", "../../x", &longer, &flipped, &token.to_uppercase()]
    {
        confirm(&sandbox, &project, forged).error("E_CONFLICT", 6);
    }
    assert_eq!(disk::state(&project), before);
    confirm(&sandbox, &project, &token).data();
}

#[test]
fn a_token_of_another_machine_is_refused() {
    let sandbox = Sandbox::new();
    let other = Sandbox::new();
    let project = sandbox.connector("acme");
    let (_, token) = dry_run(&sandbox, &project);
    let mut command = other.command(&[&TO[..], &["--confirm", &token]].concat());
    run(command.current_dir(&project)).error("E_CONFLICT", 6);
}

#[test]
fn work_in_a_managed_file_is_shown_before_it_is_lost() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let before = disk::state(&project);
    disk::append(&project.join(".agent/CONNECTOR-SPEC.md"), "my own rule\n");
    let edited = disk::state(&project);
    let error =
        sandbox.aos_in(&project, &["sync-spec", "--diff"]).error("E_CONFIRMATION_REQUIRED", 5);
    assert_eq!(error["details"]["would_lose"], serde_json::json!([".agent/CONNECTOR-SPEC.md"]));
    let diff = error["details"]["preview"]["changes"][0]["diff"].as_str().unwrap();
    assert!(diff.contains("\n-my own rule\n"), "{diff}");
    assert_eq!(disk::state(&project), edited);
    let token = error["details"]["confirm_token"].as_str().unwrap();
    assert!(error["details"]["fix"].as_str().unwrap().contains(token));
    let data = sandbox.aos_in(&project, &["sync-spec", "--confirm", token]).data();
    assert_eq!(data["status"], "renewed");
    assert_eq!(disk::state(&project), before);
}

#[test]
fn an_edited_file_stops_a_move_even_when_the_other_files_are_as_aos_wrote_them() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    for path in ["contract/contract.json", "agent-harness/permissions.json"] {
        disk::append(&project.join(path), "\n");
        let before = disk::state(&project);
        let error = sandbox.aos_in(&project, &TO).error("E_CONFIRMATION_REQUIRED", 5);
        assert_eq!(error["details"]["would_lose"], serde_json::json!([path]));
        assert_eq!(disk::state(&project), before);
        let token = error["details"]["confirm_token"].as_str().unwrap();
        confirm(&sandbox, &project, token).data();
        sandbox.aos_in(&project, &["sync-spec", "--to", "v1.1.0"]).data();
    }
}

#[test]
fn a_released_file_of_another_tag_is_not_user_work() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    std::fs::create_dir(sandbox.work().join("old")).unwrap();
    sandbox.aos(&["new", "acme", "--no-git", "--spec", "v1.0.0", "--dir", "old"]).data();
    let old = sandbox.work().join("old/aos-acme/contract/contract.json");
    std::fs::copy(old, project.join("contract/contract.json")).unwrap();
    assert_eq!(sandbox.aos_in(&project, &["sync-spec"]).data()["status"], "renewed");
}

#[test]
fn the_secret_is_private_and_a_weak_one_is_refused() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    dry_run(&sandbox, &project);
    let secret = sandbox.home().join(".aos/confirm.secret");
    let state = disk::state(&sandbox.home().join(".aos"));
    assert!(
        matches!(&state["confirm.secret"], disk::Entry::File { bytes, mode: 0o600 } if bytes.len() == 32)
    );
    disk::set_mode(&secret, 0o644);
    let error = sandbox
        .aos_in(&project, &[&TO[..], &["--dry-run", "--diff"]].concat())
        .error("E_CONFIG", 4);
    assert!(error["message"].as_str().unwrap().contains("confirm.secret"), "{error}");
    disk::set_mode(&secret, 0o600);
    std::fs::write(&secret, "short").unwrap();
    sandbox.aos_in(&project, &[&TO[..], &["--dry-run", "--diff"]].concat()).error("E_CONFIG", 4);
    std::fs::remove_file(&secret).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &secret).unwrap();
    let answer = sandbox.aos_in(&project, &[&TO[..], &["--dry-run", "--diff"]].concat());
    assert_eq!(answer.json()["ok"], false);
}

#[test]
fn first_runs_at_the_same_time_agree_on_one_secret() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    for _ in 0..6 {
        let children: Vec<_> = (0..6)
            .map(|_| {
                let mut command = sandbox.command(&[&TO[..], &["--dry-run", "--diff"]].concat());
                command.current_dir(&project).stdout(Stdio::piped()).stderr(Stdio::piped());
                command.spawn().expect("the binary starts")
            })
            .collect();
        let answers: Vec<_> =
            children.into_iter().map(|child| answer(child.wait_with_output().unwrap())).collect();
        for dry_run in &answers {
            let token = dry_run.data()["confirm_token"].as_str().unwrap().to_owned();
            confirm(&sandbox, &project, &token).data();
            sandbox.aos_in(&project, &["sync-spec", "--to", "v1.1.0"]).data();
        }
        let state = sandbox.home().join(".aos");
        assert_eq!(
            disk::names(&state),
            ["audit.jsonl", "confirm-used", "confirm.secret", "writes"]
        );
        std::fs::remove_dir_all(state).unwrap();
    }
}

#[test]
fn without_a_home_a_lossless_change_runs_and_a_preview_names_the_way_out() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let bare = |arguments: &[&str]| {
        run(sandbox.command(arguments).current_dir(&project).env_remove("HOME").env_remove("PATH"))
    };
    let error = bare(&[&TO[..], &["--dry-run", "--diff"]].concat()).error("E_CONFIG", 4);
    assert!(error["details"]["fix"].as_str().unwrap().contains("AOS_HOME"), "{error}");
    assert_eq!(bare(&TO).data()["status"], "moved");
    let state = sandbox.work().join("state");
    let mut command = sandbox.command(&["sync-spec", "--to", "v1.1.0", "--dry-run"]);
    run(command.current_dir(&project).env_remove("HOME").env("AOS_HOME", &state)).data();
    assert!(state.join("confirm.secret").exists());
}

#[test]
fn dry_run_and_confirm_exclude_each_other() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    sandbox
        .aos_in(&project, &["sync-spec", "--dry-run", "--confirm", "ct_1_2"])
        .error("E_USAGE", 2);
}

#[test]
fn a_preview_names_each_value_of_the_contract_that_changes() {
    let sandbox = Sandbox::new();
    let made = sandbox.aos(&["new", "ledger", "--template", "cli-go", "--no-git"]).data();
    let project = std::path::PathBuf::from(made["path"].as_str().expect("a path"));
    let contract = project.join("contract/contract.json");
    // A tool that was made from other texts asserts them.
    disk::edit(&contract, "\"success\"", "\"all went well\"");
    disk::edit(&contract, "\"E_IO\"", "\"E_DISK\"");
    let call = ["sync-spec", "--dry-run", "--fields", "notes"];
    let data = sandbox.aos_in(&project, &call).data();
    let notes = data["notes"].as_array().expect("notes").iter().filter_map(Value::as_str);
    let notes = notes.collect::<Vec<_>>().join("\n");
    for wanted in [
        "`exit_codes.table.0` was \"all went well\", becomes \"success\"",
        "the contract loses `error_codes.core.E_DISK`: ",
        "exit was 1",
        "new values",
    ] {
        assert!(notes.contains(wanted), "{wanted}: {notes}");
    }
}

#[test]
fn a_move_to_another_tag_is_described_by_a_few_notes() {
    let sandbox = Sandbox::new();
    let made = sandbox.aos(&["new", "ledger", "--template", "cli-go", "--no-git"]).data();
    let project = std::path::PathBuf::from(made["path"].as_str().expect("a path"));
    let lost = "the contract loses 4 members: `capabilities`";
    for tag in ["v1.0.0", "v1.1.0"] {
        let call = ["sync-spec", "--to", tag, "--dry-run", "--format", "text"];
        let text = sandbox.aos_in(&project, &call).stdout;
        let notes: Vec<_> = text.lines().filter(|line| line.starts_with("note: ")).collect();
        assert!((2..=9).contains(&notes.len()), "{tag}: {notes:#?}");
        assert!(notes.iter().any(|note| note.contains(lost)), "{tag}: {notes:#?}");
        assert!(text.lines().count() <= 40, "{text}");
    }
}
