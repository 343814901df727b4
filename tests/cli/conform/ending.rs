//! A run that ends early leaves nothing: the tool hangs, aos gets a signal, or aos is killed.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::super::sandbox::{Sandbox, answer};
use super::{executable, with_verdict};

/// A run over a shell script, with temporary files in a directory of the sandbox.
fn command(sandbox: &Sandbox, script: &str, more: &[&str]) -> Command {
    executable(&sandbox.write("tool", &format!("#!/bin/sh\n{script}\n")));
    let temporary = sandbox.work().join("tmp");
    std::fs::create_dir_all(&temporary).expect("a directory");
    let mut arguments = vec!["conform", "--family", "harness", "--jobs", "2"];
    arguments.extend(more);
    arguments.extend(["--", "./tool"]);
    let mut command = sandbox.command(&arguments);
    command.env("TMPDIR", temporary).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Whether a process with this argument runs.
fn runs(argument: &str) -> bool {
    let found = Command::new("pgrep").args(["-f", argument]).output().expect("pgrep runs");
    !found.stdout.is_empty()
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(90), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn left_behind(sandbox: &Sandbox) -> Vec<String> {
    let entries = std::fs::read_dir(sandbox.work().join("tmp")).expect("a directory");
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.collect()
}

fn signal(child: &Child, signal: &str) {
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(status.expect("kill runs").success());
}

#[test]
fn a_tool_that_hangs_is_not_called_again_and_again() {
    let sandbox = Sandbox::new();
    let started = Instant::now();
    let answer =
        answer(command(&sandbox, "exec sleep 7421", &["--all"]).output().expect("aos runs"));
    let error = answer.error("E_NONCONFORMANT", 6);
    assert!(started.elapsed() < Duration::from_secs(200), "{:?}", started.elapsed());
    let details = &error["details"];
    assert_eq!(details["summary"]["pass"], 0);
    assert!((1..=4).contains(&with_verdict(details, "fail").len()), "{error:#}");
    let results = details["results"].as_array().expect("results");
    // Calls run side by side, so a fourth may end before the third is judged.
    let hangs = results.iter().filter(|result| {
        let message = result["message"].as_str().unwrap_or_default();
        ["the tool hangs: 3", "the tool hangs: 4"].iter().any(|start| message.starts_with(start))
    });
    assert!(hangs.count() > 40, "{error:#}");
    assert!(!runs("sleep 7421"));
}

#[test]
fn a_signal_ends_the_run_with_one_answer_and_nothing_is_left() {
    for name in ["-INT", "-TERM"] {
        let sandbox = Sandbox::new();
        let script = "trap '' INT; (setsid sleep 7422 &); sleep 7422 & sleep 7422";
        let child = command(&sandbox, script, &[]).spawn().expect("aos runs");
        wait_until("the tool starts", || runs("sleep 7422"));
        signal(&child, name);
        let started = Instant::now();
        let answer = answer(child.wait_with_output().expect("aos ends"));
        answer.error("E_INTERRUPTED", 130);
        assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
        assert!(!runs("sleep 7422"), "{name}");
        assert_eq!(left_behind(&sandbox), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn a_kill_of_aos_leaves_no_process_of_the_tool() {
    let sandbox = Sandbox::new();
    let script = "(setsid sleep 7423 &); sleep 7423 & sleep 7423";
    let mut child = command(&sandbox, script, &[]).spawn().expect("aos runs");
    wait_until("the tool starts", || runs("sleep 7423"));
    child.kill().expect("a kill");
    child.wait().expect("an end");
    wait_until("no process is left", || !runs("sleep 7423") && !runs("tool --json"));
    // The directories that aos itself could not remove are gone as well.
    wait_until("no directory is left", || left_behind(&sandbox).is_empty());
}

#[test]
fn directories_of_killed_runs_are_swept_and_nothing_else() {
    let sandbox = Sandbox::new();
    let mut command = command(&sandbox, "exit 0", &["--probe", "harness.one-document"]);
    let place = sandbox.work().join("tmp");
    let make = |name: &str| {
        std::fs::create_dir_all(place.join(name).join("below")).expect("a directory");
        std::fs::write(place.join(name).join("below/file"), "x").expect("a file");
    };
    make("aos-run-0123456789abcdef");
    make("aos-run-held");
    make("aos-fedcba9876543210");
    make("kept");
    let link = |name: &str| {
        std::os::unix::fs::symlink(place.join("kept"), place.join(name)).expect("a link");
    };
    link("aos-run-aaaaaaaaaaaaaaaa");
    std::os::unix::fs::symlink(
        place.join("kept"),
        place.join("aos-run-0123456789abcdef/below/link"),
    )
    .expect("a link");
    make("aos-run-bbbbbbbbbbbbbbbb");
    let held = std::fs::File::open(place.join("aos-run-bbbbbbbbbbbbbbbb")).expect("a directory");
    held.lock().expect("a lock");
    answer(command.output().expect("aos runs")).error("E_NONCONFORMANT", 6);
    let mut left = left_behind(&sandbox);
    left.sort();
    let wanted = [
        "aos-fedcba9876543210",
        "aos-run-aaaaaaaaaaaaaaaa",
        "aos-run-bbbbbbbbbbbbbbbb",
        "aos-run-held",
        "kept",
    ];
    assert_eq!(left, wanted);
    assert!(Path::new(&place.join("kept/below/file")).exists());
}

#[test]
fn a_process_that_left_its_session_is_named_in_the_report() {
    let sandbox = Sandbox::new();
    let script = "(setsid sleep 7424 >/dev/null 2>&1 &); sleep 0.2; exit 1";
    let more = ["--probe", "harness.one-document", "--format", "text"];
    let answer = answer(command(&sandbox, script, &more).output().expect("aos runs"));
    let line = answer.stdout.lines().find(|line| line.contains("left the session"));
    assert!(line.is_some_and(|line| line.contains("sleep")), "{}", answer.stdout);
    assert!(!runs("sleep 7424"));
}
