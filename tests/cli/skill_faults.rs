//! The Skill sync when a program is missing, reports false results, hangs, or must not run; the test has its own `npx`.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use super::skill_bench::{Bench, NEW, OLD, Synced, as_map, installed};

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
fn a_run_that_writes_nothing_leaves_the_work_to_aos() {
    for script in ["echo Done", "echo Done; exit 3"] {
        let bench = with_npx(script);
        let synced = bench.sync();
        synced.is("synced", None);
        assert_eq!(synced.text("output_tail"), "Done");
        assert_eq!(installed(&bench.home().join(CANONICAL)), as_map(&NEW));
        assert!(synced.notes().contains("aos installed the verified files"), "{}", synced.notes());
    }
}

/// Agents now read the verified files, and the foreign files are where no agent looks.
#[track_caller]
fn is_repaired(bench: &Bench, synced: &Synced, place: &str, causes: &serde_json::Value) {
    synced.is("failed", Some("verify_mismatch"));
    let repairs = synced.report["repairs"].as_array().expect("repairs");
    let repair = repairs
        .iter()
        .find(|repair| repair["path"].as_str().is_some_and(|path| path.ends_with(place)))
        .unwrap_or_else(|| panic!("no repair of {place}: {:#}", synced.report));
    assert_eq!(repair["live"], "verified", "{repair}");
    assert_eq!(&repair["causes"], causes, "{repair}");
    assert_eq!(installed(&bench.home().join(place)), as_map(&NEW), "{place}");
    let quarantine = Path::new(repair["quarantine"].as_str().expect("a quarantine"));
    assert!(quarantine.starts_with(bench.home().join(".aos/skill-quarantine")), "{repair}");
    assert!(quarantine.symlink_metadata().is_ok(), "{repair}");
    assert!(!bench.home().join(".aos/skill-sync.json").exists(), "the journal has ended");
    // The next sync has nothing to do.
    let mut again = synced.text("command");
    again.truncate("aos update --target-version ".len());
    assert_eq!(again, "aos update --target-version ");
    bench.sync().is("current", None);
}

#[test]
fn foreign_files_of_an_installer_do_not_stay() {
    let cases = [
        ("echo evil >\"$to/SKILL.md\"", json!(["content"])),
        ("echo evil >\"$to/evil.md\"", json!(["extra"])),
        ("mkdir -p \"$to/deep/er\"; echo evil >\"$to/deep/er/evil.md\"", json!(["extra"])),
        ("rm \"$to/test-prompts.json\"", json!(["missing"])),
        ("rm -r \"$to\"; mkdir \"$to\"", json!(["missing", "missing"])),
        ("chmod 755 \"$to/SKILL.md\"", json!(["mode"])),
        ("echo '[]' | tr -d '\\n' >\"$to/test-prompts.json\"", json!(["content"])),
        ("printf '[]\\r\\n' >\"$to/test-prompts.json\"", json!(["eol"])),
        (
            "mkdir \"$to/.git\"; echo x >\"$to/.git/HEAD\"; echo evil >\"$to/SKILL.md\"",
            json!(["content"]),
        ),
        // Files that an installer leaves out, but that an agent would read.
        ("echo '{}' >\"$to/metadata.json\"", json!([])),
        ("mkdir \"$to/__pycache__\"; echo x >\"$to/__pycache__/x.pyc\"", json!([])),
        ("ln -s nowhere \"$to/link.md\"", json!([])),
        ("rm -r \"$to\"; echo evil >\"$to\"", json!(["extra", "missing", "missing"])),
    ];
    for (change, causes) in cases {
        for before in [None, Some(OLD)] {
            let mut bench = with_npx("");
            let script = well(&bench);
            bench.shim("npx", &format!("{script}; to=~/{CANONICAL}; {change}"));
            if let Some(before) = before {
                bench.install(CANONICAL, &before);
            }
            let synced = bench.sync();
            let repairs = synced.report["repairs"][0]["causes"].as_array().cloned();
            let mut found = repairs.unwrap_or_default();
            found.sort_by_key(ToString::to_string);
            assert_eq!(serde_json::Value::from(found), causes, "{change}: {:#}", synced.report);
            is_repaired(&bench, &synced, CANONICAL, &synced.report["repairs"][0]["causes"]);
        }
    }
}

#[test]
fn foreign_files_do_not_stay_in_any_directory_of_an_agent() {
    // The last ones are in no list.
    for place in [
        ".claude/skills/aos",
        ".cursor/skills/aos",
        ".config/goose/skills/aos",
        ".roo/skills/aos",
        ".never-heard-of/skills/aos",
        ".config/never/skills/aos",
    ] {
        for before in [None, Some(OLD), Some(NEW)] {
            let mut bench = with_npx("");
            let script = well(&bench);
            bench.shim(
                "npx",
                &format!("{script}; mkdir -p ~/{place}; echo evil >~/{place}/SKILL.md; echo evil >~/{place}/x.md"),
            );
            if let Some(before) = before {
                bench.install(place, &before);
                bench.install(CANONICAL, &OLD);
            }
            let synced = bench.sync();
            let causes = synced.report["repairs"][0]["causes"].clone();
            is_repaired(&bench, &synced, place, &causes);
            assert_eq!(installed(&bench.home().join(CANONICAL)), as_map(&NEW), "{place}");
        }
    }
}

#[test]
fn several_agents_are_repaired_at_once() {
    let mut bench = with_npx("");
    let script = well(&bench);
    let places = [".claude/skills/aos", ".roo/skills/aos", CANONICAL];
    let evil: String =
        places.map(|place| format!("mkdir -p ~/{place}; echo evil >~/{place}/SKILL.md; ")).concat();
    bench.shim("npx", &format!("{script}; {evil}"));
    for place in places {
        bench.install(place, &OLD);
    }
    let synced = bench.sync();
    for place in places {
        let repairs = synced.report["repairs"].as_array().expect("repairs").clone();
        assert_eq!(repairs.len(), 3, "{repairs:#?}");
        assert_eq!(installed(&bench.home().join(place)), as_map(&NEW), "{place}");
    }
    synced.is("failed", Some("verify_mismatch"));
}

#[test]
fn links_that_an_installer_leaves_do_not_lead_to_foreign_files() {
    // Even if the bytes are right today, the owner of the target can change them later.
    for content in ["echo evil >~/away/SKILL.md", "cp -R ~/ready/. ~/away"] {
        let mut bench = with_npx("");
        let script = well(&bench);
        bench.shim(
            "npx",
            &format!(
                "{script}; mkdir -p ~/away; {content}; rm -rf ~/{CANONICAL} ~/.claude/skills/aos; \
                 ln -s ~/away ~/{CANONICAL}; ln -s ~/away ~/.claude/skills/aos"
            ),
        );
        bench.install(".claude/skills/aos", &OLD);
        let synced = bench.sync();
        synced.is("failed", Some("verify_mismatch"));
        for place in [CANONICAL, ".claude/skills/aos"] {
            let path = bench.home().join(place);
            assert_eq!(installed(&path), as_map(&NEW), "{place}");
            assert!(!path.canonicalize().expect("a place").ends_with("away"), "{place}");
        }
        bench.sync().is("current", None);
    }
}

#[test]
fn a_layout_of_links_is_repaired_where_the_files_are() {
    let mut bench = with_npx("");
    bench.install(CANONICAL, &OLD);
    bench.make(".claude/skills");
    bench.make(".roo");
    let link = |target: &str, path: &str| {
        std::os::unix::fs::symlink(target, bench.home().join(path)).expect("a link");
    };
    link("../../.agents/skills/aos", ".claude/skills/aos");
    link("../.agents/skills", ".roo/skills");
    bench.shim("npx", &format!("echo evil >~/{CANONICAL}/SKILL.md"));
    let synced = bench.sync();
    let causes = synced.report["repairs"][0]["causes"].clone();
    is_repaired(&bench, &synced, CANONICAL, &causes);
    for path in [".claude/skills/aos", ".roo/skills/aos"] {
        assert_eq!(installed(&bench.home().join(path)), as_map(&NEW), "{path}");
    }
    assert!(bench.home().join(".claude/skills/aos").is_symlink());
}

#[test]
fn a_copy_that_an_installer_removes_comes_back() {
    let mut bench = with_npx("");
    let script = well(&bench);
    bench.shim("npx", &format!("{script}; rm -r ~/.claude/skills/aos"));
    bench.install(".claude/skills/aos", &OLD);
    let synced = bench.sync();
    synced.is("synced", None);
    assert_eq!(installed(&bench.home().join(".claude/skills/aos")), as_map(&NEW));
}

#[test]
fn an_own_copy_where_no_installer_writes_stays_or_comes_back() {
    const MINE: [(&str, &str); 1] = [("SKILL.md", "mine\n")];
    for (script, live) in
        [("exit 0", None), ("echo evil >~/.cursor/skills/aos/SKILL.md", Some("previous"))]
    {
        let mut bench = with_npx("");
        let good = well(&bench);
        bench.shim("npx", &format!("{good}; {script}"));
        bench.install(".cursor/skills/aos", &MINE);
        let synced = bench.sync();
        let cause = if live.is_some() { "verify_mismatch" } else { "unmanaged_copy" };
        synced.is("failed", Some(cause));
        assert_eq!(synced.report["repairs"][0]["live"], json!(live));
        assert_eq!(installed(&bench.home().join(".cursor/skills/aos")), as_map(&MINE));
        assert_eq!(installed(&bench.home().join(CANONICAL)), as_map(&NEW));
    }
}

#[test]
fn a_sync_that_is_killed_is_repaired_by_the_next_one() {
    const MINE: [(&str, &str); 1] = [("SKILL.md", "mine\n")];
    let evil = format!(
        "echo evil >~/{CANONICAL}/SKILL.md; mkdir -p ~/.claude/skills/aos; echo evil >~/.claude/skills/aos/x.md; echo evil >~/.cursor/skills/aos/SKILL.md"
    );
    let mut bench = with_npx(&evil);
    bench.install(CANONICAL, &OLD);
    bench.install(".cursor/skills/aos", &MINE);
    bench.set("AOS_TEST_KILL_AT", "skill:installed");
    let mut child = bench.start(&bench.sandbox.work());
    child.wait().expect("it ends");
    assert!(bench.home().join(".aos/skill-sync.json").exists());
    // Killed in the middle of the repair as well.
    bench.set("AOS_TEST_KILL_AT", "skill:moved-aside");
    let mut child = bench.start(&bench.sandbox.work());
    child.wait().expect("it ends");
    bench.unset("AOS_TEST_KILL_AT");
    let synced = bench.sync();
    synced.is("failed", Some("verify_mismatch"));
    for place in [CANONICAL, ".claude/skills/aos"] {
        assert_eq!(
            installed(&bench.home().join(place)),
            as_map(&NEW),
            "{place}: {:#}",
            synced.report
        );
    }
    assert_eq!(installed(&bench.home().join(".cursor/skills/aos")), as_map(&MINE));
    assert!(!bench.home().join(".aos/skill-sync.json").exists());
    let state = std::fs::read_dir(bench.home().join(".aos")).expect("the state");
    for entry in state {
        let name = entry.expect("an entry").file_name();
        assert!(!name.to_string_lossy().starts_with(".unfinished-"), "{name:?}");
    }
    bench.shim("npx", "exit 0");
    bench.sync().is("failed", Some("unmanaged_copy"));
}

#[test]
fn a_part_of_the_files_that_a_killed_sync_left_is_completed_without_alarm() {
    let mut bench = with_npx(&format!(
        "rm -r ~/{CANONICAL}; mkdir ~/{CANONICAL}; printf -- '---' >~/{CANONICAL}/SKILL.md"
    ));
    bench.install(CANONICAL, &OLD);
    bench.set("AOS_TEST_KILL_AT", "skill:installed");
    bench.start(&bench.sandbox.work()).wait().expect("it ends");
    bench.unset("AOS_TEST_KILL_AT");
    bench.sync().is("current", None);
    assert_eq!(installed(&bench.home().join(CANONICAL)), as_map(&NEW));
}

#[test]
fn a_damaged_journal_makes_no_foreign_file_trusted() {
    let bench = with_npx(RAN);
    bench.install(CANONICAL, &[("SKILL.md", "evil\n")]);
    bench.install(".aos", &[("skill-sync.json", "{")]);
    let synced = bench.sync();
    is_repaired(&bench, &synced, CANONICAL, &json!(["content", "missing"]));
    assert!(!ran(&bench));
}

#[test]
fn ends_of_lines_are_nobodys_work() {
    let bench = with_npx("exit 0");
    let foreign = NEW.map(|(path, text)| (path, text.replace('\n', "\r\n")));
    let foreign = foreign.each_ref().map(|(path, text)| (*path, text.as_str()));
    bench.install(CANONICAL, &foreign);
    let synced = bench.sync();
    synced.is("synced", None);
    assert_eq!(synced.report["backups"].as_array().map(Vec::len), Some(0));
    assert_eq!(installed(&bench.home().join(CANONICAL)), as_map(&NEW));
}

#[test]
fn a_missing_npx_is_named() {
    let mut bench = Bench::new();
    bench.shim("node", NODE);
    bench.only(&["git"]);
    let synced = bench.sync();
    synced.is("not_installed", Some("npx_missing"));
    assert_eq!(synced.text("command"), "aos update --target-version 1.3.0");
    assert!(synced.notes().contains("install Node"), "{}", synced.notes());
    assert!(!bench.home().join(".agents").exists());
}

#[test]
fn an_installed_skill_needs_no_node() {
    let mut bench = Bench::new();
    bench.only(&[]);
    for place in
        [CANONICAL, ".claude/skills/aos", ".cursor/skills/aos", ".never-heard-of/skills/aos"]
    {
        bench.install(place, &OLD);
    }
    bench.install(".roo/skills/aos", &[("SKILL.md", "mine\n")]);
    let synced = bench.sync();
    synced.is("synced", None);
    for place in synced.places().keys() {
        assert_eq!(installed(&bench.home().join(place)), as_map(&NEW), "{place}");
    }
    assert_eq!(synced.places().len(), 5);
    let backup = synced.report["backups"][0]["backup"].as_str().expect("a backup");
    assert_eq!(installed(Path::new(backup)), as_map(&[("SKILL.md", "mine\n")]));
}

#[test]
fn a_missing_node_and_a_missing_git_are_named() {
    let mut bench = Bench::new();
    bench.shim("npx", RAN);
    bench.only(&["git", "touch"]);
    bench.sync().is("not_installed", Some("node_missing"));
    let mut bench = Bench::new();
    bench.shim("npx", RAN);
    bench.shim("node", NODE);
    bench.only(&["touch"]);
    bench.sync().is("not_installed", Some("git_missing"));
    assert!(!ran(&bench));
}

#[test]
fn a_node_that_is_too_old_is_named() {
    let mut bench = with_npx(RAN);
    bench.shim("node", "echo v18.20.4");
    let synced = bench.sync();
    synced.is("not_installed", Some("node_too_old"));
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
fn without_a_network_or_a_home_no_program_is_run() {
    let mut bench = with_npx(RAN);
    bench.set("AOS_OFFLINE", "1");
    bench.sync().is("not_installed", Some("offline"));
    bench.unset("AOS_OFFLINE");
    bench.unset("HOME");
    bench.sync().is("failed", Some("no_home"));
    assert!(!ran(&bench));
}

#[test]
fn a_current_skill_needs_no_other_program() {
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
    assert!(synced.notes().contains("working tree"), "{}", synced.notes());
    assert!(!ran(&bench));
    assert_eq!(installed(&bench.home().join(".claude/skills/aos")), as_map(&NEW));
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
fn work_is_kept_before_aos_replaces_it() {
    let bench = with_npx("exit 1");
    bench.install(CANONICAL, &[("SKILL.md", "mine\n")]);
    let synced = bench.sync();
    synced.is("synced", None);
    let backup = synced.report["backups"][0]["backup"].as_str().expect("a backup");
    assert_eq!(installed(Path::new(backup)), as_map(&[("SKILL.md", "mine\n")]));
    assert_eq!(installed(&bench.home().join(CANONICAL)), as_map(&NEW));
}

#[test]
fn a_copy_that_no_run_can_reach_is_replaced_or_named_for_a_person() {
    for (files, status, cause) in [
        (OLD[..].to_vec(), "synced", None),
        (vec![("SKILL.md", "mine\n")], "failed", Some("unmanaged_copy")),
    ] {
        let mut bench = with_npx("");
        let script = well(&bench);
        bench.shim("npx", &format!("{RAN}; {script}"));
        bench.install(".cursor/skills/aos", &files);
        let synced = bench.sync();
        synced.is(status, cause);
        assert_eq!(synced.stale_paths().is_empty(), cause.is_none());
        assert_eq!(synced.notes().contains("remove it"), cause.is_some(), "{}", synced.notes());
    }
}

#[test]
fn a_copy_that_stays_wrong_after_the_second_run_is_replaced() {
    let mut bench = with_npx("");
    let script = well(&bench);
    bench.shim("npx", &format!("echo \"$@\" >>~/calls; {script}"));
    bench.install(".claude/skills/aos", &OLD);
    let synced = bench.sync();
    synced.is("synced", None);
    assert_eq!(installed(&bench.home().join(".claude/skills/aos")), as_map(&NEW));
    let calls = std::fs::read_to_string(bench.home().join("calls")).expect("calls");
    assert_eq!(calls.lines().count(), 2);
    assert!(calls.trim_end().ends_with("-y -g -s aos -a universal claude-code"), "{calls}");
}

#[test]
fn secrets_and_control_characters_do_not_leave() {
    let mut bench = with_npx(
        "printf '\\033[31mtoken %s\\033[0m bell \\007 https://me:%s@host/x\\n' \"$MY_TOKEN\" \"$MY_TOKEN\"; exit 3",
    );
    bench.set("MY_TOKEN", "do-not-tell");
    let synced = bench.sync();
    synced.is("synced", None);
    assert_eq!(synced.text("output_tail"), "token [hidden] bell \\u{7} https://[hidden]host/x");
    assert!(!synced.report.to_string().contains("do-not-tell"));
}

#[test]
fn npx_runs_in_a_private_directory_without_signs_of_agents() {
    let mut bench =
        with_npx("{ pwd; ls -ld . | cut -c1-10; cat package.json; env; ls -A; } >~/seen");
    bench.set("CLAUDECODE", "1");
    bench.set("XDG_CONFIG_HOME", "relative");
    bench.sync().is("synced", None);
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
        // A container can lack a process that collects the exit codes of orphans.
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
    assert_eq!(synced.text("command"), "aos update --target-version 1.3.0");
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
