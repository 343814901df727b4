//! `aos new` leaves nothing or a complete project: kills, signals, full disks, and two runs at once.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::disk::{self, Entry};
use super::sandbox::{Answer, Sandbox, answer, run, skipped};

const NEW: [&str; 3] = ["new", "acme", "--no-git"];

fn start(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts")
}

fn end(child: Child) -> Answer {
    answer(child.wait_with_output().expect("an answer"))
}

/// The complete project, and how long it takes to make.
fn reference() -> (BTreeMap<String, Entry>, Duration) {
    let sandbox = Sandbox::new();
    let clock = Instant::now();
    let project = sandbox.connector("acme");
    (disk::state(&project), clock.elapsed())
}

/// Besides staging directories, `work` contains nothing or the complete project.
#[track_caller]
fn is_nothing_or_complete(work: &Path, complete: &BTreeMap<String, Entry>, moment: &str) -> bool {
    let names = disk::names(work);
    let stages = names.iter().filter(|name| name.starts_with(".aos-tmp-")).count();
    let whole = names.iter().any(|name| name == "aos-acme");
    assert_eq!(names.len(), stages + usize::from(whole), "{moment}: {names:?}");
    if whole {
        assert!(disk::state(&work.join("aos-acme")) == *complete, "{moment}: not complete");
    }
    whole
}

#[test]
fn a_kill_at_any_moment_leaves_nothing_or_a_complete_project_and_the_next_run_tidies_up() {
    let (complete, duration) = reference();
    let sandbox = Sandbox::new();
    let work = sandbox.work();
    let rounds = 60;
    let mut outcomes = BTreeMap::<_, u32>::new();
    for round in 0..rounds {
        let moment = duration * round * 5 / (rounds * 4);
        let mut child = start(&mut sandbox.command(&NEW));
        std::thread::sleep(moment);
        child.kill().expect("a kill");
        child.wait().expect("an end");
        let shown = format!("killed after {moment:?}");
        let whole = is_nothing_or_complete(&work, &complete, &shown);
        if whole {
            sandbox.aos(&["check", "aos-acme"]).data();
        }
        let stages = disk::names(&work).iter().filter(|name| name.starts_with(".aos-tmp-")).count();
        assert!(stages <= 1, "{shown}");
        *outcomes.entry((whole, stages)).or_default() += 1;
        let data = sandbox.aos(&NEW).data();
        assert_eq!(data["status"], if whole { "unchanged" } else { "created" }, "{shown}");
        assert_eq!(disk::names(&work), ["aos-acme"], "{shown}");
        assert!(disk::state(&work.join("aos-acme")) == complete, "{shown}");
        std::fs::remove_dir_all(work.join("aos-acme")).unwrap();
    }
    println!("(project, staging directories): rounds = {outcomes:?}");
}

#[test]
fn a_kill_while_git_runs_leaves_nothing_or_a_complete_project() {
    let sandbox = Sandbox::new();
    let identity = "[user]\n\tname = Ann\n\temail = ann@example.com\n";
    std::fs::write(sandbox.home().join(".gitconfig"), identity).unwrap();
    let clock = Instant::now();
    sandbox.aos(&["new", "acme"]).data();
    let duration = clock.elapsed();
    let complete = disk::state(&sandbox.work().join("aos-acme"));
    std::fs::remove_dir_all(sandbox.work().join("aos-acme")).unwrap();
    for round in 0..16 {
        let moment = duration * round / 14;
        let mut child = start(&mut sandbox.command(&["new", "acme"]));
        std::thread::sleep(moment);
        child.kill().expect("a kill");
        child.wait().expect("an end");
        let shown = format!("killed after {moment:?}");
        if is_nothing_or_complete(&sandbox.work(), &complete, &shown) {
            let head = sandbox.work().join("aos-acme/.git/refs/heads/main");
            assert!(head.exists(), "{shown}: the commit is missing");
            std::fs::remove_dir_all(sandbox.work().join("aos-acme")).unwrap();
        }
    }
    // A git that outlives its parent for a moment may still write into a staging directory.
    std::thread::sleep(Duration::from_millis(500));
    sandbox.aos(&["new", "acme"]).data();
    assert_eq!(disk::names(&sandbox.work()), ["aos-acme"]);
}

#[test]
fn a_kill_at_each_named_point_leaves_what_the_point_says() {
    let (complete, _) = reference();
    for (point, whole) in
        [("new:staged", false), ("new:before-rename", false), ("new:renamed", true)]
    {
        let sandbox = Sandbox::new();
        let work = sandbox.work();
        let killed = run(sandbox.command(&NEW).env("AOS_TEST_KILL_AT", point));
        assert_eq!(killed.exit, None, "{point}: {killed:?}");
        assert_eq!(is_nothing_or_complete(&work, &complete, point), whole, "{point}");
        assert_eq!(
            disk::names(&work).len(),
            1 + usize::from(whole),
            "{point}: a staging directory"
        );
        let stage = disk::names(&work).into_iter().find(|name| name.starts_with(".aos-tmp-"));
        let ignored = work.join(stage.expect("a staging directory")).join(".gitignore");
        assert_eq!(disk::read(&ignored), "*\n", "{point}: git would see what was left");
        let data = sandbox.aos(&NEW).data();
        assert_eq!(data["status"], if whole { "unchanged" } else { "created" }, "{point}");
        assert_eq!(disk::names(&work), ["aos-acme"], "{point}");
    }
}

#[test]
fn no_staging_directory_that_this_machine_did_not_make_is_removed() {
    let sandbox = Sandbox::new();
    let work = sandbox.work();
    for kept in [
        ".aos-tmp-foo",
        ".aos-tmp-",
        ".aos-tmp-0123456789abcdeg",
        ".aos-tmp-0123456789abcdef0",
        "aos-tmp-0123456789abcdef",
    ] {
        sandbox.write(&format!("{kept}/mine.txt"), "mine\n");
    }
    sandbox.write(".aos-tmp-1111111111111111", "a file\n");
    std::os::unix::fs::symlink("aos-tmp-0123456789abcdef", work.join(".aos-tmp-2222222222222222"))
        .unwrap();
    sandbox.write(".aos-tmp-3333333333333333/tree/file", "of a run that lives\n");
    let held = std::fs::File::open(work.join(".aos-tmp-3333333333333333")).unwrap();
    held.try_lock().expect("a lock");
    // The ledger of this machine does not have it: a repository may have brought it along.
    sandbox.write(".aos-tmp-4444444444444444/tree/file", "of nobody here\n");
    let kept = disk::state(&work);
    sandbox.aos(&NEW).data();
    let mut left = disk::state(&work);
    left.retain(|path, _| !path.starts_with("aos-acme"));
    assert_eq!(left, kept);
}

#[test]
fn a_signal_ends_the_run_with_one_envelope_and_nothing_left() {
    let sandbox = Sandbox::new();
    for signal in [rustix::process::Signal::INT, rustix::process::Signal::TERM] {
        let child = start(sandbox.command(&NEW).env("AOS_TEST_PAUSE_AT", "new:staged"));
        wait_for(|| disk::names(&sandbox.work()).len() == 1);
        std::thread::sleep(Duration::from_millis(300));
        let process = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(process, signal).unwrap();
        end(child).error("E_INTERRUPTED", 130);
        assert_eq!(disk::names(&sandbox.work()), Vec::<String>::new());
    }
}

#[test]
fn a_signal_at_any_moment_leaves_nothing_or_a_complete_project() {
    let (complete, duration) = reference();
    let sandbox = Sandbox::new();
    for round in 0..30 {
        let moment = duration * round / 25;
        let child = start(&mut sandbox.command(&NEW));
        std::thread::sleep(moment);
        let process = rustix::process::Pid::from_child(&child);
        let _ = rustix::process::kill_process(process, rustix::process::Signal::INT);
        let answer = end(child);
        let shown = format!("interrupted after {moment:?}: {answer:?}");
        let whole = is_nothing_or_complete(&sandbox.work(), &complete, &shown);
        assert!(!disk::names(&sandbox.work()).iter().any(|name| name.starts_with('.')), "{shown}");
        match answer.exit {
            Some(0) => assert!(whole, "{shown}"),
            Some(130) => {
                answer.error("E_INTERRUPTED", 130);
                assert!(!whole, "{shown}");
            }
            // Before aos listens, the system ends it.
            exit => assert!(exit.is_none() && !whole, "{shown}"),
        }
        let _ = std::fs::remove_dir_all(sandbox.work().join("aos-acme"));
    }
}

#[test]
fn of_several_runs_for_one_target_exactly_one_creates_it() {
    let (complete, _) = reference();
    for round in 0..8 {
        let sandbox = Sandbox::new();
        let children: Vec<_> = (0..4).map(|_| start(&mut sandbox.command(&NEW))).collect();
        let mut created = 0;
        for answer in children.into_iter().map(end) {
            match answer.exit {
                Some(0) => created += u32::from(answer.data()["status"] == "created"),
                _ => drop(answer.error("E_CONFLICT", 6)),
            }
        }
        assert_eq!(created, 1, "round {round}");
        assert!(is_nothing_or_complete(&sandbox.work(), &complete, "after the race"));
        assert_eq!(disk::names(&sandbox.work()), ["aos-acme"]);
    }
}

#[test]
fn runs_for_different_targets_in_one_directory_do_not_disturb_each_other() {
    for round in 0..6 {
        let sandbox = Sandbox::new();
        let names: Vec<_> = (0..8).map(|index| format!("tool{index}")).collect();
        let children: Vec<_> = names
            .iter()
            .map(|name| start(&mut sandbox.command(&["new", name, "--no-git"])))
            .collect();
        for child in children {
            let answer = end(child);
            assert_eq!(answer.exit, Some(0), "round {round}: {answer:?}");
        }
        let expected: Vec<_> = names.iter().map(|name| format!("aos-{name}")).collect();
        assert_eq!(disk::names(&sandbox.work()), expected, "round {round}");
    }
}

#[test]
fn a_directory_that_may_not_be_written_is_forbidden_and_named() {
    let sandbox = Sandbox::new();
    let place = sandbox.work().join("closed");
    std::fs::create_dir(&place).unwrap();
    disk::set_mode(&place, 0o555);
    // Root writes anywhere but in the kernel's own tree.
    let place = if rustix::process::geteuid().is_root() { "/sys" } else { place.to_str().unwrap() };
    let error = sandbox.aos(&["new", "acme", "--no-git", "--dir", place]).error("E_FORBIDDEN", 4);
    assert!(error["message"].as_str().unwrap().contains(place), "{error}");
    assert!(error["details"]["fix"].is_string(), "{error}");
}

#[test]
fn a_write_that_fails_half_way_leaves_nothing() {
    let sandbox = Sandbox::new();
    // No file may be larger than 4 KiB: some of the project's files fit, others do not.
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
    let mut command = sandbox.command(&[]);
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(command.get_program()).args(NEW).current_dir(sandbox.work());
    shell.env_clear().env("HOME", sandbox.home()).env("PATH", "/usr/bin:/bin");
    let error = run(&mut shell).error("E_IO", 1);
    assert!(error["message"].as_str().unwrap().contains("cannot write"), "{error}");
    assert_eq!(disk::names(&sandbox.work()), Vec::<String>::new());
    run(command.args(NEW)).data();
}

#[test]
fn a_full_disk_leaves_nothing_and_says_so() {
    let sandbox = Sandbox::new();
    let disk = sandbox.work().join("small");
    std::fs::create_dir(&disk).unwrap();
    // A mount of its own name space goes away with the shell.
    let script = "mount -t tmpfs -o size=128k none small && cd small && { \"$0\" new acme --no-git; code=$?; ls -A >&2; exit $code; } || exit $?";
    let isolated = Command::new("unshare").args(["-rm", "true"]).output();
    let mountable = isolated.is_ok_and(|output| output.status.success());
    if !mountable {
        skipped("a_full_disk_leaves_nothing_and_says_so", "`unshare -rm` is not allowed here");
        return;
    }
    let aos = sandbox.command(&[]).get_program().to_owned();
    let mut shell = Command::new("unshare");
    shell.args(["-rm", "sh", "-c", script]).arg(aos).current_dir(sandbox.work());
    let answer = run(&mut shell);
    let error = answer.error("E_IO", 1);
    let hint = error["details"]["fix"].as_str().unwrap();
    assert!(hint.contains("free some disk space"), "{error}");
    assert_eq!(answer.stderr, "", "what is left on the full disk");
}

fn wait_for(condition: impl Fn() -> bool) {
    let clock = Instant::now();
    while !condition() {
        assert!(clock.elapsed() < Duration::from_secs(30), "nothing happened for 30 s");
        std::thread::sleep(Duration::from_millis(2));
    }
}
