//! The Skill sync when a program is missing, lies, hangs, or must not run: with an `npx` of the test's own.

use std::path::Path;
use std::time::{Duration, Instant};

use super::skill_bench::{Bench, NEW, OLD, as_map, installed};

const CANONICAL: &str = ".agents/skills/aos";
/// Writes where a test can see that it ran.
const RAN: &str = "touch ~/npx-ran";
/// A Node that every bench has.
const NODE: &str = "echo v20.20.2";

/// A bench whose npx does as it is told.
fn with_npx(script: &str) -> Bench {
    let mut bench = Bench::new();
    bench.shim("node", NODE);
    bench.shim("npx", script);
    bench
}

fn ran(bench: &Bench) -> bool {
    bench.home().join("npx-ran").exists()
}

/// Puts the new Skill where the installer would.
fn well(bench: &Bench) -> String {
    let ready = bench.install("ready", &NEW);
    format!(
        "rm -rf ~/{CANONICAL}; mkdir -p ~/.agents/skills; cp -R '{}' ~/{CANONICAL}",
        ready.display()
    )
}

#[test]
fn a_run_that_writes_nothing_and_is_content_has_failed() {
    let bench = with_npx("echo Done");
    let synced = bench.sync();
    synced.is("failed", Some("verify_mismatch"));
    assert_eq!(synced.report["exit"], 0);
    assert_eq!(synced.text("output_tail"), "Done");
}

#[test]
fn a_run_that_writes_half_of_it_has_failed() {
    let bench = with_npx("mkdir -p ~/.agents/skills/aos; echo x >~/.agents/skills/aos/SKILL.md");
    let synced = bench.sync();
    synced.is("failed", Some("verify_mismatch"));
    assert_eq!(synced.stale_paths(), [CANONICAL]);
    assert_eq!(synced.report["places"][0]["causes"], serde_json::json!(["content", "missing"]));
}

#[test]
fn ends_of_lines_are_named_as_the_difference_and_are_nobodys_work() {
    let bench = with_npx("exit 0");
    let foreign = NEW.map(|(path, text)| (path, text.replace('\n', "\r\n")));
    let foreign = foreign.each_ref().map(|(path, text)| (*path, text.as_str()));
    bench.install(CANONICAL, &foreign);
    let synced = bench.sync();
    synced.is("failed", Some("verify_mismatch"));
    assert_eq!(synced.report["places"][0]["causes"], serde_json::json!(["eol", "eol"]));
    assert_eq!(synced.report["backups"].as_array().map(Vec::len), Some(0));
}

#[test]
fn a_missing_npx_is_named() {
    let mut bench = Bench::new();
    bench.shim("node", NODE);
    bench.only(&["git"]);
    let synced = bench.sync();
    synced.is("failed", Some("npx_missing"));
    assert!(
        synced.text("command").starts_with(
            "npx --yes skills@1.7.4 add https://github.com/acme/aos/tree/v1.3.0 -y -g"
        )
    );
    assert!(synced.notes().contains("install Node"), "{}", synced.notes());
}

#[test]
fn a_missing_node_and_a_missing_git_are_named() {
    let mut bench = Bench::new();
    bench.shim("npx", RAN);
    bench.only(&["git", "touch"]);
    bench.sync().is("failed", Some("node_missing"));
    let mut bench = Bench::new();
    bench.shim("npx", RAN);
    bench.shim("node", NODE);
    bench.only(&["touch"]);
    bench.sync().is("failed", Some("git_missing"));
    assert!(!ran(&bench));
}

#[test]
fn a_node_that_is_too_old_is_named() {
    let mut bench = with_npx(RAN);
    bench.shim("node", "echo v18.20.4");
    let synced = bench.sync();
    synced.is("failed", Some("node_too_old"));
    assert!(synced.notes().contains("18.20.4"), "{}", synced.notes());
    assert!(!ran(&bench));
}

#[test]
fn each_node_gets_the_installer_that_it_can_run() {
    for (node, installer) in [("v20.12.0", "skills@1.5.16"), ("v24.1.0", "skills@1.7.4")] {
        let mut bench = with_npx("echo \"$@\"");
        bench.shim("node", &format!("echo {node}"));
        let said = bench.sync().text("output_tail");
        assert!(said.starts_with(&format!("--yes {installer} add ")), "{said}");
    }
}

#[test]
fn nothing_runs_offline_or_without_a_home() {
    let mut bench = with_npx(RAN);
    bench.set("AOS_OFFLINE", "1");
    bench.sync().is("failed", Some("offline"));
    bench.unset("AOS_OFFLINE");
    bench.unset("HOME");
    bench.sync().is("failed", Some("no_home"));
    assert!(!ran(&bench));
}

#[test]
fn what_is_current_needs_no_program_at_all() {
    let mut bench = Bench::new();
    bench.install(CANONICAL, &NEW);
    bench.install(".claude/skills/aos", &NEW);
    bench.set("PATH", bench.home());
    bench.set("AOS_OFFLINE", "1");
    let synced = bench.sync();
    synced.is("current", None);
    assert_eq!(synced.places().len(), 2);
}

#[test]
fn a_work_tree_of_a_developer_is_left_alone() {
    let bench = with_npx(RAN);
    bench.install("src/aos/skills/aos", &OLD);
    bench.install("src/aos/.git", &[("HEAD", "ref: refs/heads/main\n")]);
    bench.make(".agents/skills");
    std::os::unix::fs::symlink("../../src/aos/skills/aos", bench.home().join(CANONICAL))
        .expect("a link");
    bench.install(".claude/skills/aos", &OLD);
    let synced = bench.sync();
    synced.is("skipped", Some("developer_link"));
    assert!(synced.notes().contains("work tree"), "{}", synced.notes());
    assert!(!ran(&bench));
    assert_eq!(installed(&bench.home().join("src/aos/skills/aos")), as_map(&OLD));
}

#[test]
fn work_that_cannot_be_kept_is_not_replaced() {
    let mut bench = with_npx(RAN);
    bench.install(CANONICAL, &[("SKILL.md", "mine\n")]);
    let state = bench.install("", &[("state", "not a directory")]).join("state");
    bench.set("AOS_HOME", state);
    let synced = bench.sync();
    synced.is("failed", Some("backup_failed"));
    assert!(!ran(&bench));
    assert_eq!(installed(&bench.home().join(CANONICAL)), as_map(&[("SKILL.md", "mine\n")]));
}

#[test]
fn the_same_work_is_kept_once_however_often_a_sync_fails() {
    let bench = with_npx("exit 1");
    bench.install(CANONICAL, &[("SKILL.md", "mine\n")]);
    let first = bench.sync();
    first.is("failed", Some("installer_failed"));
    let second = bench.sync();
    assert_eq!(first.report["backups"], second.report["backups"]);
    assert_eq!(first.report["backups"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_copy_that_no_run_can_reach_is_named_for_a_person() {
    let mut bench = with_npx("");
    let script = well(&bench);
    bench.shim("npx", &format!("{RAN}; {script}"));
    bench.install(".cursor/skills/aos", &OLD);
    let synced = bench.sync();
    synced.is("failed", Some("unmanaged_copy"));
    assert_eq!(synced.stale_paths(), [".cursor/skills/aos"]);
    assert!(synced.notes().contains("remove it"), "{}", synced.notes());
}

#[test]
fn a_copy_that_stays_wrong_after_the_second_run_is_a_failure() {
    let mut bench = with_npx("");
    let script = well(&bench);
    bench.shim("npx", &format!("echo \"$@\" >>~/calls; {script}"));
    bench.install(".claude/skills/aos", &OLD);
    let synced = bench.sync();
    synced.is("failed", Some("verify_mismatch"));
    assert_eq!(synced.stale_paths(), [".claude/skills/aos"]);
    assert!(synced.text("command").ends_with("-y -g -a universal claude-code"));
    let calls = std::fs::read_to_string(bench.home().join("calls")).expect("calls");
    assert_eq!(calls.lines().count(), 2);
}

#[test]
fn secrets_and_control_characters_do_not_leave() {
    let mut bench = with_npx(
        "printf '\\033[31mtoken %s\\033[0m bell \\007 https://me:%s@host/x\\n' \"$MY_TOKEN\" \"$MY_TOKEN\"; exit 3",
    );
    bench.set("MY_TOKEN", "do-not-tell");
    let synced = bench.sync();
    synced.is("failed", Some("installer_failed"));
    assert_eq!(synced.text("output_tail"), "token [hidden] bell \\u{7} https://[hidden]host/x");
    assert!(!synced.report.to_string().contains("do-not-tell"));
}

#[test]
fn npx_runs_in_a_private_directory_without_signs_of_agents() {
    let mut bench =
        with_npx("{ pwd; ls -ld . | cut -c1-10; cat package.json; env; ls -A; } >~/seen");
    bench.set("CLAUDECODE", "1");
    bench.set("XDG_CONFIG_HOME", "relative");
    bench.sync().is("failed", Some("verify_mismatch"));
    let said = std::fs::read_to_string(bench.home().join("seen")).expect("a text");
    let lines: Vec<_> = said.lines().collect();
    let directory = Path::new(lines[0]);
    assert!(directory.is_absolute() && !directory.exists(), "{said}");
    assert_eq!(&lines[1..3], ["drwx------", "{\"private\":true}"], "{said}");
    for line in [
        "DO_NOT_TRACK=1",
        "DISABLE_TELEMETRY=1",
        "NO_COLOR=1",
        "npm_config_yes=true",
        "GIT_TERMINAL_PROMPT=0",
        "GIT_CONFIG_COUNT=3",
        "GIT_CONFIG_VALUE_0=https://github.com/",
        "GIT_CONFIG_KEY_1=core.autocrlf",
    ] {
        assert!(lines.contains(&line), "{line}: {said}");
    }
    let temporary = lines.iter().find_map(|line| line.strip_prefix("TMPDIR="));
    // By name: the way to it may have links.
    assert_eq!(temporary.and_then(|path| Path::new(path).file_name()), directory.file_name());
    assert!(!said.contains("CLAUDECODE") && !said.contains("relative"), "{said}");
    assert_eq!(lines.last(), Some(&"package.json"));
}

/// Waits until no process of those in `file` runs.
#[track_caller]
fn assert_gone(file: &Path) {
    let processes = std::fs::read_to_string(file).expect("process ids");
    assert!(!processes.is_empty());
    for process in processes.lines() {
        let id = rustix::process::Pid::from_raw(process.parse().expect("a number"));
        // A container may have nobody who asks how a process ended.
        let is_zombie = || {
            std::fs::read_to_string(format!("/proc/{process}/stat"))
                .is_ok_and(|stat| stat.contains(") Z "))
        };
        let start = Instant::now();
        while rustix::process::test_kill_process(id.expect("a process")).is_ok() && !is_zombie() {
            assert!(start.elapsed() < Duration::from_secs(20), "{process} still runs");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn a_run_that_hangs_ends_with_everything_it_started() {
    // The whole tree ignores the request to end, as a program in an endless loop would.
    let mut bench = with_npx(
        "trap '' TERM INT; exec 3>~/processes; echo $$ >&3; (sleep 600 & echo $! >&3; sleep 600) & echo $! >&3; sleep 600",
    );
    bench.set("AOS_TEST_SKILL_LIMIT_MS", "4000");
    let start = Instant::now();
    let synced = bench.sync();
    synced.is("failed", Some("timed_out"));
    assert!(start.elapsed() < Duration::from_secs(60));
    assert_gone(&bench.home().join("processes"));
    assert!(synced.text("command").starts_with("npx --yes skills@1.5.16 add "));
}

#[test]
fn a_run_that_hangs_after_its_work_is_done_has_succeeded() {
    let mut bench = with_npx("");
    let script = well(&bench);
    bench.shim("npx", &format!("{script}; exec sleep 600"));
    bench.set("AOS_TEST_SKILL_LIMIT_MS", "6000");
    let synced = bench.sync();
    synced.is("synced", None);
    assert!(synced.notes().contains("did not end in time"), "{}", synced.notes());
}

#[test]
fn a_signal_during_the_run_ends_it_and_is_reported() {
    for signal in [rustix::process::Signal::INT, rustix::process::Signal::TERM] {
        let bench = with_npx(
            "sleep 600 & echo $! >~/new; echo $$ >>~/new; mv ~/new ~/processes; sleep 600",
        );
        let child = bench.start(&bench.sandbox.work());
        let processes = bench.home().join("processes");
        let start = Instant::now();
        while !processes.exists() && start.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(10));
        }
        let process = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
        rustix::process::kill_process(process.expect("a process"), signal).expect("a signal");
        let synced = bench.wait(child);
        synced.is("failed", Some("interrupted"));
        assert_gone(&processes);
    }
}
