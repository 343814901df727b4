//! A signal at every stage: one envelope, exit 130, nothing half done, and the truth about what runs now.

use std::process::{Child, Stdio};
use std::time::Duration;

use super::host::Reply;
use super::setup::{
    BUNDLE, CHECKSUMS, LATEST, NEWER, RUNNING, Release, Setup, archive_name, asset, original_bytes,
    row, run, wait_until,
};
use crate::sandbox::{Answer, answer};

const LONG: Duration = Duration::from_secs(30);

/// Starts an update that has time, and waits until the host was asked for `path`.
fn started(setup: &Setup, path: &str) -> Child {
    let mut command = setup.update_command(&[]);
    command.env("AOS_TEST_HTTP_LIMIT_MS", "60000").stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("it starts");
    wait_until(|| setup.host.paths().iter().any(|seen| seen == path));
    child
}

fn signalled(child: Child, signal: rustix::process::Signal) -> Answer {
    let id =
        rustix::process::Pid::from_raw(i32::try_from(child.id()).expect("a pid")).expect("a pid");
    rustix::process::kill_process(id, signal).expect("it runs");
    answer(child.wait_with_output().expect("it ends"))
}

#[test]
fn a_signal_before_the_swap_changes_nothing() {
    use rustix::process::Signal;
    for signal in [Signal::INT, Signal::TERM] {
        for (path, stage) in [
            (LATEST.to_owned(), "discover"),
            (asset(NEWER, CHECKSUMS), "download"),
            (asset(NEWER, BUNDLE), "download"),
            (asset(NEWER, &archive_name(NEWER)), "download"),
        ] {
            let setup = Setup::new();
            setup.host.set(&path, Reply::cut(100_000, b"{").then_stall());
            let described = Release::new(NEWER).describe(&setup.host, &setup.sigstore);
            if path != LATEST {
                // The size of the stalled asset must not end the wait first.
                let mut described = described;
                for asset in described["assets"].as_array_mut().expect("assets") {
                    asset.as_object_mut().expect("an asset").remove("size");
                }
                setup.host.set(LATEST, Reply::json(&described));
                setup.host.set(&path, Reply::cut(100_000, b"{").then_stall());
            }
            let child = started(&setup, &path);
            std::thread::sleep(Duration::from_millis(50));
            let answer = signalled(child, signal);
            let error = row(stage, "E_INTERRUPTED", 130).check(&setup, &answer);
            assert_eq!(error["message"], format!("cancelled, no change, still on {RUNNING}"));
        }
    }
}

// The signal arrives while the new program is started for the check.
#[test]
fn a_signal_while_the_new_program_is_tried_changes_nothing() {
    let setup = Setup::empty();
    let marker = setup.place("started");
    let script = format!("#!/bin/sh\n: >'{}'\nsleep 30\n", marker.display());
    setup.publish(&Release::of(NEWER, script.as_bytes()));
    let child = started(&setup, LATEST);
    wait_until(|| marker.exists());
    let answer = signalled(child, rustix::process::Signal::INT);
    row("replace", "E_INTERRUPTED", 130).check(&setup, &answer);
}

#[test]
fn a_signal_during_the_skill_is_a_partial_success() {
    let setup = Setup::new();
    let marker = setup.place("started");
    setup.npx("slow", &format!(": >'{}'\nsleep 60\n", marker.display()));
    let child = started(&setup, LATEST);
    wait_until(|| marker.exists());
    let answer = signalled(child, rustix::process::Signal::TERM);
    let error = answer.error("E_INTERRUPTED", 130);
    let details = &error["details"];
    assert_eq!(details["stage"], "skill_sync");
    assert_eq!(details["binary_replaced"], true);
    assert_eq!(details["current_version"], NEWER);
    assert!(details["skill_sync_command"].is_string());
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|text| text.contains(&format!("aos is at {NEWER} now")))
    );
    setup.is_clean();
}

// The signal arrives during the rename; the response says which version is installed.
#[test]
fn a_signal_during_the_swap_reports_the_installed_version() {
    for (point, replaced) in [("update:before-rename", true), ("update:renamed", true)] {
        let setup = Setup::new();
        setup.good_npx(NEWER);
        let mut command = setup.update_command(&[]);
        command.env("AOS_TEST_PAUSE_AT", point).stdout(Stdio::piped());
        let child = command.spawn().expect("it starts");
        let archive = asset(NEWER, &archive_name(NEWER));
        wait_until(|| setup.host.paths().contains(&archive));
        // The download is thrown away right before the swap, and the pause comes after that.
        wait_until(|| std::fs::read_dir(setup.place("tmp")).expect("a directory").count() == 0);
        if point == "update:renamed" {
            wait_until(|| std::fs::read(setup.program()).expect("a program") != original_bytes());
        }
        std::thread::sleep(Duration::from_millis(300));
        let answer = signalled(child, rustix::process::Signal::INT);
        let error = answer.error("E_INTERRUPTED", 130);
        assert_eq!(error["details"]["binary_replaced"], replaced, "{point}");
        assert_eq!(error["details"]["current_version"], NEWER);
        let now = run(&mut setup.command(&["--version"])).stdout;
        assert_eq!(now.trim(), format!("aos {NEWER}"));
        setup.is_clean();
    }
}

// More signals change nothing. An installer that ignores them is killed, and there is a response.
#[test]
fn more_signals_change_nothing() {
    use rustix::process::Signal;
    for signals in
        [[Signal::INT, Signal::INT], [Signal::TERM, Signal::INT], [Signal::HUP, Signal::HUP]]
    {
        let setup = Setup::new();
        let (marker, late) = (setup.place("started"), setup.place("late"));
        setup.npx(
            "deaf",
            &format!(
                "trap '' TERM INT HUP\n: >'{}'\nsleep 9\n: >'{}'\n",
                marker.display(),
                late.display()
            ),
        );
        let child = started(&setup, LATEST);
        wait_until(|| marker.exists());
        let id = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
        rustix::process::kill_process(id.expect("a pid"), signals[0]).expect("it runs");
        std::thread::sleep(Duration::from_millis(300));
        let answer = signalled(child, signals[1]);
        let error = answer.error("E_INTERRUPTED", 130);
        assert_eq!(error["details"]["binary_replaced"], true);
        assert_eq!(error["details"]["current_version"], NEWER);
        assert!(!late.exists(), "the installer lived on");
        setup.is_clean();
    }
}

// A host that is slow to look up or connect to must not hold up the end.
#[test]
fn an_interrupted_update_ends_at_once() {
    let setup = Setup::new();
    setup.host.set(LATEST, Reply::wire(b"").after(LONG));
    let child = started(&setup, LATEST);
    let before = std::time::Instant::now();
    let answer = signalled(child, rustix::process::Signal::INT);
    row("discover", "E_INTERRUPTED", 130).check(&setup, &answer);
    assert!(before.elapsed() < Duration::from_secs(10), "it waited for the host");
}
